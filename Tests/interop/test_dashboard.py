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

    def open(self, path="/", *, farm=None, width=1280, height=860, ready=True, without=(), browsing=None, **context):
        """A page of its own, in a browser of its own or in that of another. It may ask nothing of other hosts, and nothing
        in it may fail. `without`: what of a browser it may not use."""
        farm = farm or self.farm
        if not browsing:
            browsing = self.browser.new_context(viewport={"width": width, "height": height}, **context)
            self.addCleanup(browsing.close)
            for name in without:
                owner, _, member = name.rpartition(".")
                browsing.add_init_script(f"""Object.defineProperty({owner or "self"}, "{member}", {{ get() {{
                    throw new DOMException("Access is denied for this document.", "SecurityError"); }} }})""")
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

    def box(self, locator):
        locator.wait_for()
        box = locator.bounding_box()
        return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]

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
        self.assertEqual(saved.value.suggested_filename, "owl-8k.png")
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
        expect(page.get_by_role("heading", level=1).first).to_have_text("hills.ink and 1 more")
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
        # It may have found it by itself.
        page.evaluate("document.querySelector('#banners button')?.click()")
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


class SharingTests(DashboardTests):
    """Several tabs of one browser."""

    workers = 1

    def tabs(self, count, **options):
        first = self.open(**options)
        return [first] + [self.open(browsing=first.context) for _ in range(count - 1)]

    def test_tabs_do_not_use_up_the_connections_of_a_browser(self):
        job, = self.farm.submit(support.ROOT / "examples/owl.ink", size="12000")
        tabs = self.tabs(8)
        for page in tabs[1:]:
            page.goto(f"{self.farm.base}/#/jobs/{job['id']}")
            page.reload()
        # What is done in one is seen in all, also when the first is gone.
        for turn, page in enumerate(tabs[1:]):
            expect(page.locator(".badge")).to_have_text(re.compile("Running|Waiting"), timeout=PATIENCE)
            expect(page.locator("#connection")).to_have_text("live")
        tabs[0].close()
        tabs[1].get_by_role("button", name="Cancel").click()
        for page in tabs[1:]:
            expect(page.locator(".badge")).to_have_text("Cancelled")
        tabs[7].get_by_role("button", name="Try again").click()
        for page in tabs[1:]:
            expect(page.locator(".badge")).not_to_have_text("Cancelled")
        self.farm.ask(f"/v1/jobs/{job['id']}/cancel", b"")

    def test_where_tabs_cannot_share_they_ask(self):
        tabs = self.tabs(8, without=["SharedWorker"])
        job, = self.farm.submit(support.ROOT / "examples/hey.ink", size="1080p")
        self.farm.wait(job["id"], "finished")
        for page in tabs:
            expect(page.locator(f".row:has(a[href='#/jobs/{job['id']}']) .state")).to_have_text("Finished")
        self.farm.ask(f"/v1/jobs/{job['id']}", method="DELETE")
        for page in tabs:
            expect(page.locator(f".row a[href='#/jobs/{job['id']}']")).to_have_count(0)

    def test_a_browser_that_stores_nothing(self):
        for without in (["localStorage"], ["sessionStorage"], ["localStorage", "sessionStorage", "indexedDB", "caches"],
                        ["SharedWorker"], ["BroadcastChannel"], ["navigator.locks"],
                        ["localStorage", "sessionStorage", "indexedDB", "caches", "SharedWorker", "BroadcastChannel",
                         "navigator.locks", "navigator.serviceWorker", "navigator.storage"]):
            with self.subTest(without=without):
                page = self.open(without=without)
                page.get_by_label("Colours").select_option("dark")
                self.choose(page, support.ROOT / "examples/hey.ink", size="1080p")
                self.watch(page)
                expect(page.locator(".badge")).to_have_text("Finished", timeout=PATIENCE)
                page.context.close()

    def test_all_cookies_are_blocked(self):
        folder = self.folder / "blocked"
        (folder / "Default").mkdir(parents=True)
        (folder / "Default/Preferences").write_text(json.dumps(
            {"profile": {"default_content_setting_values": {"cookies": 2}}}))
        browsing = self.playwright.chromium.launch_persistent_context(
            str(folder), executable_path=CHROMIUM, args=["--no-sandbox"])
        self.addCleanup(browsing.close)
        page = self.open(browsing=browsing)
        self.assertEqual(page.evaluate("() => { try { return String(localStorage); } catch (e) { return e.name; } }"),
                         "SecurityError")
        expect(page.locator("#broker")).to_have_text("test")


