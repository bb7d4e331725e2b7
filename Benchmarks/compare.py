#!/usr/bin/env python3
"""Tells whether the working tree is slower than another revision, or than kept counts of instructions.

    Benchmarks/compare.py [--base REV] [--pairs 12] [--only exports,kernels,instructions]
    Benchmarks/compare.py --baseline Benchmarks/baselines/x86_64.json
    Benchmarks/compare.py --write-baseline Benchmarks/baselines/x86_64.json
    Benchmarks/compare.py --self-test

exports       whole exports of the benchmark scenes at 2K with two workers: wall time and processor time
kernels       the engine's parts in one thread: processor time
instructions  the engine's parts: instructions, counted by perf where the machine has counters, else by callgrind

REV (main) is built in .build/compare, with the benchmarks of the working tree. Times are measured in pairs, one run of
each build right after the other, in turns which first. A part is slower when the interval in which the median ratio of
the pairs lies with 99% confidence (that of the sign test) is above 1 by more than 2%, or when it takes 1% more
instructions and no less time. `unclear` means that the pairs scatter too much to say that nothing has changed.

Exit code 1 when a part is slower, 2 when nothing could be compared.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

import measure
import rates

PARTS = ["exports", "kernels", "instructions"]
CONFIDENCE = 0.99
# Fewer pairs cannot reach it.
PAIRS_MIN = 8
# Differences of ratios to 1 below which times, and instructions, are taken to be the same.
TIME_TOLERANCE = 0.02
INSTRUCTION_TOLERANCE = 0.01
# An interval may be this wide about 1 for the times to be called the same.
SAME_WITHIN = 0.05
# What is compared of EngineRates, for scene S.
KERNELS = [
    "prepare/S", "strokes/S/2k", "stamp/", "composite/stack", "composite/normal", "composite/multiply",
    "composite/softLight", "composite/hue", "png/fast/2k", "png/balanced/2k", "read", "decode/"]


# MARK: Verdicts

def median_interval(values, confidence=CONFIDENCE):
    """The narrowest symmetric interval between order statistics that holds the median of what `values` were drawn from with
    at least the confidence, whatever their distribution."""
    ordered, count = sorted(values), len(values)
    outside, cut = 0.0, 0
    while cut < count // 2:
        outside += 2 * math.comb(count, cut) / 2 ** count
        if 1 - outside < confidence:
            break
        cut += 1
    if cut == 0:
        raise ValueError(f"{count} values say nothing about a median with a confidence of {confidence}")
    return ordered[cut - 1], ordered[count - cut]


def time_verdict(base, head):
    """What pairs of times say: a median ratio, its interval and a word."""
    ratios = [after / before for before, after in zip(base, head, strict=True)]
    low, high = median_interval(ratios)
    if low > 1 + TIME_TOLERANCE:
        word = "slower"
    elif high < 1 / (1 + TIME_TOLERANCE):
        word = "faster"
    else:
        word = "same" if low > 1 / (1 + SAME_WITHIN) and high < 1 + SAME_WITHIN else "unclear"
    return {"ratio": statistics.median(ratios), "low": low, "high": high, "verdict": word}


def instruction_verdict(base, head):
    """What two counts of instructions say."""
    ratio = head / base
    if ratio > 1 + INSTRUCTION_TOLERANCE:
        word = "slower"
    else:
        word = "faster" if ratio < 1 / (1 + INSTRUCTION_TOLERANCE) else "same"
    return {"ratio": ratio, "base": base, "head": head, "verdict": word}


def regressions(times, counts):
    """The names of what has become slower: more instructions are forgiven where they take less time."""
    slower = {name for name, one in times.items() if one["verdict"] == "slower"}
    slower |= {name for name, one in counts.items()
               if one["verdict"] == "slower" and times.get(name, {}).get("verdict") != "faster"}
    return sorted(slower)


# MARK: Measuring

def pairs(base, head, count):
    """Calls `base` and `head`, which return figures by name, in pairs, in turns which first; the figures of each."""
    found = {}
    for turn in range(count):
        once = {}
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            once[which] = (base, head)[which]()
        for name in [name for name in once[0] if name in once[1]]:
            befores, afters = found.setdefault(name, ([], []))
            befores.append(once[0][name])
            afters.append(once[1][name])
    return found


def export_times(ink, folder):
    times = {}
    for scene in ("S", "M", "L"):
        wall, processor, _ = measure.export(str(ink), scene, "2k", 2, folder)
        times[f"export/{scene}/2k wall"], times[f"export/{scene}/2k processor"] = wall, processor
    return times


def kernel_times(engine):
    """The least of some runs of each part: within a process, what is above it is noise."""
    text = rates.run([engine, "--scenes", "S", "--runs", "3", "--seconds", "0.1", "--only", ",".join(KERNELS)])
    return {name: min(values) for name, (unit, values) in rates.collect(text).items() if unit != "bytes"}


def has_counters():
    """Whether perf can count instructions here."""
    if not shutil.which("perf"):
        return False
    with tempfile.NamedTemporaryFile("r") as file:
        done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "-o", file.name, "true"], capture_output=True)
        return done.returncode == 0 and perf_count(file.read()) is not None


def perf_count(text):
    """The count in the output of `perf stat -x, -e instructions:u`; None when there is none."""
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[2].startswith("instructions") and fields[0].isdigit():
            return int(fields[0])
    return None


def callgrind_counts(texts):
    """The counts of callgrind's dumps, in order."""
    return [int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("summary:")]


