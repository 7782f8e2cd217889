// SPDX-License-Identifier: MIT
// Holds where an image lies in a view: zoom and position, as a value without a widget. View coordinates are
// device pixels from the view's top left, image coordinates are pixels of the source.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSize>
#include <QSizeF>

namespace workbench {

class ViewTransform {
  public:
    static constexpr double maximumZoom = 128.0;
    // So much of the image stays in the view, in device pixels (or all of it, when it is smaller).
    static constexpr double keptVisible = 48.0;

    // Set a size. Both keep what is in the middle, or fit again while the view is fitted.
    void setViewSize(QSize devicePixels);
    void setImageSize(QSize imagePixels);

    double zoom() const { return m_zoom; }  // device pixels per image pixel; 1 is 100 %
    bool isFitted() const { return m_fitted; }
    // Returns whether the view has a size. Before, an image is fitted to one pixel.
    bool hasView() const { return m_view != QSize(1, 1); }
    QSize viewSize() const { return m_view; }
    QSize imageSize() const { return m_image; }
    QPointF topLeft() const { return m_topLeft; }  // image coordinates of the view's corner

    QPointF toImage(QPointF view) const { return m_topLeft + view / m_zoom; }
    QPointF toView(QPointF image) const { return (image - m_topLeft) * m_zoom; }
    QRectF imageInView() const;  // the whole image, in view coordinates

    // Fits the image to the view. Smaller images are enlarged by whole factors only, so that their pixels
    // stay equally large.
    void fit();
    // Keeps the image point under `anchor` where it is, as far as keptVisible lets it.
    void zoomTo(double zoom, QPointF anchor);
    // Zooms to the next larger (or smaller) of the usual zooms.
    void step(bool in, QPointF anchor);
    void panBy(QPointF viewDelta);  // the image follows: positive moves it right and down

    double fittingZoom() const;
    double minimumZoom() const;

  private:
    void keepVisible();

    QSize m_view{1, 1};
    QSize m_image{1, 1};
    QPointF m_topLeft;
    double m_zoom = 1.0;
    bool m_fitted = true;
};

}  // namespace workbench
