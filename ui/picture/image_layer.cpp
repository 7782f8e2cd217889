// SPDX-License-Identifier: MIT
#include "ui/picture/image_layer.h"

#include <QElapsedTimer>
#include <QPainter>
#include <QThread>
#include <QtConcurrent/QtConcurrentMap>
#include <algorithm>
#include <cmath>

namespace workbench {
namespace {

constexpr double quickMilliseconds = 16.0;  // what one frame at 60 Hz leaves

bool sameOptions(const DisplayOptions& a, const DisplayOptions& b) {
    return a.exposure_stops == b.exposure_stops && a.gamma == b.gamma && a.linear_source == b.linear_source;
}

}  // namespace

bool ImageLayer::Request::operator==(const Request& other) const {
    return pyramid == other.pyramid && sameOptions(options, other.options) &&
           background == other.background && topLeft == other.topLeft && zoom == other.zoom &&
           view == other.view && imageSize == other.imageSize;
}

ImageLayer::ImageLayer(QObject* parent) : QObject(parent) {}

ImageLayer::~ImageLayer() = default;

void ImageLayer::setImage(std::shared_ptr<const Image> image) {
    if (!image || image->pixels.empty()) {
        m_pyramid.reset();
        m_picture = {};
        return;
    }
    if (m_pyramid && m_pyramid->image() == image) return;
    m_pyramid = std::make_shared<ImagePyramid>(std::move(image));
}

void ImageLayer::setOptions(const DisplayOptions& options) {
    m_options = options;
}

void ImageLayer::setBackground(QRgb background) {
    m_background = background;
}

// Samples that a rendering reads, or writes where it enlarges.
double ImageLayer::workOf(const Request& request) {
    const PlanarImage& base = request.pyramid->base();
    const double step = double(base.width()) / (request.imageSize.width() * request.zoom);
    const PlanarImage& level = request.pyramid->levelFor(step);
    const double levelStep = step * double(level.width()) / double(base.width());
    const double read = std::clamp(levelStep * levelStep, 1.0, 16.0);  // render() takes 4 x 4 at most
    return read * request.view.width() * request.view.height() * std::min(base.channels(), 4);
}

ImageLayer::Picture ImageLayer::render(const Request& request) {
    QElapsedTimer timer;
    timer.start();
    QImage image(request.view, QImage::Format_RGB32);
    const double sourceStep = 1.0 / request.zoom;  // image pixels of the view per device pixel
    const PlanarImage& base = request.pyramid->base();
    const PlanarImage& level =
        request.pyramid->levelFor(sourceStep * double(base.width()) / request.imageSize.width());
    const double scaleX = double(level.width()) / request.imageSize.width();
    const double scaleY = double(level.height()) / request.imageSize.height();
    uchar* const bits = image.bits();  // detached once, before the strips share it
    const auto stride = image.bytesPerLine();

    // One strip a thread: each pays for the table of its display curve.
    const int count = std::clamp(QThread::idealThreadCount(), 1, 16);
    const int stripRows = (request.view.height() + count - 1) / count;
    QList<int> strips;
    for (int row = 0; row < request.view.height(); row += stripRows) strips.append(row);
    const auto renderStrip = [&](int row) {
        const int rows = std::min(stripRows, request.view.height() - row);
        // RGB32 rows are dense: their length is a multiple of four bytes by nature.
        auto* first = reinterpret_cast<std::uint32_t*>(bits + row * stride);
        const auto pixels = std::size_t(rows) * std::size_t(request.view.width());
        workbench::render(level, request.options, request.topLeft.x() * scaleX,
                          (request.topLeft.y() + row * sourceStep) * scaleY, sourceStep * scaleX,
                          sourceStep * scaleY, request.view.width(), rows, request.background,
                          std::span(first, pixels));
    };
    QtConcurrent::blockingMap(strips, renderStrip);
    return {std::move(image), request, double(timer.nsecsElapsed()) / 1e6};
}

void ImageLayer::keep(Picture picture) {
    const double measured = picture.milliseconds * 1e6 / std::max(1.0, workOf(picture.request));
    // Slow to believe in quick: the kernels share the processor with us.
    m_nanosecondsPerSample =
        measured > m_nanosecondsPerSample ? measured : 0.7 * m_nanosecondsPerSample + 0.3 * measured;
    m_picture = std::move(picture);
}

void ImageLayer::renderInBackground(const Request& request) {
    // Halvings pay when one image is drawn more than once.
    const bool again = m_picture.request.pyramid == request.pyramid;
    // While one is rendered nothing is started: paint() asks again when that one has landed.
    m_job.start(
        {},
        [request, again](const TaskControl&) -> Result<Picture> {
            if (again) request.pyramid->build();
            return render(request);
        },
        [this](Result<Picture> picture) {
            if (!picture) return;  // The old picture stays: another attempt would fail as well.
            if (m_pyramid) keep(std::move(*picture));
            Q_EMIT rendered();
        });
}

void ImageLayer::paint(QPainter& painter, const ViewTransform& transform, const QRect& clip) {
    if (!m_pyramid || clip.isEmpty()) return;
    const Request wanted{m_pyramid,
                         m_options,
                         m_background,
                         transform.topLeft(),
                         transform.zoom(),
                         transform.viewSize(),
                         transform.imageSize()};
    if (!(m_picture.request == wanted) || m_picture.image.isNull()) {
        if (workOf(wanted) * m_nanosecondsPerSample < quickMilliseconds * 1e6) {
            keep(render(wanted));
        } else {
            renderInBackground(wanted);
        }
    }
    m_upToDate = m_picture.request == wanted && !m_picture.image.isNull();
    if (m_upToDate) {
        painter.drawImage(clip.topLeft(), m_picture.image, clip);
        return;
    }
    if (m_picture.image.isNull() || m_picture.request.imageSize != wanted.imageSize) return;
    // The old picture, where its pixels belong now.
    const Request& old = m_picture.request;
    const QPointF corner = transform.toView(old.topLeft);
    const double scale = wanted.zoom / old.zoom;
    painter.save();
    painter.setClipRect(clip);
    painter.drawImage(QRectF(corner, QSizeF(old.view) * scale), m_picture.image);
    painter.restore();
}

}  // namespace workbench
