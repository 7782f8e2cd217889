// SPDX-License-Identifier: MIT
// Inside core/image only: what the image module offers, which alone knows OpenImageIO. The module is a shared
// library that exports one C function, `iir2d_images_module`, which returns this table. Both sides are built
// together and by the same compiler, which the fingerprint proves, so the table's functions are C++.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/image/file_metadata.h"
#include "core/image/image_io.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

// Returns the path of UTF-8 text, as utf8_path() gives it.
inline std::filesystem::path path_of(const std::string& utf8) {
    return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

// A regular file to read. The path is for sentences, for the extension, and to open where there is no
// descriptor.
struct SourceFile {
    std::string path;  // UTF-8
    int descriptor = -1;
};

// An open file whose header makes sense, at the page that was asked for.
class ImageDecoder {
  public:
    ImageDecoder() = default;
    ImageDecoder(const ImageDecoder&) = delete;
    ImageDecoder& operator=(const ImageDecoder&) = delete;
    virtual ~ImageDecoder() = default;
    virtual const ImageInfo& info() const = 0;
    virtual FileMetadata metadata() const = 0;
    // Decodes the pixels, upright, into [1, channels, height, width]; once.
    virtual Result<void> decode(const iir2d::TensorView& planes, const TaskControl& control) = 0;
};

// A file to write. The descriptor, open for reading and writing and empty, stays the caller's.
struct OutputRequest {
    std::string path;  // UTF-8, that the file will have: for sentences and for formats that hold their name
    int descriptor = -1;
    std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();  // that the file may take
    std::string format;                                                    // one of formats()
    SampleType type = SampleType::f32;
    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 0;
    bool from_file = false;  // there is metadata
    FileMetadata metadata;
};

class ImageEncoder {
  public:
    ImageEncoder() = default;
    ImageEncoder(const ImageEncoder&) = delete;
    ImageEncoder& operator=(const ImageEncoder&) = delete;
    virtual ~ImageEncoder() = default;
    // Writes the next rows: [1, channels, rows, width], f32 or f64.
    virtual Result<void> write(const iir2d::ConstTensorView& rows) = 0;
    virtual Result<void> finish() = 0;
};

struct ImagesModule {
    const char* fingerprint;
    Result<std::unique_ptr<ImageDecoder>> (*open)(const SourceFile& source, int image_index);
    // Returns the names of all pages or parts.
    Result<std::vector<std::string>> (*names)(const SourceFile& source);
    Result<std::unique_ptr<ImageEncoder>> (*create)(const OutputRequest& request);
    std::vector<FormatAbility> (*formats)();
    std::string (*version)();  // of OpenImageIO: "2.4.7"
};

}  // namespace workbench
