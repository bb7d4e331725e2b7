"""Scores as other programs read and draw them: MuseScore's import of BWW, LilyPond with its own table of
embellishments, and the pages of PDF and SVG files as poppler and librsvg draw them."""

import collections
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import numpy
from PIL import Image

import support

SCORES = sorted((support.ROOT / "Tests/InkConformanceTests/Data/scores").glob("*.bww"))
# The others are lists of words that another reader tests itself with.
TUNES = [path for path in SCORES if not path.name.startswith("mitconf")]

# By half spaces above the bottom line and size; `log` is 0 for a whole, 1 for a half, 2 for a black head.
Head = collections.namedtuple("Head", "step grace log", defaults=[None])
PITCHES = ["LG", "LA", "B", "C", "D", "E", "F", "HG", "HA"]


def drawn_heads(folder, score):
    """The noteheads of a score's pages in reading order."""
    support.run(support.BINARY, "export", score, "--format", "svg", "--name", "{n}.{ext}", "-q", "-o", folder)
    heads, clef = [], None
    for page in sorted(folder.glob("*.svg"), key=lambda path: int(path.stem)):
        for name, scale, y in re.findall(
                r'<use xlink:href="#(\w+)"[^>]*matrix\(([\d.]+) 0 0 [\d.]+ [\d.-]+ ([\d.-]+)\)', page.read_text()):
            if name == "gClef":
                clef = (float(scale), float(y))
            elif name.startswith("notehead"):
                step = round(2 * (clef[1] - float(y)) / clef[0]) + 2
                log = ["noteheadWhole", "noteheadHalf", "noteheadBlack"].index(name)
                heads.append(Head(step, float(scale) < 0.9 * clef[0], log))
    return heads


def lines_of(folder, score):
    """The lines of a score, as `ink import` writes them: lists of bars, each a list of notes."""
    support.run(support.BINARY, "import", score, "-o", folder, "-q")
    document = json.loads(next(folder.glob("*.pbscore")).read_text())
    groups = {group["id"]: group for group in document.get("noteGroups", [])}
    return [
        [measure.get("notes", {}).get("bagpipes", []) for measure in system["measures"]]
        for tune in document["tunes"] for part in tune["parts"] for system in part["systems"]], groups


def step_of(note):
    """Half spaces above the bottom line."""
    pitch = note["pitch"]
    if isinstance(pitch, str):
        return PITCHES.index(pitch) + 2
    letter = "bcdef".find(pitch["pitchClass"])
    if letter >= 0:
        return letter + 4
    return {"g": 2, "a": 3}[pitch["pitchClass"]] + (7 if pitch["octave"] == 5 else 0)


TYPES = {"whole": "semibreve", "half": "minim", "quarter": "crotchet", "eighth": "quaver", "16th": "semiquaver",
         "32nd": "demisemiquaver"}


class MuseScore:
    """What MuseScore reads in a BWW file."""

    def __init__(self, folder, score):
        xml = folder / "musescore.musicxml"
        environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", HOME=str(folder))
        # It may crash when it ends; the file is complete by then.
        subprocess.run(["musescore3", "-o", xml, score], capture_output=True, env=environment, timeout=120, check=False)
        self.heads, self.notes, self.bars = [], [], []
        for measure in ElementTree.parse(xml).getroot().iter("measure"):
            for note in measure.iter("note"):
                pitch, is_grace = note.find("pitch"), note.find("grace") is not None
                if pitch is not None:
                    step = "CDEFGAB".index(pitch.findtext("step")) + 7 * int(pitch.findtext("octave")) - 32 + 2
                    self.heads.append(Head(step, is_grace))
                if not is_grace and pitch is not None:
                    self.notes.append((step, TYPES[note.findtext("type")], len(note.findall("dot"))))
            self.bars.append(len(self.notes))


def dots(note, groups):
    """The dots of a note, without the ratio of its tuplet."""
    value = note.get("durationAdjustment", 1)
    for name in note.get("noteGroups", []):
        group = groups.get(name, {})
        if group.get("kind") == "tuplet":
            value *= group["actual"] / group["normal"]
    return [1, 1.5, 1.75].index(round(value, 3))


