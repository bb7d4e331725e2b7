"""A botanical plate: a rose and two sprigs, hatched by patterns that lie still under the strokes of each petal."""

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Mask, Outline, Patch, Picture


def hatched(layer, strokes, color, size, spacing, width, turn):
    """Hatching along strokes, across their direction by quarter turns, so that lines which meet agree."""
    for s in strokes:
        line = ink.stepped(s, 14)
        (xa, ya, *_), (xb, yb, *_) = line[0], line[-1]
        steep = abs(yb - ya) > abs(xb - xa)
        layer.pattern(line, "parallelLines", color, size, spacing=spacing, lineWidth=width,
                      rotation=turn + (90 if steep else 0))


def picture():
    canvas = (1400, 1800)
    flower = ink.fitted(ink.valentine(0), 290, 190, 820, 1330)
    head, leaves = flower[54:85] + flower[86:], [flower[38:54], flower[7:19], flower[19:38]]
    green, dark = "#2f6a4c", "#35202a"

    oval = Mask(canvas, 350).polygon(ink.ellipse(700, 880, 545, 745)).soften(40)
    ground = Layer("Ground", mask=oval)
    ground.cover((60, 60, 1340, 1740), "waves", "#c9d3ae", spacing=11, scale=1.8, lineWidth=1.1)

    blossom = Group("Blossom")
    crown = ink.hull([p for s in head for p in s])
    blossom.add(Fill("Wash", "#f8cfc9", mask=Patch(crown, scale=0.5, margin=12).soften(6)))
    petals = blossom.add(Layer("Petals", "multiply", clipped=True))
    x0, y0, x1, y1 = ink.bounds(head)
    petals.pattern([(x0 + 120, y1 - 60, 1, 0), ((x0 + x1) / 2, y1 - 40, 1, 0), (x1 - 60, y1 - 110, 1, 0)],
                   "parallelLines", "#e58e97", 230, spacing=8, lineWidth=2.2, rotation=20)
    hatched(petals, head, "#d3506a", 52, 7, 2.4, 20)
    hatched(petals, head[::2], "#a3244a", 22, 7, 2.4, 65)

    greens = Group("Leaves")
    for k, leaf in enumerate(leaves):
        outline = ink.hull([p for s in leaf for p in s])
        one = greens.add(Group(f"Leaf {k + 1}"))
        one.add(Fill("Wash", "#cfe0b8", mask=Patch(outline, scale=0.5, margin=10).soften(5)))
        hatch = one.add(Layer("Hatching", "multiply", clipped=True))
        box = ink.bounds(leaf)
        hatch.cover(box, "parallelLines", "#5d9068", spacing=8, lineWidth=2.6, rotation=25 + 40 * k)
        hatched(hatch, leaf, green, 30, 7, 2.6, -25 + 40 * k)

    stems = Layer("Stem")
    for s in flower[:3]:
        stems.stroke(ink.calmed(ink.stepped(s, 14), 2), "solid", "#a9c992", lineWidth=26)
    hatched(stems, flower[:3], green, 22, 7, 2.6, 20)
    lines = Layer("Lines", "multiply")
    lines.strokes(flower, "solid", dark, step=9, lineWidth=6.5, pressure="size", least={"minimumSize": 0.15})

    sprig = ink.valentine(1)
    split = sorted(sprig, key=lambda s: ink.bounds([s])[0])
    gaps = [(ink.bounds([b])[0] - max(ink.bounds([q])[2] for q in split[:i + 1]), i + 1)
            for i, b in enumerate(split[1:])]
    parts = split[:max(gaps)[1]], split[max(gaps)[1]:]
    sprigs = Group("Sprigs")
    for part, x, mirrored in ((parts[0], 150, False), (parts[1], 820, True)):
        placed = ink.fitted(ink.turned(part, 0, mirrored), x, 1180, 430, 400)
        blades = [ink.hull(s) for s in placed if min(ink.bounds([s])[2] - ink.bounds([s])[0],
                                                     ink.bounds([s])[3] - ink.bounds([s])[1]) > 26]
        blades = [b for b in blades if max(ink.bounds([b])[2] - ink.bounds([b])[0],
                                              ink.bounds([b])[3] - ink.bounds([b])[1]) < 190]
        sprigs.add(Fill("Petals", "#f6cf86", mask=Outline(*blades)))
        sprigs.add(Layer("Pattern", clipped=True)).cover(ink.bounds(placed), "parallelLines", "#d98a2b", spacing=7,
                                                         lineWidth=2.4, rotation=35)
        sprigs.add(Layer("Lines")).strokes(placed, "solid", "#2f4d39", step=9, lineWidth=5, pressure="size")

    frame = Layer("Frame")
    long, tall = (70, 1330), (70, 1730)
    for y in tall:
        frame.pattern([(long[0], y, 1, 0), (long[1], y, 1, 0)], "crossHatch", "#9c7a5c", 40, spacing=10, lineWidth=1.8,
                      rotation=45)
    for x in long:
        frame.pattern([(x, tall[0], 1, 0), (x, tall[1], 1, 0)], "crossHatch", "#9c7a5c", 40, spacing=10, lineWidth=1.8,
                      rotation=45)
    for inset in (50, 90):
        box = (inset, inset, canvas[0] - inset, canvas[1] - inset)
        frame.stroke(ink.box_of(*box), "solid", "#7a5a44", smoothing="none", closed=True, lineWidth=3)
    return Picture("Rose", canvas, "#fcf7ea", [ground, frame, greens, stems, blossom, sprigs, lines], "MIT (rose)")
