#!/usr/bin/env bash
# Tests ink together with programs of others that `make test` does without: libraries from PyPI, clients in another
# language, deployment tools, and where asked for, containers and the libraries it is compared with. What cannot run is
# skipped, with the reason; the exit code is 1 if anything fails.
#
# INK_BINARY  the program (.build/release/ink)
# IMAGE=1     also run a farm from the container image (root, Debian or Ubuntu, several minutes)
# PEERS=1     also draw a scene with Cairo, Skia, pixman, libvips and libpng (installs them, builds the benchmarks)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$PWD/.build/test-interop
tools=$work/venv
export INK_BINARY=${INK_BINARY:-$PWD/.build/release/ink}
export INK_EXECUTABLE=$INK_BINARY
mkdir -p "$work"
failed=() skipped=()

[[ -x $INK_BINARY ]] || {
    echo "test-interop: $INK_BINARY is missing: make build" >&2
    exit 1
}

# check NAME COMMAND...: reports how it went; what the command prints only when it fails.
check() {
    local name=$1 began=$SECONDS
    shift
    if "$@" >"$work/output" 2>&1; then
        printf '  ok       %s (%d s)\n' "$name" $((SECONDS - began))
        while read -r reason; do skip "a part of $name" "$reason"; done < <(
            grep -oE "skipped (['\"].*['\"]| .*)" "$work/output" | sed 's/^skipped *//' | sort -u)
    else
        printf '  FAILED   %s\n' "$name"
        sed 's/^/           /' "$work/output"
        failed+=("$name")
    fi
}

skip() {
    printf '  skipped  %s: %s\n' "$1" "$2"
    skipped+=("$1")
}

# unittests FOLDER [PATTERN]: the command that runs them.
unittests() {
    "$tools/bin/python" -B -m unittest discover -v -s "$1" -p "${2:-test*.py}"
}

# From Python's package index: the same versions for everyone.
wanted='pyzmq==27.3.0 numpy==2.4.6 pillow==13.0.0 pyvips[binary]==3.2.0 jsonschema==4.26.0 jsonschema-rs==0.60.3'
wanted+=' vpype==1.15.0 playwright==1.65.2 axe-playwright-python==0.1.8 schemathesis==4.32.5'
wanted+=' iiif-validator==1.0.5 bottle==0.13.4 lxml==6.1.3 python-magic==0.4.27'
python_tools() {
    if [[ -e $work/wanted && $(<"$work/wanted") == "$wanted" ]]; then return 0; fi
    rm -rf "$tools" "$work/wanted"
    # shellcheck disable=SC2086 # a list of words
    python3 -m venv "$tools" && "$tools/bin/pip" install -q $wanted && printf '%s' "$wanted" >"$work/wanted"
}

# OpenSeadragon, as the source package of OpenSlide's Python bindings has it among its examples.
openslide=1.4.7
viewer() {
    export OPENSEADRAGON=$work/openslide_python-$openslide/examples/deepzoom/static/openseadragon.js
    if [[ -e $OPENSEADRAGON ]]; then return 0; fi
    if "$tools/bin/pip" download -q --no-deps --no-binary openslide-python "openslide-python==$openslide" -d "$work" \
        >"$work/pip.log" 2>&1; then
        tar -xzf "$work/openslide_python-$openslide.tar.gz" -C "$work" && return 0
    fi
    unset OPENSEADRAGON
}

if ! command -v python3 >/dev/null; then
    skip "Python client, pictures, schemas" "no python3"
elif ! python_tools >"$work/pip.log" 2>&1; then
    # Versions that exclude each other are a fault of the list above.
    if grep -q ResolutionImpossible "$work/pip.log"; then
        printf '  FAILED   packages of PyPI: %s\n' "$(grep -m1 '^ERROR: Cannot install' "$work/pip.log")"
        failed+=("packages of PyPI")
    else
        skip "Python client, pictures, schemas" "PyPI cannot be reached or lacks a package ($work/pip.log)"
    fi
else
    check "client in Python" unittests examples/python
    if command -v pngcheck >/dev/null; then
        check "pictures with Pillow, libvips and pngcheck" unittests Tests/interop test_pictures.py
    else
        skip "pictures with Pillow, libvips and pngcheck" "no pngcheck: make setup"
    fi
    if command -v exiftool >/dev/null; then
        check "metadata of photos with exiftool" unittests Tests/interop test_metadata.py
    else
        skip "metadata of photos with exiftool" "no exiftool: apt-get install libimage-exiftool-perl"
    fi
    viewer
    check "zooming with OpenSeadragon in Chromium, tiles of libvips" unittests Tests/interop test_zoom.py
    check "IIIF folders with iiif-validator" unittests Tests/interop test_iiif.py
    check "HTTP API with schemathesis" unittests Tests/interop test_http.py
    check "dashboard in Chromium, with axe" unittests Tests/interop test_dashboard.py
    if command -v pdftocairo >/dev/null; then
        check "drawings as PDF with poppler, plots with vpype" unittests Tests/interop test_vectors.py
    else
        skip "drawings as PDF with poppler, plots with vpype" "no pdftocairo: apt-get install poppler-utils"
    fi
    check "scores with MuseScore, LilyPond, poppler and librsvg" unittests Tests/interop test_scores.py
    check "schemas with jsonschema and jsonschema-rs" unittests Tests/interop test_schemas.py
    check "examples drawn again" unittests Tests/interop test_examples.py
    check "verdicts of Benchmarks/compare.py, sides of threads" unittests Benchmarks
fi

check "deployment (Scripts/check-deployment.sh)" Scripts/check-deployment.sh

if command -v python3 >/dev/null; then
    check "Slurm: a farm, workers, nodes that die" python3 -B -m unittest discover -v -s Tests/deployment -p real_slurm.py
else
    skip "Slurm: a farm, workers, nodes that die" "no python3"
fi

# debootstrap and chroot need it, and packages are made where dpkg is.
if [[ $(id -u) -ne 0 ]]; then
    skip "Debian package, units under systemd" "needs root"
elif ! command -v apt-get >/dev/null; then
    skip "Debian package, units under systemd" "no apt-get"
else
    check "Debian package in a clean root" Scripts/test-deb.sh
    check "units under systemd in a container" Scripts/test-systemd.sh
fi

if [[ ${IMAGE:-} != 1 ]]; then
    skip "farm from the container image" "takes minutes: IMAGE=1"
elif [[ $(id -u) -ne 0 ]]; then
    skip "farm from the container image" "needs root"
else
    check "farm from the container image" Scripts/test-image.sh
fi

check "expressions are quick to type-check" python3 -B Scripts/check_expressions.py

# Packages of their own, which no other test builds.
check "benchmarks compile" swift build -c release --package-path Benchmarks
check "documentation of the engine and of documents" Scripts/docs.sh
check "fuzz targets compile and run for a second each" env FUZZ_SECONDS=1 Scripts/fuzz.sh

if [[ ${PEERS:-} != 1 ]]; then
    skip "drawings of Cairo, Skia, pixman, libvips and libpng" "builds the benchmarks: PEERS=1"
else
    check "drawings of Cairo, Skia, pixman, libvips and libpng" Benchmarks/peers.py --runs 1 --seconds 0.1
fi

echo
if ((${#skipped[@]} > 0)); then echo "test-interop: ${#skipped[@]} skipped"; fi
if ((${#failed[@]} > 0)); then
    echo "test-interop: ${#failed[@]} failed" >&2
    exit 1
fi
echo "test-interop: all others are right"
