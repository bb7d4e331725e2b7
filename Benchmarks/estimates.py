#!/usr/bin/env python3
"""Compares the broker's estimates of the time left with the truth, over real exports; prints how often the 90% intervals
contain it.

    Benchmarks/estimates.py [--ink .build/release/ink] [--rounds 2] [--json out/bench/estimates.json] [first|known|shared ...]

first    each picture by a farm that has seen none before
known    one picture after the other by one farm
shared   several pictures at once; also the time until half of them, as a batch, are done, and until the whole farm has
         nothing to do, as `ink status` has it

Pictures are the benchmark scenes and the examples, in several sizes and formats. An estimate counts at each tenth of a
picture's time, as a person sees it there: the last one told, less the time since. "Within" is how many of 100 intervals
contain the truth from the first fifth on, "error" the median of how far the expected time is from it, as a share of the
whole time, and "width" the median of the intervals' widths as such a share.

Needs Python 3.9 and pyzmq. Times depend on this machine and on what else runs on it.
"""
import argparse
import json
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

import zmq

import rates
from farm import Farm, HERE

sys.path.insert(0, str(HERE.parent / "examples/python"))
import ink_protocol as wire  # noqa: E402

SCENES = [str(HERE / f"scenes/scene-{name}.ink") for name in "SML"]
EXAMPLES = [str(HERE.parent / "examples" / name) for name in (
    "owl.ink", "rose.ink", "archipelago.ink", "hills.ink", "night-sail.ink", "street.ink",
    "pinboard.ink", "brushes.ink")]
FORMATS = {
    "png": [], "png small": ["--effort", "small"], "jpeg": [], "webp": [], "avif": [], "jxl": [], "tiff": [], "pdf": []}
TENTHS = [step / 10 for step in range(1, 10)]


class Watcher:
    """Hears of jobs from a broker: what is told of each, and when it ends."""

    def __init__(self, broker):
        self.told, self.ends, self.changed = {}, {}, threading.Condition()
        self.wanted, self.is_over = [], False
        self.thread = threading.Thread(target=self.run, args=(broker,), daemon=True)
        self.thread.start()

    def watch(self, job):
        with self.changed:
            self.wanted.append(job)

    def end(self, job):
        """Waits for the end of a job; its time, and how long it took, in seconds."""
        with self.changed:
            self.changed.wait_for(lambda: job in self.ends, timeout=600)
            return self.ends[job]

    def close(self):
        self.is_over = True
        self.thread.join()

    def run(self, broker):
        context = zmq.Context()
        socket = context.socket(zmq.DEALER)
        socket.linger = 0
        socket.connect(broker)
        socket.send(wire.frame(wire.HELLO, wire.text("estimates.py")))
        is_served, said = False, time.monotonic()
        while not self.is_over:
            with self.changed:
                jobs, self.wanted = (self.wanted, []) if is_served else ([], self.wanted)
            for job in jobs:
                socket.send(wire.frame(wire.WATCH, wire.varint(1) + struct.pack("<Q", job)))
            if is_served and time.monotonic() - said > 0.5:
                said = time.monotonic()
                socket.send(wire.frame(wire.HEARTBEAT))
            if not socket.poll(5):
                continue
            kind, body = wire.open_frame(socket.recv())
            now = time.monotonic()
            if kind == wire.WELCOME:
                is_served = True
            elif kind == wire.PROGRESS:
                job, _, _ = body.u64(), body.varint(), body.varint()
                if body.u8():
                    left = [body.varint() / 1000 for _ in range(3)]
                    self.told.setdefault(job, []).append((now, *left))
            elif kind == wire.NOTICE:
                notice, job = body.u64(), body.u64()
                wire.read_submission(body)
                seconds = None
                if body.u8() == 0:
                    body.varint(), body.varint(), body.u64(), body.take(32)
                    body.varint(), body.varint(), body.varint()  # quality, tiles, attempts
                    seconds = body.varint() / 1e9
                socket.send(wire.frame(wire.NOTICES_TAKEN, wire.varint(1) + struct.pack("<Q", notice)))
                with self.changed:
                    self.ends[job] = now, seconds
                    self.changed.notify_all()
        socket.close()
        context.term()


def submit(farm, watcher, project, size, name):
    options = ["--format", name.split()[0], *FORMATS[name]]
    line = farm.run("submit", project, "--size", size, "--json", *options).splitlines()[0]
    job = json.loads(line)["job"]
    watcher.watch(job)
    return job


def at_tenths(told, start, end):
    """(tenth, truth, expected, low, high) where something had been told by then."""
    rows = []
    for tenth in TENTHS:
        moment = start + tenth * (end - start)
        known = [entry for entry in told if entry[0] <= moment]
        if known:
            passed = moment - known[-1][0]
            rows.append((tenth, end - moment, *(max(0, value - passed) for value in known[-1][1:])))
    return rows


