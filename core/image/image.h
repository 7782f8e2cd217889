// SPDX-License-Identifier: MIT
// Images in memory: planar, float or double, with what the file said about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "iir2d/tensor.h"

namespace workbench {

// The types a file's samples can have; also what an output can be asked to have.
enum class SampleType { u8, u16, u32, f16, f32, f64 };
std::string_view name_of(SampleType);  // "u8", ...
std::optional<SampleType> sample_type_from_name(std::string_view);
constexpr bool is_integer(SampleType t) {
    return t == SampleType::u8 || t == SampleType::u16 || t == SampleType::u32;
}

// What a file says of one of its images, known without reading pixels.
struct ImageInfo {
    std::filesystem::path path;
    std::string format;      // OpenImageIO's name: "png", "openexr", ...
    std::int64_t width = 0;  // as shown, after orientation
    std::int64_t height = 0;
    int channels = 0;
    std::vector<std::string> channel_names;
    int alpha_channel = -1;
    SampleType type = SampleType::f32;
    int bits_per_sample = 0;  // 0: the whole type
    bool tiled = false;
    int orientation = 1;       // Exif, as found in the file; the pixels in memory are already upright
    std::string colour_space;  // OpenImageIO's "oiio:ColorSpace", empty when the file does not say
    int image_index = 0;       // page or part
    int image_count = 1;
    // Empty unless somebody put in what image_names() (core/image/image_io.h) gives: listing takes time.
    std::vector<std::string> image_names;
    std::vector<std::pair<std::string, std::string>> metadata;  // name, value as text
    std::uint64_t memory_bytes = 0;                             // of its samples in memory, as they were read
    std::uint64_t native_bytes = 0;  // of its samples as the file has them, unpacked
    std::uint64_t file_bytes = 0;
};

// What a file said of itself, for the writer of another file (core/image/file_metadata.h).
struct FileMetadata;

// Memory for samples that leaves them as it finds them, unless a value is given: touching each of hundreds of
// megabytes, only to overwrite it, takes longer than a filter.
template <class T>
struct SampleAllocator : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = SampleAllocator<U>;
    };
    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }
    template <class U, class... Values>
    void construct(U* place, Values&&... values) {
        std::construct_at(place, std::forward<Values>(values)...);
    }
};
template <class T>
using Samples = std::vector<T, SampleAllocator<T>>;

// The samples of an image, in memory of its own or in somebody's that is kept for as long. A copy has memory
// of its own.
class SampleStore {
  public:
    SampleStore() = default;
    SampleStore(std::size_t count, iir2d::ElementType type);  // they may be anything
    SampleStore(std::shared_ptr<void> owner, std::byte* samples, std::size_t count, iir2d::ElementType type)
        : m_owner(std::move(owner)), m_samples(samples), m_count(count), m_type(type) {}
    SampleStore(const SampleStore& other);
    SampleStore(SampleStore&& other) noexcept { swap(other); }
    SampleStore& operator=(SampleStore other) noexcept {
        swap(other);
        return *this;
    }
    ~SampleStore() = default;

    iir2d::ElementType type() const { return m_type; }
    // Precondition: T is the type's.
    template <class T>
    std::span<T> as() const {
        return {reinterpret_cast<T*>(m_samples), m_count};
    }
    std::span<std::byte> bytes() const { return {m_samples, m_count * iir2d::element_size(m_type)}; }

  private:
    void swap(SampleStore& other) noexcept {
        std::swap(m_owner, other.m_owner);
        std::swap(m_samples, other.m_samples);
        std::swap(m_count, other.m_count);
        std::swap(m_type, other.m_type);
    }

    std::shared_ptr<void> m_owner;
    std::byte* m_samples = nullptr;
    std::size_t m_count = 0;
    iir2d::ElementType m_type = iir2d::ElementType::f32;
};

// Samples, plane after plane, rows dense. Integer files are value / max in [0, 1], float files as they are.
class PlanarImage {
  public:
    PlanarImage() = default;
    // Zeroed. type is f32 or f64.
    PlanarImage(std::int64_t width, std::int64_t height, int channels, iir2d::ElementType type);
    // The same with samples that may be anything: for who writes all of them.
    static PlanarImage uninitialised(std::int64_t width, std::int64_t height, int channels,
                                     iir2d::ElementType type);
    // Returns the samples at `samples`, which `owner` keeps: memory that another process filled is not
    // copied. Copies of the image have memory of their own.
    static PlanarImage over(std::shared_ptr<void> owner, std::byte* samples, std::int64_t width,
                            std::int64_t height, int channels, iir2d::ElementType type);

    std::int64_t width() const { return m_width; }
    std::int64_t height() const { return m_height; }
    int channels() const { return m_channels; }
    std::int64_t plane_size() const { return m_width * m_height; }
    bool empty() const { return m_channels == 0; }
    iir2d::ElementType type() const;

    std::span<float> plane_f32(int channel);  // precondition: type() == f32
    std::span<const float> plane_f32(int channel) const;
    std::span<double> plane_f64(int channel);
    std::span<const double> plane_f64(int channel) const;
    double at(std::int64_t x, std::int64_t y, int channel) const;

    // Returns all planes as one [1, channels, h, w] tensor, or the planes [first, first + count).
    iir2d::TensorView view(int first = 0, int count = -1);
    iir2d::ConstTensorView view(int first = 0, int count = -1) const;
    std::span<const std::byte> bytes() const;

    PlanarImage converted(iir2d::ElementType type) const;

  private:
    std::int64_t m_width = 0;
    std::int64_t m_height = 0;
    int m_channels = 0;
    SampleStore m_samples;
};

struct Image {
    ImageInfo info;
    PlanarImage pixels;
    std::shared_ptr<const FileMetadata> metadata;  // null for an image that came from no file
};
using ImagePtr = std::shared_ptr<const Image>;

struct ChannelStatistics {
    double minimum = 0;  // over finite samples; 0 when there is none
    double maximum = 0;
    double mean = 0;
    std::int64_t nan_count = 0;
    std::int64_t infinity_count = 0;
};
std::vector<ChannelStatistics> channel_statistics(const PlanarImage& image);

// SHA-256 over width, height, channels, type and the samples, little-endian: identifies pixels, not a file.
std::string pixel_hash(const PlanarImage& image);

// Box-filtered to at most max_width x max_height, as float32; the proxy that a preview filters. `factor` is
// source pixels per proxy pixel (at least 1; 1 means the image itself).
struct Proxy {
    PlanarImage pixels;
    double factor = 1.0;
};
Proxy make_proxy(const PlanarImage& image, std::int64_t max_width, std::int64_t max_height);

}  // namespace workbench
