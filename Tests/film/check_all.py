#!/usr/bin/env python3
"""Marks every clip of a folder in several ways, and asks its check.py.

    check_all.py DATA [--codecs h264,hevc,av1] [CLIP ...]

DATA holds clips/, expected.json and check.py. Each clip is marked in pieces of 1 s by one process and by three, which
must give the same bytes, and in pieces of 4 s; clips that are refused must be so with their code and one line.
"""
import argparse, json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(__file__))
import drive


# HDR does not go into h264, interlaced films not into the others.
REFUSED = {"h264": ["hdr10.mp4", "hlg.mp4"]}
for codec in ("hevc", "av1"):
    REFUSED[codec] = ["interlaced-h264.ts", "interlaced-mpeg2.mpg"]


def ending(name):
    e = name.rsplit(".", 1)[-1]
    return e if e in ("mp4", "mov", "mkv", "webm") else "mp4"



def attempt(source, output, options):
    try:
        return 0, drive.mark_film(source, output, options)
    except drive.Failure as failure:
        return failure.code, failure.text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--codecs", default="h264")
    parser.add_argument("--seconds", default="1,4")
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--crf")
    parser.add_argument("--requests", action="store_true")
    o = parser.parse_args()
    folder = os.path.join(o.data, "clips")
    expected = json.load(open(os.path.join(o.data, "expected.json")))
    failures = runs = checked = 0
    with tempfile.TemporaryDirectory() as work:
        for name in o.clips or sorted(os.listdir(folder)):
            for codec in o.codecs.split(","):
                if name in REFUSED.get(codec, ()):
                    wanted = {"exit": 65}
                else:
                    wanted = expected.get(name, {"exit": 0})
                source = os.path.join(folder, name)
                options = {"codec": codec, "format": ending(name), "effort": o.effort, "marks": [[16, 16, 64, 24]],
                           "crf": o.crf or {"h264": 20, "hevc": 22, "av1": 30}[codec], "requests": o.requests}
                if (options["format"] == "webm") != (codec == "av1") and options["format"] in ("webm", "mov"):
                    options["format"] = "mkv"
                hashes, problems, report = set(), [], None
                for seconds in o.seconds.split(","):
                    for processes in (1, 3) if seconds == "1" else (1,):
                        output = os.path.join(work, "out." + options["format"])
                        code, report = attempt(source, output, {**options, "piece-seconds": seconds,
                            "processes": processes})
                        runs += 1
                        if code != wanted["exit"]:
                            problems.append("exit %d instead of %d: %s" % (code, wanted["exit"], report))
                            break
                        if code:
                            problems += ["says nothing"] if not report or "\n" in report else []
                            break
                        if processes == 3:
                            if report["sha256"] not in hashes:
                                problems.append("three processes give other bytes")
                            continue
                        hashes.add(report["sha256"])
                        check = [sys.executable, os.path.join(o.data, "check.py"), source, output, "--mark",
                            "16,16,64,24"]
                        if wanted.get("except"):
                            check += ["--except", wanted["except"]]
                        found = subprocess.run(check, capture_output=True, text=True)
                        checked += 1
                        if found.returncode:
                            problems += [l for l in found.stdout.splitlines()
                                if l.startswith("FAIL")] or [found.stderr[-300:]]
                    if report is not None and isinstance(report, str):
                        break
                failures += bool(problems)
                text = report if isinstance(report, str) else "%d pieces, leads %s %s" % (
                    report["pieces"], [l for l in report["leads"] if l], "; ".join(t for _, t in report["warnings"]))
                print("%-4s %-28s %-5s %s" % ("FAIL" if problems else "ok", name, codec, text), flush=True)
                for problem in problems:
                    print("       " + problem, flush=True)
    print("%d runs, %d checked, %d clips with problems" % (runs, checked, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
