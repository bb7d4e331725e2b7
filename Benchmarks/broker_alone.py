#!/usr/bin/env python3
"""Measures what a broker can do when its workers take no time: pictures and bytes per second and core.

    Benchmarks/broker_alone.py [--ink .build/release/ink] [--scenes S,M,L] [--formats png,jpeg] [--keys no,yes] [--size 2k]
        [--workers 256] [--pictures N] [--active 32] [--fetch] [--shared-blocks] [--json out/bench/broker.json]

A process (BrokerCrew of this package, built first) answers for all workers. Its engine makes the tasks of a first picture;
the measured pictures are the same scene under other ids, and their results are sent from memory: real sizes, no rendering.
Each worker fetches the blocks of its tasks, as on a farm whose pictures differ; with --shared-blocks a block is fetched once
by all. So many pictures are under way (--active) that all workers have tasks. The broker writes the pictures into a folder in
memory; with --fetch a client fetches them.

Everything is on loopback and shares the machine's cores, so rates are also reported per core of the broker: its pictures
and bytes by its own processor time. "busiest" is the thread that is full first, "thread's limit" how many pictures per second
it could do. Bytes are those of messages between broker and workers, both ways.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import account
import farm
import rates

# Some seconds of a broker's core each.
PICTURES = {"S": 400, "M": 200, "L": 80}


class Crew:
    """All workers of a farm in one process."""

    def __init__(self, program, place, workers, shares_blocks):
        command = [str(program), place.tasks, str(workers)]
        if shares_blocks:
            command.append("--shared-blocks")
        if place.worker_options:
            command += ["--keys", str(place.folder / "w.key"), str(place.folder / "broker.pub")]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        farm.wait_until(lambda: self.sums()["working"] == workers)

    def sums(self):
        """What all workers have done so far."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise SystemExit("BrokerCrew has ended")
        return json.loads(line)

    def stop(self):
        self.process.kill()
        self.process.wait()


def projects(scene, numbers, folder):
    """Writes projects of a scene that differ in nothing but their ids."""
    folder.mkdir()
    text = (farm.HERE / f"scenes/scene-{scene}.ink").read_text()
    old = f'"id":"scene-{scene}"'
    if text.count(old) != 1:
        raise SystemExit(f"scene {scene} is not as expected")
    for number in numbers:
        (folder / f"{scene}-{number}.ink").write_text(text.replace(old, f'"id":"{scene}-{number}"'))
    return str(folder)


def make(place, source, target, options):
    """Has the farm make pictures of all projects in a folder."""
    form = ["--size", options.size, "--format", options.format]
    if options.fetch:
        place.run("export", source, "-o", str(place.folder / target), "--quiet", *form)
    else:
        jobs = place.run("submit", source, "--into", target, "--quiet", *form)
        place.run("wait", "-", "--no-fetch", "--quiet", input=jobs)


def measure(options, program, scene, keys, root):
    """The figures of one broker."""
    with tempfile.TemporaryDirectory(dir=root) as name:
        folder = pathlib.Path(name)
        (folder / "pictures").mkdir()
        count = options.pictures or PICTURES[scene]
        # Not measured: one is rendered, and with a few tasks of each worker the lines have got fast.
        first = projects(scene, range(1 + options.workers // 6), folder / "first")
        rest = projects(scene, range(1000, 1000 + count), folder / "rest")
        place = farm.Farm(
            options.ink, folder / "farm", workers=0, keys=keys, log_level="warning",
            options=["--output-root", str(folder / "pictures"), "--spill-folder", name, "--active", str(options.active)])
        crew = None
        try:
            crew = Crew(program, place, options.workers, options.shared_blocks)
            make(place, first, "first", options)
            broker = account.Process(place.broker.pid)
            before, (threads_before, total_before), start = crew.sums(), broker.snapshot(), time.monotonic()
            make(place, rest, "rest", options)
            seconds = time.monotonic() - start
            (threads, total), after = broker.snapshot(), crew.sums()
        finally:
            if crew:
                crew.stop()
            place.stop()
        made = [path for path in folder.rglob("rest/*") if path.suffix in (".png", ".jpg", ".jpeg")]
        if len(made) != count:
            raise SystemExit(f"{len(made)} pictures instead of {count}")
        processor, each = total - total_before, {name: threads[name] - threads_before[name] for name in threads}
        sums = {name: after[name] - before[name] for name in after}
        if sums["rendered"]:
            print(f"{sums['rendered']} of {sums['tasks']} tasks were rendered: they differ from those of the first pictures.",
                  file=sys.stderr)
        busiest = max(each, key=each.get)
        return {
            "pictures": count, "seconds": seconds, "processorSeconds": processor, "tasks": sums["tasks"],
            "rendered": sums["rendered"], "picturesPerSecond": count / seconds, "picturesPerCore": count / processor,
            "bytesFromWorkers": sums["sent"], "bytesToWorkers": sums["received"],
            "bytesOfPictures": sum(path.stat().st_size for path in made),
            "bytesPerCore": (sums["sent"] + sums["received"]) / processor,
            "busiest": busiest, "busiestLimit": count / each[busiest],
            "threadsMs": {name: seconds * 1000 / count for name, seconds in sorted(each.items())}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ink", default=str(farm.HERE.parent / ".build/release/ink"))
    parser.add_argument("--scenes", default="S,M,L")
    parser.add_argument("--formats", default="png,jpeg")
    parser.add_argument("--keys", default="no,yes")
    parser.add_argument("--size", default="2k")
    parser.add_argument("--json", type=pathlib.Path, default=rates.RESULTS / "broker.json")
    for name, value in [("workers", 256), ("pictures", None), ("active", 32)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--shared-blocks", action="store_true")
    options = parser.parse_args()
    about, found = rates.machine(), []
    rates.warn_of_load(about)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    program = rates.build("BrokerCrew") / "BrokerCrew"
    # The disk is not what is measured.
    root = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    heads = ["scene", "format", "CURVE", "pictures/s", "broker's cores", "pictures/s and core", "MB/s and core",
             "broker, ms a picture", "kB from workers", "kB to workers", "busiest", "thread's limit"]
    print("| " + " | ".join(heads) + " |")
    print("| --- | --- | --- |" + " ---: |" * 7 + " --- | ---: |")
    for scene in options.scenes.split(","):
        for options.format in options.formats.split(","):
            for keys in options.keys.split(","):
                row = measure(options, program, scene, keys == "yes", root)
                found.append({"scene": scene, "format": options.format, "keys": keys == "yes"} | row)
                count = row["pictures"]
                cells = [
                    scene, options.format, keys, rates.number(row["picturesPerSecond"]),
                    f"{row['processorSeconds'] / row['seconds']:.2f}", rates.number(row["picturesPerCore"]),
                    rates.number(row["bytesPerCore"] / 1e6), rates.number(row["processorSeconds"] * 1000 / count),
                    rates.number(row["bytesFromWorkers"] / 1e3 / count), rates.number(row["bytesToWorkers"] / 1e3 / count),
                    row["busiest"], rates.number(row["busiestLimit"])]
                print("| " + " | ".join(cells) + " |", flush=True)
    rates.write(options.json, {
        "machine": about, "workers": options.workers, "size": options.size, "active": options.active, "fetch": options.fetch,
        "sharedBlocks": options.shared_blocks, "brokers": found})


if __name__ == "__main__":
    main()
