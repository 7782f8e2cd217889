// SPDX-License-Identifier: MIT
#include "kernels/pool/cuda.h"

#include <utility>

#include "kernels/support/cuda_transfer.h"

namespace iir2d::pool {

Result<void> enqueue(cuda::Context& context, cuda::StreamHandle stream, const GpuPooling& pooling,
                     const GpuPlanes& x, const GpuPlanes& y, cuda::DevicePointer argmax) {
    Result<void> result;
    for_each_launch(pooling, x, y, argmax, [&](const GpuLaunch& launch) {
        result = context.launch(stream, {.kernel = launch.kernel,
                                         .grid = {launch.blocks, 1, 1},
                                         .block = {launch.threads, 1, 1},
                                         .shared_bytes = 0,
                                         .parameters = &launch.parameters});
        return result.has_value();
    });
    return result;
}

Result<void> run_cuda(int device_index, const GpuPooling& pooling, const ConstTensorView& x,
                      const TensorView& y, std::int64_t* argmax, const RunControl& control) {
    auto run = support::CudaRun::begin(device_index, control);
    if (!run) return std::unexpected(run.error());
    const support::HostPlanes from{x.data, x.type, x.shape, {x.row_stride, x.plane_stride}};
    const support::HostPlanes to{y.data, y.type, y.shape, {y.row_stride, y.plane_stride}};
    // Eight bytes an element, as f64 has.
    const support::HostPlanes indices{argmax, ElementType::f64, y.shape, {y.shape.w, y.shape.h * y.shape.w}};
    const auto input = run->allocate(from.dense_bytes());
    if (!input) return std::unexpected(input.error());
    const auto output = run->allocate(to.dense_bytes());
    if (!output) return std::unexpected(output.error());
    const auto index = run->allocate(argmax != nullptr ? indices.dense_bytes() : 0);
    if (!index) return std::unexpected(index.error());
    if (auto done = run->upload(from, input->get(), {0.0, 0.5}); !done) return done;
    if (auto done = run->begin_work(); !done) return done;
    if (auto done =
            enqueue(run->context(), run->stream(), pooling, {input->get(), x.shape.w, x.shape.h * x.shape.w},
                    {output->get(), y.shape.w, y.shape.h * y.shape.w}, index->get());
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

Result<void> run_on_device(std::shared_ptr<cuda::Context> context, const GpuPooling& pooling,
                           const GpuPlanes& x, const GpuPlanes& y, const RunControl& control) {
    auto run = support::CudaRun::begin(std::move(context), control);
    if (!run) return std::unexpected(run.error());
    return run->work_alone([&] { return enqueue(run->context(), run->stream(), pooling, x, y, 0); });
}

}  // namespace iir2d::pool
