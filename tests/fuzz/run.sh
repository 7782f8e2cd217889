#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the fuzzers with Clang in build/fuzz and runs each of them on its seeds (docs/fuzzing.md).
# usage: tests/fuzz/run.sh [SECONDS_PER_TARGET=60] [JOBS=all cores]
# What a target finds is kept in build/fuzz/crashes; the exit status is then 1. IIR2D_FUZZ_SEED=0 draws other mutations in
# each run. The default, 1, draws the same ones in the same order from a fresh build folder: how many depends on the time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=${1:-60}
jobs=${2:-$(nproc)}
seed=${IIR2D_FUZZ_SEED:-1}
fail() { printf 'fuzz: error: %s\n' "$*" >&2; exit 2; }
for number in "$seconds" "$jobs" "1$seed"; do
    [[ "$number" =~ ^[1-9][0-9]*$ ]] || fail "\"$number\" is no number: usage: tests/fuzz/run.sh [SECONDS_PER_TARGET] [JOBS]"
done

# Clang 19 is the first that takes <expected> of GCC 12's library.
clang=${IIR2D_FUZZ_CLANG:-clang-19}
command -v "${clang/clang/clang++}" > /dev/null || fail "there is no $clang: install clang-19 and libclang-rt-19-dev"
build=build/fuzz
mkdir -p "$build/crashes" "$build/logs"
echo "fuzz: building with $clang in $build"
{
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$clang" \
        -DCMAKE_CXX_COMPILER="${clang/clang/clang++}" "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -gline-tables-only" -DIIR2D_BUILD_FUZZERS=ON -DIIR2D_BUILD_WORKBENCH=OFF \
        -DIIR2D_BUILD_TESTS=OFF -DIIR2D_BUILD_BENCH=OFF -DIIR2D_CUDA=OFF -DIIR2D_USE_TBB=OFF -DIIR2D_USE_HIGHWAY=OFF \
        "-DIIR2D_SANITIZE=address;undefined;fuzzer-no-link" &&
        cmake --build "$build" --target fuzzers --parallel "$jobs"
} > "$build/logs/build.log" 2>&1 || { grep -E 'error|FAILED' -A5 "$build/logs/build.log" | head -n 40 >&2; fail "the build failed (whole log: $build/logs/build.log)"; }

# One target. What it learnt stays in build/fuzz/corpus and is where the next run goes on.
run_one() {
    local target=$1 log=$build/logs/$1.log
    mkdir -p "$build/corpus/$target"
    # Longer than most genuine files; -timeout and -rss_limit_mb are of one input.
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=0 UBSAN_OPTIONS=print_stacktrace=1 \
        "$build/bin/fuzz-$target" -max_total_time="$seconds" -seed="$seed" -rss_limit_mb=2048 -timeout=60 -max_len=32768 \
        -print_final_stats=1 -artifact_prefix="$build/crashes/$target-" \
        "$build/corpus/$target" "tests/fuzz/corpus/$target" > "$log" 2>&1 && return
    touch "$build/logs/$target.failed"
}
export -f run_one
export seconds build seed

targets=()
for folder in tests/fuzz/corpus/*/; do targets+=("$(basename "$folder")"); done
rm -f "$build"/logs/*.failed
echo "fuzz: ${#targets[@]} targets, $seconds s each, $jobs at a time"
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'run_one {}'

found=()
for target in "${targets[@]}"; do
    log=$build/logs/$target.log
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" || true)
    edges=$(grep -oE ' cov: [0-9]+' "$log" | tail -n 1 | tr -dc 0-9 || true)
    printf 'fuzz: %-12s %10s executions, %6s edges' "$target" "${executions:-?}" "${edges:-?}"
    if [ -e "$build/logs/$target.failed" ]; then
        found+=("$target")
        printf ', FOUND: %s\n' "$(grep -E 'ERROR: |runtime error: |Uncaught|terminating' "$log" | head -n 1)"
        sed -n 's/^artifact_prefix=.*Test unit written to /fuzz:   /p' "$log"
    else
        printf ', nothing found\n'
    fi
done
if [ "${#found[@]}" -gt 0 ]; then
    printf 'fuzz: error: findings in %s (inputs in %s, logs in %s)\n' "${found[*]}" "$build/crashes" "$build/logs" >&2
    exit 1
fi
