// SPDX-License-Identifier: MIT
#include "core/solve/descent.h"

#include <algorithm>
#include <cmath>

#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace workbench::solve {

namespace {

constexpr double default_adam_step = 0.1;
constexpr double armijo_share = 1e-4;
constexpr int most_halvings = 60;

struct Descender {
    const Objective& objective;
    const DescentOptions& options;
    const Common& common;
    Engine& engine;
    Vector at;
    Evaluation now = {};
    // Of Armijo's rule: the step that was taken last. Of Adam: moments.
    double last_step = 1;
    Vector mean = {}, square = {};
    double power1 = 1, power2 = 1, share = 1;

    void keep_in_range(Vector& parameters) const {
        if (!options.range) return;
        for (double& one : parameters) one = std::clamp(one, options.range->first, options.range->second);
    }

    Result<Vector> along_gradient(double step) const {
        Vector made(at.size());
        IIR2D_RETURN_IF_ERROR(engine.run("add_scaled", {now.gradient, at, Value::out(made), -step},
                                         static_cast<std::int32_t>(at.size()), 1));
        keep_in_range(made);
        return made;
    }

    Result<void> take(Vector to) {
        at = std::move(to);
        IIR2D_TRY(now, objective(at));
        return {};
    }

    // False where no step makes it less.
    Result<bool> search() {
        IIR2D_TRY(const double slope, dot(engine, now.gradient, now.gradient));
        double step = 2 * last_step;
        for (int k = 0; k < most_halvings; ++k, step /= 2) {
            IIR2D_TRY(Vector to, along_gradient(step));
            if (to == at) return false;
            IIR2D_TRY(Evaluation there, objective(to));
            const bool is_less = there.value <= now.value - armijo_share * step * slope;
            bool is_taken = is_less;
            // Where rounding hides the difference: the slope behind the step says whether it was too long.
            if (!is_less && std::abs(there.value - now.value) <= 1e-12 * std::abs(now.value)) {
                IIR2D_TRY(const double behind, dot(engine, now.gradient, there.gradient));
                is_taken = std::abs(behind) <= 0.9 * slope;
            }
            if (!is_taken) continue;
            last_step = step;
            at = std::move(to);
            now = std::move(there);
            return true;
        }
        return false;
    }

    Result<void> adam_step() {
        constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
        const std::size_t count = at.size();
        mean.resize(count);
        square.resize(count);
        power1 *= beta1;
        power2 *= beta2;
        Vector to(count), to_mean(count), to_square(count);
        IIR2D_RETURN_IF_ERROR(
            engine.run("adam",
                       {at, now.gradient, mean, square, Value::out(to), Value::out(to_mean),
                        Value::out(to_square), share * options.step.value_or(default_adam_step), beta1, beta2,
                        1 / (1 - power1), 1 / (1 - power2), epsilon},
                       static_cast<std::int32_t>(count), 1));
        mean.swap(to_mean);
        square.swap(to_square);
        keep_in_range(to);
        const Vector from = at;
        IIR2D_RETURN_IF_ERROR(take(std::move(to)));
        if (options.has_restarts) restart(from);
        return {};
    }

    void restart(const Vector& from) {
        double uphill = 0;
        for (std::size_t k = 0; k < at.size(); ++k) uphill += now.gradient[k] * (at[k] - from[k]);
        if (uphill <= 0) return;
        mean.assign(at.size(), 0);
        square.assign(at.size(), 0);
        power1 = power2 = 1;
        share /= 2;
    }

    Result<bool> advance() {
        if (options.method == Descent::adam) {
            IIR2D_RETURN_IF_ERROR(adam_step());
            return true;
        }
        if (!options.step) return search();
        IIR2D_TRY(Vector to, along_gradient(*options.step));
        IIR2D_RETURN_IF_ERROR(take(std::move(to)));
        return true;
    }
};

}  // namespace

Result<HistoryStep> descend(const Objective& objective, Vector start, const DescentOptions& options,
                            const Common& common, Engine& engine, Solved& solved) {
    if (options.step && (!(*options.step > 0) || !std::isfinite(*options.step)))
        return fail(ErrorKind::bad_argument,
                    "--step " + format_number(*options.step) + " is not a number above 0");
    if (options.steps && *options.steps < 1)
        return fail(ErrorKind::bad_argument,
                    "--steps " + std::to_string(*options.steps) + " is not at least 1");
    for (const double one : start) {
        if (!std::isfinite(one)) return fail(ErrorKind::bad_argument, "--start is not a number");
    }
    Descender state{objective, options, common, engine, {}};
    IIR2D_RETURN_IF_ERROR(state.take(std::move(start)));
    const std::int64_t most = options.steps.value_or(common.max_iterations);
    History history;
    std::optional<HistoryStep> best;
    for (std::int64_t k = 0;; ++k) {
        IIR2D_RETURN_IF_ERROR(check_stopped(common));
        common.control.report(static_cast<double>(k) / static_cast<double>(most), "steps");
        IIR2D_TRY(const double length, norm(engine, state.now.gradient));
        HistoryStep step{
            .iteration = k, .objective = state.now.value, .gradient_norm = length, .parameters = state.at};
        if (!best || state.now.value < *best->objective) best = step;
        note(history, common, std::move(step));
        solved.iterations = k;
        solved.has_converged = length <= common.tolerance;
        if (solved.has_converged || k == most || !std::isfinite(state.now.value)) break;
        IIR2D_TRY(const bool moved, state.advance());
        if (!moved) break;
    }
    solved.history = history.take();
    const HistoryStep& last = solved.history.back();
    if (!solved.has_converged && (!options.steps || !std::isfinite(*last.objective)))
        solved.shortfall = solved.problem + " by " + solved.method + " has not converged: after " +
                           counted(static_cast<std::uint64_t>(solved.iterations), "iteration") +
                           " the gradient's norm is " + format_number(*last.gradient_norm) + ", and " +
                           format_number(common.tolerance) + " was asked for";
    return *std::move(best);
}

}  // namespace workbench::solve
