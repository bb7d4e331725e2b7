#!/usr/bin/env python3
"""Measures the HTTP front of a broker: requests a second and latency of the job list, submissions and events with many
jobs and watchers while the farm exports, and what watchers cost the exports.

    make build && Benchmarks/http_front.py [--jobs 10000] [--watchers 200] [--seconds 10]
"""

import argparse
import http.client
import json
import pathlib
import statistics
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/interop"))

from farms import Farm  # noqa: E402

DOCUMENT = (b'{"version": "1.2", "id": "a", "name": "A", "canvasSize": {"width": 64, "height": 64}, '
            b'"background": "#ffffff", "layers": []}')


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


class Load:
    """Clients that ask for one thing again and again, each on a connection of its own."""

    def __init__(self, farm, clients, ask):
        self.times, self.stopped, self.failed = [], threading.Event(), 0
        self.host = farm.base.split("//")[1]
        self.threads = [threading.Thread(target=self.run, args=(ask,), daemon=True) for _ in range(clients)]

    def run(self, ask):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        while not self.stopped.is_set():
            began = time.perf_counter()
            ask(connection)
            response = connection.getresponse()
            response.read()
            self.failed += response.status >= 400
            self.times.append(time.perf_counter() - began)

    def measure(self, seconds):
        for thread in self.threads:
            thread.start()
        time.sleep(seconds)
        self.stopped.set()
        for thread in self.threads:
            thread.join(90)
        return self.times


def watch(host, path, delays, stopped):
    """Follows a stream; notes how late an event of the farm's each second comes."""
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    last = None
    while not stopped.is_set():
        line = response.readline()
        if not line:
            break
        if line.startswith(b"event: stats"):
            now = time.perf_counter()
            if last is not None:
                delays.append(now - last)
            last = now
    connection.close()


def exports(farm, count):
    """The seconds of a few exports, each alone; median."""
    times = []
    for _ in range(count):
        job = farm.submit(ROOT / "examples/owl.ink", size="2k", effort="fast")[0]
        times.append(farm.wait(job["id"], "finished")["picture"]["seconds"])
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    farm = Farm(workers=2)
    host = farm.base.split("//")[1]
    try:
        began = time.perf_counter()
        farm.fill(options.jobs)
        print(f"{options.jobs} jobs submitted in forms of 1,000: {options.jobs / (time.perf_counter() - began):.0f}/s")
        while farm.ask("/v1/stats")["jobs"]["queued"] + farm.ask("/v1/stats")["jobs"]["running"] > 0:
            time.sleep(1)
        alone = exports(farm, 5)
        print(f"an export of owl.ink at 2K, nobody watching: {alone:.2f} s (median of 5)")

        delays, stopped = [], threading.Event()
        watchers = [threading.Thread(target=watch, args=(host, "/v1/events", delays, stopped), daemon=True)
                    for _ in range(options.watchers)]
        for watcher in watchers:
            watcher.start()
        time.sleep(2)
        watched = exports(farm, 5)
        print(f"the same with {options.watchers} watchers: {watched:.2f} s (ratio {watched / alone:.2f})")

        # More than can be done meanwhile.
        large = [farm.submit(ROOT / "examples/rose.ink", size="16384x16384", effort="fast")[0] for _ in range(20)]
        delays.clear()

        def lists(connection):
            connection.request("GET", "/v1/jobs?limit=100&state=finished&sort=-ended")

        def submissions(connection):
            connection.request("POST", "/v1/jobs?size=64x64", DOCUMENT, {"Content-Type": "application/octet-stream"})

        for name, clients, ask in [("job list (100 of a state)", 4, lists), ("submission", 4, submissions)]:
            load = Load(farm, clients, ask)
            times = load.measure(options.seconds)
            print(f"{name}, {clients} clients, {options.watchers} watchers, while pictures of 16K are exported: "
                  f"{len(times) / options.seconds:.0f}/s, median {1e3 * statistics.median(times):.1f} ms, "
                  f"p99 {1e3 * percentile(times, 0.99):.1f} ms, {load.failed} failed")
        # An event comes each second.
        late = [abs(delay - 1) for delay in delays]
        print(f"events to {options.watchers} watchers meanwhile: {len(delays)}, late by {1e3 * statistics.median(late):.0f} ms "
              f"(median), p99 {1e3 * percentile(late, 0.99):.0f} ms")
        states = [farm.ask(f"/v1/jobs/{job['id']}")["state"] for job in large]
        print(f"pictures of 16K: {states.count('finished')} of {len(states)} were done meanwhile")
        stopped.set()
    finally:
        farm.close()


if __name__ == "__main__":
    main()
