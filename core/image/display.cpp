// SPDX-License-Identifier: MIT
#include "core/image/display.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace workbench {

namespace {

// From a sample to a screen value, by a table over [0, 1]: fine enough that neighbours differ by less than
// one.
class Curve {
  public:
    explicit Curve(const DisplayOptions& options)
        : m_gain(static_cast<float>(std::exp2(options.exposure_stops))), m_table(size + 1) {
        for (std::size_t i = 0; i <= size; ++i) {
            double v = static_cast<double>(i) / size;
            if (options.gamma > 0.0) v = std::pow(v, 1.0 / options.gamma);
            if (options.linear_source)
                v = v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055;
            m_table[i] = static_cast<float>(std::clamp(v, 0.0, 1.0) * 255.0);
        }
    }

    // 0 to 255; precondition: not NaN.
    float operator()(float sample) const {
        const float v = std::clamp(sample * m_gain, 0.0F, 1.0F) * static_cast<float>(size);
        // NOLINTNEXTLINE(bugprone-incorrect-roundings): not negative
        return m_table[static_cast<std::size_t>(v + 0.5F)];
    }

  private:
    static constexpr std::size_t size = 1 << 14;
    float m_gain;
    std::vector<float> m_table;
};

constexpr std::uint32_t magenta = 0xffff00ffU;

std::uint32_t packed(float r, float g, float b) {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): not negative
    const auto byte = [](float v) { return static_cast<std::uint32_t>(v + 0.5F); };
    return 0xff000000U | byte(r) << 16 | byte(g) << 8 | byte(b);
}

// Which source samples a destination row or column averages: `count` of them, `stride` apart, from `first`. A
// few are enough for a picture on a screen.
struct Taps {
    std::int64_t first = 0;
    std::int64_t stride = 1;
    int count = 0;  // 0: outside the image
};

constexpr int most_taps = 4;

std::vector<Taps> taps_of(double start, double step, std::int64_t count, std::int64_t size) {
    std::vector<Taps> taps(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        const double from = start + static_cast<double>(i) * step;
        const double centre = from + step / 2.0;
        if (!(centre >= 0.0 && centre < static_cast<double>(size))) continue;
        Taps& t = taps[static_cast<std::size_t>(i)];
        if (step <= 1.0) {
            t = {static_cast<std::int64_t>(centre), 1, 1};
            continue;
        }
        const std::int64_t first =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(from)), 0, size - 1);
        const std::int64_t last =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(from + step)) - 1, first, size - 1);
        const std::int64_t length = last - first + 1;
        t.count = static_cast<int>(std::min<std::int64_t>(length, most_taps));
        t.stride = length / t.count;
        t.first = first + (length - 1 - (t.count - 1) * t.stride) / 2;
    }
    return taps;
}

template <class S>
class Renderer {
  public:
    Renderer(const PlanarImage& image, const DisplayOptions& options)
        : m_width(image.width()), m_channels(image.channels()), m_curve(options) {
        for (int c = 0; c < std::min(m_channels, 4); ++c)
            m_planes[static_cast<std::size_t>(c)] = plane(image, c);
    }

    std::uint32_t pixel(const Taps& x, const Taps& y, bool light_square) const {
        std::array<float, 4> v{};
        const int used = std::min(m_channels, 4);
        for (int c = 0; c < used; ++c) {
            const float sample = average(m_planes[static_cast<std::size_t>(c)], x, y);
            if (sample != sample) return magenta;
            v[static_cast<std::size_t>(c)] = sample;
        }
        const bool colour = m_channels >= 3;
        const float r = m_curve(v[0]);
        const float g = colour ? m_curve(v[1]) : r;
        const float b = colour ? m_curve(v[2]) : r;
        if (m_channels != 2 && m_channels != 4) return packed(r, g, b);
        const float alpha = std::clamp(v[static_cast<std::size_t>(m_channels - 1)], 0.0F, 1.0F);
        const float behind = (light_square ? 200.0F : 150.0F) * (1.0F - alpha);
        return packed(r * alpha + behind, g * alpha + behind, b * alpha + behind);
    }

  private:
    static const S* plane(const PlanarImage& image, int c) {
        if constexpr (std::is_same_v<S, double>) {
            return image.plane_f64(c).data();
        } else {
            return image.plane_f32(c).data();
        }
    }
    float average(const S* samples, const Taps& x, const Taps& y) const {
        if (x.count == 1 && y.count == 1) return static_cast<float>(samples[y.first * m_width + x.first]);
        float sum = 0.0F;
        for (int j = 0; j < y.count; ++j) {
            const S* row = samples + (y.first + j * y.stride) * m_width + x.first;
            for (int i = 0; i < x.count; ++i) sum += static_cast<float>(row[i * x.stride]);
        }
        return sum / static_cast<float>(x.count * y.count);
    }

    std::int64_t m_width;
    int m_channels;
    Curve m_curve;
    std::array<const S*, 4> m_planes{};
};

template <class S>
void render_as(const PlanarImage& image, const DisplayOptions& options, const std::vector<Taps>& xs,
               const std::vector<Taps>& ys, std::uint32_t background, std::span<std::uint32_t> out) {
    const Renderer<S> renderer(image, options);
    for (std::size_t j = 0; j < ys.size(); ++j) {
        std::uint32_t* row = out.data() + j * xs.size();
        if (ys[j].count == 0) {
            std::fill_n(row, xs.size(), background);
            continue;
        }
        for (std::size_t i = 0; i < xs.size(); ++i) {
            row[i] = xs[i].count == 0 ? background : renderer.pixel(xs[i], ys[j], ((i / 8) ^ (j / 8)) & 1);
        }
    }
}

}  // namespace

void render(const PlanarImage& image, const DisplayOptions& options, double left, double top, double step,
            std::int64_t width, std::int64_t height, std::uint32_t background, std::span<std::uint32_t> out) {
    render(image, options, left, top, step, step, width, height, background, out);
}

void render(const PlanarImage& image, const DisplayOptions& options, double left, double top, double step_x,
            double step_y, std::int64_t width, std::int64_t height, std::uint32_t background,
            std::span<std::uint32_t> out) {
    if (width <= 0 || height <= 0) return;
    const auto xs = taps_of(left, step_x, width, image.width());
    const auto ys = taps_of(top, step_y, height, image.height());
    if (image.type() == iir2d::ElementType::f64) {
        render_as<double>(image, options, xs, ys, background, out);
    } else {
        render_as<float>(image, options, xs, ys, background, out);
    }
}

}  // namespace workbench
