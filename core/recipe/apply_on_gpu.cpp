// SPDX-License-Identifier: MIT
#include "core/recipe/apply_on_gpu.h"
#include "core/support/try.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace workbench {

namespace {

using iir2d::DeviceTensor;
using iir2d::ElementType;

bool is_no_memory(const iir2d::Error& error) {
    return error.driver && error.driver->name == "CUDA_ERROR_OUT_OF_MEMORY";
}

bool is_same(const iir2d::Device& a, const iir2d::Device& b) {
    return a.backend() == b.backend() && a.index() == b.index();
}

class GpuApplier {
  public:
    GpuApplier(const PlanarImage& source, int kept_channel, const iir2d::Device& device,
               const TaskControl& control, ApplyWork& work)
        : m_source(source),
          m_kept_channel(kept_channel),
          m_device(device),
          m_control(control),
          m_work(work) {}

    // The source's planes on the GPU: those that stayed there, or uploaded now.
    iir2d::Result<void> begin(const std::vector<Step>& steps) {
        const auto view = m_source.view();
        ResidentSource* resident = m_work.resident;
        if (resident != nullptr && resident->fits(m_device, view)) {
            m_planes = resident->planes;
        } else if (resident != nullptr) {
            resident->planes.reset();  // first: there may not be room for both
        }
        m_total = (m_planes ? 0.0 : samples(view.shape)) + samples(steps.back().output);
        for (const Step& step : steps) m_total += samples(step.input);
        m_what = operation_name(*steps.front().operation);
        if (!m_planes) {
            const iir2d::RunControl run = part(samples(view.shape));
            IIR2D_TRY(auto uploaded, DeviceTensor::upload(m_device, view, run));
            m_work.add(m_times);
            m_planes = std::move(uploaded);
            if (resident != nullptr) resident->planes = m_planes;
        }
        m_is_own = resident == nullptr;
        return {};
    }

    iir2d::Result<void> apply(const Step& step) {
        m_what = operation_name(*step.operation);
        const iir2d::RunControl run = part(samples(step.input));
        IIR2D_RETURN_IF_ERROR(convert(step.element));
        auto done = step.pool() ? pool(step, run) : filter(step, run);
        if (done) m_control.report(std::min(m_done / m_total, 1.0), m_what);
        return done;
    }

    iir2d::Result<PlanarImage> result(bool in_f64) {
        const iir2d::Shape shape = m_planes->shape();
        const iir2d::RunControl run = part(samples(shape));
        if (in_f64) {
            IIR2D_RETURN_IF_ERROR(convert(ElementType::f64));
        }
        PlanarImage image = m_work.take ? m_work.take(shape, m_planes->type())
                                        : PlanarImage::uninitialised(
                                              shape.w, shape.h, static_cast<int>(shape.c), m_planes->type());
        if (auto done = m_planes->download(image.view(), run); !done) {
            if (m_work.give_back) m_work.give_back(std::move(image));
            return std::unexpected(done.error());
        }
        m_work.add(m_times);
        return image;
    }

  private:
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

    iir2d::Result<DeviceTensor> make(const iir2d::Shape& shape, ElementType type) const {
        return DeviceTensor::make(m_device, type, shape);
    }

    void replace(DeviceTensor next) {
        m_planes = std::move(next);
        m_is_own = true;
    }

    iir2d::Result<void> convert(ElementType type) {
        if (m_planes->type() == type) return {};
        IIR2D_TRY(auto next, make(m_planes->shape(), type));
        IIR2D_RETURN_IF_ERROR(next.copy_from(*m_planes));
        replace(std::move(next));
        return {};
    }

    iir2d::Result<void> filter(const Step& step, const iir2d::RunControl& run) {
        if (m_is_own) return filter_into(*m_planes, step, run);
        IIR2D_TRY(auto next, make(step.output, step.element));
        IIR2D_RETURN_IF_ERROR(filter_into(next, step, run));
        replace(std::move(next));
        return {};
    }

