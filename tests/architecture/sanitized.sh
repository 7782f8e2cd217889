#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the tests that CI runs under sanitizers, and runs them (docs/checks.md says which and why).
# usage: tests/architecture/sanitized.sh ci-asan|ci-tsan [JOBS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

preset=${1:?usage: sanitized.sh ci-asan|ci-tsan [JOBS]}
jobs=${2:-$(nproc)}
build=build/$preset
case $preset in
    # The C interface of filters and pooling: values, views, gradients and what they refuse. Without those of polling,
    # whose images are large.
    ci-asan) targets=(iir_test kernels_pool_test) folders=(kernels)
             which=(-R "^(FilterC|PoolC|PoolErrors|PoolBackward|PoolShape)" -E "Poll") ;;
    ci-tsan) targets=(preview_test core_benchmark_test) folders=(core/preview core/benchmark) which=(-L "^threads$") ;;
    *) printf 'sanitized: error: there is no set of tests for %s\n' "$preset" >&2; exit 2 ;;
esac

mkdir -p "$build"
{ cmake --preset "$preset" && cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"; } \
    > "$build/build.log" 2>&1 || { tail -n 40 "$build/build.log" >&2; exit 1; }
echo "sanitized: built in $SECONDS s"

# The first report ends the test; leaks count too.
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
for folder in "${folders[@]}"; do
    ctest --test-dir "$build/tests/$folder" "${which[@]}" --output-on-failure --no-tests=error --parallel "$jobs" \
        > "$build/tests.log" 2>&1 || { cat "$build/tests.log" >&2; exit 1; }
    echo "sanitized: $folder: $(grep -E '^[0-9]+% tests passed' "$build/tests.log")"
done
