#!/usr/bin/env python3
"""Times exports with one worker and one core, one worker and all cores, and a worker for each core.

    Benchmarks/scaling.py [--ink .build/release/ink] [--runs 5] [--bulk FOLDER] [--json out/bench/scaling.json]

Scene L at 4K, and with --bulk all projects of a folder at 1080p. One worker with all cores is more than one core's work: the
broker reads, cuts and writes beside it. What a second core is worth is the first ratio, what a second worker is worth the
second one. The three take turns; medians of whole processes, seconds.
"""
import argparse
import os
import pathlib
import statistics
import tempfile

import measure
import rates


def time_of(ink, arguments, folder, workers, cores):
    """Seconds that an export takes with these workers on these cores."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        command = [ink, "export", *arguments, "-o", folder, "--workers", str(workers), "--if-exists", "overwrite", "--quiet"]
        return measure.run(command)[0] / 1000
    finally:
        os.sched_setaffinity(0, allowed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ink", default=str(measure.HERE.parent / ".build/release/ink"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bulk", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path, default=rates.RESULTS / "scaling.json")
    options = parser.parse_args()
    about, cores = rates.machine(), sorted(os.sched_getaffinity(0))
    rates.warn_of_load(about)
    exports = {"L at 4K": [str(measure.HERE / "scenes/scene-L.ink"), "--size", "4k"]}
    if options.bulk:
        exports[f"{options.bulk.name} at 1080p"] = [str(options.bulk), "--size", "1080p"]
    ways = {"core": (1, cores[:1]), "worker": (1, cores), "all": (len(cores), cores)}
    print(f"| export | 1 core, 1 worker | 1 worker | {len(cores)} workers | times one core | times one worker |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in exports.items():
            times = {way: [] for way in ways}
            for turn in range(options.runs + 1):
                for way, (workers, some) in ways.items():
                    seconds = time_of(options.ink, arguments, folder, workers, some)
                    # The first turn warms the page cache.
                    if turn > 0:
                        times[way].append(seconds)
            core, worker, both = (statistics.median(times[way]) for way in ("core", "worker", "all"))
            print(f"| {name} | {core:.2f} | {worker:.2f} | {both:.2f} | {core / both:.2f} | {worker / both:.2f} |", flush=True)
            results[name] = times
    rates.write(options.json, {"machine": about, "seconds": results})


if __name__ == "__main__":
    main()
