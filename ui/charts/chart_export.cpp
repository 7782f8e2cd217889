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

// The caption comes below what is drawn in `size`.
void paint(QPainter& painter, const QSize& size, const QString& caption,
           const std::function<void(QPainter&)>& draw) {
    const ThemeColours& c = themeColours();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    const int below = captionHeight(caption);
    painter.fillRect(QRect(QPoint(), size + QSize(0, below)), c.base);
    draw(painter);
    if (below == 0) return;
    painter.resetTransform();
    const QFontMetrics metrics(chartFont());
    painter.setFont(chartFont());
    painter.setPen(c.muted);
    painter.drawText(QRect(margin, size.height(), size.width() - 2 * margin, below - margin / 2),
                     int(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                     metrics.elidedText(caption, Qt::ElideMiddle, size.width() - 2 * margin));
}

}  // namespace

QSize exportSize(const ChartView& view) {
    return {width, std::max(height, view.minimumHeight())};
}

QByteArray chartAsPng(ChartView& view, const QString& caption, double scale) {
    const QSize size = exportSize(view);
    QImage image((size + QSize(0, captionHeight(caption))) * scale, QImage::Format_RGB32);
    if (image.isNull()) return {};
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    paint(painter, size, caption, [&](QPainter& on) { view.renderTo(on, size); });
    painter.end();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) return {};
    return bytes;
}

QByteArray chartAsSvg(ChartView& view, const QString& caption) {
    const QSize size = exportSize(view);
    return drawnAsSvg(view.name(), view.summary(), size, caption,
                      [&](QPainter& painter) { view.renderTo(painter, size); });
}

QByteArray drawnAsSvg(const QString& title, const QString& description, const QSize& size,
                      const QString& caption, const std::function<void(QPainter&)>& draw) {
    const QSize all = size + QSize(0, captionHeight(caption));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(all);
    generator.setViewBox(QRect(QPoint(), all));
    generator.setTitle(title);
    generator.setDescription(description);
    QPainter painter(&generator);
    paint(painter, size, caption, draw);
    painter.end();
    return bytes;
}

}  // namespace workbench
