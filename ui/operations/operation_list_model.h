// SPDX-License-Identifier: MIT
// A recipe's operations as the rows of a list. Follows the recipe it is given with the smallest change of
// rows, so that a view keeps its selection; asks for edits and makes none itself.
#pragma once

#include <QAbstractListModel>
#include <vector>

#include "core/recipe/recipe.h"
#include "ui/operations/recipe_edits.h"

namespace workbench {

class OperationListModel : public QAbstractListModel {
    Q_OBJECT
  public:
    enum Role {
        NameRole = Qt::UserRole,  // "EMA"
        DetailsRole,              // "alpha 0.85"
        ErrorRole,                // why it cannot work, else empty
        OnRole,                   // bool
    };

    using QAbstractListModel::QAbstractListModel;

    // Shows a recipe. `input`: the open image's shape, w == 0 when there is none.
    void setRecipe(const Recipe& recipe, iir2d::Shape input);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

  Q_SIGNALS:
    void enableRequested(int row, bool enabled);

  private:
    void setOperations(const std::vector<Operation>& next);

    std::vector<Operation> m_operations;
    std::vector<RowState> m_states;  // as many as operations
};

}  // namespace workbench
