#!/usr/bin/env python3
"""Writes examples/gallery/: a small document of each program whose files ink reads, out of recorded hand strokes
(examples/sources/SOURCES.md) and computed pictures. Standard library only; the same sources give the same files.

    Scripts/make_gallery.py [NAME...]       # all, or those named
"""

import gzip
import io
import json
import math
import struct
import sys
import zipfile
import zlib
from xml.sax.saxutils import quoteattr

import ink_drawing as ink

GALLERY = ink.SOURCES.parent / "gallery"


def rounded(number, digits=1):
    return int(number) if number == int(number) else round(number, digits)


def flowers():
    """The two sprigs that lie beside each other in drawing 1 of the valentine."""
    strokes = ink.valentine(1)
    x0, _, x1, _ = ink.bounds(strokes)
    left = [stroke for stroke in strokes if stroke[0][0] < (x0 + x1) / 2]
    return left, [stroke for stroke in strokes if stroke not in left]


def thinned(stroke, step):
    """The stroke with a point every `step` pixels, and at least six."""
    x0, y0, x1, y1 = ink.bounds([stroke])
    return ink.stepped(stroke, min(step, max(math.hypot(x1 - x0, y1 - y0) / 6, 0.5)))


def pressed(stroke, low=0.25):
    """The stroke with the pressure of a run of the tablet recording, from `low` up."""
    run = ink.resampled(ink.painting()[0], len(stroke))
    return [(p[0], p[1], low + (1 - low) * q[2], p[3]) for p, q in zip(stroke, run)]


def write(name, data):
    GALLERY.mkdir(exist_ok=True)
    (GALLERY / name).write_bytes(data)
    print(f"{len(data):8} examples/gallery/{name}")


def packed(text):
    """gzip without a time, so that the same text gives the same bytes."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0, filename="") as file:
        file.write(text.encode())
    return out.getvalue()


def archive(files):
    """A zip without times; the first file is stored, as programs expect of a mimetype."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        for index, (name, data) in enumerate(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED if index else zipfile.ZIP_STORED
            bundle.writestr(entry, data)
    return out.getvalue()


# Drawings and notes


def valentine():
    """Excalidraw: the rose and two sprigs, with pressure, on shapes of its own."""
    elements = []

    def element(kind, x, y, width, height, **keys):
        elements.append({
            "id": f"e{len(elements)}", "type": kind, "x": rounded(x), "y": rounded(y), "width": rounded(width),
            "height": rounded(height), "angle": 0, "strokeColor": "transparent", "backgroundColor": "transparent",
            "fillStyle": "solid", "strokeWidth": 1, "strokeStyle": "solid", "roughness": 1, "opacity": 100,
            "groupIds": [], "frameId": None, "seed": 1, "version": 1, "versionNonce": 1, "isDeleted": False,
            "boundElements": None, "updated": 1, "link": None, "locked": False, **keys})

    def drawing(strokes, color, width):
        for stroke in strokes:
            stroke = thinned(stroke, 5)
            x0, y0, x1, y1 = ink.bounds([stroke])
            element("freedraw", x0, y0, x1 - x0, y1 - y0, strokeColor=color, strokeWidth=width,
                    points=[[rounded(p[0] - x0), rounded(p[1] - y0)] for p in stroke],
                    pressures=[round(p[2], 2) for p in stroke], simulatePressure=False)

    element("ellipse", 40, 40, 520, 520, backgroundColor="#ffe3e3")
    element("ellipse", 88, 88, 424, 424, backgroundColor="#fff5f5", strokeColor="#ffc9c9", strokeWidth=2,
            strokeStyle="dashed")
    for x, y, size in ((150, 400, 120), (330, 400, 120), (112, 300, 86), (402, 300, 86)):
        sprig = ink.turned(ink.valentine(1), mirrored=x > 250)
        drawing(ink.fitted(sprig, x, y, size, size), "#2b8a3e", 1)
    drawing(ink.fitted(ink.valentine(0), 130, 110, 340, 410), "#c2255c", 1)
    scene = {"type": "excalidraw", "version": 2, "source": "ink", "elements": elements,
             "appState": {"viewBackgroundColor": "#fff9f2"}, "files": {}}
    write("valentine.excalidraw", json.dumps(scene, separators=(",", ":")).encode())


