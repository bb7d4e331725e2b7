"""Four instant pictures on a board: painted pictures, placed at an angle, with hand drawings clipped to them."""

import math

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Mask, Outline, Picture

DARK = "#2a2438"


def graded(*stops):
    """A picture of colours from top to bottom; stops are (height 0...1, colour)."""
    rows = []
    for j in range(460):
        v = (j + 0.5) / 460
        (a, c), (b, d) = next(pair for pair in zip(stops, stops[1:]) if v <= pair[1][0])
        color = ink.mixed(ink.color_of(c), ink.color_of(d), (v - a) / (b - a))
        rows.append(bytes(round(value) for value in color) * 460)
    return ink.png(460, 460, rows, channels=3)


class Card:
    """A card of 520 x 620 about a middle, turned; `at` brings strokes drawn for the card to where it lies."""

    def __init__(self, name, x, y, turn, content, tape):
        self.middle, self.turn, self.group = (x, y), turn, Group(name)
        left, top = x - 260, y - 310
        self.left, self.top = left + 30, top + 30
        edge = self.turned([ink.box_of(left, top, left + 520, top + 620)])[0]
        shadow = ink.moved([edge], 22, 26)[0]
        self.group.add(Layer("Shadow, hatched", "multiply", mask=Outline(shadow))).cover(
            ink.bounds([shadow]), "parallelLines", "#a58a68", spacing=8, lineWidth=4, rotation=-45)
        self.group.add(Fill("Card", "#fffdf6", mask=Outline(edge)))
        self.print = self.group.add(Group("Print"))
        self.print.add(Layer("Paint", content=content, place=self.box(left + 30, top + 30, 460, 460)))
        strip = self.turned([ink.box_of(x - 75, top - 26, x + 75, top + 26)])[0]
        self.tape = Fill("Tape", tape, "multiply", 0.85, mask=Outline(strip))

    def box(self, x, y, width, height):
        """Where a box of the card lies: a placement turns about its own middle, the card about the card's."""
        (cx, cy, *_), = self.turned([[(x + width / 2, y + height / 2)]])[0]
        return round(cx - width / 2, 2), round(cy - height / 2, 2), width, height, self.turn

    def turned(self, strokes):
        return ink.spun(strokes, self.turn, self.middle)

    def at(self, strokes):
        """Strokes in the print's own pixels, 460 x 460, brought to the canvas."""
        return self.turned(ink.moved(strokes, self.left, self.top))

    def layer(self, name, *arguments, **keywords):
        return self.print.add(Layer(name, *arguments, clipped=True, **keywords))

    def shape(self, name, outline, color, kind, line, **pattern):
        """An outline filled with a colour and a pattern, kept inside the print."""
        placed = self.at([outline])[0]
        part = self.print.add(Group(name, clipped=True))
        part.add(Fill("Ground", color, mask=Outline(placed)))
        pattern["rotation"] = pattern.get("rotation", 0) + self.turn
        part.add(Layer("Pattern", clipped=True)).cover(ink.bounds([placed]), kind, line, **pattern)

    def finished(self):
        edge = self.turned([ink.box_of(self.left, self.top, self.left + 460, self.top + 460)])[0]
        frame = self.group.add(Layer("Frame"))
        frame.stroke(edge, "solid", DARK, smoothing="none", closed=True, lineWidth=3)
        self.group.add(self.tape)
        return self.group


def sea():
    card = Card("Evening at sea", 430, 440, -6, graded((0, "#3d2b6b"), (0.35, "#c2486b"), (0.62, "#f7a24c"),
                                                  (0.63, "#275d84"), (1, "#12284f")), "#f6c54f")
    card.shape("Sun", ink.ellipse(300, 285, 74, 74), "#ffe08a", "parallelLines", "#f2793a", spacing=9, lineWidth=3)
    card.shape("Sea", ink.box_of(-20, 288, 480, 480), "#245a82", "waves", "#7fc0cf", spacing=10, scale=1.6, lineWidth=1.3)
    boat = ink.fitted(ink.quickdraw("sailboat", 2), 60, 130, 220, 230)
    for stroke, color, kind, line in ((boat[0], "#fff3da", "parallelLines", "#d9764a"),
                                      (boat[1], "#fff3da", "parallelLines", "#d9764a"),
                                      (boat[2], "#8c2f3a", "crossHatch", "#4a1526")):
        card.shape("Boat", stroke, color, kind, line, spacing=8, lineWidth=2, rotation=60)
    card.layer("Lines").strokes(card.at(boat), "solid", DARK, step=8, lineWidth=4)
    return card.finished()


