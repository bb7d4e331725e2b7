"""An owl: a breast of feathers in contour lines, clipped to the hand-drawn body, on a moon of dots."""

import math

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Mask, Outline, Picture


def picture():
    canvas = (1400, 1460)
    drawing = ink.fitted(ink.quickdraw("owl", 4), 210, 150, 980, 1140)
    body = ink.chained([drawing[4], drawing[3], drawing[1], drawing[0]])
    brown, dark = "#5a3a28", "#2a1a18"

    moon = Layer("Moon", mask=Mask(canvas, 350).polygon(ink.ellipse(700, 660, 640, 640)).soften(20))
    moon.cover((40, 0, 1360, 1310), "dots", "#eab65c", spacing=8, scale=2.0, rotation=45)

    branch = Layer("Branch")
    bough = ink.fitted(ink.turned(ink.ruled_lines()[:1], -45), -60, 1268, 1540, 40, stretched=True)[0]
    bough = [(x, y, 0.55 + 0.45 * p, a) for x, y, p, a in ink.resampled(bough, 16)]
    branch.stroke(bough, "solid", dark, lineWidth=104, pressure="size")
    branch.stroke(bough, "solid", "#c9a173", lineWidth=92, pressure="size")
    branch.stroke(bough, "contourLines", brown, spacing=13, lineWidth=2.4, pressure="size")

    owl = Group("Owl")
    owl.add(Fill("Body", "#8a5a36", mask=Outline(body)))
    feathers = owl.add(Layer("Feathers", clipped=True))
    tones = [ink.color_of(c) for c in ("#f3dcb0", "#dcae6c", "#a86d3c", "#6b422b")]
    for row in range(20, -4, -1):
        for column in range(-1, 11):
            x, y = 160 + 112 * column + 56 * (row % 2), 150 + 58 * row
            far = min(2.99, math.hypot((x - 690) / 470, (y - 820) / 640) * 3.1)
            paper = ink.mixed(tones[int(far)], tones[int(far) + 1] if far < 2 else (74, 46, 32), far - int(far))
            feathers.stroke([(x, y, 1, 0)], "solid", dark, lineWidth=140)
            feathers.stroke([(x, y, 1, 0)], "solid", ink.hex_color(paper), lineWidth=130)
            ring = [(x + 33 * math.cos(math.radians(a)), y + 33 * math.sin(math.radians(a)), 1, 0)
                    for a in range(-20, 201, 20)]
            feathers.stroke(ring, "contourLines", ink.hex_color(ink.mixed(paper, (42, 20, 16), 0.55)), spacing=7.6,
                            lineWidth=2.4)
    shade = owl.add(Layer("Shade", "multiply", clipped=True))
    for factor, turn, color in ((0.97, 35, "#6b4a5c"), (1.0, -35, "#6b4a5c")):
        edge = ink.calmed(ink.stepped(ink.about(drawing[4], (700, 740), factor), 24), 1)
        shade.pattern(edge, "parallelLines", color, 230 if turn > 0 else 120, spacing=9, lineWidth=2.4, rotation=turn)

    eyes = Layer("Eyes")
    for eye in (drawing[9], drawing[8]):
        x0, y0, x1, y1 = ink.bounds([eye])
        middle, size = ((x0 + x1) / 2, (y0 + y1) / 2), max(x1 - x0, y1 - y0) / 2
        eyes.stroke([(*middle, 1, 0)], "solid", dark, lineWidth=size * 3.3)
        eyes.stroke([(*middle, 1, 0)], "solid", "#f8f0dc", lineWidth=size * 3.2)
        apart = round(size * 0.07, 2)
        for factor, color, width in ((1.26, brown, 2.6), (0.8, "#d07a2a", 3.0)):
            eyes.stroke(ink.ringed(eye, middle, factor), "contourLines", color, closed=True, spacing=apart,
                        lineWidth=width)
        eyes.stroke(ink.ringed(eye, middle), "solid", dark, closed=True, lineWidth=7)
        eyes.stroke([(*middle, 1, 0)], "solid", dark, lineWidth=size * 1.02)
        eyes.stroke([(middle[0] + size * 0.17, middle[1] - size * 0.2, 1, 0)], "solid", "#fff8e8",
                    lineWidth=size * 0.22)

    x0, y0, x1, y1 = ink.bounds(drawing[7:8])
    beak = Group("Beak")
    beak.add(Fill("Horn", "#eda84a", mask=Outline(drawing[7])))
    beak.add(Layer("Hatching", clipped=True)).cover((x0, y0, x1, y1), "parallelLines", "#b25c22", spacing=8,
                                                    lineWidth=2.6, rotation=35)
    lines = Layer("Lines")
    lines.strokes(drawing[:5], "solid", dark, step=13, lineWidth=8)
    for claw in drawing[5:7]:
        lines.stroke(ink.tapered(ink.stepped(claw, 8), 0.4), "solid", dark, pressure="size", least={"minimumSize": 0},
                     lineWidth=11)
    lines.stroke(ink.stepped(drawing[7], 13), "solid", dark, closed=True, lineWidth=8)
    return Picture("Owl", canvas, "#f9f1e0", [moon, owl, branch, eyes, beak, lines],
                   ink.QUICKDRAW + "; MIT (branch)")
