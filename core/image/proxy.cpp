// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "core/image/image.h"

namespace workbench {

namespace {

// How much of each source sample [first, first + weights.size()) an output sample covers; the weights add up
// to 1.
struct Span {
    std::int64_t first = 0;
    std::vector<float> weights;
};

std::vector<Span> spans_of(std::int64_t source, std::int64_t target) {
    const double scale = static_cast<double>(source) / static_cast<double>(target);
    std::vector<Span> spans(static_cast<std::size_t>(target));
    for (std::int64_t i = 0; i < target; ++i) {
        const double from = static_cast<double>(i) * scale;
        const double to = std::min(static_cast<double>(i + 1) * scale, static_cast<double>(source));
        Span& span = spans[static_cast<std::size_t>(i)];
        span.first = static_cast<std::int64_t>(from);
        for (std::int64_t s = span.first; static_cast<double>(s) < to && s < source; ++s) {
            const double covered =
                std::min(to, static_cast<double>(s + 1)) - std::max(from, static_cast<double>(s));
            span.weights.push_back(static_cast<float>(covered / (to - from)));
        }
    }
    return spans;
}

template <class S>
void shrink_rows(std::span<const S> source, std::int64_t width, const std::vector<Span>& across,
                 const std::vector<Span>& down, std::size_t first_row, std::size_t last_row,
                 std::span<float> target) {
    std::vector<float> row(static_cast<std::size_t>(width));
    for (std::size_t y = first_row; y < last_row; ++y) {
        std::fill(row.begin(), row.end(), 0.0F);
        for (std::size_t k = 0; k < down[y].weights.size(); ++k) {
            const S* from = source.data() + (down[y].first + static_cast<std::int64_t>(k)) * width;
            const float weight = down[y].weights[k];
            for (std::size_t x = 0; x < row.size(); ++x) row[x] += weight * static_cast<float>(from[x]);
        }
        float* to = target.data() + y * across.size();
        for (std::size_t x = 0; x < across.size(); ++x) {
            const float* from = row.data() + across[x].first;
            float sum = 0.0F;
            for (std::size_t k = 0; k < across[x].weights.size(); ++k) sum += across[x].weights[k] * from[k];
            to[x] = sum;
        }
    }
}

}  // namespace

Proxy make_proxy(const PlanarImage& image, std::int64_t max_width, std::int64_t max_height) {
    const double factor = std::max(
        {1.0, static_cast<double>(image.width()) / static_cast<double>(std::max<std::int64_t>(max_width, 1)),
         static_cast<double>(image.height()) / static_cast<double>(std::max<std::int64_t>(max_height, 1))});
    if (factor == 1.0 || image.empty())
        return {.pixels = image.converted(iir2d::ElementType::f32), .factor = 1.0};
    const auto shrunk = [factor](std::int64_t size) {
        return std::max<std::int64_t>(1, std::llround(static_cast<double>(size) / factor));
    };
    Proxy proxy{.pixels = PlanarImage(shrunk(image.width()), shrunk(image.height()), image.channels(),
                                      iir2d::ElementType::f32),
                .factor = factor};
    const auto across = spans_of(image.width(), proxy.pixels.width());
    const auto down = spans_of(image.height(), proxy.pixels.height());

    // Bands of rows on a few short-lived threads: a large photograph is shrunk once, when it is opened.
    const std::size_t workers = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
    const auto band = [&](std::size_t worker) {
        const std::size_t first = down.size() * worker / workers;
        const std::size_t last = down.size() * (worker + 1) / workers;
        for (int c = 0; c < image.channels(); ++c) {
            const auto target = proxy.pixels.plane_f32(c);
            if (image.type() == iir2d::ElementType::f64) {
                shrink_rows(image.plane_f64(c), image.width(), across, down, first, last, target);
            } else {
                shrink_rows(image.plane_f32(c), image.width(), across, down, first, last, target);
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t worker = 1; worker < workers; ++worker) threads.emplace_back(band, worker);
        band(0);
    }  // all have joined before the proxy moves to the caller
    return proxy;
}

}  // namespace workbench
