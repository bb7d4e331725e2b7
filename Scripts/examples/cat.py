"""A template: a cat's face in flat colours; every region suggests a pattern."""

import json

import ink_drawing as ink
from ink_drawing import Mask


def write_template(folder):
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
        ("night", region(sheet, without=[face, *ears]), "dots", 30, 11, "#6f86b8"),
        ("ears", region(*ears, without=[face]), "crossHatch", 25, 7, "#b5533c"),
        ("face", region(face, without=[muzzle]), "waves", -15, 10, "#cf7a35"),
        ("muzzle", region(muzzle), "parallelLines", 35, 8, "#d9b48a"),
    ]
    outline = Mask(canvas, 640)
    for s in [face + face[:2], *ears, *drawing[3:]]:
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
                "license": ink.QUICKDRAW, "canvasSize": {"width": canvas[0], "height": canvas[1]}, "layers": layers}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
