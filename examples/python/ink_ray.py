"""An export in parts as tasks of Ray. Each runs one part and returns its report; a part that fails for a reason that may
pass is tried again.

    python ink_ray.py PARTS REPORTS DRAWINGS -o PICTURES [OPTIONS OF ink export]
    ink report merge REPORTS/*.json -o report.json
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import ray

# Another try does not help.
FINAL = {64, 65, 72, 77, 78}


@ray.remote(num_cpus=1, max_retries=2, retry_exceptions=True)
def export(part, parts, arguments):
    """The exit code of a part, and its report; None where the command line is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        # Without --exit-with-parent the program would go on when this worker is killed, beside the next try.
        done = subprocess.run(
            [os.environ.get("INK", "ink"), "export", "--shard", f"{part}/{parts}", "--exit-with-parent",
             "--report", report, "--workers", "1", "--quiet", *arguments], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in FINAL | {0}:
            raise RuntimeError(f"part {part} ended with {done.returncode}: {done.stderr[-500:]}")
        return done.returncode, report.read_text() if report.exists() else None, done.stderr


def main(parts, reports, *arguments):
    pathlib.Path(reports).mkdir(parents=True, exist_ok=True)
    ray.init()
    worst = 0
    for part, task in enumerate([export.remote(part, int(parts), arguments) for part in range(int(parts))]):
        try:
            code, report, errors = ray.get(task)
        except ray.exceptions.RayError as failure:
            code, report, errors = 1, None, f"{failure}\n"
        sys.stderr.write(errors)
        if report:
            pathlib.Path(reports, f"{part}.json").write_text(report)
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
