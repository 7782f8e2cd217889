#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of docs/duel.md: what verdicts of duels are worth, on an idle machine and beside a compiler.
#   scripts/duel_evidence.sh BUILD_DIRECTORY OUT_DIRECTORY [TRIALS [further options of duel_bench]]
# Takes hours with 40 trials of everything; --filters, --sizes and --threads choose a part.
set -eu
build=$1
out=$2
trials=${3:-40}
if [ $# -ge 3 ]; then shift 3; else shift 2; fi
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
cmake --build "$build" --target duel_bench
compiler="c++ -std=c++23 -O2 -I$source -I$source/kernels/include -c $source/core/record/csv.cpp -o /dev/null"
bench=$build/bin/duel_bench
uptime > "$out/load.txt"
"$bench" --trials "$trials" --margin 2 --trials-out "$out/idle.csv" "$@" | tee "$out/idle.md"
"$bench" --trials "$trials" --margin 5 --slowdowns 0 --trials-out "$out/idle-margin-5.csv" "$@" | tee "$out/idle-margin-5.md"
"$bench" --trials "$trials" --margin 2 --slowdowns 0,10 --beside "$compiler" --trials-out "$out/loaded.csv" "$@" | tee "$out/loaded.md"
uptime >> "$out/load.txt"
