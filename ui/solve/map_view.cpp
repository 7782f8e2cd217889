// SPDX-License-Identifier: MIT
#include "ui/solve/map_view.h"

#include <QGridLayout>
#include <QImage>
#include <QPainter>

#include "core/image/display.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/chart_style.h"
#include "ui/picture/image_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int scaleHeight = 10;  // of the colours, logical pixels
constexpr int exportSide = 480;

void paintScale(QPainter& painter, const QRect& place, double low, double high, bool isSigned) {
    for (int x = 0; x < place.width(); ++x)
        painter.fillRect(QRect(place.left() + x, place.top(), 1, scaleHeight),
                         mapColour(double(x) / std::max(1, place.width() - 1), isSigned));
    painter.setFont(chartFont());
    painter.setPen(themeColours().text);
    const QRect below = place.adjusted(0, scaleHeight, 0, 0);
    painter.drawText(below, int(Qt::AlignLeft | Qt::AlignVCenter), shortNumber(low));
    if (isSigned) painter.drawText(below, int(Qt::AlignCenter), QStringLiteral("0"));
    painter.drawText(below, int(Qt::AlignRight | Qt::AlignVCenter), shortNumber(high));
}

QImage pictureOf(const SolutionMap& map) {
    const PlanarImage& pixels = map.image->pixels;
    QImage made(int(pixels.width()), int(pixels.height()), QImage::Format_RGB32);
    if (made.isNull()) return made;
    render(pixels, {}, 0, 0, 1, pixels.width(), pixels.height(), 0xff000000,
           {reinterpret_cast<std::uint32_t*>(made.bits()), std::size_t(pixels.plane_size())});
    return made;
}

}  // namespace

ColourScale::ColourScale(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ColourScale::setRange(double low, double high, bool isSigned) {
    m_low = low;
    m_high = high;
    m_isSigned = isSigned;
    setAccessibleName(tr("Colours from %1 to %2").arg(shortNumber(low), shortNumber(high)));
    update();
}

QSize ColourScale::sizeHint() const {
    return {120, scaleHeight + QFontMetrics(chartFont()).height() + 2};
}

void ColourScale::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    paintScale(painter, rect(), m_low, m_high, m_isSigned);
}

QString SolutionMapView::mapTitle(std::size_t map) {
    return map == 0 ? tr("Computed solution") : tr("Its error, computed less exact");
}

SolutionMapView::SolutionMapView(QWidget* parent) : QWidget(parent), m_value(new ElidedLabel(this)) {
    setObjectName(QStringLiteral("solutionMaps"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(normalSpacing, normalSpacing, normalSpacing, normalSpacing);
    grid->setVerticalSpacing(smallSpacing);
    grid->setHorizontalSpacing(2 * normalSpacing);
    const std::array names{tr("Map of the solution"), tr("Map of the error")};
    for (int k = 0; k < 2; ++k) {
        auto* title = new ElidedLabel(this);
        title->setFullText(mapTitle(std::size_t(k)));
        auto* view = new ImageView(this);
        view->setObjectName(k == 0 ? QStringLiteral("solutionMap") : QStringLiteral("errorMap"));
        view->setAccessibleName(names[std::size_t(k)]);
        auto* scale = new ColourScale(this);
        grid->addWidget(title, 0, k);
        grid->addWidget(view, 1, k);
        grid->addWidget(scale, 2, k);
        grid->setColumnStretch(k, 1);
        connect(view, &ImageView::viewChanged, this, [this, k] { follow(k); });
        connect(view, &ImageView::probeChanged, this, [this, k] { showValue(k); });
        m_views[std::size_t(k)] = view;
        m_scales[std::size_t(k)] = scale;
    }
    grid->setRowStretch(1, 1);
    grid->addWidget(m_value, 3, 0, 1, 2);
    showValue(0);
}

void SolutionMapView::showOutcome(const SolveOutcomePtr& outcome) {
    m_outcome = outcome && outcome->solution ? outcome : nullptr;
    const std::array maps{m_outcome ? &*m_outcome->solution : nullptr,
                          m_outcome ? &*m_outcome->error : nullptr};
    for (std::size_t k = 0; k < 2; ++k) {
        m_views[k]->setSource(maps[k] ? maps[k]->image : nullptr);
        if (!maps[k]) continue;
        m_scales[k]->setRange(maps[k]->low, maps[k]->high, maps[k]->isSigned);
        m_views[k]->setAccessibleDescription(m_scales[k]->accessibleName());
    }
    showValue(0);
}

// The other map shows the same part.
void SolutionMapView::follow(int from) {
    if (m_isFollowing || !m_outcome) return;
    m_isFollowing = true;
    const ViewTransform& here = m_views[std::size_t(from)]->transform();
    ImageView& there = *m_views[std::size_t(1 - from)];
    if (here.isFitted()) {
        if (!there.transform().isFitted()) there.fit();
    } else {
        there.showAt(here.zoom(),
                     here.toImage({here.viewSize().width() / 2.0, here.viewSize().height() / 2.0}));
    }
    m_isFollowing = false;
}

void SolutionMapView::showValue(int from) {
    const auto pixel = m_outcome ? m_views[std::size_t(from)]->probedPixel() : std::nullopt;
    m_text.clear();
    if (pixel) {
        const std::size_t node = m_outcome->solution->nodeAt(*pixel);
        const solve::Solution& s = m_outcome->last().solution;
        m_text = tr("x %1, y %2: computed %3, exact %4, error %5")
                     .arg(shortNumber(s.x[node]), shortNumber(s.y[node]),
                          QString::number(s.computed[node], 'g', 10), QString::number(s.exact[node], 'g', 10),
                          shortNumber(s.computed[node] - s.exact[node]));
    }
    m_value->setFullText(m_text.isEmpty() ? tr("Point at a map to read its values; the wheel zooms")
                                          : m_text);
    m_value->setTone(m_text.isEmpty() ? ElidedLabel::Tone::muted : ElidedLabel::Tone::normal);
}

QByteArray SolutionMapView::asSvg(const QString& caption) const {
    if (!m_outcome) return {};
    const int line = QFontMetrics(chartFont()).height() + smallSpacing;
    const QSize size(2 * exportSide + 3 * normalSpacing, exportSide + scaleHeight + 2 * line + normalSpacing);
    const QString range =
        tr("Computed values from %1 to %2, errors from %3 to %4")
            .arg(shortNumber(m_outcome->solution->low), shortNumber(m_outcome->solution->high),
                 shortNumber(m_outcome->error->low), shortNumber(m_outcome->error->high));
    return drawnAsSvg(tr("Solution and error"), range, size, caption, [&](QPainter& painter) {
        const std::array maps{&*m_outcome->solution, &*m_outcome->error};
        for (std::size_t k = 0; k < 2; ++k) {
            const int left = normalSpacing + int(k) * (exportSide + normalSpacing);
            painter.setFont(chartFont());
            painter.setPen(themeColours().text);
            painter.drawText(QRect(left, 0, exportSide, line), int(Qt::AlignCenter), mapTitle(k));
            painter.drawImage(QRect(left, line, exportSide, exportSide), pictureOf(*maps[k]));
            paintScale(painter, QRect(left, exportSide + line + smallSpacing, exportSide, scaleHeight + line),
                       maps[k]->low, maps[k]->high, maps[k]->isSigned);
        }
    });
}

}  // namespace workbench
