#!/usr/bin/env bash
# Builds the documentation of InkEngine with DocC. Any warning is an error.
#
#   Scripts/docs.sh [FOLDER]     (default: .build/docs/InkEngine.doccarchive)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

output=${1:-.build/docs/InkEngine.doccarchive}
graphs=.build/docs/graphs
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
if ! [[ -x $docc ]]; then
    echo "docs: docc is missing; it comes with Swift (next to $(readlink -f "$(command -v swift)"))" >&2
    exit 1
fi

rm -rf "$graphs" "$output"
mkdir -p "$graphs" "$(dirname "$output")"
# Symbol graphs are only written for what is compiled.
rm -rf .build/docs/build/*/debug/InkEngine.build
swift build --target InkEngine --scratch-path .build/docs/build \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
# Only the engine's own, not those of the modules below it.
find "$graphs" -type f ! -name 'InkEngine.symbols.json' ! -name 'InkEngine@*' -delete
"$docc" convert Sources/InkEngine/InkEngine.docc --additional-symbol-graph-dir "$graphs" --output-path "$output" \
    --fallback-display-name InkEngine --fallback-bundle-identifier ink.InkEngine --warnings-as-errors
echo "docs: $output"
