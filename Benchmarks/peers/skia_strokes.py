#!/usr/bin/env python3
"""Draws the scenes and the brushes with Skia: one path and one call a mark, 8 bits a channel, one thread.

    skia_strokes.py FOLDER [--runs N] [--seconds N]

FOLDER is SceneMarks'. Paths and paints are made beforehand; what is measured is `drawPath` on a raster surface. What the
calls through Python cost is measured by the same calls with everything clipped away: "binding/NAME".
"difference/NAME" is the mean absolute difference to what ink drew, of premultiplied channels.
"""
import argparse
import gc
import pathlib
import sys
import time

import numpy
import skia

BRUSHES = ["parallelLines", "crossHatch", "dots", "contourLines", "waves", "solid"]


def add_piece(path, kind, length, points):
    if kind == 0:
        path.addPoly([skia.Point(x, y) for x, y in points], True)
    else:
        path.addCircle(*points[0], length)


def read_marks(file, scale):
    """The canvas's size, and for each layer its calls: pairs of a path and a paint."""
    words = numpy.fromfile(file, dtype="<u4")
    if words[0] != 0x4D4B4E49:
        raise SystemExit(f"{file}: no marks")
    reals = words.view("<f4").astype(float) * scale
    layers, paints, at = [[] for _ in range(int(words[3]))], {}, 5
    words = words.tolist()
    for _ in range(words[4]):
        layer, color, pieces = words[at], words[at + 1], words[at + 3]
        alpha = round(reals[at + 2] / scale * 255)
        path, width = skia.Path(), None
        at += 4
        for _ in range(pieces):
            kind, count, length = words[at], words[at + 1], float(reals[at + 2])
            points = reals[at + 3:at + 3 + 2 * count].reshape(-1, 2).tolist()
            at += 3 + 2 * count
            if kind == 2:
                path.addPoly([skia.Point(x, y) for x, y in points], False)
                width = length
            else:
                add_piece(path, kind, length, points)
        key = color, alpha, width
        if key not in paints:
            paint = skia.Paint(AntiAlias=True, Color=alpha << 24 | color & 0xFFFFFF)
            if color >> 24:
                paint.setBlendMode(skia.BlendMode.kDstOut)
            if width:
                paint.setStyle(skia.Paint.kStroke_Style)
                paint.setStrokeWidth(width)
                paint.setStrokeCap(skia.Paint.kRound_Cap)
                paint.setStrokeJoin(skia.Paint.kRound_Join)
            paints[key] = paint
        layers[layer].append((path, paints[key]))
    return int(words[1] * scale), int(words[2] * scale), layers


def draw(size, layers, expected=None, clipped=False):
    """Milliseconds, and the difference to ink's layers whose names begin with `expected`."""
    pixels = numpy.zeros((size[1], size[0], 4), dtype=numpy.uint8)
    info = skia.ImageInfo.Make(*size, skia.ColorType.kRGBA_8888_ColorType, skia.AlphaType.kPremul_AlphaType)
    surface = skia.Surface.MakeRasterDirect(info, pixels)
    milliseconds, difference = 0, 0
    with surface as canvas:
        if clipped:
            canvas.clipRect(skia.Rect.MakeEmpty())
        for index, calls in enumerate(layers):
            canvas.clear(0)
            drawPath = canvas.drawPath
            start = time.process_time()
            for path, paint in calls:
                drawPath(path, paint)
            milliseconds += (time.process_time() - start) * 1000
            if expected:
                ink = numpy.fromfile(f"{expected}.{index}.rgba", dtype=numpy.uint8).reshape(-1, 4).astype(int)
                ink[:, :3] = (ink[:, :3] * ink[:, 3:] + 127) // 255
                difference += numpy.abs(ink - pixels.reshape(-1, 4)).mean() / len(layers)
    return milliseconds, difference


def measure(name, unit, scale, options, body):
    first = body()
    times = [first] if first > 4000 else []
    while first <= 4000 and len(times) < options.runs and (len(times) < 2 or sum(times) / 1000 < options.seconds):
        times.append(body())
    for milliseconds in times:
        print(f"{name} {unit} {milliseconds * scale:.6f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    print(f"Skia {skia.__version__}", file=sys.stderr)
    gc.disable()
    sets = [(f"strokes/{scene}/{size}", f"scene-{scene}", scale, f"scene-{scene}" if scene == "L" and scale == 1 else None)
            for scene in "SML" for size, scale in [("2k", 1), ("4k", 2)]]
    sets += [(f"stamp/{brush}{kind}", f"brush-{brush}{kind}", 1, f"brush-{brush}{kind}")
             for brush in BRUSHES for kind in ["", "-sized"]]
    for name, file, scale, expected in sets:
        width, height, layers = read_marks(options.folder / f"{file}.marks", scale)
        unit, factor = ("us", 1000 / sum(map(len, layers))) if name.startswith("stamp/") else ("ms", 1)
        measure(name, unit, factor, options, lambda: draw((width, height), layers)[0])
        measure(f"binding/{name}", unit, factor, options, lambda: draw((width, height), layers, clipped=True)[0])
        if expected:
            difference = draw((width, height), layers, expected=str(options.folder / expected))[1]
            print(f"difference/{name.split('/')[1]} levels {difference:.6f}", flush=True)
        del layers


if __name__ == "__main__":
    main()
