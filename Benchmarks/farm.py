#!/usr/bin/env python3
"""Measures what a farm costs beside one process, and how it recovers; prints medians.

    Benchmarks/farm.py [--ink .build/release/ink] [--runs 5] [direct|overhead|fairness|silence|recovery|queue ...]

direct     processor time of exports of the benchmark scenes by a broker and a worker in one process, beside the same
           tasks in a loop on one thread; of that the broker's (builds Benchmarks/ first)
overhead   exports of the benchmark scenes: one process with two workers; a broker and two workers as processes of
           their own; the same with CURVE. Milliseconds from the command to the closed file, and as the export's report
           has them (a broker's clock: without the ways of the project and of the picture); processor time of the broker.
fairness   a small export without other load, and with 1,000 bulk exports of scene M waiting: milliseconds
silence    from a worker's SIGSTOP, and from its kill -9, to the broker's log line: milliseconds
recovery   kill -9 of a broker with 1,000 jobs, one of ten of them done: to its first answer, to the first task
queue      10,000 jobs submitted at once to a broker that may have 512 MB: jobs a second, peak memory

Everything runs over loopback on this machine. Times depend on its cores and its disk.
"""
import argparse
import atexit
import json
import os
import pathlib
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CLOCK = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Farm:
    """A broker and workers of one thread each, over loopback."""

    def __init__(self, ink, folder, workers=2, keys=False, options=(), memory=None, log_level="debug"):
        self.ink, self.folder, self.memory, self.log_level = ink, pathlib.Path(folder), memory, log_level
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tasks, self.clients = f"tcp://127.0.0.1:{free_port()}", f"tcp://127.0.0.1:{free_port()}"
        self.options, self.worker_options, self.client_options = list(options), [], []
        if keys:
            for name, role in [("broker", "broker"), ("w", "worker"), ("c", "client")]:
                subprocess.run([ink, "keygen", name, "--role", role, "-o", folder], check=True, stdout=subprocess.DEVNULL)
            path = lambda name: str(self.folder / name)
            self.options += ["--key", path("broker.key"), "--allow-workers", path("w.pub"), "--allow-clients", path("c.pub")]
            self.worker_options = ["--key", path("w.key"), "--broker-key", path("broker.pub")]
            self.client_options = ["--key", path("c.key"), "--broker-key", path("broker.pub")]
        self.log = self.folder / "log"
        self.workers = []
        self.start()
        # Whatever fails, nothing goes on running.
        atexit.register(self.stop)
        for index in range(workers):
            self.workers.append(self.hire(f"w{index}"))
        wait_until(lambda: len(self.events("worker.joined")) >= workers)

    def start(self):
        def limit():
            if self.memory:
                resource.setrlimit(resource.RLIMIT_DATA, (self.memory, self.memory))
        self.broker = subprocess.Popen(
            [self.ink, "broker", "--data", str(self.folder / "data"), "--workers", self.tasks, "--clients", self.clients,
             "--log", "json", "--log-level", self.log_level, *self.options],
            stdout=subprocess.DEVNULL, stderr=open(self.log, "ab"), preexec_fn=limit)

    def hire(self, name):
        return subprocess.Popen(
            [self.ink, "worker", "--broker", self.tasks, "--threads", "1", "--name", name, *self.worker_options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, *arguments, **options):
        return subprocess.run(
            [self.ink, *arguments, "--broker", self.clients, *self.client_options], check=True, capture_output=True, text=True,
            **options).stdout

    def events(self, name):
        found = []
        for line in self.log.read_text(errors="replace").splitlines():
            if f'"{name}"' in line:
                try:
                    found.append(json.loads(line))
                except ValueError:
                    pass
        return found

    def processor_time(self):
        fields = pathlib.Path(f"/proc/{self.broker.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / CLOCK

    def peak(self):
        status = pathlib.Path(f"/proc/{self.broker.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def stop(self):
        for process in [self.broker, *self.workers]:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


def wait_until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("it does not happen")
        time.sleep(0.002)


def median(values):
    return statistics.median(values)


def direct(ink, runs):
    build = ["--package-path", str(HERE), "-c", "release"]
    subprocess.run(["swift", "build", *build, "--product", "FarmCost"], check=True, stdout=subprocess.DEVNULL)
    folder = subprocess.run(["swift", "build", *build, "--show-bin-path"], check=True, capture_output=True, text=True).stdout
    for index, (scene, edge) in enumerate([("S", 2048), ("M", 2048), ("L", 2048), ("L", 4096)]):
        lines = subprocess.run(
            [f"{folder.strip()}/FarmCost", str(HERE / f"scenes/scene-{scene}.ink"), str(edge), str(runs)], check=True,
            capture_output=True, text=True).stdout.splitlines()
        print("\n".join(lines if index == 0 else lines[2:]), flush=True)


def overhead(ink, runs):
    print("| scene | size | one process, ms (its report's) | processes, ms | with CURVE, ms | broker's CPU a picture, ms |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        plain, keyed = Farm(ink, f"{folder}/plain"), Farm(ink, f"{folder}/keyed", keys=True)
        for scene, size in [("S", "2k"), ("M", "2k"), ("L", "2k"), ("S", "4k"), ("M", "4k")]:
            project = str(HERE / f"scenes/scene-{scene}.ink")
            times, reported, cpu = {"one": [], "plain": [], "keyed": []}, {"one": [], "plain": [], "keyed": []}, []
            for turn in range(runs + 1):
                for kind, farm in [("one", None), ("plain", plain), ("keyed", keyed)]:
                    # The farms that are not measured must not take processor time; idle ones nearly do not.
                    common = ["export", project, "-o", f"{folder}/p.png", "--size", size, "--if-exists", "overwrite", "--quiet",
                              "--report", f"{folder}/report.json"]
                    before = farm.processor_time() if farm else 0
                    start = time.perf_counter()
                    if farm:
                        farm.run(*common)
                    else:
                        subprocess.run([ink, *common, "--workers", "2"], check=True)
                    elapsed = (time.perf_counter() - start) * 1000
                    report = json.loads(pathlib.Path(f"{folder}/report.json").read_text())
                    if turn:
                        times[kind].append(elapsed)
                        reported[kind].append(report["exports"][0]["milliseconds"])
                        if kind == "plain":
                            cpu.append((farm.processor_time() - before) * 1000)
            columns = " | ".join(f"{median(times[kind]):.0f} ({median(reported[kind]):.0f})" for kind in times)
            print(f"| {scene} | {size} | {columns} | {median(cpu):.0f} |", flush=True)
        plain.stop()
        keyed.stop()


def fairness(ink, runs):
    with tempfile.TemporaryDirectory() as folder:
        farm = Farm(ink, f"{folder}/farm")

        def small(count):
            times = []
            for index in range(count):
                start = time.monotonic()
                farm.run("export", str(HERE.parent / "examples/owl.ink"), "--size", "600x600", "-o", f"{folder}/owl.png",
                         "--if-exists", "overwrite", "--quiet")
                times.append((time.monotonic() - start) * 1000)
            return times

        small(2)
        idle = small(3 * runs)
        os.mkdir(f"{folder}/in")
        for index in range(1000):
            os.symlink(HERE / "scenes/scene-M.ink", f"{folder}/in/{index}.ink")
        farm.run("submit", f"{folder}/in", "--size", "2k")
        loaded = small(3 * runs)
        print(f"a small export: idle {median(idle):.0f} ms, with 1,000 bulk exports waiting {median(loaded):.0f} ms, "
              f"{median(loaded) / median(idle):.2f} times; slowest {max(loaded):.0f} ms")
        farm.stop()


def silence(ink, runs):
    for number, name in [(signal.SIGSTOP, "SIGSTOP"), (signal.SIGKILL, "kill -9")]:
        times = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                farm = Farm(ink, f"{folder}/farm", workers=1)
                time.sleep(0.5)
                start = time.monotonic()
                farm.workers[0].send_signal(number)
                wait_until(lambda: farm.events("worker.left"))
                times.append((time.monotonic() - start) * 1000)
                farm.stop()
        print(f"a worker that {name} hit is given up after {median(times):.0f} ms (median of {runs}; slowest {max(times):.0f})")


def recovery(ink, runs):
    answers, tasks = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            farm = Farm(ink, f"{folder}/farm")
            sizes = ",".join(f"{edge}x{edge}" for edge in range(500, 1000))
            inputs = [str(HERE.parent / "examples/owl.ink"), str(HERE.parent / "examples/rose.ink")]
            farm.run("submit", *inputs, "--size", sizes)
            wait_until(lambda: len(farm.events("job.finished")) >= 100)
            farm.broker.kill()
            farm.broker.wait()
            done = len(farm.events("task.dispatched"))
            start = time.monotonic()
            farm.start()
            farm.run("status", "--json")
            answers.append((time.monotonic() - start) * 1000)
            wait_until(lambda: len(farm.events("task.dispatched")) > done)
            tasks.append((time.monotonic() - start) * 1000)
            farm.stop()
    print(f"a broker with 1,000 jobs, killed and started: answers after {median(answers):.0f} ms, first task after "
          f"{median(tasks):.0f} ms (medians of {runs}; slowest {max(answers):.0f} and {max(tasks):.0f})")


def queue(ink, runs):
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(f"{folder}/in")
        for index in range(100):
            points = [[10, 10 + index], [190, 190 - index]]
            stroke = {"brush": {"type": "parallelLines", "color": "#204080", "spacing": 6, "scale": 1}, "points": points}
            layer = {"id": "a", "order": 0, "isVisible": True, "name": "A", "blendMode": "normal", "opacity": 1, "strokes": [stroke]}
            pathlib.Path(f"{folder}/in/{index}.ink").write_text(json.dumps({
                "version": "1.1", "id": str(index), "name": "P", "canvasSize": {"width": 200, "height": 200},
                "background": "#ffffff", "layers": [layer]}))
        os.mkdir(f"{folder}/out")
        farm = Farm(ink, f"{folder}/farm", workers=0, memory=512_000_000, options=["--output-root", f"{folder}/out"])
        sizes = ",".join(f"{edge}x{edge}" for edge in range(16, 116))
        start = time.monotonic()
        jobs = farm.run("submit", f"{folder}/in", "--size", sizes, "--into", "pictures")
        submitted, waiting = time.monotonic() - start, farm.peak()
        farm.workers = [farm.hire("w0"), farm.hire("w1")]
        start = time.monotonic()
        farm.run("wait", "-", "--no-fetch", input=jobs)
        ended = time.monotonic() - start
        pictures = len(os.listdir(f"{folder}/out/pictures"))
        print(f"{len(jobs.split())} jobs acknowledged at {len(jobs.split()) / submitted:.0f} a second, {pictures} pictures at "
              f"{pictures / ended:.0f} a second; the broker's peak: {waiting:.0f} MB waiting, {farm.peak():.0f} MB in all")
        farm.stop()


def main():
    parts = {"direct": direct, "overhead": overhead, "fairness": fairness, "silence": silence, "recovery": recovery, "queue": queue}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ink", default=str(HERE.parent / ".build/release/ink"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], default=[])
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("runs are at least 1")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in options.parts or parts:
        parts[name](options.ink, options.runs)


if __name__ == "__main__":
    main()
