// SPDX-License-Identifier: MIT
#include "kernels/pool/cuda.h"

#include <iterator>
#include <utility>
#include <vector>

#include "kernels/device/cuda/run.h"

namespace iir2d::pool {

namespace {

// Launches until one fails. `launch_one` is how a launch is made: in a context of ours or in the caller's.
template <class ForEachLaunch, class LaunchOne>
Result<void> enqueue_all(ForEachLaunch for_each, LaunchOne launch_one) {
    Result<void> result;
    for_each([&](const GpuLaunch& launch) {
        result = launch_one(cuda::Launch{.kernel = launch.kernel,
                                         .grid = {launch.blocks, 1, 1},
                                         .block = {launch.threads, 1, 1},
                                         .shared_bytes = 0,
                                         .parameters = launch.parameters});
        return result.has_value();
    });
    return result;
}

auto in(cuda::Context& context, cuda::StreamHandle stream) {
    return [&context, stream](const cuda::Launch& launch) { return context.launch(stream, launch); };
}
auto in_current_context(cuda::StreamHandle stream) {
    return [stream](const cuda::Launch& launch) { return cuda::launch_on_current_context(stream, launch); };
}

auto launches(const GpuPooling& pooling, const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer argmax) {
    return [&pooling, x, y, argmax](const MakeLaunch& launch) {
        for_each_launch(pooling, x, y, argmax, launch);
    };
}
auto launches(const GpuPooling& pooling, const GpuGradients& data) {
    return [&pooling, data](const MakeLaunch& launch) { for_each_launch(pooling, data, launch); };
}

cuda::HostPlanes host_planes(const ConstTensorView& view) {
    return {view.data, view.type, view.shape, {view.row_stride, view.plane_stride}};
}

GpuPlanes dense_planes(const cuda::DeviceBuffer& buffer, const Shape& shape) {
    return {buffer.get(), shape.w, shape.h * shape.w};
}

}  // namespace

Result<void> enqueue(cuda::Context& context, cuda::StreamHandle stream, const GpuPooling& pooling,
                     const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer argmax) {
    return enqueue_all(launches(pooling, x, y, argmax), in(context, stream));
}

Result<void> enqueue_backward(cuda::Context& context, cuda::StreamHandle stream, const GpuPooling& pooling,
                              const GpuGradients& data) {
    return enqueue_all(launches(pooling, data), in(context, stream));
}

Result<void> enqueue_on_current_context(cuda::StreamHandle stream, const GpuPooling& pooling,
                                        const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer argmax) {
    return enqueue_all(launches(pooling, x, y, argmax), in_current_context(stream));
}

Result<void> enqueue_backward_on_current_context(cuda::StreamHandle stream, const GpuPooling& pooling,
                                                 const GpuGradients& data) {
    return enqueue_all(launches(pooling, data), in_current_context(stream));
}

Result<void> run_cuda(int device_index, const GpuPooling& pooling, const ConstTensorView& x,
                      const TensorView& y, std::int64_t* argmax, const RunControl& control) {
    auto run = cuda::Run::begin(device_index, control);
    if (!run) return std::unexpected(run.error());
    const cuda::HostPlanes from = host_planes(x);
    const cuda::HostPlanes to = host_planes(y);
    // Eight bytes an element, as f64 has.
    const cuda::HostPlanes indices{argmax, ElementType::f64, y.shape, {y.shape.w, y.shape.h * y.shape.w}};
    const auto input = run->allocate(from.dense_bytes());
    if (!input) return std::unexpected(input.error());
    const auto output = run->allocate(to.dense_bytes());
    if (!output) return std::unexpected(output.error());
    const auto index = run->allocate(argmax != nullptr ? indices.dense_bytes() : 0);
    if (!index) return std::unexpected(index.error());
    if (auto done = run->upload(from, input->get(), {0.0, 0.5}); !done) return done;
    if (auto done = run->begin_work(); !done) return done;
    if (auto done = enqueue(run->context(), run->stream(), pooling, dense_planes(*input, x.shape),
                            dense_planes(*output, y.shape), index->get());
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
    GpuGradients on_gpu;
    // Eight bytes an element, as f64 has.
    ConstTensorView indices;
    if (data.argmax != nullptr) {
        const Shape& s = data.dy.shape;
        indices = {data.argmax, ElementType::f64, s, s.w, s.h * s.w};
    }
    struct Part {
        const ConstTensorView& view;
        GpuPlanes& planes;
    };
    GpuPlanes argmax = {};
    const Part parts[] = {{data.x, on_gpu.x}, {data.y, on_gpu.y}, {data.dy, on_gpu.dy}, {indices, argmax}};
    constexpr double share = 0.5 / std::size(parts);
    std::vector<cuda::DeviceBuffer> buffers;
    for (const Part& part : parts) {
        if (part.view.data == nullptr) continue;
        const cuda::HostPlanes from = host_planes(part.view);
        auto buffer = run->allocate(from.dense_bytes());
        if (!buffer) return std::unexpected(buffer.error());
        part.planes = dense_planes(*buffer, part.view.shape);
        const double begun = share * static_cast<double>(&part - parts);
        if (auto done = run->upload(from, buffer->get(), {begun, share}); !done) return done;
        buffers.push_back(std::move(*buffer));
    }
    on_gpu.argmax = argmax.data;
    const cuda::HostPlanes to = host_planes(data.dx);
    const auto gradient = run->allocate(to.dense_bytes());
    if (!gradient) return std::unexpected(gradient.error());
    on_gpu.dx = dense_planes(*gradient, data.dx.shape);
    if (auto done = run->begin_work(); !done) return done;
    if (auto done = enqueue_backward(run->context(), run->stream(), pooling, on_gpu); !done) return done;
    if (auto done = run->end_work(); !done) return done;
    if (auto done = run->download(gradient->get(), to, {0.5, 0.5}); !done) return done;
    return run->finish();
}

Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                           const GpuPlanes& x, const GpuPlanes& y, const RunControl& control) {
    auto run = cuda::Run::begin(std::move(context), control);
    if (!run) return std::unexpected(run.error());
    return run->work_alone([&] { return enqueue(run->context(), run->stream(), pooling, x, y, 0); });
}

Result<void> run_backward_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                                    GpuGradients data, const std::optional<PlacesToFind>& find,
                                    const RunControl& control) {
    auto run = cuda::Run::begin(std::move(context), control);
    if (!run) return std::unexpected(run.error());
    std::vector<cuda::DeviceBuffer> buffers;
    GpuPlanes maxima;
    if (find) {
        const Shape& s = find->output;
        const auto count = static_cast<std::size_t>(s.n * s.c * s.h * s.w);
        for (const std::size_t bytes : {sizeof(std::int64_t), find->element_bytes}) {
            auto buffer = run->allocate(count * bytes);
            if (!buffer) return std::unexpected(buffer.error());
            buffers.push_back(std::move(*buffer));
        }
        data.argmax = buffers[0].get();
        maxima = dense_planes(buffers[1], s);
    }
    return run->work_alone([&]() -> Result<void> {
        if (find) {
            if (auto done = enqueue(run->context(), run->stream(), pooling, data.x, maxima, data.argmax);
                !done)
                return done;
        }
        return enqueue_backward(run->context(), run->stream(), pooling, data);
    });
}

}  // namespace iir2d::pool
