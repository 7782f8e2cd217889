// SPDX-License-Identifier: MIT
// The small parts that operation editors and views share, so that their controls line up and behave alike.
#pragma once

#include <QAction>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/widgets/number_field.h"
#include "ui/widgets/slider_scale.h"

class QComboBox;

namespace workbench {

// Edits of one value within this time are one step of undo: longer than a held arrow key waits before it
// repeats.
inline constexpr int editBurst_ms = 800;

// A label in one of the theme's text colours, also after a theme change. Wraps.
class ToneLabel : public QLabel {
    Q_OBJECT
  public:
    enum class Tone { normal, muted, error };
    explicit ToneLabel(Tone tone, QWidget* parent = nullptr);
    void setTone(Tone tone);
    QSize minimumSizeHint() const override;

  private:
    void applyTone();
    Tone m_tone;
};

// Makes a button that follows an action, can have the focus and is named by the action's text.
QToolButton* makeActionButton(QAction* action, QWidget* parent);

// Shows why a value was refused, below its control, with a way back to the value in force. Hidden until there
// is a reason.
class RefusalLine : public QWidget {
    Q_OBJECT
  public:
    explicit RefusalLine(QWidget* parent = nullptr);
    void setReason(const QString& reason, const QString& valueInForce);
    void clear();
    QString reason() const;

  Q_SIGNALS:
    void revertRequested();

  private:
    ToneLabel* m_reason;
    QToolButton* m_revert;
};

// Gives an input the look of a refused value, and its reason to those who cannot see it.
void setRefused(QWidget* input, const QString& reason);
// Shows the reason why a text is not a value at all, in place of any refusal.
void setWrong(QWidget* input, const QString& reason);

// Lays out rows of "label, control, control, button" whose columns line up. Adds to `parent`'s layout, which
// it makes.
class FormGrid {
  public:
    explicit FormGrid(QWidget* parent);
    QWidget* parent() const { return m_parent; }
    QLabel* addLabel(const QString& text, QWidget* buddy, const QString& toolTip);  // begins a row
    void addRow();                                                                  // begins one without
    void add(QWidget* widget, int column, int columns = 1);                         // in the current row
    void shareColumns();                                                            // of inputs, equally
    RefusalLine* addRefusalLine();                                                  // a row of its own
    int row() const { return m_row; }
    static constexpr int columns = 4;

  private:
    QWidget* m_parent;
    QGridLayout* m_layout;
    int m_row = -1;
};

// Makes a box of these names that is no wider than a form lets it, whose wheel is guarded.
QComboBox* choiceBox(const QStringList& names, QWidget* parent);

// Takes the wheel only while it has the focus, so that scrolling a panel never changes a value.
void guardWheel(QWidget* input);

// Lets the window undo what is typed here, not the field itself.
void leaveUndoToWindow(QLineEdit* edit);
bool leavesUndoToWindow(const QWidget* edit);

// Makes a square tool button with an icon of the theme; `name` is its tool tip and accessible name.
QToolButton* iconButton(const QString& icon, const QString& name, QWidget* parent);

}  // namespace workbench
