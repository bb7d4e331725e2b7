"""The dashboard of `ink broker --http` in Chromium: a person's walk through it, by mouse, by keyboard and as a screen
reader hears it, with a farm of this machine.

INK_DASHBOARD_SERVER   see farms.py
INK_DASHBOARD_PAGES    a folder of pages that are used in place of those in the program
INK_DASHBOARD_PICTURES a folder into which pictures of each view are put
"""

import functools
import json
import os
import pathlib
import re
import shutil
import statistics
import time
import unittest
import urllib.request

from PIL import Image

import support
from farms import STAND_IN, Farm, Process

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import expect, sync_playwright
except ImportError as error:
    raise unittest.SkipTest(f"{error}: pip install playwright axe-playwright-python") from error

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PAGES = os.environ.get("INK_DASHBOARD_PAGES")
PICTURES = os.environ.get("INK_DASHBOARD_PICTURES")
TOKEN = "secret-of-the-test"
SECONDS = 1000
# Until something is rendered, on a machine that does other things too.
PATIENCE = 120 * SECONDS


@unittest.skipUnless(CHROMIUM, "no chromium")
@unittest.skipUnless(STAND_IN or pathlib.Path(support.BINARY).exists(), "no ink")
class DashboardTests(unittest.TestCase):
    workers, jobs, token = 2, 0, None

    @classmethod
    def setUpClass(cls):
        cls.farm = Farm(cls.workers, cls.jobs, cls.token)
        cls.addClassCleanup(cls.farm.close)
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)
        cls.folder = pathlib.Path(cls.farm.folder.name)

    def open(self, path="/", *, farm=None, width=1280, height=860, ready=True, **context):
        """A page of its own. It may ask nothing of other hosts, and nothing in it may fail."""
        farm = farm or self.farm
        browsing = self.browser.new_context(viewport={"width": width, "height": height}, **context)
        self.addCleanup(browsing.close)
        page = browsing.new_page()
        page.set_default_timeout(20 * SECONDS)
        self.troubles = troubles = []
        page.on("pageerror", lambda error: troubles.append(f"{error}\n{error.stack}"))
        page.on("console", lambda message: troubles.append(message.text)
                if message.type == "error" and "Failed to load resource" not in message.text else None)
        page.on("request", lambda request: troubles.append(f"asks {request.url}")
                if not request.url.startswith((farm.base, "blob:", "data:")) else None)
        self.addCleanup(lambda: self.assertEqual(troubles, []))
        if PAGES:
            for file in pathlib.Path(PAGES).glob("*.*"):
                address = f"{farm.base}/{'' if file.name == 'index.html' else file.name}"
                browsing.route(address, functools.partial(lambda file, route: route.fulfill(path=file), file))
        page.goto(farm.base + path)
        if ready:
            expect(page.locator("#connection")).to_have_text("live")
        return page

    def picture(self, page, name):
        if PICTURES:
            pathlib.Path(PICTURES).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=f"{PICTURES}/{name}.png")

    def axe(self, page, view):
        found = Axe().run(page, options={"resultTypes": ["violations"]})
        self.assertEqual(found.violations_count, 0, f"{view}\n{found.generate_report()}")

    def choose(self, page, *documents, size="2k"):
        """Fills the dialog and sends it."""
        dialog = page.get_by_role("dialog", name="Export documents")
        if not dialog.is_visible():
            page.get_by_role("button", name="Export documents").click()
        if documents:
            page.locator("#files").set_input_files([str(document) for document in documents])
        for box in dialog.locator("input[name=size]").all():
            box.set_checked(box.get_attribute("value") == size, force=True)
        dialog.get_by_role("button", name="Export", exact=True).click()
        return dialog

    def watch(self, page):
        page.get_by_role("link", name="Watch").last.click()
        page.wait_for_url("**/#/jobs/*")
        return int(page.url.rsplit("/", 1)[1])

    def ink(self, page):
        """How many colours the picture of a job shows, and how much of it is not its frame."""
        return page.evaluate("""() => {
            const canvas = document.querySelector(".stage canvas");
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            const colours = new Set();
            for (let i = 0; i < data.length; i += 4 * 97) if (data[i + 3]) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
            return colours.size;
        }""")


