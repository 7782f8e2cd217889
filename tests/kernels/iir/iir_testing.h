// SPDX-License-Identifier: MIT
// What the tests of the IIR engine share.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "iir2d/plan.h"
#include "iir2d/reference.h"

namespace iir_test {

// The first `count` values of the sequence of a seed. A sequence is drawn once: tests ask for the same ones
// again and again.
inline std::vector<double> random_plane(std::int64_t count, unsigned seed) {
    struct Sequence {
        std::mt19937_64 engine;
        std::vector<double> drawn;
    };
    static std::map<unsigned, Sequence> sequences;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    auto& [engine, drawn] = sequences.try_emplace(seed, Sequence{std::mt19937_64(seed), {}}).first->second;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    // Floats, so that the same values can be stored in every precision.
    while (std::ssize(drawn) < count) drawn.push_back(static_cast<float>(uniform(engine)));
    return {drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(count)};
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

inline std::int64_t count_of(const iir2d::Shape& s) {
    return s.n * s.c * s.h * s.w;
}

// The backend's result as doubles, through dense buffers of the precision's type.
inline iir2d::Result<std::vector<double>> run_cpu(const iir2d::FilterDesc& desc, const std::vector<double>& x,
                                                  int threads = 2) {
    const auto device = iir2d::Device::cpu(threads);
    const auto plan = iir2d::FilterPlan::make(*device, desc);
    if (!plan) return std::unexpected(plan.error());
    const auto element = iir2d::storage_type(desc.precision);
    const auto run = [&]<class S>(S) -> iir2d::Result<std::vector<double>> {
        const std::vector<S> in(x.begin(), x.end());
        std::vector<S> out(x.size());
        const auto done = plan->run({in.data(), element, desc.shape}, {out.data(), element, desc.shape});
        if (!done) return std::unexpected(done.error());
        return std::vector<double>(out.begin(), out.end());
    };
    return element == iir2d::ElementType::f64 ? run(double{}) : run(float{});
}

// The same in every precision.
inline std::vector<double> run_reference(const iir2d::FilterDesc& desc, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    const auto done = iir2d::reference::filter(desc, x, y);
    if (!done) throw std::runtime_error(done.error().message);
    return y;
}

inline double max_abs_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = std::abs(a[i] - b[i]);
        if (!(d <= worst)) worst = d;  // NaN counts as worst
    }
    return worst;
}

inline std::string describe(const iir2d::FilterDesc& d) {
    return "filter " + std::to_string(d.filter.id) + " " + std::string(name_of(d.border)) + " " +
           std::string(name_of(d.precision)) + " " + std::string(name_of(d.start)) + " " +
           std::to_string(d.shape.w) + "x" + std::to_string(d.shape.h);
}

constexpr iir2d::Border all_borders[] = {iir2d::Border::clamp, iir2d::Border::mirror, iir2d::Border::wrap,
                                         iir2d::Border::constant};
constexpr iir2d::Precision all_precisions[] = {iir2d::Precision::f32, iir2d::Precision::mixed,
                                               iir2d::Precision::f64};
constexpr iir2d::Start all_starts[] = {iir2d::Start::truncated, iir2d::Start::steady};
// Every border with every start.
struct Mode {
    iir2d::Border border;
    iir2d::Start start;
};
inline const std::vector<Mode> all_modes = [] {
    std::vector<Mode> made;
    for (const iir2d::Border border : all_borders) {
        for (const iir2d::Start start : all_starts) made.push_back({border, start});
    }
    return made;
}();

}  // namespace iir_test
