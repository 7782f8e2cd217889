// SPDX-License-Identifier: MIT
// Draws one picture of a view: keeps what it last rendered, draws that at once, and renders anew when image,
// position or display options have changed: at once where it is quick, else in the background with the old
// picture shown in its right place until the new one lands.
#pragma once

#include <QImage>
#include <QObject>
#include <QPointF>
#include <QRect>
#include <memory>

#include "core/image/display.h"
#include "core/image/image.h"
#include "ui/picture/image_pyramid.h"
#include "ui/picture/view_transform.h"
#include "ui/session/job.h"

class QPainter;

namespace workbench {

class ImageLayer : public QObject {
    Q_OBJECT
  public:
    explicit ImageLayer(QObject* parent = nullptr);
    ~ImageLayer() override;  // waits for a rendering in the background

    // Sets the image, which covers the whole area of the view's image size, whatever its own size. Null
    // clears.
    void setImage(std::shared_ptr<const Image> image);
    void setOptions(const DisplayOptions& options);
    void setBackground(QRgb background);
    bool isEmpty() const { return !m_pyramid; }

    // Draws the part in `clip`; painter and clip are in device pixels.
    void paint(QPainter& painter, const ViewTransform& transform, const QRect& clip);
    // Returns whether the last paint() showed exactly what was asked for.
    bool isUpToDate() const { return m_upToDate; }

  Q_SIGNALS:
    void rendered();  // a picture from the background has landed: paint again

  private:
    struct Request {
        std::shared_ptr<ImagePyramid> pyramid;
        DisplayOptions options;
        QRgb background = 0;
        QPointF topLeft;
        double zoom = 1.0;
        QSize view;
        QSize imageSize;
        bool operator==(const Request& other) const;
    };
    struct Picture {
        QImage image;
        Request request;
        double milliseconds = 0.0;
    };

    static Picture render(const Request& request);
    static double workOf(const Request& request);
    void renderInBackground(const Request& request);
    void keep(Picture picture);

    std::shared_ptr<ImagePyramid> m_pyramid;
    DisplayOptions m_options;
    QRgb m_background = 0xff000000;
    Picture m_picture;
    bool m_upToDate = false;
    double m_nanosecondsPerSample = 8.0;  // measured as it goes
    Job m_job{JobPolicy::refuse_while_busy};
};

}  // namespace workbench
