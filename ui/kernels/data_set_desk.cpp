// SPDX-License-Identifier: MIT
#include "ui/kernels/data_set_desk.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "core/compile/target.h"
#include "core/inspect/generate_report.h"
#include "core/inspect/source_kernels.h"
#include "core/inspect/toolchain.h"
#include "core/support/shell.h"
#include "core/support/try.h"
#include "core/synth/adjoint.h"
#include "core/synth/data_set.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
DataSetDesk::DataSetDesk(ShownKernelModel& shown, QObject* parent)
    : QObject(parent),
      m_shown(shown),
      m_compiler(std::make_shared<compile::Compiler>()),
      m_opening(JobPolicy::newest_wins_at_once),
      m_reading(JobPolicy::newest_wins_at_once),
      m_looking(JobPolicy::newest_wins),
      m_finding(JobPolicy::refuse_while_busy),
      m_marking(JobPolicy::newest_wins),
      m_making(JobPolicy::refuse_while_busy) {
    for (Job* job : {&m_opening, &m_making}) {
        connect(job, &Job::progressed, this, [this](double fraction, const QString& what) {
            m_fraction = fraction;
            m_progress = what;
            Q_EMIT workChanged();
        });
        // What runs beside or after it has no progress of its own to show.
        connect(job, &Job::ended, this, [this] {
            m_progress.clear();
            m_fraction = 0;
        });
    }
    for (Job* job : {&m_opening, &m_making, &m_looking}) {
        connect(job, &Job::started, this, &DataSetDesk::workChanged);
        connect(job, &Job::ended, this, &DataSetDesk::workChanged);
    }
}

DataSetDesk::~DataSetDesk() = default;

void DataSetDesk::setShown(bool on) {
    m_isShown = on;
    if (on) showChosen();
}

void DataSetDesk::open(const QString& folder) {
    if (isMaking()) return Q_EMIT failed(tr("A data set is being made: wait for it, or cancel it."));
    m_progress.clear();
    m_fraction = 0;
    m_opening.start(
        tr("Reading %1").arg(QFileInfo(folder).fileName()),
        [path = toPath(QFileInfo(folder).absoluteFilePath())](
            const JobControl& control) -> Result<std::shared_ptr<const inspect::DataSetView>> {
            IIR2D_TRY(inspect::DataSetView view, inspect::view_data_set(path, control));
            return std::make_shared<const inspect::DataSetView>(std::move(view));
        },
        [this](const Result<std::shared_ptr<const inspect::DataSetView>>& view) {
            if (!view) {
                if (view.error().kind == ErrorKind::cancelled)
                    Q_EMIT said(tr("Cancelled: no data set was opened."));
                else
                    Q_EMIT failed(toSentence(view.error().message));
                return;
            }
            m_dataSet = *view;
            m_record.reset();
            m_mismatch.reset();
            abandonLook();
            Q_EMIT dataSetChanged();
            Q_EMIT recordChanged();
            if (!m_dataSet->rows.empty()) chooseRecord(toText(m_dataSet->rows.front().id));
        });
}

void DataSetDesk::make(const DataSetRequest& request) {
    if (isMaking()) return;
    m_opening.abandon();
    m_progress.clear();
    m_fraction = 0;
    m_pace.clear();
    if (!request.resume) m_pace.push_back({});
    Q_EMIT paceChanged();
    const auto note = [this](double seconds, std::uint64_t pairs) {
        m_pace.push_back({.seconds = seconds, .pairs = pairs});
        Q_EMIT paceChanged();
    };
    m_making.start(
        tr("Making %1").arg(QFileInfo(request.folder).fileName()),
        [request, note](const JobControl& control) -> Result<synth::GenerateProgress> {
            IIR2D_TRY(const synth::GenerateOptions options, completeOptions(request, control.stop));
            inspect::GenerateReport report(options.count);
            const auto tell = [&](const synth::GenerateProgress& made) {
                const auto state = report.state(made);
                control.report(state.fraction, state.text);
                control.post([note, seconds = state.seconds, pairs = made.pairs] { note(seconds, pairs); });
            };
            return synth::generate_data_set(options, inspect::toolchains_until(control.stop), tell,
                                            control.stop);
        },
        [this, request](const Result<synth::GenerateProgress>& made) {
            const bool isCancelled = !made && made.error().kind == ErrorKind::cancelled;
            if (!made && !isCancelled) {
                Q_EMIT failed(toSentence(made.error().message));
                return;
            }
            if (isCancelled) {
                Q_EMIT said(tr("Cancelled: whole shards are kept, and Resume goes on behind the last."));
            } else if (const auto bad = made->rejected.find("mismatch");
                       bad != made->rejected.end() && !made->was_complete) {
                Q_EMIT failed(tr("%n kernel(s) gave something else than what is expected, and were rejected.",
                                 nullptr, int(bad->second)));
            } else {
                Q_EMIT said(tr("Made %1, %2, %3.")
                                .arg(tr("%n kernel(s)", nullptr, int(made->kernels)),
                                     tr("%n pair(s)", nullptr, int(made->pairs)),
                                     tr("%n skeleton(s)", nullptr, int(made->skeletons))));
            }
            if (isCancelled && !QFileInfo::exists(request.folder + QStringLiteral("/run.json"))) return;
            open(request.folder);
        });
}

