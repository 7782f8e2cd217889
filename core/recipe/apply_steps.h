// SPDX-License-Identifier: MIT
// Inside core/recipe only: the steps of a recipe one after the other, wherever the planes are.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/recipe/apply.h"
#include "core/recipe/seen.h"
#include "core/recipe/steps.h"
#include "core/support/try.h"
#include "iir2d/config.h"
#include "iir2d/plan.h"

namespace workbench {

struct StepFailure {
    iir2d::Error error;
    std::string prefix;  // names the operation
};

// Converts it into a sentence that names the operation, or says that applying was cancelled.
inline Error error_of(const StepFailure& failure) {
    Error error = from_kernel(failure.error);
    error.message = error.kind == ErrorKind::cancelled ? "applying the recipe was cancelled"
                                                       : failure.prefix + error.message;
    return error;
}

inline std::unexpected<iir2d::Error> step_cancelled() {
    return std::unexpected(iir2d::Error{iir2d::ErrorCode::cancelled, "cancelled"});
}

// A backend keeps the planes of one application: those of the source, which are never written, then planes of
// its own, which the next step may write.
template <class B>
concept PlanesBackend = requires(B b, const B& c, typename B::Planes p, const Step& step,
                                 const iir2d::FilterPlan& filter, const iir2d::PoolPlan& pool,
                                 const iir2d::RunControl& run) {
    // Samples to move before the first step and after the last one, for the progress.
    { c.samples_to_begin() } -> std::same_as<double>;
    { c.samples_to_end(step) } -> std::same_as<double>;
    { b.begin(run) } -> std::same_as<iir2d::Result<void>>;
    { b.end(run) } -> std::same_as<iir2d::Result<PlanarImage>>;
    { c.shape() } -> std::convertible_to<iir2d::Shape>;
    { c.type() } -> std::same_as<iir2d::ElementType>;
    // Whether the planes may be written, and these.
    { c.is_own() } -> std::same_as<bool>;
    { b.own() } -> std::same_as<typename B::Planes&>;
    { b.make(c.shape(), c.type()) } -> std::same_as<iir2d::Result<typename B::Planes>>;
    b.replace(std::move(p));
    b.discard(std::move(p));
    // Copy from the present planes, all of them to another element type, or one channel to the same.
    { b.convert_to(p) } -> std::same_as<iir2d::Result<void>>;
    { b.copy_channel_to(p, std::int64_t{}) } -> std::same_as<iir2d::Result<void>>;
    // Run on the present planes, a filter on `count` channels from `first`.
    { b.run(filter, p, std::int64_t{}, std::int64_t{}, run) } -> std::same_as<iir2d::Result<void>>;
    { b.run(pool, p, run) } -> std::same_as<iir2d::Result<void>>;
};

template <PlanesBackend Backend>
class Applier {
  public:
    // kept_channel: not filtered; -1: none.
    Applier(Backend& backend, int kept_channel, const iir2d::Device& device, const TaskControl& control,
            const ApplyWork& work)
        : m_backend(backend),
          m_kept_channel(kept_channel),
          m_device(device),
          m_control(control),
          m_config(work.config),
          m_config_where_valid(work.config_where_valid) {}

    std::expected<PlanarImage, StepFailure> run(const std::vector<Step>& steps) {
        const auto failed = [](iir2d::Error error, const Step& step) {
            return std::unexpected(StepFailure{std::move(error), step.prefix()});
        };
        if (steps.empty()) {
            if (m_control.cancelled()) return std::unexpected(StepFailure{step_cancelled().error(), {}});
            auto copy = m_backend.end(part(0));
            if (!copy) return std::unexpected(StepFailure{std::move(copy.error()), {}});
            return *std::move(copy);
        }
        m_total = m_backend.samples_to_begin() + m_backend.samples_to_end(steps.back());
        for (const Step& step : steps) m_total += samples(step.input);
        m_what = operation_name(*steps.front().operation);
        if (auto begun = m_backend.begin(part(m_backend.samples_to_begin())); !begun)
            return failed(std::move(begun.error()), steps.front());
        for (const Step& step : steps) {
            m_what = operation_name(*step.operation);
            if (auto done = apply(step); !done) return failed(std::move(done.error()), step);
            m_control.report(std::min(m_done / m_total, 1.0), m_what);
        }
        auto result = end(steps);
        if (!result) return failed(std::move(result.error()), steps.back());
        return *std::move(result);
    }

  private:
    using Planes = typename Backend::Planes;

