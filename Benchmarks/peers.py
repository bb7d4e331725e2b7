#!/usr/bin/env python3
"""Draws the same marks, composites the same layers and encodes the same pixels with ink and with other libraries.

    Benchmarks/peers.py [--json out/bench/peers.json] [--only cairo,skia,pixman,vips,libpng] [--runs 3] [--seconds 2]

One thread each, processor time, medians; ink before the peers and after them. The marks come from ink
(Sources/SceneMarks); every peer's picture is compared with ink's, and the difference is printed: it says that the same
was drawn. What is missing is installed by Benchmarks/peers/setup.sh.
"""
import argparse
import os
import pathlib
import shutil
import tempfile

import rates

WORK = rates.ROOT / ".build/peers"
SOURCES = rates.HERE / "peers"
# Each with what it is called, its source, its packages for pkg-config.
COMPILED = {
    "cairo": ("Cairo", "cairo_strokes", ["cairo"]),
    "pixman": ("pixman", "pixman_layers", ["pixman-1"]),
    "vips": ("libvips", "vips_layers", ["vips"]),
    "libpng": ("libpng", "libpng_files", ["libpng", "zlib"]),
}
PARTS = {
    "cairo": ["strokes/", "stamp/"], "skia": ["strokes/", "stamp/"], "pixman": ["composite/"], "vips": ["composite/stack"],
    "libpng": ["png/", "decode/content"],
}
NAMES = {peer: names[0] for peer, names in COMPILED.items()} | {"skia": "Skia"}


def command(peer):
    """The program of a peer, built when it has to be."""
    if peer == "skia":
        return [WORK / "venv/bin/python", SOURCES / "skia_strokes.py"]
    _, name, packages = COMPILED[peer]
    flags = rates.run(["pkg-config", "--cflags", "--libs", *packages]).split()
    compiler = os.environ.get("CXX") or ("clang++" if shutil.which("clang++") else "g++")
    rates.run([compiler, "-O2", "-std=c++17", SOURCES / f"{name}.cpp", "-o", WORK / name, *flags])
    return [WORK / name]


def measure(program, arguments):
    """The lines of a program, and the line in which it says its version."""
    with tempfile.TemporaryFile("w+") as errors:
        text = rates.run([*program, *arguments], stderr=errors)
        errors.seek(0)
        return text, errors.read().strip()


def times(value):
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def speed_table(title, names, peers, results):
    """Rows of medians with how many times ink's time each peer takes."""
    head = [title, "unit", "ink"] + [part for peer in peers for part in (NAMES[peer], f"{NAMES[peer]} / ink")]
    rows = []
    for name in names:
        ink = results["ink"][name]
        row = [name.split("/", 1)[1], ink["unit"], rates.number(ink["median"])]
        for peer in peers:
            other = results[peer].get(name)
            row += [rates.number(other["median"]), times(other["median"] / ink["median"])] if other else ["", ""]
        rows.append(row)
    return rates.table(head, rows)


def png_table(results):
    sizes = [size for size in ("2k", "4k") if f"png/6/{size}" in results["libpng"]]
    rows = []
    for who, level in [("ink", "fast"), ("ink", "balanced"), ("ink", "small"), ("libpng", 1), ("libpng", 6), ("libpng", 9)]:
        row = [f"{NAMES.get(who, who)} {level}"]
        for size in sizes:
            own, standard = results[who], results["libpng"][f"png/6/{size}/size"]["median"]
            name = f"png/{level}/{size}"
            edge = {"2k": 2048, "4k": 4096}[size]
            row += [rates.number(own[name]["median"]), rates.number(3 * edge * edge / 1e3 / own[name]["median"]),
                    f"{own[name + '/size']['median'] / standard:.3f}"]
        rows.append(row)
    head = ["PNG of L"] + [text for size in sizes for text in (f"{size}, ms", "MB/s", "size / libpng 6")]
    return rates.table(head, rows)


def differences(peers, results):
    names = sorted({name for peer in peers for name in results[peer] if name.startswith("difference/")})
    rows = [[name.split("/", 1)[1]] + [
        f"{results[peer][name]['median']:.2f}" if name in results[peer] else "" for peer in peers] for name in names]
    return rates.table(["mean difference to ink, of 255"] + [NAMES[peer] for peer in peers], rows)


def report(results):
    """All tables, of the peers that were measured."""
    drawing = [peer for peer in ("cairo", "skia") if peer in results]
    stacking = [peer for peer in ("pixman", "vips") if peer in results]
    parts = []
    if drawing:
        for title, prefix in [("strokes of", "strokes/"), ("a stamp of", "stamp/")]:
            parts.append(speed_table(title, [name for name in results["ink"] if name.startswith(prefix)], drawing, results))
    if stacking:
        names = [name for name in results["ink"] if name.startswith("composite/")
                 and any(name in results[peer] for peer in stacking)]
        parts.append(speed_table("compositing", names, stacking, results))
    if "libpng" in results:
        parts += [png_table(results), speed_table("decoding", ["decode/content"], ["libpng"], results)]
    if drawing + stacking:
        parts.append(differences(drawing + stacking, results))
    if "skia" in results:
        shares = [one["median"] / results["skia"][name.split("/", 1)[1]]["median"]
                  for name, one in results["skia"].items() if name.startswith("binding/")]
        parts.append(f"Of Skia's times, calls through Python are at most {100 * max(shares):.1f}%.")
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, default=rates.RESULTS / "peers.json")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--runs", default="3")
    parser.add_argument("--seconds", default="2")
    options = parser.parse_args()
    peers = options.only.split(",")
    if unknown := set(peers) - set(PARTS):
        parser.error(f"no such peer: {', '.join(sorted(unknown))}")
    WORK.mkdir(parents=True, exist_ok=True)
    rates.run([SOURCES / "setup.sh", WORK])
    commands = {peer: command(peer) for peer in peers}
    binaries = rates.build("EngineRates")
    rates.build("SceneMarks")
    rates.run([binaries / "SceneMarks", WORK / "marks"])
    about = rates.machine()
    rates.warn_of_load(about)
    repeats = ["--runs", options.runs, "--seconds", options.seconds]
    parts = sorted({part for peer in peers for part in PARTS[peer]})
    ink = [binaries / "EngineRates", *repeats, "--only", ",".join(parts)]
    lines = {"ink": rates.run(ink)}
    versions = {"ink": rates.run(["git", "-C", rates.HERE, "describe", "--always", "--dirty"]).strip()}
    for peer in peers:
        lines[peer], versions[peer] = measure(commands[peer], [WORK / "marks", *repeats])
    # Before the peers and after them: a machine that has become slower meanwhile must not be to anyone's advantage.
    lines["ink"] += rates.run(ink)
    results = {who: rates.summary(rates.collect(text)) for who, text in lines.items()}
    rates.write(options.json, {
        "machine": about, "compiler": rates.compiler(), "versions": versions, "results": results})
    print(f"{about['processor']}, one thread; {', '.join(versions[peer] for peer in peers)}\n\n{report(results)}")


if __name__ == "__main__":
    main()
