// SPDX-License-Identifier: MIT
#include "ui/picture/image_view.h"

#include <QNativeGestureEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/picture/pixel_text.h"
#include "ui/support/paths.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double panStep = 64.0;      // logical pixels per arrow key
constexpr double farPanStep = 320.0;  // with shift
constexpr double splitStep = 0.02;
constexpr int splitReach = 8;            // logical pixels around the line that take hold of it
constexpr double wheelZoom = 1.0 / 3.0;  // of a doubling, per wheel notch

}  // namespace

ImageView::ImageView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("imageView"));
    setAccessibleName(tr("Picture"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    for (ImageLayer* layer : {&m_sourceLayer, &m_resultLayer}) {
        connect(layer, &ImageLayer::rendered, this, qOverload<>(&ImageView::update));
    }
    updateTheme();
}

void ImageView::setSource(ImagePtr source) {
    const bool wasEmpty = !m_source;
    const QSize size = source ? QSize(int(source->pixels.width()), int(source->pixels.height())) : QSize();
    const bool isOther = wasEmpty || size != m_transform.imageSize();
    m_source = std::move(source);
    m_input.reset();
    m_sourceLayer.setImage(nullptr);  // not the old picture while the new one is drawn
    m_resultLayer.setImage(nullptr);
    m_sourceLayer.setImage(m_source);
    m_resultSize = {};
    m_transform.setImageSize(size);
    if (isOther) m_transform.fit();
    describe();
    updateProbe();
    transformChanged();
}

void ImageView::setResult(std::shared_ptr<const Image> result, QSize exactSize) {
    m_resultLayer.setImage(std::move(result));
    m_resultSize = exactSize;
    update();
}

void ImageView::setMark(const ViewMark& mark) {
    if (mark == m_mark) return;
    m_mark = mark;
    update();
}

void ImageView::setInput(std::shared_ptr<const Image> input, const QString& of) {
    m_inputOf = of;
    if (input == m_input) return;
    m_input = std::move(input);
    m_sourceLayer.setImage(m_input ? m_input : m_source);
    update();
}

void ImageView::setPulls(PullPicture pulls) {
    if (pulls == m_pulls) return;
    m_pulls = std::move(pulls);
    describe();
    update();
}

void ImageView::setWinners(std::shared_ptr<const Winners> winners, const QString& caption) {
    if (winners == m_winners && caption == m_winnersCaption) return;
    m_winners = std::move(winners);
    m_winnersCaption = caption;
    describe();
    update();
}

// What the overlays say is said to those who cannot see them.
void ImageView::describe() {
    QStringList parts{
        m_source ? tr("%1, %2").arg(fromPath(m_source->info.path.filename()), summaryText(m_source->info))
                 : tr("No image is open.")};
    if (!m_pulls.marks.empty()) parts << m_pulls.caption;
    if (m_winners) parts << m_winnersCaption;
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
}

QString ImageView::originalName() const {
    return m_input ? tr("Before %1").arg(m_inputOf) : tr("Original");
}

void ImageView::setDisplayOptions(const DisplayOptions& options) {
    m_options = options;
    m_sourceLayer.setOptions(options);
    m_resultLayer.setOptions(options);
    update();
}

QSize ImageView::devicePixels() const {
    const double ratio = devicePixelRatioF();
    return {int(std::ceil(width() * ratio)), int(std::ceil(height() * ratio))};
}

int ImageView::splitX() const {
    return int(std::lround(m_splitPosition * width()));
}

bool ImageView::isOverSplit(QPointF logical) const {
    return m_split && !m_original && m_source && std::abs(logical.x() - splitX()) <= splitReach;
}

std::optional<QPoint> ImageView::probedPixel() const {
    return m_probed;
}

bool ImageView::isSettled() const {
    const bool needsSource = m_original || m_split || m_resultLayer.isEmpty();
    const bool needsResult = !m_original && !m_resultLayer.isEmpty();
    return !m_source ||
           ((!needsSource || m_sourceLayer.isUpToDate()) && (!needsResult || m_resultLayer.isUpToDate()));
}

std::optional<QPoint> ImageView::pixelAt(QPointF logical) const {
    const QPointF image = m_transform.toImage(toDevice(logical));
    const QPoint pixel(int(std::floor(image.x())), int(std::floor(image.y())));
    if (!m_source || !QRect(QPoint(0, 0), m_transform.imageSize()).contains(pixel)) return std::nullopt;
    return pixel;
}

// Every pixel between two events of the mouse, as far as they can be told apart.
void ImageView::brushTo(QPointF logical, Qt::KeyboardModifiers modifiers) {
    const auto pixel = pixelAt(logical);
    const bool negative = modifiers.testFlag(Qt::ShiftModifier);
    if (pixel && !m_lastBrushed) {
        Q_EMIT brushed(*pixel, true, negative);
    } else if (pixel) {
        constexpr int mostSteps = 256;
        const QPointF way(*pixel - *m_lastBrushed);
        const int steps = std::min(mostSteps, int(std::max(std::abs(way.x()), std::abs(way.y()))));
        for (int i = 1; i <= steps; ++i)
            Q_EMIT brushed(*m_lastBrushed + (way * i / steps).toPoint(), false, negative);
    }
    if (pixel) m_lastBrushed = pixel;
}

void ImageView::updateProbe() {
    std::optional<QPoint> next;
    if (m_mouse || hasFocus()) next = pixelAt(m_mouse.value_or(QPointF(width(), height()) / 2.0));
    if (next == m_probed) return;
    m_probed = next;
    Q_EMIT probeChanged();
}

void ImageView::transformChanged() {
    updateProbe();
    update();
    Q_EMIT viewChanged();
}

void ImageView::updateTheme() {
    for (ImageLayer* layer : {&m_sourceLayer, &m_resultLayer}) {
        layer->setBackground(themeColours().canvas.rgb());
    }
    update();
}

void ImageView::fit() {
    m_transform.fit();
    transformChanged();
}

void ImageView::actualSize() {
    zoomTo(1.0);
}

void ImageView::zoomTo(double zoom) {
    m_transform.zoomTo(zoom, toDevice(QPointF(width(), height()) / 2.0));
    transformChanged();
}

void ImageView::showAt(double zoom, QPointF imagePoint) {
    // Of the transform, not of the widget: one that is hidden was told its size but not laid out yet, and the
    // middle of the transform is what stays when it is.
    const QPointF middle = QPointF(m_transform.viewSize().width(), m_transform.viewSize().height()) / 2.0;
    m_transform.zoomTo(zoom, middle);
    m_transform.panBy(middle - m_transform.toView(imagePoint));
    transformChanged();
}

void ImageView::zoomIn() {
    m_transform.step(true, toDevice(m_mouse.value_or(QPointF(width(), height()) / 2.0)));
    transformChanged();
}

void ImageView::zoomOut() {
    m_transform.step(false, toDevice(m_mouse.value_or(QPointF(width(), height()) / 2.0)));
    transformChanged();
}

void ImageView::setSplit(bool on) {
    if (on == m_split) return;
    m_split = on;
    updateCursor();
    update();
    Q_EMIT splitChanged(on);
}

void ImageView::setSplitPosition(double fraction) {
    m_splitPosition = std::clamp(fraction, 0.0, 1.0);
    update();
    Q_EMIT splitMoved(m_splitPosition);
}

void ImageView::showOriginal(bool on) {
    if (on == m_original) return;
    m_original = on;
    update();
    Q_EMIT originalChanged(on);
}

void ImageView::setPixelGrid(bool on) {
    m_grid = on;
    update();
}

void ImageView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), themeColours().canvas);
    if (!m_source) return;

    const double ratio = devicePixelRatioF();
    const QRect whole(QPoint(0, 0), m_transform.viewSize());
    const bool onlySource = m_original || m_resultLayer.isEmpty();
    const int edge = onlySource ? whole.width() : m_split ? int(std::lround(splitX() * ratio)) : 0;
    painter.save();
    painter.scale(1.0 / ratio, 1.0 / ratio);
    m_sourceLayer.paint(painter, m_transform, QRect(0, 0, edge, whole.height()));
    m_resultLayer.paint(painter, m_transform, QRect(edge, 0, whole.width() - edge, whole.height()));
    if (m_grid) {
        const bool gridOfResult = !onlySource && !m_split && !m_resultSize.isEmpty();
        paintPixelGrid(painter, m_transform, gridOfResult ? m_resultSize : m_transform.imageSize());
    }
    if (m_winners) paintWinners(painter, m_transform, *m_winners);
    paintPulls(painter, m_transform, m_pulls);
    painter.restore();

    if (m_split && !m_original) paintSplit(painter, rect(), splitX(), m_drag == Drag::split, originalName());
    QPoint corner = rect().bottomLeft() + QPoint(normalSpacing, -normalSpacing);
    if (const QRect scale = paintPullScale(painter, corner, m_pulls); !scale.isEmpty())
        corner = scale.topLeft() - QPoint(0, smallSpacing);
    if (m_winners) {
        paintPill(painter, corner, Qt::AlignLeft | Qt::AlignBottom, m_winnersCaption, themeColours().success);
    }
    if (!m_mouse && hasFocus() && m_probed) paintProbe(painter, QPointF(width(), height()) / 2.0);
    paintMark(painter, rect(),
              m_original ? ViewMark{ViewMark::Kind::original, originalName(), -1.0} : m_mark);
    if (hasFocus()) {
        painter.setPen(QPen(themeColours().accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void ImageView::resizeEvent(QResizeEvent* /*event*/) {
    m_transform.setViewSize(devicePixels());
    transformChanged();
}

void ImageView::wheelEvent(QWheelEvent* event) {
    const QPoint angle = event->angleDelta();
    if (!m_source || angle.isNull()) return;
    if (event->modifiers() & Qt::ShiftModifier) {
        const QPoint sideways = angle.x() != 0 ? angle : QPoint(angle.y(), 0);
        m_transform.panBy(toDevice(QPointF(sideways) / 2.0));
    } else {
        const double notches = angle.y() / 120.0;
        m_transform.zoomTo(m_transform.zoom() * std::exp2(notches * wheelZoom), toDevice(event->position()));
    }
    m_mouse = event->position();
    transformChanged();
    event->accept();
}

void ImageView::mousePressEvent(QMouseEvent* event) {
    if (!m_source || (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)) {
        QWidget::mousePressEvent(event);
        return;
    }
    const bool takesSplit =
        event->button() == Qt::LeftButton && !m_spaceHeld && isOverSplit(event->position());
    const bool brushes =
        m_brushable && event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ControlModifier);
    m_drag = takesSplit ? Drag::split : brushes ? Drag::brush : Drag::pan;
    m_lastMouse = event->position();
    m_lastBrushed.reset();
    if (brushes && !takesSplit) brushTo(event->position(), event->modifiers());
    updateCursor();
    update();
}

void ImageView::mouseMoveEvent(QMouseEvent* event) {
    m_mouse = event->position();
    if (m_drag == Drag::pan) {
        // Whole device pixels, the rest kept for the next move: see ViewTransform.
        const QPointF delta = toDevice(event->position() - m_lastMouse);
        const QPointF whole(std::round(delta.x()), std::round(delta.y()));
        m_lastMouse += whole / devicePixelRatioF();
        if (!whole.isNull()) {
            m_transform.panBy(whole);
            transformChanged();
        }
    } else if (m_drag == Drag::brush) {
        brushTo(event->position(), event->modifiers());
    } else if (m_drag == Drag::split) {
        setSplitPosition(event->position().x() / std::max(1, width()));
    }
    updateCursor();
    updateProbe();
}

void ImageView::mouseReleaseEvent(QMouseEvent* event) {
    m_drag = Drag::none;
    updateCursor();
    update();
    event->accept();
}

void ImageView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!m_source || event->button() != Qt::LeftButton || isOverSplit(event->position())) return;
    if (m_brushable && event->modifiers().testFlag(Qt::ControlModifier)) return mousePressEvent(event);
    if (m_transform.isFitted()) {
        m_transform.zoomTo(1.0, toDevice(event->position()));
        transformChanged();
    } else {
        fit();
    }
}

