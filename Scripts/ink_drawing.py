"""What the example pictures are drawn with: recorded strokes, masks, PNG and project files. Standard library only.

A stroke is a list of points (x, y, pressure, azimuth in degrees); y points down. Everything is deterministic: the same
sources give the same files.
"""

import base64
import csv
import json
import math
import struct
import zlib
from pathlib import Path

QUICKDRAW = "Quick, Draw! Dataset, Google LLC, CC BY 4.0"
SOURCES = Path(__file__).resolve().parent.parent / "examples" / "sources"


# Recorded strokes


def quickdraw(word, index):
    """The strokes of drawing `index` of a Quick, Draw! file; no pressure was recorded."""
    line = (SOURCES / "quickdraw" / f"{word}.ndjson").read_text().splitlines()[index]
    return [[(x, y, 1.0, 0.0) for x, y in zip(s[0], s[1])] for s in json.loads(line)["drawing"] if len(s[0]) > 1]


def painting():
    """The runs between pen down and pen up of a 30 s tablet recording; pressure stretched to 0...1."""
    runs, run = [], []
    for row in csv.DictReader((SOURCES / "mypaint-painting.csv").read_text().splitlines()):
        pressure = float(row["pressure"])
        if pressure > 0:
            run.append((float(row["x"]), float(row["y"]), min(1.0, pressure / 0.546), 0.0))
        elif run:
            runs.append(run)
            run = []
    return runs + ([run] if run else [])


def word_ink():
    """The handwritten word "ink" with pressure and azimuth (recorded in radians)."""
    strokes = {}
    for row in csv.DictReader((SOURCES / "wacom-ink.csv").read_text().splitlines()):
        point = (float(row["x"]), float(row["y"]), float(row["pressure"]), math.degrees(float(row["azimuth"])))
        strokes.setdefault(row["stroke"], []).append(point)
    return list(strokes.values())


def word_hey():
    """The handwritten word "Hey", one stroke."""
    points = json.loads((SOURCES / "perfect-freehand-hey.json").read_text())["hey"]
    return [[(p[0], p[1], p[2], 0.0) for p in points]]


def ruled_lines():
    """Five slow, nearly straight lines of a tablet, with pressure and azimuth (tenths of a degree)."""
    strokes, stroke = [], []
    for line in (SOURCES / "tablet-1378.svc").read_text().splitlines()[1:]:
        x, y, _, down, azimuth, _, pressure = map(float, line.split())
        if down:
            stroke.append((x, -y, pressure, azimuth / 10))
        elif stroke:
            strokes.append(stroke)
            stroke = []
    return strokes + ([stroke] if stroke else [])


def valentine(index):
    """Drawing 0, a rose, or 1, a sprig; with pressure."""
    drawing = json.loads((SOURCES / "excalidraw-valentine.json").read_text())[index]
    return [
        [(e["x"] + x, e["y"] + y, p, 0.0) for (x, y), p in zip(e["points"], e["pressures"])]
        for e in drawing if len(e["points"]) > 1
    ]


# Moving strokes about


def bounds(strokes):
    """The least and the largest x and y: (x0, y0, x1, y1)."""
    xs = [p[0] for s in strokes for p in s]
    ys = [p[1] for s in strokes for p in s]
    return min(xs), min(ys), max(xs), max(ys)