    // All channels but the kept one: at most one run before it and one after it.
    iir2d::Result<void> filter_into(const DeviceTensor& result, const Step& step,
                                    const iir2d::RunControl& run) {
        const std::int64_t channels = step.input.c;
        if (m_kept_channel < 0) return filter_channels(result, 0, channels, step, run);
        if (result.data() != m_planes->data()) {
            const auto from = m_planes->planes(m_kept_channel, 1);
            const auto to = result.planes(m_kept_channel, 1);
            if (!from || !to) return std::unexpected(from ? to.error() : from.error());
            IIR2D_RETURN_IF_ERROR(to->copy_from(*from));
        }
        if (m_kept_channel > 0) {
            IIR2D_RETURN_IF_ERROR(filter_channels(result, 0, m_kept_channel, step, run));
        }
        const std::int64_t after = channels - m_kept_channel - 1;
        if (after == 0) return {};
        return filter_channels(result, m_kept_channel + 1, after, step, run);
    }

    iir2d::Result<void> filter_channels(const DeviceTensor& result, std::int64_t first, std::int64_t count_of,
                                        const Step& step, const iir2d::RunControl& run) {
        const auto x = m_planes->planes(first, count_of);
        const auto y = result.planes(first, count_of);
        if (!x || !y) return std::unexpected(x ? y.error() : x.error());
        IIR2D_TRY(const auto plan,
                  iir2d::FilterPlan::make(m_device, filter_desc(*step.filter(), x->shape())));
        IIR2D_RETURN_IF_ERROR(plan.run(*x, *y, run));
        m_work.add(m_times);
        return {};
    }

    iir2d::Result<void> pool(const Step& step, const iir2d::RunControl& run) {
        IIR2D_TRY(const auto plan,
                  iir2d::PoolPlan::make(m_device, pool_desc(*step.pool(), step.input, step.element)));
        IIR2D_TRY(auto next, make(plan.output_shape(), step.element));
        IIR2D_RETURN_IF_ERROR(plan.forward(*m_planes, next, run));
        m_work.add(m_times);
        replace(std::move(next));
        return {};
    }

    const PlanarImage& m_source;
    int m_kept_channel;  // -1: none
    const iir2d::Device& m_device;
    const TaskControl& m_control;
    ApplyWork& m_work;
    std::optional<DeviceTensor> m_planes;  // what the next step reads
    bool m_is_own = false;                 // and may write
    double m_done = 0;
    double m_total = 1;
    iir2d::RunTimes m_times;  // of the latest call
    std::string m_what;
};

}  // namespace

bool ResidentSource::fits(const iir2d::Device& device, const iir2d::ConstTensorView& source) const {
    return planes && is_same(planes->device(), device) && planes->type() == source.type &&
           planes->shape() == source.shape && !planes->is_lost();
}

std::expected<PlanarImage, GpuFailure> apply_on_gpu(const std::vector<Step>& steps, const PlanarImage& source,
                                                    int kept_channel, const iir2d::Device& device,
                                                    const TaskControl& control, ApplyWork& work) {
    const auto failed = [&](const iir2d::Error& error, const std::string& prefix) {
        GpuFailure failure{from_kernel(error), is_no_memory(error)};
        if (failure.error.kind == ErrorKind::cancelled) {
            failure.error.message = "applying the recipe was cancelled";
        } else {
            failure.error.message = prefix + failure.error.message;
        }
        // After a failure nothing of the GPU's is relied on.
        if (failure.error.kind == ErrorKind::device_failure && work.resident != nullptr)
            work.resident->planes.reset();
        return std::unexpected(std::move(failure));
    };
    GpuApplier applier(source, kept_channel, device, control, work);
    if (auto done = applier.begin(steps); !done) return failed(done.error(), steps.front().prefix());
    for (const Step& step : steps) {
        if (auto done = applier.apply(step); !done) return failed(done.error(), step.prefix());
    }
    auto result = applier.result(asks_f64(steps));
    if (!result) return failed(result.error(), steps.back().prefix());
    return std::move(*result);
}

}  // namespace workbench