@unittest.skipIf(shutil.which("musescore3") is None, "no musescore3: apt-get install musescore3")
class MuseScoreTests(unittest.TestCase):
    # MuseScore 3.2.3 reads one tune of a file, and crashes on the list of all embellishments.
    TUNES = [path for path in TUNES if "set" not in path.name]

    def test_musescore_reads_the_same_notes_gracenotes_and_bars(self):
        count = 0
        for score in self.TUNES:
            with self.subTest(score=score.name), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                other = MuseScore(folder, score)
                heads = drawn_heads(folder / "svg", score)
                self.assertEqual([head._replace(log=None) for head in heads], other.heads)
                lines, groups = lines_of(folder / "pbscore", score)
                notes = [note for line in lines for bar in line for note in bar if not note.get("rest")]
                self.assertEqual(
                    [(step_of(note), note["noteType"], dots(note, groups)) for note in notes], other.notes)
                # It knows no time line '22, and misses the bar line before it.
                lost = 1 if "'22" in score.read_text(errors="replace") else 0
                ends = list(itertools.accumulate(
                    sum(not note.get("rest") for note in bar) for line in lines for bar in line))
                self.assertLessEqual(set(other.bars), set(ends))
                self.assertEqual(len(other.bars) + lost, len(ends))
                count += len(heads)
        self.assertGreater(count, 500)
        print(f"{count} heads of {len(self.TUNES)} scores as MuseScore reads them")


# LilyPond's names of notes, and of embellishments by kind, variant and note.
NAMES = ["G", "a", "b", "c", "d", "e", "f", "g", "A"]
FIXED = {
    ("grip", "regular"): "grip", ("grip", "b"): "bgrip", ("taorluath", "regular"): "taor", ("taorluath", "b"): "btaor",
    ("throw", "regular"): "thrwd", ("throw", "half"): "Gthrwd", ("throw", "heavy"): "gripthrwd",
    ("birl", "regular"): "birl", ("birl", "half"): "wbirl", ("birl", "g"): "gbirl", ("single", "g"): "grg",
    ("single", "thumb"): "grA", ("gStrike", "light"): "wslurd",
}
ON_NOTES = {
    ("doubling", "regular"): ("dbl", NAMES), ("doubling", "half"): ("hdbl", NAMES),
    ("doubling", "thumb"): ("tdbl", "Gabcdefg"), ("gStrike", "g"): ("slur", "abcdef"),
    ("gStrike", "half"): ("hslur", "abcdef"), ("gStrike", "thumb"): ("tslur", "abcdef"),
    ("gGrip", "g"): ("catch", "abcde"), ("gGrip", "half"): ("hcatch", "abcde"), ("gGrip", "thumb"): ("tcatch", "abcde"),
    ("pele", "g"): ("shake", "abcdef"), ("pele", "half"): ("hshake", "abcdef"), ("pele", "thumb"): ("tshake", "abcdef"),
}
DURATIONS = {"semibreve": 1, "minim": 2, "crotchet": 4, "quaver": 8, "semiquaver": 16, "demisemiquaver": 32}


