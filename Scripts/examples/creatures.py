"""A pack of creatures: a bunny, a chick and a fish, which colours, patterns and sparkles turn into eighteen."""

import json
import math

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Outline, Picture

CANVAS = (480, 480)
PAPER, SHADE, LINE, BLUSH = "#fffaf0", "#c9bda8", "#3a2c34", "#ff9db0"
LICENSE = "CC0 1.0, drawn by Scripts/examples/creatures.py"


def drawing(name, elements):
    return Picture(name, CANVAS, "#00000000", elements, LICENSE)


def oval(x, y, rx, ry, turn=0.0):
    """An ellipse as points; the turn in degrees."""
    return ink.spun([ink.ellipse(x, y, rx, ry, 40)], turn, (x, y))[0]


def part(name, outline, width=9, shaded=True):
    """A part of a body: paper, hatching in its shadow, and a line around it."""
    group = Group(name)
    group.add(Fill("Paper", PAPER, mask=Outline(ink.curved(outline, closed=True))))
    if shaded:
        x0, y0, x1, y1 = ink.bounds([outline])
        edge = [(x, y, 1, 0) for x, y, *_ in ink.about(outline, ((x0 + x1) / 2, (y0 + y1) / 2), 0.98)
                if x > x0 + 0.45 * (x1 - x0) or y > y0 + 0.7 * (y1 - y0)]
        shade = group.add(Layer("Shade", "multiply", clipped=True))
        for point in edge:
            shade.pattern([point, point], "parallelLines", SHADE, 0.26 * min(x1 - x0, y1 - y0), spacing=7, lineWidth=2.6,
                          rotation=40)
    group.add(Layer("Line")).stroke(outline, "solid", LINE, closed=True, lineWidth=width)
    return group


def face(x, y, apart, size, cheeks=True):
    """Two eyes, and cheeks under them."""
    layer = Layer("Face")
    for side in (-1, 1):
        eye = (x + side * apart, y)
        layer.shape(ink.curved(oval(*eye, size, 1.25 * size), closed=True), LINE)
        layer.stroke([(eye[0] + 0.3 * size, eye[1] - 0.5 * size, 1, 0)], "solid", "#ffffff", lineWidth=0.8 * size)
        if cheeks:
            layer.stroke([(eye[0] + 0.9 * side * size, eye[1] + 2.4 * size, 1, 0)], "solid", BLUSH, lineWidth=2.2 * size)
    return layer


def bunny():
    ears = []
    for side, turn in ((-1, -14), (1, 18)):
        ear = oval(240 + side * 56, 118, 36, 98, turn)
        ears.append(part("Ear", ear))
        ears.append(Fill("Inner ear", BLUSH, mask=Outline(ink.curved(oval(240 + side * 56, 126, 16, 66, turn), True))))
    feet = [part("Foot", oval(240 + side * 66, 442, 54, 26), shaded=False) for side in (-1, 1)]
    body = part("Body", oval(240, 318, 142, 128))
    mouth = Layer("Mouth")
    mouth.shape(ink.curved(oval(240, 314, 13, 9), closed=True), BLUSH)
    mouth.stroke([(218, 336, 1, 0), (229, 344, 1, 0), (240, 332, 1, 0), (251, 344, 1, 0), (262, 336, 1, 0)], "solid",
                 LINE, lineWidth=6)
    return drawing("Bunny", [*ears, body, *feet, face(240, 276, 60, 17), mouth])


def chick():
    tuft = [part("Tuft", oval(240 + dx, 80, 15, 40, turn), 8, shaded=False) for dx, turn in ((-26, -30), (26, 30), (0, 0))]
    feet = Layer("Feet")
    for side in (-1, 1):
        foot = 240 + side * 54
        for toe in (-26, 0, 26):
            feet.stroke([(foot, 410, 1, 0), (foot + toe, 456, 1, 0)], "solid", LINE, lineWidth=11)
    egg = [(x, y - (0.13 * abs(x - 240) if y < 260 else 0), p, a) for x, y, p, a in oval(240, 262, 156, 164)]
    body = part("Body", egg)
    wings = [part("Wing", oval(240 + side * 146, 288, 38, 68, side * -24), 8) for side in (-1, 1)]
    beak = Group("Beak")
    beak.add(Fill("Horn", "#ffb454", mask=Outline(ink.curved(oval(240, 262, 36, 24), closed=True))))
    beak.add(Layer("Line")).strokes([oval(240, 262, 36, 24), [(206, 262, 1, 0), (240, 270, 1, 0), (274, 262, 1, 0)]],
                                    "solid", LINE, lineWidth=7)
    return drawing("Chick", [*tuft, feet, body, *wings, face(240, 214, 66, 17), beak])


