// SPDX-License-Identifier: MIT
// The IIR kernels by filter, precision, size and threads. Every sample of a filter is taken beside one of
// each thing it is compared with, so that a machine that drifts drifts for all of them; the counters are
// medians and ratios of medians. docs/measuring-kernels.md says how to run it and read it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "iir2d/plan.h"
#include "tests/bench/registration.h"
#include "tests/bench/samples.h"
#include "tests/bench/team.h"
#include "tests/bench/yardsticks.h"

namespace {

using namespace iir2d;
using bench::Plane;
using bench::Samples;
using bench::seconds_of;
using bench::Team;

struct Case {
    int id;
    Precision precision;
    std::int64_t size;
    int threads;
};

template <class S>
void run_case(benchmark::State& state, const Case& c) {
    const FilterDesc desc{
        .shape = {.h = c.size, .w = c.size}, .filter = {.id = c.id}, .precision = c.precision};
    const auto plan = FilterPlan::make(*Device::cpu(c.threads), desc);
    if (!plan) return state.SkipWithError(plan.error().message.c_str());
    const auto element = storage_type(c.precision);
    const Plane<S> x(c.size, true);
    Plane<S> y(c.size, false);
    Plane<S> compared(c.size, false);
    Team team(c.threads);
    const bool against_plain = c.precision == Precision::f32 && (c.id == 1 || c.id == 7);

    Samples filter;
    Samples stream;
    Samples copy;
    Samples plain;
    const auto round = [&](Samples& f, Samples& s, Samples& m, Samples& p) -> double {
        const double seconds = f.take([&] {
            return seconds_of([&] {
                const auto done = plan->run({x.data(), element, desc.shape}, {y.data(), element, desc.shape});
                if (!done) state.SkipWithError(done.error().message.c_str());
            });
        });
        s.take([&] { return bench::stream_copy(team, x, compared); });
        m.take([&] { return bench::memory_copy(team, x, compared); });
        if constexpr (sizeof(S) == sizeof(float)) {
            if (against_plain) p.take([&] { return bench::plain_filter_1(team, x, compared); });
        }
        return seconds;
    };
    Samples cold[4];  // the first round warms caches, pages and threads
    round(cold[0], cold[1], cold[2], cold[3]);
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(round(filter, stream, copy, plain));

    if (!bench::has_samples(state, std::min({filter.kept(), stream.kept(), copy.kept()}))) return;
    const double middle = filter.median();
    state.counters["p50_ms"] = middle * 1e3;
    state.counters["x_stream"] = middle / stream.median();
    state.counters["x_memcpy"] = middle / copy.median();
    state.counters["stream_ms"] = stream.median() * 1e3;
    if (against_plain && plain.kept() >= bench::least_samples) {
        state.counters["plain_ms"] = plain.median() * 1e3;
        state.counters["x_plain"] = middle / plain.median();
    }
}

// The backward pass beside the forward one: for x alone, and for x and the parameters.
template <class S>
void run_backward(benchmark::State& state, const Case& c) {
    const FilterDesc desc{
        .shape = {.h = c.size, .w = c.size}, .filter = {.id = c.id}, .precision = c.precision};
    const auto plan = FilterPlan::make(*Device::cpu(c.threads), desc);
    if (!plan) return state.SkipWithError(plan.error().message.c_str());
    const auto element = storage_type(c.precision);
    const Plane<S> x(c.size, true);
    const Plane<S> dy(c.size, true);
    Plane<S> out(c.size, false);
    std::vector<double> dp(filter_row(c.id)->parameters.size());
    const ConstTensorView x_view{x.data(), element, desc.shape};
    const ConstTensorView dy_view{dy.data(), element, desc.shape};
    const TensorView out_view{out.data(), element, desc.shape};

    Samples forward;
    Samples adjoint;
    Samples gradients;
    const auto round = [&](Samples& f, Samples& a, Samples& g) -> double {
        const auto time = [&](Samples& samples, const auto& pass) {
            return samples.take([&] {
                return seconds_of([&] {
                    const auto done = pass();
                    if (!done) state.SkipWithError(done.error().message.c_str());
                });
            });
        };
        time(f, [&] { return plan->run(x_view, out_view); });
        const double seconds = time(a, [&] { return plan->backward({}, dy_view, out_view); });
        time(g, [&] { return plan->backward(x_view, dy_view, out_view, dp); });
        return seconds;
    };
    Samples cold[3];
    round(cold[0], cold[1], cold[2]);
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(round(forward, adjoint, gradients));

    if (!bench::has_samples(state, std::min({forward.kept(), adjoint.kept(), gradients.kept()}))) return;
    state.counters["p50_ms"] = adjoint.median() * 1e3;
    state.counters["forward_ms"] = forward.median() * 1e3;
    state.counters["x_forward"] = adjoint.median() / forward.median();
    state.counters["with_parameters_ms"] = gradients.median() * 1e3;
    state.counters["with_parameters_x_forward"] = gradients.median() / forward.median();
}

void add_backward(const Case& c) {
    const std::string name = "backward_" + std::to_string(c.id) + "/" + std::string(name_of(c.precision)) +
                             "/" + std::to_string(c.size) + bench::threads_part(c.threads);
    bench::add_case(name, [c](benchmark::State& state) {
        if (c.precision == Precision::f64)
            run_backward<double>(state, c);
        else
            run_backward<float>(state, c);
    });
}

void add(const Case& c) {
    const std::string name = "filter_" + std::to_string(c.id) + "/" + std::string(name_of(c.precision)) +
                             "/" + std::to_string(c.size) + bench::threads_part(c.threads);
    bench::add_case(name, [c](benchmark::State& state) {
        if (c.precision == Precision::f64)
            run_case<double>(state, c);
        else
            run_case<float>(state, c);
    });
}

}  // namespace

int main(int argc, char** argv) {
    for (const std::int64_t size : {1024, 4096, 8192}) {
        for (const int threads : {1, 2}) {
            if (threads > Device::cpu()->threads()) continue;
            for (const Precision precision : {Precision::f32, Precision::mixed, Precision::f64}) {
                for (int id = 1; id <= 8; ++id) add({id, precision, size, threads});
                for (int id = 1; id <= 8; ++id) add_backward({id, precision, size, threads});
            }
        }
    }
    return bench::run_cases(argc, argv);
}
