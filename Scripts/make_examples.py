#!/usr/bin/env python3
"""Draws the projects of examples/ out of recorded hand strokes (examples/sources/SOURCES.md).

    Scripts/make_examples.py [NAME...]      # all, or those named

The same sources give the same files, byte for byte. What it draws with is in ink_drawing.py.
"""

import json
import math
import sys
from pathlib import Path

import ink_drawing as ink
from ink_drawing import Layer, Mask

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
QUICKDRAW = "Quick, Draw! Dataset, Google LLC, CC BY 4.0"


def flat(color):
    """A content image of one colour; it is scaled to the whole canvas."""
    return ink.painted(2, 2, lambda u, v: ink.color_of(color))


def line_of(heights, x0, x1):
    """Points of a curve y = heights[i] from x0 to x1, azimuth 0, pressure 1."""
    n = len(heights) - 1
    return [(x0 + (x1 - x0) * i / n, y, 1.0, 0.0) for i, y in enumerate(heights)]


# Hills: contour lines that follow real wavy strokes, closer where a recorded pen pressed less.


def hills():
    canvas = (1800, 1200)
    width, height = canvas
    count, left, right = 46, -60, width + 60
    sky = ink.painted(2, 48, lambda u, v: ink.mixed(ink.color_of("#ecc49d"), ink.color_of("#fbf3e2"), v / 0.5))
    squiggle = [ink.quickdraw("squiggle", i)[0] for i in range(9)]
    pens = [ink.smoothed([p[2] for p in ink.resampled([(i, 0, q[2], 0) for i, q in enumerate(s)], count)], 2)
            for s in ink.word_ink()]

    sun = Mask(canvas, 900).polygon(ink.ellipse(1240, 330, 152, 152))
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
        mask = Mask(canvas, 450).polygon(line_of(ridge, left, right) + [(right, below), (left, below)])
        layer = Layer(f"Hill {k + 1}", mask=mask.soften(4), content=flat(paper))
        for n in range(60):
            heights = [r + 7 * spacing * (0.5 + 0.5 * p) * (n + 0.46) for r, p in zip(ridge, press)]
            if min(heights) > min(below, height) + 40:
                break
            points = [(x, y, p, a) for (x, y, _, a), p in zip(line_of(heights, left, right), press)]
            layer.stroke(points, "contourLines", color, digits=0, spacing=spacing, lineWidth=line, pressure="size")
        layers.append(layer)
        stands = {2: [(330, 46), (362, 62), (400, 40), (1180, 54), (1215, 70), (1252, 48), (1290, 60)],
                  3: [(120, 120), (185, 150), (250, 104), (1560, 110), (1630, 150)],
                  4: [(560, 200), (690, 265), (800, 180)]}.get(k, [])
        places = [(x, ridge[round((x - left) / (right - left) * (count - 1))] + 0.06 * tall + 3, tall)
                  for x, tall in stands]
        if places:
            layers.append(pines(f"Pines on hill {k + 1}", canvas, places, color))
    return "Hills", canvas, "#fbf3e2", layers, sky, QUICKDRAW + "; pressures Apache-2.0 and MIT"


def pines(name, canvas, places, color):
    """Pines of one Quick, Draw! tree, cross-hatched inside their outline; a place is x, the foot's y and the height."""
    mask, drawings = Mask(canvas, 900), []
    for x, y, tall in places:
        crown = ink.fitted(ink.quickdraw("tree", 5)[3:], x - tall * 0.29, y - tall, tall * 0.58, tall * 0.84,
                           stretched=True)
        trunk = [(x - tall * 0.05, y - tall * 0.2), (x + tall * 0.05, y - tall * 0.2), (x + tall * 0.06, y),
                 (x - tall * 0.06, y)]
        mask.polygon(crown[1]).polygon(trunk)
        drawings.append((crown, ink.bounds(crown), y, tall))
    layer = Layer(name, "multiply", 0.95, mask=mask)
    for crown, (x0, y0, x1, _), foot, tall in drawings:
        for n in range(int((foot - y0) / 24) + 1):
            y = y0 + 12 + 24 * n
            layer.stroke([(x0, y, 1, 0), (x1, y - 6, 1, 0)], "crossHatch", color, spacing=4.5, lineWidth=1.4,
                         rotation=38, opacity=0.5)
        layer.strokes(crown, "solid", color, step=9, lineWidth=2 + tall / 90)
    return layer