def night():
    card = Card("Cat at night", 1010, 400, 4, graded((0, "#0d1238"), (0.7, "#35356f"), (1, "#6a4f86")), "#9fd0c4")
    card.shape("Moon", ink.ellipse(355, 110, 62, 62), "#f8e7b0", "dots", "#dcb765", spacing=6, scale=1.6, rotation=45)
    stars = card.layer("Stars")
    for k, (x, y, size) in enumerate([(50, 60, 40), (150, 30, 26), (230, 90, 34), (420, 220, 30), (60, 200, 24)]):
        stars.strokes(card.at(ink.fitted(ink.quickdraw("star", k), x, y, size, size)), "solid", "#fff1c4", lineWidth=2.4)
    card.shape("Roof", [(-30, 470, 1, 0), (-30, 372, 1, 0), (490, 330, 1, 0), (490, 490, 1, 0)], "#7c3f55", "crossHatch",
               "#4b2238", spacing=14, lineWidth=2.6)
    cat = ink.fitted(ink.quickdraw("cat", 0), 90, 135, 220, 240)
    for s in cat[1:3]:
        card.shape("Ear", ink.hull(s), "#e0703c", "parallelLines", "#9c3d1f", spacing=7, lineWidth=2, rotation=45)
    card.shape("Face", cat[0], "#f3a24e", "waves", "#c8662a", spacing=8, scale=1.3, lineWidth=1.4)
    card.layer("Lines").strokes(card.at(cat), "solid", DARK, step=7, lineWidth=4.5)
    return card.finished()


def meadow():
    card = Card("Meadow", 520, 1150, 3, graded((0, "#8ec5d6"), (0.7, "#e6f1d8"), (1, "#e6f1d8")), "#f09a8a")
    line = ink.flow(ink.quickdraw("squiggle", 0)[0], -20, 480, 320, 50, 20, 2)
    card.shape("Hill", line + [(480, 490, 1, 0), (-20, 490, 1, 0)], "#9dbf72", "waves", "#6a934f", spacing=10, scale=1.3,
               lineWidth=1.4)
    house = ink.fitted(ink.quickdraw("house", 12), 60, 160, 190, 220)
    card.shape("Wall", ink.hull(house[0]), "#f6d58e", "parallelLines", "#d09a4a", spacing=9, lineWidth=2, rotation=90)
    card.shape("Roof", ink.hull(house[1]), "#c8503a", "crossHatch", "#842c2c", spacing=10, lineWidth=2, rotation=45)
    card.shape("Window", ink.hull(house[2]), "#fff4cc", "dots", "#fff4cc", spacing=8)
    tree = ink.fitted(ink.quickdraw("tree", 7), 280, 120, 150, 250)
    crown = max(tree, key=len)
    card.shape("Trunk", ink.hull([p for s in tree if s is not crown for p in s]), "#b98a5e", "parallelLines", "#7c5438",
               spacing=7, lineWidth=2, rotation=90)
    card.shape("Crown", crown, "#5f9f6c", "dots", "#37704e", spacing=7, scale=1.5, rotation=20)
    card.layer("Lines").strokes(card.at(house + tree), "solid", DARK, step=7, lineWidth=4)
    return card.finished()


def flower():
    card = Card("Flower", 1090, 1100, -9, graded((0, "#f7ddd2"), (1, "#f1b5ae")), "#a9b8e6")
    strokes = ink.fitted(ink.quickdraw("flower", 8), 60, 20, 340, 425)
    stem = max(strokes, key=lambda s: ink.bounds([s])[3])
    head = [s for s in strokes if s is not stem]
    outline = max(head, key=lambda s: ink.bounds([s])[2] - ink.bounds([s])[0])
    card.shape("Petals", outline, "#d8425f", "parallelLines", "#8f1d43", spacing=9, lineWidth=2.4, rotation=30)
    for s in head:
        if s is not outline and len(s) > 8:
            card.shape("Heart", ink.hull(s), "#f6c54f", "dots", "#c9812a", spacing=6, scale=1.4)
    card.layer("Stem").strokes(card.at([stem]), "solid", "#3f7a55", lineWidth=15)
    card.layer("Lines").strokes(card.at(strokes), "solid", DARK, step=8, lineWidth=4)
    return card.finished()


def picture():
    canvas = (1520, 1540)
    board = Layer("Board", mask=Mask(canvas, 190, 1.0).shade(
        lambda x, y: 0.35 + 0.65 * min(1.0, math.hypot((x - 760) / 760, (y - 770) / 770) / 1.2)))
    board.cover((0, 0, *canvas), "crossHatch", "#d3b58c", spacing=13, lineWidth=2, rotation=45)
    hey = ink.fitted(ink.word_hey(), 665, 668, 190, 150)
    word = Layer("Word").strokes(hey, "solid", "#8a5a3c", step=6, lineWidth=7)
    return Picture("Pinboard", canvas, "#efdfc4", [board, sea(), night(), meadow(), flower(), word],
                   ink.QUICKDRAW + "; MIT (handwriting)")
