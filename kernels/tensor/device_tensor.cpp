// SPDX-License-Identifier: MIT
#include "iir2d/device_tensor.h"

#include <limits>
#include <new>
#include <string>
#include <utility>

#include "iir2d/try.h"
#include "kernels/convert/cuda.h"
#include "kernels/device/cuda/run.h"
#include "kernels/support/describe.h"
#include "kernels/support/view.h"
#include "kernels/tensor/device_tensor_state.h"

namespace iir2d {

namespace {

std::unexpected<Error> bad(ErrorCode code, std::string message) {
    return std::unexpected(Error{code, std::move(message)});
}

std::unexpected<Error> no_host_memory() {
    return bad(ErrorCode::workspace_error, "there is not enough memory for what the host keeps of a tensor");
}

Result<void> check_shape(const Shape& shape) {
    std::int64_t room = std::numeric_limits<std::int64_t>::max() / 8;
    for (const std::int64_t size : {shape.n, shape.c, shape.h, shape.w}) {
        if (size < 1) {
            return bad(ErrorCode::invalid_dimension,
                       "shape is " + support::describe(shape) + ": every size must be at least 1");
        }
        room /= size;
    }
    if (room == 0) {
        return bad(ErrorCode::invalid_dimension,
                   "shape is " + support::describe(shape) + ": its bytes do not fit 63 bits");
    }
    return {};
}

std::int64_t elements(const Shape& shape) {
    return shape.n * shape.c * shape.h * shape.w;
}

cuda::HostPlanes host_planes(const ConstTensorView& view, const support::Strides& strides) {
    return {view.data, view.type, view.shape, strides};
}

}  // namespace

TensorView DeviceTensor::State::view() const {
    return {reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)), type, shape, shape.w,
            shape.h * shape.w};
}

Result<void> check_tensor(std::string_view name, const DeviceTensor& tensor, const Device& device) {
    if (tensor.device().index() != device.index() || tensor.device().backend() != device.backend()) {
        return bad(ErrorCode::invalid_argument,
                   std::string(name) + " is on " + tensor.device().id() + ", the plan is for " + device.id());
    }
    if (tensor.is_lost()) {
        return bad(ErrorCode::cuda_error, std::string(name) + ": its memory went with GPU " +
                                              std::to_string(device.index()) +
                                              ", which was lost to an earlier error: upload it again");
    }
    return {};
}

Result<DeviceTensor> DeviceTensor::make(const Device& device, ElementType type, const Shape& shape) try {
    if (device.backend() != Backend::cuda) {
        return bad(ErrorCode::invalid_argument,
                   "device " + device.id() + " is no GPU: its memory is the host's");
    }
    IIR2D_RETURN_IF_ERROR(check_shape(shape));
    auto context = cuda::Context::get(device.index());
    if (!context) return std::unexpected(context.error());
    auto memory = std::make_shared<State::Memory>();
    memory->context = *context;
    auto stream = memory->context->make_stream();
    if (!stream) return std::unexpected(stream.error());
    memory->stream = std::move(*stream);
    const std::size_t bytes = static_cast<std::size_t>(elements(shape)) * element_size(type);
    auto buffer = memory->context->allocate(bytes, memory->stream.get());
    if (!buffer) return std::unexpected(buffer.error());
    memory->buffer = std::move(*buffer);
    // From here on it is there for every stream.
    IIR2D_RETURN_IF_ERROR(memory->context->synchronize(memory->stream.get()));
    const cuda::DevicePointer address = memory->buffer.get();
    return DeviceTensor(
        std::make_shared<const State>(State{device, type, shape, std::move(memory), address}));
} catch (const std::bad_alloc&) {
    return no_host_memory();
}

