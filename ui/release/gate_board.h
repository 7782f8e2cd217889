// SPDX-License-Identifier: MIT
// The gates as a board: a card for each, in it what it requires, how that stands, and the button that
// supplies what is not there.
#pragma once

#include <QScrollArea>
#include <vector>

#include "ui/release/release_snapshot.h"

class QVBoxLayout;

namespace workbench {

class GateCard;

class GateBoard : public QScrollArea {
    Q_OBJECT
  public:
    explicit GateBoard(QWidget* parent = nullptr);
    // Shows a release. `mayChange`: buttons are there only while the release can be changed.
    void display(const ReleaseSnapshot& snapshot, bool mayChange);

  Q_SIGNALS:
    void attachRequested(const QString& kind);
    void waiveRequested(const QString& scope);
    void signOffRequested(const QString& role);

  private:
    QVBoxLayout* m_layout;
    std::vector<GateCard*> m_cards;
};

}  // namespace workbench