class WalkTests(DashboardTests):
    def document(self, name="owl.ink"):
        return support.ROOT / "examples" / name

    def test_a_person_exports_a_drawing(self):
        page = self.open(accept_downloads=True)
        # Sent and watched.
        self.choose(page, self.document(), size="8k")
        job = self.watch(page)
        expect(page.get_by_role("heading", level=1)).to_have_text("owl.ink")
        badge = page.locator(".badge")
        expect(badge).to_have_text("Running", timeout=PATIENCE)
        # Paused, and resumed.
        page.get_by_role("button", name="Pause").click()
        expect(badge).to_have_text("Paused")
        expect(page.get_by_role("button", name="Resume")).to_be_focused()
        page.get_by_role("button", name="Resume").click()
        expect(badge).to_have_text(re.compile("Running|Waiting"))
        page.get_by_text("Show who rendered which tile").wait_for(timeout=PATIENCE)
        page.get_by_label("Show who rendered which tile").check()
        expect(page.locator(".legend li").first).to_contain_text(re.compile(r": \d+ tiles?"), timeout=PATIENCE)
        self.picture(page, "by-worker")
        # Cancelled, and tried again.
        page.get_by_role("button", name="Cancel").click()
        expect(badge).to_have_text("Cancelled")
        page.get_by_role("button", name="Try again").click()
        expect(badge).to_have_text(re.compile("Running|Waiting"))
        page.locator(".side").get_by_label("Priority").select_option("7")
        expect(page.locator("#messages")).to_contain_text("has priority 7")
        self.assertEqual(self.farm.ask(f"/v1/jobs/{job}")["priority"], 7)
        expect(badge).to_have_text("Finished", timeout=PATIENCE)
        page.wait_for_timeout(1000)
        self.assertGreater(self.ink(page), 30)
        self.picture(page, "finished")
        # Saved.
        with page.expect_download() as saved:
            page.get_by_role("button", name="Download").click()
        self.assertEqual(pathlib.Path(saved.value.suggested_filename).suffix, ".png")
        with Image.open(saved.value.path()) as image:
            image.load()
            self.assertGreater(max(image.size), 2000)

    def test_the_picture_is_enlarged_and_compared(self):
        first, = self.farm.submit(self.document("rose.ink"), size="2k")
        second, = self.farm.submit(self.document("rose.ink"), size="2k", background="%23203040")
        for job in (first, second):
            self.farm.wait(job["id"], "finished")
        page = self.open(f"/#/jobs/{second['id']}")
        zoom = page.locator(".zoom")
        expect(zoom).to_have_text(re.compile(r"\d+%"))
        fit = zoom.text_content()
        stage = page.locator(".stage")
        stage.hover()
        page.mouse.wheel(0, -400)
        expect(zoom).not_to_have_text(fit)
        stage.focus()
        for key in ("0", "+", "ArrowLeft", "ArrowUp", "-"):
            page.keyboard.press(key)
        page.keyboard.press("1")
        expect(zoom).to_have_text("100%")
        box = stage.bounding_box()
        page.mouse.move(box["x"] + 200, box["y"] + 200)
        page.mouse.down()
        page.mouse.move(box["x"] + 260, box["y"] + 240, steps=4)
        page.mouse.up()
        page.get_by_role("button", name="Fit the window").click()
        expect(zoom).to_have_text(fit)
        # Before and after.
        page.get_by_label("Compare with").select_option(str(first["id"]))
        slider = page.get_by_role("slider", name=re.compile("Before and after"))
        slider.wait_for()
        page.wait_for_timeout(500)
        slider.focus()
        ways = []
        for key in ("Home", "End"):
            page.keyboard.press(key)
            page.wait_for_timeout(300)
            ways.append(page.locator(".stage canvas").screenshot())
        self.picture(page, "before-after")
        if not STAND_IN:
            self.assertNotEqual(*ways)

    def test_documents_are_dropped(self):
        page = self.open()
        transfer = page.evaluate_handle("""([name, text]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name));
            transfer.items.add(new File(["no drawing"], "notes.txt"));
            return transfer;
        }""", ["hey.ink", self.document("hey.ink").read_text()])
        for _ in range(50):
            # What takes drops comes last.
            page.dispatch_event("body", "dragenter", {"dataTransfer": transfer})
            if page.locator("#drop").is_visible():
                break
            page.wait_for_timeout(100)
        expect(page.locator("#drop")).to_be_visible()
        page.dispatch_event("body", "drop", {"dataTransfer": transfer})
        expect(page.locator("#drop")).to_be_hidden()
        dialog = page.get_by_role("dialog", name="Export documents")
        expect(dialog.locator(".files li")).to_have_count(2)
        self.picture(page, "dialog")
        dialog.get_by_text("More options").click()
        dialog.get_by_role("textbox", name="Watermark").fill("© Test")
        self.choose(page, size="1x")
        # The one is taken, the other stays, with the reason.
        expect(dialog.locator(".trouble")).to_contain_text("notes.txt", timeout=PATIENCE)
        expect(dialog.locator(".files li")).to_have_count(1)
        page.keyboard.press("Escape")
        job = self.watch(page)
        self.farm.wait(job, "finished")
        expect(page.locator(".badge")).to_have_text("Finished", timeout=PATIENCE)

    def test_a_picture_lies_over_the_document(self):
        mark = self.folder / "logo.png"
        Image.new("RGBA", (60, 30), (200, 30, 90, 255)).save(mark)
        page = self.open()
        page.get_by_role("button", name="Export documents").click()
        dialog = page.get_by_role("dialog", name="Export documents")
        text = dialog.get_by_role("textbox", name="Watermark")
        text.fill("© Test")
        chooser = dialog.get_by_label("Choose a picture as watermark")
        # By keyboard: the file dialog opens from the focused control.
        text.press("Tab")
        expect(chooser).to_be_focused()
        with page.expect_file_chooser() as opened:
            page.keyboard.press("Space")
        opened.value.set_files(str(mark))
        expect(dialog.get_by_text("logo.png")).to_be_visible()
        expect(text).to_be_disabled()
        self.axe(page, "dialog with a picture")
        self.picture(page, "dialog-mark")
        # Left out again, then chosen again.
        dialog.get_by_role("button", name="Leave out the watermark").press("Enter")
        expect(chooser).to_be_focused()
        expect(text).to_be_enabled()
        expect(dialog.get_by_text("logo.png")).to_be_hidden()
        chooser.set_input_files(str(mark))
        self.choose(page, self.document("hills.ink"), size="1x")
        job = self.watch(page)
        self.farm.wait(job, "finished")
        if not STAND_IN:
            request = urllib.request.Request(f"{self.farm.base}/v1/jobs/{job}/picture")
            with urllib.request.urlopen(request, timeout=60) as answer, Image.open(answer) as picture:
                shown = picture.convert("RGB").getpixel((picture.width - 40, picture.height - 30))
            self.assertGreater(shown[0] - shown[1], 40, shown)

    def test_several_are_a_batch(self):
        page = self.open()
        self.choose(page, self.document("hills.ink"), self.document("rose.ink"), size="1080p")
        page.get_by_role("link", name="Watch").last.click()
        page.wait_for_url("**/#/batches/*")
        expect(page.get_by_role("heading", level=1).first).to_have_text(re.compile("Batch [0-9a-f]{8}"))
        expect(page.locator(".row")).to_have_count(2)
        self.picture(page, "batch")
        expect(page.locator(".stack")).to_have_attribute("aria-label", re.compile("Finished: 2"), timeout=PATIENCE)

    def test_a_failure_tells_its_story(self):
        farm = self.farm
        if STAND_IN:
            document = self.folder / "fail.ink"
            shutil.copy(self.document(), document)
            job, = farm.submit(document, size="2k")
            farm.wait(job["id"], "failed")
        else:
            farm = Farm(workers=0)
            self.addCleanup(farm.close)
            job, = farm.submit(self.document(), size="8k")
            self.kill_workers(farm, job["id"])
        page = self.open(f"/#/jobs/{job['id']}", farm=farm)
        expect(page.locator(".badge")).to_have_text("Failed")
        expect(page.locator(".trouble-text")).not_to_be_empty()
        expect(page.locator(".story")).to_have_attribute("open", "")
        self.picture(page, "failed")
        expect(page.locator(".storybody tbody tr").first).to_be_visible()
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".badge")).not_to_have_text("Failed", timeout=5 * SECONDS)

    def kill_workers(self, farm, job):
        """A worker after another, until a tile has lost so many that it is abandoned."""
        def story(what):
            try:
                return sum(event["what"] == what for event in farm.ask(f"/v1/jobs/{job}/story")["events"])
            except AssertionError:
                # Nothing has happened yet.
                return 0

        def wait_for_more(what, than):
            for _ in range(500):
                if story(what) > than:
                    break
                time.sleep(0.02)

        for _ in range(40):
            begun, lost = story("dispatched"), story("lost")
            worker = Process([support.BINARY, "worker", "--broker", f"ipc://{farm.path}/w", "--threads", "1"])
            wait_for_more("dispatched", begun)
            worker.process.kill()
            worker.stop()
            # Else the next worker gets other tiles.
            wait_for_more("lost", lost)
            if farm.ask(f"/v1/jobs/{job}")["state"] == "failed":
                return
        self.fail(f"job {job} is {farm.ask(f'/v1/jobs/{job}')['state']} after 40 workers:\n"
                  + json.dumps(farm.ask(f"/v1/jobs/{job}/story"), indent=1))

    def test_workers_are_drained_after_a_question(self):
        page = self.open("/#/workers")
        expect(page.locator(".worker")).to_have_count(self.workers)
        name = page.locator(".worker h2").first.text_content()
        page.get_by_role("button", name=f"Drain {name}").click()
        dialog = page.get_by_role("dialog", name=f"Drain {name}?")
        expect(dialog.get_by_role("button", name="Keep it as it is")).to_be_focused()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        self.assertEqual(len(self.farm.ask("/v1/workers")["workers"]), self.workers)
        self.picture(page, "workers")

    def test_a_broker_that_is_gone_comes_back(self):
        farm, base = self.farm, self.farm.base
        page = self.open()
        farm.stop()
        expect(page.locator("#connection")).to_have_text("reconnecting")
        expect(page.locator("#banners")).to_contain_text("The broker does not answer.")
        self.picture(page, "gone")
        farm.start()
        self.assertEqual(farm.base, base)
        page.get_by_role("button", name="Try now").click()
        expect(page.locator("#connection")).to_have_text("live", timeout=40 * SECONDS)
        expect(page.locator("#banners")).not_to_contain_text("does not answer")

    def test_by_keyboard_alone(self):
        page = self.open()
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()

        def reach(element, key="Tab"):
            for _ in range(60):
                if element.evaluate("each => each === document.activeElement"):
                    return
                page.keyboard.press(key)
            self.fail(f"{element} cannot be reached by {key}")

        job, = self.farm.submit(self.document("hills.ink"), size="1080p")
        self.farm.wait(job["id"], "finished")
        row = page.locator(f".row a.name[href='#/jobs/{job['id']}']")
        row.wait_for()
        reach(page.locator(".row a.name[tabindex='0']"))
        page.keyboard.press("End")
        page.keyboard.press("Home")
        for _ in range(30):
            if row.evaluate("each => each === document.activeElement"):
                break
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
        reach(page.locator(".stage"), "Shift+Tab")
        page.keyboard.press("+")
        reach(page.get_by_role("button", name="Export documents"), "Shift+Tab")
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Export documents")
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(page.get_by_role("button", name="Export documents")).to_be_focused()
        reach(page.get_by_role("link", name="Workers"), "Shift+Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Workers")
        expect(page.get_by_role("heading", level=1)).to_be_focused()

    def test_axe_finds_nothing(self):
        job, = self.farm.submit(self.document("hills.ink"), size="1080p")
        other, = self.farm.submit(self.document("owl.ink"), size="8k")
        done = self.farm.wait(job["id"], "finished")
        views = {"jobs": "/", "finished": f"/#/jobs/{job['id']}", "running": f"/#/jobs/{other['id']}",
                 "batch": f"/#/batches/{done['batch']}", "workers": "/#/workers", "figures": "/#/figures",
                 "none": "/#/jobs/999999999"}
        for scheme in ("light", "dark"):
            for width in (1280, 360):
                page = self.open(width=width, color_scheme=scheme, reduced_motion="reduce")
                for name, path in views.items():
                    page.goto(self.farm.base + path)
                    page.wait_for_timeout(1200)
                    with self.subTest(view=name, scheme=scheme, width=width):
                        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                        self.axe(page, f"{name}, {scheme}, {width} pixels")
                    self.picture(page, f"{name}-{scheme}-{width}")
                page.goto(self.farm.base + "/")
                page.locator("#export").click()
                dialog = page.get_by_role("dialog", name="Export documents")
                dialog.get_by_text("More options").click()
                page.wait_for_timeout(300)
                with self.subTest(view="dialog", scheme=scheme, width=width):
                    self.axe(page, f"dialog, {scheme}, {width} pixels")

    def test_colours_are_chosen(self):
        page = self.open(color_scheme="light")
        ground = functools.partial(page.evaluate, "getComputedStyle(document.body).backgroundColor")
        light = ground()
        page.get_by_label("Colours").select_option("dark")
        dark = ground()
        self.assertNotEqual(light, dark)
        page.reload()
        self.assertEqual(ground(), dark)
        page.get_by_label("Colours").select_option("")
        self.assertEqual(ground(), light)


