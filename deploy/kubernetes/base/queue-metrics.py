#!/usr/bin/env python3
"""Serves what `ink status --json` has written to a file: for autoscalers and for Prometheus.

    queue-metrics.py STATUS_FILE [PORT]     (9090)

/queue    JSON: what there is to do; `tiles` is what an autoscaler goes by
/metrics  the same and more, in the text form of Prometheus
/healthz  200

Both answer 503 when the file is older than STALE_SECONDS: then the broker has not answered for so long, and an old
length of the queue is worse than none. Needs nothing but Python.
"""

import http.server
import json
import os
import sys
import time

STALE_SECONDS = 30
# What an export counts that has not been cut yet, when none is under way to go by: 2K is cut into about so many.
TILES_OF_AN_EXPORT = 32


class Stale(Exception):
    """There is no status, or an old one."""


def read(path):
    """The status in the file, and its age in seconds."""
    try:
        with open(path, encoding="utf-8") as file:
            age = time.time() - os.fstat(file.fileno()).st_mtime
            status = json.load(file)
    except (OSError, ValueError) as error:
        raise Stale(f"{path}: {error}") from error
    if age > STALE_SECONDS:
        raise Stale(f"{path}: {age:.0f} seconds old")
    if not isinstance(status, dict):
        raise Stale(f"{path}: no status")
    return status, max(0.0, age)


def queue(status):
    """What there is to do."""
    exports = status.get("exports", [])
    jobs = status.get("jobs", {})
    cut = [export["total"] for export in exports if export.get("total", 0) > 0]
    size = sum(cut) / len(cut) if cut else TILES_OF_AN_EXPORT
    left = sum(max(0, export["total"] - export.get("done", 0)) for export in exports if export.get("total", 0) > 0)
    # Those that run and are not cut yet, or are beyond those that the status lists, count like those that wait.
    uncut = jobs.get("queued", 0) + max(0, jobs.get("running", 0) - len(cut))
    return {
        "tiles": round(left + uncut * size),
        "queued": jobs.get("queued", 0),
        "running": jobs.get("running", 0),
        "workers": len(status.get("workers", [])),
    }


def metrics(status, age):
    """The text form of Prometheus, version 0.0.4."""
    now = queue(status)
    jobs, tasks = status.get("jobs", {}), status.get("tasks", {})
    store, memory = status.get("store", {}), status.get("memory", {})
    broker = status.get("broker", {})
    rows = [
        ("ink_queue_tiles", "gauge", "Tiles to render, those of waiting jobs estimated", now["tiles"]),
        ("ink_jobs_queued", "gauge", "Jobs that wait", now["queued"]),
        ("ink_jobs_running", "gauge", "Jobs under way", now["running"]),
        ("ink_workers", "gauge", "Workers connected", now["workers"]),
        ("ink_clients", "gauge", "Clients connected", status.get("clients", 0)),
        ("ink_store_used_bytes", "gauge", "Contents and kept pictures", store.get("usedBytes", 0)),
        ("ink_store_quota_bytes", "gauge", "The most of them", store.get("quotaBytes", 0)),
        ("ink_block_bytes", "gauge", "Blocks in memory", memory.get("blockBytes", 0)),
        ("ink_spilled_bytes", "gauge", "Blocks in the spill folder", memory.get("spilledBytes", 0)),
        ("ink_broker_uptime_seconds", "gauge", "Since the broker started", broker.get("uptimeSeconds", 0)),
        ("ink_status_age_seconds", "gauge", "Since the broker was asked", round(age, 3)),
    ]
    for name in ("finished", "failed", "cancelled"):
        rows.append((f"ink_jobs_{name}", "gauge", f"Jobs in the store that have {name}", jobs.get(name, 0)))
    for name in ("dispatched", "finished", "failed", "raced", "verified"):
        rows.append((f"ink_tasks_{name}_total", "counter", f"Tasks {name} since the start", tasks.get(name, 0)))
    return "".join(f"# HELP {name} {text}\n# TYPE {name} {kind}\n{name} {value}\n" for name, kind, text, value in rows)


def handler(path):
    """A class that answers requests out of the file at the path."""

    class Handler(http.server.BaseHTTPRequestHandler):
        # A peer that says nothing holds its thread no longer than this, seconds.
        timeout = 10

        def do_GET(self):
            try:
                if self.path == "/queue":
                    self.answer(200, "application/json", json.dumps(queue(read(path)[0])) + "\n")
                elif self.path == "/metrics":
                    self.answer(200, "text/plain; version=0.0.4", metrics(*read(path)))
                elif self.path == "/healthz":
                    self.answer(200, "text/plain", "ok\n")
                else:
                    self.answer(404, "text/plain", "/queue, /metrics, /healthz\n")
            except Stale as error:
                self.answer(503, "text/plain", f"{error}\n")

        def answer(self, code, kind, text):
            body = text.encode()
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format, *arguments):
            """Requests come every few seconds; they are not worth a log."""

    return Handler


def server(path, port, host=""):
    """Listens; `serve_forever` answers."""
    made = http.server.ThreadingHTTPServer((host, port), handler(path))
    made.daemon_threads = True
    return made


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 64
    server(arguments[1], int(arguments[2]) if len(arguments) == 3 else 9090).serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
