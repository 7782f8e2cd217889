// SPDX-License-Identifier: MIT
#include "python/src/xla_operands.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

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

// A value of a parameter that came as an operand. NaN stands for a default in the C interface, so it is
// refused here; an end of the range as float32 is the end itself.
double checked(double value, bool is_float, std::int32_t filter_id, std::int32_t index) {
    const char* name = nullptr;
    double minimum = 0, maximum = 0, initial = 0;
    std::int32_t is_switch = 0;
    check(iir2d_filter_parameter(filter_id, index, &name, &minimum, &maximum, &initial, &is_switch));
    if (std::isnan(value)) {
        std::ostringstream range;
        range << minimum << " to " << maximum;
        fail(IIR2D_STATUS_INVALID_ARGUMENT,
             std::string(name) + " nan of filter " + std::to_string(filter_id) + " (" +
                 iir2d_filter_key(filter_id) + ") is out of range: give " + range.str());
    }
    if (is_float && value == static_cast<double>(static_cast<float>(minimum))) return minimum;
    if (is_float && value == static_cast<double>(static_cast<float>(maximum))) return maximum;
    return value;
}

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

}  // namespace

ffi::Error error_of(const Failure& failure) {
    return {code_of(failure.status),
            std::string(iir2d_status_string(failure.status)) + ": " + failure.sentence};
}

View view_of(const ffi::AnyBuffer& buffer) {
    View view{.data = buffer.untyped_data(), .element = element_of(buffer.element_type())};
    view.shape.assign(buffer.dimensions().begin(), buffer.dimensions().end());
    view.strides = dense_strides(view.shape);
    return view;
}

View result_view_of(const ffi::AnyBuffer& buffer) {
    prefer_huge_pages(buffer.untyped_data(), buffer.size_bytes());
    return view_of(buffer);
}

ffi::AnyBuffer operand(const ffi::RemainingArgs& operands, std::size_t index) {
    auto buffer = operands.get<ffi::AnyBuffer>(index);
    if (!buffer.has_value()) fail(IIR2D_STATUS_NULL_POINTER, "an operand is missing");
    return *buffer;
}

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

Sets::Sets(const Attributes& attributes, const ffi::RemainingArgs& operands, Sizes wide, const OnGpu* gpu) {
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
            std::ranges::copy(attributes.values, m_values.begin() + static_cast<std::ptrdiff_t>(set * count));
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

}  // namespace iir2d_python
