#!/usr/bin/env bash
# Installs the libraries that ink is compared with: Cairo, pixman, libvips and libpng from the distribution's packages
# (root, Debian or Ubuntu), Skia's Python package into the folder given.
set -euo pipefail

folder=${1:?usage: setup.sh FOLDER}
packages=(clang pkg-config libcairo2-dev libpixman-1-dev libvips-dev libpng-dev zlib1g-dev python3-venv)
command -v clang++ >/dev/null && packages=("${packages[@]:1}")

missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [[ $state == *"install ok installed"* ]] || missing+=("$package")
done
if [[ ${#missing[@]} -gt 0 ]]; then
    as_root=()
    [[ $(id -u) -eq 0 ]] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
fi

if ! "$folder/venv/bin/python" -c 'import skia' 2>/dev/null; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet skia-python==144.1
fi
