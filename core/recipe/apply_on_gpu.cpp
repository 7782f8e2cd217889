// SPDX-License-Identifier: MIT
#include "core/recipe/apply_on_gpu.h"

#include <optional>
#include <utility>

#include "core/recipe/apply_steps.h"
#include "core/support/try.h"

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

// Planes in a GPU's memory: the source goes up at the beginning unless it stayed there, the result comes down
// at the end.
class PlanesOnGpu {
  public:
    using Planes = DeviceTensor;

    PlanesOnGpu(const PlanarImage& source, const iir2d::Device& device, ApplyWork& work)
        : m_source(source), m_device(device), m_work(work) {
        if (resident() != nullptr && resident()->fits(device, source.view())) m_planes = resident()->planes;
    }

    double samples_to_begin() const { return m_planes ? 0.0 : samples(m_source.view().shape); }
    double samples_to_end(const Step& last) const { return samples(last.output); }

    iir2d::Result<void> begin(const iir2d::RunControl& run) {
        m_is_own = resident() == nullptr;
        if (m_planes) return {};
        if (resident() != nullptr) resident()->planes.reset();  // first: there may not be room for both
        IIR2D_TRY(m_planes, DeviceTensor::upload(m_device, m_source.view(), run));
        m_work.add(*run.times);
        if (resident() != nullptr) resident()->planes = m_planes;
        return {};
    }

    iir2d::Result<PlanarImage> end(const iir2d::RunControl& run) {
        PlanarImage image = m_work.take ? m_work.take(shape(), type())
                                        : PlanarImage::uninitialised(shape().w, shape().h,
                                                                     static_cast<int>(shape().c), type());
        if (auto done = m_planes->download(image.view(), run); !done) {
            if (m_work.give_back) m_work.give_back(std::move(image));
            return std::unexpected(std::move(done.error()));
        }
        m_work.add(*run.times);
        return image;
    }

    iir2d::Shape shape() const { return m_planes->shape(); }
    ElementType type() const { return m_planes->type(); }
    bool is_own() const { return m_is_own; }
    DeviceTensor& own() { return *m_planes; }

    iir2d::Result<DeviceTensor> make(const iir2d::Shape& shape, ElementType type) const {
        return DeviceTensor::make(m_device, type, shape);
    }
    // NOLINTNEXTLINE(performance-unnecessary-value-param): frees it
    void discard(DeviceTensor) const {}
    void replace(DeviceTensor next) {
        m_planes = std::move(next);
        m_is_own = true;
    }

    iir2d::Result<void> convert_to(const DeviceTensor& to) const { return to.copy_from(*m_planes); }
    iir2d::Result<void> copy_channel_to(const DeviceTensor& to, std::int64_t channel) const {
        IIR2D_TRY(const auto from, m_planes->planes(channel, 1));
        IIR2D_TRY(const auto there, to.planes(channel, 1));
        return there.copy_from(from);
    }

    iir2d::Result<void> run(const iir2d::FilterPlan& plan, const DeviceTensor& to, std::int64_t first,
                            std::int64_t count, const iir2d::RunControl& run) const {
        IIR2D_TRY(const auto x, m_planes->planes(first, count));
        IIR2D_TRY(const auto y, to.planes(first, count));
        IIR2D_RETURN_IF_ERROR(plan.run(x, y, run));
        m_work.add(*run.times);
        return {};
    }
    iir2d::Result<void> run(const iir2d::PoolPlan& plan, const DeviceTensor& to,
                            const iir2d::RunControl& run) const {
        IIR2D_RETURN_IF_ERROR(plan.forward(*m_planes, to, run));
        m_work.add(*run.times);
        return {};
    }

  private:
    ResidentSource* resident() const { return m_work.resident; }

    const PlanarImage& m_source;
    const iir2d::Device& m_device;
    ApplyWork& m_work;
    std::optional<DeviceTensor> m_planes;  // what the next step reads
    bool m_is_own = false;                 // and may write
};

}  // namespace

bool ResidentSource::fits(const iir2d::Device& device, const iir2d::ConstTensorView& source) const {
    return planes && is_same(planes->device(), device) && planes->type() == source.type &&
           planes->shape() == source.shape && !planes->is_lost();
}

std::expected<PlanarImage, GpuFailure> apply_on_gpu(const std::vector<Step>& steps, const PlanarImage& source,
                                                    int kept_channel, const iir2d::Device& device,
                                                    const TaskControl& control, ApplyWork& work) {
    PlanesOnGpu planes(source, device, work);
    auto result = Applier(planes, kept_channel, device, control, work).run(steps);
    if (result) return *std::move(result);
    GpuFailure failure{error_of(result.error()), is_no_memory(result.error().error)};
    // After a failure nothing of the GPU's is relied on.
    if (failure.error.kind == ErrorKind::device_failure && work.resident != nullptr)
        work.resident->planes.reset();
    return std::unexpected(std::move(failure));
}

}  // namespace workbench