class EmptyTests(DashboardTests):
    workers = 0

    def test_without_jobs_and_workers(self):
        page = self.open()
        expect(page.locator("#banners")).to_contain_text("No worker is connected")
        expect(page.locator(".empty")).to_contain_text("Nothing to print yet")
        self.picture(page, "empty")
        self.axe(page, "empty")
        job, = self.farm.submit(support.ROOT / "examples/hey.ink", size="1080p")
        page.goto(f"{self.farm.base}/#/jobs/{job['id']}")
        expect(page.locator(".why")).to_contain_text("none is connected")
        page.goto(f"{self.farm.base}/#/workers")
        expect(page.locator("#other .empty")).to_contain_text("No worker is connected")


class TokenTests(DashboardTests):
    workers, token = 1, TOKEN

    def test_the_token_is_asked_for(self):
        page = self.open(ready=False, accept_downloads=True)
        dialog = page.get_by_role("dialog", name="This farm wants a token")
        expect(dialog.get_by_label("Token")).to_be_focused()
        self.picture(page, "token")
        self.axe(page, "token")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        expect(dialog).to_contain_text("was not accepted")
        page.keyboard.type(self.farm.token)
        page.keyboard.press("Enter")
        expect(page.locator("#connection")).to_have_text("live")
        self.choose(page, support.ROOT / "examples/hills.ink", size="1080p")
        self.watch(page)
        expect(page.locator(".badge")).to_have_text("Finished", timeout=PATIENCE)
        with page.expect_download() as saved:
            page.get_by_role("button", name="Download").click()
        with Image.open(saved.value.path()) as image:
            self.assertGreater(image.width, 500)
        page.reload()
        expect(page.locator("#connection")).to_have_text("live")
        page.get_by_role("button", name="Other token").click()
        expect(dialog).to_be_visible()


