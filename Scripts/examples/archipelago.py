"""A chart without edges: an archipelago, a harbour on one of its islands, and the crew of one boat in that harbour.

The islands are the crowns of hand-drawn trees. Strokes and patterns are as sharp at a zoom of 36 as at 1.
"""

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Outline, Picture, viewport

DARK, SEA, SAND, GRASS = "#1f3a4d", "#d3e8e6", "#f6e3b5", "#9cc38a"


def crown(index):
    return max(ink.quickdraw("tree", index), key=len)


def island(name, coast, centre, k):
    x0, y0, x1, y1 = box = ink.bounds([coast])
    group = Group(name)
    depths = group.add(Layer("Depths"))
    for factor, color in ((1.4, "#b4d7d8"), (1.18, "#86bcc4")):
        depths.stroke(ink.rounded(ink.about(coast, centre, factor), 3), "contourLines", color, closed=True, spacing=8,
                      lineWidth=1.6)
    group.add(Fill("Sand", SAND, mask=Outline(ink.curved(coast, closed=True))))
    group.add(Layer("Beach", clipped=True)).cover(box, "dots", "#d8b26a", spacing=6, scale=0.9, rotation=30)
    inner = ink.rounded(ink.about(coast, centre, 0.8), 3)
    group.add(Fill("Grass", GRASS, mask=Outline(ink.curved(inner, closed=True))))
    group.add(Layer("Meadow", clipped=True)).cover(box, "parallelLines", "#5f9468", spacing=7, lineWidth=1.6,
                                                   rotation=(35, -35, 60, 20, -60, 75)[k])
    hill = group.add(Layer("Hill", clipped=True))
    for factor in (0.52, 0.26):
        top = (centre[0] + 0.04 * (x1 - x0), centre[1] - 0.05 * (y1 - y0))
        hill.stroke(ink.rounded(ink.about(coast, top, factor), 5), "contourLines", "#2f5d47", closed=True, spacing=5.4,
                    lineWidth=1.4)
    lines = group.add(Layer("Coast"))
    lines.stroke(coast, "solid", DARK, closed=True, lineWidth=3.4)
    lines.stroke(inner, "solid", "#4c7a58", closed=True, lineWidth=1.6)
    return group


def boat(index, x, y, wide, colors, scale=4, line=2.2):
    """A boat of hand strokes that stands on y; the lowest is the hull. Its patterns are in proportion to it."""
    strokes = ink.fitted(ink.quickdraw("sailboat", index), x, y - wide, wide, wide)
    strokes = ink.moved(strokes, 0, y - ink.bounds(strokes)[3])
    group, u = Group("Boat"), wide / 100
    hull = max(strokes, key=lambda s: ink.bounds([s])[3])
    sails = [ink.hull(s) for s in strokes if s is not hull and len(s) > 14]
    for name, parts, color, kind in (("Sails", sails, colors[0], "parallelLines"),
                                     ("Hull", [hull], colors[1], "crossHatch")):
        group.add(Fill(name, color, mask=Outline(*parts, digits=3)))
        group.add(Layer(name + ", pattern", clipped=True)).cover(
            ink.bounds(parts), kind, ink.hex_color(ink.mixed(ink.color_of(color), (30, 30, 60), 0.45)), digits=3,
            spacing=5, scale=round(u * 0.8, 4), lineWidth=1, rotation=60)
    group.add(Layer("Lines")).strokes(strokes, "solid", DARK, digits=3, lineWidth=round(line * u, 4))
    return group, hull


def house(index, x, foot, wide, wall, roof):
    strokes = ink.fitted(ink.quickdraw("house", index), x, foot - wide, wide, wide)
    top = min((s for s in strokes if ink.bounds([s])[2] - ink.bounds([s])[0] > 0.4 * wide),
              key=lambda s: ink.bounds([s])[1])
    rest = ink.hull([p for s in strokes if s is not top for p in s])
    group, u = Group("House"), wide / 100
    for name, outline, color in (("Wall", rest, wall), ("Roof", ink.hull(top), roof)):
        group.add(Fill(name, color, mask=Outline(outline, digits=3)))
        group.add(Layer(name + ", pattern", clipped=True)).cover(
            ink.bounds([outline]), "parallelLines", ink.hex_color(ink.mixed(ink.color_of(color), (40, 20, 50), 0.4)),
            digits=3, spacing=6, scale=round(u, 4), lineWidth=1.4, rotation=90 if name == "Wall" else 30)
    group.add(Layer("Lines")).strokes(strokes, "solid", DARK, digits=3, lineWidth=round(4 * u, 4))
    return group


