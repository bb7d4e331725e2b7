#!/usr/bin/env python3
"""Measures how the time of an export grows with its stamps and its pixels, and its memory with its size.

    Benchmarks/growth.py [--ink .build/release/ink] [--runs 3] [--workers 2] [stamps|pixels|memory|images|trees|world|photos ...]

stamps   a canvas of 2,048 pixels with about 1,000 to 100,000 stamps of all four patterns, in ten layers
pixels   scene S from 1,024 to 10,240 pixels, a hundred times as many
memory   scene L at 16,384 pixels and scene S at 16,384 and 32,768: seconds and peak memory
images   a project of ten layers of 2,048 pixels, each with a mask and a picture, about 30 MB: reading and decoding
trees    400 strokes of scene L at 4,096 pixels as 100 layers, and the same in 10 isolated groups
world    a viewport that shows a thousand strokes of a million, about 200 MB: export, and reading by ink inspect
photos   a picture of 10,000 x 10,000 pixels as PNG, JPEG and TIFF, placed small, turned, and filling larger ones

Milliseconds as the export's own report has them, medians.
"""
import argparse
import base64
import json
import pathlib
import random
import statistics
import struct
import subprocess
import tempfile
import time
import zlib

import measure
import rates

HERE = pathlib.Path(__file__).resolve().parent


def median(ink, project, size, workers, folder, runs, *options):
    """The medians of an export's times, ms, and its peak memory, MB."""
    rows = []
    for run in range(runs + 1):
        report = pathlib.Path(folder, "report.json")
        whole, _, memory = measure.run([
            ink, "export", str(project), "-o", folder, "--size", size, "--workers", str(workers), "--if-exists", "overwrite",
            "--quiet", "--report", str(report), *options])
        record = json.loads(report.read_text())["exports"][0]
        rows.append({"whole": whole, "export": record["milliseconds"], "MB": memory} | record["phasesMs"])
    # The first run warms the page cache.
    return {key: statistics.median(row[key] for row in rows[1:] or rows) for key in rows[0]}


def stamped(count):
    """A project of strokes that leave up to a hundred stamps each, fewer at the canvas's edges."""
    pick = random.Random(count)
    layers = [{"id": f"l{k}", "name": f"{k}", "order": k, "strokes": []} for k in range(10)]
    for index in range(count // 100):
        spacing = pick.choice([4, 6, 8, 10])
        x, y, turn = pick.uniform(300, 1748), pick.uniform(300, 1748), pick.uniform(-1, 1)
        step = 99 * spacing / 10
        points = []
        for k in range(11):
            points.append([round(x, 2), round(y, 2), 0.7])
            x, y = x + step * (1 - abs(turn)) * pick.choice([-1, 1]), y + step * turn
            x, y = min(max(x, 20), 2028), min(max(y, 20), 2028)
        kind = ["parallelLines", "crossHatch", "dots", "waves"][index % 4]
        layers[index % 10]["strokes"].append({
            "brush": {"type": kind, "spacing": spacing, "lineWidth": 1.5, "rotation": pick.randrange(180), "opacity": 0.5},
            "points": points})
    return {"version": "1.1", "canvasSize": {"width": 2048, "height": 2048}, "layers": layers}


def png(width, height, channels, row):
    """A PNG whose row y has the bytes row(y), filtered with Up and Paeth in turn as they are."""
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    raw = b"".join(bytes([2 if y % 2 else 4]) + row(y) for y in range(height))
    kind = {1: 0, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw, 6)) + chunk(b"IEND", b"")


