// SPDX-License-Identifier: MIT
#include "kernels/iir/cuda.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/convert/cuda.h"
#include "kernels/device/cuda/driver.h"
#include "kernels/device/cuda/run.h"
#include "kernels/support/storage.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

// Bytes of the planes as f32, up to where the scratch may begin.
std::size_t widened_bytes(const GpuJob& job) {
    if (!is_16_bit(job.element)) return 0;
    constexpr std::size_t alignment = 256;
    const Shape& s = job.shape;
    const std::size_t bytes = static_cast<std::size_t>(s.n * s.c * s.h * s.w) * sizeof(float);
    return (bytes + alignment - 1) / alignment * alignment;
}

template <class View>
GpuPlanes device_planes(const View& view) {
    return {reinterpret_cast<std::uintptr_t>(view.data), view.row_stride, view.plane_stride};
}

Result<void> launch_filter(const GpuFilter& filter, const GpuPlanes& x, const GpuPlanes& y,
                           cuda::DevicePointer scratch, const cuda::LaunchOne& launch_one) {
    Result<void> result;
    for_each_launch(filter, x, y, scratch, [&](const GpuLaunch& launch) {
        result = launch_one(cuda::Launch{.kernel = launch.kernel,
                                         .grid = {launch.blocks, 1, 1},
                                         .block = {launch.threads, 1, 1},
                                         .shared_bytes = launch.shared_bytes,
                                         .parameters = launch.parameters});
        return result.has_value();
    });
    return result;
}

// Of planes of the type that the filters compute with.
Result<void> launch_filters(const GpuJob& job, const ConstTensorView& x, const TensorView& y,
                            cuda::DevicePointer scratch, const cuda::LaunchOne& launch_one) {
    const bool one_filter = job.filters.size() == 1;
    if (one_filter && support::planes_are_even(x) && support::planes_are_even(y))
        return launch_filter(job.filters.front(), device_planes(x), device_planes(y), scratch, launch_one);
    GpuFilter of_an_image = job.filters.front();
    of_an_image.planes = job.shape.c;
    for (std::int64_t n = 0; n < job.shape.n; ++n) {
        const GpuPlanes from = device_planes(support::image_of(x, n));
        const GpuPlanes to = device_planes(support::image_of(y, n));
        if (one_filter) {
            if (auto done = launch_filter(of_an_image, from, to, scratch, launch_one); !done) return done;
            continue;
        }
        const auto plane = [size = element_size(x.type)](GpuPlanes planes, std::int64_t c) {
            planes.data += static_cast<std::uint64_t>(c * planes.plane_stride) * size;
            return planes;
        };
        for (std::int64_t c = 0; c < job.shape.c; ++c) {
            const GpuFilter& filter = job.filters[static_cast<std::size_t>(n * job.shape.c + c)];
            if (auto done = launch_filter(filter, plane(from, c), plane(to, c), scratch, launch_one); !done)
                return done;
        }
    }
    return {};
}

Result<void> enqueue_again(cuda::Run& run, cuda::RepeatedLaunches& repeats, const GpuJob& job,
                           const ConstTensorView& x, const TensorView& y, cuda::DevicePointer workspace) {
    const auto bits = [](std::int64_t stride) { return static_cast<std::uint64_t>(stride); };
    const cuda::RepeatedLaunches::Key key{reinterpret_cast<std::uintptr_t>(x.data),
                                          bits(x.row_stride),
                                          bits(x.plane_stride),
                                          reinterpret_cast<std::uintptr_t>(y.data),
                                          bits(y.row_stride),
                                          bits(y.plane_stride),
                                          workspace};
    const auto once = [&] {
        return enqueue(job, x, y, workspace, cuda::launch_in(run.context(), run.stream()));
    };
    return job.repeats_as_graph ? repeats.enqueue(run.context(), run.stream(), key, once) : once();
}

template <class Make>
GpuJob make_job(const FilterDesc& desc, const Filters& filters, const Make& make) {
    GpuJob job{.shape = desc.shape, .element = element_of(desc), .filters = {}};
    FilterDesc of_launch{.shape = desc.shape,
                         .filter = {},
                         .border = desc.border,
                         .border_const = desc.border_const,
                         .precision = desc.precision,
                         .start = desc.start};
    if (filters.size() > 1) of_launch.shape = {1, 1, desc.shape.h, desc.shape.w};
    std::size_t scratch = 0;
    for (const FilterData& filter : filters) {
        job.filters.push_back(make(of_launch, filter));
        scratch = std::max(scratch, job.filters.back().workspace_bytes);
    }
    job.workspace_bytes = widened_bytes(job) + scratch;
    return job;
}

}  // namespace

