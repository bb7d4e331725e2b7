#!/usr/bin/env python3
"""Measures the engine part by part, in one thread, and prints medians.

    Benchmarks/kernels.py [--json out/bench/kernels.json] [--levels scalar,v3,v4] [options of EngineRates]

The parts are described in Sources/EngineRates/EngineRates.swift; times are processor time. With `--levels` each part is
measured with the kernels of several levels of processor, and compared with the last one: a kernel that is slow at one
level alone is seen by nobody who has another processor.
"""
import argparse
import os
import pathlib

import rates


def measure(program, arguments, level):
    chosen = {"INK_KERNELS": level} if level else {}
    return rates.summary(rates.collect(rates.run([program, *arguments], env=os.environ | chosen)))


def level_table(levels, results):
    """A row for each part: its medians, and how many times the last level's the others are."""
    last = results[levels[-1]]
    rows = []
    for name, one in last.items():
        medians = [results[level][name]["median"] for level in levels]
        times = [f"{median / one['median']:.2f}" if one["median"] else "" for median in medians[:-1]]
        rows.append([name, one["unit"], *map(rates.number, medians), *times])
    return rates.table(["part", "unit", *levels, *(f"{level} / {levels[-1]}" for level in levels[:-1])], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, default=rates.RESULTS / "kernels.json")
    parser.add_argument("--levels", default="")
    options, rest = parser.parse_known_args()
    program = rates.build("EngineRates") / "EngineRates"
    about = rates.machine()
    rates.warn_of_load(about)
    defaults = [] if "--runs" in rest else ["--runs", "3", "--seconds", "3"]
    levels = options.levels.split(",")
    results = {level: measure(program, [*defaults, *rest], level) for level in levels}
    rates.write(options.json, {
        "machine": about, "compiler": rates.compiler(), "results": results if options.levels else results[""]})
    if options.levels:
        print(level_table(levels, results))
        return
    print(rates.table(
        ["part", "unit", "median", "minimum", "runs"],
        [[name, one["unit"], rates.number(one["median"]), rates.number(one["minimum"]), str(len(one["runs"]))]
         for name, one in results[""].items()]))


if __name__ == "__main__":
    main()
