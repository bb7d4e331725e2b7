#!/usr/bin/env bash
# Installs what is missing of the libraries and test tools, from the distribution's packages. Does nothing, and asks
# for no password, when all is there.
#
#   setup.sh             libraries and test tools
#   setup.sh build       only the libraries, which building and running need
#   setup.sh film        what ink-film needs, which marks films
#   setup.sh --list ...  only says what would be installed
set -euo pipefail

libraries=(
    libzmq3-dev libpng-dev libjpeg-dev libzstd-dev libisal-dev zlib1g-dev libssl-dev libzip-dev libsimdjson-dev libcli11-dev
    libsqlite3-dev libwebp-dev libgif-dev libtiff-dev liblcms2-dev libexpat1-dev libharfbuzz-dev
    libfribidi-dev libmicrohttpd-dev fonts-dejavu-core
    # Loaded when they are needed.
    libheif1 libjxl0.7 librsvg2-2 libcurl4
)
test_tools=(pngcheck python3-pil python3-numpy python3-zmq python3-jsonschema iproute2 iptables)

film=(
    libavformat-dev libavcodec-dev libavfilter-dev libavutil-dev libswscale-dev libswresample-dev libseccomp-dev
    gcc libc6-dev make pkg-config ffmpeg
)

list_only=
if [[ ${1:-} == --list ]]; then
    list_only=1
    shift
fi
wanted=("${libraries[@]}")
case ${1:-} in
    build) ;;
    film) wanted=("${film[@]}") ;;
    *) wanted+=("${test_tools[@]}") ;;
esac

if ! command -v swift >/dev/null; then
    echo "setup: Swift is missing; install Swift 6.2 or later (https://www.swift.org/install/linux/) and put it on the PATH" >&2
    exit 1
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: no apt here; install the development files of: ${libraries[*]}" >&2
    exit 0
fi

missing=()
for package in "${wanted[@]}"; do
    state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [[ $state == *"install ok installed"* ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
    [[ -z $list_only ]] || echo "setup: nothing to install, all ${#wanted[@]} packages are there"
    exit 0
fi
if [[ -n $list_only ]]; then
    echo "setup: will install ${#missing[@]} of ${#wanted[@]} packages with apt: ${missing[*]}"
    exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: as root, run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
