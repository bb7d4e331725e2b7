"""The HTTP API of `ink broker --http` is what its OpenAPI document says: schemathesis calls every operation with what the
document allows and with what it does not.

SCHEMATHESIS_EXAMPLES  how many requests for each operation (10)
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import support
from farms import Farm

TOOL = pathlib.Path(sys.executable).parent / "schemathesis"
EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "10")
# Streams do not end; test_dashboard.py follows them.
STREAMS = "events$"


@unittest.skipUnless(TOOL.exists(), "no schemathesis")
@unittest.skipUnless(pathlib.Path(support.BINARY).exists() or shutil.which(support.BINARY), "no ink")
class ContractTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.farm = Farm(workers=1)
        cls.addClassCleanup(cls.farm.close)
        drawing = support.ROOT / "examples/hey.ink"
        cls.job = cls.farm.submit(drawing, size="200x200")[0]
        cls.farm.wait(cls.job["id"], "finished")

    def check(self, *options, settings=""):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "schemathesis.toml"
            path.write_text(settings)
            command = [
                TOOL, "--config-file", path, "run", f"{self.farm.base}/openapi.json", "--url", self.farm.base,
                "--max-examples", EXAMPLES, "--exclude-path-regex", STREAMS, "--checks", "all",
                "--suppress-health-check", "all", "--request-timeout", "60", "--no-color", "--seed", "36", *options]
            result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                                    cwd=folder)
        text = result.stdout[result.stdout.find("= FAILURES") - 20:] if "= FAILURES" in result.stdout else result.stdout
        self.assertEqual(result.returncode, 0, f"{' '.join(map(str, command))}\n{text[:8000]}\n{result.stderr[-2000:]}")
        cases = re.search(r"(\d+) generated", result.stdout)
        self.assertGreater(int(cases.group(1)) if cases else 0, 20, result.stdout)

    def test_batches_come_newest_first_and_each_once(self):
        farm = Farm(workers=0)
        self.addCleanup(farm.close)
        drawing = support.ROOT / "examples/hey.ink"
        made = [farm.submit(drawing, size=size) for size in ("32x32", "40x40,48x48", "56x56")]
        listed, cursor = [], ""
        while cursor is not None:
            page = farm.ask(f"/v1/batches?limit=2{cursor and f'&cursor={cursor}'}")
            self.assertLessEqual(len(page["batches"]), 2)
            listed += page["batches"]
            cursor = page["next"]
        self.assertEqual([batch["id"] for batch in listed], [jobs[0]["batch"] for jobs in reversed(made)])
        self.assertEqual([batch["jobs"] for batch in listed], [1, 2, 1])
        states = ("queued", "running", "paused", "finished", "failed", "cancelled")
        for batch in listed:
            self.assertEqual(sum(batch[state] for state in states), batch["jobs"])

    def test_every_operation_does_what_the_document_says(self):
        # Whether a document can be read is not something that a schema says.
        self.check("--exclude-operation-id", "submit", "--phases", "examples,coverage,fuzzing")

    def test_submissions_of_all_kinds_are_answered(self):
        self.check("--include-operation-id", "submit", "--exclude-checks", "positive_data_acceptance",
                   "--phases", "examples,coverage,fuzzing")

    def test_with_a_job_that_there_is(self):
        settings = (f'[parameters]\n"path.job" = {self.job["id"]}\n"path.batch" = "{self.job["batch"]}"\n')
        self.check("--exclude-operation-id", "submit", "--exclude-operation-id", "purgeJob", "--phases", "fuzzing",
                   settings=settings)


if __name__ == "__main__":
    unittest.main()
