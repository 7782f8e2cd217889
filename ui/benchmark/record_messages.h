// SPDX-License-Identifier: MIT
// Shows the benchmark page's messages about runs and records, and what it offers with them.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

class QWidget;

namespace workbench {

class MessageArea;
class RecordDesk;
struct KeptRun;

class RecordMessages : public QObject {
    Q_OBJECT
  public:
    // Says in `area` how the desk's runs end, and offers what is neither exported nor kept.
    RecordMessages(RecordDesk& desk, MessageArea& area, QWidget* page);

    enum class Of { run, record };
    void say(Of of, bool bad, const QString& text);
    void clear(Of of);
    // Says that there is nothing to compare, and offers to open a record by `open`.
    void sayNothingToCompare(const std::function<void()>& open);

  Q_SIGNALS:
    void said(const QString& text);
    void imageChosen(const QString& path);  // on which the opened record is to be reproduced

  private:
    void sayHowItRan();
    void showReproductionFailure(const QString& why);
    void showKept(const KeptRun& kept);
    void offerAside();

    RecordDesk& m_desk;
    MessageArea& m_area;
    QWidget* m_page;
};

}  // namespace workbench
