// SPDX-License-Identifier: MIT
#include "python/src/xla.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "python/src/calls.h"
#include "python/src/failure.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace iir2d_python {

namespace {

ffi::ErrorCode code_of(int status) {
    switch (status) {
        case IIR2D_STATUS_WORKSPACE_ERROR:
            return ffi::ErrorCode::kResourceExhausted;
        case IIR2D_STATUS_CUDA_ERROR:
            return ffi::ErrorCode::kInternal;
        default:
            return ffi::ErrorCode::kInvalidArgument;
    }
}

ffi::Error error_of(const Failure& failure) {
    return {code_of(failure.status),
            std::string(iir2d_status_string(failure.status)) + ": " + failure.sentence};
}

template <class Call>
ffi::Error guarded(Call call) {
    try {
        call();
        return ffi::Error::Success();
    } catch (const Failure& failure) {
        return error_of(failure);
    } catch (const std::exception& other) {
        return {ffi::ErrorCode::kInternal, other.what()};
    }
}

std::int32_t element_of(ffi::DataType type) {
    switch (type) {
        case ffi::F32:
            return IIR2D_ELEMENT_F32;
        case ffi::F64:
            return IIR2D_ELEMENT_F64;
        case ffi::F16:
            return IIR2D_ELEMENT_F16;
        case ffi::BF16:
            return IIR2D_ELEMENT_BF16;
        default:
            fail(IIR2D_STATUS_INVALID_ARGUMENT, "the element type is not filtered");
    }
}

View view_of(const ffi::AnyBuffer& buffer) {
    View view{.data = buffer.untyped_data(), .element = element_of(buffer.element_type())};
    view.shape.assign(buffer.dimensions().begin(), buffer.dimensions().end());
    view.strides = dense_strides(view.shape);
    return view;
}

ffi::AnyBuffer operand(const ffi::RemainingArgs& operands, std::size_t index) {
    auto buffer = operands.get<ffi::AnyBuffer>(index);
    if (!buffer.has_value()) fail(IIR2D_STATUS_NULL_POINTER, "an operand is missing");
    return *buffer;
}

// The shape that arrays of these shapes broadcast to.
Sizes broadcast(std::span<const Sizes> shapes) {
    Sizes result;
    for (const Sizes& shape : shapes) {
        if (shape.size() > result.size()) result.insert(result.begin(), shape.size() - result.size(), 1);
        for (std::size_t i = 1; i <= shape.size(); ++i) {
            const std::int64_t size = shape[shape.size() - i];
            std::int64_t& widest = result[result.size() - i];
            if (size == widest || size == 1) continue;
            if (widest != 1) {
                fail(IIR2D_STATUS_INVALID_DIMENSION, "parameters of shapes " + describe(shape) + " and " +
                                                         describe(result) + " do not broadcast");
            }
            widest = size;
        }
    }
    return result;
}

Sizes shape_of(const ffi::AnyBuffer& buffer) {
    return {buffer.dimensions().begin(), buffer.dimensions().end()};
}

// A value of a parameter that came as an operand. NaN stands for a default in the C interface, so it is
// refused here; an end of the range as float32 is the end itself.
double checked(double value, bool is_float, std::int32_t filter_id, std::int32_t index) {
    const char* name = nullptr;
    double minimum = 0, maximum = 0, initial = 0;
    std::int32_t is_switch = 0;
    check(iir2d_filter_parameter(filter_id, index, &name, &minimum, &maximum, &initial, &is_switch));
    if (std::isnan(value)) {
        fail(IIR2D_STATUS_INVALID_ARGUMENT, std::string(name) + " nan of filter " +
                                                std::to_string(filter_id) + " (" +
                                                iir2d_filter_key(filter_id) + ") is out of range");
    }
    if (is_float && value == static_cast<double>(static_cast<float>(minimum))) return minimum;
    if (is_float && value == static_cast<double>(static_cast<float>(maximum))) return maximum;
    return value;
}

struct Attributes {
    bool transposed;
    std::int64_t filter_id, border;
    double border_const;
    std::int64_t precision, start;
    bool normalise_gain;
    ffi::Span<const double> values;        // of all parameters, NaN for a default; empty: all defaults
    ffi::Span<const std::int64_t> given;   // the parameters that are operands, in their order
    ffi::Span<const std::int64_t> wanted;  // those whose gradients are results, in their order

