"""The examples are what their scripts draw, byte for byte, in this Python too. The documents of pictures show them all,
and the sheet of brushes all that a brush can be.
"""

import contextlib
import importlib
import io
import json
import pathlib
import re
import tempfile
import unittest

from PIL import Image

import support


class ExampleTests(unittest.TestCase):
    def test_scripts_draw_the_examples(self):
        script = importlib.import_module("make_examples")
        with tempfile.TemporaryDirectory() as folder:
            for project in support.EXAMPLES:
                with self.subTest(project=project.name):
                    drawn = pathlib.Path(folder) / project.name
                    script.module(project.stem).picture().write(drawn)
                    self.assertTrue(drawn.read_bytes() == project.read_bytes(), "run `make examples`")

    def test_script_draws_the_documents_of_the_gallery(self):
        script = importlib.import_module("make_gallery")
        gallery = script.GALLERY
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            script.GALLERY = pathlib.Path(folder)
            script.main([])
            for drawn in script.GALLERY.iterdir():
                with self.subTest(document=drawn.name):
                    self.assertTrue(drawn.read_bytes() == (gallery / drawn.name).read_bytes(), "run `make examples`")
            script.GALLERY = gallery

    def test_gallery_shows_each_document(self):
        text = (support.ROOT / "docs/gallery.md").read_text()
        documents = {file.name for file in (support.ROOT / "examples/gallery").iterdir()}
        self.assertEqual(set(re.findall(r"\]\(\.\./examples/gallery/([^)]+)\)", text)), documents)
        pictures = {file.name for file in (support.ROOT / "docs/images/gallery").iterdir()}
        self.assertEqual(set(re.findall(r"!\[[^]]+\]\(images/gallery/([^)]+)\)", text)), pictures)


class BrushSheetTests(unittest.TestCase):
    """What the schema allows, what the sheet draws and what the document shows are the same."""

    def setUp(self):
        schema = json.loads((support.ROOT / "docs/schema/project.schema.json").read_text())["$defs"]
        # A preset is a set of the others.
        brush, stroke, dynamics = (set(schema[name]["properties"]) for name in ("brush", "stroke", "dynamics"))
        self.settings = brush - {"type", "preset", "dynamics"} | dynamics | stroke - {"brush", "points"}
        self.types = {kind for kind in schema["brushType"]["enum"] if kind}
        self.sheet = importlib.import_module("make_examples").module("brush-sheet")
        self.strips = {f"{kind}-{setting}": self.sheet.values(kind, setting)
                       for kind in self.sheet.TYPES for setting in self.sheet.SETTINGS}
        self.pictures = self.types | {name for name, values in self.strips.items() if values}

    def test_has_each_type_and_setting_of_the_schema(self):
        self.assertEqual(set(self.sheet.TYPES), self.types, "types of Scripts/examples/brush_sheet.py")
        self.assertEqual(set(self.sheet.SETTINGS), self.settings, "settings of Scripts/examples/brush_sheet.py")
        project = json.loads((support.ROOT / "examples/brush-sheet.ink").read_text())
        shown = {viewport["name"] for viewport in project["viewports"]}
        self.assertEqual(shown, self.pictures, "run `make examples`")

    def test_document_shows_each_strip_with_its_values(self):
        text = (support.ROOT / "docs/brushes.md").read_text()
        shown = dict(re.findall(r'<img src="images/brushes/([^"]+)\.webp" alt="([^"]+)"', text))
        self.assertEqual(set(shown), self.pictures, "docs/brushes.md")
        files = {file.stem for file in (support.ROOT / "docs/images/brushes").iterdir()}
        self.assertEqual(files, set(shown), "run `make pictures`")
        for name, values in self.strips.items():
            for value in values:
                with self.subTest(strip=name, value=value):
                    self.assertRegex(shown[name], rf"(^|\W){re.escape(str(value).lower())}(\W|$)")
        for kind in self.types:
            idle = {setting for setting in self.settings if not self.strips[f"{kind}-{setting}"]}
            section = text[text.index(f"\n`{kind}`. "):].split("\n## ")[0]
            said = re.search(r"Without effect: ([^.]*)\.", section)
            self.assertEqual(set(re.findall(r"`(\w+)`", said[1])) if said else set(), idle, kind)

    def test_a_setting_without_a_strip_has_no_effect(self):
        """And each value of a strip looks different from the others, in the pictures themselves."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, values in self.strips.items():
                kind, setting = name.split("-")
                idle = {"anchor": ("stamp", "canvas"), "edge": ("cut", "whole"), "caps": ("butt", "round"),
                        "followsPath": (False, True)}
                for number, value in enumerate(values or idle.get(setting, (11, 41))):
                    sheet, layer = self.sheet.Sheet(), self.sheet.Layer(name)
                    if values:
                        sheet.draw(layer, kind, 150, 100, setting, value)
                    elif setting == "tiltAffectsRotation":
                        layer.stroke(sheet.line(150, 100), kind, pressure=("opacity", "opacity tilt")[number])
                    else:
                        layer.stroke(sheet.line(150, 100), kind, **{setting: value})
                    self.sheet.Picture(name, (300, 200), "#ffffff", [layer], "").write(folder / f"{name}-{number}.ink")
            support.run(support.BINARY, "export", folder, "-o", folder, "--size", "1x", "--no-metadata", "--quiet",
                        "--name", "{name}.png")
            for name, values in self.strips.items():
                with self.subTest(strip=name):
                    pictures = [Image.open(file).tobytes() for file in sorted(folder.glob(f"{name}-*.png"))]
                    self.assertEqual(len(set(pictures)), len(values) or 1, "pictures that differ")


if __name__ == "__main__":
    unittest.main()
