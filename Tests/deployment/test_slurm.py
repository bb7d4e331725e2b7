"""The Slurm scripts with stand-ins for Slurm's own commands, on one host."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from support import BINARY, ROOT, STUBS, environment, needs_binary

SCRIPT = ROOT / "deploy/slurm/ink-farm.sbatch"
EXAMPLES = [ROOT / "examples" / name for name in ("hey.ink", "owl.ink")]


@needs_binary
class Farm(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        (self.root / "drawings").mkdir()
        (self.root / "scratch").mkdir()
        for example in EXAMPLES:
            (self.root / "drawings" / example.name).write_bytes(example.read_bytes())

    def start(self, *arguments):
        variables = environment(
            SLURM_JOB_ID=str(os.getpid()), SLURM_JOB_NUM_NODES="2", SLURM_JOB_NODELIST="localhost,localhost",
            SLURM_CPUS_PER_TASK="1", SLURM_SUBMIT_DIR=str(self.root), FARM_SCRATCH=str(self.root / "scratch"),
            FARM_INK=BINARY)
        variables["PATH"] = f"{STUBS}:{variables['PATH']}"
        farm = subprocess.Popen(
            ["bash", str(SCRIPT), *map(str, arguments)], env=variables, cwd=self.root, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

        def end():
            # Whatever the test made of it, nothing of it stays behind.
            try:
                os.killpg(farm.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            farm.wait()
            farm.stdout.close()

        self.addCleanup(end)
        return farm

    def assertNothingStays(self):
        names = [path.name for path in self.root.iterdir() if path.name.startswith(".ink-farm")]
        self.assertEqual(names + os.listdir(self.root / "scratch"), [])

    def pictures(self, folder):
        # A stopped export takes the folder away that it has made and put nothing into.
        return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}

    def test_pictures_are_those_of_one_process(self):
        farm = self.start(self.root / "drawings", self.root / "pictures", "--size", "600x600")
        output, _ = farm.communicate(timeout=180)
        self.assertEqual(farm.returncode, 0, output)
        alone = self.root / "alone"
        subprocess.run(
            [BINARY, "export", self.root / "drawings", "-o", alone, "--size", "600x600", "--quiet"], check=True,
            env=environment(), timeout=180)
        self.assertEqual(self.pictures(self.root / "pictures"), self.pictures(alone))
        self.assertEqual(len(self.pictures(alone)), len(EXAMPLES))
        self.assertNothingStays()

    def test_sigterm_leaves_whole_pictures_and_nothing_else(self):
        farm = self.start(self.root / "drawings", self.root / "pictures", "--size", "8k", "--effort", "small")
        # The export makes its folder when it has found its broker.
        end = time.monotonic() + 120
        while not (self.root / "pictures").exists() and farm.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(farm.pid, signal.SIGTERM)
        output, _ = farm.communicate(timeout=120)
        self.assertIn(farm.returncode, (0, 143), output)
        for name in self.pictures(self.root / "pictures"):
            self.assertRegex(name, r"^\w+-8k\.png$")
        self.assertNothingStays()

    def test_a_wrong_export_ends_the_farm_with_its_code(self):
        farm = self.start(self.root / "missing", self.root / "pictures")
        output, _ = farm.communicate(timeout=120)
        self.assertNotIn(farm.returncode, (0, 69), output)
        self.assertNothingStays()

    def test_without_folders_it_says_how(self):
        farm = self.start()
        output, _ = farm.communicate(timeout=30)
        self.assertEqual(farm.returncode, 64)
        self.assertIn("usage: sbatch", output)


if __name__ == "__main__":
    unittest.main()
