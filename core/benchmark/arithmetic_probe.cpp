// SPDX-License-Identifier: MIT
#include "core/benchmark/arithmetic_probe.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define WORKBENCH_X86_ARITHMETIC 1
#include <immintrin.h>
#endif

namespace workbench {

namespace {

// As many independent chains as hide the latency of a multiply-add (4 or 5 cycles) on two units, and still
// fit in 16 registers beside the two operands.
constexpr int chains = 12;
constexpr int rounds = 15;
constexpr double round_seconds = 0.02;
constexpr double factor = 0.999999;  // with `addend` every chain goes to 1 and stays a normal number
constexpr double addend = 1 - factor;

// `steps` multiply-adds in each chain; the sum keeps the compiler from leaving them out.
using Loop = double (*)(std::int64_t steps);

struct Kernel {
    Loop f32;
    Loop f64;
    int lanes_f32;
    int lanes_f64;
    std::string_view name;
};

template <class T>
double plain(std::int64_t steps) {
    T chain[chains] = {};
    for (std::int64_t i = 0; i < steps; ++i) {
        for (T& c : chain) c = c * static_cast<T>(factor) + static_cast<T>(addend);
    }
    double sum = 0;
    for (const T c : chain) sum += static_cast<double>(c);
    return sum;
}

#if defined(WORKBENCH_X86_ARITHMETIC)

// One loop for each width: a function with a target attribute takes no other's intrinsics inline.
#define WORKBENCH_ARITHMETIC_LOOP(name, features, vector, scalar, set1, zero, step, first)             \
    __attribute__((target(features))) double name(std::int64_t steps) {                                \
        vector chain[chains];                                                                          \
        for (vector & c : chain) c = zero();                                                           \
        const vector m = set1(static_cast<scalar>(factor));                                            \
        const vector a = set1(static_cast<scalar>(addend));                                            \
        for (std::int64_t i = 0; i < steps; ++i) {                                                     \
            _Pragma("GCC unroll 12") for (int k = 0; k < chains; ++k) chain[k] = step(chain[k], m, a); \
        }                                                                                              \
        double sum = 0;                                                                                \
        for (const vector& c : chain) sum += static_cast<double>(first(c));                            \
        return sum;                                                                                    \
    }

#define WORKBENCH_STEP_SSE_PS(c, m, a) _mm_add_ps(_mm_mul_ps(c, m), a)
#define WORKBENCH_STEP_SSE_PD(c, m, a) _mm_add_pd(_mm_mul_pd(c, m), a)

WORKBENCH_ARITHMETIC_LOOP(sse_f32, "sse2", __m128, float, _mm_set1_ps, _mm_setzero_ps, WORKBENCH_STEP_SSE_PS,
                          _mm_cvtss_f32)
WORKBENCH_ARITHMETIC_LOOP(sse_f64, "sse2", __m128d, double, _mm_set1_pd, _mm_setzero_pd,
                          WORKBENCH_STEP_SSE_PD, _mm_cvtsd_f64)
WORKBENCH_ARITHMETIC_LOOP(avx2_f32, "avx2,fma", __m256, float, _mm256_set1_ps, _mm256_setzero_ps,
                          _mm256_fmadd_ps, _mm256_cvtss_f32)
WORKBENCH_ARITHMETIC_LOOP(avx2_f64, "avx2,fma", __m256d, double, _mm256_set1_pd, _mm256_setzero_pd,
                          _mm256_fmadd_pd, _mm256_cvtsd_f64)
WORKBENCH_ARITHMETIC_LOOP(avx512_f32, "avx512f", __m512, float, _mm512_set1_ps, _mm512_setzero_ps,
                          _mm512_fmadd_ps, _mm512_cvtss_f32)
WORKBENCH_ARITHMETIC_LOOP(avx512_f64, "avx512f", __m512d, double, _mm512_set1_pd, _mm512_setzero_pd,
                          _mm512_fmadd_pd, _mm512_cvtsd_f64)

const Kernel& kernel() {
    static const Kernel chosen = [] {
        if (__builtin_cpu_supports("avx512f"))
            return Kernel{avx512_f32, avx512_f64, 16, 8, "fused multiply-add, AVX-512"};
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
            return Kernel{avx2_f32, avx2_f64, 8, 4, "fused multiply-add, AVX2"};
        return Kernel{sse_f32, sse_f64, 4, 2, "multiply and add, SSE2"};
    }();
    return chosen;
}

#else

const Kernel& kernel() {
    static const Kernel chosen{plain<float>, plain<double>, 1, 1,
                               "multiply and add, as the compiler makes it"};
    return chosen;
}

#endif

using Clock = std::chrono::steady_clock;

std::atomic<double> sink{0};  // where the sums go, so that they are used

double seconds_of(Loop loop, std::int64_t steps) {
    const auto start = Clock::now();
    sink.store(loop(steps), std::memory_order_relaxed);
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// How many steps take a round on one thread.
std::int64_t calibrated(Loop loop) {
    std::int64_t steps = 4096;
    for (;;) {
        const double seconds = seconds_of(loop, steps);
        if (seconds > round_seconds / 4)
            return std::max<std::int64_t>(
                1, static_cast<std::int64_t>(static_cast<double>(steps) * round_seconds / seconds));
        steps *= 4;
    }
}

// One round on all threads, from when the last is ready to when the last is done: seconds.
double round_of(Loop loop, std::int64_t steps, int threads) {
    std::vector<Clock::time_point> begun(static_cast<std::size_t>(threads));
    std::vector<Clock::time_point> ended(begun.size());
    std::barrier together(threads);
    const auto work = [&](std::size_t index) {
        together.arrive_and_wait();
        begun[index] = Clock::now();
        sink.store(loop(steps), std::memory_order_relaxed);
        ended[index] = Clock::now();
    };
    {
        std::vector<std::jthread> others;
        others.reserve(begun.size() - 1);
        std::size_t started = 1;
        try {
            for (; started < begun.size(); ++started) others.emplace_back(work, started);
        } catch (...) {
            // Those that there are wait for all.
            for (std::size_t missing = started; missing <= begun.size(); ++missing)
                together.arrive_and_drop();
            throw;
        }
        work(0);
    }
    return std::chrono::duration<double>(*std::ranges::max_element(ended) - *std::ranges::min_element(begun))
        .count();
}

}  // namespace

Result<ArithmeticCeiling> measure_arithmetic(int threads, const TaskControl& control) {
    if (threads < 1)
        return fail(ErrorKind::bad_argument,
                    "threads " + std::to_string(threads) + " is out of range: at least 1");
    const Kernel& k = kernel();
    ArithmeticCeiling ceiling{.threads = threads, .method = k.name};
    int done = 0;
    const auto measure = [&](Loop loop, int lanes, std::vector<double>& all, double& most) -> bool {
        const std::int64_t steps = calibrated(loop);
        const double operations =
            2.0 * chains * lanes * static_cast<double>(steps) * static_cast<double>(threads);
        for (int i = 0; i < rounds; ++i) {
            if (control.cancelled()) return false;
            control.report(static_cast<double>(done++) / (2 * rounds), "measuring the arithmetic ceiling");
            all.push_back(operations / round_of(loop, steps, threads) / 1e9);
        }
        most = std::ranges::max(all);
        return true;
    };
    try {
        if (!measure(k.f32, k.lanes_f32, ceiling.rounds_f32, ceiling.gflops_f32) ||
            !measure(k.f64, k.lanes_f64, ceiling.rounds_f64, ceiling.gflops_f64))
            return fail(ErrorKind::cancelled, "measuring the arithmetic ceiling was cancelled");
    } catch (const std::exception&) {
        return fail(ErrorKind::device_failure,
                    "the system has no room for " + std::to_string(threads) + " threads: give fewer");
    }
    return ceiling;
}

}  // namespace workbench
