#!/usr/bin/env python3
"""Measures what an export costs after a small change, with the results of the tiles before it kept, beside one that finds
nothing: a stroke more on top or below all others, another mask, a group that moved, another mark.

    make build && Benchmarks/changes.py [--scene L] [--size 16384x16384] [--format png] [--runs 3]

Prints medians of seconds from start to exit, and checks that both files have the same bytes. Needs room for three pictures.
"""

import argparse
import base64
import copy
import filecmp
import json
import pathlib
import shutil
import statistics
import struct
import subprocess
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[1]


def mask(size, bright):
    """A gray PNG: lighter from left to right, with a square of another gray that a change makes brighter."""
    rows = []
    for y in range(size):
        row = bytearray(255 - x * 128 // size for x in range(size))
        if size // 2 <= y < size // 2 + size // 16:
            row[size // 4:size // 4 + size // 16] = bytes([200 + bright]) * (size // 16)
        rows.append(b"\0" + bytes(row))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")
    return base64.b64encode(data).decode()


def stroke(x, y, color="#aa2200"):
    points = [{"x": x + 3 * n, "y": y + n % 5, "pressure": 0.5, "timestamp": n} for n in range(20)]
    return {"brush": {"type": "solid", "lineWidth": 3, "color": color}, "points": points}


def variants(project):
    """By name: the project before, and after each change; a mark is a change of options."""
    width = project["canvasSize"]["width"]
    masked = len(project["layers"]) // 2
    project["layers"][masked]["maskImage"] = mask(1024, 0)
    project["layers"].append({"id": "changes-group", "type": "group", "layers": [
        {"id": "changes-layer", "opacity": 0.8,
         "strokes": [stroke(width * 0.3, width * 0.6 + 8 * n, "#115533") for n in range(10)]}]})
    made = {"before": project}
    changed = made["a stroke on top"] = copy.deepcopy(project)
    changed["layers"][-2]["strokes"].append(stroke(width * 0.5, width * 0.25))
    changed = made["a stroke below all"] = copy.deepcopy(project)
    changed["layers"][0]["strokes"].insert(0, stroke(width * 0.5, width * 0.75))
    changed = made["a part of a mask"] = copy.deepcopy(project)
    changed["layers"][masked]["maskImage"] = mask(1024, 40)
    changed = made["a moved group"] = copy.deepcopy(project)
    for moved in changed["layers"][-1]["layers"][0]["strokes"]:
        for point in moved["points"]:
            point["x"] += 40
    made["another mark"] = project
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ink", default=str(ROOT / ".build/release/ink"))
    parser.add_argument("--scene", default="L", help="S, M or L")
    parser.add_argument("--size", default="16384x16384")
    parser.add_argument("--format", default="png")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ink-changes-") as folder:
        measure(arguments, pathlib.Path(folder))


def measure(arguments, folder):
    def export(name, output, cache):
        mark = "(c) A. Painter" if name != "another mark" else "(c) B. Painter"
        command = [
            arguments.ink, "export", folder / f"{name}.ink", "-o", output, "--size", arguments.size, "--if-exists",
            "overwrite", "--cache", cache, "--cache-size", "32G", "--watermark", mark, "--report", folder / "report.json",
            "--format", arguments.format, "--quiet"]
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
        export = json.loads((folder / "report.json").read_text())["exports"][0]
        return seconds, export["cachedTiles"], export["tiles"]

    scene = ROOT / f"Benchmarks/scenes/scene-{arguments.scene}.ink"
    projects = variants(json.loads(scene.read_text()))
    for name, project in projects.items():
        (folder / f"{name}.ink").write_text(json.dumps(project))
    suffix = arguments.format.split(",")[0]
    warm, cold = folder / f"warm.{suffix}", folder / f"cold.{suffix}"
    print(f"{'':20}{'cold':>8}{'warm':>8}{'ratio':>8}  tiles kept")
    for name in list(projects)[1:]:
        times = {warm: [], cold: []}
        for _ in range(arguments.runs):
            shutil.rmtree(folder / "kept", ignore_errors=True)
            times[cold].append(export(name, cold, folder / "kept")[0])
            shutil.rmtree(folder / "kept")
            export("before", warm, folder / "kept")
            seconds, found, tiles = export(name, warm, folder / "kept")
            times[warm].append(seconds)
            if not filecmp.cmp(warm, cold, shallow=False):
                raise SystemExit(f"{name}: other bytes than an export that finds nothing")
        (one, other) = (statistics.median(times[cold]), statistics.median(times[warm]))
        print(f"{name:20}{one:8.2f}{other:8.2f}{one / other:8.1f}  {found} of {tiles}", flush=True)


if __name__ == "__main__":
    main()
