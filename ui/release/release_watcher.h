// SPDX-License-Identifier: MIT
// Notices changes of a release's files on disk, whoever makes them: once for those that come together.
#pragma once

#include <QObject>

#include "ui/release/release_snapshot.h"

class QFileSystemWatcher;
class QTimer;

namespace workbench {

class ReleaseWatcher : public QObject {
    Q_OBJECT
  public:
    explicit ReleaseWatcher(QObject* parent = nullptr);
    // Watches in place of what was watched before; to be called after each reading, since a file that was
    // replaced is another one.
    void watch(const ReleaseSnapshot& snapshot);

  Q_SIGNALS:
    void changed();

  private:
    QFileSystemWatcher* m_files;
    QTimer* m_settled;
    QString m_top;
    QString m_above;
};

}  // namespace workbench
