"""The nginx example in front of a real broker: checked by nginx and run, with a certificate of its own."""

import http.client
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from support import BINARY, ROOT, environment, needs_binary, unpacked, within


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def has_http():
    return "--http " in subprocess.run([BINARY, "help", "broker"], capture_output=True, text=True, check=False).stdout


@needs_binary
class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not has_http():
            raise unittest.SkipTest(f"{BINARY} has no --http: make build")
        if not shutil.which("openssl"):
            raise unittest.SkipTest("no openssl, which makes a certificate")
        nginx = unpacked("nginx", "nginx") / "usr/sbin/nginx"
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=farm.example", "-addext", "subjectAltName=DNS:farm.example", "-keyout", cls.root / "key.pem",
             "-out", cls.root / "certificate.pem"], check=True, capture_output=True)
        cls.plain, cls.secure, broker = free_port(), free_port(), free_port()
        example = (ROOT / "deploy/nginx/ink.conf").read_text()
        for old, new in [
                ("listen 80;", f"listen 127.0.0.1:{cls.plain};"), ("    listen [::]:80;\n", ""),
                ("listen 443 ", f"listen 127.0.0.1:{cls.secure} "), ("    listen [::]:443 ssl http2;\n", ""),
                ("127.0.0.1:8080;", f"127.0.0.1:{broker};"), ("/etc/ssl/certs/farm.example.pem", f"{cls.root}/certificate.pem"),
                ("/etc/ssl/private/farm.example.key", f"{cls.root}/key.pem")]:
            assert old in example, old
            example = example.replace(old, new)
        (cls.root / "ink.conf").write_text(example)
        folders = "".join(
            f"{kind}_temp_path {cls.root}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (cls.root / "nginx.conf").write_text(
            f"pid {cls.root}/nginx.pid; events {{}} http {{ access_log off; {folders} include {cls.root}/ink.conf; }}")
        command = [nginx, "-p", cls.root, "-e", "stderr", "-c", cls.root / "nginx.conf"]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        assert "warn" not in checked.stderr, checked.stderr
        token = subprocess.run(
            [BINARY, "keygen", "anna", "--http", "--role", "submit", "-o", cls.root / "tokens"], env=environment(), check=True,
            capture_output=True, text=True).stdout.split()[-1]
        cls.authorized = {"Authorization": f"Bearer {token}"}
        workers, clients = f"ipc://{cls.root}/w", f"ipc://{cls.root}/c"
        cls.start("broker", [
            BINARY, "broker", "--workers", workers, "--clients", clients, "--data", cls.root / "data", "--http",
            f"127.0.0.1:{broker}", "--http-tokens", cls.root / "tokens", "--http-document-size", "8M"])
        cls.start("worker", [BINARY, "worker", "--broker", workers, "-j", "1"])
        cls.start("nginx", [*command, "-g", "daemon off;"])
        within(30, "nginx and the broker answer", lambda: cls.tries("/healthz"))

    @classmethod
    def start(cls, name, command):
        log = open(cls.root / f"{name}.log", "wb")
        process = subprocess.Popen(list(map(str, command)), env=environment(), stdout=log, stderr=log)

        def end():
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            log.close()

        cls.addClassCleanup(end)

    @classmethod
    def connect(cls):
        context = ssl.create_default_context(cafile=cls.root / "certificate.pem")
        connection = http.client.HTTPSConnection("farm.example", cls.secure, context=context, timeout=60)
        connection._create_connection = lambda _, *rest: socket.create_connection(("127.0.0.1", cls.secure), *rest)
        return connection

    @classmethod
    def ask(cls, path, method="GET", body=None, headers=None):
        connection = cls.connect()
        try:
            connection.request(method, path, body, cls.authorized if headers is None else headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers
        finally:
            connection.close()

    @classmethod
    def tries(cls, path):
        try:
            return cls.ask(path)[0] == 200
        except OSError:
            return False

    def submit(self, query, **headers):
        return self.ask(
            f"/v1/jobs?name=hey.ink&{query}", "POST", (ROOT / "examples/hey.ink").read_bytes(),
            self.authorized | {"Content-Type": "application/octet-stream"} | headers)

    def test_http_leads_to_https(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.plain, timeout=30)
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/jobs?limit=1", headers={"Host": "farm.example"})
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Location"]), (301, "https://farm.example/v1/jobs?limit=1"))

    def test_http_2_is_offered(self):
        context = ssl.create_default_context(cafile=self.root / "certificate.pem")
        context.set_alpn_protocols(["h2", "http/1.1"])
        with socket.create_connection(("127.0.0.1", self.secure), 30) as plain, context.wrap_socket(
                plain, server_hostname="farm.example") as secure:
            self.assertEqual(secure.selected_alpn_protocol(), "h2")

    def test_the_page_and_who_may_ask(self):
        status, page, headers = self.ask("/", headers={})
        self.assertEqual((status, headers["Content-Type"].split(";")[0]), (200, "text/html"), page)
        self.assertIn("max-age", headers["Strict-Transport-Security"])
        self.assertEqual(self.ask("/v1/jobs", headers={})[0], 401)
        self.assertEqual(self.ask("/v1/jobs")[0], 200)

    def test_the_browser_is_of_this_site_by_its_name(self):
        here = f"https://farm.example:{self.secure}"
        self.assertEqual(self.submit("size=100x100", Origin=here)[0], 201)
        self.assertEqual(self.submit("size=100x100", Origin="https://evil.example")[0], 403)

    def test_events_arrive_while_the_job_runs_and_the_picture_is_right(self):
        status, answer, _ = self.submit("size=4000x4000")
        self.assertEqual(status, 201, answer)
        job = json.loads(answer)["jobs"][0]
        job = job["id"] if isinstance(job, dict) else job
        connection = self.connect()
        self.addCleanup(connection.close)
        connection.request("GET", f"/v1/jobs/{job}/events", headers=self.authorized)
        events = connection.getresponse()
        self.assertEqual(events.headers["Content-Type"].split(";")[0], "text/event-stream")
        arrived = []
        while line := events.readline():
            if line.startswith(b"data:"):
                arrived.append((time.monotonic(), json.loads(line[5:])))
        self.assertGreater(arrived[-1][0] - arrived[0][0], 0.2, arrived)
        self.assertEqual(arrived[-1][1].get("state"), "finished", arrived[-1])
        status, picture, _ = self.ask(f"/v1/jobs/{job}/picture")
        self.assertEqual((status, picture[:4]), (200, b"\x89PNG"))

    def test_an_upload_is_refused_before_it_has_arrived(self):
        # By the broker, which has to see its head at once.
        connection = self.connect()
        self.addCleanup(connection.close)
        connection.putrequest("POST", "/v1/jobs?name=large.ink")
        for name, value in (self.authorized | {
                "Content-Type": "application/octet-stream", "Content-Length": str(1 << 30)}).items():
            connection.putheader(name, value)
        connection.endheaders()
        connection.send(b"{")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (413, "application/problem+json"))


if __name__ == "__main__":
    unittest.main()
