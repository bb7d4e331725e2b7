"""Accounts for the processor time of every thread of an export: so much of the broker, of the workers and of the client.

The programs are traced (ptrace): each thread stops once when it ends, and its time is read then, so none is lost. Nothing
else stops them, so they run at full speed. A thread without a name, or with one that is not in SIDES, is an error: a new
thread has to be put on one side here. "rest" is what the system has counted for a process beyond its threads, such as
giving back its memory at the end.
"""
import collections
import ctypes
import fnmatch
import json
import os
import pathlib
import signal
import sys
import time

import farm

HERE = pathlib.Path(__file__).resolve().parent

# Whose time a thread's is where all are in one process; as processes of their own all threads are of the process's side.
SIDES = {
    "broker": ["broker", "broker-*", "ZMQbg/*", "accept-guard", "authenticator", "try-out"],
    "workers": ["worker", "render"],
    # Reads projects, sends them and takes pictures.
    "client": ["main", "project-reader", "point-reader", "parallel", "digest", "client", "client-*", "contact-sheet", "log",
               "signals", "resolver"],
}
# Only where a broker is a process of its own.
OF_SERVICES = ["service", "service-*", "journal", "http-heads", "traces", "notices", "canary", "MHD-*"]

TRACEME, CONT, SETOPTIONS = 0, 7, 0x4200
TRACECLONE, TRACEEXIT, EXITKILL = 1 << 3, 1 << 6, 1 << 20
EVENT_EXIT = 6
WALL = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
LIBC.ptrace.restype = ctypes.c_long


def side_of(name, process):
    """The side of a thread in a process: one of SIDES, or "whole" for `ink export` without a broker."""
    for side, patterns in SIDES.items():
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
            return side if process == "whole" else process
    if process != "whole" and any(fnmatch.fnmatchcase(name, pattern) for pattern in OF_SERVICES):
        return process
    raise SystemExit(f'Benchmarks/account.py: nobody knows the thread "{name}": put its name into SIDES')


def ptrace(request, thread, value=0):
    """Whether it could be done; a thread that was killed meanwhile is no error."""
    return LIBC.ptrace(request, thread, None, value) == 0


class Process:
    """A program that runs, and the seconds of its threads that have ended, by name; these only if it is traced."""

    def __init__(self, pid):
        self.pid = pid
        # The program's name, which threads without one have too.
        self.program = pathlib.Path(f"/proc/{pid}/comm").read_text().rstrip("\n")
        self.ended = collections.Counter()
        self.is_over = False
        self.exit_code = None
        # The system's count of a process that is over.
        self.total = 0

    def thread(self, number):
        """Name and seconds of a thread; None if it is gone."""
        folder = pathlib.Path(f"/proc/{self.pid}/task/{number}")
        try:
            name = (folder / "comm").read_text().rstrip("\n")
            seconds = int((folder / "schedstat").read_text().split()[0]) / 1e9
        except (FileNotFoundError, ProcessLookupError):
            return None
        if number == self.pid:
            return "main", seconds
        if name == self.program:
            raise SystemExit("Benchmarks/account.py: a thread has no name; is this program older than these benchmarks?")
        return name, seconds

    def keep(self, number):
        """Called when a thread ends."""
        if found := self.thread(number):
            self.ended[found[0]] += found[1]

    def snapshot(self):
        """Seconds by name, of all threads that there are or have been, and of the process as the system counts it."""
        if self.is_over:
            return collections.Counter(self.ended), self.total
        times = collections.Counter(self.ended)
        for number in os.listdir(f"/proc/{self.pid}/task"):
            if found := self.thread(int(number)):
                times[found[0]] += found[1]
        # CPUCLOCK_SCHED of another process, as clock_getcpuclockid(3) makes it.
        return times, time.clock_gettime((~self.pid << 3) | 2)


class Tracer:
    """Starts programs and follows their threads."""

    def __init__(self):
        self.processes = {}
        self.is_counting = True

    def start(self, command, log=os.devnull):
        """Starts a program; its output goes to a file."""
        pid = os.fork()
        if pid == 0:
            try:
                output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                os.dup2(output, 1)
                os.dup2(output, 2)
                if not ptrace(TRACEME, 0):
                    os.write(2, b"ptrace is not allowed here\n")
                    os._exit(126)
                os.execvp(command[0], command)
            finally:
                os._exit(127)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            raise SystemExit(f"{command[0]} cannot be started and traced (ptrace, as debuggers use it, must be allowed)")
        process = self.processes[pid] = Process(pid)
        # Whatever happens to this process, none of them stays.
        ptrace(SETOPTIONS, pid, TRACECLONE | TRACEEXIT | EXITKILL)
        ptrace(CONT, pid)
        return process

    def finish(self, process, seconds=3600):
        """Follows all programs until one of them has ended with exit code 0."""
        end = time.monotonic() + seconds
        while not process.is_over:
            if time.monotonic() > end:
                raise SystemExit("Benchmarks/account.py: a program does not end")
            self.turn()
        if process.exit_code != 0:
            raise SystemExit(f"Benchmarks/account.py: a program has ended with exit code {process.exit_code}")

    def turn(self):
        """Waits for the next thread that begins or ends, or gets a signal."""
        number, status, usage = os.wait4(-1, WALL)
        if os.WIFSTOPPED(status):
            kind, event = os.WSTOPSIG(status), status >> 16
            if event == EVENT_EXIT and self.is_counting:
                self.keep(number)
            # The stop of a new thread, and those for the tracer alone, are no signals that the program should see.
            ptrace(CONT, number, 0 if event or kind in (signal.SIGSTOP, signal.SIGTRAP) else kind)
        elif process := self.processes.get(number):
            process.is_over, process.exit_code = True, os.waitstatus_to_exitcode(status)
            process.total = usage.ru_utime + usage.ru_stime

    def keep(self, number):
        for process in self.processes.values():
            if not process.is_over and os.path.exists(f"/proc/{process.pid}/task/{number}"):
                process.keep(number)

    def stop(self):
        """Kills what still runs."""
        self.is_counting = False
        for process in self.processes.values():
            if not process.is_over:
                os.kill(process.pid, signal.SIGKILL)
        while any(not process.is_over for process in self.processes.values()):
            self.turn()


