"""What the tools cannot see: names that one file gives and another one uses; the terms that every container keeps."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import yaml

from support import BINARY, ROOT, environment, keyring, needs_binary, within
from test_keyring import FILES

BASE = ROOT / "deploy/kubernetes/base"
# The check of the broker's health is made by HTTP.
UNUSED = {"broker/health.key", "broker/clients/health.pub"}


def documents(*paths):
    return [document for path in paths for document in yaml.safe_load_all(pathlib.Path(path).read_text())]


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.farm = documents(*(BASE / f"{name}.yaml" for name in ("namespace", "network-policy", "broker", "worker")))
        self.job, self.parts = documents(*(
            ROOT / f"deploy/kubernetes/examples/{name}-job.yaml" for name in ("export", "shards")))
        self.kustomization = documents(BASE / "kustomization.yaml")[0]

    def named(self, kind, name):
        return next(d for d in self.farm if (d["kind"], d["metadata"]["name"]) == (kind, name))

    def pods(self):
        kinds = ("StatefulSet", "Deployment", "Job")
        return [d["spec"]["template"] for d in self.farm + [self.job, self.parts] if d["kind"] in kinds]

    def test_every_pod_keeps_the_restricted_standard(self):
        for pod in self.pods():
            terms = pod["spec"]["securityContext"]
            self.assertTrue(terms["runAsNonRoot"])
            self.assertEqual(terms["seccompProfile"], {"type": "RuntimeDefault"})
            self.assertFalse(pod["spec"]["automountServiceAccountToken"])
            for container in pod["spec"]["containers"]:
                own = container["securityContext"]
                self.assertFalse(own["allowPrivilegeEscalation"])
                self.assertTrue(own["readOnlyRootFilesystem"])
                self.assertEqual(own["capabilities"], {"drop": ["ALL"]})
                self.assertIn("memory", container["resources"]["limits"])

    def test_parts_of_a_job_are_as_many_as_they_are_told(self):
        spec = self.parts["spec"]
        variables = {v["name"]: v for v in spec["template"]["spec"]["containers"][0]["env"]}
        self.assertEqual(variables["INK_SHARDS"]["value"], str(spec["completions"]))
        self.assertIn("job-completion-index", variables["INK_SHARD"]["valueFrom"]["fieldRef"]["fieldPath"])
        named = spec["podFailurePolicy"]["rules"][1]["onExitCodes"]
        self.assertEqual(named["containerName"], spec["template"]["spec"]["containers"][0]["name"])
        # The codes after which an engine stops are those that the documentation calls final.
        page = (ROOT / "docs/runs-in-parts.md").read_text()
        final = re.search(r"^\| ([0-9, ]+) \| another try does not help", page, re.M)[1]
        self.assertEqual(named["values"], [int(code) for code in final.split(",")])

    def test_volumes_that_are_mounted_are_there(self):
        for pod in self.pods():
            volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
            if pod["metadata"]["labels"].get("app.kubernetes.io/name") == "ink-broker":
                volumes.add("data")
            mounted = {m["name"] for c in pod["spec"]["containers"] for m in c["volumeMounts"]}
            self.assertEqual(mounted, volumes)

    def test_secrets_and_config_maps_that_pods_use_are_generated(self):
        made = {entry["name"] for kind in ("secretGenerator", "configMapGenerator") for entry in self.kustomization[kind]}
        text = yaml.safe_dump_all(self.pods())
        used = set(re.findall(r"secretName: (\S+)", text))
        for pod in self.pods():
            for volume in pod["spec"]["volumes"]:
                for source in volume.get("projected", {}).get("sources", []) + [volume]:
                    used |= {source[kind]["name"] for kind in ("secret", "configMap") if "name" in source.get(kind, {})}
        # That one is for the overlays, see below.
        self.assertEqual(used | {"metrics-token"}, made)

    def test_keys_are_those_that_the_keyring_makes(self):
        named = {path for kind in ("secretGenerator", "configMapGenerator") for entry in self.kustomization[kind]
                 for path in (name.rpartition("=")[2] for name in entry["files"])}
        self.assertEqual(named, {f"keys/{path}" for path in FILES - UNUSED})

    def test_what_the_broker_reads_is_mounted(self):
        pod = self.named("StatefulSet", "ink-broker")["spec"]["template"]["spec"]
        generated = {entry["name"]: entry["files"] for kind in ("secretGenerator", "configMapGenerator")
                     for entry in self.kustomization[kind]}
        mounted = set()
        for source in next(v for v in pod["volumes"] if v["name"] == "keys")["projected"]["sources"]:
            (terms,) = source.values()
            files = {pathlib.PurePath(path).name for path in generated[terms["name"]]}
            items = terms.get("items", [{"key": file, "path": file} for file in files])
            self.assertLessEqual({item["key"] for item in items}, files)
            mounted |= {f"/keys/{item['path']}" for item in items}
        mounted |= {str(pathlib.PurePath(path).parent) for path in mounted}
        named = {value for value in re.findall(r"/keys/\S+", yaml.safe_dump(pod["containers"][0]["env"]))}
        self.assertLessEqual(named, mounted)

    def test_services_lead_to_ports_of_the_broker(self):
        broker = self.named("StatefulSet", "ink-broker")["spec"]["template"]
        ports = {p["name"]: p["containerPort"] for c in broker["spec"]["containers"] for p in c.get("ports", [])}
        for service in (d for d in self.farm if d["kind"] == "Service"):
            self.assertEqual(service["spec"]["selector"].items() - broker["metadata"]["labels"].items(), set())
            for port in service["spec"]["ports"]:
                self.assertEqual(ports[port["targetPort"]], port["port"])

    def test_endpoints_are_services_and_allowed(self):
        services = {d["metadata"]["name"]: d["spec"]["ports"][0]["port"] for d in self.farm if d["kind"] == "Service"}
        text = yaml.safe_dump_all(self.pods())
        endpoints = re.findall(r"tcp://(ink-[\w-]+):(\d+)", text)
        self.assertEqual(len(endpoints), 2)
        for name, port in endpoints:
            self.assertEqual(services[name], int(port))
        policy = self.named("NetworkPolicy", "ink-broker")["spec"]
        allowed = {port["port"] for rule in policy["ingress"] for port in rule["ports"]}
        self.assertEqual(allowed, {port for name, port in services.items()})

    def test_policies_and_the_budget_select_pods_that_exist(self):
        labels = [pod["metadata"]["labels"] for pod in self.pods()]
        for document in self.farm:
            spec = document["spec"] if "spec" in document else {}
            chosen = spec.get("podSelector") or spec.get("selector") if document["kind"] != "Service" else None
            wanted = (chosen or {}).get("matchLabels", {})
            self.assertTrue(any(wanted.items() <= own.items() for own in labels), document["metadata"]["name"])

    def test_probes_ask_the_broker_whether_its_loop_turns(self):
        container = self.named("StatefulSet", "ink-broker")["spec"]["template"]["spec"]["containers"][0]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        settings = {entry["name"]: entry.get("value") for entry in container["env"]}
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            self.assertEqual(container[probe]["httpGet"], {"path": "/healthz", "port": "http"})
        self.assertEqual(settings["INK_HTTP"], f"0.0.0.0:{ports['http']}")

    def test_secrets_that_others_name_keep_their_names(self):
        kept = {entry["name"]: {name.partition("=")[0] for name in entry["files"]}
                for entry in self.kustomization["secretGenerator"]
                if entry.get("options", {}).get("disableNameSuffixHash")}
        monitor = documents(ROOT / "deploy/kubernetes/prometheus/service-monitor.yaml")[0]
        used = [endpoint["authorization"]["credentials"] for endpoint in monitor["spec"]["endpoints"]]
        used += Scaler.read().authentication["spec"]["secretTargetRef"]
        for reference in used:
            self.assertIn(reference["key"], kept[reference["name"]])

    def test_prometheus_finds_the_broker(self):
        monitor = documents(ROOT / "deploy/kubernetes/prometheus/service-monitor.yaml")[0]
        wanted = monitor["spec"]["selector"]["matchLabels"]
        found = [d for d in self.farm if d["kind"] == "Service" and wanted.items() <= d["metadata"]["labels"].items()]
        self.assertEqual([service["metadata"]["name"] for service in found], ["ink-http"])
        self.assertEqual(monitor["metadata"]["namespace"], self.named("Namespace", "ink-farm")["metadata"]["name"])
        ports = [port["name"] for port in found[0]["spec"]["ports"]]
        self.assertEqual([endpoint["port"] for endpoint in monitor["spec"]["endpoints"]], ports)
        # The job name that the alerts go by.
        self.assertEqual(monitor["metadata"]["labels"][monitor["spec"]["jobLabel"]], "ink")

    def test_the_autoscaler_reads_what_is_served(self):
        scaler = Scaler.read()
        self.assertEqual((scaler.object["apiVersion"], scaler.object["kind"]), ("keda.sh/v1alpha1", "ScaledObject"))
        spec = scaler.object["spec"]
        fields = {"scaleTargetRef", "minReplicaCount", "maxReplicaCount", "pollingInterval", "cooldownPeriod",
                  "fallback", "triggers", "advanced"}
        self.assertLessEqual(set(spec), fields)
        self.named("Deployment", spec["scaleTargetRef"]["name"])
        self.assertEqual(scaler.trigger["type"], "metrics-api")
        self.assertTrue(all(isinstance(value, str) for value in scaler.terms.values()))
        self.assertEqual(scaler.trigger["authenticationRef"]["name"], scaler.authentication["metadata"]["name"])
        host, namespace, port, path = re.fullmatch(
            r"http://([\w-]+)\.([\w-]+)\.svc:(\d+)(/[\w/]+)", scaler.terms["url"]).groups()
        self.assertEqual(self.named("Service", host)["spec"]["ports"][0]["port"], int(port))
        self.assertEqual(namespace, self.named("Namespace", "ink-farm")["metadata"]["name"])
        contract = json.loads((ROOT / "Sources/InkHTTP/Pages/openapi.json").read_text())
        self.assertEqual(contract["paths"][path]["get"]["x-role"], "read")
        self.assertIn(scaler.terms["valueLocation"], contract["components"]["schemas"]["Stats"]["required"])


class Scaler:
    """The autoscaler's objects, and what KEDA does by them."""

    def __init__(self, authentication, scaled):
        self.authentication, self.object = authentication, scaled
        self.trigger = scaled["spec"]["triggers"][0]
        self.terms = self.trigger["metadata"]

    @classmethod
    def read(cls):
        return cls(*documents(ROOT / "deploy/kubernetes/keda/scaled-object.yaml"))

    def ask(self, base, secret):
        """The value, from a broker that is at `base`, with the secret's files."""
        (target,) = self.authentication["spec"]["secretTargetRef"]
        assert (self.terms["authMode"], target["parameter"]) == ("bearer", "token")
        # As it is in the file: a header must not have an end of a line.
        token = secret[target["key"]].read_text()
        path = re.sub(r"^http://[^/]+", "", self.terms["url"])
        request = urllib.request.Request(base + path, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as response:
            value = json.load(response)
        for member in self.terms["valueLocation"].split("."):
            value = value[member]
        return value


@needs_binary
class Autoscaling(unittest.TestCase):
    """A broker with the settings of the StatefulSet and the keyring's keys, asked as KEDA, Prometheus and the kubelet ask."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        keys = keyring(self.root / "keys")
        kustomization = documents(BASE / "kustomization.yaml")[0]
        entry = next(entry for entry in kustomization["secretGenerator"] if entry["name"] == "metrics-token")
        self.secret = {name: self.root / path for name, _, path in (file.partition("=") for file in entry["files"])}
        stateful = next(d for d in documents(BASE / "broker.yaml") if d["kind"] == "StatefulSet")
        container = stateful["spec"]["template"]["spec"]["containers"][0]
        variables = {entry["name"]: entry["value"].replace("/keys/", f"{keys}/broker/")
                     for entry in container["env"] if "value" in entry}
        variables |= {"INK_WORKERS": "tcp://127.0.0.1:*", "INK_CLIENTS": "tcp://127.0.0.1:*", "INK_LOG": "text",
                      "INK_HTTP": re.sub(r":\d+$", ":0", variables["INK_HTTP"]), "INK_DATA": f"{self.root}/data",
                      "INK_QUOTA": "1G", "INK_SPILL": "1G"}
        self.log = open(self.root / "broker.log", "w+")
        self.addCleanup(self.log.close)
        self.broker = subprocess.Popen(
            [BINARY, *container["args"]], env=environment(**variables), stderr=self.log, stdout=self.log)
        self.addCleanup(self.stop)
        found = within(30, "the broker listens", lambda: re.search(
            r"http=http://[^:]+:(\d+)", (self.root / "broker.log").read_text()))
        self.base = f"http://127.0.0.1:{found.group(1)}"
        self.health = container["livenessProbe"]["httpGet"]["path"]

    def stop(self):
        # A drain would wait for a job that no worker renders.
        self.broker.kill()
        self.broker.wait()

    def status(self, path, token=None, body=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"Content-Type": "application/octet-stream"} if body else {}
        try:
            with urllib.request.urlopen(
                    urllib.request.Request(self.base + path, body, headers), timeout=30) as response:
                return response.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def test_what_waits_is_what_the_autoscaler_is_told(self):
        scaler = Scaler.read()
        self.assertEqual(scaler.ask(self.base, self.secret), 0)
        drawing = (ROOT / "examples/hey.ink").read_bytes()
        token = self.secret["token"].read_text()
        self.assertEqual(self.status("/v1/jobs?name=a.ink", token, drawing), 403)
        made = subprocess.run(
            [BINARY, "keygen", "anna", "--http", "--role", "submit", "-o", self.root / "keys/broker/http-tokens"],
            env=environment(), check=True, capture_output=True, text=True)
        self.assertEqual(self.status("/v1/jobs?name=a.ink", made.stdout.split()[-1], drawing), 401)
        client = self.root / "keys/client"
        address = re.search(r"clients=(\S+)", (self.root / "broker.log").read_text()).group(1)
        subprocess.run(
            [BINARY, "submit", ROOT / "examples/hey.ink", "--broker", address, "--key", client / "client.key",
             "--broker-key", client / "broker.pub"], env=environment(), check=True, capture_output=True,
            timeout=60)
        # No worker: the job is cut, and its tiles wait.
        self.assertGreater(within(30, "tiles wait", lambda: scaler.ask(self.base, self.secret)), 0)

    def test_figures_need_the_token_and_probes_do_not(self):
        token = self.secret["token"].read_text()
        self.assertEqual(self.status(self.health), 200)
        self.assertEqual(self.status("/metrics"), 401)
        self.assertEqual(self.status("/metrics", token), 200)


class Compose(unittest.TestCase):
    def setUp(self):
        self.file = documents(ROOT / "docker-compose.yml")[0]

    def test_every_service_keeps_the_terms(self):
        for name, service in self.file["services"].items():
            with self.subTest(name):
                self.assertTrue(service["read_only"])
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertIn("no-new-privileges:true", service["security_opt"])

    def test_a_service_sees_its_own_keys_alone(self):
        for name in ("broker", "worker", "client"):
            volumes = [v for v in self.file["services"][name]["volumes"] if isinstance(v, str) and "keys" in v]
            self.assertEqual(volumes, [f"keys-{name}:/keys:ro"])

    def test_ports_are_open_to_this_host_alone_unless_said(self):
        for port in self.file["services"]["broker"]["ports"]:
            self.assertRegex(port, r"^\$\{FARM_\w+:-127\.0\.0\.1\}:")

    def test_secrets_of_the_override_are_declared(self):
        override = documents(ROOT / "deploy/compose/secrets.yml")[0]
        names = {name: [s if isinstance(s, str) else s["source"] for s in service.get("secrets", [])]
                 for name, service in override["services"].items()}
        self.assertEqual({secret for used in names.values() for secret in used}, set(override["secrets"]))
        for name in ("worker", "client"):
            service = override["services"][name]
            named = set(re.findall(r"/run/secrets/([\w.]+)", str(service["environment"])))
            self.assertEqual(named, set(service["secrets"]))

    def test_secrets_of_the_override_are_files_of_the_keyring(self):
        override = documents(ROOT / "deploy/compose/secrets.yml")[0]
        for secret in override["secrets"].values():
            self.assertIn(secret["file"].removeprefix("${FARM_KEYS:-./keys}/"), FILES)


if __name__ == "__main__":
    unittest.main()
