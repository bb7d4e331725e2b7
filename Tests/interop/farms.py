"""Farms with an HTTP front for the tests of this folder.

INK_DASHBOARD_SERVER   a command that stands in for the farm: it prints a line with http=http://127.0.0.1:PORT, and takes
                       --jobs N, --workers N, --token TEXT and --port N
"""

import json
import os
import pathlib
import queue
import re
import shlex
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import support

STAND_IN = os.environ.get("INK_DASHBOARD_SERVER")


class Process:
    """A server that says in a line of its output where it listens."""

    def __init__(self, command, pattern=None):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines, self.found = [], queue.Queue()
        self.pattern = pattern and re.compile(pattern)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines = self.lines[-200:] + [line]
            if self.pattern and (match := self.pattern.search(line)):
                self.found.put(match.group(1))
        self.found.put(None)

    def address(self):
        address = self.found.get(timeout=60)
        if address is None:
            raise AssertionError(f"{shlex.join(map(str, self.process.args))} does not serve:\n{''.join(self.lines)}")
        return address

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Farm:
    """A broker and its workers."""

    def __init__(self, workers=2, jobs=0, token=None, name="test"):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.path = pathlib.Path(self.folder.name)
        self.wanted, self.token, self.name, self.port = workers, token, name, 0
        # By role; `token` is that of an operator.
        self.tokens = {}
        self.processes = []
        try:
            self.start(jobs)
            if jobs and not STAND_IN:
                self.fill(jobs)
        except BaseException:
            self.close()
            raise

    def start(self, jobs=0):
        where = r"http=\"?(http://[^\s\"]+)"
        if STAND_IN:
            extra = ["--token", self.token] if self.token else []
            broker = Process(shlex.split(STAND_IN) + ["--jobs", jobs or 0, "--workers", self.wanted, "--port", self.port,
                                                      *extra], where)
        else:
            extra = []
            if self.token:
                for role in () if self.tokens else ("read", "submit", "operate"):
                    made = support.run(support.BINARY, "keygen", "--http", f"tester-{role}", "--role", role, "-o",
                                       self.path / "tokens")
                    self.tokens[role] = self.token = re.search(r"ink_[0-9a-f]+", made).group()
                extra = ["--http-tokens", self.path / "tokens"]
            broker = Process([support.BINARY, "broker", "--http", f"127.0.0.1:{self.port}", "--name", self.name,
                              "--workers", f"ipc://{self.path}/w", "--clients", f"ipc://{self.path}/c",
                              "--data", self.path / "data", *extra], where)
        self.processes.append(broker)
        self.base = broker.address().rstrip("/")
        self.port = int(self.base.rsplit(":", 1)[1])
        if not STAND_IN:
            for number in range(self.wanted):
                self.add_worker(f"worker-{number + 1}")

    def add_worker(self, name):
        worker = Process([support.BINARY, "worker", "--broker", f"ipc://{self.path}/w", "--threads", "1", "--name", name])
        self.processes.append(worker)
        return worker

    def stop(self):
        for process in reversed(self.processes):
            process.stop()
        self.processes = []

    def close(self):
        self.stop()
        self.folder.cleanup()

    def ask(self, path, body=None, method=None, **headers):
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(self.base + path, data=body, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode(errors='replace')}") from error

    def submit(self, path, name=None, **options):
        query = "".join(f"&{option}={value}" for option, value in options.items())
        return self.ask(f"/v1/jobs?name={urllib.parse.quote(name or path.name, safe='')}{query}", path.read_bytes(),
                        **{"Content-Type": "application/octet-stream"})["jobs"]

    def fill(self, count):
        """Many jobs of a small document, some requests of 1,000."""
        document = (b'{"version": "1.2", "id": "a", "name": "A", "canvasSize": {"width": 64, "height": 64}, '
                    b'"background": "#ffffff", "layers": []}')
        for first in range(0, count, 1000):
            body = b"".join(
                b'--document\r\nContent-Disposition: form-data; name="document"; filename="drawing-%05d.ink"\r\n\r\n%s\r\n'
                % (number, document) for number in range(first, min(first + 1000, count)))
            self.ask("/v1/jobs", body + b"--document--\r\n",
                     **{"Content-Type": "multipart/form-data; boundary=document"})

    def wait(self, job, *states):
        for _ in range(600):
            found = self.ask(f"/v1/jobs/{job}")
            if found["state"] in states:
                return found
            time.sleep(0.2)
        raise AssertionError(f"job {job} is {found['state']}, not {' or '.join(states)}: {found}")
