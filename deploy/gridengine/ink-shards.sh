#!/usr/bin/env bash
# An export in parts: each task of the array exports one part by itself, with neither a broker nor a farm.
#
#   qsub -t 1-64 ink-shards.sh DRAWINGS PICTURES [OPTIONS OF ink export]
#   ink report merge ink-shards-JOB/*.json -o report.json
#
# All hosts have to see DRAWINGS (or @LIST), PICTURES and the folder of the reports. A part that is stopped, or fails for
# a reason that may pass, starts again and makes only what is missing.
#
# SHARDS_INK      the program, on a path that all hosts see (ink)
# SHARDS_REPORTS  a folder for a report of each part (ink-shards-JOB, where qsub was called)
# SHARDS_TRIES    how often a part is tried (3)
# INK_SHARDS      the number of parts, where the array is not all of them: qsub -v INK_SHARDS=64 -t 4 ...
#
#$ -N ink-shards
#$ -S /bin/bash
#$ -cwd
#$ -V
#$ -j y
#$ -r y
# Signals come before Grid Engine kills the task.
#$ -notify
set -euo pipefail

if (($# < 2)); then
    echo "usage: qsub -t 1-N ink-shards.sh DRAWINGS PICTURES [OPTIONS OF ink export]" >&2
    exit 64
fi
drawings=$1 pictures=$2
shift 2

: "${SGE_TASK_ID:?is not set: start this with qsub -t 1-N}"
if [[ $SGE_TASK_ID == undefined ]]; then
    echo "ink-shards: no array: start this with qsub -t 1-N" >&2
    exit 64
fi
part=$((SGE_TASK_ID - 1))
parts=${INK_SHARDS:-${SGE_TASK_LAST:?}}
if [[ -z ${INK_SHARDS:-} ]] && ((SGE_TASK_FIRST != 1 || SGE_TASK_STEPSIZE != 1)); then
    echo "ink-shards: the array is not 1 to N; say by INK_SHARDS how many parts there are" >&2
    exit 64
fi
reports=${SHARDS_REPORTS:-${SGE_O_WORKDIR:-$PWD}/ink-shards-${JOB_ID:?}}
mkdir -p "$reports"

"${SHARDS_INK:-ink}" export "$drawings" -o "$pictures" --shard "$part/$parts" --report "$reports/$part.json" \
    --workers "${NSLOTS:-1}" --progress none "$@" &
export=$!
# A signal ends `wait`; it is passed on to the export, which then stops by itself. -notify sends USR1 before a task is
# suspended, and USR2 before it is killed.
trap 'kill -TERM "$export" 2>/dev/null || true' TERM INT USR2
trap '' USR1
code=0
wait "$export" || code=$?
while kill -0 "$export" 2>/dev/null; do
    code=0
    wait "$export" || code=$?
done

case $code in
    # Another try does not help.
    0 | 64 | 65 | 72 | 77 | 78) exit "$code" ;;
esac
# Grid Engine does not count the tries of a task.
echo "$code" >>"$reports/$part.tries"
if (($(wc -l <"$reports/$part.tries") < ${SHARDS_TRIES:-3})); then
    echo "ink-shards: part $part of $parts ended with $code, starting again" >&2
    # The code by which a task asks for another try.
    exit 99
fi
exit "$code"
