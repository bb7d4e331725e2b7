"""The example projects are what their scripts draw, byte for byte, in this Python too."""

import importlib
import pathlib
import tempfile
import unittest

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


if __name__ == "__main__":
    unittest.main()
