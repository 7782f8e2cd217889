// SPDX-License-Identifier: MIT
// Times filters and pooling in a GPU's memory, each sample beside one of a device-to-device copy.
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>

#include "kernels/device/cuda/context.h"
#include "kernels/device/cuda/repeated_launches.h"
#include "kernels/iir/cuda.h"
#include "kernels/iir/cuda_backward.h"
#include "kernels/pool/cuda.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/images.h"
#include "tests/gpu/on_gpu/gpu_record.h"

namespace gpu_record {

namespace {

struct Bench {
    std::shared_ptr<cuda::Context> context;
    cuda::Stream stream;
    cuda::Event begin;
    cuda::Event end;
    int samples;

    double time(const std::function<Result<void>()>& work) {
        check(context->record(begin.get(), stream.get()));
        check(work());
        check(context->record(end.get(), stream.get()));
        return value_or_stop(context->milliseconds_between(begin.get(), end.get()));
    }

    // Each sample of the work beside one of a copy that reads `in_bytes` and writes as many.
    Latency measure(std::string what, std::string kernel, std::int64_t size,
                    const std::function<Result<void>()>& work, const std::function<Result<void>()>& copy) {
        Latency l{std::move(what), std::move(kernel), size, {}, {}};
        for (int i = -5; i < samples; ++i) {
            const double copied = time(copy);
            const double worked = time(work);
            if (i < 0) continue;
            l.copy_ms.push_back(copied);
            l.ms.push_back(worked);
        }
        std::fprintf(stderr, "%-40s %5lld: %8.4f ms, %.2f of a copy\n", l.what.c_str(),
                     static_cast<long long>(size), median(l.ms), median(l.ms) / median(l.copy_ms));
        return l;
    }
};

// The adjoint, which is to take at most 1.15 times the filter.
Latency measure_adjoint(Bench& bench, const FilterDesc& desc, const ConstTensorView& dy, const TensorView& dx,
                        const std::string& what, const std::function<Result<void>()>& copy) {
    const auto filters = value_or_stop(iir::filters_of(desc));
    const iir::GpuJob job = iir::make_gpu_adjoint_job(desc, filters);
    const auto workspace = value_or_stop(bench.context->allocate(job.workspace_bytes, bench.stream.get()));
    const auto views = value_or_stop(iir::check_views(desc, dy, dx));
    const cuda::LaunchOne launch = cuda::launch_in(*bench.context, bench.stream.get());
    return bench.measure(
        what + ", adjoint", job.filters.front().stages.front().kernel, desc.shape.h,
        [&] { return iir::enqueue(job, views.x, views.y, workspace.get(), launch); }, copy);
}

// The gradient of the parameters alone; what it reads as dy is any plane.
Latency measure_gradient(Bench& bench, const FilterDesc& desc, const ConstTensorView& x, const TensorView& dy,
                         const std::string& what, const std::function<Result<void>()>& copy) {
    const auto filters = value_or_stop(iir::filters_of(desc));
    const auto job = value_or_stop(iir::make_gpu_gradient_job(desc, filters, {}));
    const auto workspace = value_or_stop(bench.context->allocate(job.workspace_bytes, bench.stream.get()));
    const auto dp = value_or_stop(bench.context->allocate(job.values() * sizeof(double), bench.stream.get()));
    const auto views = value_or_stop(iir::check_views(desc, x, dy));
    const cuda::LaunchOne launch = cuda::launch_in(*bench.context, bench.stream.get());
    return bench.measure(
        what + ", gradient of the parameters", "iir_gradient", desc.shape.h,
        [&] { return iir::enqueue_gradient(job, views.x, views.y, dp.get(), workspace.get(), launch); },
        copy);
}

// Puts values into device memory as pooling's elements: f16 between 0.5 and 1.
void upload_as(Bench& bench, ElementType element, cuda::DevicePointer to, const std::vector<double>& values) {
    const auto upload = [&](const auto& elements) {
        check(bench.context->upload(bench.stream.get(), to, elements.data(),
                                    elements.size() * sizeof(elements[0])));
        check(bench.context->synchronize(bench.stream.get()));
    };
    if (element == ElementType::f64) {
        upload(values);
    } else if (element == ElementType::f32) {
        upload(std::vector<float>(values.begin(), values.end()));
    } else {
        std::vector<std::uint16_t> halves(values.size());
        std::ranges::transform(values, halves.begin(), [](double v) {
            return static_cast<std::uint16_t>(0x3800U + static_cast<unsigned>(std::abs(v) * 1000.0) % 1024U);
        });
        upload(halves);
    }
}

// Pooling, beside a copy that reads and writes together as many bytes as it must.
void measure_pooling(Bench& bench, const Device& device, cuda::DevicePointer x, cuda::DevicePointer y,
                     const PoolDesc& desc, std::vector<Latency>& all) {
    const auto plan = value_or_stop(PoolPlan::make(device, desc));
    const ConstTensorView in(reinterpret_cast<const void*>(x), desc.element, desc.shape);
    const TensorView out{reinterpret_cast<void*>(y), desc.element, plan.output_shape()};
    const auto bytes = static_cast<std::size_t>(count_of(desc.shape) + count_of(plan.output_shape())) *
                       element_size(desc.element) / 2;
    all.push_back(bench.measure(
        std::string(name_of(desc.op)) + " " + std::to_string(desc.window.h) + "x" +
            std::to_string(desc.window.w) + " pooling, stride " + std::to_string(desc.stride->h) + ", " +
            std::string(name_of(desc.element)),
        plan.kernel().variant, desc.shape.h,
        [&] { return plan.enqueue(in, out, nullptr, bench.stream.get()); },
        [&] { return bench.context->copy(bench.stream.get(), y, x, bytes); }));
}

// The backward pass, beside a copy that reads and writes together as many bytes as it must. What it reads is
// of any values, but for the places of maxima.
void measure_pooling_backward(Bench& bench, const Device& device, cuda::DevicePointer x,
                              cuda::DevicePointer dx, const PoolDesc& desc, std::vector<Latency>& all) {
    const auto plan = value_or_stop(PoolPlan::make(device, desc));
    const auto outputs = static_cast<std::size_t>(count_of(plan.output_shape()));
    const auto inputs = static_cast<std::size_t>(count_of(desc.shape));
    const std::size_t element = element_size(desc.element);
    const auto memory = [&](std::size_t bytes) {
        return value_or_stop(bench.context->allocate(bytes, bench.stream.get()));
    };
    const auto y = memory(outputs * element);
    const auto argmax = memory(desc.op == PoolOp::max ? outputs * sizeof(std::int64_t) : 0);
    const ConstTensorView in(reinterpret_cast<const void*>(x), desc.element, desc.shape);
    auto* const pooled = reinterpret_cast<void*>(y.get());
    auto* const places = reinterpret_cast<std::int64_t*>(argmax.get());
    check(plan.enqueue(in, TensorView{pooled, desc.element, plan.output_shape()},
                       desc.op == PoolOp::max ? places : nullptr, bench.stream.get()));
    const pool::GpuPooling pooling = pool::make_gpu_pooling(desc, value_or_stop(pool::make_geometry(desc)));
    const ConstTensorView out(pooled, desc.element, plan.output_shape());
    const auto reads = pool::backward_reads(desc.op);
    pool::Backward data;
    const auto dense = [](const ConstTensorView& view) {
        return support::resolved(view, support::dense_strides(view.shape));
    };
    if (reads.x) data.x = dense(in);
    if (reads.y) data.y = dense(out);
    data.dy = dense(out);
    data.dx = support::dense_view(dx, desc.element, desc.shape);
    data.argmax = desc.op == PoolOp::max ? places : nullptr;
    const std::size_t bytes = inputs * element * (reads.x ? 2 : 1) + outputs * element * (reads.y ? 2 : 1) +
                              (desc.op == PoolOp::max ? outputs * sizeof(std::int64_t) : 0);
    all.push_back(bench.measure(
        std::string(name_of(desc.op)) + " " + std::to_string(desc.window.h) + "x" +
            std::to_string(desc.window.w) + " pooling, stride " + std::to_string(desc.stride->h) + ", " +
            std::string(name_of(desc.element)) + ", backward",
        pooling.backward_kernel, desc.shape.h,
        [&] {
            return pool::enqueue_backward(pooling, data, cuda::launch_in(*bench.context, bench.stream.get()));
        },
        [&] { return bench.context->copy(bench.stream.get(), dx, x, bytes / 2); }));
}

// Beyond it a filter's launches take no longer than what they launch.
constexpr std::int64_t most_for_graph = 1024;

}  // namespace

std::vector<Latency> measure_latencies(const Device& device, const Options& options) {
    auto context = value_or_stop(cuda::Context::get(device.index()));
    Bench bench{context, value_or_stop(context->make_stream()), value_or_stop(context->make_event()),
                value_or_stop(context->make_event()), options.samples};
    std::vector<Latency> all;
    for (const std::int64_t size : options.sizes) {
        const std::size_t most_bytes = static_cast<std::size_t>(size * size) * 8;
        const auto x = value_or_stop(context->allocate(most_bytes, bench.stream.get()));
        const auto y = value_or_stop(context->allocate(most_bytes, bench.stream.get()));
        for (const Precision precision : options.precisions) {
            const ElementType element = storage_type(precision);
            const std::size_t bytes = static_cast<std::size_t>(size * size) * element_size(element);
            const auto values = random_plane(size * size, 1);
            const std::vector<float> floats(values.begin(), values.end());
            const void* host =
                element == ElementType::f64 ? static_cast<const void*>(values.data()) : floats.data();
            check(context->upload(bench.stream.get(), x.get(), host, bytes));
            check(context->synchronize(bench.stream.get()));
            const auto copy = [&] { return context->copy(bench.stream.get(), y.get(), x.get(), bytes); };
            for (const int id : options.filters) {
                const FilterDesc desc{.shape = {.h = size, .w = size},
                                      .filter = {.id = id},
                                      .border = Border::mirror,
                                      .precision = precision};
                const auto plan = value_or_stop(FilterPlan::make(device, desc));
                const auto workspace =
                    value_or_stop(context->allocate(plan.workspace_bytes(), bench.stream.get()));
                const ConstTensorView in(reinterpret_cast<const void*>(x.get()), element, desc.shape);
                const TensorView out{reinterpret_cast<void*>(y.get()), element, desc.shape};
                const std::string what =
                    "filter " + std::to_string(id) + " mirror " + std::string(name_of(precision));
                const auto launches = [&] {
                    return plan.enqueue(in, out, reinterpret_cast<void*>(workspace.get()),
                                        bench.stream.get());
                };
                all.push_back(bench.measure(what, plan.kernel().variant, size, launches, copy));
                all.push_back(measure_adjoint(bench, desc, in, out, what, copy));
                if (precision == Precision::f32)
                    all.push_back(measure_gradient(bench, desc, in, out, what, copy));
                if (size > most_for_graph) continue;
                cuda::RepeatedLaunches repeats;
                all.push_back(bench.measure(
                    what + ", as a graph", plan.kernel().variant, size,
                    [&] { return repeats.enqueue(*context, bench.stream.get(), {}, launches); }, copy));
            }
            if (precision != Precision::f32 || size < 2) continue;
            struct Windows {
                std::int64_t side;
                std::int64_t stride;
                ElementType element = ElementType::f32;
            };
            for (const auto& [side, stride, pooled] :
                 {Windows{2, 2}, Windows{3, 2}, Windows{3, 1}, Windows{5, 2}, Windows{5, 1}, Windows{4, 2},
                  Windows{3, 2, ElementType::f16}, Windows{3, 2, ElementType::f64}}) {
                if (size < side) continue;
                upload_as(bench, pooled, x.get(), values);
                for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
                    const PoolDesc desc{.op = op,
                                        .shape = {.h = size, .w = size},
                                        .window = {side, side},
                                        .stride = Extent{stride, stride},
                                        .element = pooled};
                    measure_pooling(bench, device, x.get(), y.get(), desc, all);
                    if (pooled == ElementType::f32 && side <= 3)
                        measure_pooling_backward(bench, device, x.get(), y.get(), desc, all);
                }
            }
        }
    }
    return all;
}

}  // namespace gpu_record
