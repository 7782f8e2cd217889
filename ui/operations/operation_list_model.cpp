// SPDX-License-Identifier: MIT
#include "ui/operations/operation_list_model.h"

#include <algorithm>

namespace workbench {

void OperationListModel::setRecipe(const Recipe& recipe, iir2d::Shape input) {
    std::vector<RowState> states = rowStates(recipe, input);
    // Rows come and go while the states still have the old number; views read them only after this function.
    m_states.resize(std::max(m_states.size(), states.size()));
    setOperations(recipe.operations);
    m_states = std::move(states);
    if (!m_operations.empty()) Q_EMIT dataChanged(index(0), index(int(m_operations.size()) - 1));
}

// The rows between the common head and the common tail were inserted, removed, moved by one, or replaced.
void OperationListModel::setOperations(const std::vector<Operation>& next) {
    const auto head =
        std::mismatch(m_operations.begin(), m_operations.end(), next.begin(), next.end()).first -
        m_operations.begin();
    const auto most = std::min(m_operations.size(), next.size()) - std::size_t(head);
    std::size_t tail = 0;
    while (tail < most && m_operations[m_operations.size() - 1 - tail] == next[next.size() - 1 - tail])
        ++tail;

    const int first = int(head);
    const int oldEnd = int(m_operations.size() - tail);  // one past the differing rows
    const int newEnd = int(next.size() - tail);
    const auto oldSpan = m_operations.begin() + first;

    if (oldEnd == newEnd && newEnd - first >= 2) {
        std::vector<Operation> turned(oldSpan, m_operations.begin() + oldEnd);
        std::rotate(turned.begin(), turned.begin() + 1, turned.end());
        const bool down = std::equal(turned.begin(), turned.end(), next.begin() + first);
        std::rotate(turned.begin(), turned.end() - 2, turned.end());  // one back, and one more
        const bool up = std::equal(turned.begin(), turned.end(), next.begin() + first);
        if (down || up) {
            const int from = down ? first : oldEnd - 1;
            const int to = down ? oldEnd : first;
            beginMoveRows({}, from, from, {}, to);
            m_operations = next;
            endMoveRows();
            return;
        }
    }
    // Only rows come or go while views are told so; what else differs is put in place afterwards.
    if (newEnd < oldEnd) {
        beginRemoveRows({}, newEnd, oldEnd - 1);
        m_operations.erase(m_operations.begin() + newEnd, m_operations.begin() + oldEnd);
        endRemoveRows();
    } else if (newEnd > oldEnd) {
        beginInsertRows({}, oldEnd, newEnd - 1);
        m_operations.insert(m_operations.begin() + oldEnd, next.begin() + oldEnd, next.begin() + newEnd);
        endInsertRows();
    }
    m_operations = next;
}

int OperationListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_operations.size());
}

QVariant OperationListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Operation& operation = m_operations[std::size_t(index.row())];
    const QString& error = m_states[std::size_t(index.row())].error;
    switch (role) {
        case Qt::DisplayRole:
            return QString::fromStdString(describe(operation));
        case NameRole:
            return operationName(operation);
        case DetailsRole:
            return operationDetails(operation);
        case ErrorRole:
            return error;
        case OnRole:
            return operation.enabled;
        case Qt::CheckStateRole:
            return operation.enabled ? Qt::Checked : Qt::Unchecked;
        case Qt::ToolTipRole:
            return error.isEmpty() ? QString::fromStdString(describe(operation)) : error;
        case Qt::AccessibleTextRole: {
            const QString described = tr("%1: %2, %3")
                                          .arg(index.row() + 1)
                                          .arg(QString::fromStdString(describe(operation)),
                                               operation.enabled ? tr("on") : tr("off"));
            return error.isEmpty() ? described : tr("%1, error: %2").arg(described, error);
        }
        default:
            return {};
    }
}

bool OperationListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
    const bool enabled = value.toInt() == Qt::Checked;
    if (enabled == m_operations[std::size_t(index.row())].enabled) return false;
    Q_EMIT enableRequested(index.row(), enabled);
    return true;
}

Qt::ItemFlags OperationListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    return Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren;
}

}  // namespace workbench
