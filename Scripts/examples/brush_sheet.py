"""The pictures of docs/brushes.md: each type of brush in a landscape, and a strip for each of its settings.

One drawing on an infinite canvas, seen through a viewport a picture: TYPE and TYPE-SETTING.
"""

import ink_drawing as ink
from ink_drawing import Layer, Outline, Picture, viewport

WIDE, SCENE, TALL, GAP = 540, 190, 140, 36      # of a strip, of a landscape, and between them
INK, PAPER = "#39324a", "#fdf8ec"

# Three colours of a type, from light to dark, and what all its strips have in common.
TYPES = {
    "parallelLines": (("#7fa3c7", "#2f5f8f", "#1c2f55"), dict(rotation=35, spacing=8, lineWidth=2.2)),
    "crossHatch": (("#d98aa0", "#8a3f5c", "#4a1d3a"), dict(rotation=45, spacing=11, lineWidth=1.8)),
    "dots": (("#e8b04a", "#c8722b", "#8f3b2e"), dict(rotation=20, spacing=9, scale=1.2)),
    "waves": (("#7cc0ae", "#2c7d74", "#174a5c"), dict(rotation=0, spacing=9, scale=1.2, lineWidth=1.8)),
    "contourLines": (("#a3b95f", "#4f6b35", "#27402f"), dict(spacing=5, lineWidth=2)),
    "solid": (("#8c86b8", "#3d3a63", "#1d1b36"), dict(lineWidth=22)),
}
ALL, PATTERNS = tuple(TYPES), ("parallelLines", "crossHatch", "dots", "waves")

# What a strip shows of a setting, by the types on which the setting has an effect.
SETTINGS = {
    "anchor": {PATTERNS: ("tap", "stamp", "canvas")},
    "rotation": {PATTERNS: (0, 30, 75)},
    "spacing": {("parallelLines",): (5, 9, 16), ("crossHatch",): (7, 12, 20), ("dots", "waves"): (6, 9, 15),
                ("contourLines",): (3, 5, 8)},
    "lineWidth": {("parallelLines", "crossHatch", "waves"): (1, 2.5, 5), ("contourLines",): (1, 2, 4), ("solid",): (5, 22, 46)},
    "scale": {PATTERNS: (0.6, 1.1, 1.7), ("contourLines",): (0.5, 1, 1.6), ("solid",): (0.25, 1, 2)},
    "size": {PATTERNS: (15, 35, 54)},
    "opacity": {ALL: (0.3, 0.6, 1)},
    "color": {(kind,): colors for kind, (colors, _) in TYPES.items()},
    "mode": {ALL: ("paint", "erase", "erased")},
    "pressureAffectsOpacity": {ALL: (False, True)},
    "pressureAffectsSize": {ALL: (False, True)},
    "tiltAffectsRotation": {PATTERNS: (False, True)},
    "minimumSize": {ALL: (0, 0.5, 1)},
    "minimumOpacity": {ALL: (0, 0.4, 1)},
    "lines": {("parallelLines", "crossHatch", "waves", "contourLines"): (1, 3, 7)},
    "dotRadius": {("dots",): (1, 2, 3.5)},
    "waveLength": {("waves",): (6, 10, 24)},
    "edge": {("dots",): ("cut", "whole")},
    "caps": {("contourLines",): ("butt", "round")},
    "stampSpacing": {PATTERNS: (10, 25, 50)},
    "followsPath": {PATTERNS: (False, True)},
    "smoothing": {ALL: ("uniform", "centripetal", "none")},
    "closed": {ALL: (False, True)},
}
DYNAMICS = {"pressureAffectsOpacity": "opacity", "pressureAffectsSize": "size", "tiltAffectsRotation": "tilt",
            "minimumOpacity": "opacity", "minimumSize": "size"}
# Settings of stamps alone, and few points at very different distances, about a middle.
OF_STAMPS = ("tiltAffectsRotation", "stampSpacing", "followsPath", "lines")
CORNERS = [(-52, 20, 1, 0), (-40, -24, 1, 0), (34, -24, 1, 0), (46, -12, 1, 0), (48, 22, 1, 0)]
# In which stamps are drawn: more of them make a darker stroke.
STAMPED = {"parallelLines": dict(spacing=7, lineWidth=1.4), "crossHatch": dict(spacing=10, lineWidth=1.1, scale=0.8),
           "dots": dict(spacing=11, scale=0.38), "waves": dict(spacing=8, lineWidth=1.1, scale=1)}


def values(kind, setting):
    """The values that a strip shows; none where the setting has no effect on the type."""
    return next((shown for kinds, shown in SETTINGS[setting].items() if kind in kinds), ())


