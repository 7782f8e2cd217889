// SPDX-License-Identifier: MIT
// The handlers for the CPU, and the table of all handlers.
#include "python/src/xla.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "python/src/xla_cuda.h"
#include "python/src/xla_operands.h"

namespace iir2d_python {

namespace {

std::atomic<std::int32_t> threads{0};

Running running() {
    return {.threads = threads.load(std::memory_order_relaxed)};
}

ffi::Error filter_handler(ffi::AnyBuffer x, ffi::RemainingArgs operands, ffi::Result<ffi::AnyBuffer> y,
                          const Attributes& attributes) {
    return guarded([&] {
        if (x.element_count() == 0) return;
        const Sets sets(attributes, operands, {});
        const auto call = attributes.transposed ? filter_adjoint : filter;
        call(view_of(x), result_view_of(*y), attributes.settings(), sets.parameters(), running());
    });
}

// Sums the gradient of one parameter over the sets that share a value of it, one after the other.
template <class T>
void sum_to(std::span<const double> gradient, const Sizes& sets, std::size_t count, std::size_t index,
            const Sizes& shape, T* result) {
    std::vector<double> sums(static_cast<std::size_t>(product(shape)), 0.0);
    if (!gradient.empty()) {
        for_each_plane(sets, shape, [&](std::int64_t set, std::int64_t at) {
            sums[static_cast<std::size_t>(at)] += gradient[static_cast<std::size_t>(set) * count + index];
        });
    }
    std::ranges::transform(sums, result, [](double sum) { return static_cast<T>(sum); });
}

// Each result has the shape of its parameter, with dimensions of 1 where the planes share a value.
ffi::Error gradient_handler(ffi::AnyBuffer x, ffi::AnyBuffer dy, ffi::RemainingArgs operands,
                            ffi::RemainingRets results, const Attributes& attributes) {
    return guarded([&] {
        std::vector<Sizes> shapes;
        std::vector<ffi::AnyBuffer> buffers;
        for (std::size_t i = 0; i < results.size(); ++i) {
            auto result = results.get<ffi::AnyBuffer>(i);
            if (!result.has_value()) fail(IIR2D_STATUS_NULL_POINTER, "a gradient has no result");
            buffers.push_back(**result);
            shapes.push_back(shape_of(buffers.back()));
        }
        const Sets sets(attributes, operands, broadcast(shapes));
        std::int32_t count = 0;
        check(iir2d_filter_count(attributes.filter(), &count));
        std::vector<double> gradient;
        if (x.element_count() != 0) {
            gradient.resize(static_cast<std::size_t>(product(sets.shape()) * count));
            filter_gradient(view_of(x), view_of(dy), gradient, attributes.settings(), sets.parameters(),
                            running());
        }
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            const auto index = static_cast<std::size_t>(attributes.wanted.begin()[i]);
            void* data = buffers[i].untyped_data();
            if (buffers[i].element_type() == ffi::F64) {
                sum_to(gradient, sets.shape(), static_cast<std::size_t>(count), index, shapes[i],
                       static_cast<double*>(data));
            } else {
                sum_to(gradient, sets.shape(), static_cast<std::size_t>(count), index, shapes[i],
                       static_cast<float*>(data));
            }
        }
    });
}

// Gives the output and, where there is a second result, the indices as int32 or int64.
ffi::Error pool_handler(ffi::AnyBuffer x, ffi::RemainingRets results, ffi::Span<const std::int64_t> fields,
                        double p) {
    return guarded([&] {
        auto y = results.get<ffi::AnyBuffer>(0);
        if (!y.has_value()) fail(IIR2D_STATUS_NULL_POINTER, "pooling has no result");
        if ((*y)->element_count() == 0) return;
        std::int64_t* indices = nullptr;
        std::vector<std::int64_t> wide;
        std::int32_t* narrow = nullptr;
        if (results.size() > 1) {
            auto places = results.get<ffi::AnyBuffer>(1);
            if (!places.has_value()) fail(IIR2D_STATUS_NULL_POINTER, "pooling has no indices");
            if ((*places)->element_type() == ffi::S64) {
                indices = static_cast<std::int64_t*>((*places)->untyped_data());
            } else {
                narrow = static_cast<std::int32_t*>((*places)->untyped_data());
                wide.resize((*places)->element_count());
                indices = wide.data();
            }
        }
        pool(view_of(x), result_view_of(**y), indices, pool_settings(fields, p), running());
        if (narrow != nullptr) {
            std::ranges::transform(wide, narrow, [](std::int64_t i) { return static_cast<std::int32_t>(i); });
        }
    });
}

// Operands: dy, then x and y of lp, the indices of max.
ffi::Error pool_backward_handler(ffi::AnyBuffer dy, ffi::RemainingArgs rest, ffi::Result<ffi::AnyBuffer> dx,
                                 ffi::Span<const std::int64_t> fields, double p) {
    return guarded([&] {
        if (dx->element_count() == 0) return;
        const IIR2D_PoolParams settings = pool_settings(fields, p);
        std::optional<View> x, y;
        const std::int64_t* indices = nullptr;
        std::vector<std::int64_t> wide;
        if (settings.op == IIR2D_POOL_LP) {
            x = view_of(operand(rest, 0));
            y = view_of(operand(rest, 1));
        } else if (rest.size() > 0) {
            const ffi::AnyBuffer places = operand(rest, 0);
            if (places.element_type() == ffi::S64) {
                indices = static_cast<const std::int64_t*>(places.untyped_data());
            } else {
                const auto* narrow = static_cast<const std::int32_t*>(places.untyped_data());
                wide.assign(narrow, narrow + places.element_count());
                indices = wide.data();
            }
        }
        pool_backward(x ? &*x : nullptr, y ? &*y : nullptr, view_of(dy), result_view_of(*dx), indices,
                      settings, running());
    });
}

XLA_FFI_DEFINE_HANDLER(
    filter_target,
    [](ffi::AnyBuffer x, ffi::RemainingArgs operands, ffi::Result<ffi::AnyBuffer> y, bool transposed,
       std::int64_t filter_id, std::int64_t border, double border_const, std::int64_t precision,
       std::int64_t start, bool normalise_gain, ffi::Span<const double> values,
       ffi::Span<const std::int64_t> given, ffi::Span<const std::int64_t> wanted) {
        return filter_handler(x, operands, y,
                              {transposed, filter_id, border, border_const, precision, start, normalise_gain,
                               values, given, wanted});
    },
    with_attributes(ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingArgs().Ret<ffi::AnyBuffer>()));

XLA_FFI_DEFINE_HANDLER(
    gradient_target,
    [](ffi::AnyBuffer x, ffi::AnyBuffer dy, ffi::RemainingArgs operands, ffi::RemainingRets results,
       bool transposed, std::int64_t filter_id, std::int64_t border, double border_const,
       std::int64_t precision, std::int64_t start, bool normalise_gain, ffi::Span<const double> values,
       ffi::Span<const std::int64_t> given, ffi::Span<const std::int64_t> wanted) {
        return gradient_handler(x, dy, operands, results,
                                {transposed, filter_id, border, border_const, precision, start,
                                 normalise_gain, values, given, wanted});
    },
    with_attributes(
        ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Arg<ffi::AnyBuffer>().RemainingArgs().RemainingRets()));

XLA_FFI_DEFINE_HANDLER(pool_target, pool_handler,
                       with_pooling(ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingRets()));

XLA_FFI_DEFINE_HANDLER(
    pool_backward_target, pool_backward_handler,
    with_pooling(ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingArgs().Ret<ffi::AnyBuffer>()));

struct Target {
    const char* name;
    XLA_FFI_Handler* cpu;
    XLA_FFI_Handler* CudaHandlers::*cuda;
};

// "given": with parameters among the operands.
constexpr Target targets[] = {
    {"iir2d_filter", filter_target, &CudaHandlers::filter},
    {"iir2d_filter_given", filter_target, &CudaHandlers::filter},
    {"iir2d_filter_gradient", gradient_target, &CudaHandlers::gradient},
    {"iir2d_filter_gradient_given", gradient_target, &CudaHandlers::gradient},
    {"iir2d_pool", pool_target, &CudaHandlers::pool},
    {"iir2d_pool_backward", pool_backward_target, &CudaHandlers::pool_backward},
};

}  // namespace

void set_xla_threads(std::int32_t count) {
    threads.store(count, std::memory_order_relaxed);
}

nanobind::dict xla_handlers(const std::string& platform) {
    nanobind::dict handlers;
    for (const Target& target : targets) {
        auto* handler = platform == "CUDA" ? cuda_handlers().*target.cuda : target.cpu;
        handlers[target.name] =
            nanobind::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
    }
    return handlers;
}

}  // namespace iir2d_python
