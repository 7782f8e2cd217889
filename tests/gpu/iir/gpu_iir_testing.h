// SPDX-License-Identifier: MIT
// Runs an IIR job's launches through the executor, on plain memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/iir/gpu_plan.h"
#include "kernels/iir/plan_checks.h"
#include "tests/gpu/executor/executor.h"
#include "tests/kernels/iir/iir_testing.h"

namespace gpu_iir_test {

using namespace iir2d;
using namespace iir_test;

// Runs the kernel of a name; tests that plant faults put their own in its place.
using RunKernel = std::function<void(std::string_view name, const gpu_test::LaunchShape&,
                                     const void* parameters, const gpu_test::ExecutorOptions&)>;

inline void run_product_kernel(std::string_view name, const gpu_test::LaunchShape& shape,
                               const void* parameters, const gpu_test::ExecutorOptions& options) {
    const auto entries = gpu_test::kernel_entries();
    const auto entry =
        std::ranges::find(entries, name, [](const auto& e) { return std::string_view(e.name); });
    if (entry == entries.end()) throw std::runtime_error("no kernel is called " + std::string(name));
    entry->run(shape, parameters, options);
}

struct Run {
    std::uint64_t seed = 0;
    bool in_place = false;
    bool adjoint = false;
    std::int64_t row_gap = 0;    // unused elements after each row
    std::int64_t plane_gap = 0;  // and after each plane
    iir::GpuWays ways = {};      // of a filter
    RunKernel kernel = run_product_kernel;
};

struct Outcome {
    std::vector<double> y;
    int launches = 0;
    bool wrote_in_a_gap = false;
};

template <class S>
Outcome run_as(const FilterDesc& desc, const std::vector<double>& x, const Run& run) {
    const auto filters = iir::filters_of(desc);
    if (!filters) throw std::runtime_error(filters.error().message);
    const auto filter = run.adjoint ? iir::make_gpu_adjoint(desc, filters->front())
                                    : iir::make_gpu_filter_by(desc, filters->front(), run.ways);
    const Shape& s = desc.shape;
    const std::int64_t row = s.w + run.row_gap;
    const std::int64_t plane = s.h * row + run.plane_gap;
    const auto place = [&](std::int64_t p, std::int64_t r) {
        return static_cast<std::size_t>(p * plane + r * row);
    };
    constexpr S gap = S(-12345);
    std::vector<S> in(static_cast<std::size_t>(s.n * s.c * plane), gap);
    const auto width = static_cast<std::size_t>(s.w);
    auto next = x.begin();
    for (std::int64_t p = 0; p < s.n * s.c; ++p) {
        for (std::int64_t r = 0; r < s.h; ++r) {
            for (std::size_t c = 0; c < width; ++c) in[place(p, r) + c] = static_cast<S>(*next++);
        }
    }
    std::vector<S> other(run.in_place ? 0 : in.size(), gap);
    std::vector<S>& out = run.in_place ? in : other;
    // All bits set, a NaN: what is read before it is written shows.
    std::vector<S> workspace(filter.workspace_bytes / sizeof(S));
    if (!workspace.empty()) std::memset(workspace.data(), 0xff, filter.workspace_bytes);
    const auto planes = [&](std::vector<S>& v) {
        return iir::GpuPlanes{reinterpret_cast<std::uintptr_t>(v.data()), row, plane};
    };
    Outcome outcome;
    iir::for_each_launch(filter, planes(in), planes(out), reinterpret_cast<std::uintptr_t>(workspace.data()),
                         [&](const iir::GpuLaunch& launch) {
                             ++outcome.launches;
                             run.kernel(launch.kernel,
                                        {{launch.blocks, 1, 1}, {launch.threads, 1, 1}, launch.shared_bytes},
                                        launch.parameters, {.seed = run.seed});
                             return true;
                         });
    for (std::int64_t p = 0; p < s.n * s.c; ++p) {
        for (std::int64_t r = 0; r < s.h; ++r) {
            for (std::size_t c = 0; c < width; ++c) {
                outcome.y.push_back(static_cast<double>(out[place(p, r) + c]));
                out[place(p, r) + c] = gap;
            }
        }
    }
    outcome.wrote_in_a_gap = std::ranges::any_of(out, [](S v) { return v != gap; });
    return outcome;
}

inline Outcome run_gpu(const FilterDesc& desc, const std::vector<double>& x, const Run& run = {}) {
    return desc.precision == Precision::f64 ? run_as<double>(desc, x, run) : run_as<float>(desc, x, run);
}

// The same bits; any NaN is as good as another.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(a, b, [](double p, double q) {
        return (std::isnan(p) && std::isnan(q)) || std::memcmp(&p, &q, sizeof p) == 0;
    });
}

}  // namespace gpu_iir_test
