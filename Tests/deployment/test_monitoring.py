"""The Grafana dashboard and the alerts: what they ask for is what the broker serves, and Prometheus understands it."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

import yaml

from support import BINARY, ROOT, environment, needs_binary

DASHBOARD = ROOT / "deploy/grafana/ink-dashboard.json"
ALERTS = ROOT / "deploy/prometheus/ink-alerts.yml"

# The metrics of ink broker --http, with their labels.
METRICS = {
    "ink_build_info": {"version"}, "ink_uptime_seconds": set(), "ink_jobs": {"state"},
    "ink_jobs_ended_total": {"outcome"}, "ink_queue_limit_jobs": set(), "ink_tiles_waiting": set(), "ink_workers": {"state"},
    "ink_worker_threads": set(), "ink_worker_threads_busy": set(), "ink_tasks_dispatched_total": set(),
    "ink_tasks_finished_total": set(), "ink_tasks_failed_total": set(), "ink_tasks_raced_total": set(),
    "ink_tiles_total": {"source"}, "ink_pixels_exported_total": set(), "ink_export_duration_seconds_bucket": {"le"},
    "ink_export_duration_seconds_count": set(), "ink_store_used_bytes": set(), "ink_store_quota_bytes": set(),
    "ink_store_problem": set(), "ink_blocks_memory_bytes": set(), "ink_blocks_spilled_bytes": set(), "ink_clients": set(),
    "ink_http_requests_total": {"method", "code"}, "ink_http_connections": set(),
    "ink_canary_last_success_age_seconds": set(), "ink_canary_duration_seconds": set(),
    "ink_loop_last_turn_age_seconds": set(),
}
# Those that Prometheus adds.
EVERYWHERE = {"instance", "job"}


class Monitoring(unittest.TestCase):
    def setUp(self):
        self.dashboard = json.loads(DASHBOARD.read_text())
        self.rules = [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
        self.panels = [panel for panel in self.dashboard["panels"] if panel["type"] != "row"]
        self.asked = [target["expr"] for panel in self.panels for target in panel["targets"]]

    def test_only_metrics_that_are_served(self):
        for expression in self.asked + [rule["expr"] for rule in self.rules]:
            with self.subTest(expression):
                names = re.findall(r"\bink_\w+", expression)
                self.assertTrue(names or expression.startswith("up{"))
                self.assertLessEqual(set(names), set(METRICS))
                for name, labels in re.findall(r"\b(ink_\w+)\{([^}]*)\}", expression):
                    self.assertLessEqual(set(re.findall(r"(\w+)=", labels)), METRICS[name] | EVERYWHERE)
                for by in re.findall(r"\bby \(([^)]*)\)", expression):
                    allowed = set().union(*(METRICS[name] for name in names)) | EVERYWHERE
                    self.assertLessEqual({label.strip() for label in by.split(",")}, allowed)

    def test_every_metric_is_shown(self):
        shown = set(re.findall(r"\bink_\w+", " ".join(self.asked + [rule["expr"] for rule in self.rules])))
        self.assertEqual(set(METRICS) - shown, set())

    def test_no_clock_is_compared_with_another(self):
        for expression in self.asked + [rule["expr"] for rule in self.rules]:
            with self.subTest(expression):
                self.assertNotRegex(expression, r"\b(time|timestamp)\(|_timestamp_")

    def test_panels_do_not_overlap(self):
        taken = {}
        for panel in self.dashboard["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            for x in range(place["x"], place["x"] + place["w"]):
                for y in range(place["y"], place["y"] + place["h"]):
                    self.assertNotIn((x, y), taken, panel["title"])
                    taken[x, y] = panel["title"]
        self.assertEqual(len({panel["id"] for panel in self.dashboard["panels"]}), len(self.dashboard["panels"]))

    def test_no_source_of_data_is_named(self):
        for panel in self.panels:
            for each in [panel, *panel["targets"]]:
                self.assertEqual(each["datasource"]["uid"], "${datasource}")

    def test_every_alert_is_tested(self):
        tests = yaml.safe_load(ALERTS.with_name("ink-alerts-tests.yml").read_text())["tests"]
        tried = [case for test in tests for case in test["alert_rule_test"]]
        names = {rule["alert"] for rule in self.rules}
        for fires in (True, False):
            self.assertEqual({case["alertname"] for case in tried if bool(case["exp_alerts"]) == fires}, names)

    @needs_binary
    def test_a_broker_serves_them(self):
        with tempfile.TemporaryDirectory() as folder:
            broker = subprocess.Popen(
                [BINARY, "broker", "--http", "127.0.0.1:0", "--workers", f"ipc://{folder}/w", "--clients",
                 f"ipc://{folder}/c", "--data", f"{folder}/data"], env=environment(), stderr=subprocess.PIPE, text=True)
            try:
                address = re.search(r"http=(\S+)", broker.stderr.readline()).group(1)
                with urllib.request.urlopen(f"{address}/metrics", timeout=30) as response:
                    text = response.read().decode()
            finally:
                broker.terminate()
                broker.communicate(timeout=60)
        served = {}
        for name, labels in re.findall(r"^(ink_\w+)(?:\{(.*)\})? ", text, re.MULTILINE):
            served.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
        # Not before the first request has been answered.
        served.setdefault("ink_http_requests_total", {"method", "code"})
        served.pop("ink_export_duration_seconds_sum", None)
        self.assertEqual(served, METRICS)
        if shutil.which("promtool"):
            result = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    @unittest.skipUnless(shutil.which("promtool"), "no promtool: apt-get install prometheus")
    def test_prometheus_understands_the_dashboard(self):
        rules = [{"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "1m").replace("$instance", ".*")}
                 for number, expression in enumerate(self.asked)]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}, file)
            file.flush()
            result = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