void DataSetDesk::cancel() {
    if (isMaking())
        m_making.cancel();
    else if (isOpening())
        m_opening.cancel();
    else
        m_looking.cancel();
}

void DataSetDesk::chooseRecord(const QString& id) {
    abandonLook();
    if (!m_dataSet) return;
    m_reading.start(
        tr("Reading %1").arg(id),
        [folder = m_dataSet->folder, id = id.toStdString()](const JobControl& control) {
            return inspect::view_record(folder, id, control.stop);
        },
        [this](Result<inspect::RecordView> record) {
            if (!record) {
                if (record.error().kind != ErrorKind::cancelled)
                    Q_EMIT failed(toSentence(record.error().message));
                Q_EMIT recordChanged();  // the one before is still shown
                return;
            }
            m_record = *std::move(record);
            if (m_record->backward_source.empty()) m_isBackward = false;
            showRecord();
        });
}

// Shows the record as it is chosen now, also in place of a mismatch.
void DataSetDesk::showRecord() {
    abandonLook();
    m_mismatch.reset();
    const QStringList there = targets();
    if (!there.contains(m_target)) m_target = there.value(0);
    if (!there.contains(m_otherTarget) || m_otherTarget == m_target) m_otherTarget.clear();
    Q_EMIT recordChanged();
    showChosen();
}

void DataSetDesk::abandonLook() {
    if (m_looking.abandon()) Q_EMIT workChanged();
}

QStringList DataSetDesk::targets() const {
    QStringList made;
    if (!m_record) return made;
    for (const inspect::RecordText& one : m_record->texts) {
        if (one.is_backward == m_isBackward) made << toText(one.target);
    }
    return made;
}

void DataSetDesk::setTarget(const QString& target) {
    if (target == m_target && !m_mismatch) return;
    m_target = target;
    showRecord();
}

void DataSetDesk::setBackward(bool on) {
    if (on == m_isBackward || (on && (!m_record || m_record->backward_source.empty()))) return;
    m_isBackward = on;
    showRecord();
}

void DataSetDesk::setOtherTarget(const QString& target) {
    if (target == m_otherTarget && !m_mismatch) return;
    m_otherTarget = target;
    showRecord();
}

const inspect::RecordText* DataSetDesk::text(const QString& target) const {
    if (!m_record || target.isEmpty()) return nullptr;
    const auto found = std::ranges::find_if(m_record->texts, [&](const inspect::RecordText& one) {
        return toText(one.target) == target && one.is_backward == m_isBackward;
    });
    return found == m_record->texts.end() ? nullptr : &*found;
}

void DataSetDesk::showChosen() {
    if (!m_isShown) return;
    if (m_mismatch) return showMismatch();
    if (!m_record) return;
    m_marking.abandon();
    auto made = std::make_shared<ShownKernel>();
    made->kernel = m_record->kernel + (m_isBackward ? "_backward" : "");
    made->title = toText(made->kernel);
    made->origin =
        tr("%1, %2, %3").arg(toText(m_record->row.category), toText(m_record->row.complexity), m_target);
    const bool isHost = !compile::takes_cuda(m_target.toStdString());
    const std::string& forward = isHost ? m_record->host_source : m_record->source;
    made->source = !m_isBackward ? forward
                   : isHost      ? m_record->backward_host_source
                                 : m_record->backward_source;
    made->targetName = m_target;
    made->isBackward = m_isBackward;
    made->levels = m_record->levels;
    if (!m_record->no_backward.empty())
        made->levelsNote =
            tr("No backward kernel: %1").arg(toText(synth::explained_reason(m_record->no_backward)));
    if (const inspect::RecordText* chosen = text(m_target)) {
        made->text = chosen->text;
        made->isPtx = compile::makes_ptx(chosen->target);
        made->hasLanguageRuns = made->isPtx;
        made->languageSource = m_record->source;
    }
    if (const inspect::RecordText* other = text(m_otherTarget)) {
        made->otherText = other->text;
        made->otherTarget = m_otherTarget;
        made->isPtx = false;
        made->hasLanguageRuns = false;
        made->origin = tr("%1, %2, %3 to %4")
                           .arg(toText(m_record->row.category), toText(m_record->row.complexity), m_target,
                                m_otherTarget);
    } else {
        markLines(made, m_target.toStdString());
    }
    m_shown.show(std::move(made));
}

