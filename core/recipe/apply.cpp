// SPDX-License-Identifier: MIT
#include "core/recipe/apply.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "core/recipe/apply_on_gpu.h"
#include "core/recipe/steps.h"
#include "core/support/try.h"

namespace workbench {

namespace {

using iir2d::ElementType;
using iir2d::Shape;

// Between element types too. Looks at `stop` every few milliseconds; false when it asked.
template <class From, class To>
bool copy_samples(std::span<const From> from, std::span<To> to, const std::stop_token& stop) {
    constexpr std::size_t chunk = std::size_t{1} << 20;
    for (std::size_t at = 0; at < from.size(); at += chunk) {
        if (stop.stop_requested()) return false;
        const auto part = from.subspan(at, std::min(chunk, from.size() - at));
        std::ranges::transform(part, to.subspan(at).begin(), [](From v) { return static_cast<To>(v); });
    }
    return true;
}

bool copy_channel(const PlanarImage& from, PlanarImage& to, int channel, const std::stop_token& stop) {
    const bool reads_f64 = from.type() == ElementType::f64;
    if (to.type() == ElementType::f64) {
        return reads_f64 ? copy_samples(from.plane_f64(channel), to.plane_f64(channel), stop)
                         : copy_samples(from.plane_f32(channel), to.plane_f64(channel), stop);
    }
    return reads_f64 ? copy_samples(from.plane_f64(channel), to.plane_f32(channel), stop)
                     : copy_samples(from.plane_f32(channel), to.plane_f32(channel), stop);
}

// The images of one application: the source, which is never written, then one that the steps own.
class Pixels {
  public:
    Pixels(const PlanarImage& source, ApplyWork& work) : m_source(source), m_work(work) {}
    Pixels(const Pixels&) = delete;
    Pixels& operator=(const Pixels&) = delete;
    ~Pixels() {
        if (m_own) discard(std::move(*m_own));
    }

    const PlanarImage& read() const { return m_own ? *m_own : m_source; }
    ElementType type() const { return read().type(); }
    Shape shape() const { return read().view().shape; }

    // The image to write a result of read()'s size and type to: read() itself once it is our own.
    PlanarImage& in_place() { return *m_own; }
    bool is_own() const { return m_own.has_value(); }

    PlanarImage take(Shape shape, ElementType type) const {
        if (m_work.take) return m_work.take(shape, type);
        return PlanarImage::uninitialised(shape.w, shape.h, static_cast<int>(shape.c), type);
    }

    void discard(PlanarImage image) const {
        if (m_work.give_back) m_work.give_back(std::move(image));
    }

    void replace(PlanarImage next) {
        if (m_own) discard(std::move(*m_own));
        m_own = std::move(next);
    }

    // False when `stop` asked; the pixels are then as they were.
    bool convert(ElementType wanted, const std::stop_token& stop) {
        if (type() == wanted) return true;
        PlanarImage next = take(shape(), wanted);
        bool whole = true;
        for (int c = 0; whole && c < read().channels(); ++c) whole = copy_channel(read(), next, c, stop);
        if (!whole) {
            discard(std::move(next));
            return false;
        }
        replace(std::move(next));
        return true;
    }

    PlanarImage result() {
        if (!m_own) return m_source;
        return *std::exchange(m_own, std::nullopt);
    }

  private:
    const PlanarImage& m_source;
    ApplyWork& m_work;
    std::optional<PlanarImage> m_own;
};

class Applier {
  public:
    Applier(const PlanarImage& source, int kept_channel, const iir2d::Device& device,
            const TaskControl& control, ApplyWork& work)
        : m_pixels(source, work),
          m_kept_channel(kept_channel),
          m_device(device),
          m_control(control),
          m_work(work) {}

