// SPDX-License-Identifier: MIT
#include "python/src/array.h"

#include <string>
#include <utility>

#include "iir2d/iir2d_core.h"
#include "python/src/failure.h"

namespace nb = nanobind;

namespace iir2d_python {

namespace {

// Of Python's struct module, in the machine's own byte order.
std::optional<std::int32_t> element_of(const char* format, Py_ssize_t bytes) {
    if (format == nullptr) return std::nullopt;
    if (*format == '@' || *format == '=') ++format;
    if (format[0] == '\0' || format[1] != '\0') return std::nullopt;
    if (format[0] == 'f' && bytes == 4) return IIR2D_ELEMENT_F32;
    if (format[0] == 'd' && bytes == 8) return IIR2D_ELEMENT_F64;
    if (format[0] == 'e' && bytes == 2) return IIR2D_ELEMENT_F16;
    return std::nullopt;
}

Sizes sizes(nb::handle tuple) {
    Sizes out;
    const std::size_t count = nb::len(tuple);
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) out.push_back(nb::cast<std::int64_t>(tuple[i]));
    return out;
}

View view_of(const nb::tuple& tuple) {
    if (tuple.size() != 4) throw nb::type_error("an array's tuple is (address, element, shape, strides)");
    return {.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(tuple[0])),
            .element = nb::cast<std::int32_t>(tuple[1]),
            .shape = sizes(tuple[2]),
            .strides = sizes(tuple[3])};
}

View view_of(const Py_buffer& buffer) {
    const auto element = element_of(buffer.format, buffer.itemsize);
    if (!element) {
        throw nb::type_error(("elements of format '" + std::string(buffer.format ? buffer.format : "B") +
                              "' are not filtered: convert to float32, float64, float16 or bfloat16")
                                 .c_str());
    }
    const auto rank = static_cast<std::size_t>(buffer.ndim);
    View view{.data = buffer.buf, .element = *element, .read_only = buffer.readonly != 0};
    view.shape.assign(buffer.shape, buffer.shape + rank);
    view.strides.resize(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        if (buffer.shape[i] > 1 && buffer.strides[i] % buffer.itemsize != 0)
            throw nb::type_error("a stride is not a multiple of the element's size: make a copy");
        view.strides[i] = buffer.strides[i] / buffer.itemsize;
    }
    return view;
}

}  // namespace

std::optional<std::int32_t> element_of(const nb::dlpack::dtype& type) {
    if (type.lanes != 1) return std::nullopt;
    if (type.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bfloat) && type.bits == 16)
        return IIR2D_ELEMENT_BF16;
    if (type.code != static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float)) return std::nullopt;
    switch (type.bits) {
        case 16:
            return IIR2D_ELEMENT_F16;
        case 32:
            return IIR2D_ELEMENT_F32;
        case 64:
            return IIR2D_ELEMENT_F64;
        default:
            return std::nullopt;
    }
}

namespace {

View view_of(const nb::ndarray<nb::ro>& array, std::int32_t element) {
    View view{.data = const_cast<void*>(array.data()), .element = element, .read_only = true};
    for (std::size_t i = 0; i < array.ndim(); ++i) {
        view.shape.push_back(static_cast<std::int64_t>(array.shape(i)));
        view.strides.push_back(array.stride(i));
    }
    return view;
}

// Element types that there are filters of; throws TypeError for others.
std::int32_t filtered_element(const nb::ndarray<nb::ro>& array) {
    const auto element = iir2d_python::element_of(array.dtype());
    if (!element) {
        throw nb::type_error(("elements of DLPack type code " + std::to_string(array.dtype().code) +
                              " with " + std::to_string(array.dtype().bits) +
                              " bits are not filtered: convert to float32, float64, float16 or bfloat16")
                                 .c_str());
    }
    return *element;
}

nb::ndarray<nb::ro> writable(nb::handle capsule) {
    nb::ndarray<> array;
    if (!nb::try_cast(capsule, array)) fail(IIR2D_STATUS_INVALID_ARGUMENT, "out is read-only");
    return nb::ndarray<nb::ro>(array);
}

}  // namespace

Array::Array(nb::ndarray<nb::ro> array) : m_array(std::move(array)) {
    m_view = view_of(m_array, filtered_element(m_array));
    // 1 is the host's memory, 3 the host's as CUDA pinned it.
    if (m_array.device_type() != 1 && m_array.device_type() != 3)
        throw nb::type_error("the array lies on a device: copy it to the host's memory");
}

Array Array::for_writing(nb::handle capsule) {
    Array array{writable(capsule)};
    array.m_view.read_only = false;
    return array;
}

GpuArray::GpuArray(nb::ndarray<nb::ro> array) : GpuArray(array, filtered_element(array)) {}

GpuArray::GpuArray(nb::ndarray<nb::ro> array, std::int32_t element) : m_array(std::move(array)) {
    m_view = view_of(m_array, element);
    if (m_array.device_type() != 2) throw nb::type_error("the array does not lie in a CUDA device's memory");
}

GpuArray GpuArray::for_writing(nb::handle capsule) {
    GpuArray array{writable(capsule)};
    array.m_view.read_only = false;
    return array;
}

GpuArray GpuArray::positions(nb::ndarray<nb::ro> array) {
    if (array.dtype() != nb::dtype<std::int64_t>())
        throw nb::type_error("positions in an array on a GPU must be int64");
    return {std::move(array), IIR2D_ELEMENT_F64};
}

GpuOperand::GpuOperand(nb::handle object) {
    if (nb::isinstance<nb::tuple>(object)) {
        m_view = view_of(nb::borrow<nb::tuple>(object));
    } else {
        const auto& array = nb::cast<const GpuArray&>(object);
        m_view = array.view();
        m_device = array.device();
    }
}

Operand::Operand(nb::handle object) {
    if (nb::isinstance<nb::tuple>(object)) {
        m_view = view_of(nb::borrow<nb::tuple>(object));
    } else if (const Array* array = nullptr; nb::try_cast<const Array*>(object, array) && array != nullptr) {
        m_view = array->view();
    } else {
        Py_buffer buffer;
        if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_FULL_RO) != 0) throw nb::python_error();
        m_buffer = buffer;
        try {
            m_view = view_of(buffer);
        } catch (...) {
            PyBuffer_Release(&*m_buffer);
            throw;
        }
    }
}

Operand::~Operand() {
    if (m_buffer) PyBuffer_Release(&*m_buffer);
}

}  // namespace iir2d_python
