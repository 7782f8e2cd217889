// SPDX-License-Identifier: MIT
// The results of a run or a record: what they are in a line, the note on them, charts and table. Follows the
// RecordDesk.
#pragma once

#include <QWidget>

class QSplitter;

namespace workbench {

class ChartsArea;
class ExportMenu;
class RecordDesk;
class ResultNote;
class ResultsHeader;
class ResultsTable;
class Session;

class ResultsPage : public QWidget {
    Q_OBJECT
  public:
    ResultsPage(RecordDesk& desk, Session& session, QWidget* parent = nullptr);

    ResultsHeader& header() const { return *m_header; }
    ChartsArea& charts() const { return *m_charts; }
    ResultsTable& table() const { return *m_table; }
    ResultNote& note() const { return *m_note; }
    ExportMenu& exports() const { return *m_exports; }

    int chosenCase() const { return m_chosen; }  // Index into the desk's results; -1: none.
    void chooseCase(int index);

  private:
    void showOther();
    void showAdded();
    void showState();
    void showNote();
    void showCeilings();
    void showCases();

    RecordDesk& m_desk;
    ResultsHeader* m_header;
    ResultNote* m_note;
    QSplitter* m_splitter;
    ChartsArea* m_charts;
    ResultsTable* m_table;
    ExportMenu* m_exports;
    int m_chosen = -1;
    bool m_userChose = false;
};

}  // namespace workbench
