#!/usr/bin/env python3
"""Measures the most memory that an export takes for the worst projects of each brush within the limits.

    Benchmarks/memory.py [--ink .build/release/ink] [--size 1024x1024] [--seconds 120] [--megabytes 8000] [--farm] [KIND ...]

taps     8,192 translucent taps that are 900,000 pixels wide
brushes  20,000 taps, each of a brush of its own, about as large as the picture
stamps   one stroke of 20 million stamps, nearly all of them outside the picture
points   ten strokes of 100,000 points each, anywhere in and round the picture
pressure 20,000 short strokes whose stamps change their size and direction
tangle   one stroke of 100,000 points in a strip of 16 pixels
erase    as points, which erase
picture  a PNG of 10,000 x 10,000 pixels, placed at 200 x 200; no brush
turned   the same, turned by 30 degrees

Peak memory (VmHWM) of `ink export --workers 1`; with --farm that of a worker process with one thread. An export that takes
longer than --seconds is interrupted, and how long it takes to end is said: what it held is held after seconds already. One that
grows beyond --megabytes is killed.
"""
import argparse
import base64
import json
import math
import pathlib
import random
import signal
import struct
import subprocess
import tempfile
import time
import zlib

import farm

HERE = pathlib.Path(__file__).resolve().parent
BRUSHES = ["parallelLines", "crossHatch", "dots", "waves", "contourLines", "solid"]
KINDS = ["taps", "brushes", "stamps", "points", "pressure", "tangle", "erase", "picture", "turned"]
EDGE = 2048


def brush(kind, size, **others):
    """A brush whose mark is about `size` pixels wide."""
    if kind == "solid":
        return {"type": kind, "lineWidth": size, "opacity": 0.5, **others}
    spacing = {"dots": 4}.get(kind, 6)
    return {"type": kind, "scale": size / (20 if kind != "dots" else 10 * spacing), "spacing": spacing, "opacity": 0.5, **others}


def strokes(kind, brush_type, pick):
    anywhere = lambda reach=0: [round(pick.uniform(-reach, EDGE + reach), 3) for _ in range(2)]
    if kind == "taps":
        # The edges of all go through the picture.
        for _ in range(8192):
            x, y = anywhere()
            turn = pick.uniform(0, 2 * math.pi)
            yield brush(brush_type, 1_800_000), [[round(x + 899_000 * math.cos(turn), 3), round(y + 899_000 * math.sin(turn), 3)]]
    elif kind == "brushes":
        for _ in range(20_000):
            yield brush(brush_type, pick.uniform(200, 3000), rotation=pick.uniform(0, 360)) | (
                {} if brush_type == "solid" else {"spacing": pick.uniform(1, 9), "lineWidth": pick.uniform(0.2, 8)}), [anywhere()]
    elif kind == "stamps":
        own = {"type": brush_type, "spacing": 1, "opacity": 0.5}
        yield own, [[-9_990_000, 1000.3], [9_990_000, 1017.7]]
    elif kind in ("points", "erase"):
        own = {"type": brush_type, "spacing": 400, "opacity": 0.5, "lineWidth": 3, "dynamics": {"pressureAffectsSize": True}}
        for _ in range(10):
            yield own, [anywhere(6000) + [round(pick.random(), 3)] for _ in range(100_000)]
    elif kind == "pressure":
        own = {"type": brush_type, "lineWidth": 1.5, "dynamics": {"pressureAffectsSize": True, "tiltAffectsRotation": True}}
        for _ in range(20_000):
            x, y = anywhere()
            yield own | {"scale": pick.uniform(0.3, 6)}, [
                [x + 9 * k, y, round(pick.random(), 3), 0, 45, pick.randrange(360)] for k in range(3)]
    else:
        own = {"type": brush_type, "spacing": 40, "opacity": 0.5, "lineWidth": 4}
        yield own, [[round(pick.uniform(100, 600), 3), round(pick.uniform(100, 116), 3)] for _ in range(100_000)]


