// SPDX-License-Identifier: MIT
// Offers the work of sessions that ended without being closed: to be restored into this window, or discarded.
// Stands above the pages until it is answered, and blocks nothing.
#pragma once

#include <QFrame>
#include <vector>

#include "ui/session/saved_state.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace workbench {

class RestoreOffer : public QFrame {
    Q_OBJECT
  public:
    // Offers sessions: at least one, newest first.
    explicit RestoreOffer(std::vector<EndedSession> sessions, QWidget* parent = nullptr);

    int count() const { return int(m_sessions.size()); }
    // Returns what a session has, in a line.
    static QString describe(const SavedState& state);

  Q_SIGNALS:
    void restoreRequested(const workbench::EndedSession& session);
    void answered();  // nothing is left to offer

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void showSessions();
    void takeAway(bool restore);

    std::vector<EndedSession> m_sessions;
    QLabel* m_icon;
    QLabel* m_text;
    QComboBox* m_choice;  // of several
    QPushButton* m_restore;
    QPushButton* m_discard;
};

}  // namespace workbench
