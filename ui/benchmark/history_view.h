// SPDX-License-Identifier: MIT
// Records over time: a case's median with its interval over those imported into a history database. Asks for
// what takes time by signals.
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/evidence/history.h"

class QComboBox;
class QPushButton;

namespace workbench {

class ElidedLabel;
class HistoryTable;
class ToneLabel;
class TrendChart;

class RecordHistory;
struct HistoryContents;

class HistoryView : public QWidget {
    Q_OBJECT
  public:
    explicit HistoryView(RecordHistory& history, QWidget* parent = nullptr);

    void showFile();  // The history's, which is another one now.
    // Sets whether the record shown can be added, and its name.
    void setAddable(bool addable, const QString& name);
    void setFree(bool free);  // whether records may be opened and compared now

    QString key() const;
    QString device() const;  // empty: all
    Metric metric() const;
    // Chooses the case to show over time, where the history has it.
    void setKey(const QString& key);
    TrendChart& chart() const { return *m_chart; }
    HistoryTable& table() const { return *m_table; }

  Q_SIGNALS:
    void fileChosen(const QString& file);
    void addWanted();
    void refreshWanted();
    void openWanted(const QString& id);
    void openDuelWanted(const QString& id);
    void compareWanted(const QString& id);  // as the base of what is shown

  private:
    QWidget* makeHeader();
    QWidget* makeRecords();
    void connectHistory();
    void showContents(const HistoryContents& contents);
    // Shows why there is no history: the file does not exist, or cannot be read.
    void showNothing(const QString& why);
    void showTrend(const QString& key, Metric metric, const std::vector<TrendPoint>& points);
    void showTrendFailure(const QString& why);
    void readTrend();  // Of key(), metric() and device().
    void chooseFile();
    void showChoice();

    RecordHistory& m_history;
    ElidedLabel* m_fileLabel = nullptr;
    QPushButton* m_add = nullptr;
    QComboBox* m_key = nullptr;
    QComboBox* m_metric = nullptr;
    QComboBox* m_device = nullptr;
    ToneLabel* m_state = nullptr;
    TrendChart* m_chart;
    HistoryTable* m_table;
    QPushButton* m_open = nullptr;
    QPushButton* m_compare = nullptr;
    bool m_free = true;
    QString m_wantedKey;
};

}  // namespace workbench
