"""deploy/bin/ink-keyring: what it makes, and that it can be stopped and run again."""

import hashlib
import pathlib
import subprocess
import tempfile
import unittest

from support import environment, keyring, needs_binary, program_folder

FILES = {
    "broker/broker.key", "broker/broker.pub", "broker/health.key", "broker/clients/client.pub",
    "broker/clients/health.pub", "broker/workers/worker.pub", "worker/worker.key", "worker/broker.pub",
    "client/client.key", "client/broker.pub", "broker/http-tokens", "broker/metrics.token",
}


@needs_binary
class Keyring(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def files(self):
        return {
            str(path.relative_to(self.root)): path.read_bytes() for path in self.root.rglob("*") if path.is_file()
        }

    def test_everyone_has_what_he_needs_and_no_more(self):
        keyring(self.root)
        self.assertEqual(set(self.files()), FILES)
        for path in [*self.root.rglob("*.key"), self.root / "broker/metrics.token"]:
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_the_token_is_one_that_may_read(self):
        keyring(self.root)
        name, role, digest = (self.root / "broker/http-tokens").read_text().split()
        token = (self.root / "broker/metrics.token").read_bytes()
        self.assertEqual((name, role, digest), ("metrics", "read", hashlib.sha256(token).hexdigest()))

    def test_tokens_of_others_stay_when_it_is_made_anew(self):
        keyring(self.root)
        subprocess.run(
            ["ink", "keygen", "anna", "--http", "--role", "submit", "-o", self.root / "broker/http-tokens"],
            env=environment(), check=True, capture_output=True)
        before = (self.root / "broker/http-tokens").read_text().splitlines()
        (self.root / "broker/metrics.token").unlink()
        keyring(self.root)
        after = (self.root / "broker/http-tokens").read_text().splitlines()
        self.assertEqual(len(after), 2)
        self.assertEqual(set(after) & set(before), {line for line in before if line.startswith("anna ")})

    def test_keys_that_are_there_stay(self):
        keyring(self.root)
        before = self.files()
        keyring(self.root)
        self.assertEqual(self.files(), before)

    def test_a_run_that_was_stopped_is_finished_by_the_next(self):
        """Stopped at the n-th key by a program that fails, for every n."""
        for count in range(5):
            with self.subTest(count), tempfile.TemporaryDirectory() as tools:
                broken = pathlib.Path(tools) / "ink"
                broken.write_text(
                    f'#!/bin/sh\necho >>"{tools}/calls"\n'
                    f'[ "$(wc -l <"{tools}/calls")" -le {count} ] || exit 74\nexec "{program_folder()}/ink" "$@"\n')
                broken.chmod(0o755)
                variables = environment()
                variables["PATH"] = f"{tools}:{variables['PATH']}"
                root = self.root / str(count)
                run = subprocess.run(
                    [f"{program_folder()}/ink-keyring", root], env=variables, capture_output=True, check=False)
                self.assertNotEqual(run.returncode, 0)
                keyring(root)
                made = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
                self.assertEqual(made, FILES)
                same = [root / part / "broker.pub" for part in ("broker", "worker", "client")]
                self.assertEqual(len({path.read_bytes() for path in same}), 1)


if __name__ == "__main__":
    unittest.main()
