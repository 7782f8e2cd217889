// SPDX-License-Identifier: MIT
#include "core/image/image.h"

#include <array>
#include <cstddef>

namespace workbench {

namespace {

constexpr std::array<std::string_view, 6> sample_type_names{"u8", "u16", "u32", "f16", "f32", "f64"};

template <class T>
std::span<T> plane_of(Samples<std::remove_const_t<T>>& samples, std::int64_t size, int channel) {
    return std::span<T>(samples).subspan(static_cast<std::size_t>(size * channel),
                                         static_cast<std::size_t>(size));
}

}  // namespace

std::string_view name_of(SampleType type) {
    return sample_type_names[static_cast<std::size_t>(type)];
}

std::optional<SampleType> sample_type_from_name(std::string_view name) {
    for (std::size_t i = 0; i < sample_type_names.size(); ++i) {
        if (sample_type_names[i] == name) return static_cast<SampleType>(i);
    }
    return std::nullopt;
}

PlanarImage::PlanarImage(std::int64_t width, std::int64_t height, int channels, iir2d::ElementType type)
    : m_width(width), m_height(height), m_channels(channels) {
    const auto count = static_cast<std::size_t>(width * height * channels);
    if (type == iir2d::ElementType::f64) {
        m_samples = Samples<double>(count, 0.0);
    } else {
        m_samples = Samples<float>(count, 0.0F);
    }
}

PlanarImage PlanarImage::uninitialised(std::int64_t width, std::int64_t height, int channels,
                                       iir2d::ElementType type) {
    PlanarImage image;
    image.m_width = width;
    image.m_height = height;
    image.m_channels = channels;
    const auto count = static_cast<std::size_t>(width * height * channels);
    if (type == iir2d::ElementType::f64) {
        image.m_samples = Samples<double>(count);
    } else {
        image.m_samples = Samples<float>(count);
    }
    return image;
}

iir2d::ElementType PlanarImage::type() const {
    return std::holds_alternative<Samples<double>>(m_samples) ? iir2d::ElementType::f64
                                                              : iir2d::ElementType::f32;
}

std::span<float> PlanarImage::plane_f32(int channel) {
    return plane_of<float>(std::get<Samples<float>>(m_samples), plane_size(), channel);
}

std::span<const float> PlanarImage::plane_f32(int channel) const {
    const auto& samples = std::get<Samples<float>>(m_samples);
    return std::span(samples).subspan(static_cast<std::size_t>(plane_size() * channel),
                                      static_cast<std::size_t>(plane_size()));
}

std::span<double> PlanarImage::plane_f64(int channel) {
    return plane_of<double>(std::get<Samples<double>>(m_samples), plane_size(), channel);
}

std::span<const double> PlanarImage::plane_f64(int channel) const {
    const auto& samples = std::get<Samples<double>>(m_samples);
    return std::span(samples).subspan(static_cast<std::size_t>(plane_size() * channel),
                                      static_cast<std::size_t>(plane_size()));
}

double PlanarImage::at(std::int64_t x, std::int64_t y, int channel) const {
    const auto index = static_cast<std::size_t>(plane_size() * channel + y * m_width + x);
    return std::visit([index](const auto& samples) { return static_cast<double>(samples[index]); },
                      m_samples);
}

iir2d::TensorView PlanarImage::view(int first, int count) {
    void* data = std::visit(
        [&](auto& samples) -> void* {
            return samples.data() + static_cast<std::size_t>(plane_size() * first);
        },
        m_samples);
    return {.data = data,
            .type = type(),
            .shape = {.n = 1, .c = count < 0 ? m_channels - first : count, .h = m_height, .w = m_width}};
}

iir2d::ConstTensorView PlanarImage::view(int first, int count) const {
    const void* data = std::visit(
        [&](const auto& samples) -> const void* {
            return samples.data() + static_cast<std::size_t>(plane_size() * first);
        },
        m_samples);
    return {data, type(), {.n = 1, .c = count < 0 ? m_channels - first : count, .h = m_height, .w = m_width}};
}

std::span<const std::byte> PlanarImage::bytes() const {
    return std::visit([](const auto& samples) { return std::as_bytes(std::span(samples)); }, m_samples);
}

PlanarImage PlanarImage::converted(iir2d::ElementType type) const {
    if (type == this->type()) return *this;
    PlanarImage result;
    result.m_width = m_width;
    result.m_height = m_height;
    result.m_channels = m_channels;
    if (type == iir2d::ElementType::f64) {
        const auto& from = std::get<Samples<float>>(m_samples);
        result.m_samples = Samples<double>(from.begin(), from.end());
    } else {
        const auto& from = std::get<Samples<double>>(m_samples);
        Samples<float> to(from.size());
        for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]);
        result.m_samples = std::move(to);
    }
    return result;
}

}  // namespace workbench
