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
    ci-asan) targets=(iir_test kernels_pool_test kernels_support_test device_test core_batch_test
                      core_evidence_test core_files_test core_support_test recipe_test) ;;
    ci-tsan) targets=(core_benchmark_test core_support_test core_worker_test preview_test) ;;
    *) printf 'sanitized: error: there is no set of tests for %s\n' "$preset" >&2; exit 2 ;;
esac

mkdir -p "$build"
{ cmake --preset "$preset" && cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"; } \
    > "$build/build.log" 2>&1 || { tail -n 40 "$build/build.log" >&2; exit 1; }
echo "sanitized: built in $SECONDS s"

# The first report ends the test; leaks count too.
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
# Images are read in the tests themselves: a worker's limits count the sanitizer's memory, its filter denies what it calls.
export IIR2D_IMAGES_IN_PROCESS=1

# run FOLDER CTEST_ARGUMENT...: runs those of the tests in FOLDER.
run() {
    local folder=$1 log=$build/tests.log
    shift
    ctest --test-dir "$build/tests/$folder" "$@" --output-on-failure --no-tests=error --parallel "$jobs" \
        > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
    echo "sanitized: $folder: $(grep -E '^[0-9]+% tests passed' "$log") in $SECONDS s from the start"
}
case $preset in
    # The C interface of filters and pooling: values, views, gradients and what they refuse. Without those of polling,
    # whose images are large. What is not built is no test.
    ci-asan)
        run kernels -R "^(FilterC|PoolC|PoolErrors|PoolBackward|PoolShape)" -E "Poll|_NOT_BUILT"
        for folder in device support; do run "kernels/$folder" -E _NOT_BUILT; done
        # This one filters whole photographs thirty times, and takes minutes.
        run core -E "RecipeScaled.AProxyLooksLikeTheResult|^core_image_|^compile_test|^ptx\.|_NOT_BUILT" ;;
    ci-tsan) run core -L "^threads$" ;;
esac