    Result<PlanarImage> run(const std::vector<Step>& steps) {
        double total = 0;
        for (const Step& step : steps) total += samples(step.input);
        double done = 0;
        for (const Step& step : steps) {
            if (m_control.cancelled()) return cancelled();
            if (!m_pixels.convert(step.element, m_control.stop)) return cancelled();
            m_what = operation_name(*step.operation);
            const double weight = samples(step.input) / total;
            const iir2d::RunControl run = run_control(done, weight);
            if (auto good = step.pool() ? pool(step, run) : filter(step, run); !good) {
                if (good.error().kind == ErrorKind::cancelled) return cancelled();
                good.error().message = step.prefix() + good.error().message;
                return std::unexpected(good.error());
            }
            done += weight;
            m_control.report(std::min(done, 1.0), m_what);
        }
        if (m_control.cancelled()) return cancelled();
        if (asks_f64(steps) && !m_pixels.convert(ElementType::f64, m_control.stop)) return cancelled();
        return m_pixels.result();
    }

  private:
    static std::unexpected<Error> cancelled() {
        return fail(ErrorKind::cancelled, "applying the recipe was cancelled");
    }

    iir2d::RunControl run_control(double from, double weight) {
        iir2d::RunControl run{.stop = m_control.stop, .times = &m_times};
        if (m_control.progress) {
            run.progress = [this, from, weight](double fraction) {
                m_control.progress(std::min(from + weight * fraction, 1.0), m_what);
            };
        }
        return run;
    }

    template <class Call>
    Result<void> timed(Call&& call) {
        const auto begin = std::chrono::steady_clock::now();
        const iir2d::Result<void> result = call();
        const auto elapsed = std::chrono::steady_clock::now() - begin;
        if (!result) return std::unexpected(from_kernel(result.error()));
        if (m_device.backend() == iir2d::Backend::cpu) {
            m_work.kernel_time += elapsed;
        } else {
            m_work.add(m_times);
        }
        return {};
    }

    Result<void> filter(const Step& step, const iir2d::RunControl& run) {
        if (m_pixels.is_own()) return filter_into(m_pixels.in_place(), step, run);
        PlanarImage result = m_pixels.take(step.output, step.element);
        const auto done = filter_into(result, step, run);
        m_pixels.replace(std::move(result));
        return done;
    }

    // All channels but the kept one: at most one run before it and one after it.
    Result<void> filter_into(PlanarImage& result, const Step& step, const iir2d::RunControl& run) {
        const int channels = static_cast<int>(step.input.c);
        if (m_kept_channel < 0) return filter_channels(result, 0, channels, step, run);
        if (&result != &m_pixels.read() &&
            !copy_channel(m_pixels.read(), result, m_kept_channel, m_control.stop)) {
            return cancelled();
        }
        if (m_kept_channel > 0) {
            IIR2D_RETURN_IF_ERROR(filter_channels(result, 0, m_kept_channel, step, run));
        }
        const int after = channels - m_kept_channel - 1;
        if (after == 0) return {};
        return filter_channels(result, m_kept_channel + 1, after, step, run);
    }

    Result<void> filter_channels(PlanarImage& result, int first, int count, const Step& step,
                                 const iir2d::RunControl& run) {
        const iir2d::ConstTensorView x = m_pixels.read().view(first, count);
        IIR2D_TRY(const auto plan,
                  from_kernel(iir2d::FilterPlan::make(m_device, filter_desc(*step.filter(), x.shape))));
        return timed([&] { return plan.run(x, result.view(first, count), {}, run); });
    }

    Result<void> pool(const Step& step, const iir2d::RunControl& run) {
        IIR2D_TRY(const auto plan, from_kernel(iir2d::PoolPlan::make(
                                       m_device, pool_desc(*step.pool(), step.input, step.element))));
        PlanarImage result = m_pixels.take(plan.output_shape(), step.element);
        const auto done =
            timed([&] { return plan.forward(m_pixels.read().view(), result.view(), {}, {}, run); });
        m_pixels.replace(std::move(result));
        return done;
    }

