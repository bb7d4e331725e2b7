"""Drawings as PDF files of lines, drawn by poppler, and plots, read by vpype."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import numpy
import vpype
from PIL import Image

import support


class VectorTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_poppler_draws_what_the_png_shows(self):
        for project in support.EXAMPLES:
            with self.subTest(project=project.name):
                png = support.export(project, self.folder / "a.png", "--rgb", size="1024")
                pdf = support.export(project, self.folder / "a.pdf", "--vector", "--rgb", size="1024")
                drawn = self.folder / "drawn.png"
                support.run("pdftocairo", "-png", "-singlefile", "-r", "72", pdf, drawn.with_suffix(""))
                with Image.open(png) as own, Image.open(drawn) as other:
                    difference = abs(numpy.asarray(own.convert("RGB")).astype(int) - numpy.asarray(other.convert("RGB")))
                self.assertGreater((difference.max(axis=2) <= 6).mean(), 0.995)

    def test_vpype_reads_plots(self):
        for project in support.EXAMPLES:
            with self.subTest(project=project.name):
                plot = support.export(project, self.folder / "a.svg", "--plot")
                text = plot.read_text()
                document = vpype.read_multilayer_svg(str(plot), quantization=0.1, crop=False)
                pens = text.split("<g ")[1:]
                self.assertEqual(sorted(document.layers), list(range(1, len(pens) + 1)))
                for number, pen in enumerate(pens, 1):
                    layer = document.layers[number]
                    self.assertEqual(len(layer), pen.count("<path "))
                    label = re.search(r'inkscape:label="(\d+) (#\w+)', pen)
                    self.assertEqual(int(label[1]), number)
                    self.assertEqual(layer.property("vp_color"), vpype.Color(label[2]))
                    # Another program finds little to improve. Dots are short lines, which it would join.
                    dot = vpype.convert_length("0.11mm")
                    lines = vpype.LineCollection([line for line in layer.lines if abs(numpy.diff(line)).sum() > dot])
                    count = len(lines)
                    lines.merge(vpype.convert_length("0.05mm"))
                    self.assertGreaterEqual(len(lines), 0.98 * count - 1)
                edges = [float(value) for value in re.search(r'width="([\d.]+)mm" height="([\d.]+)mm"', text).groups()]
                for edge, read in zip(edges, document.page_size):
                    self.assertAlmostEqual(vpype.convert_length(f"{edge}mm"), read, places=1)
                left, top, right, bottom = document.bounds()
                self.assertGreaterEqual(min(left, top), -0.1)
                self.assertLessEqual(right, document.page_size[0] + 0.1)
                self.assertLessEqual(bottom, document.page_size[1] + 0.1)

    def test_vpype_sorts_no_better(self):
        plot = support.export(support.ROOT / "Benchmarks/scenes/scene-S.ink", self.folder / "a.svg", "--plot")
        script = "read {} linesort write {}"
        sorted_plot = self.folder / "sorted.svg"
        subprocess.run(
            [str(pathlib.Path(vpype.__file__).parents[4] / "bin" / "vpype"), *script.format(plot, sorted_plot).split()],
            check=True, capture_output=True)
        own = vpype.read_multilayer_svg(str(plot), quantization=0.1, crop=False)
        other = vpype.read_multilayer_svg(str(sorted_plot), quantization=0.1, crop=False)
        travel = sum(layer.pen_up_length()[0] for layer in own.layers.values())
        self.assertLess(travel, 1.1 * sum(layer.pen_up_length()[0] for layer in other.layers.values()))


if __name__ == "__main__":
    unittest.main()