def joined(watcher, jobs):
    """What is told of a batch: as long as of the job that takes longest, from when something is known of all."""
    last, rows = {}, []
    for moment, job, *left in sorted((entry[0], job, *entry[1:]) for job in jobs for entry in watcher.told.get(job, [])):
        last[job] = moment, left
        if len(last) == len(jobs):
            now = [[max(0, value - (moment - time)) for value in values] for job, (time, values) in last.items()
                   if watcher.ends[job][0] > moment]
            if now:
                rows.append((moment, *(max(values) for values in zip(*now))))
    return rows


def record(watcher, job, about):
    end, seconds = watcher.end(job)
    if seconds is None:
        print(f"{about}: failed", file=sys.stderr)
        return None
    return about | {"seconds": seconds, "tenths": at_tenths(watcher.told.get(job, []), end - seconds, end)}


def cases(seed, count=None):
    """Projects, sizes and formats in an order of the seed: the fast formats larger."""
    found = []
    for project in SCENES + EXAMPLES:
        for name in FORMATS:
            sizes = ["1080p", "2k"] if name in ("avif", "jxl", "png small") else ["2k", "4k", "8k"]
            found += [(project, size, name) for size in sizes]
    random.Random(seed).shuffle(found)
    return found[:count]


def about(kind, project, size, name):
    return {"kind": kind, "project": pathlib.Path(project).name, "size": size, "format": name}


def first(ink, folder, rounds):
    for index, case in enumerate(cases(1, 60 * rounds)):
        farm = Farm(ink, f"{folder}/first-{index}")
        watcher = Watcher(farm.clients)
        yield record(watcher, submit(farm, watcher, *case), about("first", *case))
        watcher.close()
        farm.stop()


def known(ink, folder, rounds):
    farm = Farm(ink, f"{folder}/known")
    watcher = Watcher(farm.clients)
    for turn in range(rounds):
        for case in cases(2 + turn, 100):
            yield record(watcher, submit(farm, watcher, *case), about("known", *case))
    watcher.close()
    farm.stop()


def shared(ink, folder, rounds):
    farm = Farm(ink, f"{folder}/shared")
    watcher = Watcher(farm.clients)
    for turn in range(12 * rounds):
        chosen = cases(100 + turn, 8)
        start = time.monotonic()
        jobs = [submit(farm, watcher, *case) for case in chosen]
        told = []
        while not all(job in watcher.ends for job in jobs):
            left = json.loads(farm.run("status", "--json")).get("timeLeft")
            if left:
                told.append((time.monotonic(), left["seconds"], left["low"], left["high"]))
            time.sleep(0.1)
        for job, case in zip(jobs, chosen):
            yield record(watcher, job, about("shared", *case))
        for batch in (jobs[:4], jobs[4:]):
            end = max(watcher.end(job)[0] for job in batch)
            yield {"kind": "batch", "format": "all", "seconds": end - start, "tenths": at_tenths(joined(watcher, batch), start, end)}
        end = max(watcher.end(job)[0] for job in jobs)
        yield {"kind": "farm", "format": "all", "seconds": end - start, "tenths": at_tenths(told, start, end)}
    watcher.close()
    farm.stop()


def table(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    print(f"| {key} | pictures | median s | " + " | ".join(f"{round(t * 10)}/10" for t in TENTHS)
          + " | within | error | width |")
    print("| --- |" + " ---: |" * (len(TENTHS) + 5))
    for name, group in groups.items():
        def within(tenths):
            checks = [low <= truth <= high for row in group for tenth, truth, _, low, high in row["tenths"] if tenth in tenths]
            return f"{100 * sum(checks) / len(checks):.0f}" if checks else "-"
        late = [(row, values) for row in group for values in row["tenths"] if values[0] >= 0.2]
        error = statistics.median(abs(values[2] - values[1]) / row["seconds"] for row, values in late)
        width = statistics.median((values[4] - values[3]) / row["seconds"] for row, values in late)
        print(f"| {name} | {len(group)} | {statistics.median(row['seconds'] for row in group):.2f} | "
              + " | ".join(within([tenth]) for tenth in TENTHS)
              + f" | **{within(TENTHS[1:])}** | {100 * error:.0f}% | {100 * width:.0f}% |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=["first", "known", "shared"])
    parser.add_argument("--ink", default=str(HERE.parent / ".build/release/ink"))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path, default=rates.RESULTS / "estimates.json")
    options = parser.parse_args()
    machine = rates.machine()
    rates.warn_of_load(machine)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds:
            made = {"first": first, "known": known, "shared": shared}[kind](options.ink, folder, options.rounds)
            rows += [row for row in made if row and row["tenths"]]
    table(rows, "kind")
    table([row for row in rows if row["kind"] not in ("batch", "farm")], "format")
    rates.write(options.json, {"machine": machine, "pictures": rows})


if __name__ == "__main__":
    main()
