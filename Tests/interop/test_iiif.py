"""IIIF folders pass level 0 of the validator of the IIIF Image API (iiif-validator on PyPI), identifiers aside: which
addresses a server refuses or escapes is its own affair, and no file's."""

import contextlib
import functools
import http.server
import io
import json
import pathlib
import tempfile
import threading
import unittest

from PIL import Image

import support

try:
    from iiif_validator.validator import ImageAPI, TestSuite, ValidationInfo
except ImportError:
    ImageAPI = None

# What a server does with identifiers.
IDENTIFIERS = {"id_escaped", "id_error_escapedslash", "id_error_random", "id_error_unescaped"}


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".json": "application/json", ".jpg": "image/jpeg", ".png": "image/png"}

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *arguments):
        pass


@unittest.skipUnless(ImageAPI, "no iiif-validator")
class ValidatorTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder.name))
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.server = f"127.0.0.1:{server.server_port}"

    def export(self, image, name, *options):
        image.save(self.path / f"{name}.png")
        support.export(self.path / f"{name}.png", self.path / name, "--format", "iiif", *options)
        info = self.path / name / "info.json"
        document = json.loads(info.read_text())
        # docs/using-ink.md asks for the address of the folder there.
        document["id"] = f"http://{self.server}/{name}"
        info.write_text(json.dumps(document))
        return document

    def test_level_0_of_the_validator(self):
        image = Image.new("RGB", (1000, 1000))
        for x, column in enumerate(ValidationInfo().colorInfo):
            for y, color in enumerate(column):
                image.paste(color, (x * 100, y * 100, x * 100 + 100, y * 100 + 100))
        self.export(image, "squares.iiif", "--quality", "95")
        tests = TestSuite(ValidationInfo()).list_tests("3.0")
        wanted = sorted(name for name, info in tests.items() if info["level"] == 0 and name not in IDENTIFIERS)
        self.assertGreaterEqual(len(wanted), 4, tests)
        for name in wanted:
            with self.subTest(name), contextlib.redirect_stdout(io.StringIO()):
                result = ImageAPI("squares.iiif", self.server, "", "http", "", "3.0", debug=False)
                TestSuite(ValidationInfo()).run_test(name, result)
                failure = result.exception
                self.assertIsNone(
                    failure, failure and f"{result.urls}: got {failure.got}, expected {failure.expected}: {failure}")

    def test_each_tile_that_a_viewer_asks_for_is_there(self):
        for width, height in ((513, 513), (1025, 513), (1, 700), (700, 1), (256, 256), (769, 1537)):
            name = f"{width}x{height}.iiif"
            image = Image.effect_noise((width, height), 90).convert("RGB")
            info = self.export(image, name)
            tile, factors = info["tiles"][0]["width"], info["tiles"][0]["scaleFactors"]
            for factor in factors:
                for y in range(0, height, tile * factor):
                    for x in range(0, width, tile * factor):
                        w, h = min(tile * factor, width - x), min(tile * factor, height - y)
                        size = (-(-w // factor), -(-h // factor))
                        part = "full" if (w, h) == (width, height) else f"{x},{y},{w},{h}"
                        pixels = "max" if part == "full" and factor == 1 else f"{size[0]},{size[1]}"
                        with Image.open(self.path / name / part / pixels / "0/default.jpg") as found:
                            self.assertEqual(found.size, size, (name, part, pixels))
            with Image.open(self.path / name / "full/max/0/default.jpg") as found:
                self.assertEqual(found.size, (width, height), name)


if __name__ == "__main__":
    unittest.main()
