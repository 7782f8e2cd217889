// SPDX-License-Identifier: MIT
// How the programs for kernels name and run their cases.
#pragma once

#include <benchmark/benchmark.h>

#include <initializer_list>
#include <limits>
#include <string>
#include <utility>

#include "tests/bench/samples.h"

namespace bench {

// `body` takes the benchmark::State and gives the time of each iteration itself.
template <class Body>
void add_case(const std::string& name, Body body) {
    benchmark::RegisterBenchmark(name.c_str(), std::move(body))
        ->UseManualTime()
        ->Iterations(samples_each)
        ->Unit(benchmark::kMillisecond);
}

inline std::string threads_part(int threads) {
    return "/threads:" + std::to_string(threads);
}

// What main() returns.
inline int run_cases(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

// Every case of a program has these, so that a table in CSV has the same columns for all: nan until they are
// set.
inline void name_counters(benchmark::State& state, std::initializer_list<const char*> names) {
    for (const char* name : names) state.counters[name] = std::numeric_limits<double>::quiet_NaN();
}

// Whether there are enough samples for figures. Where there are fewer the case says so in its label: an error
// would leave the table's other columns out.
inline bool has_samples(benchmark::State& state, std::size_t kept) {
    state.counters["kept"] = static_cast<double>(kept);
    if (kept >= least_samples) return true;
    state.SetLabel("busy: fewer than 7 samples without preemption");
    return false;
}

}  // namespace bench
