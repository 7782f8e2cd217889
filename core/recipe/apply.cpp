// SPDX-License-Identifier: MIT
#include "core/recipe/apply.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "core/recipe/apply_on_gpu.h"
#include "core/recipe/apply_steps.h"
#include "core/support/counted.h"
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

// Planes in memory: those of the source, then images that are taken from, and given back to, the caller.
class PlanesInMemory {
  public:
    using Planes = PlanarImage;

    PlanesInMemory(const PlanarImage& source, const iir2d::Device& device, const std::stop_token& stop,
                   ApplyWork& work)
        : m_source(source), m_device(device), m_stop(stop), m_work(work) {}
    PlanesInMemory(const PlanesInMemory&) = delete;
    PlanesInMemory& operator=(const PlanesInMemory&) = delete;
    ~PlanesInMemory() {
        if (m_own) discard(std::move(*m_own));
    }

    double samples_to_begin() const { return 0; }
    double samples_to_end(const Step&) const { return 0; }
    iir2d::Result<void> begin(const iir2d::RunControl&) { return {}; }
    iir2d::Result<PlanarImage> end(const iir2d::RunControl&) {
        if (!m_own) return m_source;
        return *std::exchange(m_own, std::nullopt);
    }

    Shape shape() const { return read().view().shape; }
    ElementType type() const { return read().type(); }
    bool is_own() const { return m_own.has_value(); }
    PlanarImage& own() { return *m_own; }

    iir2d::Result<PlanarImage> make(Shape shape, ElementType type) const {
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

    iir2d::Result<void> convert_to(PlanarImage& to) const {
        for (int c = 0; c < read().channels(); ++c) IIR2D_RETURN_IF_ERROR(copy_channel_to(to, c));
        return {};
    }
    iir2d::Result<void> copy_channel_to(PlanarImage& to, std::int64_t channel) const {
        if (!copy_channel(read(), to, static_cast<int>(channel), m_stop)) return step_cancelled();
        return {};
    }

    iir2d::Result<void> run(const iir2d::FilterPlan& plan, PlanarImage& to, std::int64_t first,
                            std::int64_t count, const iir2d::RunControl& run) const {
        const int from = static_cast<int>(first);
        const int channels = static_cast<int>(count);
        return timed(run,
                     [&] { return plan.run(read().view(from, channels), to.view(from, channels), run); });
    }
    iir2d::Result<void> run(const iir2d::PoolPlan& plan, PlanarImage& to,
                            const iir2d::RunControl& run) const {
        return timed(run, [&] { return plan.forward(read().view(), to.view(), {}, run); });
    }

  private:
    const PlanarImage& read() const { return m_own ? *m_own : m_source; }

    template <class Call>
    iir2d::Result<void> timed(const iir2d::RunControl& run, Call&& call) const {
        const auto begin = std::chrono::steady_clock::now();
        iir2d::Result<void> result = call();
        const auto elapsed = std::chrono::steady_clock::now() - begin;
        if (!result) return result;
        if (m_device.backend() == iir2d::Backend::cpu) {
            m_work.kernel_time += elapsed;
        } else {
            m_work.add(*run.times);
        }
        return result;
    }

    const PlanarImage& m_source;
    const iir2d::Device& m_device;
    const std::stop_token m_stop;
    ApplyWork& m_work;
    std::optional<PlanarImage> m_own;
};

std::uint64_t bytes(Shape s, ElementType type) {
    // More than any machine has, and several of them still make a number.
    if (samples(s) >= 0x1p56) return std::uint64_t{1} << 60;
    return static_cast<std::uint64_t>(s.n * s.c * s.h * s.w) * iir2d::element_size(type);
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
        PlanesInMemory planes(source, device, control.stop, work);
        auto result = Applier(planes, kept, device, control, work).run(steps);
        if (!result) return std::unexpected(error_of(result.error()));
        return *std::move(result);
    } catch (const std::exception&) {  // of the standard library: no room for the pixels
        return fail(ErrorKind::device_failure,
                    "there is not enough memory: the recipe needs about " +
                        mebibytes(memory_estimate(recipe, input)) +
                        " beyond the image; close other programs or use a smaller image");
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
