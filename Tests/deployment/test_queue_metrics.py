"""What the autoscaler is told: deploy/kubernetes/base/queue-metrics.py."""

import importlib.util
import json
import os
import pathlib
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "deploy/kubernetes/base/queue-metrics.py"
spec = importlib.util.spec_from_file_location("queue_metrics", SCRIPT)
queue_metrics = importlib.util.module_from_spec(spec)
spec.loader.exec_module(queue_metrics)


def status(queued=0, running=0, exports=()):
    """As `ink status --json` prints it."""
    return {
        "broker": {"name": "farm", "uptimeSeconds": 60, "state": "serving"},
        "jobs": {"queued": queued, "running": running, "finished": 3, "failed": 1, "cancelled": 0},
        "clients": 2,
        "workers": [{"name": "a"}, {"name": "b"}],
        "exports": [{"job": n, "done": done, "total": total} for n, (done, total) in enumerate(exports, 1)],
        "tasks": {"dispatched": 9, "finished": 8, "failed": 1, "raced": 0, "verified": 0},
        "store": {"usedBytes": 1000, "quotaBytes": 2000},
        "memory": {"blockBytes": 10, "spilledBytes": 0},
    }


class Queue(unittest.TestCase):
    def tiles(self, **terms):
        return queue_metrics.queue(status(**terms))["tiles"]

    def test_an_idle_farm_has_nothing_to_do(self):
        self.assertEqual(self.tiles(), 0)

    def test_tiles_that_are_left_count(self):
        self.assertEqual(self.tiles(running=2, exports=[(10, 64), (0, 32)]), 54 + 32)

    def test_what_waits_counts_like_what_runs(self):
        self.assertEqual(self.tiles(queued=10, running=2, exports=[(0, 20), (0, 40)]), 60 + 10 * 30)

    def test_what_is_not_cut_yet_counts_like_what_waits(self):
        self.assertEqual(self.tiles(running=2, exports=[(0, 0), (5, 20)]), 15 + 20)

    def test_a_queue_before_the_first_export_is_not_nothing(self):
        self.assertEqual(self.tiles(queued=100), 100 * queue_metrics.TILES_OF_AN_EXPORT)

    def test_a_status_without_what_is_asked_for_is_an_idle_farm(self):
        self.assertEqual(queue_metrics.queue({})["tiles"], 0)


class Server(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "status.json")
        self.server = queue_metrics.server(self.path, 0, host="127.0.0.1")
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def tearDown(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
        self.folder.cleanup()

    def write(self, text):
        pathlib.Path(self.path).write_text(text, encoding="utf-8")

    def get(self, path):
        url = f"http://127.0.0.1:{self.server.server_address[1]}{path}"
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def test_the_queue_as_json(self):
        self.write(json.dumps(status(queued=1, running=1, exports=[(4, 16)])))
        code, text = self.get("/queue")
        self.assertEqual((code, json.loads(text)), (200, {"tiles": 28, "queued": 1, "running": 1, "workers": 2}))

    def test_metrics_in_the_form_of_prometheus(self):
        self.write(json.dumps(status(queued=7)))
        code, text = self.get("/metrics")
        self.assertEqual(code, 200)
        samples = dict(line.split(" ") for line in text.splitlines() if not line.startswith("#"))
        self.assertEqual(samples["ink_jobs_queued"], "7")
        self.assertEqual(samples["ink_tasks_finished_total"], "8")
        for name in samples:
            self.assertIn(f"# TYPE {name} ", text)
            self.assertRegex(name, "^[a-z_]+$")

    def test_no_status_is_no_number(self):
        self.assertEqual(self.get("/queue")[0], 503)

    def test_half_a_status_is_no_number(self):
        self.write('{"jobs": {"queued": 1')
        self.assertEqual(self.get("/queue")[0], 503)

    def test_an_old_status_is_no_number(self):
        self.write(json.dumps(status(queued=7)))
        old = time.time() - queue_metrics.STALE_SECONDS - 5
        os.utime(self.path, (old, old))
        self.assertEqual(self.get("/queue")[0], 503)
        self.assertEqual(self.get("/metrics")[0], 503)
        self.assertEqual(self.get("/healthz")[0], 200)

    def test_other_paths_are_not_found(self):
        self.assertEqual(self.get("/../../etc/passwd")[0], 404)


if __name__ == "__main__":
    unittest.main()
