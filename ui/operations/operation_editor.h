// SPDX-License-Identifier: MIT
// The editor of one row of the recipe: its name and help, what is wrong with it, and its controls. Valid
// edits go to the session as undo steps; refused ones stay on screen with the reason, and the recipe as it
// is.
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/recipe/recipe.h"

namespace workbench {

class FilterEditor;
class PoolEditor;
class Session;
class ToneLabel;

// Returns the open image's shape, w == 0 when there is none.
iir2d::Shape imageShape(const Session& session);

class OperationEditor : public QWidget {
    Q_OBJECT
  public:
    explicit OperationEditor(Session& session, QWidget* parent = nullptr);

    // Follows row `row` of the recipe; -1 for none. A draft that was refused is dropped.
    void setRow(int row);
    // Follows an operation that may be at `row` now, after the recipe changed or rows moved. Keeps a refused
    // draft when the operation is as it was.
    void follow(int row);

  private:
    void takeEdit(Operation next, int control, const QString& what);
    void showOperation(bool keepDraft);
    FilterEditor* filterEditor(int filterId) const;
    std::vector<QWidget*> editors() const;
    void showEditor(const QWidget* shown);
    void showSizes();

    Session& m_session;
    int m_row = -1;
    std::optional<Operation> m_shown;  // what the controls were given, or accepted, last
    ToneLabel* m_title;
    ToneLabel* m_help;
    ToneLabel* m_problem;
    ToneLabel* m_size;
    std::vector<FilterEditor*> m_filters;  // one a filter, so that the tab order never changes
    PoolEditor* m_pool;
};

}  // namespace workbench