    std::int32_t filter() const { return static_cast<std::int32_t>(filter_id); }

    FilterSettings settings() const {
        return {filter(),
                static_cast<std::int32_t>(border),
                border_const,
                static_cast<std::int32_t>(precision),
                static_cast<std::int32_t>(start),
                normalise_gain};
    }
};

// The values of an operand in the host's memory: its own, or a copy of those on a GPU, for which the stream
// is waited.
class HostValues {
  public:
    HostValues(const ffi::AnyBuffer& buffer, const OnGpu* gpu) : m_data(buffer.untyped_data()) {
        if (gpu == nullptr || buffer.size_bytes() == 0) return;
        m_copy.resize(buffer.size_bytes());
        check(iir2d_copy_to_host_cuda(m_copy.data(), m_data, m_copy.size(), gpu->stream));
        m_data = m_copy.data();
    }

    const void* data() const { return m_data; }

  private:
    std::vector<std::byte> m_copy;
    const void* m_data;
};

// Sets of parameters from the attributes and, in place of those that are given, the operands, which are a
// GPU's where `gpu` is not null. `wide` is a shape that the sets' must have room for.
class Sets {
  public:
    Sets(const Attributes& attributes, const ffi::RemainingArgs& operands, Sizes wide,
         const OnGpu* gpu = nullptr) {
        if (attributes.given.size() == 0 && product(wide) == 1) {
            m_parameters.values = {attributes.values.begin(), attributes.values.size()};
            return;
        }
        std::int32_t parameters = 0;
        check(iir2d_filter_count(attributes.filter(), &parameters));
        const auto count = static_cast<std::size_t>(parameters);
        std::vector<ffi::AnyBuffer> buffers;
        std::vector<Sizes> shapes{std::move(wide)};
        for (std::size_t i = 0; i < attributes.given.size(); ++i) {
            buffers.push_back(operand(operands, i));
            shapes.push_back(shape_of(buffers.back()));
        }
        m_shape = broadcast(shapes);
        const auto sets = static_cast<std::size_t>(product(m_shape));
        m_values.resize(sets * count, std::numeric_limits<double>::quiet_NaN());
        if (attributes.values.size() == count) {
            for (std::size_t set = 0; set < sets; ++set)
                std::ranges::copy(attributes.values,
                                  m_values.begin() + static_cast<std::ptrdiff_t>(set * count));
        }
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            const auto index = static_cast<std::int32_t>(attributes.given.begin()[i]);
            const bool is_float = buffers[i].element_type() == ffi::F32;
            const HostValues values(buffers[i], gpu);
            const void* data = values.data();
            for_each_plane(m_shape, shapes[i + 1], [&](std::int64_t set, std::int64_t at) {
                const double value = is_float ? static_cast<double>(static_cast<const float*>(data)[at])
                                              : static_cast<const double*>(data)[at];
                m_values[static_cast<std::size_t>(set) * count + static_cast<std::size_t>(index)] =
                    checked(value, is_float, attributes.filter(), index);
            });
        }
        m_parameters = {m_values, m_shape};
    }

    const Parameters& parameters() const { return m_parameters; }
    const Sizes& shape() const { return m_shape; }

  private:
    Sizes m_shape;
    std::vector<double> m_values;
    Parameters m_parameters;
};

