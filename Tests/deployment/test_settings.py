"""Every setting that compose file, manifests, units and settings files name exists, and is right: `ink` says so."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import yaml

from support import ROOT, BINARY, environment, keyring, needs_binary

FOLDERS = ("data", "inputs", "pictures", "keys", "health", "status", "etc")


@needs_binary
class Settings(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        keys = keyring(self.root / "keyring")
        for folder in FOLDERS:
            (self.root / folder).mkdir()
        # One folder has what each of them sees in its own.
        for part in ("broker", "worker", "client"):
            subprocess.run(["cp", "-r", f"{keys}/{part}/.", self.root / "keys"], check=True)
            subprocess.run(["cp", "-r", f"{keys}/{part}/.", self.root / "health"], check=True)

    def here(self, text):
        """The value with paths that are there only in a container led to the test's folder."""
        return re.sub(rf"(?<![\w.])/(?={'|'.join(FOLDERS)})", f"{self.root}/", text)

    def check(self, command, variables, *flags):
        settings = {
            name: self.here(value) for name, value in (self.image() | variables).items() if name.startswith("INK_")}
        run = subprocess.run(
            [BINARY, command, "--check-config", *flags], env=environment(**settings), capture_output=True, text=True,
            timeout=60, cwd=self.root, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""), f"{command} {settings}")
        for name in variables:
            if name.startswith("INK_") and name != "INK_CONFIG":
                self.assertIn(f"# {name}", run.stdout)

    def image(self):
        text = (ROOT / "Dockerfile").read_text()
        return dict(re.findall(r"\b(INK_[A-Z_]+)=(\S+)", text))

    def test_compose(self):
        text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", (ROOT / "docker-compose.yml").read_text())
        services = yaml.safe_load(text)["services"]
        for name in ("broker", "worker"):
            self.check(name, services[name]["environment"])

    def test_compose_with_secrets(self):
        override = yaml.safe_load((ROOT / "deploy/compose/secrets.yml").read_text())["services"]
        for name in ("broker", "worker"):
            base = {"INK_BROKER": "tcp://broker:5570"} if name == "worker" else {"INK_WORKERS": "tcp://*:5570"}
            moved = {
                key: value.replace("/run/secrets/worker.pub", "/keys/workers/worker.pub").replace("/run/secrets", "/keys")
                for key, value in override[name]["environment"].items()}
            self.check(name, base | moved)

    def test_kubernetes(self):
        for file, name in (("broker", "broker"), ("worker", "worker")):
            documents = yaml.safe_load_all((ROOT / f"deploy/kubernetes/base/{file}.yaml").read_text())
            pod = next(d for d in documents if d["kind"] in ("StatefulSet", "Deployment"))["spec"]["template"]["spec"]
            container = next(c for c in pod["containers"] if c["name"] == name)
            # What Kubernetes fills in: a pod's name, a number of cores.
            variables = {v["name"]: v.get("value", "4") for v in container["env"]}
            self.check(name, variables)
            self.assertFalse(pod["enableServiceLinks"])

    def test_units(self):
        subprocess.run(["cp", "-r", f"{self.root}/keys", f"{self.root}/etc/ink"], check=True)
        for name in ("broker", "worker"):
            unit = (ROOT / f"deploy/systemd/ink-{name}.service").read_text()
            variables = dict(re.findall(r"\b(INK_\w+)=(\S+)", "\n".join(re.findall("(?m)^Environment=(.*)$", unit))))
            etc = str(ROOT / "deploy/systemd")
            places = {"%S/ink": "/data", "%d": "/keys", f"/etc/ink/{name}.conf": f"{etc}/{name}.conf"}
            for place, there in places.items():
                variables = {key: value.replace(place, there) for key, value in variables.items()}
            lines = (ROOT / f"deploy/systemd/{name}.env").read_text().splitlines()
            variables |= dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
            self.check(name, variables)


if __name__ == "__main__":
    unittest.main()
