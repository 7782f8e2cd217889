// SPDX-License-Identifier: MIT
#include "ui/charts/chart_export.h"

#include <QBuffer>
#include <QFontMetrics>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <algorithm>

#include "ui/charts/chart_style.h"
#include "ui/charts/chart_view.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int width = 960;
constexpr int height = 540;
constexpr int margin = 12;

int captionHeight(const QString& caption) {
    return caption.isEmpty() ? 0 : QFontMetrics(chartFont()).height() + margin;
}

void draw(QPainter& painter, ChartView& view, const QSize& size, const QString& caption) {
    const ThemeColours& c = themeColours();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.fillRect(QRect(QPoint(), size), c.base);
    const int below = captionHeight(caption);
    view.renderTo(painter, QSizeF(size.width(), size.height() - below));
    if (below == 0) return;
    painter.resetTransform();
    const QFontMetrics metrics(chartFont());
    painter.setFont(chartFont());
    painter.setPen(c.muted);
    painter.drawText(QRect(margin, size.height() - below, size.width() - 2 * margin, below - margin / 2),
                     int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                     metrics.elidedText(caption, Qt::ElideMiddle, size.width() - 2 * margin));
}

}  // namespace

QSize exportSize(const ChartView& view) {
    return {width, std::max(height, view.minimumHeight())};
}

QByteArray chartAsPng(ChartView& view, const QString& caption, double scale) {
    const QSize size = exportSize(view) + QSize(0, captionHeight(caption));
    QImage image(size * scale, QImage::Format_RGB32);
    if (image.isNull()) return {};
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    draw(painter, view, size, caption);
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) return {};
    return bytes;
}

QByteArray chartAsSvg(ChartView& view, const QString& caption) {
    const QSize size = exportSize(view) + QSize(0, captionHeight(caption));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(view.name());
    generator.setDescription(view.summary());
    QPainter painter(&generator);
    draw(painter, view, size, caption);
    painter.end();
    return bytes;
}

}  // namespace workbench
