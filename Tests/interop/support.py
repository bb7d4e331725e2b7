"""What the tests of this folder share. They need `ink` at .build/release/ink or where INK_BINARY says."""

import base64
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("INK_BINARY") or str(ROOT / ".build/release/ink")
EXAMPLES = sorted((ROOT / "examples").glob("*.ink"))

sys.path.insert(0, str(ROOT / "Scripts"))


def run(*arguments):
    """What a command prints; a failure shows the command, to repeat it."""
    result = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, arguments))}: exit {result.returncode}\n{result.stderr}")
    return result.stdout


def export(project, picture, *options, size="1x"):
    """Writes the picture of a project."""
    run(BINARY, "export", project, "--size", size, "--quiet", "--if-exists", "overwrite", *options, "-o", picture)
    return picture


def project_of(image, width, height, path):
    """A project whose only layer is an image file, over a transparent background."""
    path.write_text(json.dumps({
        "version": "1.2", "id": "picture", "name": "Picture", "canvasSize": {"width": width, "height": height},
        "background": "transparent",
        "layers": [{"id": "a", "name": "Picture", "contentImage": base64.b64encode(image).decode()}],
    }))
    return path
