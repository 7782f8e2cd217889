// SPDX-License-Identifier: MIT
// What a latency is compared with: moving the same bytes, on as many threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "core/support/error.h"
#include "iir2d/device.h"

namespace workbench {

// Says how a device copies: on the CPU by non-temporal stores where the build has SSE2 and memcpy
// elsewhere, on a GPU within its memory. A sentence for records.
std::string_view copy_method(iir2d::Backend backend);

// Times one copy in a GPU's memory that reads and writes as many bytes as reading `from_bytes` and writing
// `to_bytes`. Milliseconds by the GPU's clock.
Result<double> copy_on_gpu(const iir2d::Device& device, std::size_t from_bytes, std::size_t to_bytes);

// Reads all of it once, on the calling thread.
void read_once(std::span<const std::byte> from);

// Owns its threads, which sleep between measurements: they are woken and known to be running before the clock
// starts, so that neither thread start nor wake-up is timed. One user at a time.
class CopyProbe {
  public:
    explicit CopyProbe(int threads);
    ~CopyProbe();
    CopyProbe(const CopyProbe&) = delete;
    CopyProbe& operator=(const CopyProbe&) = delete;

    // Reads all of `from` once and writes all of `to` once, past the caches. With equal sizes `to` becomes a
    // copy; otherwise (pooling) `to` is filled with what was read, to no meaning. The two must not overlap.
    // Returns milliseconds.
    double copy(std::span<const std::byte> from, std::span<std::byte> to);

    // memcpy of the first min(from, to) bytes, shared between the threads. Returns milliseconds.
    double plain_memcpy(std::span<const std::byte> from, std::span<std::byte> to);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace workbench
