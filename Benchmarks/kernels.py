#!/usr/bin/env python3
"""Measures the engine part by part, in one thread, and prints medians.

    Benchmarks/kernels.py [--json out/bench/kernels.json] [options of EngineRates]

The parts are described in Sources/EngineRates/EngineRates.swift; times are processor time.
"""
import argparse
import pathlib

import rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, default=rates.RESULTS / "kernels.json")
    options, rest = parser.parse_known_args()
    program = rates.build("EngineRates") / "EngineRates"
    about = rates.machine()
    rates.warn_of_load(about)
    defaults = [] if "--runs" in rest else ["--runs", "3", "--seconds", "3"]
    results = rates.summary(rates.collect(rates.run([program, *defaults, *rest])))
    rates.write(options.json, {"machine": about, "compiler": rates.compiler(), "results": results})
    print(rates.table(
        ["part", "unit", "median", "minimum", "runs"],
        [[name, one["unit"], rates.number(one["median"]), rates.number(one["minimum"]), str(len(one["runs"]))]
         for name, one in results.items()]))


if __name__ == "__main__":
    main()