def turned(strokes, degrees=0.0, mirrored=False):
    """The strokes turned about the origin, clockwise on the page; mirrored left to right before that."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    m = -1 if mirrored else 1
    return [[(m * p[0] * c - p[1] * s, m * p[0] * s + p[1] * c, *p[2:]) for p in stroke] for stroke in strokes]


def fitted(strokes, x, y, width, height, stretched=False):
    """The strokes inside a box: as large as fits, centred; or stretched to fill it."""
    x0, y0, x1, y1 = bounds(strokes)
    sx, sy = width / max(x1 - x0, 1e-9), height / max(y1 - y0, 1e-9)
    if not stretched:
        sx = sy = min(sx, sy)
    ox, oy = x + (width - sx * (x1 - x0)) / 2, y + (height - sy * (y1 - y0)) / 2
    return [[(ox + sx * (p[0] - x0), oy + sy * (p[1] - y0), *p[2:]) for p in s] for s in strokes]


def moved(strokes, dx, dy):
    return [[(p[0] + dx, p[1] + dy, *p[2:]) for p in s] for s in strokes]


def resampled(stroke, count):
    """`count` points at equal distances along the stroke: fewer points, no pauses of the hand."""
    lengths = [0.0]
    for a, b in zip(stroke, stroke[1:]):
        lengths.append(lengths[-1] + math.hypot(b[0] - a[0], b[1] - a[1]))
    points, i = [], 0
    for k in range(count):
        at = lengths[-1] * k / (count - 1)
        while i < len(stroke) - 2 and lengths[i + 1] < at:
            i += 1
        span = lengths[i + 1] - lengths[i]
        t = min(1.0, (at - lengths[i]) / span) if span else 0.0
        points.append(tuple(u + (v - u) * t for u, v in zip(stroke[i], stroke[i + 1])))
    return points


def stepped(stroke, step):
    """The stroke with about one point every `step` of its length."""
    length = sum(math.hypot(b[0] - a[0], b[1] - a[1]) for a, b in zip(stroke, stroke[1:]))
    return resampled(stroke, max(3, 1 + round(length / step)))


def smoothed(values, reach):
    """Running means over 2 reach + 1 values, ends repeated."""
    n = len(values)
    return [
        sum(values[min(n - 1, max(0, i + k))] for k in range(-reach, reach + 1)) / (2 * reach + 1) for i in range(n)
    ]


def height_line(stroke, count):
    """The heights of a stroke that runs from left to right, at `count` equal steps of x, as 0...1 downwards."""
    points = sorted(stroke)
    x0, y0, x1, y1 = bounds([stroke])
    heights, i = [], 0
    for k in range(count):
        x = x0 + (x1 - x0) * k / (count - 1)
        while i < len(points) - 2 and points[i + 1][0] < x:
            i += 1
        (xa, ya, *_), (xb, yb, *_) = points[i], points[i + 1]
        t = (x - xa) / (xb - xa) if xb > xa else 0.0
        heights.append((ya + (yb - ya) * min(1.0, max(0.0, t)) - y0) / max(y1 - y0, 1e-9))
    return heights


def flow(stroke, x0, x1, y, tall, count, reach=1, mirrored=False):
    """A stroke drawn from left to right as a line from x0 to x1 that never turns back, `tall` high from y down."""
    heights = smoothed(height_line(stroke, count), reach)
    if mirrored:
        heights.reverse()
    return [(x0 + (x1 - x0) * i / (count - 1), y + tall * h, 1.0, 0.0) for i, h in enumerate(heights)]


def chained(strokes):
    """One closed line through strokes that meet at their ends: each time on to the nearest end."""
    line, rest = list(strokes[0]), [list(s) for s in strokes[1:]]
    while rest:
        def gap(s):
            return min(math.dist(line[-1][:2], s[0][:2]), math.dist(line[-1][:2], s[-1][:2]))
        nearest = min(rest, key=gap)
        rest.remove(nearest)
        if math.dist(line[-1][:2], nearest[-1][:2]) < math.dist(line[-1][:2], nearest[0][:2]):
            nearest.reverse()
        line += nearest
    return line


def directions(stroke):
    """The direction of the stroke at each point, degrees clockwise from the x axis."""
    n = len(stroke)
    return [math.degrees(math.atan2(stroke[min(n - 1, i + 1)][1] - stroke[max(0, i - 1)][1],
                                    stroke[min(n - 1, i + 1)][0] - stroke[max(0, i - 1)][0])) for i in range(n)]


def leaning(stroke, degrees=0.0):
    """The stroke with a pen that leans along it: azimuth = direction + degrees."""
    return [(x, y, p, d + degrees) for (x, y, p, _), d in zip(stroke, directions(stroke))]


def beside(stroke, distance):
    """The line at a distance to the stroke's left as seen on the page when it runs to the right: downwards is plus."""
    points = []
    for (x, y, p, a), d in zip(stroke, directions(stroke)):
        points.append((x - distance * math.sin(math.radians(d)), y + distance * math.cos(math.radians(d)), p, a))
    return points


def calmed(stroke, reach):
    """The stroke with the tremor of the hand taken out: running means of its places."""
    xs, ys = (smoothed([p[i] for p in stroke], reach) for i in (0, 1))
    return [(x, y, *p[2:]) for x, y, p in zip(xs, ys, stroke)]


