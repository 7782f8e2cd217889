// SPDX-License-Identifier: MIT
// Inside core/image only: what the image module offers, which alone knows OpenImageIO. The module is a shared
// library that exports one C function, `iir2d_images_module`, which returns this table. Both sides are built
// together and by the same compiler, which the fingerprint proves, so the table's functions are C++.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/image/file_metadata.h"
#include "core/image/image.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

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
    // The pixels, upright, into [1, channels, height, width]; once.
    virtual Result<void> decode(const iir2d::TensorView& planes, const TaskControl& control) = 0;
};

// A file to write. The descriptor, open for reading and writing and empty, stays the caller's.
struct OutputRequest {
    std::string path;    // UTF-8, that the file will have: for sentences and for formats that hold their name
    std::string opened;  // a name under which the file of the descriptor can be opened
    int descriptor = -1;
    std::string format;  // one of formats()
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
    // The next rows: [1, channels, rows, width], f32 or f64.
    virtual Result<void> write(const iir2d::ConstTensorView& rows) = 0;
    virtual Result<void> finish() = 0;
};

struct FormatAbility {
    std::string name;
    std::vector<std::string> extensions;
    bool reads = false;
    bool writes = false;
};

struct ImagesModule {
    const char* fingerprint;
    Result<std::unique_ptr<ImageDecoder>> (*open)(const SourceFile& source, int image_index);
    // The names of all pages or parts.
    Result<std::vector<std::string>> (*names)(const SourceFile& source);
    Result<std::unique_ptr<ImageEncoder>> (*create)(const OutputRequest& request);
    std::vector<FormatAbility> (*formats)();
    std::string (*version)();  // of OpenImageIO: "2.4.7"
};

// How many rows of an image are handed over at a time when it is written.
std::int64_t rows_to_write_at_a_time(std::int64_t width, int channels, std::int64_t height);

}  // namespace workbench
