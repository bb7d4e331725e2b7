#!/bin/sh
# Compiles each header of CKernels by itself, for every processor and for the highest level.
set -eu
cd "$(dirname "$0")/../Sources/CKernels"
compiler=$(dirname "$(readlink -f "$(command -v swift)")")/clang++
[ "$(uname -m)" = x86_64 ] && highest="-march=x86-64-v4 -DINK_LEVEL=v4 -DINK_RANK=2"
for header in *.hpp include/*.h; do
    echo "$header"
    [ -z "${highest-}" ] || echo "$header $highest"
done | xargs -P "$(nproc)" -L 1 "$compiler" -std=c++17 -fsyntax-only -Wall -Wmissing-field-initializers -Wno-unused-function \
    -Wno-unused-const-variable -Wno-pragma-once-outside-header -Werror -I. -Iinclude -x c++
