#!/usr/bin/env bash
# Builds the documentation of InkEngine and InkDocuments with DocC. Any warning is an error.
#
#   Scripts/docs.sh [FOLDER]     (default: .build/docs; one archive a module)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:-.build/docs}
graphs=.build/docs/graphs
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
if ! [[ -x $docc ]]; then
    echo "docs: docc is missing; it comes with Swift (next to $(readlink -f "$(command -v swift)"))" >&2
    exit 1
fi

mkdir -p "$folder"
for module in InkEngine InkDocuments; do
    output=$folder/$module.doccarchive
    rm -rf "$graphs" "$output"
    mkdir -p "$graphs"
    # Symbol graphs are only written for what is compiled.
    rm -rf .build/docs/build/*/debug/$module.build
    swift build --target $module --scratch-path .build/docs/build \
        -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
    # Only the module's own, not those of the modules below it.
    find "$graphs" -type f ! -name "$module.symbols.json" ! -name "$module@*" -delete
    "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$graphs" --output-path "$output" \
        --fallback-display-name $module --fallback-bundle-identifier ink.$module --warnings-as-errors
    echo "docs: $output"
done