def counter():
    """What counts instructions here; None when nothing does."""
    return "perf" if has_counters() else "callgrind" if shutil.which("valgrind") else None


def count_instructions(engines, how):
    """The instructions of each part, by name, for each of some programs. They are counted at the same time: counts do not
    depend on what else runs."""
    return ([perf_counts(engine) for engine in engines] if how == "perf" else callgrind_all(engines))


# Neither the order of hash tables nor the processor's vector unit may make a difference between two runs.
QUIET = os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1", "INK_KERNELS": "v3" if platform.machine() == "x86_64" else "scalar"}


def perf_counts(engine):
    def total(name, runs):
        with tempfile.NamedTemporaryFile("r") as file:
            rates.run(["perf", "stat", "-x,", "-e", "instructions:u", "-o", file.name, engine, "--scenes", "S", "--runs", runs,
                       "--only", name], env=QUIET)
            return perf_count(file.read())
    text = rates.run([engine, "--scenes", "S", "--runs", "1", "--only", ",".join(KERNELS)], env=QUIET)
    names = [name for name, (unit, _) in rates.collect(text).items() if unit != "bytes"]
    # Two runs come with one to warm up, one run does not: the difference is two runs, without what makes them ready.
    return {name: (total(name, "2") - total(name, "1")) // 2 for name in names}


def callgrind_all(engines):
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for index, engine in enumerate(engines):
            # valgrind 3.19 does not read Swift's debug information.
            bare = f"{folder}/engine{index}"
            subprocess.run(["strip", "--strip-debug", "-o", bare, str(engine)], check=True)
            running.append(subprocess.Popen(
                ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts{index}",
                 "--zero-before=*beginCounting*", "--dump-before=*endCounting*", bare, "--scenes", "S", "--runs", "1",
                 "--only", ",".join(KERNELS)],
                env=QUIET, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        found = []
        for index, process in enumerate(running):
            out, errors = process.communicate()
            if process.returncode != 0:
                raise SystemExit(f"{engines[index]} under valgrind: exit code {process.returncode}\n{errors}")
            names = [name for name, (unit, _) in rates.collect(out).items() if unit != "bytes"]
            dumps = [pathlib.Path(f"{folder}/counts{index}.{part + 1}") for part in range(len(names))]
            counts = callgrind_counts(dump.read_text() for dump in dumps)
            if len(counts) != len(names) or pathlib.Path(f"{folder}/counts{index}.{len(names) + 1}").exists():
                raise SystemExit(f"callgrind has other counts than the {len(names)} parts of {engines[index]}")
            found.append(dict(zip(names, counts)))
        return found


# MARK: Builds

def build_ink(root):
    """The program as it ships: older revisions do not say themselves that Swift's libraries are part of it."""
    static = [] if "-static-stdlib" in (root / "Package.swift").read_text() else ["--static-swift-stdlib"]
    done = subprocess.run(
        ["swift", "build", "-c", "release", *static, "--product", "ink", "--package-path", str(root)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{root} cannot be built:\n{done.stdout[-3000:]}")
    return root / ".build/release/ink"


def check_out(revision):
    """The folder of a revision, with the benchmarks of the working tree."""
    commit = rates.run(["git", "-C", rates.ROOT, "rev-parse", "--verify", f"{revision}^{{commit}}"]).strip()
    folder = rates.ROOT / ".build/compare" / commit[:12]
    if not folder.exists():
        partial = folder.with_suffix(".part")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        archive = subprocess.Popen(["git", "-C", str(rates.ROOT), "archive", commit], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", str(partial)], stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            raise SystemExit(f"{revision} cannot be checked out")
        partial.rename(folder)
    lay_benchmarks(folder / "Benchmarks")
    return folder


def lay_benchmarks(folder):
    """Puts the working tree's benchmarks in place of those in `folder`, beside what was built there."""
    for path in benchmark_sources(folder):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in benchmark_sources(rates.HERE):
        shutil.copytree(path, folder / path.name) if path.is_dir() else shutil.copy2(path, folder)


def benchmark_sources(folder):
    return [path for path in folder.iterdir() if path.name not in (".build", "__pycache__")]


def engines(base):
    """EngineRates of the base and of the working tree; None when the base is too old for it."""
    head = rates.build("EngineRates") / "EngineRates"
    try:
        return rates.build("EngineRates", base / "Benchmarks") / "EngineRates", head
    except SystemExit as error:
        print(f"No kernels of the base, its inside is too different:\n{str(error)[-600:]}", file=sys.stderr)
        return None


# MARK: Reports

def print_report(times, counts):
    names = list(dict.fromkeys([*times, *counts]))
    rows = []
    for name in names:
        row = [name]
        if name in times:
            one = times[name]
            row += [f"{one['ratio']:.3f}", f"{one['low']:.3f} to {one['high']:.3f}", one["verdict"]]
        else:
            row += ["", "", ""]
        if name in counts:
            one = counts[name]
            row += [f"{one['head'] / 1e6:,.1f}", f"{one['ratio']:.4f}", one["verdict"]]
        else:
            row += ["", "", ""]
        rows.append(row)
    print(rates.table(
        ["part", "time / base", "99% interval", "time is", "M instructions", "/ base", "instructions are"], rows))


def conclude(times, counts, path, about):
    slower = regressions(times, counts)
    rates.write(path, about | {"times": times, "instructions": counts, "slower": slower})
    print_report(times, counts)
    print(f"\nSlower: {', '.join(slower)}" if slower else "\nNothing is known to be slower.")
    # Instructions settle what times leave open.
    unclear = [name for name, one in times.items() if one["verdict"] == "unclear" and name not in counts]
    if unclear:
        print(f"The machine was too noisy to tell of {', '.join(unclear)}.")
    return 1 if slower else 0


def compare_revisions(options):
    parts = options.only.split(",")
    base = check_out(options.base)
    about = {"machine": rates.machine(), "base": options.base}
    rates.warn_of_load(about["machine"])
    found, counts = {}, {}
    if "exports" in parts:
        inks = build_ink(base), build_ink(rates.ROOT)
        with tempfile.TemporaryDirectory() as folder:
            for ink in inks:
                export_times(ink, folder)
            found |= pairs(*(lambda ink=ink: export_times(ink, folder) for ink in inks), options.pairs)
    both = engines(base) if {"kernels", "instructions"} & set(parts) else None
    if both and "kernels" in parts:
        found |= pairs(*(lambda engine=engine: kernel_times(engine) for engine in both), options.pairs)
    if both and "instructions" in parts:
        how = counter()
        if how:
            about["counter"] = how
            before, after = count_instructions(both, how)
            counts = {name: instruction_verdict(before[name], after[name]) for name in before if name in after}
        else:
            print("No instructions: there is neither a perf with counters nor valgrind.", file=sys.stderr)
    times = {name: time_verdict(*values) for name, values in found.items()}
    if not times and not counts:
        print("Nothing was measured.", file=sys.stderr)
        return 2
    return conclude(times, counts, options.json, about)


def baseline_of(engine, how):
    return {"architecture": platform.machine(), "kernels": QUIET["INK_KERNELS"], "counter": how,
            "compiler": rates.compiler(), "instructions": count_instructions([engine], how)[0]}


def compare_with_baseline(options):
    kept = json.loads(options.baseline.read_text())
    now = baseline_of(rates.build("EngineRates") / "EngineRates", kept["counter"])
    for key in ("architecture", "kernels"):
        if kept[key] != now[key]:
            print(f"The baseline is of another {key}: {kept[key]}, here {now[key]}.", file=sys.stderr)
            return 2
    if kept["compiler"] != now["compiler"]:
        print(f"The baseline is of another compiler: {kept['compiler']}.", file=sys.stderr)
    counts = {name: instruction_verdict(count, now["instructions"][name])
              for name, count in kept["instructions"].items() if name in now["instructions"]}
    if not counts:
        return 2
    return conclude({}, counts, options.json, {"machine": rates.machine(), "base": str(options.baseline)})


def write_baseline(path):
    how = counter()
    if not how:
        raise SystemExit("there is neither a perf with counters nor valgrind")
    rates.write(path, baseline_of(rates.build("EngineRates") / "EngineRates", how))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="main")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--json", type=pathlib.Path, default=rates.RESULTS / "compare.json")
    parser.add_argument("--baseline", type=pathlib.Path)
    parser.add_argument("--write-baseline", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if not set(options.only.split(",")) <= set(PARTS):
        parser.error(f"--only: parts are {', '.join(PARTS)}")
    if options.pairs < PAIRS_MIN:
        parser.error(f"fewer than {PAIRS_MIN} pairs say nothing")
    if options.self_test:
        tests = unittest.defaultTestLoader.discover(str(rates.HERE), pattern="test_*.py")
        return 0 if unittest.TextTestRunner().run(tests).wasSuccessful() else 1
    if options.write_baseline:
        return write_baseline(options.write_baseline)
    if options.baseline:
        if not options.baseline.exists():
            parser.error(f"no baseline of this processor: {options.baseline} is missing (--write-baseline makes it)")
        return compare_with_baseline(options)
    return compare_revisions(options)


if __name__ == "__main__":
    sys.exit(main())