class ManyTests(DashboardTests):
    workers, jobs = 0, 10_000

    def test_first_paint(self):
        times = []
        # The second of each: the browser has begun, and the machine has read its files.
        for _ in range(25):
            if len(times) >= 7 and min(times) < 100:
                break
            page = self.open()
            page.reload()
            expect(page.locator("#connection")).to_have_text("live")
            times.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.context.close()
        print(f"first paint: {statistics.median(times):.0f} ms, best {min(times):.0f} ms of {len(times)}")
        # The machine may be busy with other things; the best shows what the page needs.
        if not STAND_IN:
            self.assertLess(min(times), 100)

    def test_the_list_is_fluid(self):
        page = self.open()
        expect(page.locator("#list-count")).to_contain_text(re.compile("10,0"))
        frames = page.evaluate("""async () => {
            document.querySelector("#list").scrollIntoView();
            const times = [];
            let last = performance.now();
            for (let i = 0; i < 240; i++) {
                scrollBy(0, i < 120 ? 230 : 2600);
                const now = await new Promise(requestAnimationFrame);
                times.push(now - last);
                last = now;
            }
            return times.slice(1);
        }""")
        ordered = sorted(frames)
        print(f"frames while 10,000 jobs scroll: median {statistics.median(frames):.1f} ms, "
              f"95% {ordered[int(0.95 * len(ordered))]:.1f} ms, longest {ordered[-1]:.1f} ms")
        self.assertLess(statistics.median(frames), 34)
        self.assertLess(page.locator(".row").count(), 80)
        # To the last of them, and each row in its place.
        for _ in range(30):
            page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            page.wait_for_timeout(200)
            if page.locator(".row[aria-posinset='10000'] .about").count():
                break
        expect(page.locator(".row[aria-posinset='10000'] .about")).to_contain_text("No. 1 ", timeout=60 * SECONDS)

    def test_jobs_are_found_and_sorted(self):
        page = self.open()
        page.locator("#sort").select_option("id")
        expect(page.locator(".row[aria-posinset='1'] .about")).to_contain_text("No. 1 ")
        name = self.farm.ask("/v1/jobs/42")["name"]
        page.get_by_label("Find jobs by name").fill(name)
        expect(page.locator(".row .name").first).to_have_text(name)
        page.get_by_label("Find jobs by name").fill("there is none like this")
        expect(page.locator("#list .empty")).to_contain_text("No job is like that")
        page.get_by_label("Find jobs by name").fill("")
        page.get_by_role("group", name="States").get_by_role("button", name=re.compile("Waiting")).click()
        expect(page.locator(".row").first.locator(".state")).to_have_text("Waiting")
        expect(page.locator(".row").first.locator(".note")).to_contain_text("none is connected")
        self.axe(page, "many")


if __name__ == "__main__":
    unittest.main()
