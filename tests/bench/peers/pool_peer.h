// SPDX-License-Identifier: MIT
// What peer_bench compares of pooling: one pass of one library on f32 in planar order, from our memory to our
// memory, without padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/yardsticks.h"

namespace bench {

enum class PoolKind { max, max_with_places, avg, lp2 };

struct PoolSpec {
    PoolKind kind = PoolKind::max;
    bool backward = false;
    std::int64_t n = 1, c = 1, h = 1, w = 1;
    std::int64_t window = 2;
    std::int64_t stride = 2;

    std::int64_t out(std::int64_t in) const { return (in - window) / stride + 1; }
    std::size_t inputs() const { return static_cast<std::size_t>(n * c * h * w); }
    std::size_t outputs() const { return static_cast<std::size_t>(n * c * out(h) * out(w)); }
};

// Forward makes y of x, backward dx of dy (and what it keeps of a forward pass of its own).
struct PoolData {
    explicit PoolData(const PoolSpec& spec)
        : x(spec.inputs(), true),
          y(spec.outputs(), false),
          dy(spec.outputs(), true),
          dx(spec.inputs(), false) {}
    Buffer<float> x;
    Buffer<float> y;
    Buffer<float> dy;
    Buffer<float> dx;
};

// Made ready before the clock starts.
class PoolPeerJob {
  public:
    PoolPeerJob() = default;
    virtual ~PoolPeerJob() = default;
    PoolPeerJob(const PoolPeerJob&) = delete;
    PoolPeerJob& operator=(const PoolPeerJob&) = delete;
    virtual void run() = 0;   // timed
    virtual void finish() {}  // untimed, before the result is looked at: of a library that keeps it
};

struct PoolPeer {
    std::string library;  // with its version
    // The call, as its documentation names it; empty when there is none for this.
    std::function<std::string(const PoolSpec&)> what;
    std::function<std::unique_ptr<PoolPeerJob>(const PoolSpec&, PoolData&, int threads)> make;
};

// None of a library that the build did not find.
PoolPeer iir2d_pool_peer();
std::vector<PoolPeer> onednn_pool_peers();  // of two layouts
PoolPeer torch_pool_peer();

// Of every case of peer_bench.
inline constexpr std::initializer_list<const char*> peer_counters = {
    "kept", "p50_ms", "copy_ms", "x_copy", "iir2d_ms", "x_iir2d", "max_error", "rms_error"};

// Adds every pass of every library that is there.
void add_pool_cases(int most_threads);

}  // namespace bench