def garden():
    """tldraw: a house among flowers, drawn by hand, with shapes."""
    records = [{"id": "document:document", "typeName": "document", "gridSize": 10, "name": "", "meta": {}},
               {"id": "page:page", "typeName": "page", "name": "Garden", "index": "a1", "meta": {}}]

    def shape(kind, x, y, props):
        number = len(records)
        records.append({
            "id": f"shape:{number}", "typeName": "shape", "type": kind, "parentId": "page:page",
            "index": f"a{number:03}V", "x": rounded(x), "y": rounded(y), "rotation": 0, "isLocked": False, "opacity": 1,
            "meta": {}, "props": props})

    def geo(kind, x, y, width, height, color, fill="solid", size="m", dash="draw"):
        shape("geo", x, y, {"geo": kind, "w": width, "h": height, "color": color, "labelColor": "black", "fill": fill,
                            "dash": dash, "size": size, "font": "draw", "align": "middle", "verticalAlign": "middle",
                            "growY": 0, "url": "", "scale": 1, "text": ""})

    def drawing(strokes, color, size="m", fill="none"):
        for stroke in strokes:
            stroke = pressed(thinned(stroke, 6), 0.2)
            closes = math.dist(stroke[0][:2], stroke[-1][:2]) < 24
            x0, y0 = stroke[0][:2]
            points = [{"x": rounded(p[0] - x0), "y": rounded(p[1] - y0), "z": round(p[2], 2)} for p in stroke]
            shape("draw", x0, y0, {"segments": [{"type": "free", "points": points}], "color": color, "fill": fill,
                                   "dash": "draw", "size": size, "isComplete": True, "isClosed": closes, "isPen": True,
                                   "scale": 1})

    geo("ellipse", 560, 30, 110, 110, "yellow", "solid", "l")
    geo("ellipse", 470, 70, 150, 62, "light-blue", "solid", "s")
    geo("cloud", 90, 40, 190, 96, "light-blue", "solid", "m")
    geo("ellipse", -60, 386, 860, 190, "light-green", "pattern", "m")
    drawing(ink.fitted(ink.quickdraw("house", 2), 250, 120, 250, 310), "red", "l", "solid")
    drawing(ink.fitted(ink.quickdraw("tree", 3), 0, 150, 200, 270), "green", "l", "solid")
    drawing(ink.fitted(ink.quickdraw("tree", 5), 560, 160, 180, 250), "green", "l", "solid")
    for index, (x, color) in enumerate(
            ((70, "violet"), (180, "light-red"), (300, "blue"), (420, "orange"), (530, "violet"), (640, "light-red"))):
        drawing(ink.fitted(ink.quickdraw("flower", index + 2), x - 40, 420 + 14 * (index % 2), 96, 134), color, "m")
    drawing(ink.fitted(ink.quickdraw("cat", 0), 480, 330, 70, 84), "black", "s")
    file = {"tldrawFileFormatVersion": 1,
            "schema": {"schemaVersion": 2, "sequences": {"com.tldraw.store": 4}}, "records": records}
    write("garden.tldr", json.dumps(file, separators=(",", ":")).encode())


