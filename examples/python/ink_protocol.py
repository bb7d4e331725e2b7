"""Frames and values of docs/protocol.md, as far as ink_client.py needs them."""

import hashlib
import struct
import zlib

# Message types: to the broker, both ways, to the client.
HELLO, SUBMIT, CONTENT_PART, CONTENT_UNAVAILABLE, WATCH, NOTICES_TAKEN, PICTURE_REQUEST = range(32, 39)
GOODBYE = 41
HEARTBEAT, ACKNOWLEDGE, REFUSE = 2, 8, 17
WELCOME, UNKNOWN_SESSION, ACCEPTED, REJECTED, CONTENT_REQUEST = range(48, 53)
PROGRESS, NOTICE, PICTURE_PART, PICTURE_MISSING = range(53, 57)

VERSION = 4
HEADER_BYTES = 16
FRAME_BYTES = HEADER_BYTES + (1 << 20)
WINDOW_BYTES = 4_190_208
PART_BYTES = 1_047_552
# Codes of `rejected` after which a client tries again.
BUSY, STORAGE = 0, 3


class ProtocolError(Exception):
    """What arrived is not of this protocol."""


def frame(kind, body=b""):
    """A message: 16 bytes of header, then the body."""
    head = struct.pack("<4sHBBI", b"INKF", VERSION, kind, 0, len(body))
    return head + struct.pack("<I", zlib.crc32(body, zlib.crc32(head))) + body


def open_frame(data):
    """The type of a message and a reader of its body."""
    if len(data) < HEADER_BYTES:
        raise ProtocolError("the frame is cut")
    magic, version, kind, flags, length, checksum = struct.unpack("<4sHBBII", data[:HEADER_BYTES])
    body = data[HEADER_BYTES:]
    if magic != b"INKF" or flags != 0 or length != len(body):
        raise ProtocolError("not a frame of this protocol")
    if checksum != zlib.crc32(body, zlib.crc32(data[:12])):
        raise ProtocolError("the frame is damaged")
    if kind == REFUSE:
        return kind, Reader(body)  # the same in all versions
    if version != VERSION:
        raise ProtocolError(f"the broker speaks protocol version {version}, this client {VERSION}")
    return kind, Reader(body)


def varint(value):
    """LEB128 in its shortest form."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def text(value):
    utf8 = value.encode()
    return varint(len(utf8)) + utf8


class Line:
    """How many bytes of parts may be on their way to the broker: few over a slow line, so that heartbeats get through."""

    def __init__(self):
        self.window, self.sent, self.acknowledged, self.lost = 4096, 0, 0, 0
        self.probe, self.shortest, self.was_full, self.progress = None, float("inf"), False, 0.0

    def part_bytes(self):
        return min(PART_BYTES, max(2048, self.window // 4))

    def has_room(self, count, now):
        under_way = self.sent - self.acknowledged
        if under_way == 0 or under_way + count <= self.window:
            return True
        self.was_full = True
        if now < self.progress + 5:
            return False
        self.lost += under_way
        self.acknowledged, self.probe, self.window = self.sent, None, 4096
        return True

    def send(self, count, now):
        if self.sent - self.acknowledged < 2048:
            self.progress = now
        self.sent += count
        if self.probe is None and count >= 2048:
            self.probe = self.sent, now

    def acknowledge(self, total, now):
        reached = total + self.lost
        if reached > self.sent:  # what was taken for lost was only late
            self.lost, self.acknowledged, self.progress = self.sent - min(self.sent, total), self.sent, now
            self.probe, self.window = None, 4096
            return
        if reached <= self.acknowledged:
            return
        self.acknowledged, self.progress = reached, now
        if self.probe is None or reached < self.probe[0]:
            return
        seconds, self.probe = now - self.probe[1], None
        self.shortest = min(self.shortest, seconds)
        if seconds - self.shortest > 0.3:
            self.window = max(4096, self.window // 2)
        elif seconds - self.shortest < 0.15 and self.was_full:
            self.window = min(4 << 20, self.window * 2)
        self.was_full = False


class Reader:
    """Takes values from bytes; every one is checked against the end."""

    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, count):
        if count > len(self.data) - self.offset:
            raise ProtocolError("a value is cut")
        self.offset += count
        return self.data[self.offset - count:self.offset]

    def u8(self):
        return self.take(1)[0]

    def u64(self):
        return struct.unpack("<Q", self.take(8))[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                if value >> 64 or (byte == 0 and shift):
                    raise ProtocolError("not a number of 64 bits in its shortest form")
                return value
            shift += 7
            if shift > 63:
                raise ProtocolError("a number of more than 64 bits")

    def text(self):
        try:
            return self.take(self.varint()).decode()
        except UnicodeDecodeError as error:
            raise ProtocolError("a text is not UTF-8") from error

    def rest(self):
        return self.take(len(self.data) - self.offset)

    def end(self):
        if self.offset != len(self.data):
            raise ProtocolError("bytes after the last field")


def submission(key, name, content, size="2k", priority=0):
    """The body of `submit`: a project by content, to be fetched, everything else as it is usual."""
    return b"".join([
        key, text(name),
        b"\0", hashlib.sha256(content).digest(), struct.pack("<Q", len(content)), b"\0",  # by content, not compressed
        b"\1", text(size),
        b"\0", b"\1", b"\0",  # the project's background, base image and visible layers
        b"\0", b"\0", b"\0", b"\0",  # no fill, no view, no fit, channels automatic
        b"\0", b"\0", b"\1", b"\x1f",  # tiles as the broker likes, no resolution, metadata of every kind
        b"\1", b"\0", b"\1", bytes(12), b"\0",  # one file: PNG, effort balanced, nothing else chosen, no digest
        b"\0", text(""),  # to be fetched, under any name
        varint(priority + 10), varint(1),
    ])


def read_submission(body):
    """The third field of a `notice`: the SHA-256 of the submission, or None."""
    return body.take(32) if body.u8() else None


def read_ending(body):
    """The rest of a `notice`: (bytes of the file, SHA-256) of a finished picture, or a text that says how it ended."""
    ending = body.u8()
    if ending == 0:
        body.varint(), body.varint()  # width, height
        picture = body.u64(), body.take(32)
        for _ in range(12):  # quality, tiles, attempts, nanoseconds in all and of 8 phases
            body.varint()
        result = picture
    elif ending == 1:
        body.u8()
        result = body.text()
    elif ending in (2, 3):
        result = "the job was cancelled" if ending == 2 else "the broker has no such job"
    else:
        raise ProtocolError(f"an ending {ending}")
    body.end()
    return result
