// SPDX-License-Identifier: MIT
#include "python/src/xla_cuda.h"

#include <optional>
#include <string>
#include <utility>

#include "python/src/xla_operands.h"

namespace iir2d_python {

namespace {

// What a workspace must be aligned to, and the most that XLA's allocator takes.
constexpr std::size_t scratch_alignment = 16;

void* scratch_memory(ffi::ScratchAllocator& scratch, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    const auto memory = scratch.Allocate(bytes, scratch_alignment);
    if (!memory.has_value() || *memory == nullptr)
        fail(IIR2D_STATUS_WORKSPACE_ERROR,
             "XLA has no " + std::to_string(bytes) + " bytes of scratch memory");
    return *memory;
}

ffi::Error filter_on_cuda(void* stream, ffi::ScratchAllocator& scratch, ffi::AnyBuffer x,
                          ffi::RemainingArgs operands, ffi::Result<ffi::AnyBuffer> y,
                          const Attributes& attributes) {
    return guarded([&] {
        if (x.element_count() == 0) return;
        OnGpu gpu{.stream = stream};
        const Sets sets(attributes, operands, {}, &gpu);
        const Pass pass = attributes.transposed ? Pass::adjoint : Pass::forward;
        const View from = view_of(x), to = view_of(*y);
        gpu.bytes = filter_workspace(pass, from, to, attributes.settings(), sets.parameters());
        gpu.workspace = scratch_memory(scratch, gpu.bytes);
        filter_on_gpu(pass, from, to, attributes.settings(), sets.parameters(), gpu);
    });
}

// The result is a float64 for each parameter, or that for each of x's planes where it has x's leading
// dimensions as well.
ffi::Error gradient_on_cuda(void* stream, ffi::ScratchAllocator& scratch, ffi::AnyBuffer x, ffi::AnyBuffer dy,
                            ffi::RemainingArgs operands, ffi::Result<ffi::AnyBuffer> gradient,
                            const Attributes& attributes) {
    return guarded([&] {
        if (x.element_count() == 0) fail(IIR2D_STATUS_INVALID_DIMENSION, "x has no elements");
        OnGpu gpu{.stream = stream};
        Sizes wide = shape_of(*gradient);
        wide.pop_back();
        const Sets sets(attributes, operands, std::move(wide), &gpu);
        std::int32_t count = 0;
        check(iir2d_filter_count(attributes.filter(), &count));
        if (static_cast<std::int64_t>(gradient->element_count()) != product(sets.shape()) * count)
            fail(IIR2D_STATUS_INVALID_DIMENSION, "a gradient has as many values as the parameters");
        const View from = view_of(x), upstream = view_of(dy);
        gpu.bytes =
            filter_workspace(Pass::gradient, from, upstream, attributes.settings(), sets.parameters());
        gpu.workspace = scratch_memory(scratch, gpu.bytes);
        filter_gradient_on_gpu(from, upstream, static_cast<double*>(gradient->untyped_data()),
                               attributes.settings(), sets.parameters(), gpu);
    });
}

std::int64_t* positions(const ffi::AnyBuffer& buffer) {
    if (buffer.element_type() != ffi::S64) fail(IIR2D_STATUS_INVALID_ARGUMENT, "positions must be int64");
    return static_cast<std::int64_t*>(buffer.untyped_data());
}

ffi::Error pool_on_cuda(void* stream, ffi::AnyBuffer x, ffi::RemainingRets results,
                        ffi::Span<const std::int64_t> fields, double p) {
    return guarded([&] {
        auto y = results.get<ffi::AnyBuffer>(0);
        if (!y.has_value()) fail(IIR2D_STATUS_NULL_POINTER, "pooling has no result");
        if ((*y)->element_count() == 0) return;
        std::int64_t* indices = nullptr;
        if (results.size() > 1) {
            auto places = results.get<ffi::AnyBuffer>(1);
            if (!places.has_value()) fail(IIR2D_STATUS_NULL_POINTER, "pooling has no indices");
            indices = positions(**places);
        }
        pool_on_gpu(view_of(x), view_of(**y), indices, pool_settings(fields, p), stream);
    });
}

ffi::Error pool_backward_on_cuda(void* stream, ffi::AnyBuffer dy, ffi::RemainingArgs rest,
                                 ffi::Result<ffi::AnyBuffer> dx, ffi::Span<const std::int64_t> fields,
                                 double p) {
    return guarded([&] {
        if (dx->element_count() == 0) return;
        const IIR2D_PoolParams settings = pool_settings(fields, p);
        std::optional<View> x, y;
        const std::int64_t* indices = nullptr;
        if (settings.op == IIR2D_POOL_LP) {
            x = view_of(operand(rest, 0));
            y = view_of(operand(rest, 1));
        } else if (rest.size() > 0) {
            indices = positions(operand(rest, 0));
        }
        pool_backward_on_gpu(x ? &*x : nullptr, y ? &*y : nullptr, view_of(dy), view_of(*dx), indices,
                             settings, stream);
    });
}

constexpr auto filter_cuda_call =
    [](void* stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer x, ffi::RemainingArgs operands,
       ffi::Result<ffi::AnyBuffer> y, bool transposed, std::int64_t filter_id, std::int64_t border,
       double border_const, std::int64_t precision, std::int64_t start, bool normalise_gain,
       ffi::Span<const double> values, ffi::Span<const std::int64_t> given,
       ffi::Span<const std::int64_t> wanted) {
        return filter_on_cuda(stream, scratch, x, operands, y,
                              {transposed, filter_id, border, border_const, precision, start, normalise_gain,
                               values, given, wanted});
    };

constexpr auto gradient_cuda_call =
    [](void* stream, ffi::ScratchAllocator scratch, ffi::AnyBuffer x, ffi::AnyBuffer dy,
       ffi::RemainingArgs operands, ffi::Result<ffi::AnyBuffer> gradient, bool transposed,
       std::int64_t filter_id, std::int64_t border, double border_const, std::int64_t precision,
       std::int64_t start, bool normalise_gain, ffi::Span<const double> values,
       ffi::Span<const std::int64_t> given, ffi::Span<const std::int64_t> wanted) {
        return gradient_on_cuda(stream, scratch, x, dy, operands, gradient,
                                {transposed, filter_id, border, border_const, precision, start,
                                 normalise_gain, values, given, wanted});
    };

auto cuda_binding() {
    return ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>();
}

auto filter_cuda_binding() {
    return with_attributes(cuda_binding()
                               .Ctx<ffi::ScratchAllocator>()
                               .Arg<ffi::AnyBuffer>()
                               .RemainingArgs()
                               .Ret<ffi::AnyBuffer>());
}

auto gradient_cuda_binding() {
    return with_attributes(cuda_binding()
                               .Ctx<ffi::ScratchAllocator>()
                               .Arg<ffi::AnyBuffer>()
                               .Arg<ffi::AnyBuffer>()
                               .RemainingArgs()
                               .Ret<ffi::AnyBuffer>());
}

// A command buffer, XLA's name for a CUDA graph, keeps the addresses that were recorded. So only calls that
// allocate nothing and wait for nothing may be recorded: not those with scratch memory, which is given back
// when they return.
XLA_FFI_DEFINE_HANDLER(filter_cuda_target, filter_cuda_call, filter_cuda_binding());
XLA_FFI_DEFINE_HANDLER(gradient_cuda_target, gradient_cuda_call, gradient_cuda_binding());
XLA_FFI_DEFINE_HANDLER(pool_cuda_target, pool_on_cuda,
                       with_pooling(cuda_binding().Arg<ffi::AnyBuffer>().RemainingRets()),
                       {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_DEFINE_HANDLER(
    pool_backward_cuda_target, pool_backward_on_cuda,
    with_pooling(cuda_binding().Arg<ffi::AnyBuffer>().RemainingArgs().Ret<ffi::AnyBuffer>()),
    {ffi::Traits::kCmdBufferCompatible});

}  // namespace

CudaHandlers cuda_handlers() {
    return {.filter = filter_cuda_target,
            .gradient = gradient_cuda_target,
            .pool = pool_cuda_target,
            .pool_backward = pool_backward_cuda_target};
}

}  // namespace iir2d_python
