// SPDX-License-Identifier: MIT
#include "tests/ui/walk/walker.h"

#include <QAbstractButton>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QTest>
#include <QTimer>
#include <QWindow>
#include <cstdio>

namespace workbench::walk {

bool Walker::waitFor(const std::function<bool()>& seen, int milliseconds) {
    return QTest::qWaitFor(seen, milliseconds);
}

void Walker::fail(const QString& why) {
    if (m_why.isEmpty()) m_why = why;
}

void Walker::step(const QString& what, const std::function<void()>& act, const std::function<bool()>& seen) {
    ++m_steps;
    if (m_failures >= 3) return;  // what follows would fail for the same reason
    m_why.clear();
    act();
    bool good = m_why.isEmpty();
    if (good && !waitFor(seen)) {
        good = false;
        m_why = QStringLiteral("not seen within 20 s");
    }
    if (!good) ++m_failures;
    std::printf("%3d  %-62s %s\n", m_steps, qPrintable(what),
                good ? "ok" : qPrintable(QStringLiteral("FAILED: ") + m_why));
    std::fflush(stdout);
}

// An X server without a window manager gives the keyboard to nobody by itself.
QWindow* Walker::active() {
    QWidget* wanted = QApplication::activeModalWidget();
    for (auto* dialog : m_window.findChildren<QDialog*>()) {
        if (!wanted && dialog->isVisible()) wanted = dialog;
    }
    if (!wanted) wanted = &m_window;
    // The server tells of a window that opened or closed in several events, of which one may yet take the
    // keyboard away.
    bool settled = false;
    for (int tries = 0; tries < 5 && !settled; ++tries) {
        if (!wanted->isActiveWindow()) {
            wanted->activateWindow();
            if (!QTest::qWaitForWindowActive(wanted)) break;
        }
        QTest::qWait(20);
        settled = wanted->isActiveWindow();
    }
    if (!settled) fail(QStringLiteral("the window does not become active"));
    return wanted->windowHandle();
}

void Walker::press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
    QTest::keyClick(active(), key, modifiers);
}

void Walker::type(const QString& text) {
    QWindow* target = active();
    for (const QChar c : text) QTest::keyClick(target, c.toLatin1());
}

void Walker::clickAt(QWidget* widget, QPoint place, Qt::KeyboardModifiers modifiers) {
    if (!widget || !widget->isVisible()) {
        fail(QStringLiteral("what is to be clicked is not there"));
        return;
    }
    if (widget->window() == &m_window) active();
    QWidget* top = widget->window();
    QTest::mouseClick(top->windowHandle(), Qt::LeftButton, modifiers, widget->mapTo(top, place));
}

void Walker::click(QWidget* widget) {
    if (widget && !widget->isEnabled()) fail(QStringLiteral("what is to be clicked is not enabled"));
    clickAt(widget, widget ? widget->rect().center() : QPoint());
}

void Walker::replaceText(QWidget* edit, const QString& text) {
    click(edit);
    press(Qt::Key_A, Qt::ControlModifier);
    type(text);
}

// Looked for by a timer: a modal dialog has an event loop of its own.
void Walker::whenModal(const std::function<bool(QWidget*)>& answer, const std::function<void()>& act) {
    QTimer timer;
    timer.setInterval(10);
    bool answered = false;
    int turns = 0;
    QObject::connect(&timer, &QTimer::timeout, &timer, [&] {
        QWidget* modal = QApplication::activeModalWidget();
        if (!modal || !modal->isVisible()) return;
        if (answer(modal)) {
            answered = true;
            timer.stop();
        } else if (++turns > 1000) {
            fail(QStringLiteral("another dialog is open: ") + modal->windowTitle());
            timer.stop();
            modal->close();
        }
    });
    timer.start();
    act();
    // The dialog may come after a moment.
    if (!answered && m_why.isEmpty() && !waitFor([&] { return answered; }))
        fail(QStringLiteral("no dialog came"));
}

void Walker::chooseFile(const QString& path, const std::function<void()>& act) {
    whenModal(
        [this, path](QWidget* modal) {
            auto* dialog = qobject_cast<QFileDialog*>(modal);
            if (!dialog) return false;
            auto* edit = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
            if (!edit) {
                fail(QStringLiteral("the file dialog is the system's"));
                dialog->reject();
                return true;
            }
            edit->setText(path);
            QTest::keyClick(edit, Qt::Key_Return);
            return true;
        },
        act);
}

void Walker::answerBox(const QString& button, const std::function<void()>& act) {
    whenModal(
        [this, button](QWidget* modal) {
            auto* box = qobject_cast<QMessageBox*>(modal);
            if (!box) return false;
            for (QAbstractButton* one : box->buttons()) {
                if (QString(one->text()).remove(QLatin1Char('&')) != button) continue;
                click(one);
                return true;
            }
            fail(QStringLiteral("the question has no button ") + button);
            box->reject();
            return true;
        },
        act);
}

}  // namespace workbench::walk
