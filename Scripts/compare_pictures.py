#!/usr/bin/env python3
"""Tells whether two builds of ink export the same bytes.

    Scripts/compare_pictures.py OLD NEW [--seeds 200] [--pixels] [--without contourLines,fills,colorBurn]

Exports the examples, the benchmark scenes and seeded projects (every brush, masks, images of other sizes, all modes,
tiles of odd sizes) with both programs, and compares each file byte by byte. Exit code 1 where any differs. With
--pixels only what is drawn is compared, so that the renderer's version may differ. With --without the seeded projects
have none of these brushes and modes, "fills" standing for suggested patterns; then the examples are left out too.
"""
import argparse
import base64
import filecmp
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
BRUSHES = ["parallelLines", "crossHatch", "dots", "contourLines", "waves", "solid"]
MODES = """normal multiply screen overlay darken lighten colorDodge colorBurn hardLight softLight difference exclusion
hue saturation color luminosity plus linearDodge linearBurn linearLight vividLight pinLight hardMix subtract divide
darkerColor lighterColor""".split()


def png(rng, width, height):
    """A PNG of soft noise: gray, gray and alpha, RGB or RGBA, with 8 or 16 bits."""
    color, channels = rng.choice([(0, 1), (4, 2), (2, 3), (6, 4)])
    depth = rng.choice([8, 8, 16])
    row_bytes = width * channels * depth // 8
    level = rng.choice([0, 120, 255])
    rows = b"".join(
        bytes([rng.randrange(5)]) + bytes(rng.randrange(8) + level - 7 if rng.random() < 0.3 and level else level
                                          for _ in range(row_bytes)) for _ in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def image(rng, canvas):
    exact = rng.random() < 0.4
    size = canvas if exact else (rng.randrange(1, 90), rng.randrange(1, 90))
    return base64.b64encode(png(rng, *size)).decode()


def color(rng):
    return "#%06x" % rng.randrange(1 << 24)


def stroke(rng, canvas):
    x, y = rng.uniform(0, canvas[0]), rng.uniform(0, canvas[1])
    points = []
    for _ in range(rng.choice([1, 2, 5, 20])):
        points.append({"x": x, "y": y, "pressure": rng.random(), "altitude": rng.uniform(20, 90),
                       "azimuth": rng.uniform(0, 360), "timestamp": 0})
        x, y = x + rng.gauss(0, 25), y + rng.gauss(0, 25)
    brush = {"type": rng.choice(BRUSHES), "rotation": rng.choice([0, 45, rng.uniform(0, 360)]),
             "spacing": rng.uniform(2, 14), "opacity": rng.choice([1, rng.random()]), "scale": rng.choice([1, 0.5, 2]),
             "lineWidth": rng.uniform(0.4, 8), "color": color(rng),
             "dynamics": {"pressureAffectsOpacity": rng.random() < 0.5, "pressureAffectsSize": rng.random() < 0.4,
                          "tiltAffectsRotation": rng.random() < 0.3}}
    return {"brush": brush, "mode": "erase" if rng.random() < 0.1 else "paint", "points": points}


def drawn(path):
    """The compressed pixels of a PNG."""
    data, at, pixels = path.read_bytes(), 8, []
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind in (b"IHDR", b"IDAT"):
            pixels.append(data[at + 8:at + 8 + length])
        at += 12 + length
    return pixels


def project(seed):
    rng = random.Random(seed)
    canvas = (rng.randrange(20, 400), rng.randrange(20, 400))
    layers = []
    for index in range(rng.randrange(1, 5)):
        layer = {"id": str(index), "name": f"layer {index}", "order": rng.randrange(3), "opacity": rng.choice([1, rng.random()]),
                 "blendMode": rng.choice(MODES), "isVisible": rng.random() < 0.95,
                 "strokes": [stroke(rng, canvas) for _ in range(rng.choice([0, 1, 3, 12]))]}
        if rng.random() < 0.4:
            layer["maskImage"] = image(rng, canvas)
        if rng.random() < 0.3:
            layer["contentImage"] = image(rng, canvas)
        if rng.random() < 0.3:
            layer["suggestedPattern"] = {"type": rng.choice(BRUSHES[:5]), "rotation": rng.uniform(0, 180),
                                         "spacing": rng.uniform(3, 12), "color": color(rng)}
        layers.append(layer)
    made = {"version": "1.0", "id": str(seed), "name": f"seed {seed}", "canvasSize": {"width": canvas[0], "height": canvas[1]},
            "background": color(rng) + rng.choice(["", "", "80", "00"]), "layers": layers}
    if rng.random() < 0.3:
        made["baseImage"] = image(rng, canvas)
    options = ["--size", rng.choice(["1x", "0.5x", "1.7x", "2x"]), "--effort", rng.choice(["fast", "balanced", "small"])]
    if rng.random() < 0.3:
        options += ["--tile", f"{rng.randrange(33, 200)}x{rng.randrange(33, 200)}"]
    if rng.random() < 0.5:
        options += ["--fill", "suggested"]
    return made, options


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--pixels", action="store_true")
    parser.add_argument("--without", default="", help="brushes and modes, separated by commas, and fills")
    arguments = parser.parse_args()
    without = set(filter(None, arguments.without.split(",")))
    BRUSHES[:] = [brush for brush in BRUSHES if brush not in without]
    MODES[:] = [mode for mode in MODES if mode not in without]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        exports = [([str(path)], ["--size", "1080p", "--fill", "suggested"], path.name)
                   for path in sorted((ROOT / "examples").glob("*.ink*")) if not without]
        exports += [([str(path)], ["--size", "1080p"], path.name)
                    for path in sorted((ROOT / "Benchmarks/scenes").glob("scene-*.ink"))]
        for seed in range(arguments.seeds):
            made, options = project(seed)
            if "fills" in without and "--fill" in options:
                options = options[:options.index("--fill")]
            path = folder / f"seed-{seed}.ink"
            path.write_text(json.dumps(made))
            exports.append(([str(path)], options, f"seed {seed}"))
        different = 0
        for number, (paths, options, name) in enumerate(exports):
            files = []
            for which, program in (("old", arguments.old), ("new", arguments.new)):
                out = folder / which / str(number)
                subprocess.run([program, "export", *paths, *options, "--quiet", "-o", f"{out}/"], check=True)
                files.append(sorted(out.glob("*")))
            names = [[file.name for file in found] for found in files]
            if not names[0] or names[0] != names[1]:
                sys.exit(f"{name}: {names[0]} and {names[1]}")
            for old, new in zip(*files):
                same = drawn(old) == drawn(new) if arguments.pixels else filecmp.cmp(old, new, shallow=False)
                if not same:
                    different += 1
                    print(f"{name}: {old.name} differs")
        print(f"{len(exports)} exports, {different} files differ")
        sys.exit(1 if different else 0)


main()
