#!/usr/bin/env bash
# Builds the fuzz targets with the toolchain's libFuzzer and runs each for FUZZ_SECONDS (default 30), starting from the
# test data. An input that makes a target crash, hang or take much memory is kept in Fuzz/.build/findings, and the run
# fails. `Scripts/fuzz.sh NAME` runs only that target; further arguments go to libFuzzer (an input's path runs just it).
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-30}
targets=(FuzzProjectReader FuzzDocuments FuzzImages FuzzProtocol FuzzDrafts)
if [[ $# -gt 0 ]]; then
    targets=("$1")
    shift
fi

# The C sources are watched too. lld, since gold stumbles over the debug information.
swift build -c release --package-path Fuzz \
    -Xswiftc -sanitize=fuzzer -Xswiftc -use-ld=lld -Xcc -fsanitize=fuzzer-no-link -Xcxx -fsanitize=fuzzer-no-link
built=$(swift build -c release --package-path Fuzz --show-bin-path)

# A trap's backtrace takes long and tells nothing that libFuzzer does not.
export SWIFT_BACKTRACE=enable=no
findings=Fuzz/.build/findings
mkdir -p "$findings"

for target in "${targets[@]}"; do
    corpus=Fuzz/.build/corpus/$target
    mkdir -p "$corpus"
    seeds=()
    options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0)
    case $target in
    FuzzProjectReader)
        seeds=(Fuzz/Seeds/FuzzProjectReader)
        options+=(-max_len=8192 -dict=Fuzz/Seeds/project.dict)
        ;;
    FuzzDocuments)
        data=Tests/InkConformanceTests/Data
        seeds=(Fuzz/.build/seeds/FuzzDocuments Fuzz/Seeds/FuzzDocuments)
        rm -rf "${seeds[0]}" && mkdir -p "${seeds[0]}"
        cp "$data"/scores/*.bww "$data"/aseprite/*.aseprite "$data"/layers-psd/*/src.psd "$data"/notes/* "$data"/kra/marquee-border.kra \
            --backup=numbered "${seeds[0]}"
        options+=(-max_len=65536)
        ;;
    FuzzImages)
        seeds=(
            Tests/InkEndToEndTests/Data/png Tests/InkEndToEndTests/Data/png-fuzz
            Tests/InkConformanceTests/Data/png-formats Fuzz/Seeds/FuzzImages
        )
        options+=(-max_len=4096)
        ;;
    FuzzProtocol)
        seeds=(Fuzz/.build/seeds/FuzzProtocol)
        python3 Scripts/fuzz_seeds.py "${seeds[0]}"
        options+=(-max_len=4096)
        ;;
    FuzzDrafts)
        seeds=(Fuzz/Seeds/FuzzDrafts)
        options+=(-max_len=4096)
        ;;
    esac
    echo "fuzz: $target, $seconds seconds"
    if [[ $# -gt 0 ]]; then
        "$built/$target" "$@"
    else
        "$built/$target" "${options[@]}" -artifact_prefix="$findings/$target-" "$corpus" "${seeds[@]}"
    fi
done
