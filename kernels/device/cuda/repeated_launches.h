// SPDX-License-Identifier: MIT
// Launches that come again. Small images are done sooner than their launches are made: what comes a second
// time on the same addresses is recorded as a CUDA graph and from then on started by one call.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "iir2d/error.h"
#include "kernels/device/cuda/context.h"

namespace iir2d::cuda {

// The launches of one job, which remembers the latest addresses it ran on. Thread-safe.
class RepeatedLaunches {
  public:
    // Addresses and strides: all that tells one run of the job from another.
    using Key = std::array<std::uint64_t, 7>;

    // Enqueues what `enqueue` would put into `stream`, as a graph where possible. The stream is the caller's
    // alone and not being captured. Where the driver makes no graph of it, the launches are made one by one.
    Result<void> enqueue(Context& context, StreamHandle stream, const Key& key,
                         const std::function<Result<void>()>& enqueue);

  private:
    std::mutex m_mutex;
    std::shared_ptr<Context> m_context;
    Key m_key = {};
    int m_runs = 0;  // with this key, counted no further than matters
    Graph m_graph;
};

}  // namespace iir2d::cuda
