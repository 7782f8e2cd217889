// SPDX-License-Identifier: MIT
#include "iir2d/gpu_module.h"

#include <optional>

#include "iir2d/try.h"
#include "kernels/device/cuda/context.h"

namespace iir2d {

namespace {

constexpr unsigned most_optimised = 4;  // of the driver's levels

std::unexpected<Error> refused(std::string what) {
    return std::unexpected(Error{ErrorCode::invalid_argument, std::move(what)});
}

Result<std::shared_ptr<cuda::Context>> context_of(const Device& device) {
    if (device.backend() != Backend::cuda)
        return refused("device " + device.id() + " is no GPU: PTX is for GPUs");
    return cuda::Context::get(device.index());
}

}  // namespace

struct GpuMemory::State {
    std::shared_ptr<cuda::Context> context;
    cuda::Stream stream;
    cuda::DeviceBuffer buffer;  // goes before the stream that frees it
    std::size_t bytes = 0;
};

GpuMemory::GpuMemory(std::unique_ptr<State> state) : m_state(std::move(state)) {}
GpuMemory::GpuMemory(GpuMemory&&) noexcept = default;
GpuMemory& GpuMemory::operator=(GpuMemory&&) noexcept = default;
GpuMemory::~GpuMemory() = default;

Result<GpuMemory> GpuMemory::make(const Device& device, std::size_t bytes) {
    auto context = context_of(device);
    if (!context) return std::unexpected(context.error());
    auto stream = (*context)->make_stream();
    if (!stream) return std::unexpected(stream.error());
    auto buffer = (*context)->allocate(bytes == 0 ? 1 : bytes, stream->get());
    if (!buffer) return std::unexpected(buffer.error());
    // It is there for every stream.
    IIR2D_RETURN_IF_ERROR((*context)->synchronize(stream->get()));
    return GpuMemory(
        std::make_unique<State>(State{std::move(*context), std::move(*stream), std::move(*buffer), bytes}));
}

std::uint64_t GpuMemory::address() const {
    return m_state->buffer.get();
}
std::size_t GpuMemory::bytes() const {
    return m_state->bytes;
}

Result<void> GpuMemory::upload(std::span<const std::byte> from) {
    if (from.size() != m_state->bytes)
        return refused("the memory has " + std::to_string(m_state->bytes) + " bytes, what is copied " +
                       std::to_string(from.size()));
    if (from.empty()) return {};
    auto copied = m_state->context->upload(m_state->stream.get(), address(), from.data(), from.size());
    return copied ? m_state->context->synchronize(m_state->stream.get()) : copied;
}

Result<void> GpuMemory::download(std::span<std::byte> to) const {
    if (to.size() != m_state->bytes)
        return refused("the memory has " + std::to_string(m_state->bytes) + " bytes, where it is copied to " +
                       std::to_string(to.size()));
    if (to.empty()) return {};
    auto copied = m_state->context->download(m_state->stream.get(), to.data(), address(), to.size());
    return copied ? m_state->context->synchronize(m_state->stream.get()) : copied;
}

struct GpuModule::State {
    std::shared_ptr<cuda::Context> context;
    cuda::Module module;
    cuda::Stream stream;
};

GpuModule::GpuModule(std::unique_ptr<State> state) : m_state(std::move(state)) {}
GpuModule::GpuModule(GpuModule&&) noexcept = default;
GpuModule& GpuModule::operator=(GpuModule&&) noexcept = default;
GpuModule::~GpuModule() = default;

namespace {

// Makes what a module consists of; `State` is GpuModule's own.
template <class State>
Result<std::unique_ptr<State>> loaded(const Device& device, const std::string& ptx,
                                      std::optional<unsigned> level) {
    auto context = context_of(device);
    if (!context) return std::unexpected(context.error());
    auto module = (*context)->load(ptx, level);
    if (!module) return std::unexpected(module.error());
    auto stream = (*context)->make_stream();
    if (!stream) return std::unexpected(stream.error());
    return std::make_unique<State>(State{std::move(*context), std::move(*module), std::move(*stream)});
}

}  // namespace

Result<GpuModule> GpuModule::load(const Device& device, const std::string& ptx) {
    auto made = loaded<State>(device, ptx, {});
    if (!made) return std::unexpected(made.error());
    return GpuModule(*std::move(made));
}

Result<GpuModule> GpuModule::load(const Device& device, const std::string& ptx, unsigned level) {
    if (level > most_optimised)
        return refused("PTX is compiled at a level of 0 to " + std::to_string(most_optimised) + ", not " +
                       std::to_string(level));
    auto made = loaded<State>(device, ptx, level);
    if (!made) return std::unexpected(made.error());
    return GpuModule(*std::move(made));
}

Result<void> GpuModule::launch(const GpuLaunch& launch) const {
    auto done = m_state->context->launch(m_state->stream.get(), m_state->module, launch);
    return done ? m_state->context->synchronize(m_state->stream.get()) : done;
}

}  // namespace iir2d