class RemovedTests(DashboardTests):
    workers = 1

    def test_rows_of_removed_jobs_go(self):
        jobs = [self.farm.submit(support.ROOT / "examples/hey.ink", size=f"{40 + edge}x40")[0] for edge in range(6)]
        pair = self.farm.submit(support.ROOT / "examples/hey.ink", size="50x50,60x60")
        for job in jobs + pair:
            self.farm.wait(job["id"], "finished")
        page, open_job, batch = self.open(), self.open(f"/#/jobs/{jobs[1]['id']}"), self.open(f"/#/batches/{pair[0]['batch']}")
        figures = self.open("/#/figures")
        expect(page.locator(".row")).to_have_count(8)
        expect(batch.locator(".row")).to_have_count(2)
        expect(open_job.get_by_label("Compare with").locator("option")).to_have_count(8)
        figures.get_by_text("As a table").first.click()
        for job in jobs[2:5] + pair[:1]:
            self.farm.ask(f"/v1/jobs/{job['id']}", method="DELETE")
        expect(page.locator(".row")).to_have_count(4)
        expect(page.locator("#list-count")).to_have_text("4 jobs")
        expect(page.get_by_role("button", name="Finished")).to_contain_text("4")
        expect(batch.locator(".row")).to_have_count(1)
        expect(batch.locator(".stack")).to_have_attribute("aria-label", "Finished: 1")
        expect(open_job.get_by_label("Compare with").locator("option")).to_have_count(4)
        # The open one itself, and the last of a batch.
        for job in (jobs[1], pair[1]):
            self.farm.ask(f"/v1/jobs/{job['id']}", method="DELETE")
        expect(open_job.get_by_role("heading", level=1)).to_have_text(f"Job {jobs[1]['id']} is no more")
        expect(batch.get_by_role("heading", level=1).first).to_have_text("There is no such batch")
        expect(page.locator(".row")).to_have_count(2)


class SendingTests(DashboardTests):
    workers = 1

    def test_a_file_is_not_what_it_was_when_it_was_chosen(self):
        text = (support.ROOT / "examples/hey.ink").read_text()
        document, mark = self.folder / "changing.ink", self.folder / "mark.png"

        def chosen(page):
            document.write_text(text)
            Image.new("RGB", (9, 9)).save(mark)
            page.get_by_role("button", name="Export documents").click()
            page.locator("#files").set_input_files([str(document)])

        def fails(page, words):
            dialog = page.get_by_role("dialog", name="Export documents")
            dialog.get_by_role("button", name="Export", exact=True).click()
            expect(dialog.locator(".trouble")).to_contain_text(words)
            expect(dialog.locator(".trouble")).not_to_contain_text("does not answer")
            return dialog

        def changed():
            document.write_text(text + " " * 100)
            os.utime(document, (1, 1))

        for change, words in ((changed, "changed"), (document.unlink, "not there any more")):
            with self.subTest(words):
                page = self.open()
                chosen(page)
                change()
                dialog = fails(page, words)
                self.picture(page, f"file-{change.__name__}")
                # Chosen again, it takes its own place.
                document.write_text(text + " ")
                with page.expect_file_chooser() as opened:
                    dialog.get_by_role("button", name="Choose again").click()
                opened.value.set_files(str(document))
                expect(dialog.locator(".files li")).to_have_count(1)
                dialog.get_by_role("button", name="Export", exact=True).click()
                self.farm.wait(self.watch(page), "finished")
        # A watermark is a file too.
        page = self.open()
        chosen(page)
        page.locator("#mark").set_input_files(str(mark))
        mark.unlink()
        fails(page, "mark.png: It is not there any more")

    def test_nothing_is_sent_without_a_word(self):
        document = self.folder / "a.ink"
        shutil.copy(support.ROOT / "examples/hey.ink", document)
        page = self.open()
        page.get_by_role("button", name="Export documents").click()
        page.locator("#files").set_input_files([str(document)])
        dialog = page.get_by_role("dialog", name="Export documents")
        send = dialog.get_by_role("button", name="Export", exact=True)
        trouble = dialog.locator(".trouble")
        page.context.set_offline(True)
        send.click()
        expect(trouble).to_contain_text("no network")
        page.context.set_offline(False)
        # The broker ends it; then it is gone.
        page.route("**/v1/jobs", lambda route: route.abort("connectionreset"))
        send.click()
        expect(trouble).to_contain_text("ended the upload")
        page.route("**/healthz", lambda route: route.abort("connectionrefused"))
        send.click()
        expect(trouble).to_contain_text("does not answer")
        page.unroute("**/v1/jobs")
        page.route("**/v1/jobs", lambda route: route.fulfill(status=413, json={"detail": "more than 5 bytes"}))
        send.click()
        expect(trouble).to_contain_text("Too large: more than 5 bytes")
        page.unroute("**/v1/jobs")
        send.click()
        self.watch(page)
        # What the broker would not take is not sent.
        page = self.open()
        page.evaluate("import('/farm.js').then(({ farm }) => { farm.limits.documentBytes = 1000; })")
        page.get_by_role("button", name="Export documents").click()
        page.locator("#files").set_input_files([str(document)])
        expect(page.locator(".dialogfoot")).to_contain_text("the broker takes 1000 bytes at once")
        expect(page.get_by_role("dialog").get_by_role("button", name="Export", exact=True)).to_be_disabled()


