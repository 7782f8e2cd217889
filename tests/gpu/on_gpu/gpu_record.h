// SPDX-License-Identifier: MIT
// What gpu_record (gpu_record.cpp) measures on a GPU: parity (gpu_parity.cpp) and latencies
// (gpu_latency.cpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/gpu/iir/gpu_iir_testing.h"

namespace gpu_record {

using namespace gpu_iir_test;

struct Options {
    std::string out;
    int device = 0;
    std::vector<std::int64_t> sizes{1024, 2048, 4096, 8192};
    std::vector<int> filters{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<Precision> precisions{std::begin(all_precisions), std::end(all_precisions)};
    int samples = 30;
    std::string parity = "full";
    unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
    bool bench = true;
};

// Ends the program with the reason.
[[noreturn]] inline void stop(int code, const std::string& why) {
    std::fprintf(stderr, "gpu_record: error: %s\n", why.c_str());
    std::exit(code);
}

template <class T>
T value_or_stop(Result<T> result) {
    if (!result) stop(4, result.error().message);
    return std::move(*result);
}

inline void check(const Result<void>& result) {
    if (!result) stop(4, result.error().message);
}

inline std::string number(double v) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", v);
    return text;
}

struct Parity {
    int cases = 0;
    int beyond_bound = 0;
    int unlike_executor = 0;
    double worst_share = 0;  // of the bound
    std::vector<std::string> failures;
};

struct Latency {
    std::string what;
    std::string kernel;
    std::int64_t size = 0;
    std::vector<double> ms;
    std::vector<double> copy_ms;
};

inline double median(std::vector<double> v) {
    std::ranges::sort(v);
    return v.empty() ? 0 : v[v.size() / 2];
}

// Compares every case of the matrix, on options.jobs threads.
Parity measure_parity(const Device& device, const Options& options);

// Times filters, adjoints, gradients and pooling, each beside a copy.
std::vector<Latency> measure_latencies(const Device& device, const Options& options);

}  // namespace gpu_record
