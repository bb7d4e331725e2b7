#!/bin/bash
# Measures what docs/performance.md quotes, one program after the other, into out/figures: about an hour on an idle machine
# with two cores. Not the simulated farm, whose costs come from measure.py, and not PNG with two threads (PNGCoding).
#
#     Benchmarks/figures.sh [FOLDER OF PROJECTS FOR scaling.py --bulk]
#
# Needs `make build`, the benchmarks (swift build -c release --package-path Benchmarks), `Benchmarks/peers/setup.sh
# .build/peers`, perf, and a Python with pyzmq as PYTHON. A program that fails is named at the end, and the others go on.
set -u
cd "$(dirname "$0")/.." || exit 1
bulk=${1:-examples}
python=${PYTHON:-python3}
out=out/figures
mkdir -p "$out"
failed=()

figure() {
    local name=$1
    shift
    echo "$(date +%T) $name: $*" | tee -a "$out/log"
    "$@" >"$out/$name.txt" 2>"$out/$name.err" || failed+=("$name")
}

profile() {
    local data=$out/perf.data
    # Five runs, so that a noisy moment of one does not decide.
    # shellcheck disable=SC2016 # for the shell that it starts
    perf record -q -F 6000 -e cpu-clock -o "$data" -- bash -c 'for run in 1 2 3 4 5; do
        .build/release/ink export Benchmarks/scenes/scene-L.ink --size 2k --workers 1 -o "$0" --if-exists overwrite --quiet; done' \
        "$out/profile.png"
    perf report -i "$data" --no-children --percent-limit 0.2 --stdio --sort symbol 2>/dev/null
}

git rev-parse HEAD >"$out/commit"
figure measure Benchmarks/measure.py --runs 7 --workers 1,2
figure account Benchmarks/measure.py --account 16 --workers 1
figure bench .build/release/ink bench --chart "$out/bench.svg"
figure scaling Benchmarks/scaling.py --bulk "$bulk"
figure overhead Benchmarks/farm.py overhead --runs 9
figure growth Benchmarks/growth.py
figure changes Benchmarks/changes.py
figure http Benchmarks/http_front.py --jobs 10000 --watchers 200 --seconds 8
figure estimates "$python" Benchmarks/estimates.py
figure kernels Benchmarks/kernels.py --levels scalar,v3,v4
figure peers Benchmarks/peers.py --runs 2 --seconds 1
figure memory Benchmarks/memory.py --seconds 12
figure profile profile
figure broker Benchmarks/broker_alone.py
figure tasks swift run -c release --package-path Benchmarks TaskRates
[[ ${#failed[@]} == 0 ]] || { echo "failed: ${failed[*]}" >&2; exit 1; }