def pictured():
    """Ten layers of 2,048 pixels with masks and pictures; about 30 MB of JSON."""
    pick, edge, layers = random.Random(7), 2048, []
    text = lambda data: base64.b64encode(data).decode()
    for k in range(10):
        # Small differences, as pictures have them: a fifth of the bytes say something.
        def noise(width, share):
            return lambda y: bytes(pick.choice((0, 0, 0, 1, 255)) if pick.random() < share else 0 for _ in range(width))
        rows = [noise(edge * 4, 0.28)(0) for _ in range(64)]
        masks = [noise(edge, 0.1)(0) for _ in range(64)]
        layers.append({
            "id": f"l{k}", "name": f"{k}", "order": k, "opacity": 0.6,
            "contentImage": text(png(edge, edge, 4, lambda y: pick.choice(rows)[y % 13:] + bytes(y % 13))),
            "maskImage": text(png(edge, edge, 1, lambda y: pick.choice(masks)))})
    return {"version": "1.1", "canvasSize": {"width": edge, "height": edge}, "layers": layers}


def trees():
    """The same strokes as layers and in groups, by name."""
    strokes = [stroke for layer in json.loads((HERE / "scenes/scene-L.ink").read_text())["layers"] for stroke in layer["strokes"]]
    layers = [{"id": f"l{k}", "strokes": strokes[5 * k * 4:5 * k * 4 + 4]} for k in range(100)]
    groups = [{"id": f"g{k}", "type": "group", "opacity": 0.9, "layers": layers[10 * k:10 * k + 10]} for k in range(10)]
    return {name: {"version": "1.2", "canvasSize": {"width": 2048, "height": 2048}, "layers": tree}
            for name, tree in (("flat", layers), ("groups", groups))}


def world(path):
    """Writes a million strokes on a square of 1,000 x 1,000 places; a viewport of a thousand of them. Piece by piece: what this
    program holds counts for the programs that it starts."""
    types = ["parallelLines", "crossHatch", "dots", "waves", "solid"]
    def stroke(index):
        x, y = index % 1000 * 40, index // 1000 * 40
        points = [[x + 7 * k, y + (k * index) % 29] for k in range(6)]
        return json.dumps({"brush": {"type": types[index % 5], "color": "#203040", "lineWidth": 1.5}, "points": points})
    view = {"name": "View", "center": {"x": 20_000, "y": 20_000}, "zoom": 1.6, "size": {"width": 2048, "height": 2048}}
    head = {"version": "1.2", "canvas": "infinite", "background": "#ffffff", "viewports": [view]}
    with path.open("w") as file:
        file.write(json.dumps(head)[:-1] + ', "layers": [{"id": "a", "strokes": [')
        for index in range(1_000_000):
            file.write((", " if index else "") + stroke(index))
        file.write("]}]}")


