"""Tests of ink_client.py: `python3 -m unittest` in this folder. With INK_EXECUTABLE=.../ink also against a real farm."""

import hashlib
import os
import re
import secrets
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import zmq

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import ink_client
from ink_protocol import *

PROJECT = os.path.join(HERE, "..", "owl.ink")
CONTENT = bytes(range(32))
KEY = bytes(range(0xA0, 0xB0))


def vectors():
    """The frames of docs/protocol.md, by name."""
    with open(os.path.join(HERE, "..", "..", "docs", "protocol.md"), encoding="utf-8") as file:
        block = re.search(r"^```client-vectors\n(.*?)^```", file.read(), re.M | re.S).group(1)
    frames, name = {}, None
    for line in block.splitlines():
        if line.endswith(":"):
            name = line[:-1]
            frames[name] = b""
        else:
            frames[name] += bytes.fromhex(line.strip())
    return frames


class CodecTests(unittest.TestCase):
    def test_what_the_document_says_is_what_is_sent(self):
        frames = vectors()
        sent = {
            "hello": frame(HELLO, text("c")),
            "client heartbeat": frame(HEARTBEAT),
            "contentPart": frame(CONTENT_PART, CONTENT + struct.pack("<Q", 262_144) + b"\1\2\3"),
            "contentUnavailable": frame(CONTENT_UNAVAILABLE, CONTENT + text("gone")),
            "noticesTaken": frame(NOTICES_TAKEN, varint(1) + struct.pack("<Q", 12)),
            "watch": frame(WATCH, varint(2) + struct.pack("<QQ", 7, 8)),
            "pictureRequest": frame(PICTURE_REQUEST, struct.pack("<QQ", 7, WINDOW_BYTES)),
            "goodbye": frame(GOODBYE),
        }
        for name, made in sent.items():
            self.assertEqual(made.hex(), frames[name].hex(), name)

    def test_a_submission_is_the_one_of_the_document(self):
        content = b"x" * 300_000
        made = submission(KEY, "owl.ink", content)
        said = open_frame(vectors()["submit by content"])[1].rest()
        self.assertEqual(made.replace(hashlib.sha256(content).digest(), CONTENT).hex(), said.hex())

    def test_what_the_broker_says_is_understood(self):
        frames = {name: open_frame(data) for name, data in vectors().items()}

        def body(name, kind):
            self.assertEqual(frames[name][0], kind, name)
            return frames[name][1]

        welcome = body("welcome", WELCOME)
        self.assertEqual((welcome.text(), welcome.take(16)), ("b", bytes(range(0xB0, 0xC0))))
        self.assertEqual((welcome.varint(), welcome.varint(), welcome.end()), (1000, 3000, None))
        self.assertEqual(body("refuse", REFUSE).text(), "old")
        body("unknownSession", UNKNOWN_SESSION).end()
        accepted = body("accepted", ACCEPTED)
        self.assertEqual((accepted.take(16), accepted.u64()), (KEY, 7))
        rejected = body("rejected busy", REJECTED)
        self.assertEqual((rejected.take(16), rejected.u8(), rejected.varint()), (KEY, BUSY, 1000))
        self.assertEqual(rejected.text(), "100000 jobs wait")
        request = body("contentRequest", CONTENT_REQUEST)
        self.assertEqual((request.take(32), request.u64(), request.u64()), (CONTENT, 0, 300_000))
        progress = body("progress", PROGRESS)
        self.assertEqual((progress.u64(), progress.varint(), progress.varint()), (7, 3, 200))
        part = body("picturePart", PICTURE_PART)
        self.assertEqual((part.u64(), part.u64(), part.u64()), (7, WINDOW_BYTES, 4_190_211))
        self.assertEqual(part.rest(), b"\1\2\3")
        missing = body("pictureMissing", PICTURE_MISSING)
        self.assertEqual((missing.u64(), missing.text()), (7, "purged"))
        endings = {
            "finished": (12, 7, (1_234_567, bytes(range(0xC0, 0xE0)))), "failed": (13, 8, "not a project"),
            "cancelled": (14, 9, "the job was cancelled"), "unknown": (0, 10, "the broker has no such job"),
        }
        for name, (number, job, ending) in endings.items():
            notice = body(f"notice {name}", NOTICE)
            self.assertEqual((notice.u64(), notice.u64()), (number, job))
            self.assertEqual(read_submission(notice), bytes(range(0x60, 0x80)) if number in (12, 13) else None)
            self.assertEqual(read_ending(notice), ending)

    def test_every_damage_is_noticed(self):
        whole = vectors()["notice finished"]
        for index in range(len(whole)):
            with self.assertRaises(ProtocolError):
                open_frame(whole[:index])
            with self.assertRaises(ProtocolError):
                open_frame(whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1:])

    def test_numbers_come_back_and_padded_ones_are_refused(self):
        for value in [0, 1, 127, 128, 300, 2**32, 2**64 - 1]:
            self.assertEqual(Reader(varint(value)).varint(), value)
        for wrong in [b"\x80\x00", b"\xff" * 9 + b"\x02", b"\xff" * 11, b"\x80"]:
            with self.assertRaises(ProtocolError):
                Reader(wrong).varint()


