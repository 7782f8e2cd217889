// SPDX-License-Identifier: MIT
// Handles what is dropped on the benchmark page: a record is opened or compared, a library is duelled with.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

class QWidget;

namespace workbench {

class DuelActions;
class RecordDesk;

class RecordDrops : public QObject {
    Q_OBJECT
  public:
    // Takes what is dropped on `page`. `busyText` returns what is being measured, or an empty text: meanwhile
    // nothing is taken, and refused() says why, or the window would take the drop for an image.
    RecordDrops(RecordDesk& desk, DuelActions& duels, std::function<QString()> busyText, QWidget* page);

  Q_SIGNALS:
    void refused(const QString& why);

  private:
    QString offerFor(const QString& path) const;
    void take(const QString& path);

    RecordDesk& m_desk;
    DuelActions& m_duels;
    std::function<QString()> m_busyText;
};

}  // namespace workbench
