// SPDX-License-Identifier: MIT
// A page's icon, large and faint, where there is nothing to show yet; in the theme's colour at the time of
// painting.
#pragma once

#include <QIcon>
#include <QPainter>
#include <QWidget>

#include "ui/widgets/icons.h"

namespace workbench {

class Glyph : public QWidget {
  public:
    Glyph(const QString& name, int side, QWidget* parent) : QWidget(parent), m_icon(themedIcon(name)) {
        setFixedSize(side, side);
    }

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setOpacity(0.45);
        m_icon.paint(&painter, rect());
    }

  private:
    QIcon m_icon;
};

}  // namespace workbench
