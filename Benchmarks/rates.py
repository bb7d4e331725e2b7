"""What the benchmarks share: figures as lines of text, as JSON with the machine that gave them, and as tables."""
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
RESULTS = ROOT / "out/bench"


def run(command, **options):
    """The standard output of a command; its standard error passes through unless `options` say otherwise."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}")
    return done.stdout


def collect(text):
    """Lines of a name, a unit and a value, as name: unit and values in order."""
    found = {}
    for line in text.splitlines():
        name, unit, value = line.split()
        found.setdefault(name, (unit, []))[1].append(float(value))
    return found


def summary(found):
    """Medians, minima and runs for what `collect` returns."""
    return {name: {"unit": unit, "median": statistics.median(values), "minimum": min(values), "runs": values}
            for name, (unit, values) in found.items()}


def machine():
    """What the figures are about."""
    model = platform.machine()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {
        "processor": model, "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(), "load": round(os.getloadavg()[0], 2)}


def compiler():
    return run(["swift", "--version"], stderr=subprocess.DEVNULL).splitlines()[0]


def warn_of_load(about):
    """Says so when others use the machine."""
    if about["load"] > 0.5 * about["cores"]:
        print(f"The machine is in use (load {about['load']} on {about['cores']} cores): these are no figures to quote.",
              file=sys.stderr)


def write(path, document):
    """Writes a JSON document with the time; its folder is made."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    stamped = {"time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")} | document
    path.write_text(json.dumps(stamped, indent=1) + "\n")


def build(product, package=HERE):
    """Builds a product of the benchmarks' package; the folder of what was built."""
    command = ["swift", "build", "-c", "release", "--package-path", str(package)]
    built = subprocess.run([*command, "--product", product], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if built.returncode != 0:
        raise SystemExit(f"{product} of {package} cannot be built:\n{built.stdout[-3000:]}")
    return pathlib.Path(run([*command, "--show-bin-path"], stderr=subprocess.DEVNULL).strip())


def number(value):
    """A figure with three digits or more."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(head, rows):
    """A table in Markdown; the first column is text."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
