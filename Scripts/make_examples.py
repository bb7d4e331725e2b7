#!/usr/bin/env python3
"""Draws the projects of examples/ out of recorded hand strokes (examples/sources/SOURCES.md).

    Scripts/make_examples.py [NAME...]      # all, or those named

Each picture is a file of Scripts/examples. The same sources give the same projects, byte for byte.
"""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"


def module(name):
    """The file of Scripts/examples that draws the example `name`."""
    file = HERE / "examples" / f"{name.replace('-', '_')}.py"
    specification = importlib.util.spec_from_file_location(file.stem, file)
    loaded = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(loaded)
    return loaded


def main(names):
    for name in names or sorted(file.stem.replace("_", "-") for file in (HERE / "examples").glob("*.py")):
        drawing = module(name)
        if hasattr(drawing, "write_template"):
            drawing.write_template(EXAMPLES / f"{name}.inktemplate")
        elif hasattr(drawing, "write_pack"):
            drawing.write_pack(EXAMPLES / name)
        else:
            drawing.picture().write(EXAMPLES / f"{name}.ink")


if __name__ == "__main__":
    main(sys.argv[1:])
