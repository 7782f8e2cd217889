#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of docs/duel.md: what verdicts of duels are worth, on an idle machine or beside a compiler.
#   scripts/duel_evidence.sh BUILD_DIRECTORY OUT_DIRECTORY idle|loaded [OPTIONS OF duel_bench...]
# All of it takes hours. Every trial is kept in OUT_DIRECTORY/trials.csv as it ends: the same command again goes on
# where the last one ended, however it did. --filters, --sizes, --threads, --slowdowns, --trials and --seconds choose
# a part; idle and loaded add to the same file. Another build needs another OUT_DIRECTORY: a file has trials of one build.
set -eu
if [ $# -lt 3 ]; then
  sed -n '3,7s/^# *//p' "$0" >&2
  exit 2
fi
build=$1
out=$2
state=$3
shift 3
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
cmake --build "$build" --target duel_bench
bench=$build/bin/duel_bench
trials=$out/trials.csv
compiler="c++ -std=c++23 -O2 -I$source -I$source/kernels/include -c $source/core/record/csv.cpp -o /dev/null"
case $state in
  idle)
    "$bench" --unchanged-margin 5 --trials-out "$trials" "$@" > /dev/null
    ;;
  loaded)
    "$bench" --beside "$compiler" --trials-out "$trials" "$@" > /dev/null
    ;;
  *)
    echo "duel_evidence.sh: $state is neither idle nor loaded" >&2
    exit 2
    ;;
esac
"$bench" --table "$trials" | tee "$out/table.md"