def projects(scene, count, folder):
    """Projects that are a benchmark scene, each with its points a little farther right, so none has another's strokes.

    Their masks are the same. A farm's worker therefore keeps those of the first.
    """
    folder.mkdir(parents=True)
    document = json.loads((HERE / f"scenes/scene-{scene}.ink").read_text())
    paths = []
    for index in range(count):
        document["id"] = f"scene-{scene}-{index}"
        paths.append(str(folder / f"{document['id']}.ink"))
        pathlib.Path(paths[-1]).write_text(json.dumps(document, separators=(",", ":")))
        for layer in document["layers"]:
            for stroke in layer["strokes"]:
                for point in stroke["points"]:
                    point[0] = round(point[0] + 0.01, 2)
    return paths


def account(times, pictures):
    """Milliseconds a picture: by side, by thread, and those that no thread has; `times` are (side of the process, seconds
    by name, seconds in all)."""
    sides, threads, rest = dict.fromkeys(SIDES, 0.0), {}, 0.0
    for process, found, total in times:
        rest += (total - sum(found.values())) * 1000 / pictures
        for name, seconds in sorted(found.items()):
            side, milliseconds = side_of(name, process), seconds * 1000 / pictures
            sides[side] += milliseconds
            threads.setdefault(side, {}).setdefault(name, 0.0)
            threads[side][name] += milliseconds
    return {"pictures": pictures, "sidesMs": sides, "threadsMs": threads, "restMs": rest,
            "brokerShare": sides["broker"] / (sum(sides.values()) + rest)}


def command(ink, paths, size, folder, *options):
    return [ink, "export", *paths, "-o", str(folder), "--size", size, "--if-exists", "overwrite", "--quiet", *options]


def in_one_process(ink, paths, size, workers, folder):
    """The account of an export without a broker elsewhere."""
    tracer = Tracer()
    log = folder / "whole.log"
    try:
        export = tracer.start(command(ink, paths, size, folder / "out", "--workers", str(workers)), log)
        tracer.finish(export)
    except SystemExit as failure:
        raise SystemExit(f"{failure}\n{log.read_text(errors='replace')[-2000:]}") from failure
    finally:
        tracer.stop()
    times, total = export.snapshot()
    return account([("whole", times, total)], len(paths))


def in_processes(ink, paths, size, workers, folder):
    """The account of an export by a broker and a worker that have made a picture before: the first path's."""
    tracer = Tracer()
    tasks, clients = (f"tcp://127.0.0.1:{farm.free_port()}" for _ in range(2))
    logs = {name: folder / f"{name}.log" for name in ("broker", "workers", "client")}
    try:
        servers = {
            "broker": tracer.start([ink, "broker", "--data", str(folder / "data"), "--workers", tasks, "--clients", clients],
                                   logs["broker"]),
            "workers": tracer.start([ink, "worker", "--broker", tasks, "--threads", str(workers)], logs["workers"])}
        for some in paths[:1], paths[1:]:
            before = {side: process.snapshot() for side, process in servers.items()}
            export = tracer.start(command(ink, some, size, folder / "out", "--broker", clients), logs["client"])
            tracer.finish(export)
        times = [("client", *export.snapshot())]
        for side, process in servers.items():
            (found, total), (found_before, total_before) = process.snapshot(), before[side]
            times.append((side, found - found_before, total - total_before))
    except SystemExit as failure:
        said = "".join(log.read_text(errors="replace")[-1000:] for log in logs.values() if log.exists())
        raise SystemExit(f"{failure}\n{said}") from failure
    finally:
        tracer.stop()
    return account(times, len(paths) - 1)


def print_row(scene, size, workers, way, row):
    """A row of the table, and a warning if the account does not add up."""
    sides = row["sidesMs"]
    print(f"| {scene} | {size} | {workers} | {way} | {row['pictures']} | {sides['broker']:.1f} | {sides['workers']:.1f} | "
          f"{sides['client']:.1f} | {row['restMs']:.1f} | {row['brokerShare']:.1%} |", flush=True)
    if abs(row["restMs"]) > 0.03 * sum(sides.values()):
        print("More than 3% of the processor time is of no thread.", file=sys.stderr)


def print_threads(rows):
    """Milliseconds a picture of every thread, a column for each account."""
    names = sorted({(side, name) for row in rows for side, found in row["threadsMs"].items() for name in found})
    heads = [f"{row['scene']} {row['size']} {row['way']}" for row in rows]
    print("\n| side | thread | " + " | ".join(heads) + " |")
    print("| --- | --- |" + " ---: |" * len(heads))
    for side, name in names:
        cells = [f"{row['threadsMs'].get(side, {}).get(name, 0):.2f}" for row in rows]
        print(f"| {side} | {name} | " + " | ".join(cells) + " |")