def png(edge):
    """A PNG of edge x edge pixels of RGB."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    deflate = zlib.compressobj(1)
    band = bytes(range(256)) * (3 * edge // 256 + 2)
    rows = b"".join(deflate.compress(b"\0" + band[y % 256:y % 256 + 3 * edge]) for y in range(edge)) + deflate.flush()
    head = struct.pack(">IIBBBBB", edge, edge, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def write(path, kind, brush_type):
    if kind in ("picture", "turned"):
        place = {"x": 100, "y": 150, "width": 200, "height": 200, "rotation": 30 if kind == "turned" else 0}
        layer = {"contentImage": base64.b64encode(png(10_000)).decode(), "contentPlacement": place}
        path.write_text(json.dumps(
            {"version": "1.2", "canvasSize": {"width": EDGE, "height": EDGE}, "layers": [layer]}))
        return
    pick = random.Random(f"{kind} {brush_type}")
    drawn = [{"brush": own, "points": points} for own, points in strokes(kind, brush_type, pick)]
    layers = [{"name": "marks", "strokes": drawn}]
    if kind == "erase":
        # Something to be erased.
        under = {"brush": {"type": "solid", "lineWidth": 3000}, "points": [[EDGE / 2, EDGE / 2]]}
        layers[0]["strokes"] = [under] + [stroke | {"mode": "erase"} for stroke in drawn]
    path.write_text(json.dumps(
        {"version": "1.1", "canvasSize": {"width": EDGE, "height": EDGE}, "layers": layers}, separators=(",", ":")))


def peak(process):
    """Megabytes; 0 when it has ended."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except FileNotFoundError:
        return 0
    return int(status.split("VmHWM:")[1].split()[0]) / 1024 if "VmHWM:" in status else 0


def watch(export, watched, o):
    """Megabytes that `watched` had at most, and what became of the export."""
    start, most = time.monotonic(), 0
    while export.poll() is None:
        most = max(most, peak(watched))
        if most > o.megabytes:
            watched.kill()
            export.kill()
            export.wait()
            return most, "killed"
        if time.monotonic() - start > o.seconds:
            asked = time.monotonic()
            export.send_signal(signal.SIGINT)
            try:
                export.wait(60)
            except subprocess.TimeoutExpired:
                export.kill()
                export.wait()
                return most, "does not end"
            return max(most, peak(watched)), f"interrupted, {time.monotonic() - asked:.1f} s"
        time.sleep(0.02)
    took = time.monotonic() - start
    return most, f"{took:.1f} s" if export.returncode == 0 else f"exit {export.returncode}"


def measure(project, folder, o):
    export = [o.ink, "export", str(project), "-o", f"{folder}/p.png", "--size", o.size, "--if-exists", "overwrite", "--quiet"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if not o.farm:
        process = subprocess.Popen(export + ["--workers", "1"], **quiet)
        return watch(process, process, o)
    hired = farm.Farm(o.ink, tempfile.mkdtemp(dir=folder), workers=1)
    try:
        return watch(subprocess.Popen(export + ["--broker", hired.clients], **quiet), hired.workers[0], o)
    finally:
        hired.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ink", default=str(HERE.parent / ".build/release/ink"))
    parser.add_argument("--size", default="1024x1024")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--megabytes", type=float, default=8000)
    parser.add_argument("--farm", action="store_true")
    parser.add_argument("--brushes", default=",".join(BRUSHES))
    parser.add_argument("kinds", nargs="*", default=KINDS)
    o = parser.parse_args()
    if not set(o.kinds) <= set(KINDS) or not set(o.brushes.split(",")) <= set(BRUSHES):
        parser.error(f"kinds are {', '.join(KINDS)}, brushes {', '.join(BRUSHES)}")
    # A shell has programs in the background ignore it, and theirs too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print("| Project | Brush | JSON, MB | Peak, MB | |\n| --- | --- | ---: | ---: | --- |")
    for kind in o.kinds:
        for name in o.brushes.split(",") if kind not in ("picture", "turned") else ["none"]:
            with tempfile.TemporaryDirectory() as folder:
                project = pathlib.Path(folder, "project.ink")
                write(project, kind, name)
                most, end = measure(project, folder, o)
                print(f"| {kind} | {name} | {project.stat().st_size / 1e6:.1f} | {most:,.0f} | {end} |", flush=True)


if __name__ == "__main__":
    main()
