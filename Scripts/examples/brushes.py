"""A sheet of brushes: a row for each type, and what its settings change; labels are drawn with a font of strokes."""

import ink_drawing as ink
from ink_drawing import Layer, Picture

ROWS = [("parallelLines", "#2f5f8f", dict(rotation=35, spacing=8, lineWidth=2.2)),
        ("crossHatch", "#8a3f5c", dict(rotation=45, spacing=11, lineWidth=1.8)),
        ("dots", "#c8722b", dict(rotation=20, spacing=9, scale=1.2)),
        ("waves", "#2c7d74", dict(spacing=9, scale=1.2, lineWidth=1.6)),
        ("contourLines", "#4f6b35", dict(spacing=5, lineWidth=1.8)),
        ("solid", "#3d3a63", dict(lineWidth=34))]
COLUMNS = ["canvas", "stamp", "spacing", "rotation", "scale", "lineWidth", "pressure"]


def picture():
    left, top, wide, tall = 300, 120, 240, 180
    canvas = (left + wide * len(COLUMNS) + 40, top + tall * len(ROWS) + 40)
    ground, labels, marks = Layer("Ground"), Layer("Labels"), Layer("Marks")
    curve = ink.calmed(ink.stepped(ink.quickdraw("squiggle", 0)[0], 6), 5)
    pressures = [p[2] for p in ink.word_ink()[3]]

    for column, name in enumerate(COLUMNS):
        labels.strokes(ink.written(name, left + wide * column + 26, 84, 4.2), "solid", "#39324a", lineWidth=3, digits=2)
    for row, (kind, color, brush) in enumerate(ROWS):
        y = top + tall * row
        ground.stroke([(40, y, 1, 0), (canvas[0] - 40, y, 1, 0)], "solid", "#d9cdb8", lineWidth=2)
        labels.strokes(ink.written(kind, 40, y + tall / 2 + 10, 3.5), "solid", "#39324a", lineWidth=3, digits=2)
        still = kind not in ("contourLines", "solid")

        def draw(column, changed, points=None, part=1, **keywords):
            x = left + wide * column + 22
            line = points or ink.fitted([curve], x + 24, y + 54, wide * part - 96, tall - 108, stretched=True)[0]
            settings = {**brush, **changed}
            if still and not keywords.pop("stamp", False):
                settings["anchor"] = "canvas"
                settings["size"] = round(keywords.pop("size", 46) / settings.get("scale", 1), 2)
            keywords.pop("stamp", None), keywords.pop("size", None)
            marks.stroke(ink.stepped(line, 14), kind, color, **settings, **keywords)

        def halves(column, first, second):
            x, middle = left + wide * column + 40, y + tall / 2
            for k, changed in enumerate((first, second)):
                at = x + 102 * k
                draw(column, changed, [(at + 22, middle - 34, 1, 0), (at + 30, middle, 1, 0), (at + 22, middle + 34, 1, 0)],
                     size=74)

        draw(0, {}, part=1 if still else 2)
        if still:
            draw(1, {"scale": 0.45} if kind == "dots" else {}, stamp=True)
            gap = brush["spacing"]
            halves(2, {"spacing": round(gap * 0.7, 1)}, {"spacing": round(gap * 1.7, 1)})
            halves(3, {"rotation": 0}, {"rotation": 60})
            halves(4, {"scale": 0.6 * brush.get("scale", 1)}, {"scale": 1.5 * brush.get("scale", 1)})
            if kind != "dots":
                halves(5, {"lineWidth": 1}, {"lineWidth": round(gap * 0.45, 1)})
        elif kind == "contourLines":
            halves(2, {"spacing": 4}, {"spacing": 9})
            halves(4, {"scale": 0.6}, {"scale": 1.3})
            halves(5, {"lineWidth": 1}, {"lineWidth": 4.5})
        else:
            halves(4, {"scale": 0.4}, {"scale": 1.5})
            halves(5, {"lineWidth": 8}, {"lineWidth": 60})
        pressed = ink.fitted([curve], left + wide * 6 + 46, y + 54, wide - 96, tall - 108, stretched=True)[0]
        pressed = ink.stepped(pressed, 14)
        strength = [p[2] for p in ink.resampled([(i, 0, p, 0) for i, p in enumerate(pressures)], len(pressed))]
        pressed = [(px, py, min(1, s / 0.89), a) for (px, py, _, a), s in zip(pressed, strength)]
        draw(6, {}, pressed, pressure="size" if kind != "contourLines" else "size opacity", size=58)
    return Picture("Brushes", canvas, "#fdf8ec", [ground, marks, labels],
                   ink.QUICKDRAW + "; pressure Apache-2.0")