    // Control of what is the next `weight` of the whole.
    iir2d::RunControl part(double weight) {
        iir2d::RunControl run{.stop = m_control.stop, .times = &m_times};
        if (m_control.progress) {
            run.progress = [this, from = m_done, weight](double fraction) {
                m_control.progress(std::min((from + weight * fraction) / m_total, 1.0), m_what);
            };
        }
        m_done += weight;
        return run;
    }

    iir2d::Result<void> apply(const Step& step) {
        if (m_control.cancelled()) return step_cancelled();
        IIR2D_RETURN_IF_ERROR(convert(step.element));
        const iir2d::RunControl run = part(samples(step.input));
        return step.pool() ? pool(step, run) : filter(step, run);
    }

    iir2d::Result<PlanarImage> end(const std::vector<Step>& steps) {
        if (m_control.cancelled()) return step_cancelled();
        if (asks_f64(steps)) IIR2D_RETURN_IF_ERROR(convert(iir2d::ElementType::f64));
        return m_backend.end(part(m_backend.samples_to_end(steps.back())));
    }

    // Makes new planes by `fill`, and goes on with them.
    template <class Fill>
    iir2d::Result<void> replace_by(iir2d::Shape shape, iir2d::ElementType type, Fill fill) {
        IIR2D_TRY(Planes next, m_backend.make(shape, type));
        if (iir2d::Result<void> filled = fill(next); !filled) {
            m_backend.discard(std::move(next));
            return filled;
        }
        m_backend.replace(std::move(next));
        return {};
    }

    iir2d::Result<void> convert(iir2d::ElementType type) {
        if (m_backend.type() == type) return {};
        return replace_by(m_backend.shape(), type, [&](Planes& next) { return m_backend.convert_to(next); });
    }

    iir2d::Result<void> filter(const Step& step, const iir2d::RunControl& run) {
        if (m_backend.is_own()) return filter_into(m_backend.own(), step, run);
        return replace_by(step.output, step.element, [&](Planes& next) -> iir2d::Result<void> {
            if (m_kept_channel >= 0) IIR2D_RETURN_IF_ERROR(m_backend.copy_channel_to(next, m_kept_channel));
            return filter_into(next, step, run);
        });
    }

    // Filters all channels but the kept one: at most one run before it and one after it.
    iir2d::Result<void> filter_into(Planes& result, const Step& step, const iir2d::RunControl& run) {
        const std::int64_t channels = step.input.c;
        if (m_kept_channel < 0) return filter_channels(result, 0, channels, step, run);
        IIR2D_RETURN_IF_ERROR(filter_channels(result, 0, m_kept_channel, step, run));
        return filter_channels(result, m_kept_channel + 1, channels - m_kept_channel - 1, step, run);
    }

    iir2d::Result<void> filter_channels(Planes& result, std::int64_t first, std::int64_t count,
                                        const Step& step, const iir2d::RunControl& run) {
        if (count == 0) return {};
        const iir2d::Shape shape{1, count, step.input.h, step.input.w};
        const iir2d::FilterDesc desc = filter_desc(*step.filter(), shape);
        SeenOperations::of_process().note(
            {.operation = *step.filter(), .element = element_of(desc), .shape = shape});
        IIR2D_TRY(const auto plan, planned<iir2d::FilterPlan>(desc, m_config.value_or(iir2d::Config{})));
        return m_backend.run(plan, result, first, count, run);
    }

    // Makes a plan by the config, if there is one.
    template <class Plan, class Desc, class... Configs>
    iir2d::Result<Plan> planned(const Desc& desc, const Configs&... configs) const {
        if (!m_config) return Plan::make(m_device, desc);
        auto plan = Plan::make(m_device, desc, configs...);
        if (plan || !m_config_where_valid) return plan;
        return Plan::make(m_device, desc);
    }

    iir2d::Result<void> pool(const Step& step, const iir2d::RunControl& run) {
        const iir2d::PoolDesc desc = pool_desc(*step.pool(), step.input, step.element);
        SeenOperations::of_process().note(
            {.operation = *step.pool(), .element = step.element, .shape = step.input});
        IIR2D_TRY(const auto plan,
                  planned<iir2d::PoolPlan>(desc, m_config.value_or(iir2d::Config{}), iir2d::Config{}));
        return replace_by(plan.output_shape(), step.element,
                          [&](Planes& next) { return m_backend.run(plan, next, run); });
    }

    Backend& m_backend;
    std::int64_t m_kept_channel;
    const iir2d::Device& m_device;
    const TaskControl& m_control;
    std::optional<iir2d::Config> m_config;
    bool m_config_where_valid;
    iir2d::RunTimes m_times;  // of the latest run
    double m_done = 0;
    double m_total = 1;
    std::string m_what;
};

}  // namespace workbench