def about(stroke, centre, factor):
    """The stroke scaled about a point."""
    return [(centre[0] + (p[0] - centre[0]) * factor, centre[1] + (p[1] - centre[1]) * factor, *p[2:]) for p in stroke]


def ringed(stroke, centre, factor=1.0, count=40):
    """A ring with the shape of a hand-drawn circle about `centre`: its radius at each angle, smoothed."""
    tally = [[0.0, 0] for _ in range(count)]
    for x, y, *_ in stepped(stroke, 2):
        slot = tally[int(math.atan2(y - centre[1], x - centre[0]) / math.tau * count) % count]
        slot[0] += math.dist((x, y), centre)
        slot[1] += 1
    known = [t[0] / t[1] for t in tally if t[1]]
    radii = [t[0] / t[1] if t[1] else sum(known) / len(known) for t in tally]
    radii = smoothed(radii * 3, 3)[count:2 * count]
    ring = [(centre[0] + factor * r * math.cos(math.tau * (i + 0.5) / count),
             centre[1] + factor * r * math.sin(math.tau * (i + 0.5) / count), 1.0, 0.0) for i, r in enumerate(radii)]
    return ring


def rounded(stroke, reach):
    """A closed line without the tremor of the hand: running means of its places, all the way round."""
    n = len(stroke)
    line = []
    for i, p in enumerate(stroke):
        near = [stroke[(i + k) % n] for k in range(-reach, reach + 1)]
        line.append((sum(q[0] for q in near) / len(near), sum(q[1] for q in near) / len(near), *p[2:]))
    return line


def spun(strokes, degrees, centre):
    """The strokes turned about a point, clockwise on the page."""
    return moved(turned(moved(strokes, -centre[0], -centre[1]), degrees), *centre)


def tapered(stroke, reach=0.2):
    """The stroke by a pen that is set down and lifted gently: pressure 0 at its ends, 1 between."""
    last = len(stroke) - 1
    return [(x, y, math.sin(math.pi / 2 * min(1.0, i / (reach * last), (last - i) / (reach * last))), a)
            for i, (x, y, _, a) in enumerate(stroke)]


def box_of(x0, y0, x1, y1):
    """The corners of a box."""
    return [(x, y, 1.0, 0.0) for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]


def line_of(heights, x0, x1):
    """Points of a curve y = heights[i] from x0 to x1, azimuth 0, pressure 1."""
    n = len(heights) - 1
    return [(x0 + (x1 - x0) * i / n, y, 1.0, 0.0) for i, y in enumerate(heights)]


def ellipse(x, y, rx, ry, count=90):
    return [(x + rx * math.cos(math.tau * i / count), y + ry * math.sin(math.tau * i / count), 1.0, 0.0)
            for i in range(count)]