ffi::Error filter_handler(ffi::AnyBuffer x, ffi::RemainingArgs operands, ffi::Result<ffi::AnyBuffer> y,
                          const Attributes& attributes) {
    return guarded([&] {
        if (x.element_count() == 0) return;
        const Sets sets(attributes, operands, {});
        const auto call = attributes.transposed ? filter_adjoint : filter;
        call(view_of(x), view_of(*y), attributes.settings(), sets.parameters(), {});
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
            filter_gradient(view_of(x), view_of(dy), gradient, attributes.settings(), sets.parameters(), {});
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

// The fields in the order of IIR2D_PoolParams: op, window, stride, padding, dilation, output (pairs),
// divisor_override, ceil_mode, count_include_pad.
IIR2D_PoolParams pool_settings(ffi::Span<const std::int64_t> fields, double p) {
    if (fields.size() != 14) fail(IIR2D_STATUS_INVALID_ARGUMENT, "pooling has 14 fields");
    const std::int64_t* f = fields.begin();
    return {.size = sizeof(IIR2D_PoolParams),
            .op = static_cast<std::int32_t>(f[0]),
            .window_h = f[1],
            .window_w = f[2],
            .stride_h = f[3],
            .stride_w = f[4],
            .padding_h = f[5],
            .padding_w = f[6],
            .dilation_h = f[7],
            .dilation_w = f[8],
            .output_h = f[9],
            .output_w = f[10],
            .divisor_override = f[11],
            .p = p,
            .ceil_mode = static_cast<std::int32_t>(f[12]),
            .count_include_pad = static_cast<std::int32_t>(f[13])};
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
        pool(view_of(x), view_of(**y), indices, pool_settings(fields, p), {});
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
        pool_backward(x ? &*x : nullptr, y ? &*y : nullptr, view_of(dy), view_of(*dx), indices, settings, {});
    });
}

// The handlers for CUDA: asynchronous on XLA's stream, in its scratch memory.

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

// Binds the attributes of a filter, in the order of Attributes.
template <class Binding>
auto with_attributes(Binding binding) {
    return std::move(binding)
        .template Attr<bool>("transposed")
        .template Attr<std::int64_t>("filter_id")
        .template Attr<std::int64_t>("border")
        .template Attr<double>("border_const")
        .template Attr<std::int64_t>("precision")
        .template Attr<std::int64_t>("start")
        .template Attr<bool>("normalise_gain")
        .template Attr<ffi::Span<const double>>("values")
        .template Attr<ffi::Span<const std::int64_t>>("given")
        .template Attr<ffi::Span<const std::int64_t>>("wanted");
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

template <class Binding>
auto with_pooling(Binding binding) {
    return std::move(binding).template Attr<ffi::Span<const std::int64_t>>("fields").template Attr<double>(
        "p");
}

XLA_FFI_DEFINE_HANDLER(pool_target, pool_handler,
                       with_pooling(ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingRets()));

XLA_FFI_DEFINE_HANDLER(
    pool_backward_target, pool_backward_handler,
    with_pooling(ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingArgs().Ret<ffi::AnyBuffer>()));

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

struct Target {
    const char* name;
    XLA_FFI_Handler* cpu;
    XLA_FFI_Handler* cuda;
};

// "given": with parameters among the operands.
constexpr Target targets[] = {
    {"iir2d_filter", filter_target, filter_cuda_target},
    {"iir2d_filter_given", filter_target, filter_cuda_target},
    {"iir2d_filter_gradient", gradient_target, gradient_cuda_target},
    {"iir2d_filter_gradient_given", gradient_target, gradient_cuda_target},
    {"iir2d_pool", pool_target, pool_cuda_target},
    {"iir2d_pool_backward", pool_backward_target, pool_backward_cuda_target},
};

}  // namespace

nanobind::dict xla_handlers(const std::string& platform) {
    nanobind::dict handlers;
    for (const Target& target : targets) {
        auto* handler = platform == "CUDA" ? target.cuda : target.cpu;
        handlers[target.name] =
            nanobind::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
    }
    return handlers;
}

}  // namespace iir2d_python
