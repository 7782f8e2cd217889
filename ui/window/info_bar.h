// SPDX-License-Identifier: MIT
// The line at the bottom: where the cursor is, what it reads, what is open, how it is shown, who computes.
#pragma once

#include <QPoint>
#include <QWidget>
#include <optional>

#include "ui/picture/view_overlays.h"

class QActionGroup;
class QMenu;
class QToolButton;

namespace workbench {

class ElidedLabel;
class LiveChoice;
class Session;
class ViewTransform;

class InfoBar : public QWidget {
    Q_OBJECT
  public:
    // Makes the bar. `choice` says how the operations are executed.
    InfoBar(Session& session, LiveChoice& choice, QWidget* parent = nullptr);

    void setProbe(std::optional<QPoint> sourcePixel);
    // Shows the view's zoom, and nothing before the view was laid out.
    void showZoom(const ViewTransform& view);
    void setMark(const ViewMark& mark);

  Q_SIGNALS:
    void deviceClicked();
    void decisionAsked(const QString& spec);

  private:
    void showImage();
    void showProbe();
    void showRun();
    void showDevice();
    void showChoice();
    void fillChoices();

    Session& m_session;
    LiveChoice& m_choice;
    std::optional<QPoint> m_probe;
    ElidedLabel* m_position = nullptr;
    ElidedLabel* m_values;
    ElidedLabel* m_image;
    ElidedLabel* m_nonFinite;
    ElidedLabel* m_zoom;
    ElidedLabel* m_mark = nullptr;
    ElidedLabel* m_run;
    QToolButton* m_config;
    QMenu* m_configs;
    QActionGroup* m_oneConfig;  // of m_configs, at most one is checked
    QToolButton* m_device;
};

}  // namespace workbench
