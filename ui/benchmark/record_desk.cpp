// SPDX-License-Identifier: MIT
#include "ui/benchmark/record_desk.h"

#include <QTemporaryDir>
#include <utility>

#include "core/support/files.h"
#include "core/support/try.h"
#include "ui/session/kept_runs.h"
#include "ui/session/path_kind.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

struct RecordPair {
    OpenedRecordPtr base, now;
};

Result<OpenedRecordPtr> shared(Result<Record> opened) {
    if (!opened) return std::unexpected(opened.error());
    return std::make_shared<const Record>(std::move(*opened));
}

// Verified as any record that is opened.
Result<Record> openJson(const std::string& json, const TaskControl& control) {
    const QTemporaryDir folder;
    const std::filesystem::path path = toPath(folder.filePath(QStringLiteral("record.json")));
    IIR2D_RETURN_IF_ERROR(write_file_atomically(path, json));
    auto opened = load_record(path, control);
    if (opened) opened->path.clear();
    return opened;
}

}  // namespace

RecordDesk::RecordDesk(const QString& historyFile, QObject* parent)
    : QObject(parent),
      m_history(historyFile, m_job),
      m_results(new ResultsModel(this)),
      m_duel(m_job, m_history) {
    connectRunner();
    connectDuel();
    connect(&m_history, &RecordHistory::failed, this, &RecordDesk::failed);
    connect(&m_history, &RecordHistory::addedJson, this,
            [this](const std::shared_ptr<const std::string>& json, const QString& id) {
                if (m_shown.restored != json) return;
                m_shown.historyFile = m_history.file();
                m_shown.keptId = id;
                Q_EMIT stateChanged();
            });
    connect(&m_exporter, &ResultExporter::verified, this, [this](const QString& path, bool accepted) {
        const RecordPtr run = std::exchange(m_exporting, nullptr);
        if (!accepted) return;
        // Something else may be shown by now.
        if (m_shown.run == run) m_shown.path = path;
        std::erase_if(m_aside, [&](const DeskResults& each) { return each.run == run; });
        Q_EMIT exported();
    });
}

RecordDesk::~RecordDesk() = default;

void RecordDesk::connectRunner() {
    connect(&m_runner, &BenchmarkRunner::progressed, this, &RecordDesk::progressed);
    connect(&m_runner, &BenchmarkRunner::caseFinished, this,
            [this](const std::shared_ptr<const CaseResult>& result) { addResult(*result); });
    connect(&m_runner, &BenchmarkRunner::finished, this,
            [this](const RecordPtr& record, const KeptRun& kept) {
                finishRun({.run = record}, kept);
                Q_EMIT runFinished();
                Q_EMIT runKept(kept);
            });
    connect(&m_runner, &BenchmarkRunner::reproduced, this,
            [this](const std::shared_ptr<const Reproduced>& what, const KeptRun& kept) {
                if (m_original.isUnkept()) m_aside.push_back(m_original);
                m_original = {};
                finishRun({.run = what->reproduction.record}, kept);
                m_base = what->compared->base;
                m_now = what->compared->now;
                m_allowUnlike = !what->compared->comparison.unlike.empty();
                Q_EMIT reproduced(what);
                Q_EMIT runKept(kept);
            });
    connect(&m_runner, &BenchmarkRunner::cancelledEmpty, this, [this] {
        const bool wasReproduction = reproducing() != nullptr;
        endRun();
        Q_EMIT runCancelled(wasReproduction);
    });
    connect(&m_runner, &BenchmarkRunner::failed, this, [this](const QString& why) {
        const bool wasReproduction = reproducing() != nullptr;
        endRun();
        Q_EMIT runFailed(why, wasReproduction);
    });
}

void RecordDesk::connectDuel() {
    connect(&m_duel, &DuelDesk::runningChanged, this, &RecordDesk::runningChanged);
    connect(&m_duel, &DuelDesk::recordFailed, this, &RecordDesk::failed);
    connect(&m_duel, &DuelDesk::opened, this, [this](const QString& path) {
        if (!path.isEmpty()) Q_EMIT recordFoundAt(path);
    });
    for (const auto signal : {&DuelDesk::shownChanged, &DuelDesk::stateChanged})
        connect(&m_duel, signal, this, &RecordDesk::stateChanged);
}

// Measuring ---------------------------------------------------------------------------------------------

void RecordDesk::startDuel(DuelRequest request) {
    if (isRunning() || isBusy()) return;
    m_duel.start(std::move(request));
}

void RecordDesk::cancelRun() {
    m_runner.cancel();
    m_duel.cancel();
}

void RecordDesk::measure(BenchmarkMatrix matrix, const QString& imagePath) {
    if (isRunning() || isBusy()) return;
    m_fresh = true;
    m_runner.start(std::move(matrix), imagePath, m_history.file());
    Q_EMIT runningChanged(true);
}

