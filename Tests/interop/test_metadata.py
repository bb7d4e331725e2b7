"""What photos say about themselves: exiftool writes it, ink exports the photo, exiftool reads it again."""

import json
import pathlib
import shutil
import tempfile
import unittest

from PIL import Image

import support

EXIFTOOL = shutil.which("exiftool")

# What is written into the photo, and how a later file has to say it.
WRITTEN = {
    "EXIF:Make": "Maker", "EXIF:Model": "Model 1", "EXIF:Artist": "A. Painter", "EXIF:ExposureTime": "1/250",
    "EXIF:DateTimeOriginal": "2026:05:04 10:20:30", "EXIF:GPSLatitude": "54.5", "EXIF:GPSLatitudeRef": "N",
    "EXIF:Orientation#": "6", "EXIF:ExifImageWidth": "999", "XMP-dc:Title": "Of XMP", "XMP-xmp:Rating": "4",
    "IPTC:Caption-Abstract": "Eine Möwe", "IPTC:CopyrightNotice": "(c) A. Painter", "IPTC:City": "Kiel",
    "IPTC:ObjectName": "Of IPTC", "IPTC:DateCreated": "2026:05:04", "IPTC:TimeCreated": "10:20:30+02:00",
}
KEYWORDS = ["harbour", "dusk"]
EXPECTED = {
    "Make": "Maker", "Artist": "A. Painter", "DateTimeOriginal": "2026:05:04 10:20:30", "Title": "Of XMP", "Rating": 4,
    "Description": "Eine Möwe", "Rights": "(c) A. Painter", "City": "Kiel", "Subject": KEYWORDS,
}
KINDS = {
    "copyright": {"Artist", "Rights"}, "caption": {"Title", "Rating", "Description", "Subject"},
    "dates": {"DateTimeOriginal", "DateCreated"}, "camera": {"Make", "Model", "ExposureTime"}, "places": {"City", "GPSLatitude"},
}


def tags(path, *options):
    found = json.loads(support.run(EXIFTOOL, "-j", "-validate", "-warning", "-error", "-all", *options, path))
    return found[0]


@unittest.skipUnless(EXIFTOOL, "no exiftool (package libimage-exiftool-perl)")
class MetadataTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def photo(self, ending):
        path = self.folder / f"photo.{ending}"
        Image.new("RGB", (40, 30), (90, 120, 200)).save(path, dpi=(300, 300))
        written = [f"-{name}={value}" for name, value in WRITTEN.items()]
        if ending in ("png", "webp"):
            written = [each for each in written if not each.startswith("-IPTC")]
        support.run(
            EXIFTOOL, "-q", "-overwrite_original", "-codedcharacterset=UTF8", *written,
            *[f"-IPTC:Keywords={word}" for word in KEYWORDS if ending not in ("png", "webp")], path)
        return path

    def made(self, photo, ending, *options):
        path = self.folder / f"made.{ending}"
        support.run(support.BINARY, "export", photo, "-o", path, "--quiet", "--if-exists", "overwrite", *options)
        return tags(path)

    def test_what_a_photo_says_is_in_each_format(self):
        for source in ("jpg", "tif"):
            photo = self.photo(source)
            for ending in ("jpg", "png", "webp", "tif", "psd", "pdf"):
                with self.subTest(source=source, made=ending):
                    found = self.made(photo, ending)
                    expected = dict(EXPECTED)
                    if ending == "pdf":
                        del expected["Artist"]
                    for name, value in expected.items():
                        self.assertEqual(found.get(name), value, name)
                    self.assertTrue(str(found["GPSLatitude"]).startswith("54 deg 30"), found["GPSLatitude"])
                    self.assertIn(str(found.get("Orientation", "Horizontal (normal)")), "Horizontal (normal)")
                    self.assertNotIn("Error", found)
                    # Minor ones are about tags that others have, too, and our own digest.
                    self.assertTrue(found.get("Warning", "[minor]").startswith("[minor]"), found.get("Warning"))

    def test_kinds_are_kept_alone(self):
        photo = self.photo("jpg")
        for ending in ("jpg", "png", "tif"):
            for kind, names in KINDS.items():
                with self.subTest(kind=kind, made=ending):
                    found = self.made(photo, ending, "--keep", kind)
                    kept = {name for each in KINDS.values() for name in each if name in found}
                    self.assertEqual(kept, names)

    def test_resolution_is_that_of_the_photo(self):
        for source in ("jpg", "png", "tif"):
            photo = self.photo(source)
            for ending in ("jpg", "png", "webp", "tif", "psd"):
                with self.subTest(source=source, made=ending):
                    self.made(photo, ending)
                    found = json.loads(support.run(
                        EXIFTOOL, "-j", "-n", "-XResolution", "-PixelsPerUnitX", self.folder / f"made.{ending}"))[0]
                    dots = found["PixelsPerUnitX"] * 0.0254 if "PixelsPerUnitX" in found else found["XResolution"]
                    self.assertAlmostEqual(dots, 300, delta=0.01)
                    self.made(photo, ending, "--size", "50%")
                    found = support.run(EXIFTOOL, "-s3", "-PixelsPerUnitX", "-XResolution", self.folder / f"made.{ending}")
                    self.assertNotIn("300", found)


if __name__ == "__main__":
    unittest.main()