class ShownTests(DashboardTests):
    """What is shown is what is so, and can be read."""

    workers = 1

    def test_labels_of_axes_are_the_values_of_their_lines(self):
        page = self.open()
        values = [1e-3 * 1.31 ** each for each in range(70)] + [1, 2, 4, 8, 10, 40, 100, 250, 1000]
        for whole in (False, True):
            axes = page.evaluate("""([values, whole]) => import("/figures.js").then(({ ticks }) =>
                values.map((most) => ticks(most, whole)))""", [values, whole])
            for most, axis in zip(values, axes):
                labels = [float(each["label"].replace(",", "")) for each in axis]
                for label, line in zip(labels, axis):
                    self.assertAlmostEqual(label, line["value"], delta=1e-9 * max(1, label), msg=f"{most}: {axis}")
                self.assertGreaterEqual(labels[-1], most * (1 - 1e-6))
                self.assertLess(len(labels), 9, f"{most}: {axis}")
                self.assertEqual(len(set(labels)), len(labels), f"{most}: {axis}")
                self.assertFalse(whole and any(label % 1 for label in labels), f"{most}: {axis}")
        # Times stand where they say.
        for span in (30, 100, 600, 3600, 7200, 90_000, 600_000):
            at, step = page.evaluate("""(span) => import("/figures.js").then(({ timeTicks }) => {
                const { at, step } = timeTicks(1764284837123 - 1000 * span, 1764284837123, 5);
                return [at, step];
            })""", span)
            self.assertTrue(1 <= len(at) <= 6 and all(each % step == 0 for each in at if step <= 900e3), f"{span}: {at}")

    def test_speed_that_is_not_known_is_not_zero(self):
        page = self.open()
        answer = {"workers": [
            {"name": name, "address": None, "state": "ready", "threads": 2, "tasks": 1, "done": 7000, "failed": 0,
             "renderer": "x", **more}
            for name, more in (("old", {}), ("none", {"tasksPerSecond": None}), ("idle", {"tasksPerSecond": 0}),
                               ("busy", {"tasksPerSecond": 2.5}))]}
        page.route("**/v1/workers", lambda route: route.fulfill(json=answer))
        page.goto(f"{self.farm.base}/#/workers")
        page.wait_for_timeout(9000)
        for name, speed, drawn in (("old", "–", False), ("none", "–", False), ("idle", "0 tiles a second", False),
                                   ("busy", "2.5 tiles a second", True)):
            card = page.locator(".worker").filter(has=page.get_by_role("heading", name=name, exact=True))
            expect(card.locator("dd").nth(1)).to_have_text(speed)
            expect(card.locator(".spark")).to_be_visible(visible=drawn)
            if speed == "–":
                self.assertNotIn("average", card.inner_text())
        expect(card).to_contain_text("2.5 tiles a second on average")

    def test_a_failure_says_first_what_is_wrong(self):
        broken = b"\x89PNG\r\n\x1a\n" + bytes.fromhex(
            "0000000d49484452000000400000004008060000" + "00aa6971de" + "0000000449444154deadbeef00000000" + "0000000049454e44ae426082")
        name = "a.ink"
        document = support.project_of(broken, 64, 64, self.folder / name)
        job, = self.farm.submit(document, size="64x64")
        self.farm.wait(job["id"], "failed")
        for width in (1280, 360):
            page = self.open(f"/#/jobs/{job['id']}", width=width)
            trouble = page.locator(".trouble-text")
            expect(trouble).not_to_be_empty()
            self.assertNotIn(name, trouble.inner_text())
            self.assertLess(self.box(trouble)[3], 500 if width == 360 else 300)
            expect(page.locator(".stage")).to_be_hidden()
            # The same again fails again.
            expect(page.get_by_role("button", name="Try again")).to_have_count(0)
            self.picture(page, f"bad-input-{width}")
        page = self.open()
        row = page.locator(".row", has_text=f"No. {job['id']} ")
        self.assertNotIn(name, row.locator(".note").inner_text())
        expect(row.get_by_role("button")).to_have_count(0)
        page.goto(f"{self.farm.base}/#/batches/{job['batch']}")
        expect(page.locator(".stack")).to_have_attribute("aria-label", "Failed: 1")
        expect(page.locator(".batch").get_by_role("button")).to_have_count(0)
        other, = self.farm.submit(support.ROOT / "examples/owl.ink", size="12000")
        self.farm.ask(f"/v1/jobs/{other['id']}/cancel", b"")
        page.goto(f"{self.farm.base}/#/batches/{other['batch']}")
        expect(page.locator(".batch").get_by_role("button", name=re.compile("again"))).to_be_visible()

    def test_filters_are_in_the_address(self):
        names = ["apple.ink", "pear.ink", "apple pie.ink"]
        jobs = {name: self.farm.submit(support.ROOT / "examples/hey.ink", name=name, size="64x64")[0]["id"] for name in names}
        for job in jobs.values():
            self.farm.wait(job, "finished")
        page = self.open()
        page.get_by_label("Find jobs by name").press_sequentially("apple", delay=60)
        expect(page.locator(".row")).to_have_count(2)
        page.get_by_role("button", name="Failed").click()
        expect(page.locator("#list .empty")).to_be_visible()
        self.assertIn("?state=failed&name=apple", page.url)
        page.go_back()
        expect(page.locator(".row")).to_have_count(2)
        expect(page.get_by_role("button", name="Failed")).to_have_attribute("aria-pressed", "false")
        # From a job and back again; what was typed is one step.
        page.locator(".row a").first.click()
        page.get_by_role("link", name="All jobs").click()
        expect(page.get_by_label("Find jobs by name")).to_be_visible()
        expect(page.get_by_label("Find jobs by name")).to_have_value("apple")
        for where in ("#/jobs/[0-9]+", "name=apple", "/"):
            page.go_back()
            expect(page).to_have_url(re.compile(f"{where}$"))
        expect(page.get_by_label("Find jobs by name")).to_have_value("")
        page.go_forward()
        expect(page.locator(".row")).to_have_count(2)
        page.locator("#sort").select_option("name")
        # Sent to somebody.
        other = self.open(page.url.removeprefix(self.farm.base))
        expect(other.locator(".row .name").first).to_have_text("apple pie.ink")
        expect(other.locator("#sort")).to_have_value("name")
        for nonsense in ("#/?state=nonsense,&sort=zz&name=%zz", "#/batches/%zz", "#/jobs/0x1", "#/?owner=" + "x" * 300):
            page.goto(f"{self.farm.base}/{nonsense}")
            page.reload()
            expect(page.locator("#connection")).to_have_text("live")

    def test_names_are_told_apart_and_move_nothing(self):
        tail = ["-left.ink", "-right.ink"]
        names = ["a client's/folder/" + "poster of the exhibition in the old station hall, third version" + end for end in tail]
        names += ["\u05d4\u05d6\u05de\u05e0\u05d4 \u05dc\u05d7\u05ea\u05d5\u05e0\u05d4.ink", "evil\u202egnp.ink", "bell\u0007.ink", "w" * 240 + ".ink", "\U0001f469\u200d\U0001f3a8" * 20 + ".ink"]
        jobs = [self.farm.submit(support.ROOT / "examples/hey.ink", name=name, size="12000")[0]["id"] for name in names]
        for width in (1280, 360):
            page = self.open(width=width, height=1400)
            rows = [page.locator(f".row:has(a[href='#/jobs/{job}'])") for job in jobs]
            for row in rows:
                for each in row.get_by_role("button").all():
                    left, _, right, _ = self.box(each)
                    self.assertTrue(0 <= left < right <= width, f"{width}: {row.inner_text()}")
            for row, end in zip(rows, tail):
                left, _, right, _ = self.box(row.locator(".short > :last-child"))
                expect(row.locator(".short > :last-child")).to_contain_text(end)
                self.assertTrue(0 < left and right <= width)
            self.assertEqual(rows[2].locator("bdi").first.evaluate("each => getComputedStyle(each).direction"), "rtl")
            expect(rows[3].locator(".name")).to_have_text("evil\u27e8U+202E\u27e9gnp.ink")
            expect(rows[4].locator(".name")).to_have_text("bell\u2407.ink")
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            for job in jobs:
                page.goto(f"{self.farm.base}/#/jobs/{job}")
                cancel = page.get_by_role("button", name="Cancel")
                left, _, right, bottom = self.box(cancel)
                self.assertTrue(0 <= left and right <= width and bottom < 1000, f"{width}: {job}")
                self.assertNotRegex(page.title(), "[\u202e\u0007]")
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            self.axe(page, f"long names, {width}")
        for job in jobs:
            self.farm.ask(f"/v1/jobs/{job}/cancel", b"")
        # Emoji are not cut.
        for text in page.locator(f".row:has(a[href='#/jobs/{jobs[-1]}']) .short > span").all_inner_texts():
            self.assertNotRegex(text, "^\u200d|\u200d$")

    def test_the_list_is_seen_first(self):
        job, = self.farm.submit(support.ROOT / "examples/hey.ink", size="64x64")
        self.farm.wait(job["id"], "finished")
        page = self.open()
        _, top, _, bottom = self.box(page.locator(".pulse"))
        self.assertLessEqual(bottom - top, 860 / 5)
        # What is finished is not on the press.
        expect(page.locator("#press")).to_be_hidden()
        self.assertLess(self.box(page.locator(".row").first)[1], 860 / 3)
        left, _, right, _ = self.box(page.locator(".filters"))
        self.assertEqual((left, right), (0, page.evaluate("document.documentElement.clientWidth")))
        busy, = self.farm.submit(support.ROOT / "examples/owl.ink", size="12000")
        expect(page.locator("#press .card")).to_have_count(1, timeout=PATIENCE)
        self.assertLess(self.box(page.locator(".row").first)[1], 860 / 2)
        self.farm.ask(f"/v1/jobs/{busy['id']}/cancel", b"")
        # Enlarged to 200%, all of it scrolls away.
        page = self.open(width=640, height=430)
        page.evaluate("document.body.style.minHeight = '3000px'; scrollTo(0, 1500)")
        page.wait_for_timeout(200)
        for each in (".masthead", ".pulse", ".filters"):
            self.assertLess(page.locator(each).bounding_box()["y"], -50, each)

    def test_the_dialog_explains_formats(self):
        page = self.open()
        page.get_by_role("button", name="Export documents").click()
        chips = page.locator("input[name=format]").evaluate_all("all => all.map((each) => each.value)")
        words = page.locator(".explanation").inner_text()
        for name in ("jxl", "szi"):
            self.assertEqual(name in chips, name.upper() in words, f"{chips}: {words}")

    def test_a_message_leads_to_what_it_is_about(self):
        job, = self.farm.submit(support.ROOT / "examples/owl.ink", size="12000")
        page = self.open()
        row = page.locator(f".row:has(a[href='#/jobs/{job['id']}'])")
        row.get_by_role("button", name="Cancel").click()
        page.locator(".toast").get_by_role("link", name="Show").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("owl.ink")
        # Two formats are two batches.
        page.get_by_role("button", name="Export documents").click()
        page.locator("input[name=format][value=jpeg]").set_checked(True, force=True)
        self.choose(page, support.ROOT / "examples/hey.ink", size="1x")
        for name in ("PNG", "JPEG"):
            expect(page.get_by_role("link", name=f"Watch {name}")).to_have_attribute("href", re.compile("#/jobs/"))


