"""A boat at night: the wind in contour lines round the moon, a sea of waves that lie still, light by colour dodge."""

import math

import ink_drawing as ink
from ink_drawing import Fill, Group, Layer, Mask, Outline, Picture


def picture():
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

    sky = Layer("Wind", "screen", 0.85, mask=Mask(canvas, 300, 1.0).shade(lambda x, y: (horizon - 8 - y) / 170))
    for k in range(9):
        shape = ink.flow(squiggle[(0, 6, 7, 8)[k % 4]], -80, width + 80, 0, 70, 64, 3, mirrored=k % 3 == 1)
        line = [(x, -60 + 92 * k + y, 1, 0) for x, y, _, _ in shape]
        press = ink.smoothed([p[2] for p in ink.resampled(ink.painting()[k + 4], 64)], 5)
        line = [(x, y, 0.35 + 0.65 * p, a) for (x, y, _, a), p in zip(streamed(line), press)]
        sky.stroke(line, "contourLines", "#5f83c0", spacing=13, lineWidth=2.1, pressure="opacity")

    halo = Layer("Halo", "screen", mask=Mask(canvas, 300, 1.0).shade(
        lambda x, y: max(0.0, 1 - math.hypot(x - moon[0], y - moon[1]) / 430) ** 1.2))
    halo.pattern([(*moon, 1, 0), (moon[0] + 1, moon[1], 1, 0)], "dots", "#d8ab62", 860, spacing=10, scale=1.5,
                 rotation=45)
    face = Group("Moon")
    face.add(Fill("Disc", "#f6e3b4", mask=Outline(ink.disc(*moon, radius - 8))))
    seas = face.add(Layer("Seas", clipped=True))
    for k in range(7):
        line = ink.flow(squiggle[6 + k % 3], moon[0] - 140, moon[0] + 140, moon[1] - 130 + 40 * k, 22, 16)
        seas.stroke(line, "contourLines", "#d3a45c", spacing=5.6, lineWidth=round(1 + 0.22 * k, 2))

    stars = Layer("Stars", "screen", 0.95)
    places = [(150, 120, 34), (330, 300, 24), (520, 95, 28), (700, 230, 40), (880, 90, 24), (1560, 120, 36),
              (1690, 330, 26), (1480, 520, 22), (860, 430, 24), (240, 500, 28), (650, 470, 20), (80, 340, 20),
              (1030, 560, 18)]
    for k, (x, y, size) in enumerate(places):
        star = ink.fitted(ink.quickdraw("star", k % 6), x, y, size, size)
        stars.strokes(star, "solid", "#fff3d0", lineWidth=2.4)

    water = Layer("Sea", "screen", mask=Mask(canvas, 300, 1.0).shade(lambda x, y: (y - horizon + 2) / 8))
    gold = Layer("Moonlight", "colorDodge", mask=Mask(canvas, 300, 1.0).shade(
        lambda x, y: 1.3 - 1.3 * ((x - moon[0]) / (70 + 0.6 * (y - horizon))) ** 2 if y > horizon else 0))
    # Rows of waves in bands, each band with larger waves; a band ends half way between two of its rows, and the next
    # begins there half way between two of its own.
    top_row, period, bands = horizon, 4.0, []
    while top_row < height:
        first = round(top_row / period + 0.5)
        period = top_row / (first - 0.5)
        bottom = (first - 0.5 + max(4, round(26 / period))) * period
        bands.append((top_row, bottom, period))
        top_row, period = bottom, period * 1.22
    for n, (y0, y1, period) in enumerate(bands):
        tone = ink.hex_color(ink.mixed((120, 158, 205), (52, 92, 160), n / len(bands)))
        for layer, color, thick in ((water, tone, 1.7), (gold, "#e3b45c", 3.0)):
            layer.pattern([(-100, (y0 + y1) / 2, 1, 0), (width + 100, (y0 + y1) / 2, 1, 0)], "waves", color, y1 - y0,
                          spacing=8, scale=round(period / 8, 5), lineWidth=thick)

    boat = ink.fitted(ink.quickdraw("sailboat", 2), 300, 330, 480, 560)
    boat = ink.moved(boat[:2], 6, 62) + boat[2:3]
    x0, y0, x1, foot = ink.bounds(boat[2:])
    mirror = Group("Reflection", mask=Mask(canvas, 300, 1.0).shade(lambda x, y: 1 - (y - foot + 60) / 230))
    shape = [(x, 2 * foot - y - 26, p, a) for x, y, p, a in boat[2]]
    mirror.add(Fill("Shade", "#050b22b0", mask=Outline(shape)))
    mirror.add(Layer("Waves", clipped=True)).cover(ink.bounds([shape]), "waves", "#8a3a3f", spacing=9, scale=1.2,
                                                   lineWidth=2)

    ship = Group("Boat")
    for name, outline, color, line, turn in (("Main sail", boat[0], "#f3e6c9", "#c4683a", 62),
                                             ("Fore sail", boat[1], "#f3e6c9", "#d99a55", -62),
                                             ("Hull", boat[2], "#6b2530", "#d07a4f", -8)):
        part, box = ship.add(Group(name)), ink.bounds([outline])
        part.add(Fill("Ground", color, mask=Outline(outline)))
        low_box = (box[0] - 40, box[1] + 0.6 * (box[3] - box[1]), box[2] + 40, box[3])
        shade = part.add(Layer("Shade", clipped=True))
        shade.cover(box, "parallelLines", line, spacing=10, lineWidth=3, rotation=turn)
        shade.cover(low_box, "parallelLines", "#2a0d18" if name == "Hull" else line, spacing=10, lineWidth=3,
                    rotation=turn + 48)
    ship.add(Layer("Lines")).strokes(boat, "solid", "#fdf0d2", step=12, lineWidth=5)
    return Picture("Night sail", canvas, "#080d2a", [sky, halo, face, stars, water, gold, mirror, ship],
                   ink.QUICKDRAW + "; pressures ISC", ink.painted(4, 120, paper))
