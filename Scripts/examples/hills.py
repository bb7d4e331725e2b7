"""Hills: contour lines that follow real wavy strokes, closer where a recorded pen pressed less."""

import math

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Outline, Picture


def picture():
    canvas = (1800, 1200)
    width, height = canvas
    count, left, right = 46, -60, width + 60
    sky = ink.painted(2, 48, lambda u, v: ink.mixed(ink.color_of("#ecc49d"), ink.color_of("#fbf3e2"), v / 0.5))
    squiggle = [ink.quickdraw("squiggle", i)[0] for i in range(9)]
    pens = [ink.smoothed([p[2] for p in ink.resampled([(i, 0, q[2], 0) for i, q in enumerate(s)], count)], 2)
            for s in ink.word_ink()]

    sun = Outline(ink.disc(1240, 330, 152))
    disc = Layer("Sun", "multiply", 0.92, mask=sun)
    for k in range(8):
        line = ink.fitted(ink.turned(ink.ruled_lines()[:1], -45), 1060, 170 + 46 * k, 360, 7, stretched=True)[0]
        disc.stroke(ink.resampled(line, 14), "contourLines", "#d5502c", spacing=6.6, lineWidth=1.0 + 0.55 * k)

    wind = Layer("Wind", "multiply", 0.5)
    for index, x, y, long, tall in [(0, 120, 120, 820, 60), (6, 640, 78, 1040, 50), (7, 300, 262, 640, 44)]:
        line = ink.flow(squiggle[index], x, x + long, y, tall, 30, 2)
        wind.stroke([(*p[:2], math.sin(math.pi * i / 29), 0) for i, p in enumerate(line)], "contourLines", "#7f969c",
                    spacing=6, lineWidth=1.4, pressure="size opacity")

    layers = [disc, wind]
    # squiggle, top, height, spacing, line width, colour, paper, whose pressure
    rows = [
        (0, 430, 120, 5.8, 1.5, "#93a7ad", "#f3ead9", 2),
        (6, 520, 150, 7.0, 1.9, "#6f9096", "#efe6d2", 0),
        (7, 610, 190, 8.6, 2.4, "#4a7479", "#ebe3cb", 3),
        (8, 760, 150, 10.4, 3.0, "#2c585c", "#e6dfc3", 2),
        (2, 900, 170, 12.4, 3.7, "#16393f", "#dfdab9", 0),
    ]
    for k, (index, top, tall, spacing, line, color, paper, pen) in enumerate(rows):
        ridge = [p[1] for p in ink.flow(squiggle[index], left, right, top, tall, count, 2, mirrored=k % 2 == 1)]
        low, high = min(pens[pen]), max(pens[pen])
        press = [(p - low) / (high - low) for p in pens[pen]]
        below = height + 40 if k == len(rows) - 1 else top + tall + 330
        crest = ink.line_of(ridge, left, right)
        mask = Outline(f"{ink.curved(crest)}L{right} {below}L{left} {below}Z")
        hill = Group(f"Hill {k + 1}")
        hill.add(Fill("Paper", paper, mask=mask))
        layer = hill.add(Layer("Lines", clipped=True))
        layer.stroke(crest, "solid", color, lineWidth=2 * line)
        for n in range(60):
            heights = [r + 7 * spacing * (0.5 + 0.5 * p) * (n + 0.46) for r, p in zip(ridge, press)]
            if min(heights) > min(below, height) + 40:
                break
            points = [(x, y, p, a) for (x, y, _, a), p in zip(ink.line_of(heights, left, right), press)]
            layer.stroke(points, "contourLines", color, spacing=spacing, lineWidth=line, pressure="size")
        layers.append(hill)
        stands = {2: [(330, 46), (362, 62), (400, 40), (1180, 54), (1215, 70), (1252, 48), (1290, 60)],
                  3: [(120, 120), (185, 150), (250, 104), (1560, 110), (1630, 150)],
                  4: [(560, 200), (690, 265), (800, 180)]}.get(k, [])
        places = [(x, ridge[round((x - left) / (right - left) * (count - 1))] + 0.06 * tall + 3, tall)
                  for x, tall in stands]
        if places:
            layers.append(pines(f"Pines on hill {k + 1}", places, color))
    return Picture("Hills", canvas, "#fbf3e2", layers, ink.QUICKDRAW + "; pressures Apache-2.0 and MIT", sky)


def pines(name, places, color):
    """Pines of one Quick, Draw! tree: hatched outlines; a place is x, the foot's y, the height."""
    group = Group(name)
    for x, y, tall in places:
        crown = ink.fitted(ink.quickdraw("tree", 5)[3:], x - tall * 0.29, y - tall, tall * 0.58, tall * 0.84,
                           stretched=True)
        trunk = [(x - tall * 0.05, y - tall * 0.2, 1, 0), (x + tall * 0.05, y - tall * 0.2, 1, 0),
                 (x + tall * 0.06, y, 1, 0), (x - tall * 0.06, y, 1, 0)]
        group.add(Fill("Paper", "#dfe2c8", mask=Outline(crown[1], trunk)))
        hatch = group.add(Layer("Hatching", clipped=True))
        hatch.cover((x - tall, y - tall, x + tall, y), "parallelLines", color, rotation=38,
                    spacing=round(3.4 + tall / 60, 1),
                    lineWidth=round(1.9 + tall / 100, 1))
        outline = group.add(Layer("Lines")).strokes(crown, "solid", color, step=9, lineWidth=round(2 + tall / 90, 1))
        outline.stroke(trunk[1:] + trunk[:1], "solid", color, smoothing="none", lineWidth=round(2 + tall / 90, 1))
    return group