class WaitingTests(DashboardTests):
    workers = 0

    def test_a_job_without_a_worker_waits(self):
        image = self.folder / "photo.png"
        Image.new("RGB", (3000, 2000), (200, 90, 20)).save(image)
        project = support.project_of(image.read_bytes(), 3000, 2000, self.folder / "photo.ink")
        jobs = [self.farm.submit(path, size="3000", tile="256x256")[0]["id"] for path in (support.ROOT / "examples/owl.ink", project)]
        page = self.open()
        for job in jobs:
            row = page.locator(f".row:has(a[href='#/jobs/{job}'])")
            expect(row.locator(".state")).to_have_text("Waiting")
            expect(row.locator(".note")).to_have_text("for a worker: none is connected")
        expect(page.locator("#now-running")).to_have_text("0")
        expect(page.get_by_role("button", name="Running")).to_contain_text("0")
        expect(page.locator(".card")).to_have_count(0)
        page.get_by_role("button", name="Waiting").click()
        expect(page.locator(".row")).to_have_count(2)
        page.goto(f"{self.farm.base}/#/jobs/{jobs[1]}")
        expect(page.locator(".badge")).to_have_text("Waiting")
        expect(page.locator(".why")).to_contain_text("Waits for a worker: none is connected")
        expect(page.locator("main")).not_to_contain_text("being read")
        self.picture(page, "waiting")
        # It has waited, which is not counted as rendering.
        page.wait_for_timeout(3000)
        worker = self.farm.add_worker("late")
        expect(page.locator(".badge")).to_have_text(re.compile("Running|Finished"), timeout=PATIENCE)
        for job in jobs:
            picture = self.farm.wait(job, "finished")["picture"]
            self.assertGreater(picture["waitedSeconds"], 3)
        times = {each["job"]: each["seconds"] for each in self.farm.ask("/v1/stats")["exports"]}
        self.assertEqual(times[job], picture["seconds"])
        page.reload()
        expect(page.locator(".facts")).to_contain_text(re.compile("Waited"))
        # A worker that leaves in the middle.
        job = self.farm.submit(support.ROOT / "examples/owl.ink", size="20000")[0]["id"]
        page.goto(f"{self.farm.base}/#/jobs/{job}")
        expect(page.locator(".badge")).to_have_text("Running", timeout=PATIENCE)
        worker.stop()
        expect(page.locator(".badge")).to_have_text("Waiting", timeout=PATIENCE)
        expect(page.locator(".why")).to_contain_text("Waits for a worker: none is connected")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".badge")).to_have_text("Cancelled")


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