def hull(points):
    """The convex hull (A. M. Andrew, 1979)."""
    points = sorted(set((p[0], p[1], 1.0, 0.0) for p in points))

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1])
                                      - (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(reversed(points))


# Letters

# Letters of strokes in a box 4 wide; baseline 0, x-height 4, ascenders -7 as y grows downwards. Lines in one string
# are separated by commas; o is a ring of the given letter's height.
FONT = {
    "a": "4-3 3-4 1-4 0-2.8 0-1.2 1-0 3-0 4-1.2,4-4 4-0",
    "b": "0-7 0-0,0-2.8 1-4 3-4 4-2.8 4-1.2 3-0 1-0 0-1.2",
    "c": "4-3.2 3-4 1-4 0-2.8 0-1.2 1-0 3-0 4-0.8",
    "d": "4-3 3-4 1-4 0-2.8 0-1.2 1-0 3-0 4-1.2,4-7 4-0",
    "e": "0-2.1 4-2.1,4-2.1 3.8-3.2 2.8-4 1.2-4 0-2.8 0-1.2 1-0 2.8-0 3.8-0.7",
    "f": "3-6.6 2.2-7 1.2-6 1.2-0,0-4 2.8-4",
    "g": "4-3 3-4 1-4 0-2.8 0-1.2 1-0 3-0 4-1.2,4-4 4-0 4+1.4 3+2.4 1+2.4 0.2+1.8",
    "h": "0-7 0-0,0-2.6 1.2-4 2.8-4 4-2.6 4-0",
    "i": "1-4 1-0,1-6 1-5.8",
    "k": "0-7 0-0,3.4-4 0-1.6,1.2-2.4 3.6-0",
    "l": "1-7 1-0",
    "m": "0-4 0-0,0-2.6 0.8-4 1.8-4 2.5-2.8 2.5-0,2.5-2.8 3.3-4 4.3-4 5-2.8 5-0",
    "n": "0-4 0-0,0-2.6 1.2-4 2.8-4 4-2.6 4-0",
    "o": "2-4 0.6-3.4 0-2 0.6-0.6 2-0 3.4-0.6 4-2 3.4-3.4 2-4",
    "p": "0-4 0+2.6,0-2.8 1-4 3-4 4-2.8 4-1.2 3-0 1-0 0-1.2",
    "r": "0-4 0-0,0-2.4 1-3.8 2.6-4",
    "s": "3.6-3.4 2.4-4 1-3.8 0.3-2.9 1.2-2.2 2.8-1.8 3.7-1.1 3-0.2 1.4-0 0.2-0.6",
    "t": "1-6 1-1 1.8-0 3-0,0-4 2.8-4",
    "u": "0-4 0-1.4 1-0 2.6-0 4-1.4,4-4 4-0",
    "v": "0-4 2-0,2-0 4-4",
    "w": "0-4 1.3-0,1.3-0 2.5-4,2.5-4 3.7-0,3.7-0 5-4",
    "z": "0-4 3.6-4,3.6-4 0-0,0-0 3.6-0",
    "0": "2-7 0.6-6 0-3.5 0.6-1 2-0 3.4-1 4-3.5 3.4-6 2-7",
    "1": "0.6-5.6 2.2-7,2.2-7 2.2-0",
    "2": "0.2-5.4 0.8-6.6 2.2-7 3.6-6.3 3.7-4.8 0-0,0-0 4-0",
    "3": "0.3-6.2 1.8-7 3.5-6.2 3.4-4.5 1.8-3.8,1.8-3.8 3.8-3 3.9-1.2 2.2-0 0.2-0.9",
    "4": "3-0 3-7,3-7 0-2,0-2 4.2-2",
    "5": "3.6-7 0.6-7,0.6-7 0.3-4,0.3-4 2-4.5 3.8-3.4 3.8-1.2 2.2-0 0.2-0.7",
    "6": "3.4-6.6 1.4-5.8 0.1-3 0.4-0.9 2-0 3.7-0.9 3.8-2.8 2.2-3.9 0.3-2.8",
    "7": "0-7 4-7,4-7 1.2-0",
    "8": "2-3.8 0.5-4.8 0.6-6.3 2-7 3.4-6.3 3.5-4.8 2-3.8 0.3-2.8 0.2-1 2-0 3.8-1 3.7-2.8 2-3.8",
    "9": "0.6-0.4 2.6-1.2 3.9-4 3.6-6.1 2-7 0.3-6.1 0.2-4.2 1.8-3.1 3.7-4.2",
    ".": "0.3-0.3 0.3-0",
    "#": "1.3-7 0.5-0,3.3-7 2.5-0,0-4.8 4-4.8,0-2.2 3.7-2.2",
    "A": "0-0 2.4-7,2.4-7 4.8-0,0.8-2.4 4-2.4",
    "L": "0-7 0-0,0-0 3.8-0",
    "H": "0-7 0-0,4.4-7 4.4-0,0-3.6 4.4-3.6",
    "O": "2.6-7 0.8-6 0-3.5 0.8-1 2.6-0 4.4-1 5.2-3.5 4.4-6 2.6-7",
    "P": "0-7 0-0,0-7 2.4-7 3.8-6.2 3.8-4.6 2.4-3.8 0-3.8",
    "R": "0-7 0-0,0-7 2.4-7 3.8-6.2 3.8-4.6 2.4-3.8 0-3.8,1.8-3.8 4.2-0",
    "S": "4-5.8 2.8-7 1.2-6.8 0.3-5.6 0.8-4.2 3.2-3.2 4.1-1.8 3.2-0.3 1.4-0 0-1.2",
    "W": "0-7 1.4-0,1.4-0 3-6,3-6 4.6-0,4.6-0 6-7",
    "y": "0-4 2-0,4-4 1.4+2.6",
}


def written(text, x, y, unit):
    """The strokes of a text whose baseline begins at (x, y)."""
    strokes = []
    for letter in text:
        if letter == " ":
            x += 3.4 * unit
            continue
        lines = []
        for line in FONT[letter].split(","):
            points = []
            for pair in line.split():
                at = max(pair.rfind("-"), pair.rfind("+"))
                points.append((x + float(pair[:at]) * unit, y + float(pair[at:]) * unit, 1.0, 0.0))
            lines.append(points)
        strokes += lines
        x = max(p[0] for line in lines for p in line) + 1.9 * unit
    return strokes


# Masks and pictures


class Mask:
    """A gray picture that stretches over the whole canvas; values 0...1, rows from the top."""

    placement = None

    def __init__(self, canvas, width, value=0.0):
        self.width = width
        self.height = round(width * canvas[1] / canvas[0])
        self.scale = width / canvas[0]
        self.rows = [[value] * self.width for _ in range(self.height)]

    def polygon(self, points, value=1.0):
        """Lays `value` over the inside of a closed line given in canvas pixels; even-odd, edges antialiased."""
        sub = 4
        pts = [(p[0] * self.scale, p[1] * self.scale) for p in points]
        edges = [(a, b) if a[1] < b[1] else (b, a) for a, b in zip(pts, pts[1:] + pts[:1]) if a[1] != b[1]]
        for j in range(max(0, int(min(p[1] for p in pts))), min(self.height, int(max(p[1] for p in pts)) + 1)):
            # Exact along the row: `cover` has the ends of the spans, `step` where whole pixels begin and end.
            cover, step = [0.0] * (self.width + 1), [0.0] * (self.width + 1)
            for k in range(sub):
                y = j + (k + 0.5) / sub
                xs = sorted(a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) for a, b in edges if a[1] <= y < b[1])
                xs = [max(0.0, min(float(self.width), x)) for x in xs]
                for left, right in zip(xs[::2], xs[1::2]):
                    i, m = int(left), int(right)
                    cover[i] -= (left - i) / sub
                    cover[m] += (right - m) / sub
                    step[i] += 1 / sub
                    step[m] -= 1 / sub
            row, whole = self.rows[j], 0.0
            for i in range(self.width):
                whole += step[i]
                c = whole + cover[i]
                if c > 0:
                    row[i] += (value - row[i]) * min(1.0, c)
        return self

    def shade(self, value):
        """Multiplies each pixel by value(x, y), x and y in canvas pixels."""
        for j, row in enumerate(self.rows):
            y = (j + 0.5) / self.scale
            self.rows[j] = [v * max(0.0, min(1.0, value((i + 0.5) / self.scale, y))) if v else 0.0
                            for i, v in enumerate(row)]
        return self

    def soften(self, radius):
        """Blurs: three running means, `radius` in canvas pixels."""
        reach = max(1, round(radius * self.scale / 2))

        def line(values):
            n, total, out = len(values), 0.0, []
            padded = [values[0]] * reach + values + [values[-1]] * (reach + 1)
            total = sum(padded[:2 * reach + 1])
            for i in range(n):
                out.append(total / (2 * reach + 1))
                total += padded[i + 2 * reach + 1] - padded[i]
            return out

        for _ in range(3):
            self.rows = [line(row) for row in self.rows]
            columns = [line(list(column)) for column in zip(*self.rows)]
            self.rows = [list(row) for row in zip(*columns)]
        return self

    def png(self):
        rows = [bytes(max(0, min(255, round(255 * v))) for v in row) for row in self.rows]
        return png(self.width, self.height, rows, channels=1)