void ImageView::leaveEvent(QEvent* event) {
    m_mouse.reset();
    updateProbe();
    update();
    QWidget::leaveEvent(event);
}

void ImageView::keyPressEvent(QKeyEvent* event) {
    const double step = event->modifiers() & Qt::ShiftModifier ? farPanStep : panStep;
    const bool movesSplit = m_split && (event->modifiers() & Qt::ControlModifier);
    const auto pan = [&](double x, double y) {
        m_transform.panBy(toDevice(QPointF(x, y)));
        transformChanged();
    };
    switch (event->key()) {
        case Qt::Key_Left:
            return movesSplit ? setSplitPosition(m_splitPosition - splitStep) : pan(step, 0);
        case Qt::Key_Right:
            return movesSplit ? setSplitPosition(m_splitPosition + splitStep) : pan(-step, 0);
        case Qt::Key_Up:
            return pan(0, step);
        case Qt::Key_Down:
            return pan(0, -step);
        case Qt::Key_Space:
            if (!event->isAutoRepeat()) m_spaceHeld = true;
            return updateCursor();
        case Qt::Key_O:
            if (event->modifiers() != Qt::NoModifier) break;
            if (!event->isAutoRepeat()) showOriginal(true);
            return;
        default:
            break;
    }
    QWidget::keyPressEvent(event);
}