def note():
    """Xournal++: a sheet of ruled paper, handwriting with the pen's pressure, highlighters, a drawing."""
    width, height, lines = 420, 420, []

    def stroke(points, color, widths, tool="pen"):
        places = " ".join(f"{p[0]:.1f} {p[1]:.1f}" for p in points)
        lines.append(f'<stroke tool="{tool}" color="{color}" width="{widths}">{places}</stroke>')

    def written(strokes, color, thick, step=2.5):
        for points in strokes:
            points = thinned(points, step)
            stroke(points, color, " ".join([str(thick)] + [f"{thick * (0.3 + 0.9 * p[2]):.2f}" for p in points[1:]]))

    def marked(x0, x1, y, color):
        wobble = ink.flow(ink.quickdraw("squiggle", 1)[0], x0, x1, y - 2, 4, 24)
        stroke(wobble, color, "19", "highlighter")

    marked(92, 244, 121, "#ffe066ff")
    marked(258, 352, 140, "#a5f3c9ff")
    hey = ink.word_hey()
    written([pressed(s, 0.15) for s in ink.fitted(hey, 92, 84, 150, 82)], "#1f3a8aff", 2.6)
    written(ink.fitted(ink.word_ink(), 262, 92, 86, 62), "#1f3a8aff", 2.8, 1.5)
    written([pressed(s) for s in ink.fitted(ink.quickdraw("sailboat", 3), 110, 196, 150, 150)], "#0f766eff", 2.4)
    written([pressed(s) for s in ink.fitted(ink.quickdraw("star", 1), 300, 190, 52, 52)], "#d97706ff", 2.2)
    written([pressed(s) for s in ink.fitted(ink.quickdraw("star", 4), 350, 236, 34, 34)], "#d97706ff", 1.9)
    for y in (352, 366, 381):
        sea = ink.flow(ink.quickdraw("squiggle", 2)[0], 86 + (y - 352), 330 + (y - 352), y - 5, 10, 60)
        written([pressed(sea)], "#3b82f6ff", 2.2)
    text = (
        '<?xml version="1.0" standalone="no"?>\n<xournal creator="ink" fileversion="4"><title>A note</title>'
        f'<page width="{width}" height="{height}"><background type="solid" color="#fffdf5ff" style="lined"/>'
        f'<layer>{"".join(lines)}</layer></page></xournal>\n')
    write("note.xopp", packed(text))


def word():
    """InkML: handwriting with the pressure and the direction of the pen."""
    brushes = {"ink": ("#5b21b6", 22), "under": ("#f59e0b", 20)}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<ink xmlns="http://www.w3.org/2003/InkML">', "<definitions>",
             '<context xml:id="pen"><inkSource xml:id="tablet"><traceFormat>'
             '<channel name="X" type="decimal"/><channel name="Y" type="decimal"/>'
             '<channel name="F" type="decimal" min="0" max="1"/><channel name="OA" type="decimal" units="deg"/>'
             "</traceFormat></inkSource></context>"]
    for name, (color, wide) in brushes.items():
        lines.append(f'<brush xml:id="{name}"><brushProperty name="width" value="{wide}" units="dev"/>'
                     f'<brushProperty name="color" value="{color}"/></brush>')
    lines.append("</definitions>")

    def trace(points, brush):
        text = ", ".join(f"{p[0]:.1f} {p[1]:.1f} {p[2]:.2f} {p[3]:.0f}" for p in points)
        lines.append(f'<trace contextRef="#pen" brushRef="#{brush}">{text}</trace>')

    for stroke in ink.fitted(ink.word_ink(), 60, 40, 520, 330):
        trace(thinned(stroke, 5), "ink")
    trace(pressed(ink.flow(ink.quickdraw("squiggle", 0)[0], 70, 570, 420, 60, 90, 2), 0.1), "under")
    lines.append("</ink>")
    write("word.inkml", "\n".join(lines).encode() + b"\n")


