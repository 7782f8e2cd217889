// SPDX-License-Identifier: MIT
// Shows, while there is no picture, what to do and the files opened lately.
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace workbench {

class Session;

class EmptyState : public QWidget {
    Q_OBJECT
  public:
    explicit EmptyState(Session& session, QWidget* parent = nullptr);

  public Q_SLOTS:
    void showRecent();

  Q_SIGNALS:
    void openRequested();
    void sampleRequested();
    void fileRequested(const QString& path);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    Session& m_session;
    QVBoxLayout* m_recent;
};

}  // namespace workbench
