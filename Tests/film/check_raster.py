#!/usr/bin/env python3
"""Hands drawn frames to ink-film's raster: segments that join to one film in each codec, and a GIF. Needs ffprobe,
    Pillow."""
import json, os, struct, subprocess, sys, tempfile

import numpy as np
from PIL import Image

sys.path.insert(0, os.path.dirname(__file__))
import drive

WIDTH, HEIGHT, FRAMES = 160, 120, 40


def run(settings, frames, first=0, duration=1, output=None, palette=None):
    memory, size = os.memfd_create("frames"), len(frames[0])
    os.ftruncate(memory, 2 * size)
    descriptors = {4: memory}
    if output:
        descriptors[5] = os.open(output, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    common = {"width": WIDTH, "height": HEIGHT, "frames": FRAMES, "memory": 1 << 28}
    process = drive.Process("raster", {**common, **settings}, descriptors)
    if palette:
        process.send(drive.CODEC, palette)
    answers, blocks, at = {}, [], 0
    for kind, body in process.messages():
        if kind == drive.ASK_FRAME and at < len(frames):
            os.pwrite(memory, frames[at], at % 2 * size)
            process.send(drive.FRAME, struct.pack("<Iqq", at % 2, (first + at) * duration, duration))
            at += 1
        elif kind == drive.ASK_FRAME:
            process.send(drive.END)
        elif kind == drive.BLOCK:
            blocks.append(body)
        else:
            answers[kind] = body
    for descriptor in descriptors.values():
        os.close(descriptor)
    return answers, blocks


def film(codec, folder):
    frames = [bytes([16 + 4 * n]) * (WIDTH * HEIGHT) + bytes([128]) * (WIDTH * HEIGHT // 2) for n in range(FRAMES)]
    settings = {"codec": codec, "format": "mp4", "clock": 30, "rate": 30, "crf": 20, "effort": "fast"}
    pieces, headers = [], set()
    for first in (0, 24):
        answers, blocks = run(settings, frames[first:first + 24], first)
        r = drive.Reader(answers[drive.DONE])
        names = ("frames", "first", "last", "bytes", "damaged", "damageMs", "decode", "mark", "encode")
        done = {name: r.number("q") for name in names}
        done["codec"] = r.bytes()
        headers.add(answers[drive.HEADER])
        pieces.append((blocks, done, []))
    assert len(headers) == 1, "segments have headers of their own"
    path = os.path.join(folder, "film.mp4")
    drive.join({"film": {"header": headers.pop()}, "blocks": {drive.REST: []}}, pieces, path, {})
    shown = subprocess.run(["ffprobe", "-v", "error", "-show_streams", "-show_frames", "-of", "json", path],
        capture_output=True)
    found = json.loads(shown.stdout)
    stream = found["streams"][0]
    times = [round(float(f["pts_time"]) * 30) for f in found["frames"]]
    assert times == list(range(FRAMES)), times
    tags = [stream.get(k) for k in ("color_range", "color_space", "color_transfer", "color_primaries",
        "chroma_location")]
    assert tags == ["tv", "bt709", "iec61966-2-1", "bt709", "left"], tags
    return os.path.getsize(path)


def gif(folder):
    frames = []
    for n in range(FRAMES):
        a = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        a[..., 3] = 255
        a[..., 0] = np.arange(WIDTH) // 32 * 32
        a[20:60, 2 * n:2 * n + 40] = 255
        a[80:100, 20:60, 3] = 0
        frames.append(a)
    bytes_of = [a.tobytes() for a in frames]
    palette = run({"kind": "palette"}, bytes_of)[0][drive.CODEC]
    path = os.path.join(folder, "a.gif")
    run({"kind": "gif", "loop": 0, "last-duration": 200}, bytes_of, 0, 5, path, palette)
    image = Image.open(path)
    durations = []
    for n in range(image.n_frames):
        image.seek(n)
        durations.append(image.info["duration"])
        shown = np.asarray(image.convert("RGBA")).astype(int)
        seen = frames[n][..., 3] > 0
        assert (shown[..., 3] > 0)[seen].all() and not (shown[..., 3] > 0)[~seen].any(), "transparency of frame %d" % n
        assert np.abs(shown - frames[n])[seen].max() < 12, "colours of frame %d" % n
    assert durations == [50] * (FRAMES - 1) + [2000], durations
    return os.path.getsize(path)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for codec in ("h264", "hevc", "av1"):
            print("%s: %d bytes" % (codec, film(codec, folder)))
        print("gif: %d bytes" % gif(folder))


if __name__ == "__main__":
    main()