void ImageView::keyReleaseEvent(QKeyEvent* event) {
    if (event->isAutoRepeat()) return;
    if (event->key() == Qt::Key_Space) {
        m_spaceHeld = false;
        updateCursor();
    } else if (event->key() == Qt::Key_O) {
        showOriginal(false);
    } else {
        QWidget::keyReleaseEvent(event);
    }
}

void ImageView::focusInEvent(QFocusEvent* event) {
    updateProbe();
    update();
    QWidget::focusInEvent(event);
}

void ImageView::focusOutEvent(QFocusEvent* event) {
    m_spaceHeld = false;  // the release goes elsewhere
    showOriginal(false);
    updateProbe();
    update();
    QWidget::focusOutEvent(event);
}

void ImageView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) updateTheme();
    QWidget::changeEvent(event);
}

bool ImageView::event(QEvent* event) {
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            m_transform.zoomTo(m_transform.zoom() * (1.0 + gesture->value()), toDevice(gesture->position()));
            transformChanged();
            return true;
        }
    }
    return QWidget::event(event);
}

void ImageView::updateCursor() {
    if (m_drag == Drag::split || (m_drag == Drag::none && !m_spaceHeld && m_mouse && isOverSplit(*m_mouse))) {
        setCursor(Qt::SplitHCursor);
    } else if (m_drag == Drag::pan) {
        setCursor(Qt::ClosedHandCursor);
    } else if (m_spaceHeld) {
        setCursor(Qt::OpenHandCursor);
    } else {
        setCursor(m_source ? Qt::CrossCursor : Qt::ArrowCursor);
    }
}

}  // namespace workbench
