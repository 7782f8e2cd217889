// SPDX-License-Identifier: MIT
#include "ui/picture/pull_overlays.h"

#include <QFontMetrics>
#include <QImage>
#include <QLinearGradient>
#include <QLocale>
#include <QPainter>
#include <algorithm>
#include <bit>
#include <cmath>

#include "ui/picture/view_overlays.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double numberRoom = 44.0;  // device pixels of a sample that its number fits
constexpr double frameRoom = 6.0;    // and that a frame of its own fits

QColor pullColour(double weight, double largest) {
    QColor colour = weight > 0.0 ? themeColours().accent : themeColours().accent2;
    colour.setAlphaF(float(0.15 + 0.6 * std::abs(weight) / largest));
    return colour;
}

double largestOf(const std::vector<PullMark>& marks) {
    double largest = 0.0;
    for (const PullMark& mark : marks) largest = std::max(largest, std::abs(mark.weight));
    return largest;
}

// Readable on any picture.
void paintFrame(QPainter& painter, const QRectF& area, const QColor& colour) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::black, 3));
    painter.drawRect(area);
    painter.setPen(QPen(colour, 1));
    painter.drawRect(area);
}

// The theme's colour of success: neither of those that pulls have.
QRgb winnerTint(double share) {
    const QColor colour = themeColours().success;
    return qPremultiply(qRgba(colour.red(), colour.green(), colour.blue(), int(std::lround(185 * share))));
}

}  // namespace

void paintPulls(QPainter& painter, const ViewTransform& transform, const PullPicture& picture) {
    if (picture.marks.empty()) return;
    const auto inView = [&](const QRectF& area) {
        return QRectF(transform.toView(area.topLeft()), transform.toView(area.bottomRight()));
    };
    const double largest = largestOf(picture.marks);
    const QRectF view(QPointF(0, 0), QSizeF(transform.viewSize()));
    QRectF frame;
    painter.save();
    painter.setPen(Qt::NoPen);
    for (const PullMark& mark : picture.marks) {
        frame = frame.united(mark.area);
        const QRectF area = inView(mark.area);
        if (mark.weight == 0.0 || !area.intersects(view)) continue;
        painter.fillRect(area, pullColour(mark.weight, largest));
        if (std::min(area.width(), area.height()) < numberRoom) continue;
        painter.setPen(pillText);
        painter.drawText(area, Qt::AlignCenter, QLocale().toString(mark.weight, 'g', 3));
        painter.setPen(Qt::NoPen);
    }
    if (picture.painted.empty()) paintFrame(painter, inView(frame), Qt::white);
    for (const PullMark& pixel : picture.painted) {
        const QRectF area = inView(pixel.area);
        if (area.intersects(view))
            paintFrame(painter, area, pixel.weight > 0.0 ? Qt::white : QColor(0xff, 0xb0, 0xa8));
    }
    painter.restore();
}

QRect paintPullScale(QPainter& painter, QPoint anchor, const PullPicture& picture) {
    if (picture.marks.empty()) return {};
    const double largest = largestOf(picture.marks);
    const bool hasNegative =
        std::ranges::any_of(picture.marks, [](const PullMark& mark) { return mark.weight < 0.0; });
    const bool hasPositive = !hasNegative || std::ranges::any_of(picture.marks, [](const PullMark& mark) {
        return mark.weight > 0.0;
    });
    const QFontMetrics metrics(painter.font());
    const auto number = [](double value) { return QLocale().toString(value, 'g', 3); };
    const QString low = hasNegative ? number(-largest) : number(0.0);
    const QString high = hasPositive ? number(largest) : number(0.0);
    constexpr int rampWidth = 120;
    const int line = metrics.height();
    const int numbers = metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + 2 * smallSpacing;
    const int width = std::max(metrics.horizontalAdvance(picture.caption), rampWidth + numbers);
    const QRect box(anchor.x(), anchor.y() - 2 * line - 3 * smallSpacing, width + 2 * normalSpacing,
                    2 * line + 3 * smallSpacing);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(pillBackground);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(pillText);
    const QRect inside = box.adjusted(normalSpacing, smallSpacing, -normalSpacing, -smallSpacing);
    painter.drawText(inside, int(Qt::AlignTop | Qt::AlignLeft) | Qt::TextSingleLine, picture.caption);
    painter.drawText(inside, int(Qt::AlignBottom | Qt::AlignLeft) | Qt::TextSingleLine, low);
    const int rampLeft = inside.left() + metrics.horizontalAdvance(low) + smallSpacing;
    const QRect ramp(rampLeft, inside.bottom() - line + 4, rampWidth, line - 6);
    painter.drawText(QRect(ramp.right() + smallSpacing, inside.bottom() - line + 1, width, line),
                     int(Qt::AlignVCenter | Qt::AlignLeft) | Qt::TextSingleLine, high);
    if (largest > 0.0) {
        QLinearGradient gradient(ramp.topLeft(), ramp.topRight());
        const double middle = hasNegative && hasPositive ? 0.5 : hasNegative ? 1.0 : 0.0;
        const auto at = [largest](double share) { return pullColour(share * largest, largest); };
        if (hasNegative) {
            gradient.setColorAt(0.0, at(-1.0));
            gradient.setColorAt(middle, at(-1e-9));
        }
        if (hasPositive) {
            gradient.setColorAt(hasNegative ? middle + 1e-6 : 0.0, at(1e-9));
            gradient.setColorAt(1.0, at(1.0));
        }
        painter.fillRect(ramp, gradient);
        painter.setPen(QColor(255, 255, 255, 90));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(ramp);
    }
    painter.restore();
    return box;
}

