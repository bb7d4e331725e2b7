"""What the tests of deploy/ share. They need Python, PyYAML, and `ink` at .build/release/ink or where INK_BINARY says."""

import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("INK_BINARY") or str(ROOT / ".build/release/ink")
STUBS = ROOT / "Tests/deployment/stubs"


@functools.cache
def has_binary():
    if not os.access(BINARY, os.X_OK):
        return False
    return subprocess.run([BINARY, "help", "broker"], capture_output=True, check=False).returncode == 0


needs_binary = unittest.skipUnless(has_binary(), f"{BINARY} is missing or has no broker: make build")


def environment(**variables):
    """That of a service: nothing but what it is given, and `ink` in the path."""
    folder = pathlib.Path(tempfile.gettempdir())
    return {"PATH": f"{program_folder()}:{os.environ['PATH']}", "TMPDIR": str(folder)} | variables


@functools.cache
def program_folder():
    """A folder with `ink` and the scripts of the image, as they are called there."""
    folder = tempfile.mkdtemp(prefix="ink-deployment-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.symlink(BINARY, f"{folder}/ink")
    for script in (ROOT / "deploy/bin").iterdir():
        os.symlink(script, f"{folder}/{script.name}")
    return folder


def keyring(folder):
    """The keys of a farm, as every deployment makes them."""
    subprocess.run(["ink-keyring", str(folder)], env=environment(), check=True, capture_output=True, timeout=60)
    return pathlib.Path(folder)
