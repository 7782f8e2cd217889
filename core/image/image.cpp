// SPDX-License-Identifier: MIT
#include "core/image/image.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "core/image/element_planes.h"
#include "core/support/memory.h"

namespace workbench {

namespace {

constexpr std::array<std::string_view, 6> sample_type_names{"u8", "u16", "u32", "f16", "f32", "f64"};

template <class T>
std::span<T> plane_of(std::span<T> samples, std::int64_t size, int channel) {
    return samples.subspan(static_cast<std::size_t>(size * channel), static_cast<std::size_t>(size));
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

SampleStore::SampleStore(std::size_t count, iir2d::ElementType type) : m_count(count), m_type(type) {
    m_owner = memory_block(count * iir2d::element_size(type));
    m_samples = static_cast<std::byte*>(m_owner.get());
}

SampleStore::SampleStore(const SampleStore& other) {
    if (other.m_count > 0) {
        SampleStore copy(other.m_count, other.m_type);
        std::ranges::copy(other.bytes(), copy.m_samples);
        swap(copy);
    }
    m_type = other.m_type;
}

PlanarImage::PlanarImage(std::int64_t width, std::int64_t height, int channels, iir2d::ElementType type) {
    *this = uninitialised(width, height, channels, type);
    std::ranges::fill(m_samples.bytes(), std::byte{0});
}

PlanarImage PlanarImage::uninitialised(std::int64_t width, std::int64_t height, int channels,
                                       iir2d::ElementType type) {
    PlanarImage image;
    image.m_width = width;
    image.m_height = height;
    image.m_channels = channels;
    image.m_samples = SampleStore(static_cast<std::size_t>(width * height * channels), image_type(type));
    return image;
}

PlanarImage PlanarImage::over(std::shared_ptr<void> owner, std::byte* samples, std::int64_t width,
                              std::int64_t height, int channels, iir2d::ElementType type) {
    PlanarImage image;
    image.m_width = width;
    image.m_height = height;
    image.m_channels = channels;
    image.m_samples = SampleStore(std::move(owner), samples,
                                  static_cast<std::size_t>(width * height * channels), image_type(type));
    return image;
}

iir2d::ElementType PlanarImage::type() const {
    return m_samples.type();
}

std::span<float> PlanarImage::plane_f32(int channel) {
    return plane_of(m_samples.as<float>(), plane_size(), channel);
}

std::span<const float> PlanarImage::plane_f32(int channel) const {
    return plane_of(m_samples.as<const float>(), plane_size(), channel);
}

std::span<double> PlanarImage::plane_f64(int channel) {
    return plane_of(m_samples.as<double>(), plane_size(), channel);
}

std::span<const double> PlanarImage::plane_f64(int channel) const {
    return plane_of(m_samples.as<const double>(), plane_size(), channel);
}

double PlanarImage::at(std::int64_t x, std::int64_t y, int channel) const {
    const auto index = static_cast<std::size_t>(plane_size() * channel + y * m_width + x);
    return type() == iir2d::ElementType::f64 ? m_samples.as<const double>()[index]
                                             : static_cast<double>(m_samples.as<const float>()[index]);
}

iir2d::TensorView PlanarImage::view(int first, int count) {
    const auto offset = static_cast<std::size_t>(plane_size() * first) * iir2d::element_size(type());
    return {.data = m_samples.bytes().data() + offset,
            .type = type(),
            .shape = {.n = 1, .c = count < 0 ? m_channels - first : count, .h = m_height, .w = m_width}};
}

iir2d::ConstTensorView PlanarImage::view(int first, int count) const {
    const auto offset = static_cast<std::size_t>(plane_size() * first) * iir2d::element_size(type());
    return {m_samples.bytes().data() + offset,
            type(),
            {.n = 1, .c = count < 0 ? m_channels - first : count, .h = m_height, .w = m_width}};
}

std::span<const std::byte> PlanarImage::bytes() const {
    return m_samples.bytes();
}

PlanarImage PlanarImage::converted(iir2d::ElementType type) const {
    if (type == this->type()) return *this;
    PlanarImage result = uninitialised(m_width, m_height, m_channels, type);
    const auto convert = [](const auto& from, const auto& to) {
        using To = typename std::remove_cvref_t<decltype(to)>::value_type;
        std::ranges::transform(from, to.begin(), [](auto sample) { return static_cast<To>(sample); });
    };
    if (result.type() == iir2d::ElementType::f64) {
        convert(m_samples.as<const float>(), result.m_samples.as<double>());
    } else {
        convert(m_samples.as<const double>(), result.m_samples.as<float>());
    }
    return result;
}

}  // namespace workbench
