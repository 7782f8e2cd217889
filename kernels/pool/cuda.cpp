// SPDX-License-Identifier: MIT
#include "kernels/pool/cuda.h"

#include <iterator>
#include <utility>
#include <vector>

#include "kernels/device/cuda/run.h"
#include "kernels/pool/images.h"
#include "kernels/support/view.h"

namespace iir2d::pool {

namespace {

// Launches until one fails.
template <class... Planes>
Result<void> launch_all(const GpuPooling& pooling, const cuda::LaunchOne& launch_one,
                        const Planes&... planes) {
    Result<void> result;
    for_each_launch(pooling, planes..., [&](const GpuLaunch& launch) {
        result = launch_one(cuda::Launch{.kernel = launch.kernel,
                                         .grid = {launch.blocks, 1, 1},
                                         .block = {launch.threads, 1, 1},
                                         .shared_bytes = 0,
                                         .parameters = launch.parameters});
        return result.has_value();
    });
    return result;
}

std::uint64_t address_of(const void* data) {
    return reinterpret_cast<std::uintptr_t>(data);
}

// Views that are not read have no address.
GpuPlanes gpu_planes(const ConstTensorView& view) {
    return {address_of(view.data), view.row_stride, view.plane_stride};
}
GpuGradients gpu_gradients(const Backward& data) {
    return {.x = gpu_planes(data.x),
            .y = gpu_planes(data.y),
            .dy = gpu_planes(data.dy),
            .dx = gpu_planes(data.dx),
            .argmax = address_of(data.argmax)};
}

GpuPooling of_one_image(const GpuPooling& pooling, const Shape& shape) {
    GpuPooling one = pooling;
    one.planes = shape.c;
    return one;
}

std::int64_t* places_in(const cuda::DeviceBuffer& buffer) {
    return reinterpret_cast<std::int64_t*>(static_cast<std::uintptr_t>(buffer.get()));
}

}  // namespace

Result<void> enqueue(const GpuPooling& pooling, const ConstTensorView& x, const TensorView& y,
                     const std::int64_t* argmax, const cuda::LaunchOne& launch) {
    if (planes_are_even(x, y))
        return launch_all(pooling, launch, gpu_planes(x), gpu_planes(y), address_of(argmax));
    const GpuPooling one = of_one_image(pooling, y.shape);
    for (std::int64_t n = 0; n < y.shape.n; ++n) {
        auto done =
            launch_all(one, launch, gpu_planes(support::image_of(x, n)), gpu_planes(support::image_of(y, n)),
                       address_of(places_of(argmax, y.shape, n)));
        if (!done) return done;
    }
    return {};
}

Result<void> enqueue_backward(const GpuPooling& pooling, const Backward& data,
                              const cuda::LaunchOne& launch) {
    if (planes_are_even(data)) return launch_all(pooling, launch, gpu_gradients(data));
    const GpuPooling one = of_one_image(pooling, data.dx.shape);
    for (std::int64_t n = 0; n < data.dx.shape.n; ++n) {
        if (auto done = launch_all(one, launch, gpu_gradients(image_of(data, n))); !done) return done;
    }
    return {};
}

Result<void> run_cuda(int device_index, const GpuPooling& pooling, const ConstTensorView& x,
                      const TensorView& y, std::int64_t* argmax, const RunControl& control) {
    auto run = cuda::Run::begin(device_index, control);
    if (!run) return std::unexpected(run.error());
    const cuda::HostPlanes from = cuda::host_planes(x);
    const cuda::HostPlanes to = cuda::host_planes(y);
    // Eight bytes an element, as f64 has.
    const cuda::HostPlanes indices{argmax, ElementType::f64, y.shape, support::dense_strides(y.shape)};
    const auto input = run->allocate(from.dense_bytes());
    if (!input) return std::unexpected(input.error());
    const auto output = run->allocate(to.dense_bytes());
    if (!output) return std::unexpected(output.error());
    const auto index = run->allocate(argmax != nullptr ? indices.dense_bytes() : 0);
    if (!index) return std::unexpected(index.error());
    if (auto done = run->upload(from, input->get(), {0.0, 0.5}); !done) return done;
    if (auto done = run->begin_work(); !done) return done;
    if (auto done = enqueue(pooling, support::dense_view(input->get(), x.type, x.shape),
                            support::dense_view(output->get(), y.type, y.shape), places_in(*index),
                            cuda::launch_in(run->context(), run->stream()));
        !done)
        return done;
    if (auto done = run->end_work(); !done) return done;
    const double values_share = argmax != nullptr ? 0.2 : 0.5;
    if (auto done = run->download(output->get(), to, {0.5, values_share}); !done) return done;
    if (argmax != nullptr) {
        if (auto done = run->download(index->get(), indices, {0.7, 0.3}); !done) return done;
    }
    return run->finish();
}

Result<void> run_backward_cuda(int device_index, const GpuPooling& pooling, const Backward& data,
                               const RunControl& control) {
    auto run = cuda::Run::begin(device_index, control);
    if (!run) return std::unexpected(run.error());
    Backward on_gpu;
    // Eight bytes an element, as f64 has.
    ConstTensorView indices;
    if (data.argmax != nullptr) {
        indices = support::resolved(ConstTensorView(data.argmax, ElementType::f64, data.dy.shape),
                                    support::dense_strides(data.dy.shape));
    }
    struct Part {
        const ConstTensorView& view;
        ConstTensorView& on_gpu;
    };
    ConstTensorView argmax;
    const Part parts[] = {{data.x, on_gpu.x}, {data.y, on_gpu.y}, {data.dy, on_gpu.dy}, {indices, argmax}};
    constexpr double share = 0.5 / std::size(parts);
    std::vector<cuda::DeviceBuffer> buffers;
    for (const Part& part : parts) {
        if (part.view.data == nullptr) continue;
        const cuda::HostPlanes from = cuda::host_planes(part.view);
        auto buffer = run->allocate(from.dense_bytes());
        if (!buffer) return std::unexpected(buffer.error());
        part.on_gpu = support::dense_view(buffer->get(), part.view.type, part.view.shape);
        const double begun = share * static_cast<double>(&part - parts);
        if (auto done = run->upload(from, buffer->get(), {begun, share}); !done) return done;
        buffers.push_back(std::move(*buffer));
    }
    on_gpu.argmax = static_cast<const std::int64_t*>(argmax.data);
    const cuda::HostPlanes to = cuda::host_planes(data.dx);
    const auto gradient = run->allocate(to.dense_bytes());
    if (!gradient) return std::unexpected(gradient.error());
    on_gpu.dx = support::dense_view(gradient->get(), data.dx.type, data.dx.shape);
    if (auto done = run->begin_work(); !done) return done;
    if (auto done = enqueue_backward(pooling, on_gpu, cuda::launch_in(run->context(), run->stream())); !done)
        return done;
    if (auto done = run->end_work(); !done) return done;
    if (auto done = run->download(gradient->get(), to, {0.5, 0.5}); !done) return done;
    return run->finish();
}

Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                           const ConstTensorView& x, const TensorView& y, const RunControl& control) {
    auto run = cuda::Run::begin(std::move(context), control);
    if (!run) return std::unexpected(run.error());
    return run->work_alone(
        [&] { return enqueue(pooling, x, y, nullptr, cuda::launch_in(run->context(), run->stream())); });
}

Result<void> run_backward_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                                    Backward data, const std::optional<PlacesToFind>& find,
                                    const RunControl& control) {
    auto run = cuda::Run::begin(std::move(context), control);
    if (!run) return std::unexpected(run.error());
    std::vector<cuda::DeviceBuffer> buffers;
    std::int64_t* places = nullptr;
    if (find) {
        const Shape& s = find->output;
        const auto count = static_cast<std::size_t>(s.n * s.c * s.h * s.w);
        for (const std::size_t bytes : {sizeof(std::int64_t), element_size(find->element)}) {
            auto buffer = run->allocate(count * bytes);
            if (!buffer) return std::unexpected(buffer.error());
            buffers.push_back(std::move(*buffer));
        }
        places = places_in(buffers[0]);
        data.argmax = places;
    }
    const cuda::LaunchOne launch = cuda::launch_in(run->context(), run->stream());
    return run->work_alone([&]() -> Result<void> {
        if (find) {
            const TensorView maxima = support::dense_view(buffers[1].get(), find->element, find->output);
            if (auto done = enqueue(pooling, data.x, maxima, places, launch); !done) return done;
        }
        return enqueue_backward(pooling, data, launch);
    });
}

}  // namespace iir2d::pool
