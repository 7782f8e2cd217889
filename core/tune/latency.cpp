// SPDX-License-Identifier: MIT
#include "core/tune/latency.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/benchmark/statistics.h"
#include "core/support/try.h"
#include "core/tune/problem.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int pair_count = 15;  // of which the median counts; a fresh decision is made once in each

// Microseconds that making a plan takes.
Result<double> making(const Problem& problem, const iir2d::Device& device, bool is_static) {
    const iir2d::Config config;
    const auto timed = [](const auto& make) -> Result<double> {
        const auto start = Clock::now();
        const auto plan = make();
        const auto end = Clock::now();
        if (!plan) return std::unexpected(from_kernel(plan.error()));
        return std::chrono::duration<double, std::micro>(end - start).count();
    };
    if (problem.filter() != nullptr) {
        const auto desc = filter_desc_of(problem);
        return timed([&] {
            return is_static ? iir2d::FilterPlan::make(device, desc, config)
                             : iir2d::FilterPlan::make(device, desc);
        });
    }
    const auto desc = pool_desc_of(problem);
    return timed([&] {
        return is_static ? iir2d::PoolPlan::make(device, desc, config, config)
                         : iir2d::PoolPlan::make(device, desc);
    });
}

// What a decision takes, as the median of pairs; `is_fresh`: none is kept from before.
Result<double> deciding(const Problem& problem, const iir2d::Device& device, std::string_view model,
                        bool is_fresh) {
    std::vector<double> more;
    for (int pair = 0; pair < pair_count; ++pair) {
        if (is_fresh) {
            iir2d::forget_models();
            IIR2D_RETURN_IF_ERROR(from_kernel(iir2d::load_model(model)));
        }
        IIR2D_TRY(const double plain, making(problem, device, true));
        IIR2D_TRY(const double chosen, making(problem, device, false));
        more.push_back(std::max(0.0, chosen - plain));
    }
    return median_in_place(more);
}

Result<DecisionTimes> times_of_decisions(std::string_view model_text, const std::string& purpose,
                                         const Measurements& all) {
    DecisionTimes made;
    std::vector<double> fresh;
    std::vector<double> cached;
    IIR2D_TRY(const auto device, from_kernel(iir2d::Device::cpu()));
    for (const MeasuredProblem& problem : all.problems) {
        if (problem.purpose != purpose) continue;
        IIR2D_TRY(const auto what, problem_from_spec(problem.spec));
        IIR2D_TRY(fresh.emplace_back(), deciding(what, device, model_text, true));
        IIR2D_TRY(cached.emplace_back(), deciding(what, device, model_text, false));
    }
    if (fresh.empty())
        return fail(ErrorKind::bad_argument, "there is no problem of " + purpose + " to decide");
    made.problems = fresh.size();
    made.fresh_us_p50 = percentile(fresh, 50);
    made.fresh_us_p99 = percentile(fresh, 99);
    made.cached_us_p50 = percentile(cached, 50);
    made.cached_us_p99 = percentile(cached, 99);
    return made;
}

}  // namespace

Result<DecisionTimes> decision_times(std::string_view model_text, const Measurements& all) {
    IIR2D_TRY(const auto model, from_kernel(iir2d::model_from_text(model_text)));
    const iir2d::TuneOptions before = iir2d::tune_options();
    iir2d::forget_models();
    iir2d::set_tune_options({.mode = iir2d::TuneMode::model});
    const auto start = Clock::now();
    const auto loaded = iir2d::load_model(model_text);
    const double load_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    Result<DecisionTimes> made;
    if (!loaded)
        made = std::unexpected(from_kernel(loaded.error()));
    else if (*loaded)
        made = fail(ErrorKind::bad_argument, "the model does not decide here (" +
                                                 std::string(iir2d::name_of(**loaded)) +
                                                 "), so that there is no time to tell");
    else
        made = times_of_decisions(model_text, model.purpose, all);
    iir2d::forget_models();
    iir2d::set_tune_options(before);
    if (made) made->load_ms = load_ms;
    return made;
}

}  // namespace workbench::tune
