#!/usr/bin/env python3
"""Has a farm render an Ink project and saves the picture.

    ink_client.py drawing.ink -o drawing.png --size 4k --broker tcp://farm:5571 --key desk.key --broker-key farm.pub

Needs Python 3.9 and pyzmq. Written from docs/protocol.md alone, as an example of a client in another language: it sends
the project's content, waits for the end of the job, and fetches the picture. It waits for a broker that is not there
yet and survives its restart; the project is rendered once, however often it has to be submitted again.
"""

import argparse
import hashlib
import os
import secrets
import struct
import sys
import tempfile
import time

try:
    import zmq
except ImportError:
    sys.exit("ink_client.py needs pyzmq: apt install python3-zmq, or pip install pyzmq")

from ink_protocol import *

HELLO_SECONDS = 5
REPEAT_SECONDS = 5
UMASK = os.umask(0)  # there is no way to ask without setting it
os.umask(UMASK)


class Failed(Exception):
    """The picture cannot be had; the text is for a person."""


class Client:
    """One project on its way to a picture.

    `say` says what is open at the moment. That is done whenever a session begins, something has been achieved, or the
    broker has been silent about it for a while: saying it twice does no harm.
    """

    def __init__(self, broker, keys=None, name="ink_client.py", log=lambda line: None):
        self.broker, self.keys, self.name, self.log = broker, keys, name, log
        self.context, self.socket = zmq.Context(), None
        self.heartbeat = self.liveness = None  # of the session; None while there is none
        self.store = None

    def export(self, content, name, target, size="2k", priority=0, seconds=None):
        """Returns when the picture is at `target`. Raises Failed, or TimeoutError after `seconds`."""
        self.content, self.content_id = content, hashlib.sha256(content).digest()
        self.submission = submission(secrets.token_bytes(16), name, content, size, priority)
        self.job = self.picture = self.notice = None
        self.asked, self.busy, self.repeats = 0, 0, 0
        folder = os.path.dirname(os.path.abspath(target))
        self.file = tempfile.NamedTemporaryFile(dir=folder, prefix=f".{os.path.basename(target)[:64]}.", suffix=".part")
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            self.connect()
            while self.picture is None or self.file.tell() < self.picture[0]:
                self.step(deadline)
            self.keep(target)
            self.send(NOTICES_TAKEN, varint(1) + struct.pack("<Q", self.notice))
            self.send(GOODBYE)
        finally:
            self.close_file()
            self.socket.close(linger=1000)
            self.context.term()

    # The connection.

    def connect(self, patience=HELLO_SECONDS):
        """A new connection: nothing meant for an old one can reach it."""
        if self.socket:
            self.socket.close(linger=0)
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.MAXMSGSIZE, FRAME_BYTES)
        self.socket.setsockopt(zmq.LINGER, 1000)
        if self.keys:
            self.socket.curve_publickey, self.socket.curve_secretkey, self.socket.curve_serverkey = self.keys
        self.socket.connect(self.broker)
        self.patience = patience
        self.greet()

    def greet(self):
        self.heartbeat = self.liveness = None
        self.begin_line()
        self.heard = time.monotonic()
        self.send(HELLO, text(self.name))

    def begin_line(self):
        self.line = Line()
        self.wanted = None  # of the content: where the next part begins, and where the last one ends
        self.received = self.acknowledged = 0  # bytes of parts

    def send(self, kind, body=b""):
        self.sent = time.monotonic()
        self.socket.send(frame(kind, body))

    def step(self, deadline):
        """Waits for a message or for the time to do something, and does it."""
        now = time.monotonic()
        if deadline is not None and now > deadline:
            raise TimeoutError(f"no picture from {self.broker} in time")
        if self.liveness is None:
            if now - self.heard > self.patience:
                self.connect(min(40, self.patience * 2))
        elif now - self.heard > self.liveness:
            self.log("the broker is silent, connecting anew")
            self.connect()
        else:
            if now > self.again:
                self.repeats += 1
                self.say()
            self.send_parts()
            if self.received - self.acknowledged >= 2048:
                self.acknowledged = self.received
                self.send(ACKNOWLEDGE, struct.pack("<Q", self.received))
            if now - self.sent > self.heartbeat:
                self.send(HEARTBEAT)
        if not self.socket.poll(100):
            return
        try:
            kind, body = open_frame(self.socket.recv())
            self.heard = time.monotonic()
            self.take(kind, body)
        except ProtocolError as error:
            self.log(f"ignored: {error}")

    # What is said and heard.

    def wait(self):
        """From now on, before saying it again."""
        self.again = time.monotonic() + REPEAT_SECONDS * 2 ** min(3, self.repeats)

    def achieved(self):
        self.repeats = 0
        self.say()

    def say(self):
        self.wait()
        if self.job is None:
            self.send(SUBMIT, self.submission)
        elif self.picture is None:
            self.send(WATCH, varint(1) + struct.pack("<Q", self.job))
        else:
            self.asked = self.file.tell()
            self.send(PICTURE_REQUEST, struct.pack("<QQ", self.job, self.asked))

    def take(self, kind, body):
        if kind == WELCOME:
            broker, store = body.text(), body.take(16)
            self.heartbeat, self.liveness = body.varint() / 1000, body.varint() / 1000
            self.begin_line()
            self.log(f"connected to {broker}")
            if store != self.store and self.job is not None:
                self.job = self.picture = None  # job numbers mean nothing to another store
                self.file.truncate(0)
                self.file.seek(0)
            self.store = store
            self.say()
        elif kind == REFUSE:
            raise Failed(f"the broker refuses this client: {body.text()}")
        elif kind == UNKNOWN_SESSION and self.liveness is not None:
            self.log("the broker was restarted, saying hello again")
            self.greet()
        elif kind == ACKNOWLEDGE and self.liveness is not None:
            self.line.acknowledge(body.u64(), time.monotonic())
        elif kind == CONTENT_REQUEST:
            self.send_content(body)
        elif kind == ACCEPTED:
            if body.take(16) == self.submission[:16] and self.job is None:
                self.job = body.u64()
                self.log(f"accepted as job {self.job}")
                self.achieved()
        elif kind == REJECTED and self.job is None:
            self.rejected(body)
        elif kind == PROGRESS:
            self.log("job {}: {} of {}".format(body.u64(), body.varint(), body.varint()))
            self.wait()
        elif kind == NOTICE:
            notice, job = body.u64(), body.u64()
            if job == self.job and self.picture is None:
                submission, ending = read_submission(body), read_ending(body)
                is_own = submission == hashlib.sha256(self.submission).digest()
                if not is_own and (submission or not isinstance(ending, str)):
                    self.log(f"job {job} is another one, the broker's disk was set back; submitting again")
                    self.job = None
                    return self.say()
                if isinstance(ending, str):
                    raise Failed(ending)
                self.notice, self.picture = notice, ending
                self.achieved()
        elif kind == PICTURE_PART:
            self.take_part(body)
        elif kind == PICTURE_MISSING and body.u64() == self.job and self.picture:
            raise Failed(f"the broker has no picture: {body.text()}")

    def rejected(self, body):
        key, code, wait, reason = body.take(16), body.u8(), body.varint(), body.text()
        if key != self.submission[:16]:
            return
        if code not in (BUSY, STORAGE):
            raise Failed(f"the broker does not take the project: {reason}")
        delay = max(0.5, wait / 1000) * 2 ** min(3, self.busy) * (1 + secrets.randbelow(500) / 1000)
        self.busy += 1
        self.again = time.monotonic() + delay
        self.log(f"busy ({reason}), trying again in {delay:.1f} s")

    def send_content(self, body):
        content, offset, count = body.take(32), body.u64(), body.u64()
        if content != self.content_id:
            self.send(CONTENT_UNAVAILABLE, content + text("this client does not have it"))
            return
        self.wanted = offset, min(len(self.content), offset + count)
        self.send_parts()

    def send_parts(self):
        """As much of what the broker has asked for as the line takes now."""
        while self.wanted and self.wanted[0] < self.wanted[1]:
            start, end = self.wanted
            now, part = time.monotonic(), self.content[start:min(end, start + self.line.part_bytes())]
            if not self.line.has_room(len(part), now):
                return
            self.line.send(len(part), now)
            self.send(CONTENT_PART, self.content_id + struct.pack("<Q", start) + part)
            self.wanted = start + len(part), end
            self.wait()

    def take_part(self, body):
        job, offset, total = body.u64(), body.u64(), body.u64()
        self.received += len(body.data) - body.offset
        if job != self.job or self.picture is None or offset != self.file.tell():
            return  # asked for again by and by
        if total != self.picture[0]:
            raise Failed("the picture has not the size that was announced")
        self.file.write(body.rest())
        self.wait()
        if self.file.tell() == min(total, self.asked + WINDOW_BYTES) < total:
            self.achieved()

    # The file.

    def keep(self, target):
        """Gives the file its name when it is the announced one, whole and on the disk."""
        self.file.flush()
        self.file.seek(0)
        digest = hashlib.sha256()
        for piece in iter(lambda: self.file.read(1 << 20), b""):
            digest.update(piece)
        if digest.digest() != self.picture[1]:
            raise Failed("the picture has not the SHA-256 that was announced")
        os.fsync(self.file.fileno())
        os.chmod(self.file.name, 0o666 & ~UMASK)
        os.replace(self.file.name, target)

    def close_file(self):
        try:
            self.file.close()
        except FileNotFoundError:
            pass  # it has its name