void paintWinners(QPainter& painter, const ViewTransform& transform, const ArgmaxMask& winners) {
    const QRectF image = transform.imageInView();
    if (image.isEmpty() || winners.width() == 0) return;
    const double stepX = image.width() / double(winners.width());
    const double stepY = image.height() / double(winners.height());
    const QRect clip = image.toAlignedRect().intersected(QRect(QPoint(0, 0), transform.viewSize()));
    if (clip.isEmpty()) return;
    const auto clampedTo = [](double at, std::int64_t count) {
        return std::clamp(std::int64_t(std::floor(at)), std::int64_t(0), count - 1);
    };
    const auto shareAt = [&winners](std::int64_t x, std::int64_t y) {
        return double(std::popcount(winners.at(x, y))) / winners.channels();
    };

    if (std::min(stepX, stepY) >= frameRoom) {
        painter.save();
        const std::int64_t left = clampedTo((clip.left() - image.left()) / stepX, winners.width());
        const std::int64_t right = clampedTo((clip.right() - image.left()) / stepX, winners.width());
        const std::int64_t top = clampedTo((clip.top() - image.top()) / stepY, winners.height());
        const std::int64_t bottom = clampedTo((clip.bottom() - image.top()) / stepY, winners.height());
        for (std::int64_t y = top; y <= bottom; ++y) {
            for (std::int64_t x = left; x <= right; ++x) {
                if (winners.at(x, y) == 0) continue;
                // Inside the sample, so that the grid stays visible; thicker for more of the channels.
                const double width = std::max(1.0, std::min(4.0, stepX / 8.0) * shareAt(x, y));
                const double inset = 1.5 + width / 2.0;
                const QRectF area =
                    QRectF(image.left() + double(x) * stepX, image.top() + double(y) * stepY, stepX, stepY)
                        .adjusted(inset, inset, -inset, -inset);
                painter.setPen(QPen(QColor(0, 0, 0, 150), width + 2.0));
                painter.drawRect(area);
                painter.setPen(QPen(themeColours().success, width));
                painter.drawRect(area);
            }
        }
        painter.restore();
        return;
    }

    // One look-up a pixel, in the squares that are at least as large as one.
    std::size_t level = 0;
    for (double step = std::min(stepX, stepY); step < 1.0 && level < winners.levels().size(); step *= 2.0)
        ++level;
    const ArgmaxMask::Level* squares = level == 0 ? nullptr : &winners.levels()[level - 1];
    const double side = double(std::int64_t(1) << level);
    QImage tint(clip.size(), QImage::Format_ARGB32_Premultiplied);
    if (tint.isNull()) return;
    QRgb shades[256];
    for (int i = 0; i < 256; ++i) shades[i] = winnerTint(i / 255.0);
    for (int row = 0; row < clip.height(); ++row) {
        auto* line = reinterpret_cast<QRgb*>(tint.scanLine(row));
        const double y = (clip.top() + row + 0.5 - image.top()) / stepY;
        for (int column = 0; column < clip.width(); ++column) {
            const double x = (clip.left() + column + 0.5 - image.left()) / stepX;
            double share = 0.0;
            if (squares == nullptr) {
                share = shareAt(clampedTo(x, winners.width()), clampedTo(y, winners.height()));
            } else {
                const std::int64_t at = clampedTo(y / side, squares->height) * squares->width +
                                        clampedTo(x / side, squares->width);
                share = double(squares->shares[std::size_t(at)]);
            }
            line[column] = shades[int(std::lround(255.0 * share))];
        }
    }
    painter.drawImage(clip.topLeft(), tint);
}

}  // namespace workbench
