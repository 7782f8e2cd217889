// SPDX-License-Identifier: MIT
// Inside core/image only: the image module, behind its wall or (IIR2D_IMAGES_IN_PROCESS=1, and on systems
// without workers) in this process. Thread-safe; each session is for one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/image/codec.h"
#include "core/image/source_file.h"

namespace workbench {

// A file that is open at one page, its header read, and not yet its pixels.
class ReadSession {
  public:
    ReadSession() = default;
    ReadSession(const ReadSession&) = delete;
    ReadSession& operator=(const ReadSession&) = delete;
    virtual ~ReadSession() = default;

    virtual const ImageInfo& info() const = 0;
    // Once. The control's progress is a fraction without a text.
    virtual Result<PlanarImage> pixels(iir2d::ElementType type, const TaskControl& control) = 0;
    // After the pixels.
    virtual Result<FileMetadata> metadata() = 0;
};

class ImageSessions {
  public:
    ImageSessions() = default;
    ImageSessions(const ImageSessions&) = delete;
    ImageSessions& operator=(const ImageSessions&) = delete;
    virtual ~ImageSessions() = default;

    virtual Result<ImageInfo> header(OpenSource source, int image_index, const std::stop_token& stop) = 0;
    virtual Result<std::vector<std::string>> names(OpenSource source, const std::stop_token& stop) = 0;
    virtual Result<std::unique_ptr<ReadSession>> read(OpenSource source, int image_index,
                                                      const std::stop_token& stop) = 0;
    // The encoder takes rows whose planes may lie apart (plane_stride).
    virtual Result<std::unique_ptr<ImageEncoder>> write(const OutputRequest& request,
                                                        const std::stop_token& stop) = 0;
    virtual Result<std::vector<FormatAbility>> formats() = 0;
    virtual Result<std::string> version() = 0;
    virtual void warm_up(const std::stop_token& stop) = 0;
};

// Those of this process: one choice for its whole life.
ImageSessions& image_sessions();

std::unique_ptr<ImageSessions> sessions_in_process();
std::unique_ptr<ImageSessions> sessions_in_worker();

// Rows that an image is handed over in when it is written: about a million samples.
std::int64_t rows_to_write_at_a_time(std::int64_t width, int channels, std::int64_t height);

}  // namespace workbench