    Pixels m_pixels;
    int m_kept_channel;  // -1: none
    const iir2d::Device& m_device;
    const TaskControl& m_control;
    ApplyWork& m_work;
    iir2d::RunTimes m_times;  // of the latest run on a GPU
    std::string m_what;
};

std::uint64_t bytes(Shape s, ElementType type) {
    // More than any machine has, and several of them still make a number.
    if (samples(s) >= 0x1p56) return std::uint64_t{1} << 60;
    return static_cast<std::uint64_t>(s.n * s.c * s.h * s.w) * iir2d::element_size(type);
}

std::uint64_t workspace(const Step& step) {
    const auto cpu = iir2d::Device::cpu();
    if (!cpu || !step.filter()) return 0;
    const auto plan = iir2d::FilterPlan::make(*cpu, filter_desc(*step.filter(), step.input));
    return plan ? plan->workspace_bytes() : 0;
}

// The most that the steps hold at once, without their source, which stays as it is.
std::uint64_t beyond_source(const Recipe& recipe, Shape input, ElementType type) {
    const auto steps = steps_of(recipe, input);
    if (steps.empty()) return bytes(input, type);  // the copy
    std::uint64_t held = 0;                        // by the image that the steps own
    std::uint64_t peak = 0;
    const auto replace = [&](std::uint64_t next) {
        peak = std::max(peak, held + next);
        held = next;
    };
    for (const Step& step : steps) {
        if (type != step.element) replace(bytes(step.input, step.element));
        type = step.element;
        if (step.pool() || held == 0) replace(bytes(step.output, type));
        peak = std::max(peak, held + workspace(step));
    }
    if (asks_f64(steps) && type != ElementType::f64) replace(bytes(steps.back().output, ElementType::f64));
    return peak;
}

}  // namespace

Result<PlanarImage> apply(const Recipe& recipe, const PlanarImage& source, int alpha_channel,
                          const iir2d::Device& device, const TaskControl& control, ApplyWork& work) {
    const Shape input = source.view().shape;
    if (source.empty()) {
        return fail(ErrorKind::bad_input, "the image is empty: there is nothing to apply the recipe to");
    }
    IIR2D_RETURN_IF_ERROR(validate(recipe, input));
    const bool keeps = recipe.keep_alpha && alpha_channel >= 0 && alpha_channel < source.channels();
    const int kept = keeps ? alpha_channel : -1;
    const auto steps = steps_of(recipe, input);
    try {
        if (device.backend() == iir2d::Backend::cuda && !steps.empty()) {
            const auto gpu_time = work.gpu_time;
            auto result = apply_on_gpu(steps, source, kept, device, control, work);
            if (result) return std::move(*result);
            if (!result.error().no_room) return std::unexpected(std::move(result.error().error));
            work.gpu_time = gpu_time;
        }
        return Applier(source, kept, device, control, work).run(steps);
    } catch (const std::exception&) {  // of the standard library: no room for the pixels
        const std::uint64_t needed = memory_estimate(recipe, input) >> 20;
        return fail(ErrorKind::device_failure,
                    "there is not enough memory: the recipe needs about " + std::to_string(needed) +
                        " MiB beyond the image; close other programs or use a smaller image");
    }
}

Result<PlanarImage> apply(const Recipe& recipe, const PlanarImage& source, int alpha_channel,
                          const iir2d::Device& device, const TaskControl& control) {
    ApplyWork work;
    return apply(recipe, source, alpha_channel, device, control, work);
}

Result<Image> apply(const Recipe& recipe, const Image& source, const iir2d::Device& device,
                    const TaskControl& control) {
    IIR2D_TRY(auto pixels, apply(recipe, source.pixels, source.info.alpha_channel, device, control));
    return with_pixels(source, std::move(pixels));
}

void ApplyWork::add(const iir2d::RunTimes& run) {
    iir2d::RunTimes total = gpu_time.value_or(iir2d::RunTimes{});
    gpu_time = total += run;
    kernel_time = std::chrono::nanoseconds(static_cast<std::int64_t>(total.compute_ms * 1e6));
}

Image with_pixels(const Image& source, PlanarImage pixels) {
    Image result{.info = source.info, .pixels = std::move(pixels), .metadata = source.metadata};
    result.info.width = result.pixels.width();
    result.info.height = result.pixels.height();
    return result;
}

std::uint64_t memory_estimate(const Recipe& recipe, Shape input) {
    return beyond_source(recipe, input, ElementType::f32);
}

std::uint64_t peak_memory(const Recipe& recipe, Shape source, ElementType type) {
    return bytes(source, type) + beyond_source(recipe, source, type);
}

}  // namespace workbench
