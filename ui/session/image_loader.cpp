// SPDX-License-Identifier: MIT
#include "ui/session/image_loader.h"

#include <filesystem>
#include <memory>
#include <utility>

#include "core/image/image_io.h"
#include "core/support/try.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

// An image with its statistics, or, without an image, the memory that needs consent.
struct Loaded {
    ImagePtr image;
    std::vector<ChannelStatistics> statistics;
    std::uint64_t bytes = 0;
};

Result<Loaded> load(const std::filesystem::path& path, int imageIndex, bool hasConsent,
                    const TaskControl& control) {
    IIR2D_TRY(auto info, probe_image(path, imageIndex, control.stop));
    if (info.memory_bytes > ImageLoader::askAboveBytes && !hasConsent)
        return Loaded{.image = nullptr, .statistics = {}, .bytes = info.memory_bytes};
    IIR2D_TRY(auto image, read_image(path, {.image_index = imageIndex, .keep_double = true}, control));
    // For the page chooser; where there are no names, it has numbers.
    if (image.info.image_count > 1)
        image.info.image_names = image_names(path, control.stop).value_or(std::vector<std::string>{});
    auto shared = std::make_shared<const Image>(std::move(image));
    auto statistics = channel_statistics(shared->pixels);
    return Loaded{.image = std::move(shared), .statistics = std::move(statistics)};
}

}  // namespace

// A reader that was overtaken may still sit in a system call: opening never waits for it.
ImageLoader::ImageLoader(QObject* parent) : QObject(parent), m_job(JobPolicy::newest_wins_at_once) {
    connect(&m_job, &Job::progressed, this, &ImageLoader::progressed);
}

ImageLoader::~ImageLoader() = default;

void ImageLoader::start(const QString& path, int imageIndex, bool hasConsent) {
    m_imageIndex = imageIndex;
    m_job.start(
        path,
        [path, imageIndex, hasConsent](const TaskControl& control) {
            return load(toPath(path), imageIndex, hasConsent, control);
        },
        [this, path, imageIndex](const Result<Loaded>& done) {
            if (!done) {
                Q_EMIT failed(path, toText(done.error().message));
            } else if (!done->image) {
                Q_EMIT needsConsent(path, imageIndex, done->bytes);
            } else {
                Q_EMIT loaded(done->image, done->statistics);
            }
        });
}

}  // namespace workbench
