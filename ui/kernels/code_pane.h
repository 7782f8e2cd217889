// SPDX-License-Identifier: MIT
// A text of a program, with numbers of its lines and lines that are marked.
#pragma once

#include <QList>
#include <QPlainTextEdit>

namespace workbench {

class CodePane : public QPlainTextEdit {
    Q_OBJECT
  public:
    // Makes an empty pane. `name`: its accessible name.
    explicit CodePane(const QString& name, QWidget* parent = nullptr);

    // Marks lines, which count from 1. Scrolls to the first unless it is visible.
    void markLines(const QList<int>& lines);
    void markError(int line);  // 0: none
    const QList<int>& markedLines() const { return m_marked; }
    int currentLine() const;
    void goToLine(int line);
    void setDifference(bool on);        // colours the lines that a difference adds and takes
    void setCode(const QString& code);  // and forgets marks

  Q_SIGNALS:
    void lineChosen(int line);  // by a click or a key

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    class Numbers;
    class DifferenceColours;
    int numbersWidth() const;
    void placeNumbers();
    void paintNumbers(QPaintEvent* event);
    void showMarks();

    Numbers* m_numbers;
    DifferenceColours* m_difference = nullptr;
    QList<int> m_marked;
    int m_error = 0;
    bool m_setting = false;
};

}  // namespace workbench
