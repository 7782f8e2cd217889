// SPDX-License-Identifier: MIT
// Runs PTX of the caller's own on a GPU: a text, compiled by the driver for one device, whose kernels are
// launched by name. Every call returns when its work is done. Thread-safe, but for GpuMemory: one thread at a
// time may use one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "iir2d/device.h"
#include "iir2d/error.h"
#include "iir2d/export.h"

namespace iir2d {

// Bytes in a GPU's memory, aligned to 256.
class IIR2D_API GpuMemory {
  public:
    // An error for a device that is no GPU, and where there is not enough memory. 0 bytes take a byte.
    static Result<GpuMemory> make(const Device& device, std::size_t bytes);
    GpuMemory(GpuMemory&&) noexcept;
    GpuMemory& operator=(GpuMemory&&) noexcept;
    ~GpuMemory();

    std::uint64_t address() const;  // as a kernel is given it
    std::size_t bytes() const;
    // Copies all of it; the span has bytes() bytes.
    Result<void> upload(std::span<const std::byte> from);
    Result<void> download(std::span<std::byte> to) const;

  private:
    struct State;
    explicit GpuMemory(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

struct GpuLaunch {
    std::string kernel;  // as the text has it: of C++ the mangled name
    std::array<unsigned, 3> grid{1, 1, 1};
    std::array<unsigned, 3> block{1, 1, 1};
    unsigned shared_bytes = 0;              // dynamic
    std::span<const std::byte> parameters;  // of the kernel, each at its offset, as the PTX lays them out
};

// A text that a GPU has taken.
class IIR2D_API GpuModule {
  public:
    // Loads PTX. The error has the driver's own log: what of the text it does not accept, and where.
    static Result<GpuModule> load(const Device& device, const std::string& ptx);
    // Loads PTX that the driver compiles at this level of optimisation, from 0, none, to 4, the most, which
    // it also takes without being asked. Results that differ by the level show a defect of the driver's
    // compiler, or a kernel that PTX gives no one meaning, such as one with a race.
    static Result<GpuModule> load(const Device& device, const std::string& ptx, unsigned level);
    GpuModule(GpuModule&&) noexcept;
    GpuModule& operator=(GpuModule&&) noexcept;
    ~GpuModule();

    // Runs a kernel to its end. A kernel that faults loses the device, as any other does: Device::cuda()
    // resets it.
    Result<void> launch(const GpuLaunch& launch) const;

  private:
    struct State;
    explicit GpuModule(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace iir2d
