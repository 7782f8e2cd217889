// SPDX-License-Identifier: MIT
#include "ui/widgets/undo_keys.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextDocument>
#include <QTextEdit>

#include "ui/widgets/form_parts.h"

namespace workbench {
namespace {

bool hasOwnStep(const QTextDocument* document, bool isReadOnly, bool undo) {
    return !isReadOnly && (undo ? document->isUndoAvailable() : document->isRedoAvailable());
}

bool hasOwnStep(const QWidget* widget, bool undo) {
    const auto* edit = qobject_cast<const QLineEdit*>(widget);
    if (const auto* combo = qobject_cast<const QComboBox*>(widget)) edit = combo->lineEdit();
    if (edit != nullptr) {
        return !edit->isReadOnly() && !leavesUndoToWindow(edit) &&
               (undo ? edit->isUndoAvailable() : edit->isRedoAvailable());
    }
    if (const auto* text = qobject_cast<const QTextEdit*>(widget))
        return hasOwnStep(text->document(), text->isReadOnly(), undo);
    if (const auto* text = qobject_cast<const QPlainTextEdit*>(widget))
        return hasOwnStep(text->document(), text->isReadOnly(), undo);
    return qobject_cast<const QAbstractSpinBox*>(widget) != nullptr;  // they know best
}

}  // namespace

UndoKeys::UndoKeys(QWidget* window) : QObject(window), m_window(window) {}

bool UndoKeys::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride || !watched->isWidgetType()) return false;
    const auto* widget = static_cast<const QWidget*>(watched);
    const auto* key = static_cast<const QKeyEvent*>(event);
    const bool undo = key->matches(QKeySequence::Undo);
    if ((!undo && !key->matches(QKeySequence::Redo)) || widget->window() != m_window) return false;
    if (hasOwnStep(widget, undo)) return false;
    event->ignore();
    return true;
}

}  // namespace workbench
