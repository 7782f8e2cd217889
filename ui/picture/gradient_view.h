// SPDX-License-Identifier: MIT
// Shows, over the picture, the input gradient of pooling: of the pixel under the cursor, or of an upstream
// gradient that was painted onto pooled pixels; and the argmax of a max pooling.
#pragma once

#include <QObject>
#include <QPoint>
#include <QString>
#include <map>
#include <utility>
#include <vector>

#include "core/recipe/pool_gradient.h"
#include "ui/picture/pool_input.h"

namespace workbench {

class ImageView;
class Session;

class GradientView : public QObject {
    Q_OBJECT
  public:
    GradientView(Session& session, ImageView& view);

    bool isShown() const { return m_shown; }
    PoolInput& input() { return m_input; }
    // Returns why there is nothing to see although it is shown; empty when there is, or no pixel is under the
    // cursor.
    QString reason() const { return m_reason; }
    // Returns the painted gradient, where it lies within the pooled image.
    std::vector<Upstream> painted() const;
    bool hasPainted() const { return !m_painted.empty(); }

  public Q_SLOTS:
    void setShown(bool shown);
    void setShowsArgmax(bool shown);
    // Gives the pooled pixel under the cursor a gradient of 1 (or -1); takes one away that is there.
    void paintHere(bool negative);
    void clearPainted();

  Q_SIGNALS:
    void reasonChanged(const QString& reason);
    void paintedChanged(bool any);

  private:
    using Pixel = std::pair<std::int64_t, std::int64_t>;  // column, row of the pooled image

    void follow();
    void brush(const QPoint& sourcePixel, bool starts, bool negative);
    bool paint(Pixel pixel, double gradient);
    void showGradient(const PoolOperation& operation, const Image& input);
    void showArgmax();
    void say(const QString& reason);
    iir2d::Shape pooledShape() const;  // w is 0 while there is none
    std::optional<Pixel> pooledPixel(const QPoint& sourcePixel) const;

    Session& m_session;
    ImageView& m_view;
    PoolInput m_input;
    bool m_shown = false;
    bool m_showsArgmax = false;
    bool m_erases = false;   // the stroke
    bool m_pending = false;  // more of it is to be shown
    std::map<Pixel, double> m_painted;
    QString m_reason;
};

}  // namespace workbench
