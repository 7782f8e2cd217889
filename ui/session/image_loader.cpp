// SPDX-License-Identifier: MIT
#include "ui/session/image_loader.h"

#include <QMetaObject>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <list>
#include <thread>

#include "core/image/image_io.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

std::filesystem::path toPath(const QString& text) {
    return {text.toStdU16String()};
}

}  // namespace

struct ImageLoader::Impl {
    // A reader that was overtaken may still sit in a system call; it is joined when it has ended, not before,
    // so that opening never waits for it.
    struct Reader {
        std::jthread thread;
        std::shared_ptr<std::atomic<bool>> ended;
    };

    std::list<Reader> readers;
    std::uint64_t newest = 0;
    bool running = false;
    QString path;

    void stopAll() {
        for (Reader& reader : readers) reader.thread.request_stop();
        std::erase_if(readers, [](const Reader& reader) { return reader.ended->load(); });
    }
};

ImageLoader::ImageLoader(QObject* parent) : QObject(parent), m_impl(std::make_unique<Impl>()) {}

ImageLoader::~ImageLoader() {
    m_impl->stopAll();
}  // the threads' destructors join

bool ImageLoader::isRunning() const {
    return m_impl->running;
}

QString ImageLoader::path() const {
    return m_impl->path;
}

bool ImageLoader::cancel() {
    m_impl->stopAll();
    ++m_impl->newest;
    return std::exchange(m_impl->running, false);
}

void ImageLoader::start(const QString& path, int imageIndex, bool hasConsent) {
    m_impl->stopAll();
    const std::uint64_t number = ++m_impl->newest;
    m_impl->running = true;
    m_impl->path = path;
    auto ended = std::make_shared<std::atomic<bool>>(false);

    // Runs `deliver` in the GUI thread if this request is still the newest by then.
    const auto post = [this, number](auto deliver, bool last) {
        QMetaObject::invokeMethod(
            this,
            [this, number, last, deliver = std::move(deliver)] {
                if (number != m_impl->newest) return;
                if (last) m_impl->running = false;
                deliver();
            },
            Qt::QueuedConnection);
    };
    const auto read = [this, path, imageIndex, hasConsent, post, ended](const std::stop_token& stop) {
        const auto fail = [&](const Error& error) {
            if (error.kind == ErrorKind::cancelled) return;  // cancel() has said so already
            post([this, path, text = toText(error.message)] { Q_EMIT failed(path, text); }, true);
        };
        auto info = probe_image(toPath(path), imageIndex);
        if (!info) return fail(info.error());
        if (info->memory_bytes > askAboveBytes && !hasConsent) {
            const auto bytes = info->memory_bytes;
            return post([this, path, imageIndex, bytes] { Q_EMIT needsConsent(path, imageIndex, bytes); },
                        true);
        }
        // At most some 30 reports a second: a reader that reports every row must not fill the event queue.
        auto last = std::chrono::steady_clock::time_point{};
        const TaskControl control{
            .stop = stop, .progress = [&](double fraction, std::string_view what) {
                const auto now = std::chrono::steady_clock::now();
                if (now - last < std::chrono::milliseconds(33)) return;
                last = now;
                post([this, fraction, text = toText(what)] { Q_EMIT progressed(fraction, text); }, false);
            }};
        auto image = read_image(toPath(path), {.image_index = imageIndex, .keep_double = true}, control);
        if (!image) return fail(image.error());
        // For the page chooser; where there are no names, it has numbers.
        if (image->info.image_count > 1)
            image->info.image_names = image_names(toPath(path)).value_or(std::vector<std::string>{});
        const ImagePtr shared = std::make_shared<const Image>(*std::move(image));
        const auto statistics = channel_statistics(shared->pixels);
        post([this, shared, statistics] { Q_EMIT loaded(shared, statistics); }, true);
    };
    m_impl->readers.push_back({std::jthread([read, ended](const std::stop_token& stop) {
                                   read(stop);
                                   ended->store(true);
                               }),
                               ended});
}

}  // namespace workbench