def fish():
    tail = part("Tail", [(352, 246, 1, 0), (404, 172, 1, 0), (452, 148, 1, 0), (446, 214, 1, 0), (424, 250, 1, 0),
                         (448, 292, 1, 0), (450, 352, 1, 0), (400, 326, 1, 0)])
    fin = part("Fin", [(170, 142, 1, 0), (214, 76, 1, 0), (276, 62, 1, 0), (300, 96, 1, 0), (302, 150, 1, 0)])
    body = part("Body", oval(212, 252, 174, 138))
    scales = body.add(Layer("Scales", "multiply", opacity=0.8))
    for column in range(5):
        for row in range(5 - abs(column - 1) % 2):
            x, y = 208 + 34 * column, 180 + 34 * row + 17 * (column % 2)
            if math.hypot((x - 212) / 158, (y - 252) / 120) < 0.9:
                arc = [(x + 15 * math.cos(math.radians(a)), y + 17 * math.sin(math.radians(a)), 1, 0)
                       for a in range(-80, 81, 20)]
                scales.stroke(arc, "solid", "#a89684", lineWidth=5)
    side_fin = part("Side fin", oval(250, 318, 46, 26, 28), 8)
    mouth = Layer("Mouth").stroke([(70, 296, 1, 0), (96, 312, 1, 0), (126, 306, 1, 0)], "solid", LINE, lineWidth=8)
    return drawing("Fish", [tail, fin, body, side_fin, face(124, 232, 36, 17), mouth])


def sparkles():
    layer = Layer("Sparkles")
    for x, y, size in ((72, 96, 44), (404, 84, 58), (432, 392, 40), (60, 372, 52), (336, 40, 22), (118, 34, 20),
                       (24, 232, 24), (452, 244, 22), (300, 250, 26), (186, 376, 24)):
        points = []
        for step in range(8):
            reach, angle = size * (0.22 if step % 2 else 1.0), math.radians(45 * step)
            points.append((x + reach * math.sin(angle), y - reach * math.cos(angle), 1, 0))
        layer.shape(ink.straight(points), "#ffd23e")
        layer.stroke([(x, y, 1, 0)], "solid", "#fff6c8", lineWidth=0.3 * size)
    return drawing("Sparkles", [layer])


def covered(name, kind, color, **brush):
    """A pattern all over the canvas."""
    return drawing(name, [Layer(name).cover((0, 0, *CANVAS), kind, color, **brush)])


def shine():
    light = {"type": "radial", "center": [190, 170], "radius": 330,
             "stops": [[0, "#ffffff"], [0.5, "#808080"], [1, "#202040"]]}
    return drawing("Shine", [Fill("Light", light)])


PACK = {
    "version": "1.0", "id": "meadow", "name": "Meadow", "description": "Bunnies, chicks and fish in many colours",
    "author": "Ink export farm", "license": "CC0 1.0", "release": "1.0.0",
    "targets": ["mcaddon", "sprites"],
    "pictures": {"bunny": "art/bunny.ink", "chick": "art/chick.ink", "fish": "art/fish.ink"},
    "colors": {
        "rose": "#ff9ec2", "mint": "#9be0c0", "sky": "#8fc7ff", "honey": "#ffcf70",
        "dawn": {"mode": "multiply", "gradient": ["#ff9a8b", "#ffd58a", "#fff0b0"], "angle": 160},
    },
    "effects": {
        "sparkly": {"layers": [{"picture": "art/sparkles.ink", "mode": "screen"}]},
        "spotted": {"layers": [{"picture": "art/spots.ink", "mode": "multiply", "clip": True, "opacity": 0.6}]},
        "wavy": {"layers": [{"picture": "art/waves.ink", "mode": "multiply", "clip": True, "opacity": 0.6}]},
        "shiny": {"layers": [{"picture": "art/shine.ink", "mode": "softLight", "clip": True}]},
        "tiny": {"values": {"scale": 0.5}},
    },
    "matrix": {"base": ["bunny", "chick", "fish"], "color": ["rose", "mint", "honey", "sky"],
               "effects": [["shiny"]], "id": "{color}_{base}"},
    "items": [
        {"id": "rainbow_bunny", "base": "bunny", "color": "rainbow", "effects": ["shiny", "sparkly"]},
        {"id": "dawn_chick", "base": "chick", "color": "dawn", "effects": ["wavy", "shiny", "tiny"]},
        {"id": "rainbow_fish", "base": "fish", "color": "rainbow", "effects": ["shiny", "sparkly"]},
        {"id": "spotted_bunny", "base": "bunny", "color": "honey", "effects": ["spotted", "shiny"]},
        {"id": "sparkly_chick", "base": "chick", "color": "rose", "effects": ["spotted", "shiny", "sparkly"]},
        {"id": "wavy_fish", "base": "fish", "color": "sky", "effects": ["wavy", "shiny"]},
    ],
}


def laid_out(value, indent=""):
    """JSON whose parts stand on one line where they fit."""
    line = json.dumps(value)
    if len(indent + line) <= 116 and indent or not isinstance(value, (dict, list)):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        parts, ends = [laid_out(part, inner) for part in value], "[]"
    else:
        parts, ends = [f"{json.dumps(key)}: {laid_out(part, inner)}" for key, part in value.items()], "{}"
    return ends[0] + "\n" + ",\n".join(inner + part for part in parts) + "\n" + indent + ends[1]


def write_pack(folder):
    """Writes the pack and its drawings."""
    art = folder / "art"
    art.mkdir(parents=True, exist_ok=True)
    for make in (bunny, chick, fish, sparkles, shine):
        make().write(art / f"{make.__name__}.ink")
    covered("Spots", "dots", "#b86a4a", spacing=44, dotRadius=13, rotation=30).write(art / "spots.ink")
    covered("Waves", "waves", "#d0607a", spacing=26, lineWidth=9, waveLength=60).write(art / "waves.ink")
    (folder / "meadow.inkpack").write_text(laid_out(PACK) + "\n")