GpuJob make_gpu_job(const FilterDesc& desc, const Filters& filters, const GpuWays& ways) {
    return make_job(desc, filters, [&](const FilterDesc& one, const FilterData& filter) {
        return make_gpu_filter_by(one, filter, ways);
    });
}

GpuJob make_gpu_adjoint_job(const FilterDesc& desc, const Filters& filters) {
    return make_job(desc, filters, make_gpu_adjoint);
}

Result<void> check_workspace(const void* workspace, std::size_t bytes, std::size_t needed) {
    if (needed == 0) return {};
    const auto wrong = [&](const std::string& what) {
        return std::unexpected(Error{
            ErrorCode::workspace_error,
            "workspace " + what + ": the plan needs " + std::to_string(needed) + " bytes of device memory"});
    };
    if (workspace == nullptr) return wrong("is null");
    if (reinterpret_cast<std::uintptr_t>(workspace) % 16 != 0) return wrong("is not aligned to 16");
    if (bytes < needed) return wrong("has " + std::to_string(bytes) + " bytes");
    return {};
}

Result<void> enqueue(const GpuJob& job, const ConstTensorView& x, const TensorView& y,
                     cuda::DevicePointer workspace, const cuda::LaunchOne& launch) {
    if (!is_16_bit(job.element)) return launch_filters(job, x, y, workspace, launch);
    const TensorView wide = support::dense_view(workspace, ElementType::f32, job.shape);
    if (auto done = convert::enqueue_planes(x, wide, launch); !done) return done;
    if (auto done = launch_filters(job, wide, wide, workspace + widened_bytes(job), launch); !done)
        return done;
    return convert::enqueue_planes(wide, y, launch);
}

Result<void> enqueue_on_current_context(cuda::StreamHandle stream, const FilterDesc& desc, const void* x,
                                        void* y) {
    const auto filters = check_desc(desc);
    if (!filters) return std::unexpected(filters.error());
    const ElementType element = element_of(desc);
    const auto views = check_views(desc, {x, element, desc.shape}, {y, element, desc.shape},
                                   {.read = "in", .written = "out"});
    if (!views) return std::unexpected(views.error());
    const auto driver = cuda::driver();
    if (!driver) return std::unexpected(driver.error());
    const GpuJob job = make_gpu_job(desc, *filters);
    cuda::DevicePointer workspace = 0;
    if (job.workspace_bytes > 0) {
        if (auto done =
                IIR2D_CUDA_CHECKED(**driver, cuMemAllocAsync, &workspace, job.workspace_bytes, stream);
            !done)
            return done;
    }
    auto done = enqueue(job, views->x, views->y, workspace, cuda::launch_in_current_context(stream));
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

Result<void> run_cuda(int device_index, const GpuJob& job, cuda::RepeatedLaunches& repeats,
                      const ConstTensorView& x, const TensorView& y, const RunControl& control) {
    auto run = cuda::Run::begin(device_index, control);
    if (!run) return std::unexpected(run.error());
    const cuda::HostPlanes from = cuda::host_planes(x);
    const cuda::HostPlanes to = cuda::host_planes(y);
    // In place on the device: one plane less to hold, and none to copy.
    const auto planes = run->allocate(from.dense_bytes());
    if (!planes) return std::unexpected(planes.error());
    const auto workspace = run->allocate(job.workspace_bytes);
    if (!workspace) return std::unexpected(workspace.error());
    if (auto done = run->upload(from, planes->get(), {0.0, 0.5}); !done) return done;
    if (auto done = run->begin_work(); !done) return done;
    const TensorView dense = support::dense_view(planes->get(), x.type, x.shape);
    if (auto done = enqueue_again(*run, repeats, job, dense, dense, workspace->get()); !done) return done;
    if (auto done = run->end_work(); !done) return done;
    if (auto done = run->download(planes->get(), to, {0.5, 0.5}); !done) return done;
    return run->finish();
}

Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuJob& job,
                           cuda::RepeatedLaunches& repeats, const ConstTensorView& x, const TensorView& y,
                           const RunControl& control) {
    auto run = cuda::Run::begin(std::move(context), control);
    if (!run) return std::unexpected(run.error());
    const auto workspace = run->allocate(job.workspace_bytes);
    if (!workspace) return std::unexpected(workspace.error());
    return run->work_alone([&] { return enqueue_again(*run, repeats, job, x, y, workspace->get()); });
}

}  // namespace iir2d::iir
