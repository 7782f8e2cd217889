// SPDX-License-Identifier: MIT
#include "python/src/xla.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
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

ffi::Error error_of(const Failure& failure) {
    const auto code = failure.status == IIR2D_STATUS_WORKSPACE_ERROR ? ffi::ErrorCode::kResourceExhausted
                                                                     : ffi::ErrorCode::kInvalidArgument;
    return {code, std::string(iir2d_status_string(failure.status)) + ": " + failure.sentence};
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

// Values of parameters: those that are numbers as an attribute, NaN for the rest; those that are arrays as
// columns of an operand of float32 or float64, `given` having a bit for each.
class Given {
  public:
    Given(const std::optional<ffi::AnyBuffer>& operand, ffi::Span<const double> numbers, std::int64_t given,
          std::int32_t filter_id) {
        if (!operand) {
            m_parameters.values = {numbers.begin(), numbers.size()};
            return;
        }
        const View view = view_of(*operand);
        const auto count = static_cast<std::size_t>(product(view.shape));
        m_shape.assign(view.shape.begin(), view.shape.end() - 1);
        const bool is_float = view.element == IIR2D_ELEMENT_F32;
        if (is_float) {
            const auto* values = static_cast<const float*>(view.data);
            m_values.assign(values, values + count);
        } else {
            const auto* values = static_cast<const double*>(view.data);
            m_values.assign(values, values + count);
        }
        for (std::size_t index = 0; index < numbers.size(); ++index) {
            const bool is_given = (given >> index & 1) != 0;
            for (std::size_t i = index; i < count; i += numbers.size()) {
                if (!is_given)
                    m_values[i] = numbers.begin()[index];
                else
                    clamp(m_values[i], filter_id, static_cast<std::int32_t>(index), is_float);
            }
        }
        m_parameters = {m_values, m_shape};
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;

    const Parameters& parameters() const { return m_parameters; }

  private:
    // Brings an end of the range as float32 to the end itself; refuses NaN, which would be the default.
    static void clamp(double& value, std::int32_t filter_id, std::int32_t index, bool is_float) {
        const char* name = nullptr;
        double minimum = 0, maximum = 0, initial = 0;
        std::int32_t is_switch = 0;
        check(iir2d_filter_parameter(filter_id, index, &name, &minimum, &maximum, &initial, &is_switch));
        if (std::isnan(value)) {
            fail(IIR2D_STATUS_INVALID_ARGUMENT, std::string(name) + " nan of filter " +
                                                    std::to_string(filter_id) + " (" +
                                                    iir2d_filter_key(filter_id) + ") is out of range");
        }
        if (!is_float) return;
        if (value == static_cast<double>(static_cast<float>(minimum))) value = minimum;
        if (value == static_cast<double>(static_cast<float>(maximum))) value = maximum;
    }

    Sizes m_shape;
    std::vector<double> m_values;
    Parameters m_parameters;
};

struct Attributes {
    std::int64_t filter_id, border;
    double border_const;
    std::int64_t precision, start;
    bool normalise_gain;
    ffi::Span<const double> values;
    std::int64_t given;

    FilterSettings settings() const {
        return {static_cast<std::int32_t>(filter_id), static_cast<std::int32_t>(border), border_const,
                static_cast<std::int32_t>(precision), static_cast<std::int32_t>(start),  normalise_gain};
    }
};

std::optional<ffi::AnyBuffer> operand(ffi::RemainingArgs& arguments, std::size_t index) {
    if (index >= arguments.size()) return std::nullopt;
    auto buffer = arguments.get<ffi::AnyBuffer>(index);
    if (!buffer.has_value()) return std::nullopt;
    return *buffer;
}

ffi::Error filter_handler(ffi::AnyBuffer x, ffi::RemainingArgs rest, ffi::Result<ffi::AnyBuffer> y,
                          bool transposed, Attributes attributes) {
    return guarded([&] {
        if (x.element_count() == 0) return;
        const auto id = static_cast<std::int32_t>(attributes.filter_id);
        const Given given(operand(rest, 0), attributes.values, attributes.given, id);
        const auto call = transposed ? filter_adjoint : filter;
        call(view_of(x), view_of(*y), attributes.settings(), given.parameters(), {});
    });
}

ffi::Error gradient_handler(ffi::AnyBuffer x, ffi::AnyBuffer dy, ffi::AnyBuffer parameters,
                            ffi::Result<ffi::AnyBuffer> gradient, Attributes attributes) {
    return guarded([&] {
        const auto id = static_cast<std::int32_t>(attributes.filter_id);
        const Given given(parameters, attributes.values, attributes.given, id);
        std::vector<double> sums(gradient->element_count(), 0.0);
        if (x.element_count() != 0)
            filter_gradient(view_of(x), view_of(dy), sums, attributes.settings(), given.parameters(), {});
        if (gradient->element_type() == ffi::F64) {
            std::ranges::copy(sums, static_cast<double*>(gradient->untyped_data()));
        } else {
            std::ranges::transform(sums, static_cast<float*>(gradient->untyped_data()),
                                   [](double sum) { return static_cast<float>(sum); });
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
            const auto first = operand(rest, 0), second = operand(rest, 1);
            if (!first || !second) fail(IIR2D_STATUS_NULL_POINTER, "lp needs x and y");
            x = view_of(*first);
            y = view_of(*second);
        } else if (const auto places = operand(rest, 0)) {
            if (places->element_type() == ffi::S64) {
                indices = static_cast<const std::int64_t*>(places->untyped_data());
            } else {
                const auto* narrow = static_cast<const std::int32_t*>(places->untyped_data());
                wide.assign(narrow, narrow + places->element_count());
                indices = wide.data();
            }
        }
        pool_backward(x ? &*x : nullptr, y ? &*y : nullptr, view_of(dy), view_of(*dx), indices, settings, {});
    });
}

template <class Binding>
auto with_attributes(Binding binding) {
    return std::move(binding)
        .template Attr<std::int64_t>("filter_id")
        .template Attr<std::int64_t>("border")
        .template Attr<double>("border_const")
        .template Attr<std::int64_t>("precision")
        .template Attr<std::int64_t>("start")
        .template Attr<bool>("normalise_gain")
        .template Attr<ffi::Span<const double>>("values")
        .template Attr<std::int64_t>("given");
}

XLA_FFI_DEFINE_HANDLER(
    filter_target,
    [](ffi::AnyBuffer x, ffi::RemainingArgs rest, ffi::Result<ffi::AnyBuffer> y, bool transposed,
       std::int64_t filter_id, std::int64_t border, double border_const, std::int64_t precision,
       std::int64_t start, bool normalise_gain, ffi::Span<const double> values, std::int64_t given) {
        return filter_handler(
            x, rest, y, transposed,
            {filter_id, border, border_const, precision, start, normalise_gain, values, given});
    },
    with_attributes(ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().RemainingArgs().Ret<ffi::AnyBuffer>().Attr<bool>(
        "transposed")));

XLA_FFI_DEFINE_HANDLER(
    gradient_target,
    [](ffi::AnyBuffer x, ffi::AnyBuffer dy, ffi::AnyBuffer parameters, ffi::Result<ffi::AnyBuffer> gradient,
       std::int64_t filter_id, std::int64_t border, double border_const, std::int64_t precision,
       std::int64_t start, bool normalise_gain, ffi::Span<const double> values, std::int64_t given) {
        return gradient_handler(
            x, dy, parameters, gradient,
            {filter_id, border, border_const, precision, start, normalise_gain, values, given});
    },
    with_attributes(ffi::Ffi::Bind()
                        .Arg<ffi::AnyBuffer>()
                        .Arg<ffi::AnyBuffer>()
                        .Arg<ffi::AnyBuffer>()
                        .Ret<ffi::AnyBuffer>()));

XLA_FFI_DEFINE_HANDLER(pool_target, pool_handler,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .RemainingRets()
                           .Attr<ffi::Span<const std::int64_t>>("fields")
                           .Attr<double>("p"));

XLA_FFI_DEFINE_HANDLER(pool_backward_target, pool_backward_handler,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .RemainingArgs()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<ffi::Span<const std::int64_t>>("fields")
                           .Attr<double>("p"));

}  // namespace

nanobind::dict xla_handlers() {
    nanobind::dict handlers;
    const auto add = [&](const char* name, XLA_FFI_Handler* handler) {
        handlers[name] = nanobind::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
    };
    add("iir2d_filter", filter_target);
    add("iir2d_filter_gradient", gradient_target);
    add("iir2d_pool", pool_target);
    add("iir2d_pool_backward", pool_backward_target);
    return handlers;
}

}  // namespace iir2d_python