void RecordDesk::reproduce(const QString& image) {
    if (!m_shown.opened || isRunning() || isBusy()) return;
    m_original = m_shown;
    m_fresh = true;
    m_runner.reproduce(m_original.opened,
                       {.compare = m_compareSettings, .image = image.toStdString(), .device = {}},
                       m_history.file());
    Q_EMIT runningChanged(true);
}

void RecordDesk::addResult(const CaseResult& result) {
    if (std::exchange(m_fresh, false)) {
        // The results before stay until there are new ones. What is reproduced comes back when that fails.
        if (m_original.isEmpty()) setAside();
        m_shown = {};
        m_results->clear();
        m_results->append(result);
        Q_EMIT shownChanged();
        return;
    }
    m_results->append(result);
    Q_EMIT resultAdded();
}

void RecordDesk::finishRun(DeskResults shown, const KeptRun& kept) {
    m_shown = std::move(shown);
    m_shown.historyFile = m_history.file();
    m_shown.keptId = kept.id;
    endRun();
}

void RecordDesk::endRun() {
    const bool replaced = !std::exchange(m_fresh, false);
    const DeskResults original = std::exchange(m_original, {});
    if (!original.isEmpty() && replaced) show(original);
    Q_EMIT stateChanged();
    Q_EMIT runningChanged(false);
}

void RecordDesk::exportWhole(const QString& path) {
    if (!m_shown.run || m_exporter.isRunning()) return;
    m_exporting = m_shown.run;
    m_exporter.writeRecord(m_exporting, path);
}

// What is shown -----------------------------------------------------------------------------------------

void RecordDesk::show(DeskResults next) {
    m_shown = std::move(next);
    m_results->replace(m_shown.run ? m_shown.run->run.results : m_shown.opened->run.results);
    Q_EMIT shownChanged();
}

void RecordDesk::setAside() {
    if (m_shown.isUnkept()) m_aside.push_back(m_shown);
}

void RecordDesk::open(const QString& path) {
    if (kind_of(toPath(path)) == PathKind::duel) {
        if (isRunning()) return;
        Q_EMIT fetching();
        m_duel.open(path);
        return;
    }
    openBy(tr("Opening the record %1").arg(recordNameAt(path)),
           [path](const TaskControl& control) { return load_record(toPath(path), control); }, {.path = path});
}

void RecordDesk::openKept(const QString& id) {
    if (id.isEmpty()) return;
    openBy(tr("Opening a record of the history"),
           [id, file = m_history.file()](const TaskControl&) { return workbench::openKept(file, id); },
           {.historyFile = m_history.file(), .keptId = id});
}

void RecordDesk::openBy(const QString& what, std::function<Result<Record>(const TaskControl&)> open,
                        DeskResults into) {
    if (isRunning()) return;
    Q_EMIT fetching();
    m_job.start(
        what, [open = std::move(open)](const TaskControl& control) { return shared(open(control)); },
        [this, into = std::move(into)](const Result<OpenedRecordPtr>& opened) {
            if (!opened) {
                Q_EMIT failed(opened.error());
                return;
            }
            setAside();
            DeskResults next = into;
            next.opened = *opened;
            show(next);
            if (!next.path.isEmpty()) Q_EMIT recordFoundAt(next.path);
            Q_EMIT openedRecord();
        });
}

void RecordDesk::restore(std::vector<std::string> results) {
    for (std::string& json : results)
        m_aside.push_back({.restored = std::make_shared<const std::string>(std::move(json))});
    Q_EMIT stateChanged();
    showAside();
}

void RecordDesk::showAside() {
    if (m_aside.empty() || isRunning()) return;
    if (m_aside.back().run || m_aside.back().opened) {
        DeskResults next = std::move(m_aside.back());
        m_aside.pop_back();
        setAside();
        show(std::move(next));
        return;
    }
    // Stays among them until it is read: it may be written to the state file meanwhile.
    struct Read {
        OpenedRecordPtr opened;
        QString keptId;
    };
    m_job.start(
        tr("Opening the results of the ended session"),
        [json = m_aside.back().restored,
         file = m_history.file()](const TaskControl& control) -> Result<Read> {
            IIR2D_TRY(auto opened, shared(openJson(*json, control)));
            const QString id = toText(opened->record_id);
            return Read{opened, workbench::openKept(file, id) ? id : QString()};
        },
        [this, json = m_aside.back().restored, file = m_history.file()](const Result<Read>& read) {
            // Only what no attempt can read is forgotten: not what was cancelled, or had no memory.
            if (read || read.error().kind == ErrorKind::bad_input ||
                read.error().kind == ErrorKind::check_failed)
                std::erase_if(m_aside, [&](const DeskResults& each) { return each.restored == json; });
            if (!read) {
                Q_EMIT stateChanged();
                Q_EMIT failed(read.error());
                return;
            }
            setAside();
            show({.opened = read->opened, .restored = json, .historyFile = file, .keptId = read->keptId});
            Q_EMIT openedRecord();
        });
}

