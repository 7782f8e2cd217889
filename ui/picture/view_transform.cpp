// SPDX-License-Identifier: MIT
#include "ui/picture/view_transform.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace workbench {
namespace {

constexpr std::array usualZooms = {1.0 / 64, 1.0 / 48, 1.0 / 32, 1.0 / 24, 1.0 / 16, 1.0 / 12, 1.0 / 8,
                                   1.0 / 6,  1.0 / 4,  1.0 / 3,  1.0 / 2,  2.0 / 3,  1.0,      1.5,
                                   2.0,      3.0,      4.0,      6.0,      8.0,      12.0,     16.0,
                                   24.0,     32.0,     48.0,     64.0,     96.0,     128.0};

// Whole device pixels: what is drawn can then be moved instead of drawn again.
double snapped(double imageCoordinate, double zoom) {
    return std::round(imageCoordinate * zoom) / zoom;
}

}  // namespace

void ViewTransform::setViewSize(QSize devicePixels) {
    const QSize size = devicePixels.expandedTo(QSize(1, 1));
    const QPointF middle = toImage(QPointF(m_view.width(), m_view.height()) / 2.0);
    m_view = size;
    if (m_fitted) {
        fit();
    } else {
        m_topLeft = middle - QPointF(m_view.width(), m_view.height()) / (2.0 * m_zoom);
        keepVisible();
    }
}

void ViewTransform::setImageSize(QSize imagePixels) {
    m_image = imagePixels.expandedTo(QSize(1, 1));
    if (m_fitted) {
        fit();
    } else {
        keepVisible();
    }
}

QRectF ViewTransform::imageInView() const {
    return {toView(QPointF(0, 0)), QSizeF(m_image.width() * m_zoom, m_image.height() * m_zoom)};
}

double ViewTransform::fittingZoom() const {
    const double zoom =
        std::min(double(m_view.width()) / m_image.width(), double(m_view.height()) / m_image.height());
    return zoom < 1.0 ? zoom : std::min(std::floor(zoom), maximumZoom);
}

double ViewTransform::minimumZoom() const {
    return std::min(fittingZoom() / 4.0, 1.0 / 8.0);
}

void ViewTransform::fit() {
    m_fitted = true;
    m_zoom = fittingZoom();
    const QSizeF shown(m_image.width() * m_zoom, m_image.height() * m_zoom);
    // Whole device pixels here too: a half one would blur nothing but shift every pixel's edge.
    m_topLeft = QPointF(-std::round((m_view.width() - shown.width()) / 2.0) / m_zoom,
                        -std::round((m_view.height() - shown.height()) / 2.0) / m_zoom);
}

void ViewTransform::zoomTo(double zoom, QPointF anchor) {
    const QPointF held = toImage(anchor);
    m_fitted = false;
    m_zoom = std::clamp(zoom, minimumZoom(), maximumZoom);
    m_topLeft = held - anchor / m_zoom;
    keepVisible();
}

void ViewTransform::step(bool in, QPointF anchor) {
    constexpr double nearly = 1.001;  // a zoom that differs from a usual one by rounding counts as it
    double next = in ? maximumZoom : minimumZoom();
    if (in) {
        const auto* above = std::ranges::find_if(usualZooms, [&](double z) { return z > m_zoom * nearly; });
        if (above != usualZooms.end()) next = *above;
    } else {
        for (const double z : usualZooms) {
            if (z * nearly < m_zoom) next = std::max(next, z);
        }
    }
    zoomTo(next, anchor);
}

void ViewTransform::panBy(QPointF viewDelta) {
    m_fitted = false;
    m_topLeft -= viewDelta / m_zoom;
    keepVisible();
}

void ViewTransform::keepVisible() {
    const auto limit = [this](double first, double imageLength, double viewLength) {
        const double kept = std::min({keptVisible / m_zoom, imageLength, viewLength / m_zoom});
        return std::clamp(first, kept - viewLength / m_zoom, imageLength - kept);
    };
    m_topLeft = {snapped(limit(m_topLeft.x(), m_image.width(), m_view.width()), m_zoom),
                 snapped(limit(m_topLeft.y(), m_image.height(), m_view.height()), m_zoom)};
}

}  // namespace workbench