Result<DeviceTensor> DeviceTensor::upload(const Device& device, const ConstTensorView& x,
                                          const RunControl& control) try {
    IIR2D_RETURN_IF_ERROR(check_shape(x.shape));
    const auto strides = support::check_view("x", x, x.type, x.shape);
    if (!strides) return std::unexpected(strides.error());
    auto tensor = make(device, x.type, x.shape);
    if (!tensor) return tensor;
    const State& state = *tensor->m_state;
    auto run = cuda::Run::begin(state.memory->context, control);
    if (!run) return std::unexpected(run.error());
    auto done = run->upload(host_planes(x, *strides), state.address, {});
    if (done) done = run->begin_work();
    if (done) done = run->end_work();
    if (done) done = run->finish();
    if (!done) return std::unexpected(done.error());
    return tensor;
} catch (const std::bad_alloc&) {
    return no_host_memory();
}

Result<void> DeviceTensor::download(const TensorView& y, const RunControl& control) const try {
    if (auto good = check_tensor("the tensor", *this, m_state->device); !good) return good;
    if (y.type != type() || y.shape != shape()) {
        return bad(ErrorCode::invalid_dimension, "y is " + std::string(name_of(y.type)) + " of " +
                                                     support::describe(y.shape) + ", the tensor is " +
                                                     std::string(name_of(type())) + " of " +
                                                     support::describe(shape()));
    }
    const auto strides = support::check_output_view("y", y, m_state->type, m_state->shape);
    if (!strides) return std::unexpected(strides.error());
    auto run = cuda::Run::begin(m_state->memory->context, control);
    if (!run) return std::unexpected(run.error());
    if (auto done = run->begin_work(); !done) return done;
    if (auto done = run->end_work(); !done) return done;
    if (auto done = run->download(m_state->address, host_planes(y, *strides), {}); !done) return done;
    return run->finish();
} catch (const std::bad_alloc&) {
    return no_host_memory();
}

Result<void> DeviceTensor::copy_from(const DeviceTensor& x) const try {
    if (auto good = check_tensor("x", x, m_state->device); !good) return good;
    if (auto good = check_tensor("the tensor", *this, m_state->device); !good) return good;
    if (x.shape() != shape()) {
        return bad(ErrorCode::invalid_dimension, "x has shape " + support::describe(x.shape()) +
                                                     ", the tensor's is " + support::describe(shape()));
    }
    const support::Strides dense = support::dense_strides(shape());
    const ConstTensorView from = x.m_state->view();
    const ConstTensorView to = m_state->view();
    const bool same = x.m_state->address == m_state->address && x.type() == type();
    if (!same && support::views_overlap(from, dense, to, dense)) {
        return bad(ErrorCode::invalid_argument, "x overlaps the tensor: it must lie apart from it");
    }
    const RunControl control;
    auto run = cuda::Run::begin(m_state->memory->context, control);
    if (!run) return std::unexpected(run.error());
    if (auto done = convert::enqueue(run->context(), run->stream(), x.type(), x.m_state->address, type(),
                                     m_state->address, elements(shape()));
        !done)
        return done;
    return run->finish();
} catch (const std::bad_alloc&) {
    return no_host_memory();
}

Result<DeviceTensor> DeviceTensor::planes(std::int64_t first, std::int64_t count) const try {
    const Shape& all = m_state->shape;
    const std::int64_t planes = all.n * all.c;
    if (first < 0 || count < 1 || first > planes - count) {
        return bad(ErrorCode::invalid_dimension,
                   std::to_string(count) + " planes from plane " + std::to_string(first) +
                       " on were asked for, the tensor " + support::describe(all) + " has " +
                       std::to_string(planes));
    }
    State part = *m_state;
    part.shape = {1, count, all.h, all.w};
    part.address += static_cast<cuda::DevicePointer>(first * all.h * all.w) * element_size(part.type);
    return DeviceTensor(std::make_shared<const State>(std::move(part)));
} catch (const std::bad_alloc&) {
    return no_host_memory();
}

const Device& DeviceTensor::device() const {
    return m_state->device;
}
ElementType DeviceTensor::type() const {
    return m_state->type;
}
const Shape& DeviceTensor::shape() const {
    return m_state->shape;
}
std::size_t DeviceTensor::bytes() const {
    return static_cast<std::size_t>(elements(m_state->shape)) * element_size(m_state->type);
}
bool DeviceTensor::is_lost() const {
    return m_state->memory->context->lost();
}
void* DeviceTensor::data() const {
    return m_state->view().data;
}

}  // namespace iir2d