class Patch(Mask):
    """The inside of closed lines as a mask that is placed on the canvas and no larger than they are."""

    def __init__(self, *polygons, scale=1.0, margin=3):
        x0, y0, x1, y1 = bounds(polygons)
        self.left, self.top, self.scale = math.floor(x0) - margin, math.floor(y0) - margin, scale
        wide, tall = math.ceil(x1) + margin - self.left, math.ceil(y1) + margin - self.top
        self.width, self.height = math.ceil(wide * scale), math.ceil(tall * scale)
        self.placement = {"x": self.left, "y": self.top, "width": self.width / scale, "height": self.height / scale}
        self.rows = [[0.0] * self.width for _ in range(self.height)]
        for polygon in polygons:
            self.polygon(polygon)

    def polygon(self, points, value=1.0):
        return super().polygon(moved([points], -self.left, -self.top)[0], value)


class Outline:
    """The inside of closed lines as a mask of shapes, as sharp as the picture is large: points, or path data."""

    def __init__(self, *lines, digits=1):
        self.shapes = [{"path": line if isinstance(line, str) else straight(line, digits)} for line in lines]


def straight(points, digits=1):
    """Path data of the straight lines through points."""
    return "M" + "L".join(f"{x:.{digits}f} {y:.{digits}f}" for x, y, *_ in points) + "Z"


