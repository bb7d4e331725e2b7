"""A street of hand-drawn houses: each is a group, and patterns are clipped to its walls and its roof."""

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Mask, Outline, Picture

DARK = "#22263f"
WALLS = ["#f2b84b", "#e9735a", "#7fb7a8", "#f4d9a4", "#5c86a8", "#f2a6a0", "#e3c25e", "#a9c0d6", "#e58f4e"]
ROOFS = ["#b8402f", "#2f5a74", "#8c3a4e", "#c95a37", "#a33b3b", "#3b6a63", "#7a4a6d", "#c24d3c", "#35556f"]
KINDS = [("crossHatch", 45), ("parallelLines", 90), ("dots", 45), ("waves", 0), ("parallelLines", 0), ("dots", 0),
         ("parallelLines", 45), ("crossHatch", 0), ("waves", 0)]


def darker(color, by=0.35):
    return ink.hex_color(ink.mixed(ink.color_of(color), ink.color_of(DARK), by))


def house(index, x, foot, wide, tall, k):
    """One drawing: the widest of the strokes that reach high is the roof, the others are the walls."""
    strokes = ink.fitted(ink.quickdraw("house", index), x, foot - tall, wide, tall, stretched=True)
    group = Group(f"House {k + 1}")
    roof = min((s for s in strokes if ink.bounds([s])[2] - ink.bounds([s])[0] > 0.6 * wide),
               key=lambda s: ink.bounds([s])[1])
    x0, y0, x1, y1 = ink.bounds([roof])
    eaves = [p for p in roof if p[1] > y1 - 0.3 * (y1 - y0) and x0 + 0.08 * wide < p[0] < x1 - 0.08 * wide]
    wall = ink.hull([p for s in strokes if s is not roof for p in s] + eaves)
    for name, outline, color, (kind, turn) in (("Wall", wall, WALLS[k], KINDS[k]),
                                               ("Roof", ink.hull(roof), ROOFS[k], KINDS[(k + 4) % 9])):
        part = group.add(Group(name))
        part.add(Fill("Paint", color, mask=Outline(outline)))
        box = ink.bounds([outline])
        layer = part.add(Layer("Pattern", clipped=True))
        layer.cover(box, kind, darker(color), rotation=turn, spacing=11 if kind != "dots" else 8, scale=1.3,
                    lineWidth=1.9)
        shade = (box[0] + 0.72 * (box[2] - box[0]), box[1] - 9, box[2] + 9, box[3] + 9)
        part.add(Layer("Shade", "multiply", clipped=True)).cover(shade, "parallelLines", "#8c8bb5", rotation=-45,
                                                                       spacing=8, lineWidth=3)
    for s in strokes:
        x0, y0, x1, y1 = ink.bounds([s])
        if 0.1 * wide < x1 - x0 < 0.5 * wide and 0.1 * tall < y1 - y0 < 0.5 * tall:
            group.add(Fill("Light", "#fff1b8", mask=Outline(ink.hull(s))))
    group.add(Layer("Lines")).strokes(strokes, "solid", DARK, step=10, lineWidth=6)
    return group


def tree(index, x, foot, tall, color):
    strokes = ink.fitted(ink.quickdraw("tree", index), x, foot - tall, tall * 0.8, tall)
    crown = max(strokes, key=lambda s: len(ink.hull(s)) * (ink.bounds([s])[2] - ink.bounds([s])[0]))
    sides = sorted((s for s in strokes if s is not crown), key=lambda s: ink.bounds([s])[0])[:2]
    group = Group("Tree")
    trunk = ink.hull([p for s in sides for p in s if p[1] < foot - 0.12 * tall])
    group.add(Fill("Trunk", "#b98a5e", mask=Outline(trunk)))
    group.add(Layer("Bark", clipped=True)).cover(ink.bounds([trunk]), "parallelLines", "#6b4a3a", spacing=7,
                                                 lineWidth=2.4, rotation=90)
    group.add(Fill("Leaves", color, mask=Outline(crown)))
    box = ink.bounds([crown])
    leaves = group.add(Layer("Pattern", clipped=True))
    leaves.cover(box, "dots", darker(color, 0.3), spacing=7, scale=1.6, rotation=30)
    low = (box[0], box[1] + 0.5 * (box[3] - box[1]), box[2], box[3])
    leaves.cover(low, "parallelLines", darker(color, 0.6), spacing=8, lineWidth=2.4, rotation=-45)
    group.add(Layer("Lines")).strokes(strokes, "solid", DARK, step=10, lineWidth=5.5)
    return group


