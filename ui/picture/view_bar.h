// SPDX-License-Identifier: MIT
// The strip under the picture: zoom, split, original, grid, page, exposure and gamma.
#pragma once

#include <QList>
#include <QToolBar>

#include "core/image/display.h"
#include "core/image/image.h"

class QAction;
class QComboBox;
class QSlider;

namespace workbench {

class ImageView;
class NumberBox;

class ViewBar : public QToolBar {
    Q_OBJECT
  public:
    explicit ViewBar(ImageView& view, QWidget* parent = nullptr);

    // Shows the controls for an image: exposure and gamma for float images, pages for files that have
    // several.
    void setImage(const ImagePtr& image);
    // Returns, for the menu, all that can be done to the view, in order; null is a separator.
    const QList<QAction*>& viewActions() const { return m_actions; }
    QList<QAction*> pageActions() const { return {m_previousPage, m_nextPage}; }
    QAction* gradientAction() const { return m_gradient; }
    QAction* argmaxAction() const { return m_argmax; }
    // Return the actions of the upstream gradient, in the menu only: 1 or -1 for the pixel under the cursor,
    // and removing all.
    QAction* paintAction() const { return m_paint; }
    QAction* paintNegativeAction() const { return m_paintNegative; }
    QAction* clearPaintedAction() const { return m_clearPainted; }
    void setExposure(double stops);
    void setGamma(double gamma);

  public Q_SLOTS:
    void resetDisplay();

  Q_SIGNALS:
    void pageChosen(int index);
    void displayChanged();  // exposure or gamma

  private:
    QAction* addViewAction(const QString& icon, const QString& text, const QList<QKeySequence>& shortcuts,
                           const QString& toolTip);
    void applyDisplay();

    ImageView& m_view;
    QList<QAction*> m_actions;
    QAction* m_gradient;
    QAction* m_argmax;
    QAction* m_paint;
    QAction* m_paintNegative;
    QAction* m_clearPainted;
    QAction* m_previousPage;
    QAction* m_nextPage;
    QList<QAction*> m_displayParts;  // shown for float images only
    QAction* m_pagePart;
    QComboBox* m_page;
    QSlider* m_exposureSlider;
    NumberBox* m_exposure;
    NumberBox* m_gamma;
    bool m_linear = false;
};

}  // namespace workbench