def hey():
    """rnote: strokes with pressure on dark paper."""
    components, times = [], []

    def color(text, alpha=1.0):
        r, g, b = ink.color_of(text)[:3]
        return {"r": round(r / 255, 4), "g": round(g / 255, 4), "b": round(b / 255, 4), "a": alpha}

    def drawn(strokes, ink_color, width, step=4, alpha=1.0):
        for points in strokes:
            points = thinned(points, step)
            elements = [{"pos": [rounded(p[0]), rounded(p[1])], "pressure": round(p[2], 2)} for p in points]
            components.append({"value": {"brushstroke": {
                "path": {"start": elements[0], "segments": [{"lineto": {"end": e}} for e in elements[1:]]},
                "style": {"smooth": {"stroke_width": width, "stroke_color": color(ink_color, alpha),
                                     "fill_color": None, "pressure_curve": "linear", "line_style": "solid"}}}},
                "version": 1})
            times.append({"value": {"t": len(times), "layer": {"user_layer": 0}}, "version": 1})

    for index, shade in enumerate(("#7c3aed", "#db2777", "#ea580c", "#f59e0b")):
        wave = ink.flow(ink.quickdraw("squiggle", index)[0], 40, 620, 300 + 44 * index, 90, 80, 2)
        drawn([pressed(wave, 0.1)], shade, 26, alpha=0.85)
    drawn([pressed(s, 0.25) for s in ink.fitted(ink.word_hey(), 110, 60, 440, 250)], "#f8fafc", 15)
    for index, (x, y, size) in enumerate(((60, 60, 54), (560, 70, 64), (500, 24, 34), (200, 30, 30), (30, 190, 36))):
        drawn([pressed(s, 0.4) for s in ink.fitted(ink.quickdraw("star", index), x, y, size, size)], "#fde047", 5, 3)
    snapshot = {"document": {"background": {"color": color("#16213e"), "pattern": "none"}},
                "stroke_components": components, "chrono_components": times}
    write("hey.rnote", packed(json.dumps({"version": "0.9.0", "data": {"engine_snapshot": snapshot}},
                                         separators=(",", ":"))))


# Recordings of pens


def owls():
    """UNIPEN: places alone, as of a mouse."""
    lines = [".VERSION 1.0", ".HIERARCHY DRAWING", ".COORD X Y"]
    for place, index in enumerate((5, 0, 6)):
        for stroke in ink.fitted(ink.quickdraw("owl", index), 760 * place, 0, 700, 900):
            lines += [".PEN_DOWN", *(f"{p[0]:.0f} {p[1]:.0f}" for p in thinned(stroke, 12)), ".PEN_UP"]
    write("owls.unipen", "\n".join(lines).encode() + b"\n")


def sprig():
    """A tablet's recording: place, time, pen down, azimuth, altitude, pressure."""
    rows = []
    for stroke in ink.fitted(flowers()[0], 0, 0, 2400, 2400):
        points = thinned(stroke, 24)
        rows += [(*p[:3], int(k < len(points))) for k, p in enumerate([*points, points[-1]])]
    lines = [str(len(rows))] + [f"{x:.0f} {y:.0f} {8 * n} {down} 1350 600 {1023 * p:.0f}"
                                for n, (x, y, p, down) in enumerate(rows)]
    write("sprig.svc", "\n".join(lines).encode() + b"\n")


def painting():
    """Events of libmypaint: time, place, pressure, of which 0 lifts the pen."""
    lines, time = [], 0.0
    for run in ink.painting():
        for x, y, pressure, _ in [*run, (*run[-1][:2], 0, 0)]:
            lines.append(f"{time:.3f} {x:.2f} {y:.2f} {pressure:.3f}")
            time += 0.008
    write("painting.dat", "\n".join(lines).encode() + b"\n")


def pen():
    """Samples that Wacom's library writes: handwriting with pressure and angles."""
    lines = ["idx,SPLINE_X,SPLINE_Y,SENSOR_TIMESTAMP,SENSOR_PRESSURE,SENSOR_ALTITUDE,SENSOR_AZIMUTH"]
    for number, stroke in enumerate(ink.word_ink()):
        lines += [f"{number},{x:.1f},{y:.1f},{n * 5},{p:.2f},0.6,{math.radians(azimuth):.2f}"
                  for n, (x, y, p, azimuth) in enumerate(stroke)]
    write("pen.csv", "\n".join(lines).encode() + b"\n")


