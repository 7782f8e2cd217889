// SPDX-License-Identifier: MIT
// Keeps every finished run in the history, so that neither a new run nor closing the window loses it.
#pragma once

#include <QHash>
#include <QString>

#include "core/duel/duel_record.h"
#include "core/record/record.h"
#include "core/support/error.h"

namespace workbench {

struct Record;
struct Settings;

// Says where a run's record is kept: in the history under an id, or why it is not.
struct KeptRun {
    QString id;
    QString problem;
};

// Returns the database that the settings name, else the default one.
QString historyFileOf(const Settings& settings);

// Adds a run to the history. Any thread. Makes the default database's folder where it does not exist.
KeptRun keepRun(const QString& historyFile, const Record& record);
KeptRun keepDuel(const QString& historyFile, const DuelRecord& record);

// Writes notes, by record_id. Any thread.
Result<void> writeNotes(const QString& historyFile, const QHash<QString, QString>& notes);

// Opens a record of the history, verified when it was added. Its path is "history:" and the record_id's first
// digits. Any thread.
Result<Record> openKept(const QString& historyFile, const QString& id);
// Does the same for a duel.
Result<DuelRecord> openKeptDuel(const QString& historyFile, const QString& id);
bool isKeptPath(const QString& path);
// Returns the id in such a path: "1f0c9a2b77de".
QString idOfKeptPath(const QString& path);

}  // namespace workbench
