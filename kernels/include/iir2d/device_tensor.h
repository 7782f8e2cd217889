// SPDX-License-Identifier: MIT
// Planes in a GPU's memory, for plans that run from one to another with nothing copied to the host between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/export.h"
#include "iir2d/tensor.h"

namespace iir2d {

// A handle to dense planes on one GPU: copies of it share the memory, which goes with the last of them. One
// that was moved from may only be assigned to or destroyed.
// Every function blocks until the GPU is done. Handles may be used from several threads; so may the memory,
// by any number of readers or by one writer (download() and the x of a run read, the y of a run and
// copy_from() write).
//
// Errors: invalid_dimension for shapes, types and ranges that do not fit; invalid_argument for a device that
// is no GPU or not the tensor's, and for memory that partly overlaps; null_pointer for a view without data;
// workspace_error where the host has no memory for the copies; cancelled where control.stop asked; cuda_error
// with the driver's own words for the rest, as for no memory on the GPU, where error.driver names
// CUDA_ERROR_OUT_OF_MEMORY. When the GPU was lost to an error, so is the memory: is_lost() says so, and every
// use is an error until the planes are uploaded anew.
class IIR2D_API DeviceTensor {
  public:
    // Allocates memory, whose elements have no defined values. Every size of `shape` is at least 1. A device
    // that is not a GPU is an error, ErrorCode::invalid_argument.
    static Result<DeviceTensor> make(const Device& device, ElementType type, const Shape& shape);
    // Returns the same with the elements of x, in host memory with any strides. ErrorCode::cancelled when
    // control.stop asked. control.times gets the upload's.
    static Result<DeviceTensor> upload(const Device& device, const ConstTensorView& x,
                                       const RunControl& control = {});

    // Copies to host memory with any strides, of the same type and shape. Where it was cancelled, y is
    // unspecified. control.times gets the download's time.
    Result<void> download(const TensorView& y, const RunControl& control = {}) const;

    // Takes over the elements of x, of the same device and shape, rounding to nearest between f32 and f64.
    // Other pairs of different types are an error.
    Result<void> copy_from(const DeviceTensor& x) const;

    // Returns the planes [first, first + count), n-major, as a tensor [1, count, h, w] that shares this
    // memory.
    Result<DeviceTensor> planes(std::int64_t first, std::int64_t count) const;

    const Device& device() const;
    ElementType type() const;
    const Shape& shape() const;
    std::size_t bytes() const;
    bool is_lost() const;
    // Returns the address of the first element, for FilterPlan::enqueue and other users of the primary
    // context.
    void* data() const;

    struct State;
    const State& state() const { return *m_state; }

  private:
    explicit DeviceTensor(std::shared_ptr<const State> state) : m_state(std::move(state)) {}
    std::shared_ptr<const State> m_state;
};

}  // namespace iir2d