def rose():
    """Wacom's Universal Ink Model: curves with colours and a width at each point."""
    strokes = []

    def drawn(lines, color, wide):
        red, green, blue = ({"value": round(c / 255, 3)} for c in ink.color_of(color))
        for points in lines:
            points = thinned(points, 6)
            # The first and the last point only say where the curve comes from and goes to.
            points = [points[0], *points, points[-1]]
            strokes.append({"splineX": [rounded(p[0]) for p in points], "splineY": [rounded(p[1]) for p in points],
                            "size": [round(wide * (0.5 + 0.5 * p[2]), 2) for p in points],
                            "style": {"properties": {"red": red, "green": green, "blue": blue}}})

    drawn(ink.fitted(ink.valentine(0), 0, 0, 400, 500), "#9d174d", 5)
    left, right = flowers()
    drawn(ink.fitted(left, 250, 250, 120, 150), "#166534", 4)
    drawn(ink.fitted(ink.turned(right, mirrored=True), 40, 310, 120, 150), "#166534", 4)
    write("rose.json", json.dumps({"inkData": {"strokes": strokes}}, separators=(",", ":")).encode())


# Paintings


def lzf(data):
    """LibLZF's packing: greedy, the last place of each three bytes."""
    out, literals, places, at = bytearray(), bytearray(), {}, 0

    def flush():
        for start in range(0, len(literals), 32):
            part = literals[start:start + 32]
            out.append(len(part) - 1)
            out.extend(part)
        literals.clear()

    while at < len(data):
        key = data[at:at + 3]
        place = places.get(key) if len(key) == 3 else None
        if len(key) == 3:
            places[key] = at
        if place is None or at - place > 8191:
            literals.append(data[at])
            at += 1
            continue
        length = 3
        while length < 264 and at + length < len(data) and data[place + length] == data[at + length]:
            length += 1
        flush()
        offset = at - place - 1
        if length < 9:
            out.append((length - 2) << 5 | offset >> 8)
        else:
            out.extend((7 << 5 | offset >> 8, length - 9))
        out.append(offset & 255)
        at += length
    flush()
    return bytes(out)


