"""Pictures for zooming, shown by OpenSeadragon in Chromium and compared with the picture, and their tiles beside those of
libvips."""

import base64
import functools
import http.server
import io
import os
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
import unittest
import zipfile

import numpy
import pyvips
from PIL import Image

import support

# openseadragon.js; of OpenSlide's examples in its source package on PyPI, see Scripts/test-interop.sh.
VIEWER = os.environ.get("OPENSEADRAGON")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

PAGE = """<!DOCTYPE html><html><body style="margin: 0"><div id="view" style="width: 500px; height: 400px"></div>
<script src="openseadragon.js"></script><script>
const failures = [];
const viewer = OpenSeadragon({
    element: document.getElementById("view"), tileSources: $SOURCE, drawer: "canvas", showNavigator: false,
    showNavigationControl: false, immediateRender: true, animationTime: 0, blendTime: 0, imageSmoothingEnabled: false,
    visibilityRatio: 0, debugMode: false, minPixelRatio: 1, minZoomImageRatio: 0, maxZoomPixelRatio: 100});
viewer.addHandler("open-failed", event => { failures.push("open: " + event.message); end(); });
viewer.addHandler("tile-load-failed", event => failures.push("tile: " + event.tile.cacheKey));
function end() {
    const canvas = failures.length ? null : viewer.drawer.canvas;
    fetch("/result", {method: "POST", body: failures.join(";") + "|" + (canvas ? canvas.toDataURL() : "")});
}
viewer.addHandler("open", () => {
    const item = viewer.world.getItemAt(0), view = viewer.viewport;
    view.zoomTo(view.imageToViewportZoom($SCALE), null, true);
    view.panTo(view.imageToViewportCoordinates($X + 250 / $SCALE, $Y + 200 / $SCALE), true);
    let count = 0;
    const timer = setInterval(() => {
        viewer.forceRedraw();
        // Some redraws more than are needed.
        count = item.getFullyLoaded() ? count + 1 : 0;
        if (count > 5 || failures.length) { clearInterval(timer); end(); }
    }, 100);
});
</script></body></html>"""


class Server(http.server.ThreadingHTTPServer):
    """Serves a folder, and takes what its page found out."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.results = queue.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_POST(self):
        self.server.results.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def shown(folder, source, x, y, scale):
    """What a viewer of 500 x 400 pixels shows of a picture, from x, y on, as an array of RGB."""
    page = PAGE
    for name, value in (("$SOURCE", source), ("$SCALE", scale), ("$X", x), ("$Y", y)):
        page = page.replace(name, str(value))
    (folder / "page.html").write_text(page)
    with Server(folder) as server, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
             "--force-device-scale-factor=1", "--remote-debugging-port=0",
             f"http://127.0.0.1:{server.server_port}/page.html"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            # Virtual time may pass while tiles are still being asked for, so the page says itself when it is done.
            result = server.results.get(timeout=120)
        finally:
            browser.terminate()
            browser.wait()
            server.shutdown()
    failures, _, image = result.partition("|")
    if failures or not image:
        raise AssertionError(f"{source}: {failures or 'nothing shown'}")
    return numpy.asarray(Image.open(io.BytesIO(base64.b64decode(image.split(",")[1]))).convert("RGB")).astype(int)


class ZoomTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.project = support.EXAMPLES[0]
        support.export(cls.project, cls.path / "a.png", size="3000x3000")
        for name in ("a.dzi", "a.iiif", "a.szi"):
            support.export(cls.project, cls.path / name, "--quality", "100", size="3000x3000")
        cls.picture = Image.open(cls.path / "a.png").convert("RGB")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compare(self, source, x, y, scale):
        found = shown(self.path, source, x, y, scale)
        box = (x, y, x + int(500 / scale), y + int(400 / scale))
        wanted = numpy.asarray(self.picture.crop(box).resize((500, 400), Image.BOX)).astype(int)
        # OpenSeadragon draws tiles without overlap a pixel larger, so that there are no gaps.
        found, wanted = (each.reshape(40, 10, 50, 10, 3).mean(axis=(1, 3)) for each in (found, wanted))
        difference = numpy.abs(found - wanted)
        # A tile in the wrong place would be a square of large differences.
        self.assertLess(difference.mean(), 2, (source, x, y, scale))
        self.assertLess(difference.mean(axis=(1, 2)).max(), 10, (source, x, y, scale))
        self.assertLess(difference.mean(axis=(0, 2)).max(), 10, (source, x, y, scale))

    @unittest.skipUnless(CHROMIUM, "no chromium")
    @unittest.skipUnless(VIEWER, "no openseadragon.js")
    def test_openseadragon_shows_the_picture(self):
        shutil.copy(VIEWER, self.path / "openseadragon.js")
        with zipfile.ZipFile(self.path / "a.szi") as archive:
            archive.extractall(self.path / "unzipped")
        for source in ('"a.dzi"', '"a.iiif/info.json"', '"unzipped/image/image.dzi"'):
            for x, y, scale in ((200, 230, 1), (0, 0, 0.25), (512, 512, 0.5)):
                self.compare(source, x, y, scale)

    def test_archives_are_sound(self):
        with zipfile.ZipFile(self.path / "a.szi") as archive:
            self.assertIsNone(archive.testzip())
            self.assertTrue(all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist()))

    def test_tiles_are_those_of_libvips(self):
        image = pyvips.Image.new_from_file(str(self.path / "a.png"))
        support.export(self.project, self.path / "b.dzi", "--quality", "100", "--tile-overlap", "1", size="3000x3000")
        for ours, layout, name, overlap in (
                ("a_files", "dz", "v", 0), ("a.iiif", "iiif3", "w", 0), ("b_files", "dz", "u", 1)):
            image.dzsave(str(self.path / name), layout=layout, tile_size=256, overlap=overlap, suffix=".jpg[Q=100]",
                         depth="onepixel" if layout == "dz" else "onetile")
            theirs = self.path / (name + "_files" if layout == "dz" else name)
            def files(folder):
                return {str(path.relative_to(folder)): path for path in folder.rglob("*.jpg")}
            found, wanted = files(self.path / ours), files(theirs)
            # Pictures that the viewer does not ask for, such as one of one tile under two names.
            self.assertLessEqual(set(found) - {"full/max/0/default.jpg"}, set(wanted), ours)
            if layout == "dz":
                self.assertEqual(set(found), set(wanted))
            for tile, path in found.items():
                if tile in wanted:
                    a, b = (numpy.asarray(Image.open(p).convert("RGB")).astype(int) for p in (path, wanted[tile]))
                    self.assertEqual(a.shape, b.shape, tile)
                    self.assertLess(numpy.abs(a - b).mean(), 3, tile)


if __name__ == "__main__":
    unittest.main()
