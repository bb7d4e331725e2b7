"""The memory that the shipped units give a broker, and the largest document that it takes by default."""

import re
import unittest

import yaml

from support import ROOT

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def size(text):
    number, unit = re.fullmatch(r"(\d+)([KMG])i?B?", text).groups()
    return int(number) * UNITS[unit]


class MemoryOfBrokers(unittest.TestCase):
    def test_the_largest_document_is_a_quarter_of_each_limit(self):
        settings = (ROOT / "docs/running-a-farm.md").read_text()
        document = size(re.search(r"--http-document-size SIZE` \| `\w+` \| `[\w-]+` \| (\w+) \|", settings).group(1))
        unit = (ROOT / "deploy/systemd/ink-broker.service").read_text()
        compose = (ROOT / "docker-compose.yml").read_text()
        limits = {
            "systemd": re.search(r"^MemoryMax=(\w+)$", unit, re.MULTILINE).group(1),
            "compose": re.search(r"FARM_BROKER_MEMORY:-(\w+)\}", compose).group(1),
        }
        for manifest in yaml.safe_load_all((ROOT / "deploy/kubernetes/base/broker.yaml").read_text()):
            if manifest["kind"] == "StatefulSet":
                for container in manifest["spec"]["template"]["spec"]["containers"]:
                    limits[container["name"]] = container["resources"]["limits"]["memory"]
        self.assertEqual(len(limits), 3)
        for name, limit in limits.items():
            with self.subTest(name):
                self.assertGreaterEqual(size(limit), 4 * document)


if __name__ == "__main__":
    unittest.main()
