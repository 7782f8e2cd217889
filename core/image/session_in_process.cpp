// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>

#include "core/image/module_loader.h"
#include "core/image/session.h"
#include "core/support/try.h"
#include "core/worker/protections.h"

namespace workbench {

namespace {

class LocalRead final : public ReadSession {
  public:
    LocalRead(OpenSource source, std::unique_ptr<ImageDecoder> decoder)
        : m_source(std::move(source)), m_decoder(std::move(decoder)) {}

    const ImageInfo& info() const override { return m_decoder->info(); }

    Result<PlanarImage> pixels(iir2d::ElementType type, const TaskControl& control) override {
        const ImageInfo& info = m_decoder->info();
        PlanarImage pixels = PlanarImage::uninitialised(info.width, info.height, info.channels, type);
        IIR2D_RETURN_IF_ERROR(m_decoder->decode(pixels.view(), control));
        return pixels;
    }

    Result<FileMetadata> metadata() override { return m_decoder->metadata(); }

  private:
    OpenSource m_source;  // under the decoder
    std::unique_ptr<ImageDecoder> m_decoder;
};

class InProcess final : public ImageSessions {
  public:
    Result<ImageInfo> header(OpenSource source, int image_index, const std::stop_token& stop) override {
        IIR2D_TRY(const auto opened, read(std::move(source), image_index, stop));
        return opened->info();
    }

    Result<std::vector<std::string>> names(OpenSource source, const std::stop_token&) override {
        IIR2D_TRY(const auto module, load());
        return module->names(source.file);
    }

    Result<std::unique_ptr<ReadSession>> read(OpenSource source, int image_index,
                                              const std::stop_token&) override {
        IIR2D_TRY(const auto module, load());
        IIR2D_TRY(auto decoder, module->open(source.file, image_index));
        return std::make_unique<LocalRead>(std::move(source), std::move(decoder));
    }

    Result<std::unique_ptr<ImageEncoder>> write(const OutputRequest& request,
                                                const std::stop_token&) override {
        IIR2D_TRY(const auto module, load());
        return module->create(request);
    }

    Result<std::vector<FormatAbility>> formats() override {
        IIR2D_TRY(const auto module, load());
        return module->formats();
    }

    Result<std::string> version() override {
        IIR2D_TRY(const auto module, load());
        return module->version();
    }

    void warm_up(const std::stop_token&) override { static_cast<void>(load()); }

  private:
    static Result<const ImagesModule*> load() { return load_images_module(images_module_path()); }
};

bool asked_for_in_process() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets variables
    const char* value = std::getenv("IIR2D_IMAGES_IN_PROCESS");
    return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

std::unique_ptr<ImageSessions> sessions_in_process() {
    return std::make_unique<InProcess>();
}

ImageSessions& image_sessions() {
    static const std::unique_ptr<ImageSessions> sessions =
        asked_for_in_process() || !worker::workers_available() ? sessions_in_process() : sessions_in_worker();
    return *sessions;
}

std::int64_t rows_to_write_at_a_time(std::int64_t width, int channels, std::int64_t height) {
    return std::clamp<std::int64_t>((std::int64_t{1} << 20) / (width * channels), 1, height);
}

}  // namespace workbench
