// SPDX-License-Identifier: MIT
// Compares filters on a GPU, forward and backward, with the reference, and to the bit with the executor.
#include <atomic>
#include <cmath>

#include "tests/gpu/on_gpu/gpu_record.h"

namespace gpu_record {

namespace {

Result<std::vector<double>> run_on(const Device& device, const FilterDesc& desc,
                                   const std::vector<double>& x) {
    const auto plan = FilterPlan::make(device, desc);
    if (!plan) return std::unexpected(plan.error());
    const auto element = storage_type(desc.precision);
    const auto run = [&]<class S>(S) -> Result<std::vector<double>> {
        const std::vector<S> in(x.begin(), x.end());
        std::vector<S> out(x.size());
        if (auto done = plan->run({in.data(), element, desc.shape}, {out.data(), element, desc.shape}); !done)
            return std::unexpected(done.error());
        return std::vector<double>(out.begin(), out.end());
    };
    return element == ElementType::f64 ? run(double{}) : run(float{});
}

// The adjoint of `dy`, and with `x` the gradients of the parameters.
struct Gradients {
    std::vector<double> dx;
    std::vector<double> dp;
};

Result<Gradients> run_backward_on(const Device& device, const FilterDesc& desc, const std::vector<double>& x,
                                  const std::vector<double>& dy, std::size_t parameters) {
    const auto plan = FilterPlan::make(device, desc);
    if (!plan) return std::unexpected(plan.error());
    const auto element = storage_type(desc.precision);
    const auto run = [&]<class S>(S) -> Result<Gradients> {
        const std::vector<S> in(x.begin(), x.end());
        const std::vector<S> upstream(dy.begin(), dy.end());
        std::vector<S> out(dy.size());
        std::vector<double> dp(parameters);
        auto done = plan->backward({in.data(), element, desc.shape}, {upstream.data(), element, desc.shape},
                                   {out.data(), element, desc.shape}, dp);
        if (!done) return std::unexpected(done.error());
        return Gradients{std::vector<double>(out.begin(), out.end()), dp};
    };
    return element == ElementType::f64 ? run(double{}) : run(float{});
}

double largest(const std::vector<double>& values) {
    double result = 1.0;
    for (const double v : values) result = std::max(result, std::abs(v));
    return result;
}

// The backward pass of one case: the adjoint within the filter's bound times its largest value, and the
// gradient of the parameters within 1e-4 (f64: 1e-9) of the largest of them, which f64 alone has stored
// exactly.
void measure_backward(const Device& device, const FilterDesc& desc, const std::vector<double>& x, Parity& p) {
    const auto dy = random_plane(count_of(desc.shape), 77);
    std::vector<double> dx(dy.size());
    check(reference::filter_adjoint(desc, dy, dx));
    std::vector<double> dp(filter_row(desc.filter.id)->parameters.size());
    const bool with_dp = desc.precision == Precision::f64 && count_of(desc.shape) < 10000;
    if (with_dp) check(reference::filter_gradient(desc, x, dy, dp));
    const auto found = value_or_stop(run_backward_on(device, desc, x, dy, with_dp ? dp.size() : 0));
    const double bound =
        *value_or_stop(FilterPlan::make(device, desc)).precision().max_abs_error * largest(dx);
    const double error = max_abs_difference(found.dx, dx);
#if defined(IIR2D_HAS_EXECUTOR)
    const bool same = same_bits(found.dx, run_gpu(desc, dy, {.adjoint = true}).y);
#else
    const bool same = true;
#endif
    const double dp_error = with_dp ? max_abs_difference(found.dp, dp) / largest(dp) : 0.0;
    const bool good = error <= bound && dp_error <= 1e-9;
    ++p.cases;
    p.worst_share = std::max(p.worst_share, error / bound);
    if (!good) ++p.beyond_bound;
    if (!same) ++p.unlike_executor;
    if ((!good || !same) && p.failures.size() < 50) {
        p.failures.push_back(describe(desc) + " backward: error " + number(error) + " of " + number(bound) +
                             ", of the parameters " + number(dp_error) +
                             (same ? "" : ", bits unlike the executor's"));
    }
}

// One filter on one image size under one border and start, in all precisions, forward and backward.
struct ParityCase {
    int id = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
    Border border = Border::mirror;
    Start start = Start::truncated;
};

void measure_case(const Device& device, const Options& options, const ParityCase& c, Parity& p) {
    const auto x = random_plane(c.width * c.height, static_cast<unsigned>(c.id));
    FilterDesc desc{.shape = {.h = c.height, .w = c.width},
                    .filter = {.id = c.id},
                    .border = c.border,
                    .border_const = 0.25,
                    .start = c.start};
    const auto expected = run_reference(desc, x);
    for (const Precision precision : options.precisions) {
        desc.precision = precision;
        const auto y = value_or_stop(run_on(device, desc, x));
        const double bound = *value_or_stop(FilterPlan::make(device, desc)).precision().max_abs_error;
        const double error = max_abs_difference(y, expected);
#if defined(IIR2D_HAS_EXECUTOR)
        const bool same = same_bits(y, run_gpu(desc, x).y);
#else
        const bool same = true;  // not compared; the record says so
#endif
        ++p.cases;
        p.worst_share = std::max(p.worst_share, error / bound);
        if (!(error <= bound)) ++p.beyond_bound;
        if (!same) ++p.unlike_executor;
        if ((!(error <= bound) || !same) && p.failures.size() < 50) {
            p.failures.push_back(describe(desc) + ": error " + number(error) + " of " + number(bound) +
                                 (same ? "" : ", bits unlike the executor's"));
        }
        measure_backward(device, desc, x, p);
    }
}

void add(const Parity& from, Parity& to) {
    to.cases += from.cases;
    to.beyond_bound += from.beyond_bound;
    to.unlike_executor += from.unlike_executor;
    to.worst_share = std::max(to.worst_share, from.worst_share);
    to.failures.insert(to.failures.end(), from.failures.begin(), from.failures.end());
}

}  // namespace

Parity measure_parity(const Device& device, const Options& options) {
    using Size = std::pair<std::int64_t, std::int64_t>;
    std::vector<Size> sizes;
    // Large ones first, so that the threads end together.
    if (options.parity == "full") {
        sizes = {{2048, 1030}, {1000, 777}, {1, 70000}, {70000, 1}, {20, 1100}, {700, 20},
                 {257, 129},   {33, 65},    {5, 3},     {7, 1},     {1, 7},     {1, 1}};
    } else if (options.parity == "small") {
        sizes = {{33, 65}, {5, 3}, {1, 1}};
    }
    std::vector<ParityCase> cases;
    for (const auto& [width, height] : sizes) {
        for (const int id : options.filters) {
            for (const Border border : all_borders) {
                for (const Start start : all_starts) cases.push_back({id, width, height, border, start});
            }
        }
    }
    std::atomic<std::size_t> next = 0;
    std::vector<Parity> found(options.jobs);
    {
        std::vector<std::jthread> threads;
        for (Parity& p : found) {
            threads.emplace_back([&] {
                for (std::size_t i = next++; i < cases.size(); i = next++)
                    measure_case(device, options, cases[i], p);
            });
        }
    }
    Parity all;
    for (const Parity& p : found) add(p, all);
    if (all.failures.size() > 50) all.failures.resize(50);
    return all;
}

}  // namespace gpu_record
