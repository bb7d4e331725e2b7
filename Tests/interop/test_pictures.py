"""Pictures to and from other people's libraries: Pillow and pyvips read what ink writes, ink reads what Pillow writes."""

import io
import pathlib
import subprocess
import tempfile
import unittest

import numpy
import pyvips
from PIL import Image, features

import support


def painting(mode):
    """A picture of gradients and hard edges, 61 x 47; with alpha where the mode has it."""
    x, y = numpy.meshgrid(numpy.arange(61), numpy.arange(47))
    planes = [x * 4, y * 5, (x * 7 + y * 3) % 256, numpy.where((x // 8 + y // 8) % 2, 255, 90)]
    rgba = numpy.stack(planes, axis=2).astype(numpy.uint8)
    return Image.fromarray(rgba, "RGBA").convert(mode)


# Format, mode, options of Pillow's writer, the largest difference of a sample that lossy decoders may have.
FILES = [
    ("PNG", "RGBA", {}, 0), ("PNG", "RGB", {}, 0), ("PNG", "L", {}, 0), ("PNG", "LA", {}, 0), ("PNG", "P", {}, 0),
    ("PNG", "1", {}, 0), ("TIFF", "RGBA", {"compression": "tiff_lzw"}, 0),
    ("TIFF", "RGB", {"compression": "tiff_adobe_deflate"}, 0), ("TIFF", "L", {"compression": "packbits"}, 0),
    ("TIFF", "1", {"compression": "group4"}, 0), ("GIF", "P", {}, 0), ("WEBP", "RGBA", {"lossless": True, "exact": True}, 0),
    ("WEBP", "RGB", {"quality": 80}, 2), ("JPEG", "RGB", {"quality": 90}, 2), ("JPEG", "L", {"quality": 90}, 2),
    ("JPEG", "RGB", {"quality": 80, "progressive": True}, 2),
]


def samples(path, rgba=True):
    with Image.open(path) as image:
        return numpy.asarray(image.convert("RGBA" if rgba else "RGB")).astype(int)


class PictureTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_reads_what_pillow_writes(self):
        for kind, mode, options, allowed in FILES:
            with self.subTest(format=kind, mode=mode, **options):
                image, file = painting(mode), io.BytesIO()
                image.save(file, kind, **options)
                project = support.project_of(file.getvalue(), *image.size, self.folder / "p.ink")
                found = samples(support.export(project, self.folder / "p.png"))
                expected = numpy.asarray(Image.open(io.BytesIO(file.getvalue())).convert("RGBA")).astype(int)
                # Premultiplied: a colour counts as far as it is opaque.
                difference = abs(found * found[:, :, 3:] - expected * expected[:, :, 3:]) / 255
                difference[:, :, 3] = abs(found - expected)[:, :, 3]
                self.assertLessEqual(difference.max(), allowed + 1.01 if allowed or mode in ("RGBA", "LA") else 0)

    def test_png_is_read_alike_by_pillow_and_libvips(self):
        for project in support.EXAMPLES:
            for effort in ("fast", "balanced", "small"):
                with self.subTest(project=project.name, effort=effort):
                    path = support.export(project, self.folder / "p.png", "--effort", effort, size="400")
                    by_vips = pyvips.Image.new_from_buffer(path.read_bytes(), "").numpy()
                    self.assertEqual(abs(samples(path, rgba=by_vips.shape[2] == 4) - by_vips).max(), 0)
                    check = subprocess.run(["pngcheck", "-q", str(path)], capture_output=True, text=True, check=False)
                    self.assertEqual((check.returncode, check.stdout), (0, ""))

    def test_tiff_is_read_alike_by_pillow_and_libvips(self):
        for project in support.EXAMPLES:
            for compression in ("deflate", "lzw", "zstd", "none"):
                with self.subTest(project=project.name, compression=compression):
                    path = support.export(project, self.folder / "p.tif", "--compression", compression, size="400")
                    exact = samples(support.export(project, self.folder / "p.png", size="400"))
                    self.assertEqual(abs(samples(path) - exact).max(), 0)
                    # The libtiff inside pyvips has no zstd.
                    if compression == "zstd":
                        continue
                    by_vips = pyvips.Image.new_from_buffer(path.read_bytes(), "").numpy().astype(int)
                    self.assertEqual(abs(exact[:, :, :by_vips.shape[2]] - by_vips).max(), 0)

    def test_jpeg_is_read_alike_by_pillow_and_libvips(self):
        for project in support.EXAMPLES:
            for chroma in ("4:4:4", "4:2:0"):
                with self.subTest(project=project.name, chroma=chroma):
                    path = support.export(project, self.folder / "p.jpg", "--chroma", chroma, size="400")
                    by_vips = pyvips.Image.new_from_buffer(path.read_bytes(), "").numpy().astype(int)
                    self.assertLessEqual(abs(samples(path, rgba=False) - by_vips).max(), 2)
                    exact = support.export(project, self.folder / "p.png", "--rgb", size="400")
                    difference = abs(samples(exact, rgba=False) - by_vips).mean()
                    self.assertLess(difference, 12)


if __name__ == "__main__":
    print("Pillow has", [name for name in ("webp", "avif", "libtiff") if features.check(name)])
    unittest.main()