class RoleTests(DashboardTests):
    workers, token = 1, TOKEN

    def enter(self, role, path="/"):
        page = self.open(path, ready=False)
        page.get_by_role("dialog", name="This farm wants a token").get_by_label("Token").fill(self.farm.tokens[role])
        page.keyboard.press("Enter")
        expect(page.locator("#connection")).to_have_text("live")
        return page

    @unittest.skipIf(STAND_IN, "needs roles")
    def test_a_token_shows_no_buttons_that_it_cannot_use(self):
        # It has to last for all that is looked at.
        job, = self.farm.submit(support.ROOT / "examples/owl.ink", size="32000")
        done, = self.farm.submit(support.ROOT / "examples/hey.ink", size="64x64", priority=5)
        self.farm.wait(done["id"], "finished")
        views = {"/": "#list", f"/#/jobs/{job['id']}": "#other", f"/#/jobs/{done['id']}": "#other",
                 f"/#/batches/{job['batch']}": ".batch", "/#/workers": "#other"}
        able = {"read": set(), "submit": {"Pause", "Cancel", "Priority"}, "operate": {"Pause", "Cancel", "Priority", "Remove", "Drain"}}
        for role, verbs in able.items():
            page = self.enter(role)
            expect(page.locator("#export")).to_be_visible(visible=role != "read")
            seen = set()
            for path, where in views.items():
                page.goto(self.farm.base + path)
                page.wait_for_timeout(1500)
                words = " ".join(page.locator(where).get_by_role("button").evaluate_all("all => all.map((each) => each.textContent)"))
                words += " Priority" if page.locator(where).locator(".field.priority:visible").count() else ""
                seen |= {verb for verb in able["operate"] if verb in words}
            self.assertEqual(seen, verbs, role)
        # Tabs with different rights share no stream.
        page = self.enter("read")
        transfer = page.evaluate_handle("() => { const t = new DataTransfer(); t.items.add(new File(['x'], 'a.ink')); return t; }")
        page.wait_for_timeout(1500)
        page.dispatch_event("body", "drop", {"dataTransfer": transfer})
        expect(page.locator(".toast.bad")).to_contain_text("shows the farm only")
        self.farm.ask(f"/v1/jobs/{job['id']}/cancel", b"")

    @unittest.skipIf(STAND_IN, "needs roles")
    def test_a_token_is_kept_in_memory_where_nothing_is_stored(self):
        page = self.open(ready=False, without=["localStorage", "sessionStorage"])
        page.get_by_role("dialog", name="This farm wants a token").get_by_label("Token").fill(self.farm.tokens["operate"])
        page.keyboard.press("Enter")
        expect(page.locator("#connection")).to_have_text("live")
        page.goto(f"{self.farm.base}/#/figures")
        expect(page.get_by_role("heading", level=1)).to_have_text("Figures")
        expect(page.get_by_role("dialog")).to_have_count(0)


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
