// SPDX-License-Identifier: MIT
#include "ui/session/recipe_command.h"

#include <QCoreApplication>
#include <utility>

#include "ui/support/text.h"

namespace workbench {

RecipeCommand::RecipeCommand(const QString& text, Recipe before, Recipe after, int mergeKey, int gesture,
                             Apply apply)
    : QUndoCommand(text),
      m_before(std::move(before)),
      m_after(std::move(after)),
      m_mergeKey(mergeKey),
      m_gesture(gesture),
      m_apply(std::move(apply)) {}

int RecipeCommand::id() const {
    return m_mergeKey == 0 ? -1 : 1;
}  // -1: never merged

void RecipeCommand::undo() {
    m_apply(m_before);
}

void RecipeCommand::redo() {
    m_apply(m_after);
}

bool RecipeCommand::mergeWith(const QUndoCommand* other) {
    const auto* next = dynamic_cast<const RecipeCommand*>(other);
    if (!next || next->m_mergeKey != m_mergeKey || next->m_gesture != m_gesture) return false;
    m_after = next->m_after;
    setText(next->text());
    if (m_after == m_before) setObsolete(true);  // dragged back to where it began: no step at all
    return true;
}

PinCommand::PinCommand(Pin before, Pin after, std::function<void(const Pin&)> apply)
    : QUndoCommand(after
                       ? QCoreApplication::translate("Session", "Pin %1").arg(toText(iir2d::text_of(*after)))
                       : QCoreApplication::translate("Session", "Let the config be chosen")),
      m_before(before),
      m_after(after),
      m_apply(std::move(apply)) {}

void PinCommand::undo() {
    m_apply(m_before);
}

void PinCommand::redo() {
    m_apply(m_after);
}

}  // namespace workbench
