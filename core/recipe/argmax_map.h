// SPDX-License-Identifier: MIT
// The samples of its input that a max pooling takes (its argmax), with sums over squares for drawing at any
// size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/image/image.h"
#include "core/recipe/recipe.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "iir2d/device.h"

namespace workbench {

class ArgmaxMap {
  public:
    std::int64_t width() const { return m_width; }
    std::int64_t height() const { return m_height; }
    int channels() const { return m_channels; }  // that were looked at

    // Returns whether a window takes the sample: bit i for the i-th channel that was looked at.
    std::uint8_t at(std::int64_t x, std::int64_t y) const {
        return m_bits[static_cast<std::size_t>(y * m_width + x)];
    }
    // Returns, of all samples in all channels that were looked at: the part that some window takes.
    double share() const { return m_share; }

    // The same over squares of 2^level samples a side (fewer at the far edges), in row-major order.
    struct Level {
        std::int64_t width = 0;
        std::int64_t height = 0;
        std::vector<float> shares;
    };
    // Returns the levels from 1 on, each half as large as the one before, down to a single square.
    const std::vector<Level>& levels() const { return m_levels; }

  private:
    friend Result<ArgmaxMap> argmax_map(const PoolOperation&, const PlanarImage&, std::span<const int>,
                                        const iir2d::Device&, const TaskControl&);
    void make_levels();

    std::int64_t m_width = 0;
    std::int64_t m_height = 0;
    int m_channels = 0;
    double m_share = 0;
    std::vector<std::uint8_t> m_bits;
    std::vector<Level> m_levels;
};

// Returns the map of at most 8 channels. An operation that takes no maximum is bad_argument.
Result<ArgmaxMap> argmax_map(const PoolOperation& operation, const PlanarImage& input,
                             std::span<const int> channels, const iir2d::Device& device,
                             const TaskControl& control = {});

}  // namespace workbench
