#!/usr/bin/env python3
"""Writes the test vectors of docs/protocol.md as seeds for FuzzProtocol: fuzz_seeds.py FOLDER.

The first byte is the decoder's number in Fuzz/Sources/FuzzProtocol. Of a frame, type and body follow.
"""
import pathlib
import re
import sys

WORKER, BROKER, CLIENT, SERVICE, ANY, TASK, STROKES, RESULT, REPLAY, SUBMISSION, PICTURE, ZSTD, ENDPOINT = range(13)
DRAWN = 13


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    text = (pathlib.Path(__file__).parent.parent / "docs/protocol.md").read_text()
    seeds = {}
    for block in re.findall(r"```vectors\n(.*?)```", text, re.S):
        for name, lines in re.findall(r"^(\S[^\n]*):\n((?:  [0-9a-f]+\n)+)", block, re.M):
            data = bytes.fromhex("".join(lines.split()))
            if data[:4] == b"INKF":
                kind = data[6]
                decoder = WORKER if kind < 16 else BROKER if kind < 32 else CLIENT if kind < 48 else SERVICE
                seeds[name] = bytes([decoder, kind]) + data[16:]
                seeds[name + " frame"] = bytes([ANY]) + data
            else:
                for decoder in TASK, STROKES, SUBMISSION, PICTURE:
                    seeds[f"{name} {decoder}"] = bytes([decoder]) + data
                # Of one stroke.
                seeds[f"{name} drawn"] = bytes([DRAWN, 1]) + data
                for kind in range(3):
                    seeds[f"{name} result {kind}"] = bytes([RESULT, 240 + kind]) + data
    for text in "tcp://*:5570", "tcp://127.0.0.1:1", "tcp://[::1]:65536", "ipc:///tmp/x", "inproc://a":
        seeds[text] = bytes([ENDPOINT]) + text.encode()
    for index, (name, data) in enumerate(sorted(seeds.items())):
        (folder / f"{index:03}").write_bytes(data)


if __name__ == "__main__":
    main()
