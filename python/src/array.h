// SPDX-License-Identifier: MIT
// What Python hands over as arrays, seen as views.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>

#include "python/src/planes.h"

namespace iir2d_python {

// An array that came as a DLPack capsule, kept alive as long as this is.
class Array {
  public:
    // Throws TypeError for element types that there are no filters of, and for memory that is not the host's.
    explicit Array(nanobind::ndarray<nanobind::ro> array);
    // Throws Failure where the array may not be written.
    static Array for_writing(nanobind::handle capsule);

    const View& view() const { return m_view; }

  private:
    nanobind::ndarray<nanobind::ro> m_array;
    View m_view;
};

// An array in a GPU's memory that came as a DLPack capsule, kept alive as long as this is. No Operand: what
// reads or writes on the host cannot take one.
class GpuArray {
  public:
    // Throws TypeError for element types that there are no filters of, and for memory that is not a GPU's.
    explicit GpuArray(nanobind::ndarray<nanobind::ro> array);
    // Throws Failure where the array may not be written.
    static GpuArray for_writing(nanobind::handle capsule);
    // An array of int64, seen as elements of that size. Throws TypeError for others.
    static GpuArray positions(nanobind::ndarray<nanobind::ro> array);

    const View& view() const { return m_view; }
    std::int32_t device() const { return m_array.device_id(); }

  private:
    GpuArray(nanobind::ndarray<nanobind::ro> array, std::int32_t element);

    nanobind::ndarray<nanobind::ro> m_array;
    View m_view;
};

// An argument that is an array: an Array, a tuple (address, element, shape, strides in elements) whose memory
// the caller keeps, or an object with the buffer protocol.
class Operand {
  public:
    explicit Operand(nanobind::handle object);
    ~Operand();
    Operand(const Operand&) = delete;
    Operand& operator=(const Operand&) = delete;

    const View& view() const { return m_view; }

  private:
    View m_view;
    std::optional<Py_buffer> m_buffer;
};

// The same in a GPU's memory: a GpuArray, or a tuple.
class GpuOperand {
  public:
    explicit GpuOperand(nanobind::handle object);

    const View& view() const { return m_view; }
    // Of a tuple nothing: the caller knows.
    std::optional<std::int32_t> device() const { return m_device; }

  private:
    View m_view;
    std::optional<std::int32_t> m_device;
};

// The element type of a DLPack type; nothing where there are no filters of it.
std::optional<std::int32_t> element_of(const nanobind::dlpack::dtype& type);

}  // namespace iir2d_python