class Sheet:
    def __init__(self):
        self.curve = ink.calmed(ink.stepped(ink.quickdraw("squiggle", 0)[0], 6), 5)
        pressed = [p[2] for p in ink.painting()[0]]
        low, high = min(pressed), max(pressed)
        self.pressures = ink.resampled([(i, 0, (p - low) / (high - low), 0) for i, p in enumerate(pressed)], 200)
        self.labels, self.elements, self.viewports = Layer("Labels"), [], []

    def line(self, x, y, wide=96, tall=44, part=1.0):
        """The squiggle about a point, by a pen that is pressed harder and leans over farther on its way."""
        line = ink.stepped(ink.fitted([self.curve[:round(part * len(self.curve))]], x - wide / 2, y - tall / 2, wide, tall, stretched=True)[0], 8)
        reach = len(line) - 1
        return [(px, py, self.pressures[round(199 * i / reach)][2], 90 * i / reach) for i, (px, py, *_) in enumerate(line)]

    def label(self, text, x, y, unit=2.5, centred=True):
        strokes = ink.written(text, 0, 0, unit)
        x0, _, x1, _ = ink.bounds(strokes)
        self.labels.strokes(ink.moved(strokes, x - ((x0 + x1) / 2 if centred else x1), y), "solid", INK,
                            lineWidth=round(0.75 * unit, 2), digits=2)

    def draw(self, layer, kind, x, y, setting, value):
        """One value of a setting, about a point."""
        (_, color, _), common = TYPES[kind]
        brush, points, acts, mode, size = dict(common), self.line(x, y, part=0.6 if kind == "contourLines" else 1), None, "paint", 46
        still, line = kind in PATTERNS, {}
        if setting in OF_STAMPS and still:
            still, brush = False, brush | STAMPED[kind]
        if setting == "anchor":
            still = value == "canvas"
            brush = brush if still else brush | STAMPED[kind]
            points = [(x, y, 1, 0)] if value == "tap" else points
        elif setting == "color":
            color = value
        elif setting == "size":
            size = value * brush.get("scale", 1)
        elif setting == "mode":
            mode = "erase" if value == "erase" else "paint"
        elif setting in ("minimumSize", "minimumOpacity"):
            acts, line = DYNAMICS[setting], {"least": {setting: value}}
            points = self.line(x, y, 120, 44)
        elif setting in DYNAMICS:
            acts = DYNAMICS[setting] if value else None
            points = self.line(x, y, 200, 44)
        elif setting in ("smoothing", "closed"):
            line = {setting: value}
            points = [(x + dx, y + dy, *rest) for dx, dy, *rest in CORNERS]
            size, brush = 22, brush | ({"lineWidth": 8} if kind == "solid" else {})
            brush |= {"spacing": 3, "lineWidth": 1} if kind == "contourLines" else {}
        else:
            size = 31 * value if setting == "scale" else 60 if setting == "edge" else size
            brush[setting] = value
        if still:
            brush |= {"anchor": "canvas", "size": round(size / brush.get("scale", 1), 2)}
        if value == "erase":
            layer.stroke([(x - 42, y, 1, 0), (x + 42, y, 1, 0)], "solid", color, lineWidth=84)
        layer.stroke(points, kind, color, mode=mode, pressure=acts, **line, **brush)
        if value == "erased":
            layer.stroke(self.line(x, y, 120, 30), "solid", mode="erase", lineWidth=9)

    def strip(self, kind, setting, left, top):
        shown, layer = values(kind, setting), Layer(f"{kind} {setting}")
        for column, value in enumerate(shown):
            x = left + WIDE * (column + 0.5) / len(shown)
            self.draw(layer, kind, x, top + 58, setting, value)
            self.label(str(value).lower(), x, top + TALL - 10)
        self.show(f"{kind}-{setting}", left, top, TALL, layer)

    def show(self, name, left, top, tall, *elements):
        self.elements += elements
        self.viewports.append(viewport(name, left + WIDE / 2, top + tall / 2, 1, 0, WIDE, tall))

    def landscape(self, kind, left, top):
        """A sun, and two hills before it, of nothing but the brush."""
        (light, middle, dark), common = TYPES[kind]
        right, bottom, sun = left + WIDE, top + SCENE, (left + 0.7 * WIDE, top + 66)
        sky = Layer(f"{kind} sun")
        if kind in PATTERNS:
            sky.pattern([(*sun, 1, 0)], kind, light, 96, **common)
        elif kind == "solid":
            sky.stroke([(*sun, 1, 0)], kind, light, lineWidth=92)
        else:
            sky.stroke(ink.ellipse(*sun, 27, 27, 40), kind, light, closed=True, **common)
        elements = [sky]
        for squiggle, y, tall, color, turn in ((4, 58, 70, middle, -25), (0, 112, 52, dark, 20)):
            ridge = ink.flow(ink.quickdraw("squiggle", squiggle)[0], left - 8, right + 8, top + y, tall, 60, 4)
            land = f"{ink.curved(ridge)}L{right + 8} {bottom + 8}L{left - 8} {bottom + 8}Z"
            hill = Layer(f"{kind} hill", mask=Outline(land))
            # What lies behind does not show between the marks.
            hill.shape(land, PAPER)
            if kind in PATTERNS:
                hill.cover((left - 8, top, right + 8, bottom + 8), kind, color,
                           **common | {"rotation": common["rotation"] + turn})
            for k in range(0 if kind in PATTERNS else 6):
                below = [(px, py + k * (35 if kind == "contourLines" else 11 + 2 * k), *rest) for px, py, *rest in ridge]
                hill.stroke(ink.stepped(below, 20), kind, color,
                            **common | ({} if kind == "contourLines" else {"lineWidth": 15 - 2.4 * k}))
            elements.append(hill)
        self.show(kind, left, top, SCENE, *elements)


def picture():
    sheet = Sheet()
    for row, setting in enumerate(SETTINGS):
        sheet.label(setting, -GAP, SCENE + GAP + row * (TALL + GAP) + 66, 3, centred=False)
    for column, kind in enumerate(TYPES):
        left = column * (WIDE + GAP)
        sheet.label(kind, left + WIDE / 2, -40, 4.5)
        sheet.landscape(kind, left, 0)
        for row, setting in enumerate(SETTINGS):
            if values(kind, setting):
                sheet.strip(kind, setting, left, SCENE + GAP + row * (TALL + GAP))
    return Picture("Brush sheet", None, PAPER, [*sheet.elements, sheet.labels],
                   ink.QUICKDRAW + "; pressure ISC", viewports=sheet.viewports)
