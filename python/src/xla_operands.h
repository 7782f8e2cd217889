// SPDX-License-Identifier: MIT
// What handlers of XLA's calls on every platform are made of: errors, views of buffers, sets of parameters,
// and the bindings of attributes.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "python/src/calls.h"
#include "python/src/failure.h"
#include "xla/ffi/api/ffi.h"

namespace iir2d_python {

namespace ffi = xla::ffi;

ffi::Error error_of(const Failure& failure);

// Calls it and returns the error of what it throws.
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

View view_of(const ffi::AnyBuffer& buffer);
// Returns the view of a result in the host's memory. XLA maps new memory for a large one and touches nothing:
// the system is advised to give it huge pages, whose faults are 512 times fewer (Linux).
View result_view_of(const ffi::AnyBuffer& buffer);
// Returns an operand; fails where it is missing.
ffi::AnyBuffer operand(const ffi::RemainingArgs& operands, std::size_t index);
Sizes shape_of(const ffi::AnyBuffer& buffer);
// Returns the shape that arrays of these shapes broadcast to.
Sizes broadcast(std::span<const Sizes> shapes);

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

// Sets of parameters from the attributes and, in place of those that are given, the operands, which are a
// GPU's where `gpu` is not null. `wide` is a shape that the sets' must have room for.
class Sets {
  public:
    Sets(const Attributes& attributes, const ffi::RemainingArgs& operands, Sizes wide,
         const OnGpu* gpu = nullptr);

    const Parameters& parameters() const { return m_parameters; }
    const Sizes& shape() const { return m_shape; }

  private:
    Sizes m_shape;
    std::vector<double> m_values;
    Parameters m_parameters;
};

// Returns the settings of the fields, which are in the order of IIR2D_PoolParams: op, window, stride,
// padding, dilation, output (pairs), divisor_override, ceil_mode, count_include_pad.
IIR2D_PoolParams pool_settings(ffi::Span<const std::int64_t> fields, double p);

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

template <class Binding>
auto with_pooling(Binding binding) {
    return std::move(binding).template Attr<ffi::Span<const std::int64_t>>("fields").template Attr<double>(
        "p");
}

}  // namespace iir2d_python