def mountains(width, height, index, base, tall):
    """The heights of a ridge, from a squiggle that somebody drew."""
    line = ink.height_line(ink.quickdraw("squiggle", index)[0], 24)
    coarse = ink.smoothed([line[i * 23 // (width - 1)] for i in range(width)], width // 40)
    fine = ink.height_line(ink.quickdraw("squiggle", (index + 3) % 8)[0], 24)
    detail = ink.smoothed([fine[(i * 3) % width * 23 // (width - 1)] for i in range(width)], 2)
    return [base + tall * (0.8 * c + 0.2 * d) * height for c, d in zip(coarse, detail)]


def dusk():
    """Krita: mountains at dusk in layers and groups, with a mode and an opacity."""
    width, height = 448, 320

    def layer(color):
        """Pixels from color(x, y), which gives red, green, blue, alpha."""
        return [[color(x, y) for x in range(width)] for y in range(height)]

    def mixed(a, b, t):
        t = min(1.0, max(0.0, t))
        return tuple(round(u + (v - u) * t) for u, v in zip(a, b))

    def sky(x, y):
        t = y / height
        top, middle, low = (38, 34, 84, 255), (197, 84, 112, 255), (255, 190, 122, 255)
        return mixed(top, middle, t / 0.45) if t < 0.45 else mixed(middle, low, (t - 0.45) / 0.35)

    def glow(x, y):
        d = math.hypot(x - 300, y - 190)
        return (255, 226, 150, 255) if d < 30 else (255, 206, 128, round(190 * max(0.0, 1 - (d - 30) / 120) ** 2))

    def ridge(index, base, tall, near, far):
        line = mountains(width, height, index, base * height, tall)

        def pixel(x, y):
            cover = min(1.0, max(0.0, y - line[x] + 0.5))
            if cover == 0:
                return (0, 0, 0, 0)
            return (*mixed(near, far, (y - line[x]) / 110)[:3], round(255 * cover))
        return layer(pixel)

    def mist(x, y):
        band = math.exp(-((y - 238 - 8 * math.sin(x / 61)) / 20) ** 2) + 0.6 * math.exp(-((y - 282) / 14) ** 2)
        return (255, 214, 196, round(150 * min(1.0, band)))

    layers = [  # from the top to the bottom
        ("Mist", layer(mist), "normal", 200),
        ("Near", ridge(5, 0.74, 0.24, (33, 27, 56), (20, 16, 36)), "normal", 255),
        ("Middle", ridge(2, 0.58, 0.30, (84, 48, 92), (120, 66, 104)), "normal", 255),
        ("Far", ridge(1, 0.44, 0.30, (150, 84, 122), (220, 128, 124)), "normal", 225),
        ("Sun", layer(glow), "screen", 255),
        ("Sky", layer(sky), "normal", 255),
    ]
    files, nodes = [], []
    for number, (name, rows, mode, opacity) in enumerate(layers, 1):
        file = f"layer{number}"
        nodes.append(
            f'<layer name={quoteattr(name)} filename="{file}" nodetype="paintlayer" colorspacename="RGBA" '
            f'compositeop="{mode}" opacity="{opacity}" visible="1" locked="0" x="0" y="0" channelflags="" '
            f'uuid="{{00000000-0000-4000-8000-{number:012}}}"/>')
        tiles = []
        for y0 in range(0, height, 64):
            for x0 in range(0, width, 64):
                planes = [bytearray(), bytearray(), bytearray(), bytearray()]
                for y in range(y0, y0 + 64):
                    for x in range(x0, x0 + 64):
                        r, g, b, a = rows[y][x] if y < height and x < width else (0, 0, 0, 0)
                        for plane, value in zip(planes, (b, g, r, a)):
                            plane.append(value)
                data = bytes(planes[0] + planes[1] + planes[2] + planes[3])
                if any(planes[3]):
                    tiles.append((x0, y0, b"\x01" + lzf(data)))
        head = f"VERSION 2\nTILEWIDTH 64\nTILEHEIGHT 64\nPIXELSIZE 4\nDATA {len(tiles)}\n".encode()
        body = b"".join(f"{x},{y},LZF,{len(data)}\n".encode() + data for x, y, data in tiles)
        files += [(f"dusk/layers/{file}", head + body), (f"dusk/layers/{file}.defaultpixel", bytes(4))]
    group = ('<layer name="Mountains" filename="group" nodetype="grouplayer" compositeop="normal" opacity="255" visible="1" '
             'x="0" y="0" passthrough="0" uuid="{00000000-0000-4000-8000-000000000099}"><layers>'
             f'{nodes[1]}{nodes[2]}{nodes[3]}</layers></layer>')
    document = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<DOC xmlns="http://www.calligra.org/DTD/krita" syntaxVersion="2.0" '
        f'editor="Krita"><IMAGE name="dusk" mime="application/x-kra" width="{width}" height="{height}" '
        'colorspacename="RGBA" x-res="72" y-res="72" profile="sRGB-elle-V2-srgbtrc.icc"><layers>'
        f'{nodes[0]}{group}{nodes[4]}{nodes[5]}</layers></IMAGE></DOC>\n')
    write("dusk.kra", archive([("mimetype", b"application/x-krita"), ("maindoc.xml", document.encode())] + files))


BOAT = """
..........m.............
..........mff...........
.........smfff..........
........ssm.............
.......sssm.tt..........
......ssssm.ttt.........
.....sssssm.tttt........
....ssssssm.ttttt.......
...sssssssm.tttttt......
..ssssssssm.ttttttt.....
.sssssssssm.tttttttt....
..........m.............
hhhhhhhhhhhhhhhhhhhhhh..
.hwhhwhhwhhwhhwhhwhhh...
..hhhhhhhhhhhhhhhhhh....
...ggggggggggggggg......
""".split()


def harbour():
    """Aseprite: a sailing boat at night, four frames of indexed pixels in layers."""
    width, height, horizon = 240, 180, 112
    palette = ["#000000", "#101433", "#1b2158", "#2d2f7a", "#51419a", "#8a55ab", "#c9739f", "#f4a38c", "#ffe9b8",
               "#fffaf0", "#0d2c4a", "#12456b", "#1c6a8c", "#3fa3a6", "#8fdcc0", "#3b1d2e", "#7a2f3b", "#c2554d",
               "#f2d7a6", "#dca35e", "#0a1f36"]
    bayer = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]
    stars = [(int(abs(math.sin(i * 12.9898) * 43758.5453) % 1 * width), int(abs(math.sin(i * 78.233) * 12543.123) % 1 * 70))
             for i in range(46)]
    hills = ink.smoothed(ink.height_line(ink.quickdraw("squiggle", 4)[0], width), 5)

    def dithered(value, x, y, ramp):
        step = int(value * (len(ramp) - 1) * 16 + bayer[y % 4][x % 4]) // 16
        return ramp[min(len(ramp) - 1, max(0, step))]

    sky, sea = [], []
    for y in range(height):
        for x in range(width):
            d = math.hypot(x - 172, y - 46)
            color = dithered(min(1.0, (y / horizon) ** 1.6 + 0.35 * max(0.0, 1 - d / 60)), x, y, [1, 2, 3, 4, 5, 6, 7])
            if y < 70 and (x, y) in stars:
                color = 9
            if d < 19:
                color = 8 if math.hypot(x - 166, y - 41) > 17 else 9
            if y > horizon - 22 + 20 * hills[x]:
                color = 2 if y > horizon - 14 + 20 * hills[x] or (x + y) % 2 else 3
            sky.append(color if y < horizon else 0)

    def waves(frame):
        pixels = []
        for y in range(height):
            for x in range(width):
                if y < horizon:
                    pixels.append(0)
                    continue
                depth = (y - horizon) / (height - horizon)
                color = dithered(1 - depth, x, y, [20, 10, 11, 12])
                crest = math.sin(x * 0.11 / (0.35 + depth) + y * 1.7 + frame * math.pi / 2)
                if crest > 0.93:
                    color = 12
                light = abs(x - 172) / (6 + 34 * depth)
                if light < 1 and math.sin(x * 0.5 + y * 2.3 + frame * math.pi / 2) > 0.15 + light * 0.7:
                    color = 8 if light < 0.45 else 14 if light < 0.75 else 13
                pixels.append(color)
        return pixels

    shades = {"m": 15, "f": 17, "s": 18, "t": 19, "h": 16, "w": 8, "g": 15}
    boat_width = max(map(len, BOAT)) * 3
    boat = [shades.get(row[x // 3] if x // 3 < len(row) else ".", 0) for row in BOAT for _ in range(3)
            for x in range(boat_width)]

    def chunk(kind, data):
        return struct.pack("<IH", len(data) + 6, kind) + data

    def layer(name):
        return chunk(0x2004, struct.pack("<HHHHHHB3xH", 3, 0, 0, 0, 0, 0, 255, len(name)) + name.encode())

    def cel(index, x, y, wide, tall, pixels):
        return chunk(0x2005, struct.pack("<HhhBHh5xHH", index, x, y, 255, 2, 0, wide, tall)
                     + zlib.compress(bytes(pixels), 9))

    def linked(index, frame):
        return chunk(0x2005, struct.pack("<HhhBHh5xH", index, 0, 0, 255, 1, 0, frame))

    colors = b"".join(struct.pack("<HBBBB", 0, *ink.color_of(c)[:3], 255) for c in palette)
    frames = []
    for frame in range(4):
        chunks = []
        if frame == 0:
            chunks += [chunk(0x2019, struct.pack("<III8x", len(palette), 0, len(palette) - 1) + colors),
                       layer("Sky"), layer("Sea"), layer("Boat")]
        chunks.append(cel(0, 0, 0, width, height, sky) if frame == 0 else linked(0, 0))
        chunks.append(cel(1, 0, 0, width, height, waves(frame)))
        chunks.append(cel(2, 62, 76 + (0, 1, 2, 1)[frame], boat_width, len(BOAT) * 3, boat))
        body = b"".join(chunks)
        frames.append(struct.pack("<IHHH2xI", len(body) + 16, 0xF1FA, len(chunks), 180, len(chunks)) + body)
    body = b"".join(frames)
    head = struct.pack("<IHHHHHIHIIB3xHBB", len(body) + 128, 0xA5E0, 4, width, height, 8, 1, 180, 0, 0, 0, len(palette), 1, 1)
    write("harbour.aseprite", head + bytes(128 - len(head)) + body)


def sunset():
    """SVG: a sun behind hills, in gradients and curves."""
    def ridge(index, top, tall, color):
        line = ink.smoothed(ink.height_line(ink.quickdraw("squiggle", index)[0], 33), 1)
        points = [(640 * i / 32, top + tall * h) for i, h in enumerate(line)]
        path = f"M0 480V{points[0][1]:.0f}"
        for a, b in zip(points, points[1:]):
            half = (a[0] + b[0]) / 2
            path += f"C{half:.0f} {a[1]:.0f} {half:.0f} {b[1]:.0f} {b[0]:.0f} {b[1]:.0f}"
        return f'<path fill="{color}" d="{path}V480Z"/>'

    rays = "".join(f'<path d="M320 262 L{320 + 620 * math.cos(a):.0f} {262 - 620 * math.sin(a):.0f} '
                   f'L{320 + 620 * math.cos(a + 0.11):.0f} {262 - 620 * math.sin(a + 0.11):.0f}Z"/>'
                   for a in (math.pi * i / 12 for i in range(13)))
    birds = "".join(f'<path d="M{x} {y}q{s} -{s} {2 * s} 0q{s} -{s} {2 * s} 0"/>'
                    for x, y, s in ((150, 120, 9), (196, 98, 7), (470, 140, 8)))
    text = f"""<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480" viewBox="0 0 640 480">
<defs>
<linearGradient id="sky" x2="0" y2="1"><stop stop-color="#1d3a6e"/><stop offset=".35" stop-color="#5d6fb0"/>
<stop offset=".62" stop-color="#f6a56b"/><stop offset="1" stop-color="#ffd9a0"/></linearGradient>
<radialGradient id="sun"><stop offset=".3" stop-color="#fff6d5"/><stop offset="1" stop-color="#ffb64d"/></radialGradient>
</defs>
<rect width="640" height="480" fill="url(#sky)"/>
<g fill="#fff2c9" opacity=".18">{rays}</g>
<circle cx="320" cy="262" r="74" fill="url(#sun)"/>
<g fill="none" stroke="#22315c" stroke-width="3" stroke-linecap="round">{birds}</g>
{ridge(0, 250, 90, "#a4587e")}
{ridge(3, 300, 90, "#6b3d70")}
{ridge(6, 350, 90, "#3a2a55")}
{ridge(1, 400, 70, "#1c1838")}
</svg>
"""
    write("sunset.svg", text.encode())


DOCUMENTS = [valentine, garden, note, word, hey, owls, sprig, painting, pen, rose, dusk, harbour, sunset]


def main(names):
    for document in DOCUMENTS:
        if not names or document.__name__ in names:
            document()


if __name__ == "__main__":
    main(sys.argv[1:])