// A record has no lines: its source is compiled once more, with line information.
void DataSetDesk::markLines(const ShownKernelPtr& kernel, const std::string& target) {
    if (kernel->text.empty() || !compile::takes_cuda(target) || target.starts_with("cubin")) return;
    m_marking.start(
        tr("Compiling %1").arg(kernel->title),
        [compiler = m_compiler, kernel, target](const JobControl& control) -> Result<inspect::SourceKernel> {
            IIR2D_TRY(const auto made,
                      inspect::compile_source(*compiler,
                                              {.text = kernel->source, .file = "kernel.cu", .target = target},
                                              control.stop));
            for (const inspect::SourceKernel& one : made.kernels) {
                if (one.symbol == kernel->kernel) return one;
            }
            return fail(ErrorKind::bad_input, "its source has no such kernel");
        },
        [this, kernel](const Result<inspect::SourceKernel>& made) {
            if (!made && made.error().kind == ErrorKind::cancelled) return;
            const QString why = !made ? toText(made.error().message)
                                : made->text != kernel->text
                                    ? tr("the compiler here makes another text than the stored one.")
                                : !made->has_lines ? tr("with line information the text is another one.")
                                                   : QString();
            const auto lines = why.isEmpty() ? made->lines : std::vector<std::pair<int, int>>();
            m_shown.amend(*kernel, [why, lines](ShownKernel& shown) {
                shown.lines = lines;
                if (!why.isEmpty() && shown.note.isEmpty())
                    shown.note = tr("Lines are not marked: %1").arg(why);
            });
        });
}

void DataSetDesk::lookInto(std::uint64_t index) {
    if (!m_dataSet) return;
    m_reading.abandon();
    m_looking.start(
        tr("Running candidate %1 again").arg(index),
        [folder = m_dataSet->folder,
         index](const JobControl& control) -> Result<std::shared_ptr<const inspect::Mismatch>> {
            IIR2D_TRY(const auto toolchain, inspect::make_toolchain({control.stop}));
            IIR2D_TRY(inspect::Mismatch made,
                      inspect::look_into_mismatch(folder, index, *toolchain, control.stop));
            return std::make_shared<const inspect::Mismatch>(std::move(made));
        },
        [this](Result<std::shared_ptr<const inspect::Mismatch>> made) {
            if (!made) {
                if (made.error().kind != ErrorKind::cancelled)
                    Q_EMIT failed(toSentence(made.error().message));
            } else {
                m_mismatch = *std::move(made);
                showChosen();
            }
            Q_EMIT recordChanged();
        });
}

void DataSetDesk::showMismatch() {
    m_marking.abandon();
    auto made = std::make_shared<ShownKernel>();
    made->kernel = m_mismatch->kernel;
    made->title = toText(made->kernel);
    made->origin = tr("%1, rejected, %2").arg(toText(m_mismatch->category), toText(m_mismatch->target));
    made->source = m_mismatch->source;
    made->text = m_mismatch->text;
    made->targetName = toText(m_mismatch->target);
    made->isPtx = compile::makes_ptx(m_mismatch->target);
    made->mismatch = m_mismatch;
    m_shown.show(std::move(made));
}

void DataSetDesk::findTargets() {
    // The compiler process may have been built since.
    if (std::ranges::any_of(m_knownTargets, &compile::TargetState::is_available)) return;
    m_finding.start(
        tr("Looking for compilers"),
        [](const JobControl& control) {
            compile::Compiler compiler;
            return compiler.targets(control.stop);
        },
        [this](Result<std::vector<compile::TargetState>> found) {
            if (!found) {
                Q_EMIT failed(toSentence(found.error().message));
                return;
            }
            m_knownTargets = *std::move(found);
            Q_EMIT targetsFound();
        });
}

QString DataSetDesk::commandLine() const {
    if (!m_dataSet || !m_record) return {};
    const std::string of =
        shell_quoted(m_dataSet->folder.string()) + " --id " + shell_quoted(m_record->row.id);
    // `synth diff` compares forward texts alone.
    if (!m_otherTarget.isEmpty() && m_isBackward) return {};
    if (!m_otherTarget.isEmpty())
        return toText("iir2d synth diff " + of + " --between " +
                      shell_quoted((m_target + QLatin1Char(',') + m_otherTarget).toStdString()));
    return toText("iir2d synth show " + of + " --target " + shell_quoted(m_target.toStdString()) +
                  (m_isBackward ? " --backward" : ""));
}

}  // namespace workbench
