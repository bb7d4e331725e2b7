"""The word "Hey" as a tube that passes over and under itself, shaded by patterns that lie still on the canvas.

Each piece of the tube covers the end of the one before and uncovers the same patterns again, so that no joint shows.
"""

import math

import ink_drawing as ink
from ink_drawing import Layer, Mask, Picture


def picture():
    canvas = (2000, 1500)
    word = ink.fitted(ink.word_hey(), 270, 210, 1450, 1080)[0]
    path = ink.calmed(ink.stepped(word, 10), 4)
    tones = [ink.color_of(c) for c in ("#f6b04c", "#ef6a3a", "#d8325f", "#8a3aa0", "#3a53b4", "#1597a5")]
    dark, width = "#2a1d3e", 150

    def tone(t, toward=(0, 0, 0), by=0.0):
        k = min(len(tones) - 2, int(t * (len(tones) - 1)))
        return ink.hex_color(ink.mixed(ink.mixed(tones[k], tones[k + 1], t * (len(tones) - 1) - k), toward, by))

    ground = Layer("Ground", mask=Mask(canvas, 250, 1.0).shade(
        lambda x, y: 0.15 + 0.85 * (math.hypot((x - 1000) / 1000, (y - 750) / 750) / 1.3) ** 2))
    ground.cover((0, 0, *canvas), "dots", "#e7b67c", spacing=8, scale=2.6, rotation=45)

    shadow = Layer("Shadow")
    shadow.pattern(ink.moved([path], 46, 54)[0][::3], "parallelLines", "#c9a98c", width + 10, spacing=11, lineWidth=4.2,
                   rotation=-45)

    tube, piece = Layer("Tube"), 12
    for start in range(0, len(path) - 2, piece):
        end, t = min(len(path), start + piece + 1), start / len(path)
        back, edge = max(0, start - 9), max(0, start - 17)
        tube.stroke(path[start:end], "solid", dark, lineWidth=width + 18)
        tube.stroke(path[back:end], "solid", tone(t), lineWidth=width)
        lines = {side: ink.beside(path, side)[edge:end] for side in (38, 54, -40)}
        tube.pattern(lines[38], "parallelLines", tone(t, (30, 10, 60), 0.45), 66, spacing=9, lineWidth=2.6, rotation=-45)
        tube.pattern(lines[54], "parallelLines", tone(t, (30, 10, 60), 0.6), 36, spacing=9, lineWidth=2.6, rotation=45)
        tube.pattern(lines[-40], "dots", tone(t, (255, 250, 235), 0.75), 40, spacing=5.5, scale=1.7, rotation=45)
    return Picture("Hey", canvas, "#fdf4e3", [ground, shadow, tube], "MIT (handwriting)")