def picture():
    canvas, foot = (2100, 1040), 790
    sky = Layer("Sky", mask=Mask(canvas, 210, 1.0).shade(lambda x, y: 1.05 - y / 700))
    sky.cover((0, 0, 2100, 800), "parallelLines", "#8fb3c4", spacing=10, lineWidth=2.4)
    sun = Group("Sun")
    sun.add(Fill("Disc", "#f7c85a", mask=Outline(ink.disc(1100, 330, 190))))
    sun.add(Layer("Pattern", clipped=True)).cover((900, 130, 1300, 530), "dots", "#e8893a", spacing=7, scale=2,
                                                  rotation=45)
    clouds = Group("Clouds")
    for n, (index, x, y, wide, tall) in enumerate([(4, 170, 110, 430, 130),
                                                             (12, 690, 60, 320, 96), (4, 1500, 130, 420, 124)]):
        crown = max(ink.quickdraw("tree", index), key=len)
        outline = ink.fitted([crown], x, y, wide, tall, stretched=True)[0]
        cloud = clouds.add(Group(f"Cloud {n + 1}"))
        cloud.add(Fill("Paper", "#fffaf0", mask=Outline(outline)))
        cloud.add(Layer("Pattern", clipped=True)).cover((x, y + 0.55 * tall, x + wide, y + tall), "parallelLines",
                                                        "#9fbccb", spacing=9, lineWidth=2.2)
        cloud.add(Layer("Lines")).stroke(ink.stepped(outline, 10), "solid", DARK, closed=True, lineWidth=4.5)

    ground = Group("Ground")
    edge = ink.flow(ink.quickdraw("squiggle", 0)[0], -40, 2140, foot - 34, 26, 40, 4)
    ground.add(Fill("Grass", "#9db36b", mask=Outline(f"{ink.curved(edge)}L2140 1060L-40 1060Z")))
    ground.add(Layer("Blades", clipped=True)).cover((0, foot - 40, 2100, 1040), "waves", "#6f8a4a", spacing=12, scale=2,
                                                    lineWidth=1.2)
    road = [(x, y + 190, p, a) for x, y, p, a in edge]
    ground.add(Layer("Road", clipped=True)).stroke(road, "solid", "#efe0c2", lineWidth=130) \
        .pattern(road, "parallelLines", "#cdb894", 130, spacing=11, lineWidth=2.4, rotation=35) \
        .strokes([ink.beside(road, -66), ink.beside(road, 66)], "solid", DARK, lineWidth=5)

    shadows = Layer("Shadows", "multiply")
    houses, trees, x = [], [], 62
    shapes = [(3, 200, 330), (4, 250, 290), (12, 180, 380), (8, 240, 280), (0, 200, 340), (7, 270, 270), (10, 170, 380),
              (11, 240, 300), (5, 200, 330)]
    for k, (index, wide, tall) in enumerate(shapes):
        houses.append(house(index, x, foot + 14, wide, tall, k))
        shadows.pattern([(x + 30, foot + 22, 1, 0), (x + wide + 40, foot + 22, 1, 0)], "parallelLines", "#6d7f5a", 44,
                        spacing=7, lineWidth=3.6, rotation=-45)
        x += wide + 4
    for index, x, tall, color in ((12, 20, 200, "#5f9a6a"), (7, 700, 210, "#7bae5f"), (12, 1270, 210, "#4f8f7a"),
                                  (7, 1910, 230, "#6fa35a")):
        trees.append(tree(index, x, foot + 52, tall, color))
    return Picture("Street", canvas, "#e3eef0", [sky, sun, clouds, ground, shadows, *houses, *trees], ink.QUICKDRAW)
