// SPDX-License-Identifier: MIT
#include "ui/session/kept_runs.h"

#include <system_error>

#include "core/evidence/history.h"
#include "core/support/settings.h"
#include "core/support/try.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

const QString keptScheme = QStringLiteral("history:");

template <class Add>
KeptRun kept(const QString& historyFile, Add add) {
    const std::filesystem::path file = toPath(historyFile);
    std::error_code error;  // opening it says what failed
    if (file == default_history_file()) std::filesystem::create_directories(file.parent_path(), error);
    auto history = History::open(file);
    if (!history) return {{}, toSentence(history.error().message)};
    const auto added = add(*history);
    if (!added) return {{}, toSentence(added.error().message)};
    return {toText(added->record_id), {}};
}

// Returns the record where it is the one of that id, with its path.
template <class R>
Result<R> keptAs(const QString& id, Result<R> opened) {
    if (!opened) return opened;
    if (!opened->record_id.starts_with(id.toStdString()))
        return fail(ErrorKind::check_failed,
                    "the record " + short_id(id.toStdString()) + " was altered in the history");
    opened->path = keptScheme.toStdString() + short_id(opened->record_id);
    return opened;
}

}  // namespace

QString historyFileOf(const Settings& settings) {
    return settings.history_file.empty() ? fromPath(default_history_file())
                                         : QString::fromStdString(settings.history_file);
}

KeptRun keepRun(const QString& historyFile, const Record& record) {
    return kept(historyFile, [&](History& history) { return history.add(record); });
}

KeptRun keepDuel(const QString& historyFile, const DuelRecord& record) {
    return kept(historyFile, [&](History& history) { return add_duel_to(history, record); });
}

Result<void> writeNotes(const QString& historyFile, const QHash<QString, QString>& notes) {
    if (notes.isEmpty()) return {};
    IIR2D_TRY(auto history, History::open(toPath(historyFile)));
    Result<void> all;
    for (auto one = notes.cbegin(); one != notes.cend(); ++one) {
        const auto done = history.set_note(one.key().toStdString(), one.value().toStdString());
        if (!done && all) all = std::unexpected(done.error());  // the others are written all the same
    }
    return all;
}

Result<Record> openKept(const QString& historyFile, const QString& id) {
    IIR2D_TRY(const auto history, History::open_to_read(toPath(historyFile)));
    IIR2D_TRY(const auto json, history.record(id.toStdString()));
    return keptAs(id, record_from_json(json));
}

Result<DuelRecord> openKeptDuel(const QString& historyFile, const QString& id) {
    IIR2D_TRY(const auto history, History::open_to_read(toPath(historyFile)));
    IIR2D_TRY(const auto json, history.duel(id.toStdString()));
    return keptAs(id, duel_record_from_json(json));
}

bool isKeptPath(const QString& path) {
    return path.startsWith(keptScheme);
}

QString idOfKeptPath(const QString& path) {
    return path.mid(keptScheme.size());
}

}  // namespace workbench