def read_key(path, wanted):
    """Values of a key file: lines of `name = value`."""
    with open(path, encoding="utf-8") as file:
        pairs = dict(map(str.strip, line.split("=", 1)) for line in file if "=" in line and not line.startswith("#"))
    return [pairs[name].encode() for name in wanted]


def main():
    parser = argparse.ArgumentParser(description="Has a farm render an Ink project and saves the picture.")
    parser.add_argument("project", help="a project file")
    parser.add_argument("-o", "--output", help="the picture; default: beside the project")
    parser.add_argument("--size", default="2k", help="2k, 4k, 8k, 1080p, 0.5x, 1920x1080; default 2k")
    parser.add_argument("--priority", type=int, default=0, choices=range(-10, 11), metavar="-10..10")
    parser.add_argument("--broker", default=os.environ.get("INK_BROKER", "tcp://127.0.0.1:5571"))
    parser.add_argument("--key", default=os.environ.get("INK_KEY"), help="this client's secret key, NAME.key")
    parser.add_argument("--broker-key", default=os.environ.get("INK_BROKER_KEY"), help="the broker's, NAME.pub")
    parser.add_argument("--timeout", type=float, help="give up after so many seconds")
    parser.add_argument("--quiet", action="store_true")
    options = parser.parse_args()
    if bool(options.key) != bool(options.broker_key):
        parser.error("--key and --broker-key go together")
    target = options.output or os.path.splitext(options.project)[0] + ".png"
    log = (lambda line: None) if options.quiet else (lambda line: print(line, file=sys.stderr))
    try:
        keys = None
        if options.key:
            keys = read_key(options.key, ["public", "secret"]) + read_key(options.broker_key, ["public"])
        with open(options.project, "rb") as file:
            content = file.read()
        client = Client(options.broker, keys, log=log)
        client.export(
            content, os.path.basename(options.project), target, options.size, options.priority, options.timeout)
    except (Failed, TimeoutError, OSError, KeyError, zmq.ZMQError) as error:
        sys.exit(f"ink_client.py: {error}")
    print(target)


if __name__ == "__main__":
    main()
