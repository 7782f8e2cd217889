// SPDX-License-Identifier: MIT
// A person at the window: keys and clicks at the windows of the display, one step after another, each with
// what is to be seen afterwards. A line for every step.
#pragma once

#include <QDialog>
#include <QPoint>
#include <QString>
#include <QWidget>
#include <functional>

class QAction;
class QFileDialog;
class QWindow;

namespace workbench::walk {

class Walker {
  public:
    explicit Walker(QWidget& window) : m_window(window) {}

    // Does it and waits until `seen` holds. Prints "12  undo  ok".
    void step(const QString& what, const std::function<void()>& act, const std::function<bool()>& seen);

    int steps() const { return m_steps; }
    int failures() const { return m_failures; }

    // At the window that has the keyboard.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    void type(const QString& text);
    // At what lies there on the screen, whether that is the widget or what is over it.
    void click(QWidget* widget);
    void clickAt(QWidget* widget, QPoint place, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    void replaceText(QWidget* edit, const QString& text);

    // Answers the next modal dialog of a kind, while `act` waits for it.
    void chooseFile(const QString& path, const std::function<void()>& act);
    void answerBox(const QString& button, const std::function<void()>& act);

    static bool waitFor(const std::function<bool()>& seen, int milliseconds = 20000);
    // Says in the next step's line why it could not be done.
    void fail(const QString& why);

  private:
    QWindow* active();
    void whenModal(const std::function<bool(QWidget*)>& answer, const std::function<void()>& act);

    QWidget& m_window;
    QString m_why;
    int m_steps = 0;
    int m_failures = 0;
};

}  // namespace workbench::walk
