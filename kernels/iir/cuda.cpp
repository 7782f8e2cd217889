// SPDX-License-Identifier: MIT
#include "kernels/iir/cuda.h"

#include <utility>

#include "kernels/device/cuda/driver.h"
#include "kernels/device/cuda/run.h"
#include "kernels/iir/plan_checks.h"

namespace iir2d::iir {

namespace {

// `launch` is how a launch is made: in a context of ours or in the caller's.
template <class LaunchOne>
Result<void> enqueue_with(const GpuFilter& filter, const GpuPlanes& x, const GpuPlanes& y,
                          cuda::DevicePointer workspace, LaunchOne launch_one) {
    Result<void> result;
    for_each_launch(filter, x, y, workspace, [&](const GpuLaunch& launch) {
        result = launch_one(cuda::Launch{.kernel = launch.kernel,
                                         .grid = {launch.blocks, 1, 1},
                                         .block = {launch.threads, 1, 1},
                                         .shared_bytes = launch.shared_bytes,
                                         .parameters = &launch.parameters});
        return result.has_value();
    });
    return result;
}

std::uint64_t bits(std::int64_t stride) {
    return static_cast<std::uint64_t>(stride);
}

Result<void> enqueue_again(cuda::Run& run, cuda::RepeatedLaunches& repeats, const GpuFilter& filter,
                           const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer workspace) {
    const cuda::RepeatedLaunches::Key key{x.data,   bits(x.row_stride), bits(x.plane_stride),
                                          y.data,   bits(y.row_stride), bits(y.plane_stride),
                                          workspace};
    return repeats.enqueue(run.context(), run.stream(), key,
                           [&] { return enqueue(run.context(), run.stream(), filter, x, y, workspace); });
}

}  // namespace

GpuPlanes device_planes(const void* data, const support::Strides& strides) {
    return {reinterpret_cast<std::uintptr_t>(data), strides.row, strides.plane};
}

Result<void> enqueue(cuda::Context& context, cuda::StreamHandle stream, const GpuFilter& filter,
                     const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer workspace) {
    return enqueue_with(filter, x, y, workspace,
                        [&](const cuda::Launch& launch) { return context.launch(stream, launch); });
}

Result<void> enqueue_on_current_context(cuda::StreamHandle stream, const FilterDesc& desc, const void* x,
                                        void* y) {
    const auto data = check_desc(desc);
    if (!data) return std::unexpected(data.error());
    const ElementType element = storage_type(desc.precision);
    const auto views = check_views(desc, {x, element, desc.shape}, {y, element, desc.shape});
    if (!views) return std::unexpected(views.error());
    const auto driver = cuda::driver();
    if (!driver) return std::unexpected(driver.error());
    const GpuFilter filter = make_gpu_filter(desc, *data);
    cuda::DevicePointer workspace = 0;
    if (filter.workspace_bytes > 0) {
        if (auto done =
                IIR2D_CUDA_CHECKED(**driver, cuMemAllocAsync, &workspace, filter.workspace_bytes, stream);
            !done)
            return done;
    }
    const auto planes = [](const ConstTensorView& view) {
        return device_planes(view.data, {view.row_stride, view.plane_stride});
    };
    auto done = enqueue_with(
        filter, planes(views->x), planes(views->y), workspace,
        [&](const cuda::Launch& launch) { return cuda::launch_on_current_context(stream, launch); });
    if (workspace != 0) {
        auto freed = IIR2D_CUDA_CHECKED(**driver, cuMemFreeAsync, workspace, stream);
        if (done && !freed) return freed;
    }
    return done;
}

Result<void> synchronize_current_context(cuda::StreamHandle stream) {
    const auto driver = cuda::driver();
    if (!driver) return std::unexpected(driver.error());
    return IIR2D_CUDA_CHECKED(**driver, cuStreamSynchronize, stream);
}

Result<void> run_cuda(int device_index, const GpuFilter& filter, cuda::RepeatedLaunches& repeats,
                      const ConstTensorView& x, const TensorView& y, const RunControl& control) {
    auto run = cuda::Run::begin(device_index, control);
    if (!run) return std::unexpected(run.error());
    const cuda::HostPlanes from{x.data, x.type, x.shape, {x.row_stride, x.plane_stride}};
    const cuda::HostPlanes to{y.data, y.type, y.shape, {y.row_stride, y.plane_stride}};
    // In place on the device: one plane less to hold, and none to copy.
    const auto planes = run->allocate(from.dense_bytes());
    if (!planes) return std::unexpected(planes.error());
    const auto workspace = run->allocate(filter.workspace_bytes);
    if (!workspace) return std::unexpected(workspace.error());
    if (auto done = run->upload(from, planes->get(), {0.0, 0.5}); !done) return done;
    if (auto done = run->begin_work(); !done) return done;
    const GpuPlanes dense{planes->get(), x.shape.w, x.shape.h * x.shape.w};
    if (auto done = enqueue_again(*run, repeats, filter, dense, dense, workspace->get()); !done) return done;
    if (auto done = run->end_work(); !done) return done;
    if (auto done = run->download(planes->get(), to, {0.5, 0.5}); !done) return done;
    return run->finish();
}

Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuFilter& filter,
                           cuda::RepeatedLaunches& repeats, const GpuPlanes& x, const GpuPlanes& y,
                           const RunControl& control) {
    auto run = cuda::Run::begin(std::move(context), control);
    if (!run) return std::unexpected(run.error());
    const auto workspace = run->allocate(filter.workspace_bytes);
    if (!workspace) return std::unexpected(workspace.error());
    return run->work_alone([&] { return enqueue_again(*run, repeats, filter, x, y, workspace->get()); });
}

}  // namespace iir2d::iir