class FakeBroker(threading.Thread):
    """A broker of one job, which loses some messages and forgets its sessions now and then."""

    def __init__(self, picture, busy=1, damage=False, forgets=True):
        super().__init__(daemon=True)
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.ROUTER)
        self.port = self.socket.bind_to_random_port("tcp://127.0.0.1")
        self.picture, self.busy, self.forgets = picture, busy, forgets
        self.digest = hashlib.sha256(picture + (b"!" if damage else b"")).digest()
        self.sessions, self.content, self.keys, self.taken = {}, b"", set(), []  # sessions: bytes of parts received
        self.count = 0
        self.is_stopping = False

    def run(self):
        while not self.is_stopping:
            if self.socket.poll(20):
                peer, data = self.socket.recv_multipart()
                self.count += 1
                if self.forgets and self.count % 9 == 0:
                    self.sessions.clear()
                self.take(peer, *open_frame(data))
        self.socket.close(linger=0)
        self.context.term()

    def send(self, peer, kind, body=b""):
        self.socket.send_multipart([peer, frame(kind, body)])

    def take(self, peer, kind, body):
        if kind == HELLO:
            self.sessions[peer] = 0
            self.send(peer, WELCOME, text("fake") + b"s" * 16 + varint(200) + varint(1000))
        elif peer not in self.sessions:
            self.send(peer, UNKNOWN_SESSION)
        elif kind == HEARTBEAT:
            self.send(peer, HEARTBEAT)
        elif kind == SUBMIT:
            self.submission = hashlib.sha256(body.data).digest()
            key, _, _, content = body.take(16), body.text(), body.u8(), body.take(32)
            self.keys.add(key)
            self.wanted, self.total, self.key = content, body.u64(), key
            if self.busy > 0:
                self.busy -= 1
                self.send(peer, REJECTED, key + bytes([BUSY]) + varint(10) + text("full"))
            else:
                self.request(peer)
        elif kind == CONTENT_PART:
            self.sessions[peer] += len(body.data) - 40
            self.send(peer, ACKNOWLEDGE, struct.pack("<Q", self.sessions[peer]))
            self.take_part(peer, body)
        elif kind == WATCH:
            phases = b"\0" * 8
            finished = b"\0\1\1" + struct.pack("<Q", len(self.picture)) + self.digest + b"\0\1\1\1" + phases
            self.send(peer, NOTICE, struct.pack("<QQ", 5, 1) + b"\1" + self.submission + finished)
        elif kind == PICTURE_REQUEST:
            body.u64()
            start = body.u64()
            for offset in range(start, min(len(self.picture), start + WINDOW_BYTES), 500_000):
                part = self.picture[offset:min(offset + 500_000, start + WINDOW_BYTES)]
                self.send(peer, PICTURE_PART, struct.pack("<QQQ", 1, offset, len(self.picture)) + part)
        elif kind == NOTICES_TAKEN:
            self.taken.append(body.rest())

    def take_part(self, peer, body):
        if body.take(32) == self.wanted and body.u64() == len(self.content):
            self.content += body.rest()
            if len(self.content) in (self.end, self.total):
                self.request(peer)

    def request(self, peer):
        if len(self.content) < self.total:
            count = min(700_000, self.total - len(self.content))
            self.end = len(self.content) + count
            self.send(peer, CONTENT_REQUEST, self.wanted + struct.pack("<QQ", len(self.content), count))
        else:
            self.send(peer, ACCEPTED, self.key + struct.pack("<Q", 1))

    def stop(self):
        self.is_stopping = True
        self.join()


