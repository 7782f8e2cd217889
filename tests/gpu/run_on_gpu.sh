#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that only a GPU can show, on any Linux machine with an NVIDIA driver, nvcc, a C++23 compiler and CMake:
# builds libiir2d and its GPU tests (no Qt, no OpenImageIO), runs the whole parity matrix on the GPU, then
# compute-sanitizer on a small one where it is installed, then latencies beside device-to-device copies, and writes a
# record. Boost.Context (libboost-context-dev), where it is installed, adds the comparison with the executor to the bit.
# usage: tests/gpu/run_on_gpu.sh [OUT_DIR]   (default: out/gpu)
#
# Where IIR2D_GPU_WHEEL names a wheel of the Python package and python3 has torch or jax with CUDA, the package's tests on a
# GPU and its times follow. scripts/gpu_page.py makes docs/gpu-measured.md of record.json and python.json.
#
# Environment: IIR2D_GPU_BUILD (build folder, default build/gpu), IIR2D_GTEST (a GoogleTest source folder, default
# /usr/src/googletest when no package is installed), IIR2D_GPU_SIZES (default 1024,2048,4096,8192), IIR2D_GPU_RECORD (a
# gpu_record that was built elsewhere: nothing is built), IIR2D_GPU_WHEEL.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

out=${1:-out/gpu}
build=${IIR2D_GPU_BUILD:-build/gpu}
record=${IIR2D_GPU_RECORD:-$build/bin/gpu_record}
sizes=${IIR2D_GPU_SIZES:-1024,2048,4096,8192}
say() { printf 'run_on_gpu: %s\n' "$*"; }
die() { printf 'run_on_gpu: error: %s\n' "$*" >&2; exit 1; }

command -v nvidia-smi >/dev/null || say "there is no nvidia-smi; going on, the library says whether it finds a driver"
mkdir -p "$out"

build_record() {
    # Only the machine's own architecture: minutes are few where a GPU is lent.
    arch=${IIR2D_GPU_ARCH:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d . || true)}
    say "building for sm_${arch:=90} in $build"
    generator=()
    command -v ninja >/dev/null && generator=(-G Ninja)
    cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DIIR2D_BUILD_WORKBENCH=OFF -DIIR2D_CUDA=ON \
        -DIIR2D_BUILD_BENCH=OFF -DIIR2D_CUDA_ARCHITECTURES="$arch" ${IIR2D_GTEST:+-DGTEST_SOURCE_DIR="$IIR2D_GTEST"} \
        >"$out/configure.log" 2>&1 || { tail -n 20 "$out/configure.log" >&2; die "cmake could not configure"; }
    cmake --build "$build" --parallel --target gpu_record >"$out/build.log" 2>&1 ||
        { grep -E 'error' -A3 "$out/build.log" | head -n 40 >&2; die "the build failed"; }
}
[ -n "${IIR2D_GPU_RECORD:-}" ] || build_record

status=0
say "parity and latencies"
"$record" --out "$out/record.json" --sizes "$sizes" || status=$?

if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        say "compute-sanitizer, $tool"
        compute-sanitizer --tool "$tool" --error-exitcode 9 "$record" --out "$out/$tool.json" \
            --parity small --no-bench >"$out/$tool.log" 2>&1 || { status=9; tail -n 30 "$out/$tool.log"; }
    done
else
    say "compute-sanitizer is not installed: memcheck and racecheck were not run"
fi

if [ -n "${IIR2D_GPU_WHEEL:-}" ]; then
    site=$(mktemp -d)
    trap 'rm -rf "$site"' EXIT
    python3 -m pip install --quiet --no-index --no-deps --target "$site" "$IIR2D_GPU_WHEEL" ||
        die "the wheel $IIR2D_GPU_WHEEL could not be installed"
    export PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1
    say "the Python package: smoke test, tests, times"
    python3 -m iir2d.smoke --gpu require || status=9
    python3 -m pytest -p no:cacheprovider tests/python/test_real_gpu.py >"$out/python-tests.log" 2>&1 || status=9
    tail -n 1 "$out/python-tests.log"
    python3 tests/python/gpu_bench.py --json "$out/python.json" >"$out/python-times.log" 2>&1 || status=9
fi
say "record: $out/record.json"
exit "$status"