# "Hey" as a ribbon of fine lines that passes over and under itself: each piece erases what it crosses.


def hey():
    canvas = (2000, 1500)
    word = ink.fitted(ink.word_hey(), 250, 190, 1500, 1120)[0]
    path = ink.calmed(ink.stepped(word, 10), 6)
    spacing, reach = 5.2, 3.5 * 5.2
    warm = [ink.color_of(c) for c in ("#f2a65a", "#e4572e", "#b0215e", "#5b2a86", "#1d3f8f", "#0f7f8c")]

    def tone(t):
        k = min(len(warm) - 2, int(t * (len(warm) - 1)))
        return ink.hex_color(ink.mixed(warm[k], warm[k + 1], t * (len(warm) - 1) - k))

    ground = Layer("Ground", "multiply", 0.55, mask=Mask(canvas, 250, 1.0).shade(
        lambda x, y: 0.1 + 0.9 * (math.hypot((x - 1000) / 1000, (y - 750) / 750) / 1.3) ** 2))
    for n in range(10):
        y = 70 + 154 * n
        ground.stroke([(-60, y, 1, 0), (2060, y, 1, 0)], "dots", "#d9b98a", spacing=10, scale=1.4)

    shadow = Layer("Shadow", "multiply", 0.5)
    for s in (ink.moved([path], 26, 34)):
        azimuths = [p[3] for p in ink.resampled(ink.word_ink()[2], len(s))]
        lean = [(p[0], p[1], p[2], a) for p, a in zip(s, azimuths)][::3]
        shadow.stroke(lean, "parallelLines", "#8d7b6a", spacing=7, scale=4.2, lineWidth=0.5, opacity=0.8,
                      pressure="tilt")

    ribbon = Layer("Ribbon")
    piece = 14
    for start in range(0, len(path) - 1, piece):
        part = path[start:start + piece + 1]
        if len(part) < 3:
            continue
        if start + piece + 1 < len(path):  # a stamp's length further, for the last stamp draws nothing
            a, b = path[start + piece:start + piece + 2]
            part = part + [tuple(u + 0.55 * (v - u) for u, v in zip(a, b))]
        wipe = path[start + 8:start + piece + 5]
        if len(wipe) > 1:
            ribbon.stroke(ink.resampled(wipe, 3), "solid", mode="erase", lineWidth=6 * reach + 16)
        color = tone(start / len(path))
        for lane in (-2, 0, 2):
            ribbon.stroke(ink.beside(part, lane * reach), "contourLines", color, spacing=spacing, lineWidth=2.5)
    return "Hey", canvas, "#fbf5ea", [ground, shadow, ribbon], None, "MIT (handwriting), Apache-2.0 (tilt)"


# A boat at night: light colours on dark paper, screen and colour dodge, an erased reflection.


