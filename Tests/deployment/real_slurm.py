"""The Slurm scripts under a real Slurm: a controller and four nodes on this machine, from the distribution's packages.

    python3 -m unittest discover -v -s Tests/deployment -p real_slurm.py

The packages are unpacked into .build and not installed. Keys, sockets, ports and state are the test's own, and
everything runs as the caller: a Slurm of this machine is not touched, and no root is needed. Processes of jobs are found
by their parents (proctrack/linuxproc), so no cgroups either.
"""

import atexit
import glob
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from support import BINARY, ROOT, environment, keyring, needs_binary, unpacked, within

# A farm has three of them.
NODES = ["n1", "n2", "n3", "n4"]
DRAWINGS = ["hey", "owl", "hills", "street"]
# Long enough for what happens to it in between.
LONG = ["--size", "6000", "--effort", "small"]
SHORT = ["--size", "900x900"]


def descendants(pid):
    """The processes below `pid`, nearest first."""
    children = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = pathlib.Path(stat).read_text()
        except OSError:
            continue
        children.setdefault(int(text.rpartition(")")[2].split()[1]), []).append(int(text.split()[0]))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found[1:]


class Cluster:
    """munged, slurmctld and a slurmd for each node."""

    def __init__(self):
        root = unpacked("slurm", "munge", "slurmctld", "slurmd", "slurm-client")
        # Short: a socket's path may have 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ink-slurm-", dir="/tmp"))
        self.processes = {}
        libraries = glob.glob(f"{root}/usr/lib/*/slurm-wlm")[0]
        self.root = root
        self.variables = environment(
            PATH=f"{root}/usr/bin:{root}/usr/sbin:{os.environ['PATH']}", SLURM_CONF=f"{self.folder}/slurm.conf",
            LD_LIBRARY_PATH=f"{os.path.dirname(libraries)}:{libraries}", HOME=str(self.folder), FARM_INK=BINARY)
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        ports = self.free_ports(1 + len(NODES))
        (self.folder / "munge.key").touch(mode=0o600)
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        for name in ("state", *NODES):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(f"""\
ClusterName=ink
SlurmctldHost={socket.gethostname()}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
# Jobs say themselves that they may be requeued.
JobRequeue=0
# A requeued job waits until its old credentials have ended, two minutes if nothing is said.
AuthInfo=socket={self.folder}/munge,cred_expire=5
PluginDir={libraries}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/%n
SlurmctldPidFile={self.folder}/slurmctld.pid
SlurmdPidFile={self.folder}/%n.pid
SlurmctldLogFile={self.folder}/slurmctld.log
SlurmdLogFile={self.folder}/%n.log
SlurmdTimeout=6
ReturnToService=2
SchedulerParameters=sched_min_interval=0,sched_interval=2,bf_interval=2,batch_sched_delay=0
NodeName=n[1-{len(NODES)}] NodeAddr=127.0.0.1 Port=[{ports[1]}-{ports[-1]}] CPUs=4 RealMemory=64000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
        try:
            self.start("munged", "-F", "--force", f"--key-file={self.folder}/munge.key", f"--socket={self.folder}/munge",
                       f"--pid-file={self.folder}/munge.pid", f"--log-file={self.folder}/munge.log",
                       f"--seed-file={self.folder}/munge.seed")
            within(20, "munged is there", lambda: (self.folder / "munge").exists())
            self.start("slurmctld", "-D", "-c")
            for node in NODES:
                self.start_node(node)
            within(60, "all nodes are idle", self.idle)
        except BaseException:
            self.end()
            raise

    @staticmethod
    def free_ports(count):
        """The first of `count` ports in a row that nobody listens on."""
        while True:
            first = random.SystemRandom().randrange(10000, 20000)
            probes = [socket.socket() for _ in range(count)]
            try:
                for index, probe in enumerate(probes):
                    probe.bind(("127.0.0.1", first + index))
                return list(range(first, first + count))
            except OSError:
                continue
            finally:
                for probe in probes:
                    probe.close()

    def start(self, program, *arguments, name=None):
        # Debian's slurmd and slurmctld have names that alternatives refer to.
        path = next(path for path in (f"{self.root}/usr/sbin/{program}-wlm", f"{self.root}/usr/sbin/{program}")
                    if os.path.exists(path))
        with open(self.folder / "daemons.log", "ab") as log:
            self.processes[name or program] = subprocess.Popen(
                [path, *arguments], env=self.variables, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start_node(self, node):
        stepd = glob.glob(f"{self.root}/usr/sbin/slurmstepd*")[0]
        self.start("slurmd", "-D", "-N", node, "-d", stepd, name=node)

    def kill_node(self, node):
        """As if its power were cut."""
        daemon = self.processes[node]
        # A stepd leaves its slurmd and is found by what it is told: a socket named after node and step.
        killed = [daemon.pid]
        for sock in glob.glob(f"{self.folder}/{node}/{node}_*"):
            listing = subprocess.run(["ss", "-Hxlp"], capture_output=True, text=True, check=True).stdout
            for line in listing.splitlines():
                if sock in line:
                    pid = int(re.search(r"pid=(\d+)", line)[1])
                    killed += [pid, *descendants(pid)]
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        daemon.wait()
        return len(killed) - 1

    def run(self, *command, check=True, **variables):
        done = subprocess.run(
            [str(word) for word in command], env=self.variables | variables, cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120)
        if check and done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}")
        return done.stdout

    def idle(self):
        return self.run("sinfo", "-h", "-o", "%T %D", check=False).strip() == f"idle {len(NODES)}"

    def job(self, number):
        """The fields of `scontrol show job`; of an array, those of the last of its jobs that it prints."""
        return dict(re.findall(r"(\w+)=(\S*)", self.run("scontrol", "show", "job", number)))

    def state(self, number):
        return self.job(number)["JobState"]

    def ended(self, number, seconds=180):
        return within(seconds, f"job {number} ends", lambda: self.state(number) not in (
            "PENDING", "CONFIGURING", "RUNNING", "COMPLETING") and self.state(number))

    def end(self):
        for process in reversed(self.processes.values()):
            below = descendants(process.pid)
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for pid in below:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        shutil.rmtree(self.folder, ignore_errors=True)


cluster = None


def setUpModule():
    global cluster

    def interrupted(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupted)
    cluster = Cluster()
    # An interrupted run does not come to tearDownModule.
    atexit.register(cluster.end)


def tearDownModule():
    if cluster:
        atexit.unregister(cluster.end)
        cluster.end()


def pictures(folder):
    # A stopped export removes the folder that it made if it has written nothing; a killed one leaves hidden files.
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


class OnSlurm(unittest.TestCase):
    alone_pictures = {}

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=self._testMethodName + "-", dir=cluster.folder))
        self.addCleanup(self.settle)
        (self.root / "drawings").mkdir()
        (self.root / "scratch").mkdir()
        for name in DRAWINGS:
            shutil.copy(ROOT / f"examples/{name}.ink", self.root / "drawings")

    def settle(self):
        """Nothing of a test reaches into the next one."""
        cluster.run("scancel", "--full", "--state=RUNNING", check=False)
        cluster.run("scancel", "--state=PENDING", check=False)
        within(90, "all nodes are idle", cluster.idle)

    def alone(self, options):
        """The pictures that one process gives."""
        if tuple(options) not in self.alone_pictures:
            subprocess.run(
                [BINARY, "export", self.root / "drawings", "-o", self.root / "alone", "--quiet", *options], check=True,
                env=environment(), timeout=300)
            self.alone_pictures[tuple(options)] = pictures(self.root / "alone")
            self.assertEqual(len(self.alone_pictures[tuple(options)]), len(DRAWINGS))
        return self.alone_pictures[tuple(options)]

    def submit(self, *arguments, **variables):
        out = cluster.run(
            "sbatch", "--parsable", f"--chdir={self.root}", f"--output={self.root}/%x-%A_%a.log", "--cpus-per-task=1",
            "--mem-per-cpu=100M", *arguments, **variables)
        return out.strip().splitlines()[-1]

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text()}" for path in sorted(self.root.glob("*.log")))


@needs_binary
class Shards(OnSlurm):
    """ink-shards.sbatch"""

    def export(self, *options, array="0-7"):
        return self.submit(
            f"--array={array}", ROOT / "deploy/slurm/ink-shards.sbatch", "drawings", "pictures", *options,
            SHARDS_INK=BINARY, SHARDS_REPORTS=str(self.root / "parts"))

    def left(self, job):
        return cluster.run("squeue", "-h", "-j", job, "-o", "%i %T", check=False).strip()

    def merged(self):
        return subprocess.run(
            [BINARY, "report", "merge", *sorted((self.root / "parts").glob("*.json")), "-o", self.root / "report.json"],
            env=environment(), capture_output=True, text=True, check=False, timeout=60)

    def test_two_parts_are_killed_and_start_again(self):
        expected = self.alone(LONG)
        job = self.export(*LONG)
        killed = set()

        def two_are_killed():
            found = subprocess.run(
                ["pgrep", "-f", f"^{BINARY} export .*{self.root}/parts/"], capture_output=True, text=True, check=False)
            for pid in map(int, found.stdout.split()):
                # One that is drawing: parts without drawings end at once.
                if len(killed) < 2 and pid not in killed and list((self.root / "pictures").glob(".*")):
                    os.kill(pid, signal.SIGKILL)
                    killed.add(pid)
            return len(killed) == 2

        within(120, "two parts are killed", two_are_killed)
        within(240, "the array ends", lambda: not self.left(job))
        merged = self.merged()
        self.assertEqual(merged.returncode, 0, merged.stderr + self.logs())
        self.assertEqual(json.loads((self.root / "report.json").read_text())["shards"], {"count": 8, "missing": []})
        self.assertIn("requeueing", self.logs())
        self.assertEqual(pictures(self.root / "pictures"), expected)

    def test_a_part_that_can_only_fail_is_not_tried_again(self):
        (self.root / "drawings/bad.ink").write_text("no drawing")
        job = self.export(*SHORT)
        within(120, "the array ends", lambda: not self.left(job))
        self.assertEqual(self.merged().returncode, 65, self.logs())
        self.assertNotIn("requeueing", self.logs())
        self.assertEqual(len(pictures(self.root / "pictures")), len(DRAWINGS))

    def test_an_array_that_is_not_all_of_the_run_is_refused(self):
        job = self.export(*SHORT, array="3,5")
        within(60, "the array ends", lambda: not self.left(job))
        self.assertIn("INK_SHARDS", self.logs())
        self.assertFalse((self.root / "pictures").exists())


@needs_binary
class Farm(OnSlurm):
    """ink-farm.sbatch"""

    def farm(self, options, **variables):
        return self.submit(
            "--nodes=3", ROOT / "deploy/slurm/ink-farm.sbatch", "drawings", "pictures", *options,
            FARM_SHARED=str(self.root), FARM_SCRATCH=str(self.root / "scratch"), **variables)

    def rendering(self):
        """A picture is written, others are not."""
        return 0 < len([name for name in pictures(self.root / "pictures") if name.endswith(".png")]) < len(DRAWINGS)

    def assertNothingStays(self):
        within(20, "the job's folders are gone", lambda: not (
            list(self.root.glob(".ink-farm*")) + os.listdir(self.root / "scratch")))
        within(20, "the job's processes are gone", lambda: subprocess.run(
            ["pgrep", "-f", str(self.root)], stdout=subprocess.DEVNULL, check=False).returncode == 1)

    def test_a_farm_for_one_export(self):
        job = self.farm(SHORT)
        self.assertEqual(cluster.ended(job), "COMPLETED", self.logs())
        self.assertEqual(pictures(self.root / "pictures"), self.alone(SHORT))
        self.assertEqual(len(set(re.findall(r"worker\.joined.*", self.logs()))), 3, self.logs())
        self.assertNothingStays()

    def test_a_wrong_export_ends_with_its_code(self):
        job = self.farm(["--size", "none"])
        self.assertEqual(cluster.ended(job), "FAILED", self.logs())
        self.assertEqual(cluster.job(job)["ExitCode"], "64:0", self.logs())
        self.assertNothingStays()

    def test_a_node_dies_and_the_export_goes_on(self):
        expected = self.alone(LONG)
        # At its end srun waits for a node that is gone, until it is killed.
        job = self.farm(LONG, FARM_GRACE="3")
        within(120, "the farm renders", self.rendering)
        self.addCleanup(cluster.start_node, "n3")
        self.assertGreaterEqual(cluster.kill_node("n3"), 2, "a stepd and a worker")
        self.assertEqual(cluster.ended(job), "COMPLETED", self.logs())
        self.assertEqual(pictures(self.root / "pictures"), expected)
        self.assertNothingStays()

    def test_the_first_node_dies_and_the_job_starts_again(self):
        expected = self.alone(LONG)
        job = self.farm(LONG, FARM_PATIENCE="4")
        within(120, "the farm renders", self.rendering)
        self.addCleanup(cluster.start_node, "n1")
        cluster.kill_node("n1")
        # Slurm itself would keep it until its time limit.
        within(120, "the job is requeued", lambda: cluster.job(job)["Restarts"] == "1")
        self.assertEqual(cluster.ended(job), "COMPLETED", self.logs())
        self.assertEqual(pictures(self.root / "pictures"), expected)
        self.assertNothingStays()

    def test_the_broker_is_killed_and_the_job_starts_again(self):
        expected = self.alone(LONG)
        job = self.farm(LONG, FARM_PATIENCE="4")
        within(120, "the farm renders", self.rendering)
        subprocess.run(["pkill", "-KILL", "-f", f"broker --name slurm-{job} .*{self.root}"], check=True)
        within(60, "the job is requeued", lambda: cluster.job(job)["Restarts"] == "1")
        self.assertEqual(cluster.ended(job), "COMPLETED", self.logs())
        self.assertEqual(pictures(self.root / "pictures"), expected)
        self.assertNothingStays()

    def test_a_requeued_job_renders_what_is_missing(self):
        expected = self.alone(LONG)
        job = self.farm(LONG)
        within(120, "the farm renders", self.rendering)
        cluster.run("scontrol", "requeue", job)
        within(60, "the job waits again", lambda: cluster.state(job) == "PENDING")
        before = {path.name: path.stat().st_mtime_ns for path in (self.root / "pictures").glob("*.png")}
        self.assertNothingStays()
        self.assertEqual(cluster.ended(job), "COMPLETED", self.logs())
        self.assertEqual(cluster.job(job)["Restarts"], "1")
        self.assertEqual(pictures(self.root / "pictures"), expected)
        self.assertTrue(before)
        for name, written in before.items():
            self.assertEqual((self.root / "pictures" / name).stat().st_mtime_ns, written, f"{name} was written again")
        self.assertNothingStays()

    def test_before_its_time_limit_the_export_stops_between_pictures(self):
        expected = self.alone(LONG)
        job = self.farm(LONG)
        within(120, "the farm renders", self.rendering)
        # What --signal=B:TERM@60 sends.
        cluster.run("scancel", "--batch", "--signal=TERM", job)
        self.assertEqual(cluster.ended(job), "FAILED", self.logs())
        self.assertEqual(cluster.job(job)["ExitCode"], "143:0", self.logs())
        for name, picture in pictures(self.root / "pictures").items():
            self.assertEqual(picture, expected[name], name)
        self.assertNothingStays()

    def test_a_cancelled_farm_leaves_nothing(self):
        job = self.farm(LONG)
        within(120, "the farm renders", self.rendering)
        began = time.monotonic()
        cluster.run("scancel", job)
        self.assertEqual(cluster.ended(job), "CANCELLED")
        within(60, "all nodes are idle", cluster.idle)
        self.assertLess(time.monotonic() - began, 25, "Slurm has killed it")
        self.assertNothingStays()


@needs_binary
class Workers(OnSlurm):
    """ink-workers.sbatch"""

    def setUp(self):
        super().setUp()
        keys = keyring(self.root / "keys")
        port = Cluster.free_ports(2)[0]
        self.workers, clients = f"tcp://127.0.0.1:{port}", f"tcp://127.0.0.1:{port + 1}"
        self.client = ["--broker", clients, "--key", keys / "client/client.key", "--broker-key", keys / "client/broker.pub"]
        self.keys = [keys / "worker/worker.key", keys / "worker/broker.pub"]
        with open(self.root / "broker.log", "wb") as log:
            broker = subprocess.Popen(
                [BINARY, "broker", "--workers", self.workers, "--clients", clients, "--data", self.root / "data",
                 "--key", keys / "broker/broker.key", "--allow-workers", keys / "broker/workers", "--allow-clients",
                 keys / "broker/clients"], env=environment(), stdout=log, stderr=log)

        def end():
            broker.kill()
            broker.wait()

        self.addCleanup(end)
        # Before the broker ends.
        self.addCleanup(self.settle)
        self.array = self.submit(
            "--array=1-3", ROOT / "deploy/slurm/ink-workers.sbatch", self.workers, *self.keys)
        self.names = [f"slurm-{self.array}-{index}" for index in (1, 2, 3)]
        self.joined(self.names)

    def status(self):
        out = subprocess.run(
            [BINARY, "status", "--json", "--timeout", "5", *self.client], env=environment(), capture_output=True,
            text=True, check=False)
        return json.loads(out.stdout) if out.returncode == 0 else {"workers": []}

    def joined(self, names):
        within(60, f"the workers are {names}", lambda: sorted(
            worker["name"] for worker in self.status()["workers"]) == sorted(names))

    def process(self, name):
        """The worker of this name."""
        for line in subprocess.run(["pgrep", "-a", "-x", "ink"], capture_output=True, text=True, check=True).stdout.splitlines():
            if line.endswith(f"--name {name}"):
                return int(line.split()[0])
        raise AssertionError(f"{name} does not run")

    def export(self, options):
        export = subprocess.Popen(
            [BINARY, "export", self.root / "drawings", "-o", self.root / "pictures", "--quiet", *options, *self.client],
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

        def end():
            export.kill()
            export.communicate()

        self.addCleanup(end)
        within(120, "a picture is written", lambda: list((self.root / "pictures").glob("*.png")))
        return export

    def finish(self, export, expected):
        output, _ = export.communicate(timeout=240)
        self.assertEqual(export.returncode, 0, output + self.logs())
        self.assertEqual(pictures(self.root / "pictures"), expected)

    def test_a_worker_is_killed_and_others_render_its_tiles(self):
        expected = self.alone(LONG)
        export = self.export(LONG)
        os.kill(self.process(self.names[1]), signal.SIGKILL)
        self.joined([self.names[0], self.names[2]])
        self.assertIsNone(export.poll(), "it had ended before")
        self.finish(export, expected)
        self.assertEqual(cluster.ended(f"{self.array}_2"), "FAILED")
        self.assertEqual(cluster.job(f"{self.array}_2")["ExitCode"], "0:9")

    def test_a_requeued_worker_drains_and_joins_again(self):
        expected = self.alone(LONG)
        export = self.export(LONG)
        cluster.run("scontrol", "requeue", f"{self.array}_3")
        self.joined(self.names[:2])
        self.joined(self.names)
        self.assertEqual(cluster.job(f"{self.array}_3")["Restarts"], "1")
        self.finish(export, expected)
        self.assertEqual(self.status()["jobs"].get("failed", 0), 0)

    def test_a_cancelled_array_leaves_the_broker(self):
        began = time.monotonic()
        cluster.run("scancel", self.array)
        self.joined([])
        within(60, "all nodes are idle", cluster.idle)
        self.assertLess(time.monotonic() - began, 15)


if __name__ == "__main__":
    unittest.main()
