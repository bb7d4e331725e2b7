"""What the tests of deploy/ share. They need Python, PyYAML, and `ink` at .build/release/ink or where INK_BINARY says."""

import atexit
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
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


def unpacked(name, *packages):
    """A folder with the distribution's packages and what they need, unpacked once and not installed."""
    work = ROOT / f".build/unpacked/{name}"
    if (work / "complete").exists():
        return work / "root"
    if not shutil.which("apt-get"):
        raise unittest.SkipTest(f"no apt-get, which fetches {name}")
    shutil.rmtree(work, ignore_errors=True)
    for folder in ("packages", "lists/partial"):
        (work / folder).mkdir(parents=True)

    def apt(options, *arguments):
        # Without root apt cannot lock or refresh the machine's own lists.
        return subprocess.run(
            ["apt-get", "-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=", *options, *arguments],
            cwd=work / "packages", capture_output=True, text=True, check=True).stdout

    def fetch(options):
        simulated = apt(options, "install", "--simulate", "--no-install-recommends", *packages)
        apt(options, "download", "-q", *sorted({*packages, *re.findall(r"^Inst (\S+)", simulated, re.M)}))

    try:
        try:
            fetch([])
        except subprocess.CalledProcessError:
            own = ["-o", f"Dir::State::lists={work}/lists", "-o", f"Dir::Cache={work}"]
            apt(own, "update", "-q")
            fetch(own)
    except subprocess.CalledProcessError as error:
        raise unittest.SkipTest(f"apt cannot fetch {name}: {error.stderr.strip()[-200:]}") from error
    for package in (work / "packages").glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, work / "root"], check=True)
    (work / "complete").touch()
    return work / "root"


def within(seconds, what, condition):
    """What `condition` returns as soon as that is true."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)
