// SPDX-License-Identifier: MIT
// What a release has: its evidence, its waivers, its sign-offs, a table each. Rows are copied with Ctrl+C.
#pragma once

#include <QStringList>
#include <QTableWidget>

#include "ui/release/release_view.h"
#include "ui/widgets/mark_label.h"

namespace workbench {

class ReleaseTable : public QTableWidget {
    Q_OBJECT
  public:
    ReleaseTable(const QString& name, const QString& help, const QStringList& headers,
                 QWidget* parent = nullptr);

    struct Cell {
        QString text;
        QString whole = {};  // what is copied and shown as help; empty: the text
        std::optional<Mark> mark = {};
    };
    void setRows(const std::vector<std::vector<Cell>>& rows);
    void copySelection() const;

  protected:
    void changeEvent(QEvent* event) override;  // colours are the theme's

  private:
    void colour();
    QStringList m_fitted;  // what the columns are as wide as
};

class EvidenceTable : public ReleaseTable {
    Q_OBJECT
  public:
    enum Column { state, kind, name, commit, hash, attached };
    explicit EvidenceTable(QWidget* parent = nullptr);
    void display(const ReleaseView& view);
};

class WaiverTable : public ReleaseTable {
    Q_OBJECT
  public:
    enum Column { state, scope, left, risk, owner, until };
    explicit WaiverTable(QWidget* parent = nullptr);
    void display(const ReleaseView& view);
};

class SignOffTable : public ReleaseTable {
    Q_OBJECT
  public:
    enum Column { state, role, person, why, at, key };
    explicit SignOffTable(QWidget* parent = nullptr);
    void display(const ReleaseView& view);
};

}  // namespace workbench
