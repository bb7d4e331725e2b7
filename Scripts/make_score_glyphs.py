#!/usr/bin/env python3
"""Makes the outlines of musical symbols and of letters that scores are engraved with.

    pip download verovio==6.4.1 --no-deps && apt-get download fonts-texgyre && dpkg -x fonts-texgyre_*.deb FONTS
    Scripts/make_score_glyphs.py verovio-6.4.1-*.whl FONTS      # needs fontTools

Writes Sources/CScoreGlyphs/farm-score-glyphs.txt (from SMuFL's Bravura, SIL Open Font License, as the wheel has it) and
farm-score-letters.txt (from TeX Gyre Schola and Heros, GUST Font License). The same sources give the same bytes.
"""

import re
import sys
import unicodedata
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parent.parent / "Sources" / "CScoreGlyphs"

# SMuFL's names, https://w3c.github.io/smufl/latest/tables/.
SYMBOLS = """
gClef unpitchedPercussionClef1 noteheadWhole noteheadHalf noteheadBlack noteheadXBlack augmentationDot
noteheadDiamondBlack noteheadCircleX
flag8thUp flag8thDown flag16thUp flag16thDown flag32ndUp flag32ndDown
accidentalFlat accidentalNatural accidentalSharp
restWhole restHalf restQuarter rest8th rest16th rest32nd
timeSig0 timeSig1 timeSig2 timeSig3 timeSig4 timeSig5 timeSig6 timeSig7 timeSig8 timeSig9 timeSigCommon timeSigCutCommon
fermataAbove articAccentAbove segno coda repeatDot tremolo1 tremolo2 tremolo3 buzzRoll
dynamicPiano dynamicMezzo dynamicForte dynamicPP dynamicMP dynamicMF dynamicFF
tuplet0 tuplet1 tuplet2 tuplet3 tuplet4 tuplet5 tuplet6 tuplet7 tuplet8 tuplet9
""".split()

FACES = {
    "serif-regular": "texgyreschola-regular",
    "serif-bold": "texgyreschola-bold",
    "serif-italic": "texgyreschola-italic",
    "sans-regular": "texgyreheros-regular",
    "sans-bold": "texgyreheros-bold",
    "sans-italic": "texgyreheros-italic",
}
# ASCII, Latin-1, letters of European languages, the punctuation of titles.
LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x100)]
LETTERS += map(ord, "ĀāĂăĄąĆćČčĎďĒēĖėĘęĚěĞğĢģĪīĮįİıĶķĹĺĻļĽľŁłŃńŅņŇňŌōŐőŒœŔŕŘřŚśŞşŠšŤťŪūŮůŰűŲųŴŵŶŷŸŹźŻżŽžȘșȚțẀẁẂẃẄẅỲỳ")
LETTERS += map(ord, "–—‘’‚“”„•…€")
# Pairs that move by less do not show.
KERN_MIN = 15


class ContourPen(BasePen):
    """Collects the contours of a glyph: steps with points in whole units, y upwards."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.contours = []

    def _add(self, letter, *points):
        self.contours[-1] += ((letter, *((round(x), round(y)) for x, y in points)),)

    def _moveTo(self, point):
        self.contours.append(())
        self._add("m", point)

    def _lineTo(self, point):
        self._add("l", point)

    def _curveToOne(self, first, second, point):
        self._add("c", first, second, point)


def path(contours):
    """SVG path data with relative coordinates."""
    text, last = "", (0, 0)
    for contour in contours:
        for letter, *points in contour:
            numbers = [str(value) for x, y in points for value in (x - last[0], y - last[1])]
            text += letter + re.sub(r" (?=-)", "", " ".join(numbers))
            last = points[-1]
        text, last = text + "z", contour[0][1]
    return text


def symbols(wheel):
    """A line for each symbol: name, advance, box, path, in 1/250 staff space, y upwards."""
    with zipfile.ZipFile(wheel) as archive:
        boxes = ElementTree.fromstring(archive.read("verovio/data/Bravura.xml"))
        known = {glyph.get("n"): glyph for glyph in boxes.iter("g")}
        for name in SYMBOLS:
            glyph = known[name]
            x, y, width, height, advance = (
                round(float(glyph.get(key))) for key in ("x", "y", "w", "h", "h-a-x")
            )
            text = archive.read(f"verovio/data/Bravura/{glyph.get('c')}.xml").decode()
            outline = re.sub(r" (?=[-a-zA-Z])", "", re.search(r' d="([^"]+)"', text)[1])
            yield f"{name} {advance} {x} {y} {x + width} {y + height} {outline}\n"


def kerning(font):
    """The distances between pairs of letters of ASCII, from the pair adjustments of the feature `kern`."""
    names = {font.getBestCmap().get(code): chr(code) for code in range(0x21, 0x7F)}
    table = font["GPOS"].table
    wanted = {
        index
        for feature in table.FeatureList.FeatureRecord
        if feature.FeatureTag == "kern"
        for index in feature.Feature.LookupListIndex
    }
    pairs = {}
    for index in sorted(wanted):
        for sub in table.LookupList.Lookup[index].SubTable:
            sub = getattr(sub, "ExtSubTable", sub)
            covered = [name for name in sub.Coverage.glyphs if name in names]
            for first in covered:
                if sub.Format == 1:
                    records = sub.PairSet[sub.Coverage.glyphs.index(first)].PairValueRecord
                    found = [(record.SecondGlyph, record.Value1) for record in records]
                else:
                    row = sub.Class1Record[sub.ClassDef1.classDefs.get(first, 0)].Class2Record
                    found = [(second, row[sub.ClassDef2.classDefs.get(second, 0)].Value1) for second in names]
                for second, value in found:
                    distance = getattr(value, "XAdvance", 0) if value else 0
                    if second in names and abs(distance) >= KERN_MIN:
                        pairs.setdefault(names[first] + names[second], distance)
    return pairs


def letters(folder):
    """For each face its name, then a line for each letter: code, advance, path, in 1/1000 em; then its kerning.

    Before the path `=CODE` stands for the contours of another letter, which this one has an accent more than.
    """
    for face, name in FACES.items():
        font = TTFont(next(Path(folder).rglob(f"{name}.otf")))
        glyphs, characters = font.getGlyphSet(), font.getBestCmap()
        yield f"face {face}\n"
        drawn = {}
        for code in (code for code in LETTERS if code in characters):
            pen = ContourPen(glyphs)
            glyphs[characters[code]].draw(pen)
            drawn[code], outline = pen.contours, path(pen.contours)
            base = ord(unicodedata.normalize("NFD", chr(code))[0])
            if base != code and base in drawn and set(drawn[base]) <= set(pen.contours):
                accents = [contour for contour in pen.contours if contour not in drawn[base]]
                outline = f"={base:x} {path(accents)}"
            yield f"{code:x} {round(glyphs[characters[code]].width)} {outline}\n"
        pairs = kerning(font)
        yield "kern " + " ".join(f"{pair}{pairs[pair]}" for pair in sorted(pairs)) + "\n"


def main(wheel, fonts):
    (TARGET / "farm-score-glyphs.txt").write_text("".join(symbols(wheel)))
    (TARGET / "farm-score-letters.txt").write_text("".join(letters(fonts)))


if __name__ == "__main__":
    main(*sys.argv[1:])