std::vector<DeskResults> RecordDesk::unwritten() const {
    std::vector<DeskResults> all = m_aside;
    if (isOriginalHidden() && m_original.isUnwritten()) all.push_back(m_original);
    if (m_shown.isUnwritten()) all.push_back(m_shown);
    return all;
}

bool RecordDesk::hasUnkept() const {
    return !m_aside.empty() || m_shown.isUnkept() || (isOriginalHidden() && m_original.isUnkept()) ||
           m_duel.hasUnkept();
}

bool RecordDesk::isOriginalHidden() const {
    return m_original.opened && m_original.opened != m_shown.opened;
}

bool RecordDesk::mayAddToHistory() const {
    return !m_shown.path.isEmpty() || (m_shown.restored && m_shown.keptId.isEmpty());
}

void RecordDesk::addToHistory() {
    if (!mayAddToHistory() || isBusy()) return;
    if (m_shown.path.isEmpty()) {
        m_history.addJson(m_shown.restored);
    } else {
        m_history.add(m_shown.path);
    }
}

// Comparing ---------------------------------------------------------------------------------------------

void RecordDesk::compareWith(const QString& path) {
    if (kind_of(toPath(path)) == PathKind::duel) {
        Q_EMIT failed({ErrorKind::bad_argument,
                       tr("%1 is the record of a duel, which has its verdicts already: open it.")
                           .arg(recordNameAt(path))
                           .toStdString()});
        return;
    }
    compareWithBase(
        tr("Comparing with the record %1").arg(recordNameAt(path)),
        [path](const Record&, const TaskControl& control) { return load_record(toPath(path), control); });
}

void RecordDesk::compareWithKept(const QString& id) {
    if (id.isEmpty()) return;
    compareWithBase(tr("Comparing with a record of the history"),
                    [id, file = m_history.file()](const Record&, const TaskControl&) {
                        return workbench::openKept(file, id);
                    });
}

void RecordDesk::compareWithPrevious() {
    if (isBusy()) return;
    compareWithBase(tr("Comparing with the previous record"),
                    [file = m_history.file()](const Record& now, const TaskControl&) -> Result<Record> {
                        IIR2D_TRY(const auto history, History::open_to_read(toPath(file)));
                        IIR2D_TRY(const auto id, history.previous(now));
                        return workbench::openKept(file, toText(id));
                    });
}

void RecordDesk::compareWithBase(const QString& what, BaseOf baseOf) {
    if (isRunning() || m_shown.isEmpty()) return;
    Q_EMIT fetching();
    m_job.start(
        what,
        [baseOf = std::move(baseOf), run = m_shown.run,
         opened = m_shown.opened](const TaskControl& control) -> Result<RecordPair> {
            const OpenedRecordPtr now = opened ? opened : run;
            IIR2D_TRY(const auto base, shared(baseOf(*now, control)));
            return RecordPair{base, now};
        },
        [this](const Result<RecordPair>& pair) {
            if (!pair) {
                Q_EMIT failed(pair.error());
                return;
            }
            const QString path = toText(pair->base->path);
            if (!isKeptPath(path)) Q_EMIT recordFoundAt(path);
            compare(pair->base, pair->now, false);
        });
}

void RecordDesk::compare(OpenedRecordPtr base, OpenedRecordPtr now, bool allowUnlike) {
    if (!base || !now || isRunning()) return;
    m_base = std::move(base);
    m_now = std::move(now);
    m_allowUnlike = allowUnlike;
    CompareSettings settings = m_compareSettings;
    settings.allow_unlike = allowUnlike;
    Q_EMIT comparing();
    m_job.start(
        tr("Comparing with the record %1").arg(recordName(*m_base)),
        [base = m_base, now = m_now, settings](const TaskControl& control) {
            return compareOpened(base, now, settings, control);
        },
        [this, base = m_base, now = m_now, allowUnlike](const Result<ComparedRecordsPtr>& done) {
            if (done) {
                Q_EMIT compared(*done);
            } else if (done.error().kind == ErrorKind::cancelled) {
                Q_EMIT failed(done.error());
            } else {
                Q_EMIT refused(base, now, done.error(),
                               done.error().kind == ErrorKind::check_failed && !allowUnlike);
            }
        });
}

void RecordDesk::setCompareSettings(const CompareSettings& settings) {
    m_compareSettings = settings;
    compare(m_base, m_now, m_allowUnlike);
}

void RecordDesk::swapCompared() {
    compare(m_now, m_base, m_allowUnlike);
}

void RecordDesk::compareAlthoughUnlike() {
    compare(m_base, m_now, true);
}

}  // namespace workbench
