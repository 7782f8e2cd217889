// SPDX-License-Identifier: MIT
#include "ui/benchmark/duel_desk.h"

#include <utility>

#include "core/duel/revision.h"
#include "core/support/try.h"
#include "ui/charts/compared_records.h"
#include "ui/support/paths.h"
#include "ui/support/rate_limit.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

Result<DuelRecordPtr> shared(Result<DuelRecord> record) {
    if (!record) return std::unexpected(record.error());
    return std::make_shared<const DuelRecord>(std::move(*record));
}

// Named as its person sees it.
std::string given(const QString& path) {
    return toPath(path).string();
}

}  // namespace

DuelDesk::DuelDesk(Job& job, RecordHistory& history, QObject* parent)
    : QObject(parent), m_records(job), m_history(history) {
    connect(&m_job, &Job::progressed, this, &DuelDesk::progressed);
}

DuelDesk::~DuelDesk() = default;

// Measuring ---------------------------------------------------------------------------------------------

void DuelDesk::start(DuelRequest request) {
    if (isRunning()) return;
    m_request = std::move(request);
    m_begun = false;
    m_job.start(
        {},
        [this, request = m_request, file = m_history.file()](const JobControl& control) {
            return measure(request, file, control);
        },
        [this](const Result<Measured>& done) { finish(done); });
    Q_EMIT runningChanged(true);
}

Result<DuelDesk::Measured> DuelDesk::measure(const DuelRequest& request, const QString& historyFile,
                                             const JobControl& control) {
    std::string base = given(request.base);
    if (!request.revision.isEmpty()) {
        IIR2D_TRY(const auto built,
                  build_revision(toPath(request.source), request.revision.toStdString(), control));
        base = built.string();
    }
    Begun begun;
    IIR2D_TRY(begun.base, find_library("the base", base));
    IIR2D_TRY(begun.now, find_library("the new build", given(request.now)));
    IIR2D_TRY(const auto cases, expand(request.settings.matrix));
    begun.rows = waitingRows(cases, request.settings.rule.margin);
    control.post([this, begun] { begin(begun); });
    auto record =
        measure_duel_record(request.settings, begun.base, begun.now, {}, control, reporter(control));
    if (!record) return std::unexpected(record.error());
    auto measured = std::make_shared<const DuelRecord>(std::move(*record));
    const KeptRun kept = keepDuel(historyFile, *measured);
    return Measured{.record = std::move(measured), .kept = kept};
}

// The newest figures, a few times a second; a verdict at once.
DuelEvents DuelDesk::reporter(const JobControl& control) {
    return {.on_progress =
                [this, &control, limit = RateLimit(shownDuelInterval)](const DuelProgress& p) mutable {
                    if (!limit.isDue()) return;
                    control.post([this, p] {
                        DuelRow row = m_shown.rows.rows[p.index];
                        row.state = DuelRow::State::measuring;
                        row.pairs = p.pairs;
                        row.look = p.look;
                        showRow(int(p.index), std::move(row));
                    });
                },
            .on_case =
                [this, &control](const DuelCase& measured) {
                    control.post([this, row = rowOf(measured)] { showRow(m_current, row); });
                }};
}

void DuelDesk::begin(Begun begun) {
    m_begun = true;
    m_before = std::exchange(m_shown, {});
    m_shown.rows = std::move(begun.rows);
    m_shown.base = std::move(begun.base);
    m_shown.now = std::move(begun.now);
    m_shown.isOwn = true;
    m_current = 0;
    m_shown.rows.rows.front().state = DuelRow::State::measuring;
    Q_EMIT this->begun();
    Q_EMIT shownChanged();
}

void DuelDesk::showRow(int row, DuelRow now) {
    const bool isDone = now.state == DuelRow::State::done;
    m_shown.rows.rows[std::size_t(row)] = std::move(now);
    Q_EMIT rowChanged(row);
    if (!isDone) return;
    m_current = row + 1 < int(m_shown.rows.rows.size()) ? row + 1 : -1;
    if (m_current < 0) return;
    m_shown.rows.rows[std::size_t(m_current)].state = DuelRow::State::measuring;
    Q_EMIT rowChanged(m_current);
}

void DuelDesk::finish(const Result<Measured>& done) {
    const bool hasBegun = std::exchange(m_begun, false);
    m_current = -1;
    if (done) {
        m_shown.record = done->record;
        m_shown.rows = rowsOf(done->record->duel);
        m_shown.base = done->record->duel.base;
        m_shown.now = done->record->duel.now;
        m_shown.historyFile = m_history.file();
        m_shown.keptId = done->kept.id;
        if (m_before.isUnkept()) m_aside.push_back(m_before);
        m_before = {};
        Q_EMIT shownChanged();
    } else if (hasBegun) {
        show(std::exchange(m_before, {}));
    }
    Q_EMIT runningChanged(false);
    if (done) {
        Q_EMIT finished(done->kept);
    } else if (done.error().kind == ErrorKind::cancelled) {
        Q_EMIT cancelledEmpty();
    } else if (hasBegun) {
        Q_EMIT failed(toSentence(done.error().message));
    } else {
        Q_EMIT refused(done.error());
    }
}

// What is shown -----------------------------------------------------------------------------------------

void DuelDesk::show(ShownDuel next) {
    m_shown = std::move(next);
    Q_EMIT shownChanged();
}

