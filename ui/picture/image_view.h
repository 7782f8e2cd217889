// SPDX-License-Identifier: MIT
// The picture: source and result over each other, with zoom, pan, split, grid and a cursor that reads pixels.
// Knows images, not where they come from. Zooming and panning only ever draw; they compute nothing.
#pragma once

#include <QPoint>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/image/display.h"
#include "core/image/image.h"
#include "ui/picture/gradient_overlays.h"
#include "ui/picture/image_layer.h"
#include "ui/picture/view_overlays.h"
#include "ui/picture/view_transform.h"

namespace workbench {

class ImageView : public QWidget {
    Q_OBJECT
  public:
    explicit ImageView(QWidget* parent = nullptr);

    // Sets the source. A source of another size is fitted; the result is dropped.
    void setSource(ImagePtr source);
    // Covers the source's area, whatever its size: a proxy is smaller, and so is a pooled image. `exactSize`
    // is what the whole result has, for the grid.
    void setResult(std::shared_ptr<const Image> result, QSize exactSize);
    void setMark(const ViewMark& mark);
    // Stands in for the original before and beside the result, under this name; null: the source itself.
    void setInput(std::shared_ptr<const Image> input, const QString& of);
    // Sets the gradient that is painted over the picture; without marks none is.
    void setGradient(GradientPicture gradient);
    const GradientPicture& gradientPicture() const { return m_gradient; }
    const std::vector<GradientMark>& gradientMarks() const { return m_gradient.marks; }
    void setArgmax(std::shared_ptr<const ArgmaxMap> argmax, const QString& caption);  // null: none
    const std::shared_ptr<const ArgmaxMap>& argmax() const { return m_argmax; }
    // Sets whether strokes with Ctrl brush the picture.
    void setBrushable(bool brushable) { m_brushable = brushable; }
    void setDisplayOptions(const DisplayOptions& options);
    const DisplayOptions& displayOptions() const { return m_options; }

    const ViewTransform& transform() const { return m_transform; }
    QSize devicePixels() const;
    bool hasSplit() const { return m_split; }
    double splitPosition() const { return m_splitPosition; }  // a fraction of the view's width
    bool showsOriginal() const { return m_original; }
    bool hasPixelGrid() const { return m_grid; }
    // Returns the source pixel under the mouse, or under the cross in the middle while the keyboard has the
    // view.
    std::optional<QPoint> probedPixel() const;
    // Returns whether everything asked for is on the screen, nothing still being drawn in the background.
    bool isSettled() const;

    QSize sizeHint() const override { return {800, 600}; }
    QSize minimumSizeHint() const override { return {200, 150}; }

  public Q_SLOTS:
    void fit();
    void actualSize();
    void zoomIn();
    void zoomOut();
    void zoomTo(double zoom);                      // around the middle
    void showAt(double zoom, QPointF imagePoint);  // which comes to the middle
    void setSplit(bool on);
    void setSplitPosition(double fraction);
    void showOriginal(bool on);
    void setPixelGrid(bool on);

  Q_SIGNALS:
    void viewChanged();   // zoom, position or size
    void probeChanged();  // another pixel, or none
    void splitChanged(bool on);
    void splitMoved(double position);
    void originalChanged(bool on);
    // Reports a pixel of the source at which a stroke begins or which it crosses.
    void brushed(const QPoint& pixel, bool starts, bool negative);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    enum class Drag { none, pan, split, brush };

    QPointF toDevice(QPointF logical) const { return logical * devicePixelRatioF(); }
    int splitX() const;  // logical pixels
    bool isOverSplit(QPointF logical) const;
    void describe();
    QString originalName() const;
    std::optional<QPoint> pixelAt(QPointF logical) const;
    void brushTo(QPointF logical, Qt::KeyboardModifiers modifiers);
    void transformChanged();
    void updateCursor();
    void updateProbe();
    void updateTheme();

    ViewTransform m_transform;
    ImageLayer m_sourceLayer;
    ImageLayer m_resultLayer;
    ImagePtr m_source;
    QSize m_resultSize;
    DisplayOptions m_options;
    ViewMark m_mark;
    std::shared_ptr<const Image> m_input;
    QString m_inputOf;
    GradientPicture m_gradient;
    std::shared_ptr<const ArgmaxMap> m_argmax;
    QString m_argmaxCaption;
    bool m_brushable = false;
    std::optional<QPoint> m_lastBrushed;
    bool m_split = false;
    bool m_original = false;
    bool m_grid = true;
    bool m_spaceHeld = false;
    double m_splitPosition = 0.5;
    Drag m_drag = Drag::none;
    QPointF m_lastMouse;
    std::optional<QPointF> m_mouse;
    std::optional<QPoint> m_probed;
};

}  // namespace workbench