def picture():
    sea = Layer("Sea")
    sea.pattern([(-1150, 0, 1, 0), (1150, 0, 1, 0)], "waves", "#b7d8d8", 1900, spacing=12, scale=2.6, lineWidth=0.7)
    places = [("Main island", 4, 60, 40, 760, 470), ("West", 7, -720, -270, 420, 330), ("North", 12, 60, -480, 380, 200),
              ("East", 9, 790, -330, 360, 280), ("South", 6, -650, 380, 460, 320), ("Reef", 10, 780, 430, 360, 230)]
    coasts = []
    for _, index, x, y, wide, tall in places:
        coast = ink.fitted([crown(index)], x - wide / 2, y - tall / 2, wide, tall, stretched=True)[0]
        coasts.append(ink.rounded(ink.stepped(coast + coast[:1], 14)[:-1], 1))
    shapes = [island(p[0], coast, (p[2], p[3]), k) for k, (p, coast) in enumerate(zip(places, coasts))]

    def shore(x):
        """The height of the main island's southern shore at x."""
        return max(p[1] for p in ink.stepped(coasts[0], 3) if abs(p[0] - x) < 4)

    far = Group("Far boats")
    for index, x, y, wide, colors in ((2, -400, -360, 110, ("#fff4dc", "#b8402f")),
                                      (4, 470, -160, 100, ("#f0c46a", "#35556f")),
                                      (8, 300, 470, 110, ("#f2a6a0", "#6b2530")),
                                      (5, -300, 500, 90, ("#fff4dc", "#7a4a6d"))):
        far.add(boat(index, x, y, wide, colors)[0])

    # The harbour, on the southern shore of the main island.
    harbour, x = Group("Harbour"), 40
    water = harbour.add(Layer("Ripples"))
    for n in range(6):
        line = ink.flow(ink.quickdraw("squiggle", (0, 6, 7)[n % 3])[0], x - 190 + 16 * n, x + 160 - 12 * n,
                        shore(x) + 44 + 16 * n, 6, 16, 2)
        water.pattern(line, "waves", "#5d9dac", 7.2, digits=2, spacing=8, scale=0.3, lineWidth=1)
    pier = harbour.add(Layer("Piers"))
    for px, long in ((x - 112, 52), (x + 6, 60), (x + 120, 50)):
        post = [(px, shore(px) - 8, 1, 0), (px + 2, shore(px) + long, 1, 0)]
        pier.stroke(post, "solid", DARK, lineWidth=9.4).stroke(post, "solid", "#d9a566", lineWidth=8)
        pier.pattern(post, "parallelLines", "#7a4e2c", 8, digits=2, spacing=5, scale=0.5, lineWidth=1.2)
    walls = ["#f2b84b", "#e9735a", "#7fb7a8", "#f4d9a4", "#5c86a8", "#f2a6a0", "#e3c25e"]
    roofs = ["#b8402f", "#2f5a74", "#8c3a4e", "#c95a37", "#a33b3b", "#3b6a63", "#7a4a6d"]
    for n, index in enumerate((3, 4, 12, 7, 0, 10, 8)):
        left = x - 176 + 46 * n
        harbour.add(house(index, left, shore(left + 20) - (9 if n % 2 else 15), 42, walls[n], roofs[n]))
    for index, bx, down, colors in ((2, x - 88, 66, ("#f7ead0", "#a33b3b")), (5, x + 132, 70, ("#f2a6a0", "#6b2530"))):
        harbour.add(boat(index, bx, shore(bx + 20) + down, 46, colors, scale=8)[0])

    # The crew: a cat in the middle boat.
    bx, by = x + 30, shore(x + 30) + 92
    small, hull = boat(4, bx, by, 44, ("#f0c46a", "#35556f"), scale=24, line=1.3)
    deck = ink.bounds([hull])
    cat = ink.fitted(ink.quickdraw("cat", 0), deck[0] + 2.5, deck[1] - 10.2, 11, 11)
    crew = Group("Crew")
    fur = [ink.hull(s) for s in cat[:3]]
    crew.add(Fill("Fur", "#f0a04b", mask=Outline(*fur, digits=3)))
    crew.add(Layer("Stripes", clipped=True)).cover(ink.bounds(cat[:3]), "waves", "#b85c22", digits=3, spacing=7, scale=0.06,
                                                   lineWidth=1.6)
    crew.add(Layer("Lines")).strokes(cat, "solid", DARK, digits=3, lineWidth=0.2)
    views = [viewport("Archipelago", 20, 10, 0.8, 0, 1800, 1350), viewport("Harbour", x, shore(x) + 16, 4.6, 6, 1800, 1350),
             viewport("Crew", bx + 22, by - 15, 36, -6, 1800, 1350)]
    return Picture("Archipelago", None, SEA, [sea, *shapes, far, harbour, crew, small], ink.QUICKDRAW, viewports=views)
