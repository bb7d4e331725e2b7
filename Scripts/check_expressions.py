#!/usr/bin/env python3
"""Names expressions that take long to type-check: each is better given a type, or divided.

    Scripts/check_expressions.py [--milliseconds 500] [MODULE ...]

Checks all modules, as `make build` has compiled them, which has to come first. Exit code 1 where an expression takes
longer. Times are of the processor, so that they vary with the machine.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFEST = ROOT / ".build/release.yaml"
# Options that write something, or that checking goes without; those in `PAIRS` have a value.
PAIRS = {"-emit-module-path", "-output-file-map", "-num-threads", "-emit-objc-header-path", "-index-store-path"}
SINGLE = {"-emit-dependencies", "-emit-module", "-c", "-whole-module-optimization", "-serialize-diagnostics", "-O", "-Onone", "-g",
          "-gline-tables-only", "-enable-testing"}


def checking(arguments, milliseconds):
    """The command that checks what a command compiles."""
    command, rest = [arguments[0], "-typecheck"], iter(arguments[1:])
    for argument in rest:
        if argument in ("-Xcc", "-Xfrontend"):
            command += [argument, next(rest)]
        elif argument in PAIRS:
            next(rest)
        elif argument not in SINGLE and not re.fullmatch(r"-j\d+", argument):
            command.append(argument)
    return command + ["-Xfrontend", f"-warn-long-expression-type-checking={milliseconds}", "-no-warnings-as-errors"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--milliseconds", type=int, default=500)
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args()
    if not MANIFEST.exists():
        sys.exit(f"{MANIFEST} is missing: make build")
    commands = {}
    for line in MANIFEST.read_text().splitlines():
        if line.strip().startswith("args: [") and "-emit-module-path" in line and "-module-name" in line:
            arguments = json.loads(line.strip().removeprefix("args: "))
            commands[arguments[arguments.index("-module-name") + 1]] = arguments
    slow = 0
    for module in options.modules or sorted(name for name in commands if (ROOT / "Sources" / name).is_dir()):
        if module not in commands:
            sys.exit(f"{module}: no such module in {MANIFEST}")
        done = subprocess.run(checking(commands[module], options.milliseconds), capture_output=True, text=True, cwd=ROOT)
        if done.returncode != 0:
            sys.exit(f"{module} cannot be checked:\n{done.stderr[-3000:]}")
        found = set(re.findall(r"^(/[^:\n]+):(\d+):\d+: warning: expression took (\d+)ms", done.stderr, re.MULTILINE))
        for path, line, time in sorted(found, key=lambda each: -int(each[2])):
            slow += 1
            print(f"{pathlib.Path(path).relative_to(ROOT)}:{line}: takes {time} ms to check; give its parts types")
    sys.exit(1 if slow else 0)


main()
