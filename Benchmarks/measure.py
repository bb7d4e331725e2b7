#!/usr/bin/env python3
"""Times whole exports of the benchmark scenes and prints medians, phase by phase.

    Benchmarks/measure.py [--ink .build/release/ink] [--runs 5] [--sizes 2k,4k] [--workers 1,2] [--scenes S,M,L]
        [--json out/bench/exports.json]
    Benchmarks/measure.py --account 16 [--sizes 2k] ...

Times are milliseconds as the export's own report has them: from the start of reading to the synced file. Phases that
workers do are summed over all workers. "whole" is the process from start to end. Peak memory is the process's.

With --account no times are measured, but of so many different pictures the processor time of each thread, in milliseconds a
picture, and the broker's share of all: once in one process, once with a broker and a worker as processes of their own
(out/bench/account.json; see account.py).
"""
import argparse
import json
import os
import pathlib
import statistics
import tempfile
import time

import account
import rates

HERE = pathlib.Path(__file__).resolve().parent
PHASES = ["read", "prepare", "decode", "raster", "composite", "encode", "stitch"]


def run(command):
    """Runs a command; its wall time and processor time in milliseconds and its peak memory in MB."""
    start = time.monotonic()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {os.waitstatus_to_exitcode(status)}")
    return (time.monotonic() - start) * 1000, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss * 1024 / 1e6


def export(ink, scene, size, workers, folder, *options):
    """Exports a scene into a folder; what `run` returns."""
    return run([
        ink, "export", str(HERE / f"scenes/scene-{scene}.ink"), "-o", folder, "--size", size, "--workers", str(workers),
        "--if-exists", "overwrite", "--quiet", *options])


def measure(ink, scene, size, workers, runs):
    """The figures of each run."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        report = f"{folder}/report.json"
        for _ in range(runs + 1):
            whole, _, memory = export(ink, scene, size, workers, folder, "--report", report)
            record = json.loads(pathlib.Path(report).read_text())["exports"][0]
            rows.append({"whole": whole, "export": record["milliseconds"], "broker": record["brokerMs"], "MB": memory}
                        | {phase: record["phasesMs"][phase] for phase in PHASES})
    # The first run warms the page cache.
    return rows[1:]


def account_of(options, about):
    """Tables and JSON of processor time by threads."""
    print("| scene | size | threads | as | pictures | broker, ms | workers, ms | client, ms | rest, ms | broker's share |")
    print("| --- | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    rows = []
    for scene in options.scenes.split(","):
        for size in options.sizes.split(","):
            for workers in options.workers.split(","):
                with tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    # One more, for a farm to begin with.
                    paths = account.projects(scene, options.account + 1, folder / "in")
                    for way, measured in [
                            ("one process", account.in_one_process(options.ink, paths[1:], size, workers, folder)),
                            ("processes", account.in_processes(options.ink, paths, size, workers, folder))]:
                        rows.append({"scene": scene, "size": size, "workers": int(workers), "way": way} | measured)
                        account.print_row(scene, size, workers, way, measured)
    account.print_threads(rows)
    rates.write(options.json or rates.RESULTS / "account.json", {"machine": about, "accounts": rows})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ink", default=str(HERE.parent / ".build/release/ink"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="2k,4k")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--scenes", default="S,M,L")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--account", type=int, metavar="PICTURES")
    options = parser.parse_args()
    if options.account is not None and options.account < 1:
        parser.error("an account needs at least one picture")
    about, exports = rates.machine(), []
    rates.warn_of_load(about)
    if options.account:
        return account_of(options, about)
    columns = ["whole", "export"] + PHASES + ["broker", "MB"]
    print("| scene | size | workers | " + " | ".join(columns) + " |")
    print("| --- | --- | ---: |" + " ---: |" * len(columns))
    for scene in options.scenes.split(","):
        for size in options.sizes.split(","):
            for workers in options.workers.split(","):
                rows = measure(options.ink, scene, size, workers, options.runs)
                medians = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
                exports.append({"scene": scene, "size": size, "workers": int(workers), "medians": medians, "runs": rows})
                cells = [f"{medians[column]:,.0f}" for column in columns]
                print(f"| {scene} | {size} | {workers} | " + " | ".join(cells) + " |", flush=True)
    rates.write(options.json or rates.RESULTS / "exports.json", {"machine": about, "exports": exports})


if __name__ == "__main__":
    main()
