// SPDX-License-Identifier: MIT
#include "core/recipe/argmax_map.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/image/element_planes.h"
#include "core/support/try.h"
#include "iir2d/plan.h"

namespace workbench {

namespace {

// The means of two by two squares of the level below, at the far edges of those there are.
ArgmaxMap::Level halved(const ArgmaxMap::Level& below) {
    ArgmaxMap::Level level{.width = (below.width + 1) / 2, .height = (below.height + 1) / 2, .shares = {}};
    level.shares.reserve(static_cast<std::size_t>(level.width * level.height));
    for (std::int64_t y = 0; y < level.height; ++y) {
        for (std::int64_t x = 0; x < level.width; ++x) {
            float sum = 0;
            int count = 0;
            for (std::int64_t r = 2 * y; r < std::min(2 * y + 2, below.height); ++r) {
                for (std::int64_t c = 2 * x; c < std::min(2 * x + 2, below.width); ++c) {
                    sum += below.shares[static_cast<std::size_t>(r * below.width + c)];
                    ++count;
                }
            }
            level.shares.push_back(sum / static_cast<float>(count));
        }
    }
    return level;
}

}  // namespace

void ArgmaxMap::make_levels() {
    Level level{.width = m_width, .height = m_height, .shares = {}};
    level.shares.resize(m_bits.size());
    double sum = 0;
    for (std::size_t i = 0; i < m_bits.size(); ++i) {
        level.shares[i] = static_cast<float>(std::popcount(m_bits[i])) / static_cast<float>(m_channels);
        sum += static_cast<double>(level.shares[i]);
    }
    m_share = m_bits.empty() ? 0.0 : sum / static_cast<double>(m_bits.size());
    while (level.width > 1 || level.height > 1) {
        level = halved(level);
        m_levels.push_back(level);
    }
}

Result<ArgmaxMap> argmax_map(const PoolOperation& operation, const PlanarImage& input,
                             std::span<const int> channels, const iir2d::Device& device,
                             const TaskControl& control) {
    if (!is_max(operation.op)) {
        return fail(ErrorKind::bad_argument, std::string(iir2d::name_of(operation.op)) +
                                                 " pooling takes no single sample of a window");
    }
    if (channels.empty() || channels.size() > 8)
        return fail(ErrorKind::bad_argument, "1 to 8 channels can be looked at");
    const iir2d::Shape plane{.h = input.height(), .w = input.width()};
    IIR2D_TRY(const auto plan, from_kernel(iir2d::PoolPlan::make(
                                   device, pool_desc(operation, plane, iir2d::ElementType::f32))));
    const iir2d::Shape size = plan.output_shape();
    const SourcePlanes samples(iir2d::ElementType::f32, input);
    std::vector<float> maxima(static_cast<std::size_t>(size.h * size.w));
    std::vector<std::int64_t> argmax(maxima.size());
    ArgmaxMap found;
    found.m_width = plane.w;
    found.m_height = plane.h;
    found.m_channels = static_cast<int>(channels.size());
    found.m_bits.resize(static_cast<std::size_t>(plane.h * plane.w));
    for (std::size_t i = 0; i < channels.size(); ++i) {
        const auto* first = static_cast<const float*>(samples.view().data) +
                            static_cast<std::ptrdiff_t>(channels[i]) * input.plane_size();
        const iir2d::TensorView pooled{maxima.data(), iir2d::ElementType::f32, size};
        IIR2D_RETURN_IF_ERROR(from_kernel(
            plan.forward({first, iir2d::ElementType::f32, plane}, pooled, argmax, {.stop = control.stop})));
        for (const std::int64_t index : argmax) {
            if (index < 0) continue;  // a window without a sample
            auto& bits = found.m_bits[static_cast<std::size_t>(index)];
            bits = static_cast<std::uint8_t>(bits | (1U << i));
        }
    }
    found.make_levels();
    return found;
}

}  // namespace workbench