def night_sail():
    canvas = (1800, 1200)
    width, height = canvas
    horizon, moon, radius = 720, (1240, 320), 128
    top, low, near, deep = map(ink.color_of, ("#080d2a", "#2f4c7c", "#1b3760", "#081330"))
    squiggle = [ink.quickdraw("squiggle", i)[0] for i in range(9)]

    def paper(u, v):
        y = v * height
        if y < horizon:
            return ink.mixed(top, low, (y / horizon) ** 1.8)
        return ink.mixed(near, deep, (y - horizon) / (height - horizon))

    def streamed(line):
        """The line led round the moon, as streamlines go round a cylinder."""
        points = []
        for x, y, p, a in line:
            dx, psi = x - moon[0], y - moon[1]
            side, d = (1 if psi >= 0 else -1), abs(psi)
            for _ in range(60):
                d = 0.5 * d + 0.5 * (abs(psi) + (radius * 1.25) ** 2 * d / (dx * dx + d * d + 1e-9))
            points.append((x, moon[1] + side * d, p, a))
        return points

    sky = Layer("Wind", "screen", 0.8, mask=Mask(canvas, 300, 1.0).shade(lambda x, y: (horizon - 8 - y) / 170))
    for k in range(9):
        shape = ink.flow(squiggle[(0, 6, 7, 8)[k % 4]], -80, width + 80, 0, 70, 64, 3, mirrored=k % 3 == 1)
        line = [(x, -60 + 92 * k + y, 1, 0) for x, y, _, _ in shape]
        press = ink.smoothed([p[2] for p in ink.resampled(ink.painting()[k + 4], 64)], 5)
        line = [(x, y, 0.35 + 0.65 * p, a) for (x, y, _, a), p in zip(streamed(line), press)]
        sky.stroke(line, "contourLines", "#5f83c0", spacing=13, lineWidth=2.1, pressure="opacity")

    def glow(x, y):
        return max(0.0, 1 - math.hypot(x - moon[0], y - moon[1]) / 430) ** 1.2

    halo = Layer("Halo", "colorDodge", 1.0, mask=Mask(canvas, 300, 1.0).shade(glow))
    for n in range(-3, 4):
        y = moon[1] + 154 * n
        halo.stroke([(moon[0] - 420, y, 1, 0), (moon[0] + 420, y, 1, 0)], "dots", "#c79a52", spacing=10, scale=1.4)
    disc = Mask(canvas, 900).polygon(ink.ellipse(*moon, radius - 8, radius - 8))
    face = Layer("Moon", mask=disc.soften(4), content=flat("#f3dfae"))
    for k in range(7):
        line = ink.flow(squiggle[6 + k % 3], moon[0] - 140, moon[0] + 140, moon[1] - 130 + 40 * k, 22, 16)
        face.stroke(line, "contourLines", "#d3a45c", spacing=5.6, lineWidth=1 + 0.22 * k)

    stars = Layer("Stars", "screen", 0.95)
    places = [(150, 120, 34), (330, 300, 24), (520, 95, 28), (700, 230, 40), (880, 90, 24), (1560, 120, 36),
              (1690, 330, 26), (1480, 520, 22), (860, 430, 24), (240, 500, 28), (650, 470, 20), (80, 340, 20),
              (1030, 560, 18)]
    for k, (x, y, size) in enumerate(places):
        star = ink.fitted(ink.quickdraw("star", k % 6), x, y, size, size)
        stars.strokes(star, "solid", "#fff3d0", lineWidth=2.4)

    water = Layer("Sea", "screen", 0.9, mask=Mask(canvas, 300, 1.0).shade(lambda x, y: (y - horizon + 2) / 12))
    gold = Layer("Moonlight", "colorDodge", 0.9, mask=Mask(canvas, 300, 1.0).shade(
        lambda x, y: 1 - ((x - moon[0]) / (60 + 0.62 * (y - horizon))) ** 2 if y > horizon else 0))
    y, k, n = horizon + 8, 0.5, 0
    while y < height + 120:
        line = ink.flow(squiggle[(7, 0, 6)[n % 3]], -60, width + 60, y, 14 * k, 24, 2, mirrored=n % 2 == 0)
        tone = ink.hex_color(ink.mixed((122, 160, 205), (58, 96, 158), (y - horizon) / 460))
        water.stroke(line, "waves", tone, spacing=10, scale=round(k, 3), lineWidth=1.25)
        gold.stroke(line, "waves", "#d8a850", spacing=10, scale=round(k, 3), lineWidth=2.2)
        y, k, n = y + 68 * k, k * 1.17, n + 1

    boat = ink.fitted(ink.quickdraw("sailboat", 2), 300, 330, 480, 560)
    boat = ink.moved(boat[:2], 6, 62) + boat[2:3]
    x0, _, x1, foot = ink.bounds(boat[2:])
    for n in range(5):
        line = [(x0 + 16 + 24 * n, foot + 10 + 26 * n, 1, 0), (x1 - 20 - 22 * n, foot + 8 + 26 * n, 1, 0)]
        water.stroke(line, "waves", mode="erase", spacing=10, scale=0.7, lineWidth=3.4, opacity=0.75 - 0.12 * n)
    sails = Mask(canvas, 900).polygon(boat[0]).polygon(boat[1])
    cloth = Layer("Sails", mask=sails, content=flat("#f0e2c4"))
    for side, color, turn in ((0, "#b3552f", 62), (1, "#c98a4b", -62)):
        bx0, by0, bx1, by1 = ink.bounds([boat[side]])
        for n in range(int((by1 - by0) / 42) + 1):
            y = by0 + 20 + 42 * n
            cloth.stroke([(bx0 - 8, y, 1, 0), (bx1 + 8, y, 1, 0)], "parallelLines", color, spacing=6, scale=1.5,
                         lineWidth=0.9, rotation=turn, opacity=0.4)
    wood = Layer("Hull", mask=Mask(canvas, 900).polygon(boat[2]), content=flat("#3a1620"))
    for n in range(8):
        wood.stroke([(x0, foot - 20 - 26 * n, 1, 0), (x1, foot - 24 - 26 * n, 1, 0)], "crossHatch", "#c46a45",
                    spacing=6, scale=1.3, lineWidth=1.0, rotation=30, opacity=0.5)
    lines = Layer("Lines").strokes(boat, "solid", "#fbeccb", step=12, lineWidth=4)
    return ("Night sail", canvas, "#080d2a", [sky, halo, face, stars, water, gold, cloth, wood, lines],
            ink.painted(4, 120, paper), QUICKDRAW + "; pressures ISC")


