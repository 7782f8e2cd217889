// SPDX-License-Identifier: MIT
// The undo steps of the workbench: the recipe before, and the recipe after; and how it is executed.
#pragma once

#include <QUndoCommand>
#include <functional>
#include <optional>

#include "core/recipe/recipe.h"
#include "iir2d/config.h"

namespace workbench {

class RecipeCommand : public QUndoCommand {
  public:
    using Apply = std::function<void(const Recipe&)>;

    // Makes a command. `gesture` numbers the user's gestures; commands with the same non-zero mergeKey and
    // gesture become one step.
    RecipeCommand(const QString& text, Recipe before, Recipe after, int mergeKey, int gesture, Apply apply);

    const Recipe& before() const { return m_before; }
    const Recipe& after() const { return m_after; }
    int id() const override;
    void undo() override;
    void redo() override;
    bool mergeWith(const QUndoCommand* other) override;

  private:
    Recipe m_before;
    Recipe m_after;
    int m_mergeKey;
    int m_gesture;
    Apply m_apply;
};

// A config that is pinned, or let go.
class PinCommand : public QUndoCommand {
  public:
    using Pin = std::optional<iir2d::Config>;
    PinCommand(Pin before, Pin after, std::function<void(const Pin&)> apply);
    void undo() override;
    void redo() override;

  private:
    Pin m_before;
    Pin m_after;
    std::function<void(const Pin&)> m_apply;
};

}  // namespace workbench
