// SPDX-License-Identifier: MIT
// The IIR kernels by filter, precision, size and threads, each beside copies of the same plane and, for
// filter 1, a plain loop. docs/measuring-kernels.md says how to read it.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "iir2d/plan.h"

namespace {

using namespace iir2d;

std::vector<float> plane(std::int64_t size) {
    std::vector<float> x(static_cast<std::size_t>(size * size));
    std::uint32_t state = 1;
    for (float& v : x) {
        state = state * 1664525U + 1013904223U;
        v = static_cast<float>(state >> 8) * 0x1p-24F;
    }
    return x;
}

void count_bytes(benchmark::State& state, std::int64_t size) {
    state.SetBytesProcessed(state.iterations() * size * size * 8);
}

void run_filter(benchmark::State& state, int id, Precision precision, int threads, std::int64_t size) {
    const auto x = plane(size);
    std::vector<float> y(x.size());
    const FilterDesc desc{.shape = {.h = size, .w = size}, .filter = {.id = id}, .precision = precision};
    const auto plan = FilterPlan::make(*Device::cpu(threads), desc);
    for ([[maybe_unused]] auto _ : state) {
        const auto done =
            plan->run({x.data(), ElementType::f32, desc.shape}, {y.data(), ElementType::f32, desc.shape});
        if (!done) state.SkipWithError(done.error().message.c_str());
    }
    count_bytes(state, size);
}

void run_memcpy(benchmark::State& state, std::int64_t size) {
    const auto x = plane(size);
    std::vector<float> y(x.size());
    for ([[maybe_unused]] auto _ : state) {
        std::memcpy(y.data(), x.data(), x.size() * sizeof(float));
        benchmark::ClobberMemory();
    }
    count_bytes(state, size);
}

#if defined(__SSE2__)
void copy_around_cache(const float* from, float* to, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 4) _mm_stream_ps(to + i, _mm_loadu_ps(from + i));
    _mm_sfence();
}

void run_stream_copy(benchmark::State& state, std::int64_t size, int threads) {
    const auto x = plane(size);
    std::vector<float> storage(x.size() + 16);
    float* y = storage.data();
    while (reinterpret_cast<std::uintptr_t>(y) % 64 != 0) ++y;
    const std::size_t half = x.size() / 2;
    for ([[maybe_unused]] auto _ : state) {
        if (threads == 1) {
            copy_around_cache(x.data(), y, x.size());
        } else {
            std::jthread other([&] { copy_around_cache(x.data() + half, y + half, half); });
            copy_around_cache(x.data(), y, half);
        }
    }
    count_bytes(state, size);
}
#endif

// What one writes without thinking: rows one after the other, columns vectorised over x by the compiler.
void run_plain_loop(benchmark::State& state, std::int64_t size) {
    const auto x = plane(size);
    std::vector<float> y(x.size());
    const auto n = static_cast<std::size_t>(size);
    constexpr float a = 0.85F;
    constexpr float b = 0.15F;
    for ([[maybe_unused]] auto _ : state) {
        for (std::size_t r = 0; r < n; ++r) {
            const float* in = x.data() + r * n;
            float* out = y.data() + r * n;
            float s = b * in[0];
            for (std::size_t c = 0; c < n; ++c) out[c] = s = b * in[c] + a * s;
        }
        for (std::size_t c = 0; c < n; ++c) y[c] = b * y[c] + a * b * y[c];
        for (std::size_t r = 1; r < n; ++r) {
            float* out = y.data() + r * n;
            const float* above = out - n;
            for (std::size_t c = 0; c < n; ++c) out[c] = b * out[c] + a * above[c];
        }
        benchmark::ClobberMemory();
    }
    count_bytes(state, size);
}

void add(const std::string& name, auto body) {
    benchmark::RegisterBenchmark(name.c_str(), body)->UseRealTime()->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
    for (const std::int64_t size : {1024, 4096}) {
        const std::string at = "/" + std::to_string(size);
        add("memcpy" + at, [size](benchmark::State& s) { run_memcpy(s, size); });
        add("plain_loop_filter_1" + at, [size](benchmark::State& s) { run_plain_loop(s, size); });
        for (const int threads : {1, 2}) {
            const std::string on = at + "/threads:" + std::to_string(threads);
#if defined(__SSE2__)
            add("stream_copy" + on, [=](benchmark::State& s) { run_stream_copy(s, size, threads); });
#endif
            for (const Precision precision : {Precision::f32, Precision::mixed}) {
                for (int id = 1; id <= 8; ++id) {
                    add("filter_" + std::to_string(id) + "/" + std::string(name_of(precision)) + on,
                        [=](benchmark::State& s) { run_filter(s, id, precision, threads, size); });
                }
            }
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