def curved(points, closed=False, digits=2):
    """Path data of the curve that a stroke through the points is drawn along; its ends are open if it has any."""
    through = [p[:2] for p in points]
    if closed:
        through = [through[-1], *through, *through[:2]]
    else:
        ends = [tuple(2 * a - b for a, b in zip(through[i], through[j])) for i, j in ((0, 1), (-1, -2))]
        through = [ends[0], *through, ends[1]]
    data = f"M{through[1][0]:.{digits}f} {through[1][1]:.{digits}f}"
    for before, a, b, after in zip(through, through[1:], through[2:], through[3:]):
        controls = [[a[i] + (b[i] - before[i]) / 6 for i in (0, 1)], [b[i] - (after[i] - a[i]) / 6 for i in (0, 1)], b]
        data += "C" + " ".join(f"{v:.{digits}f}" for pair in controls for v in pair)
    return data + "Z" if closed else data


def disc(x, y, radius):
    """Path data of a circle."""
    return f"M{x - radius} {y}a{radius} {radius} 0 0 0 {2 * radius} 0a{radius} {radius} 0 0 0 {-2 * radius} 0Z"


def png(width, height, rows, channels):
    """A PNG file of 8-bit rows: 1 channel gray, 3 RGB, 4 RGBA. Rows are filtered with Up."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    color = {1: 0, 3: 2, 4: 6}[channels]
    above, filtered = bytes(width * channels), []
    for row in rows:
        filtered.append(b"\2" + bytes((a - b) & 255 for a, b in zip(row, above)))
        above = row
    header = struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(filtered), 9))
            + chunk(b"IEND", b""))


def color_of(text):
    return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))


def hex_color(color):
    return "#%02x%02x%02x" % tuple(round(c) for c in color)


def painted(width, height, color):
    """An RGB PNG; color(u, v) gives three numbers 0...255 for u, v in 0...1."""
    rows = []
    for j in range(height):
        row = bytearray()
        for i in range(width):
            row += bytes(max(0, min(255, round(c))) for c in color((i + 0.5) / width, (j + 0.5) / height))
        rows.append(bytes(row))
    return png(width, height, rows, channels=3)


def mixed(a, b, t):
    return tuple(u + (v - u) * max(0.0, min(1.0, t)) for u, v in zip(a, b))


# Projects


class Element:
    """What layers, fills and groups have in common. A mask is shapes (`Outline`) or a picture, which is placed if it is a
    `Patch` and else covers the canvas.
    """

    def __init__(self, name, mode="normal", opacity=1.0, mask=None, clipped=False, **keys):
        self.entry = {"name": name, "blendMode": mode, "opacity": opacity, **keys}
        if isinstance(mask, Outline):
            self.entry["maskShapes"] = mask.shapes
        elif mask:
            self.entry["maskImage"] = base64.b64encode(mask.png()).decode()
            if mask.placement:
                self.entry["maskPlacement"] = mask.placement
        if clipped:
            self.entry["clipped"] = True


class Fill(Element):
    """One colour over the whole canvas, where its mask shows it."""

    def __init__(self, name, color, *arguments, **keywords):
        super().__init__(name, *arguments, type="fill", color=color, **keywords)


class Group(Element):
    """Elements that make a picture of their own; `add` returns the element."""

    def __init__(self, name, *arguments, **keywords):
        super().__init__(name, *arguments, type="group", **keywords)
        self.elements = []

    def add(self, element):
        self.elements.append(element)
        return element


class Layer(Element):
    """A layer under construction; strokes are drawn in the order they are added."""

    def __init__(self, name, mode="normal", opacity=1.0, mask=None, content=None, place=None, clipped=False):
        super().__init__(name, mode, opacity, mask, clipped)
        if content:
            self.entry["contentImage"] = base64.b64encode(content).decode()
        if place:
            self.entry["contentPlacement"] = dict(zip(("x", "y", "width", "height", "rotation"), place))
        self.entry["strokes"] = []

    def stroke(self, points, kind, color="#000000", mode="paint", pressure=None, digits=1, smoothing="uniform", closed=False,
               least={}, **brush):
        """Adds a stroke; `pressure` names what the pressure acts on: any of "opacity", "size", "tilt"; `least` what no
        pressure leaves of them (minimumSize, minimumOpacity).
        """
        acts = pressure or ""
        faint = kind == "contourLines" or kind != "solid" and brush.get("anchor") != "canvas"
        dynamics = {} if ("opacity" in acts) == faint else {"pressureAffectsOpacity": not faint}
        dynamics |= {"pressureAffectsSize": True} if "size" in acts else {}
        dynamics |= {"tiltAffectsRotation": True} if "tilt" in acts else {}
        dynamics |= least
        entry = {"type": kind, "color": color, **brush, **({"dynamics": dynamics} if dynamics else {})}
        written = []
        for x, y, p, azimuth in points:
            point = [round(x, digits), round(y, digits)]
            if acts:
                point.append(round(p, 2))
            if "tilt" in acts:
                point += [0, 60, round(azimuth, 1)]
            written.append(point)
        line = {key: value for key, value, usual in (("mode", mode, "paint"), ("smoothing", smoothing, "uniform"),
                                                     ("closed", closed, False)) if value != usual}
        self.entry["strokes"].append({"brush": entry, **line, "points": written})
        return self

    def shape(self, path, fill, **keys):
        """Adds a shape; all of them lie below the strokes."""
        self.entry.setdefault("shapes", []).append({"path": path, "fill": fill, **keys})
        return self

    def strokes(self, many, *arguments, step=None, **keywords):
        for points in many:
            self.stroke(stepped(points, step) if step else points, *arguments, **keywords)
        return self

    def pattern(self, points, kind, color, size, **keywords):
        """A stroke that uncovers a pattern which lies still on the canvas; `size` is its width in canvas pixels."""
        scale = keywords.get("scale", 1)
        return self.stroke(points, kind, color, anchor="canvas", size=round(size / scale, 2), **keywords)

    def cover(self, box, kind, color, **keywords):
        """Uncovers the pattern all over a box (x0, y0, x1, y1), by one stroke along its longer middle line."""
        x0, y0, x1, y1 = box
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        ends = [(x0, y, 1, 0), (x1, y, 1, 0)] if x1 - x0 > y1 - y0 else [(x, y0, 1, 0), (x, y1, 1, 0)]
        return self.pattern(ends, kind, color, min(x1 - x0, y1 - y0) + 2, **keywords)


class Picture:
    """A drawing; `canvas` is (width, height), or None for an infinite canvas, which `viewports` show."""

    def __init__(self, name, canvas, background, elements, license_text, base=None, viewports=()):
        self.name, self.canvas, self.background, self.elements = name, canvas, background, elements
        self.license_text, self.base, self.viewports = license_text, base, viewports

    def write(self, path):
        """Writes a project file, format 1.3."""
        def numbered(elements, prefix):
            entries = []
            for i, element in enumerate(elements):
                entry = {"id": f"{prefix}{i + 1}", "order": i, **element.entry}
                if isinstance(element, Group):
                    entry["layers"] = numbered(element.elements, f"{prefix}{i + 1}-")
                entries.append(entry)
            return entries

        stamp = "2025-11-10T12:00:00Z"
        project = {"version": "1.3", "id": path.stem, "name": self.name, "createdAt": stamp, "modifiedAt": stamp}
        if self.canvas:
            project["canvasSize"] = {"width": self.canvas[0], "height": self.canvas[1]}
        else:
            project["canvas"] = "infinite"
        project["background"] = self.background
        if self.base:
            project["baseImage"] = base64.b64encode(self.base).decode()
        if self.viewports:
            project["viewports"] = list(self.viewports)
        project["layers"] = numbered(self.elements, "element-")
        project["metadata"] = {"author": "Ink export farm", "license": self.license_text}
        path.write_text(json.dumps(project, separators=(",", ":")) + "\n")


def viewport(name, x, y, zoom, rotation, width, height):
    return {"name": name, "center": {"x": x, "y": y}, "zoom": zoom, "rotation": rotation,
            "size": {"width": width, "height": height}}
