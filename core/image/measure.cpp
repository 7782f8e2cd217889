// SPDX-License-Identifier: MIT
// What can be measured of an image: statistics, hash, difference.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/image/image.h"
#include "core/image/image_io.h"
#include "core/support/counted.h"
#include "core/support/files.h"

namespace workbench {

namespace {

// Calls visit with a channel's samples, float or double.
template <class Visit>
void with_plane(const PlanarImage& image, int channel, const Visit& visit) {
    if (image.type() == iir2d::ElementType::f64) {
        visit(image.plane_f64(channel));
    } else {
        visit(image.plane_f32(channel));
    }
}

// Numbers in the order of the values, one apart for neighbours: -0 and 0 are the same.
template <class Float, class Integer>
std::int64_t ordered(Float value) {
    const auto bits = std::bit_cast<Integer>(value);
    return bits < 0 ? static_cast<std::int64_t>(std::numeric_limits<Integer>::min()) - bits
                    : static_cast<std::int64_t>(bits);
}

// Units in the last place between two values; saturates where double patterns are too far apart to count.
std::int64_t ulps(double a, double b, bool both_double) {
    if (!both_double) {
        return std::abs(ordered<float, std::int32_t>(static_cast<float>(a)) -
                        ordered<float, std::int32_t>(static_cast<float>(b)));
    }
    const std::int64_t p = ordered<double, std::int64_t>(a);
    const std::int64_t q = ordered<double, std::int64_t>(b);
    const auto distance = p > q ? static_cast<std::uint64_t>(p) - static_cast<std::uint64_t>(q)
                                : static_cast<std::uint64_t>(q) - static_cast<std::uint64_t>(p);
    return static_cast<std::int64_t>(std::min<std::uint64_t>(
        distance, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())));
}

}  // namespace

std::vector<ChannelStatistics> channel_statistics(const PlanarImage& image) {
    std::vector<ChannelStatistics> all;
    for (int c = 0; c < image.channels(); ++c) {
        ChannelStatistics s;
        with_plane(image, c, [&s](const auto& plane) {
            double lowest = std::numeric_limits<double>::infinity();
            double highest = -lowest;
            double sum = 0.0;
            std::int64_t finite = 0;
            for (const auto sample : plane) {
                if (std::isfinite(sample)) {
                    const auto value = static_cast<double>(sample);
                    lowest = std::min(lowest, value);
                    highest = std::max(highest, value);
                    sum += value;
                    ++finite;
                } else if (std::isnan(sample)) {
                    ++s.nan_count;
                } else {
                    ++s.infinity_count;
                }
            }
            if (finite == 0) return;
            s.minimum = lowest;
            s.maximum = highest;
            s.mean = sum / static_cast<double>(finite);
        });
        all.push_back(s);
    }
    return all;
}

std::string pixel_hash(const PlanarImage& image) {
    static_assert(std::endian::native == std::endian::little, "the hash is over little-endian samples");
    Sha256 digest;
    const std::int64_t header[] = {image.width(), image.height(), image.channels(),
                                   image.type() == iir2d::ElementType::f64 ? 8 : 4};
    digest.add(std::as_bytes(std::span(header)));
    digest.add(image.bytes());
    return digest.hex();
}

Result<Comparison> compare_images(const PlanarImage& a, const PlanarImage& b) {
    if (a.width() != b.width() || a.height() != b.height() || a.channels() != b.channels()) {
        const auto size = [](const PlanarImage& i) {
            return fmt::format("{} x {} with {}", i.width(), i.height(),
                               counted(static_cast<std::uint64_t>(i.channels()), "channel"));
        };
        return fail(ErrorKind::bad_input, "the images differ in size: " + size(a) + " and " + size(b));
    }
    Comparison result;
    const bool both_double = a.type() == iir2d::ElementType::f64 && b.type() == iir2d::ElementType::f64;
    double squares = 0.0;
    std::int64_t counted = 0;
    for (int c = 0; c < a.channels(); ++c) {
        for (std::int64_t y = 0; y < a.height(); ++y) {
            for (std::int64_t x = 0; x < a.width(); ++x) {
                const double p = a.at(x, y, c);
                const double q = b.at(x, y, c);
                if (std::isnan(p) || std::isnan(q)) {
                    if (std::isnan(p) != std::isnan(q)) ++result.nan_mismatches;
                    continue;
                }
                ++counted;
                if (p == q) continue;  // equal infinities too
                const double difference = std::abs(p - q);
                squares += difference * difference;
                result.max_ulp = std::max(result.max_ulp, ulps(p, q, both_double));
                if (difference > result.max_abs) {
                    result.max_abs = difference;
                    result.worst_x = x;
                    result.worst_y = y;
                    result.worst_channel = c;
                }
            }
        }
    }
    if (counted > 0) result.rmse = std::sqrt(squares / static_cast<double>(counted));
    result.psnr_db =
        result.rmse > 0.0 ? -20.0 * std::log10(result.rmse) : std::numeric_limits<double>::infinity();
    return result;
}

}  // namespace workbench