void DuelDesk::setAside() {
    if (m_shown.isUnkept()) m_aside.push_back(m_shown);
}

void DuelDesk::showAside() {
    if (m_aside.empty() || isRunning()) return;
    ShownDuel next = std::move(m_aside.back());
    m_aside.pop_back();
    setAside();
    show(std::move(next));
}

void DuelDesk::open(const QString& path) {
    openBy(tr("Opening the duel %1").arg(recordNameAt(path)),
           [path](const TaskControl& control) { return load_duel_record(toPath(path), control); },
           {.path = path});
}

void DuelDesk::openKept(const QString& id) {
    openBy(tr("Opening a duel of the history"),
           [id, file = m_history.file()](const TaskControl&) { return openKeptDuel(file, id); },
           {.historyFile = m_history.file(), .keptId = id});
}

void DuelDesk::openBy(const QString& what, std::function<Result<DuelRecord>(const TaskControl&)> open,
                      ShownDuel into) {
    if (isRunning()) return;
    m_records.start(
        what, [open = std::move(open)](const TaskControl& control) { return shared(open(control)); },
        [this, into = std::move(into)](const Result<DuelRecordPtr>& record) {
            if (!record) {
                Q_EMIT recordFailed(record.error());
                return;
            }
            setAside();
            ShownDuel next = into;
            next.rows = rowsOf((*record)->duel);
            next.base = (*record)->duel.base;
            next.now = (*record)->duel.now;
            next.record = *record;
            show(next);
            Q_EMIT opened(next.path);
        });
}

// Keeping -----------------------------------------------------------------------------------------------

bool DuelDesk::mayAddToHistory() const {
    return m_shown.record && (m_shown.keptId.isEmpty() || m_shown.historyFile != m_history.file());
}

void DuelDesk::addToHistory() {
    if (!mayAddToHistory() || m_records.isRunning()) return;
    m_records.start(
        tr("Adding the duel to the history"),
        [record = m_shown.record, file = m_history.file()](const TaskControl&) -> Result<History::Added> {
            IIR2D_TRY(auto history, History::open(toPath(file)));
            return add_duel_to(history, *record);
        },
        [this, record = m_shown.record, file = m_history.file()](const Result<History::Added>& added) {
            if (!added) {
                Q_EMIT recordFailed(added.error());
                return;
            }
            if (m_shown.record == record) {
                m_shown.historyFile = file;
                m_shown.keptId = toText(added->record_id);
            }
            std::erase_if(m_aside, [&](const ShownDuel& each) { return each.record == record; });
            Q_EMIT stateChanged();
            Q_EMIT addedToHistory(added->added);
        });
}

void DuelDesk::save(const DuelRecordPtr& record, const QString& directory, const QString& keyFile) {
    if (!record) return;
    struct Saved {
        bool accepted = false;
        QString verdict;
        DuelRecordPtr record;  // with its path and signer
    };
    m_saving.start(
        tr("Saving the duel"),
        [record, directory, keyFile](const TaskControl& control) -> Result<Saved> {
            // A history's may be anyone's: nothing is signed that is not as it should be.
            if (const auto wrong = inconsistencies(*record, control); !wrong.empty())
                return fail(ErrorKind::check_failed, "the duel is not accepted: " + wrong.front());
            std::optional<SigningKey> key;
            if (!keyFile.isEmpty()) {
                IIR2D_TRY(key, SigningKey::load(toPath(keyFile)));
            }
            IIR2D_RETURN_IF_ERROR(write_duel_record(*record, toPath(directory), key));
            IIR2D_TRY(const auto verification, verify_duel_record(toPath(directory)));
            if (!verification.problems.empty())
                return Saved{false, tr("Not accepted: %1").arg(toText(verification.problems.front())),
                             nullptr};
            const QString by = verification.signer
                                   ? tr(" Signed by %1.").arg(toText(verification.signer->hex()).left(16))
                                   : QString();
            auto written = std::make_shared<DuelRecord>(*record);
            written->path = toPath(directory).string();
            written->signer = verification.signer;
            return Saved{
                true,
                tr("Verified: accepted, %n check(s) passed.", nullptr, int(verification.checked.size())) + by,
                std::move(written)};
        },
        [this, record, directory](const Result<Saved>& saved) {
            if (!saved) {
                Q_EMIT stateChanged();
                Q_EMIT saveFailed(toSentence(saved.error().message));
                return;
            }
            if (saved->accepted) {
                // Something else may be shown by now.
                if (m_shown.record == record) {
                    m_shown.path = directory;
                    m_shown.record = saved->record;
                }
                std::erase_if(m_aside, [&](const ShownDuel& each) { return each.record == record; });
            }
            Q_EMIT stateChanged();
            Q_EMIT this->saved(directory, saved->accepted, saved->verdict);
        });
    Q_EMIT stateChanged();
}

QString DuelDesk::commandLine() const {
    if (m_shown.record) return toText(m_shown.record->command_line);
    if (m_shown.isEmpty()) return {};
    DuelSettings settings = m_request.settings;
    if (settings.matrix.has_image() && !settings.matrix.image_identity)
        settings.matrix.image_identity = ImageIdentity{.path = settings.matrix.image->info.path.string()};
    return toText(duel_command_line(settings, m_shown.base.path.string(), m_shown.now.path.string(), {}));
}

}  // namespace workbench
