"""An export in parts as tasks of Dask. Each runs one part and returns its report; a part that fails for a reason that
may pass is tried again.

    python ink_dask.py tcp://SCHEDULER:8786 PARTS REPORTS DRAWINGS -o PICTURES [OPTIONS OF ink export]
    ink report merge REPORTS/*.json -o report.json
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from dask.distributed import Client, as_completed

# Another try does not help.
FINAL = {64, 65, 72, 77, 78}


def export(part, parts, arguments):
    """The exit code of a part, and its report; None where the command line is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        # Without --exit-with-parent the program would go on when this worker is killed, beside the next try.
        done = subprocess.run(
            [os.environ.get("INK", "ink"), "export", "--shard", f"{part}/{parts}", "--exit-with-parent",
             "--report", report, "--quiet", *arguments], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in FINAL | {0}:
            raise RuntimeError(f"part {part} ended with {done.returncode}: {done.stderr[-500:]}")
        return part, done.returncode, report.read_text() if report.exists() else None, done.stderr


def main(scheduler, parts, reports, *arguments):
    pathlib.Path(reports).mkdir(parents=True, exist_ok=True)
    client = Client(scheduler)
    tasks = [client.submit(export, part, int(parts), arguments, pure=False, retries=2) for part in range(int(parts))]
    worst = 0
    for task in as_completed(tasks):
        if task.status == "error":
            print(task.exception(), file=sys.stderr)
            worst = max(worst, 1)
            continue
        part, code, report, errors = task.result()
        sys.stderr.write(errors)
        if report:
            pathlib.Path(reports, f"{part}.json").write_text(report)
        worst = max(worst, code)
    return worst


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
