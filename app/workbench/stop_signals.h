// SPDX-License-Identifier: MIT
// SIGTERM, SIGHUP and SIGINT as a signal of Qt, so that the window can save before it goes. A second one of
// the same kind ends the process at once. Nothing on systems without them. One object at a time.
#pragma once

#include <QObject>
#include <memory>

class QSocketNotifier;

namespace workbench {

class StopSignals : public QObject {
    Q_OBJECT
  public:
    StopSignals();
    ~StopSignals() override;

  Q_SIGNALS:
    void received() const;

  private:
    std::unique_ptr<QSocketNotifier> m_notifier;
};

}  // namespace workbench
