"""What the tools cannot see: names that one file gives and another one uses; the terms that every container keeps."""

import importlib.util
import pathlib
import re
import unittest

import yaml

from support import ROOT
from test_keyring import FILES

BASE = ROOT / "deploy/kubernetes/base"


def documents(*paths):
    return [document for path in paths for document in yaml.safe_load_all(pathlib.Path(path).read_text())]


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.farm = documents(*(BASE / f"{name}.yaml" for name in ("namespace", "network-policy", "broker", "worker")))
        self.job = documents(ROOT / "deploy/kubernetes/examples/export-job.yaml")[0]
        self.kustomization = documents(BASE / "kustomization.yaml")[0]

    def named(self, kind, name):
        return next(d for d in self.farm if (d["kind"], d["metadata"]["name"]) == (kind, name))

    def pods(self):
        kinds = ("StatefulSet", "Deployment", "Job")
        return [d["spec"]["template"] for d in self.farm + [self.job] if d["kind"] in kinds]

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
        self.assertEqual(used, made)

    def test_keys_are_those_that_the_keyring_makes(self):
        named = {path for kind in ("secretGenerator", "configMapGenerator") for entry in self.kustomization[kind]
                 for path in entry["files"] if path.startswith("keys/")}
        self.assertEqual(named, {f"keys/{path}" for path in FILES})

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

    def test_the_autoscaler_reads_what_is_served(self):
        scaled = documents(ROOT / "deploy/kubernetes/keda/scaled-object.yaml")[0]
        self.assertEqual((scaled["apiVersion"], scaled["kind"]), ("keda.sh/v1alpha1", "ScaledObject"))
        spec = scaled["spec"]
        fields = {"scaleTargetRef", "minReplicaCount", "maxReplicaCount", "pollingInterval", "cooldownPeriod",
                  "fallback", "triggers", "advanced"}
        self.assertLessEqual(set(spec), fields)
        self.named("Deployment", spec["scaleTargetRef"]["name"])
        trigger = spec["triggers"][0]
        self.assertEqual(trigger["type"], "metrics-api")
        terms = trigger["metadata"]
        self.assertTrue(all(isinstance(value, str) for value in terms.values()))
        host, namespace, port, path = re.fullmatch(r"http://([\w-]+)\.([\w-]+)\.svc:(\d+)(/\w+)", terms["url"]).groups()
        self.assertEqual(self.named("Service", host)["spec"]["ports"][0]["port"], int(port))
        self.assertEqual(namespace, self.named("Namespace", "ink-farm")["metadata"]["name"])
        source = importlib.util.spec_from_file_location("queue_metrics", BASE / "queue-metrics.py")
        metrics = importlib.util.module_from_spec(source)
        source.loader.exec_module(metrics)
        self.assertEqual(path, "/queue")
        self.assertIn(terms["valueLocation"], metrics.queue({}))


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