@unittest.skipIf(shutil.which("lilypond") is None, "no lilypond: apt-get install lilypond")
@unittest.skipIf(shutil.which("bwrap") is None, "no bwrap: apt-get install bubblewrap")
class LilyPondTests(unittest.TestCase):
    PROBE = """\\version "2.24.0"
\\include "bagpipe.ly"
probe = #(lambda (grob) (format #t "HEAD ~a ~a ~a\\n" (+ 4 (ly:grob-property grob 'staff-position))
  (ly:grob-property grob 'font-size 0) (ly:grob-property grob 'duration-log)))
\\layout { \\context { \\Voice \\override NoteHead.after-line-breaking = #probe } }
\\paper { page-breaking = #ly:one-page-breaking ragged-right = ##t }
%s
"""
    SCORE = """\\score { { \\key d \\major \\cadenzaOn \\autoBeamOff
\\override Score.NonMusicalPaperColumn.line-break-permission = ##f
%s
} \\layout {} }
"""

    def test_lilypond_draws_the_same_heads_with_its_own_embellishments(self):
        heads, scores, known = [], [], 0
        for score in TUNES:
            music = []
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                drawn = drawn_heads(folder / "svg", score)
                lines, _ = lines_of(folder / "pbscore", score)
            heads += drawn
            drawn = iter(drawn)
            for line in lines:
                for note in (note for bar in line for note in bar):
                    length = DURATIONS[note["noteType"]]
                    if note.get("rest"):
                        music.append(f"r{length}")
                        continue
                    graces = list(itertools.takewhile(lambda head: head.grace, drawn))
                    pitch = NAMES[step_of(note) - 2]
                    embellishment = note.get("embellishment") or {}
                    kind = (embellishment.get("kind"), embellishment.get("variant"))
                    prefix, notes = ON_NOTES.get(kind, ("", ""))
                    if "notes" not in embellishment and (kind in FIXED or pitch in notes):
                        music.append(f"\\{FIXED.get(kind) or prefix + pitch}")
                        known += 1
                    elif graces:
                        # Not in its table: those that were drawn.
                        music.append("\\pgrace { %s }" % " ".join(f"{NAMES[head.step - 2]}32" for head in graces))
                    music.append(f"{pitch}{length}")
                music.append('\\bar "|" \\break')
            scores.append(self.SCORE % "\n".join(music))
        with tempfile.TemporaryDirectory() as name:
            pathlib.Path(name, "heads.ly").write_text(self.PROBE % "".join(scores))
            # Its files are programs: this one sees nothing but its folder.
            output = support.run(
                "bwrap", "--unshare-all", "--cap-drop", "ALL", *(
                    word for path in ("/usr", "/lib", "/lib64", "/bin", "/etc/fonts") if os.path.exists(path)
                    for word in ("--ro-bind", path, path)),
                "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", name, "/work", "--chdir", "/work",
                "lilypond", "-dbackend=svg", "--loglevel=ERROR", "-o", "heads", "heads.ly")
        found = [
            Head(int(step), float(size) < 0, int(log))
            for step, size, log in re.findall(r"HEAD (-?\d+) (-?[\d.]+) (\d+)", output)]
        self.assertEqual(heads, found)
        self.assertGreater(known, 200)
        print(f"{len(found)} heads and {known} embellishments of {len(TUNES)} scores as LilyPond draws them")


class PageTests(unittest.TestCase):
    @unittest.skipIf(shutil.which("pdftocairo") is None, "no pdftocairo: apt-get install poppler-utils")
    @unittest.skipIf(shutil.which("rsvg-convert") is None, "no rsvg-convert: apt-get install librsvg2-bin")
    def test_pages_of_pdf_and_svg_look_as_those_of_png(self):
        for score in (path for path in TUNES if path.name.startswith("mit_")):
            with self.subTest(score=score.name), tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                support.run(
                    support.BINARY, "export", score, "--format", "png,pdf,svg", "--dpi", "300", "--name", "{n}.{ext}",
                    "-q", "-o", folder)
                with Image.open(folder / "1.png") as image:
                    own = numpy.asarray(image.convert("L")).astype(int)
                height, width = own.shape
                support.run("pdftocairo", "-png", "-singlefile", "-r", "300", folder / "1.pdf", folder / "pdf")
                support.run(
                    "rsvg-convert", "-w", width, "-h", height, "--background-color", "white", "-o", folder / "svg.png",
                    folder / "1.svg")
                for kind in ("pdf", "svg"):
                    with Image.open(folder / f"{kind}.png") as image:
                        other = numpy.asarray(image.convert("L").resize((width, height))).astype(int)
                    # A share of what is dark on the page; poppler's has a row of pixels more.
                    self.assertLess(abs(own - other).sum() / (255 - own).sum(), 0.25, kind)
                text = support.run("pdftotext", folder / "1.pdf", "-")
                title = re.search(r'"([^"]+)",\(T,', score.read_text(errors="replace"))[1]
                self.assertIn(title, text)


if __name__ == "__main__":
    unittest.main()
