// SPDX-License-Identifier: MIT
// Tables of what a release has: its evidence, its waivers, its sign-offs. No widgets.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QVariant>
#include <optional>
#include <vector>

#include "ui/release/marks.h"
#include "ui/release/release_snapshot.h"

namespace workbench {

// A table whose rows have keys: what is known by a key stays where it is when the rows are set again, so that
// a view keeps its selection.
class ReleaseTableModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Role {
        markRole = Qt::UserRole,  // a Mark as int, where a cell has one
        wholeRole,                // what is copied and shown as help
        sortRole,
    };

    QString name() const { return m_name; }
    QString help() const { return m_help; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    virtual void show(const ReleaseSnapshot& snapshot) = 0;

  protected:
    struct Cell {
        QString text;
        QString whole = {};  // empty: the text
        std::optional<Mark> mark = {};
        QVariant sortKey = {};  // none: the whole text
    };
    struct Row {
        QString key;
        std::vector<Cell> cells;
    };

    ReleaseTableModel(const QString& name, const QString& help, const QStringList& headers, QObject* parent);
    void setRows(std::vector<Row> rows);

  private:
    QString m_name;
    QString m_help;
    QStringList m_headers;
    std::vector<Row> m_rows;
};

class EvidenceModel : public ReleaseTableModel {
    Q_OBJECT
  public:
    enum Column { state, kind, file, commit, hash, attached };
    explicit EvidenceModel(QObject* parent = nullptr);
    void show(const ReleaseSnapshot& snapshot) override;
};

class WaiverModel : public ReleaseTableModel {
    Q_OBJECT
  public:
    enum Column { state, scope, left, risk, owner, until };
    explicit WaiverModel(QObject* parent = nullptr);
    void show(const ReleaseSnapshot& snapshot) override;
};

class SignOffModel : public ReleaseTableModel {
    Q_OBJECT
  public:
    enum Column { state, role, person, why, at, key };
    explicit SignOffModel(QObject* parent = nullptr);
    void show(const ReleaseSnapshot& snapshot) override;
};

}  // namespace workbench
