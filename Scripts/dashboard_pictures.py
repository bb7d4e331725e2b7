#!/usr/bin/env python3
"""Takes the pictures of docs/dashboard.md from a farm of this machine: a broker with --http, two workers, and the examples
and the documents of the gallery as jobs. Needs Chromium and playwright.

    Scripts/dashboard_pictures.py [--all FOLDER]

INK_BINARY            the program (.build/release/ink)
INK_DASHBOARD_PAGES   a folder of pages that are used in place of those in the program
"""

import argparse
import functools
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/interop"))
from farms import Farm  # noqa: E402

IMAGES = ROOT / "docs/images"
PAGES = os.environ.get("INK_DASHBOARD_PAGES")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
EXAMPLES = [ROOT / "examples" / name for name in (
    "archipelago.ink", "brushes.ink", "hey.ink", "hills.ink", "night-sail.ink", "owl.ink", "pinboard.ink", "rose.ink",
    "street.ink")]
DOCUMENTS = [ROOT / "examples/gallery" / name for name in (
    "dusk.kra", "garden.tldr", "harbour.aseprite", "hey.rnote", "note.xopp", "sunset.svg", "valentine.excalidraw",
    "word.inkml")]


# For --all: width and height of a desk's screen, a tablet and a phone.
SCREENS = [(1280, 860), (768, 1024), (360, 780)]


class Studio:
    """A farm at work, and a browser that looks at it."""

    def __init__(self, farm, browser):
        self.farm, self.browser = farm, browser

    def submit(self, path, **options):
        return self.farm.submit(path, **options)[0]["id"]

    def until(self, holds):
        for _ in range(3000):
            if holds():
                return
            time.sleep(0.1)
        raise SystemExit("dashboard_pictures: the farm does not come so far")

    def finished(self, *jobs):
        self.until(lambda: all(self.farm.ask(f"/v1/jobs/{job}")["state"] == "finished" for job in jobs))

    def rendered(self, job, share):
        """Waits until so much of a job is done, 0...1."""
        def holds():
            progress = self.farm.ask(f"/v1/jobs/{job}")["progress"]
            return progress and progress["total"] and progress["done"] >= share * progress["total"]
        self.until(holds)

    # What happens on the farm

    def past(self):
        """Some minutes of work, with rests between; returns two exports of a drawing that was changed."""
        for round_, size in enumerate((2048, 8192, 4096, 12_000, 2048)):
            self.finished(*[self.submit(path, size=size) for path in EXAMPLES[round_ % 2::2]])
            self.finished(*[self.submit(path, size=400) for path in DOCUMENTS[round_::5]])
            time.sleep(4 * (round_ % 3))
        before = self.submit(EXAMPLES[7], size=2048)
        with tempfile.TemporaryDirectory() as folder:
            changed = pathlib.Path(folder) / EXAMPLES[7].name
            text = EXAMPLES[7].read_text()
            for old, new in (("#d3506a", "#c8862f"), ("#a3244a", "#8f4a1c"), ("#f8cfc9", "#fbe3b4"), ("#e58e97", "#eec07a")):
                text = text.replace(old, new)
            changed.write_text(text)
            after = self.submit(changed, size=2048)
        self.finished(before, after)
        return before, after

    def present(self, size=24_000, first=12_000):
        """Three pictures that are rendered, each more urgent than the one before; others wait, one for a person."""
        waiting = [self.submit(path, size=edge, priority=-5) for edge in (8192, 12_000) for path in EXAMPLES]
        self.farm.ask(f"/v1/jobs/{waiting[-1]}/cancel", b"")
        self.farm.ask(f"/v1/jobs/{waiting[-2]}/pause", b"")
        jobs = []
        # Few enough tiles in the first that the patterns of its workers can be seen.
        for urgency, (example, edge, share) in enumerate(((7, first, 0.3), (5, size, 0.4), (4, size, 0.3))):
            jobs.append(self.submit(EXAMPLES[example], size=edge, priority=urgency, effort="small"))
            self.rendered(jobs[-1], share)
        return jobs

    # What is seen of it

    def page(self, path, width=1200, height=780, scheme="light", density=1, patience=1500):
        browsing = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce",
            device_scale_factor=density)
        if PAGES:
            for file in pathlib.Path(PAGES).glob("*.*"):
                address = f"{self.farm.base}/{'' if file.name == 'index.html' else file.name}"
                browsing.route(address, functools.partial(lambda file, route: route.fulfill(path=file), file))
        page = browsing.new_page()
        page.goto(self.farm.base + path)
        page.locator("#connection[data-state=live]").wait_for()
        # The farm renders previews, too, one at a time.
        page.wait_for_timeout(patience)
        return page

    def save(self, page, file, whole=False):
        with tempfile.NamedTemporaryFile(suffix=".png") as shot:
            page.screenshot(path=shot.name, full_page=whole)
            with Image.open(shot.name) as picture:
                picture.convert("RGB").save(file, quality=88, method=6)
        page.context.close()
        print(file)

    def by_worker(self, page):
        page.get_by_label("Show who rendered which tile").check()
        page.wait_for_timeout(600)
        return page

    def compared(self, page, other):
        page.get_by_label("Compare with").select_option(str(other))
        page.get_by_role("slider", name=re.compile("Before and after")).wait_for()
        page.wait_for_timeout(800)
        return page


def documents(studio):
    """The pictures of docs/dashboard.md."""
    before, after = studio.past()
    rose, owl, sail = studio.present()
    studio.save(studio.page("/", patience=6000), IMAGES / "dashboard.webp")
    studio.save(studio.by_worker(studio.page(f"/#/jobs/{rose}", scheme="dark")), IMAGES / "dashboard-job.webp")
    studio.save(studio.page(f"/#/jobs/{sail}", 390, 780, density=2), IMAGES / "dashboard-phone.webp")
    studio.save(studio.compared(studio.page(f"/#/jobs/{after}"), before), IMAGES / "dashboard-compare.webp")
    studio.save(studio.page("/#/figures", scheme="dark"), IMAGES / "dashboard-figures.webp", whole=True)


def all_views(studio, folder):
    """Each view in each width, in light and in dark, as high as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    before, after = studio.past()
    rose, owl, sail = studio.present(first=60_000)
    batch = studio.farm.ask(f"/v1/jobs/{rose}")["batch"]
    for width, height in SCREENS:
        for scheme in ("light", "dark"):
            def take(name, path, change=lambda page: page, whole=True):
                page = change(studio.page(path, width, height, scheme))
                studio.save(page, folder / f"{name}-{width}-{scheme}.webp", whole)
            take("jobs", "/", whole=False)
            take("workers-job", f"/#/jobs/{rose}", studio.by_worker)
            take("running", f"/#/jobs/{sail}")
            take("compare", f"/#/jobs/{after}", lambda page: studio.compared(page, before))
            take("batch", f"/#/batches/{batch}")
            take("workers", "/#/workers")
            take("figures", "/#/figures")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", type=pathlib.Path, metavar="FOLDER", help="every view in every width instead, to look at")
    options = parser.parse_args()
    if not CHROMIUM:
        raise SystemExit("dashboard_pictures: no chromium")
    farm = Farm(workers=2, name="atelier")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            studio = Studio(farm, browser)
            if options.all:
                all_views(studio, options.all)
            else:
                documents(studio)
            browser.close()
    finally:
        farm.close()


if __name__ == "__main__":
    main()