class ClientTests(unittest.TestCase):
    def setUp(self):
        ink_client.REPEAT_SECONDS = 0.3
        self.folder = tempfile.TemporaryDirectory()
        self.target = os.path.join(self.folder.name, "a.png")
        self.addCleanup(self.folder.cleanup)

    def export(self, broker, content, seconds=60):
        broker.start()
        self.addCleanup(broker.stop)
        client = ink_client.Client(f"tcp://127.0.0.1:{broker.port}")
        client.export(content, "a.ink", self.target, seconds=seconds)

    def test_contents_and_pictures_of_several_windows_in_spite_of_lost_sessions(self):
        content, picture = secrets.token_bytes(2_000_000), secrets.token_bytes(9_000_001)
        broker = FakeBroker(picture)
        self.export(broker, content)
        with open(self.target, "rb") as file:
            self.assertEqual(file.read(), picture)
        self.assertEqual(broker.content, content)
        self.assertEqual(len(broker.keys), 1)
        self.assertEqual(os.listdir(self.folder.name), ["a.png"])

    def test_a_damaged_picture_leaves_the_old_file(self):
        with open(self.target, "w") as file:
            file.write("old")
        with self.assertRaises(ink_client.Failed):
            self.export(FakeBroker(b"new" * 100, damage=True), b"x")
        with open(self.target) as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(os.listdir(self.folder.name), ["a.png"])

    def test_nobody_there(self):
        with self.assertRaises(TimeoutError):
            ink_client.Client("tcp://127.0.0.1:9").export(b"x", "a.ink", self.target, seconds=0.3)
        self.assertEqual(os.listdir(self.folder.name), [])


@unittest.skipUnless(os.environ.get("INK_EXECUTABLE"), "INK_EXECUTABLE does not name the ink executable")
class FarmTests(unittest.TestCase):
    """With a real broker and worker."""

    def setUp(self):
        self.ink = os.path.abspath(os.environ["INK_EXECUTABLE"])
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.workers, self.clients = (f"tcp://127.0.0.1:{self.free_port()}" for _ in range(2))
        self.running = []
        self.addCleanup(self.end)

    def free_port(self):
        with zmq.Context() as context, context.socket(zmq.ROUTER) as socket:
            return socket.bind_to_random_port("tcp://127.0.0.1")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def start(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("INK_")}
        log = open(self.path("log"), "a")
        process = subprocess.Popen(
            [self.ink, *arguments], cwd=self.folder.name, env=environment, stdout=log, stderr=log)
        log.close()
        self.running.append(process)
        return process

    def end(self):
        for process in self.running:
            process.kill()
            process.wait()

    def start_broker(self, *arguments):
        return self.start(
            "broker", "--workers", self.workers, "--clients", self.clients, "--data", self.path("data"), *arguments)

    def client(self, *arguments):
        return subprocess.Popen(
            [sys.executable, os.path.join(HERE, "ink_client.py"), PROJECT, "-o", self.path("owl.png"), "--broker",
             self.clients, "--timeout", "200", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, client):
        out, errors = client.communicate(timeout=250)
        with open(self.path("log")) as file:
            self.assertEqual(client.returncode, 0, errors + file.read())
        with open(self.path("owl.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertEqual(out.strip(), self.path("owl.png"))
        return errors

    def test_the_broker_is_killed_and_started_again(self):
        client = self.client("--size", "4k")
        broker = self.start_broker()
        for line in client.stderr:
            if line.startswith("accepted"):
                break
        broker.send_signal(signal.SIGKILL)
        broker.wait()
        self.start_broker()
        self.start("worker", "--broker", self.workers, "--threads", "1")
        self.finish(client)

    def test_with_keys(self):
        for name, role in [("farm", "broker"), ("render", "worker"), ("desk", "client"), ("thief", "client")]:
            self.start("keygen", name, "--role", role).wait()
        self.start_broker(
            "--key", "farm.key", "--allow-workers", "render.pub", "--allow-clients", "desk.pub")
        self.start(
            "worker", "--broker", self.workers, "--threads", "1", "--key", "render.key", "--broker-key", "farm.pub")
        keys = ["--broker-key", self.path("farm.pub"), "--key"]
        thief = self.client("--timeout", "2", *keys, self.path("thief.key"))
        self.assertIn("in time", thief.communicate(timeout=60)[1])
        self.assertNotEqual(thief.returncode, 0)
        self.finish(self.client("--size", "1080p", *keys, self.path("desk.key")))


if __name__ == "__main__":
    unittest.main()