# An owl, engraved: fur along the pen's lean, rings round the eyes, a cross-hatched back.


def owl():
    canvas = (1400, 1500)
    drawing = ink.fitted(ink.quickdraw("owl", 4), 210, 150, 980, 1140)
    body = ink.chained([drawing[4], drawing[3], drawing[1], drawing[0]])
    brown, dark = "#5a3a28", "#2a1a18"

    moon = Layer("Moon", "multiply", 0.85, mask=Mask(canvas, 350).polygon(ink.ellipse(700, 640, 600, 600)).soften(20))
    for n in range(10):
        y = 66 + 132 * n
        moon.stroke([(40, y, 1, 0), (1360, y, 1, 0)], "dots", "#e0a94f", spacing=8, scale=1.5)

    branch = Layer("Branch")
    bough = ink.fitted(ink.turned(ink.ruled_lines()[:1], -45), -40, 1268, 1480, 40, stretched=True)[0]
    bough = [(x, y, 0.55 + 0.45 * p, a) for x, y, p, a in ink.resampled(bough, 16)]
    branch.stroke(bough, "solid", "#c9a173", lineWidth=92, pressure="size")
    branch.stroke(bough, "contourLines", brown, spacing=13, lineWidth=2.4, pressure="size")
    for side in (-1, 1):
        branch.stroke(ink.beside(bough, side * 41), "solid", dark, lineWidth=5, pressure="size")

    shape = Mask(canvas, 560).polygon(body)
    back = Layer("Back", mask=shape.soften(3), content=flat("#f4ead6"))
    scribbles = [s for s in ink.painting() if len(s) > 80]
    for k, s in enumerate(scribbles[:12]):
        x, y = 200 + 330 * (k % 3), 160 + 290 * (k // 3)
        points = ink.stepped(ink.fitted([s], x, y, 400, 340, stretched=True)[0], 34)
        back.stroke(points, "crossHatch", brown, spacing=7, scale=2.0, lineWidth=0.6, rotation=35 + 10 * (k % 3),
                    opacity=0.32, pressure="opacity")

    fur = Layer("Fur", "multiply", 0.95, mask=shape)
    for k, factor in enumerate((0.97, 0.86, 0.75, 0.64, 0.53, 0.42, 0.31)):
        row = ink.calmed(ink.stepped(ink.about(drawing[4], (700, 740), factor), 24), 1)
        fur.stroke(ink.leaning(row, 68), "parallelLines", dark, spacing=7, scale=2.6 - 0.15 * k, lineWidth=0.62,
                   opacity=0.55, pressure="tilt")

    eyes = Layer("Eyes")
    for eye in (drawing[9], drawing[8]):
        x0, y0, x1, y1 = ink.bounds([eye])
        middle, size = ((x0 + x1) / 2, (y0 + y1) / 2), max(x1 - x0, y1 - y0) / 2
        eyes.stroke(ink.ringed(eye, middle, 0.8)[:41:4], "solid", "#f8f0dc", lineWidth=size * 1.5)
        apart = round(size * 0.07, 2)
        for factor, color, width in ((1.3, brown, 2.6), (0.8, "#b8692b", 2.4)):
            eyes.stroke(ink.ringed(eye, middle, factor), "contourLines", color, spacing=apart, lineWidth=width)
        eyes.stroke(ink.ringed(eye, middle), "solid", dark, lineWidth=7)
        eyes.stroke([(*middle, 1, 0)], "solid", dark, lineWidth=size * 0.98)
        eyes.stroke([(middle[0] + size * 0.17, middle[1] - size * 0.2, 1, 0)], "solid", "#fff8e8",
                    lineWidth=size * 0.22)

    x0, y0, x1, y1 = ink.bounds(drawing[7:8])
    beak = Layer("Beak", mask=Mask(canvas, 560).polygon(drawing[7]), content=flat("#e3a04c"))
    for n in range(4):
        beak.stroke([(x0, y0 + 20 + 40 * n, 1, 0), (x1, y0 + 20 + 40 * n, 1, 0)], "parallelLines", "#9c4a1f",
                    spacing=6, scale=1.4, rotation=30, opacity=0.4)
    lines = Layer("Lines", "multiply")
    lines.strokes(drawing[:8], "solid", dark, step=13, lineWidth=6.5)
    return "Owl", canvas, "#f7f0e2", [moon, branch, back, fur, beak, eyes, lines], None, \
        QUICKDRAW + "; ISC (hatching), MIT (branch)"


# A botanical plate: a rose and two sprigs; each petal is hatched across its own outline, as an engraver would.


def rose():
    canvas = (1400, 1800)
    flower = ink.fitted(ink.valentine(0), 290, 190, 820, 1330)
    head, leaves = flower[54:85] + flower[86:], [flower[38:54], flower[7:19], flower[19:38]]
    stem = flower[:3]
    pink, green, dark = "#b3304f", "#3f6b4a", "#35202a"

    oval = Mask(canvas, 350).polygon(ink.ellipse(700, 860, 560, 740)).soften(60)
    ground = Layer("Ground", "multiply", 0.75, mask=oval)
    for n in range(19):
        line = ink.flow(ink.quickdraw("squiggle", (0, 6, 7)[n % 3])[0], 60, 1340, 92 + 84 * n, 9, 20, 2, n % 2 == 0)
        ground.stroke(line, "waves", "#b9c6a4", spacing=10, scale=1.2, lineWidth=1.5)

    wash = Layer("Wash", mask=Mask(canvas, 350).polygon(ink.hull([p for s in head for p in s])).soften(10),
                 content=flat("#f6d3cc"))
    petals = Layer("Petals", "multiply", 1.0, mask=Mask(canvas, 350).polygon(
        ink.hull([p for s in head for p in s])).soften(12))
    for s in head:
        line = ink.stepped(s, 13)
        petals.stroke(ink.leaning(line, 82), "parallelLines", pink, spacing=6, scale=2.1, lineWidth=0.75,
                      opacity=0.3, pressure="tilt")

    greens = []
    for k, leaf in enumerate(leaves):
        outline = ink.hull([p for s in leaf for p in s])
        layer = Layer(f"Leaf {k + 1}", "multiply", 1.0, mask=Mask(canvas, 350).polygon(outline).soften(7),
                      content=flat("#dfe6cb"))
        x0, y0, x1, y1 = ink.bounds(leaf)
        for n in range(int((y1 - y0) / 30) + 1):
            layer.stroke([(x0, y0 + 30 * n, 1, 0), (x1, y0 + 12 + 30 * n, 1, 0)], "crossHatch", green, spacing=5,
                         scale=1.3, lineWidth=0.8, rotation=25 + 20 * k, opacity=0.34)
        greens.append(layer)

    stems = Layer("Stem", "multiply")
    for s in stem[:2]:
        stems.stroke(ink.stepped(s, 22), "contourLines", green, spacing=3.2, lineWidth=1.8, opacity=0.9)
    lines = Layer("Lines", "multiply")
    lines.strokes(flower, "solid", dark, step=9, lineWidth=6.5, pressure="size")

    sprig = ink.valentine(1)
    split = sorted(sprig, key=lambda s: ink.bounds([s])[0])
    gaps = [(ink.bounds([b])[0] - max(ink.bounds([q])[2] for q in split[:i + 1]), i + 1)
            for i, b in enumerate(split[1:])]
    parts = split[:max(gaps)[1]], split[max(gaps)[1]:]
    sprigs = Layer("Sprigs", "multiply", 0.95)
    for part, x, mirrored in ((parts[0], 130, False), (parts[1], 830, True)):
        placed = ink.fitted(ink.turned(part, 0, mirrored), x, 1200, 430, 400)
        sprigs.strokes(placed, "solid", "#2f4d39", step=9, lineWidth=4.5, pressure="size")
        for s in placed:
            sprigs.stroke(ink.leaning(ink.stepped(s, 22), 90), "parallelLines", "#c98a3d", spacing=6, scale=1.0,
                          lineWidth=0.9, opacity=0.35, pressure="tilt")

    frame = Layer("Frame", "multiply", 0.9)
    edge = ink.turned(ink.ruled_lines()[:1], -45)[0]
    long = ink.flow(edge, 46, 1354, 0, 5, 24)
    tall = [(y, x, p, a) for x, y, p, a in ink.flow(edge, 46, 1754, 0, 5, 30)]
    for line in (ink.moved([long], 0, 58)[0], ink.moved([long], 0, 1737)[0], ink.moved([tall], 58, 0)[0],
                 ink.moved([tall], 1337, 0)[0]):
        frame.stroke(line, "contourLines", "#7a5a44", spacing=4.2, lineWidth=1.5)
    return "Rose", canvas, "#fbf6ea", [ground, frame, *greens, stems, wash, petals, sprigs, lines], None, \
        "MIT (rose, frame); " + QUICKDRAW


# A template: a cat's face in flat colours; every region suggests a pattern.


def cat_template(folder):
    canvas = (640, 640)
    drawing = ink.fitted(ink.quickdraw("cat", 0), 60, 50, 520, 540)
    x0, y0, x1, y1 = ink.bounds(drawing[:1])
    middle = ((x0 + x1) / 2, (y0 + y1) / 2)
    face = ink.ringed(drawing[0], middle, 1.0, 60)
    ears = [ink.calmed(ink.stepped(s, 6), 1) for s in drawing[1:3]]
    muzzle = ink.ellipse(middle[0] - 4, middle[1] + 88, 112, 78)

    def region(*polygons, without=()):
        mask = Mask(canvas, 320)
        for polygon in polygons:
            mask.polygon(polygon)
        for polygon in without:
            mask.polygon(polygon, 0.0)
        return mask.soften(4)

    sheet = [(-5, -5), (645, -5), (645, 645), (-5, 645)]
    regions = [
        ("night", region(sheet, without=[face, *ears]), "dots", 0, 11, "#6f86b8"),
        ("ears", region(*ears, without=[face]), "crossHatch", 45, 7, "#b5533c"),
        ("face", region(face, without=[muzzle]), "waves", 0, 10, "#cf7a35"),
        ("muzzle", region(muzzle), "parallelLines", 0, 8, "#d9b48a"),
    ]
    outline = Mask(canvas, 640)
    for s in [face, *ears, *drawing[3:]]:
        line = ink.stepped(s, 5)
        left, right = ink.beside(line, -2.6), ink.beside(line, 2.6)
        for i in range(len(line) - 2):  # each piece runs into the next, so that no seam shows
            outline.polygon([left[i], left[i + 1], left[i + 2], right[i + 2], right[i + 1], right[i]])
    fills = [(m, ink.color_of(c)) for (_, m, *_), c in zip(regions, ("#dfe5f2", "#f3cfc0", "#fbe3c4", "#fff6e6"))]
    dark, rows = ink.color_of("#2b2230"), []
    for j in range(640):
        row = bytearray()
        for i in range(640):
            color = (255, 255, 255)
            for mask, fill in fills:
                color = ink.mixed(color, fill, mask.rows[j // 2][i // 2])
            row += bytes(round(c) for c in ink.mixed(color, dark, outline.rows[j][i]))
        rows.append(bytes(row))
    (folder / "layers").mkdir(parents=True, exist_ok=True)
    (folder / "base.png").write_bytes(ink.png(640, 640, rows, channels=3))
    layers = []
    for order, (name, mask, kind, rotation, spacing, color) in enumerate(regions):
        (folder / "layers" / f"{name}_mask.png").write_bytes(mask.png())
        layers.append({"id": name, "name": name.capitalize(), "order": order, "blendMode": "multiply",
                       "mask": f"layers/{name}_mask.png",
                       "suggestedPattern": {"type": kind, "rotation": rotation, "spacing": spacing, "color": color}})
    manifest = {"version": "1.0", "id": "cat", "name": "Cat", "author": "Ink export farm",
                "license": QUICKDRAW, "canvasSize": {"width": canvas[0], "height": canvas[1]}, "layers": layers}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")


PICTURES = {"hills": hills, "hey": hey, "night-sail": night_sail, "owl": owl, "rose": rose}
TEMPLATES = {"cat": cat_template}


def main(names):
    for name in names or [*PICTURES, *TEMPLATES]:
        if name in TEMPLATES:
            TEMPLATES[name](EXAMPLES / f"{name}.inktemplate")
            continue
        title, canvas, background, layers, base, license_text = PICTURES[name]()
        ink.write_project(EXAMPLES / f"{name}.ink", title, canvas, background, layers, base, license_text)


if __name__ == "__main__":
    main(sys.argv[1:])