def photos(ink, workers, folder, runs):
    """A large picture as a file beside a project that shows it; rows of a table."""
    measure.run([ink, "export", str(HERE / "scenes/scene-L.ink"), "-o", folder, "--name", "photo.{ext}", "--size", "10000x10000",
                 "--format", "png,jpeg,tiff", "--quality", "90", "--compression", "lzw", "--if-exists", "overwrite", "--quiet"])
    small = {"x": 100, "y": 150, "width": 200, "height": 200}
    cases = [("png", small, "1000x1000"), ("jpeg", small, "1000x1000"), ("tiff", small, "1000x1000"),
             ("jpeg", small | {"rotation": 30}, "1000x1000")]
    cases += [("jpeg", {"x": 0, "y": 0, "width": 1000, "height": 1000}, f"{edge}x{edge}") for edge in (1000, 2048, 3000)]
    project = pathlib.Path(folder, "photo.ink")
    for kind, place, size in cases:
        [picture] = [path for path in pathlib.Path(folder).glob("photo*") if path.suffix == {"tiff": ".tif", "jpeg": ".jpg"}.get(kind, ".png")]
        project.write_text(json.dumps({
            "version": "1.2", "canvasSize": {"width": 1000, "height": 1000},
            "layers": [{"id": "a", "contentFile": picture.name, "contentPlacement": place}]}))
        command = [ink, "export", str(project), "-o", f"{folder}/made.png", "--size", size, "--workers", str(workers),
                   "--if-exists", "overwrite", "--quiet"]
        rows = [measure.run(command) for _ in range(runs + 1)][1:]
        turned = ", turned" if "rotation" in place else ""
        yield (f"| {kind}, {picture.stat().st_size / 1e6:.0f} MB | {place['width']} x {place['height']} of 1,000 x 1,000{turned} | {size} "
               f"| {statistics.median(row[2] for row in rows):.0f} | {statistics.median(row[1] for row in rows) / 1000:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ink", default=str(HERE.parent / ".build/release/ink"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parts = ["stamps", "pixels", "memory", "images", "trees", "world", "photos"]
    parser.add_argument("parts", nargs="*", default=parts, help=", ".join(parts))
    o = parser.parse_args()
    if not set(o.parts) <= set(parts) or o.runs < 1:
        parser.error(f"parts are {', '.join(parts)}, runs at least 1")
    rates.warn_of_load(rates.machine())
    scene = lambda name: HERE / f"scenes/scene-{name}.ink"
    with tempfile.TemporaryDirectory() as folder:
        project = pathlib.Path(folder, "project.ink")
        if "stamps" in o.parts:
            print("| Stamps | Strokes, ms | Export, ms | Strokes, us a stamp |\n| ---: | ---: | ---: | ---: |")
            for count in (1_000, 10_000, 100_000):
                project.write_text(json.dumps(stamped(count)))
                row = median(o.ink, project, "2k", o.workers, folder, o.runs)
                inspected = subprocess.run([o.ink, "inspect", "--json", str(project)], check=True, capture_output=True)
                count = json.loads(inspected.stdout)["stamps"]
                print(f"| {count:,} | {row['raster']:,.0f} | {row['export']:,.0f} | {1000 * row['raster'] / count:.2f} |", flush=True)
        if "pixels" in o.parts:
            print("| Edge, pixels | Export, ms | ns a pixel | MB |\n| ---: | ---: | ---: | ---: |")
            for edge in (1024, 2048, 3238, 5120, 10240):
                row = median(o.ink, scene("S"), f"{edge}x{edge}", o.workers, folder, o.runs)
                print(f"| {edge:,} | {row['export']:,.0f} | {1e6 * row['export'] / edge / edge:.1f} | {row['MB']:.0f} |", flush=True)
        if "memory" in o.parts:
            print("| Scene | Edge, pixels | Export, s | MB |\n| --- | ---: | ---: | ---: |")
            for name, edge in (("S", 16384), ("S", 32768), ("L", 16384), ("L", 32768)):
                row = median(o.ink, scene(name), f"{edge}x{edge}", o.workers, folder, 0)
                print(f"| {name} | {edge:,} | {row['export'] / 1000:,.1f} | {row['MB']:.0f} |", flush=True)
        if "images" in o.parts:
            project.write_text(json.dumps(pictured()))
            row = median(o.ink, project, "2k", o.workers, folder, o.runs)
            print(f"| {project.stat().st_size / 1e6:.0f} MB | read {row['read']:.0f} | decode {row['decode']:.0f}, all workers "
                  f"| export {row['export']:.0f} ms |")
        if "trees" in o.parts:
            for name, tree in trees().items():
                project.write_text(json.dumps(tree))
                row = median(o.ink, project, "4096x4096", o.workers, folder, o.runs)
                print(f"| 100 layers, {name} | export {row['export']:,.0f} ms |", flush=True)
        if "world" in o.parts:
            world(project)
            row = median(o.ink, project, "2k", o.workers, folder, o.runs, "--viewport", "View")
            read = []
            for _ in range(o.runs):
                start = time.monotonic()
                subprocess.run([o.ink, "inspect", "--json", str(project)], check=True, capture_output=True)
                read.append(time.monotonic() - start)
            print(f"| {project.stat().st_size / 1e6:.0f} MB | export, whole process {row['whole'] / 1000:.2f} s "
                  f"| inspect {statistics.median(read):.2f} s | {row['MB']:.0f} MB |", flush=True)
        if "photos" in o.parts:
            print("| Picture | Placed | Output | MB | processor s |\n| --- | --- | --- | ---: | ---: |")
            for line in photos(o.ink, o.workers, folder, o.runs):
                print(line, flush=True)


if __name__ == "__main__":
    main()
