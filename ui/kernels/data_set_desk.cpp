// SPDX-License-Identifier: MIT
#include "ui/kernels/data_set_desk.h"

#include <QFileInfo>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "core/compile/target.h"
#include "core/inspect/toolchain.h"
#include "core/support/shell.h"
#include "core/support/try.h"
#include "core/synth/data_set.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

// Tells how far a run is. Of what a resumed run found, nothing was made now.
class MakingReport {
  public:
    MakingReport(std::uint64_t count, const JobControl& control) : m_count(count), m_control(control) {}
    void operator()(const synth::GenerateProgress& made) {
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
        if (!m_before) m_before = Before{made.kernels, made.pairs, seconds};
        std::uint64_t rejected = 0;
        for (const auto& [reason, count] : made.rejected) rejected += count;
        std::string text =
            std::to_string(made.kernels) + " kernels, " + std::to_string(rejected) + " rejected";
        const double since = seconds - m_before->seconds;
        const auto kernels = static_cast<double>(made.kernels - m_before->kernels);
        if (since > 0 && kernels > 0) {
            const double pairs = static_cast<double>(made.pairs - m_before->pairs) / since;
            const double left = static_cast<double>(m_count - made.kernels) * since / kernels;
            text += ", " + std::to_string(std::llround(pairs)) + " pairs/s, " +
                    std::to_string(std::llround(left)) + " s left";
        }
        m_control.report(static_cast<double>(made.kernels) / static_cast<double>(m_count), text);
    }

  private:
    struct Before {
        std::uint64_t kernels = 0;
        std::uint64_t pairs = 0;
        double seconds = 0;
    };
    std::uint64_t m_count;
    const JobControl& m_control;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::optional<Before> m_before;
};

Result<synth::GenerateProgress> makeDataSet(const DataSetWish& wish, const JobControl& control) {
    synth::GenerateOptions options{.folder = toPath(wish.folder),
                                   .count = wish.count,
                                   .seed = wish.seed,
                                   .jobs = std::max(1U, std::thread::hardware_concurrency()),
                                   .resume = wish.resume};
    options.judge.backward = wish.backward;
    IIR2D_TRY(inspect::ChosenTargets chosen, inspect::choose_targets({}, control.stop));
    options.judge.targets = std::move(chosen.targets);
    options.unavailable = std::move(chosen.unavailable);
    MakingReport report(wish.count, control);
    return synth::generate_data_set(options, inspect::make_toolchain, std::ref(report), control.stop);
}

}  // namespace

DataSetDesk::DataSetDesk(ShownKernelModel& shown, QObject* parent)
    : QObject(parent),
      m_shown(shown),
      m_opening(JobPolicy::newest_wins_at_once),
      m_reading(JobPolicy::newest_wins_at_once),
      m_making(JobPolicy::refuse_while_busy) {
    connect(&m_making, &Job::progressed, this, [this](double fraction, const QString& what) {
        m_fraction = fraction;
        m_progress = what;
        Q_EMIT workChanged();
    });
    for (Job* job : {&m_opening, &m_making}) {
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
    m_opening.start(
        tr("Reading %1").arg(QFileInfo(folder).fileName()),
        [path = toPath(QFileInfo(folder).absoluteFilePath())](
            const JobControl& control) -> Result<std::shared_ptr<const inspect::DataSetView>> {
            IIR2D_TRY(inspect::DataSetView view, inspect::view_data_set(path, control));
            return std::make_shared<const inspect::DataSetView>(std::move(view));
        },
        [this](const Result<std::shared_ptr<const inspect::DataSetView>>& view) {
            if (!view) {
                if (view.error().kind != ErrorKind::cancelled)
                    Q_EMIT failed(toSentence(view.error().message));
                return;
            }
            m_dataSet = *view;
            m_record.reset();
            Q_EMIT dataSetChanged();
            Q_EMIT recordChanged();
            if (!m_dataSet->rows.empty()) chooseRecord(toText(m_dataSet->rows.front().id));
        });
}

void DataSetDesk::make(const DataSetWish& wish) {
    m_progress.clear();
    m_fraction = 0;
    m_making.start(
        tr("Making %1").arg(QFileInfo(wish.folder).fileName()),
        [wish](const JobControl& control) { return makeDataSet(wish, control); },
        [this, wish](const Result<synth::GenerateProgress>& made) {
            const bool isCancelled = !made && made.error().kind == ErrorKind::cancelled;
            m_progress.clear();
            if (!made && !isCancelled) {
                Q_EMIT failed(toSentence(made.error().message));
                return;
            }
            if (isCancelled) {
                Q_EMIT said(tr("Cancelled: whole shards are kept, and Resume goes on behind the last."));
            } else if (const auto bad = made->rejected.find("mismatch"); bad != made->rejected.end()) {
                Q_EMIT failed(tr("%n kernel(s) do not give what is expected: they are among the rejected.",
                                 nullptr, int(bad->second)));
            } else {
                Q_EMIT said(tr("Made %1 kernels, %2 pairs, %3 skeletons.")
                                .arg(made->kernels)
                                .arg(made->pairs)
                                .arg(made->skeletons));
            }
            if (isCancelled && !QFileInfo::exists(wish.folder + QStringLiteral("/run.json"))) return;
            open(wish.folder);
        });
}

void DataSetDesk::cancel() {
    m_making.cancel();
}

void DataSetDesk::chooseRecord(const QString& id) {
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
                return;
            }
            m_record = *std::move(record);
            if (m_isBackward && m_record->backward_source.empty()) m_isBackward = false;
            const QStringList there = targets();
            if (!there.contains(m_target)) m_target = there.value(0);
            Q_EMIT recordChanged();
            showChosen();
        });
}

QStringList DataSetDesk::targets() const {
    QStringList made;
    if (!m_record) return made;
    for (const inspect::RecordText& one : m_record->texts) {
        if ((one.direction == "backward") == m_isBackward) made << toText(one.target);
    }
    return made;
}

void DataSetDesk::setTarget(const QString& target) {
    if (target == m_target) return;
    m_target = target;
    Q_EMIT recordChanged();
    showChosen();
}

void DataSetDesk::setBackward(bool on) {
    if (on == m_isBackward || (on && (!m_record || m_record->backward_source.empty()))) return;
    m_isBackward = on;
    Q_EMIT recordChanged();
    showChosen();
}

void DataSetDesk::showChosen() {
    if (!m_isShown || !m_record) return;
    const auto chosen = std::ranges::find_if(m_record->texts, [&](const inspect::RecordText& one) {
        return toText(one.target) == m_target && (one.direction == "backward") == m_isBackward;
    });
    auto made = std::make_shared<ShownKernel>();
    made->kernel = m_record->kernel + (m_isBackward ? "_backward" : "");
    made->title = toText(made->kernel);
    made->origin =
        tr("%1, %2, %3").arg(toText(m_record->row.category), toText(m_record->row.complexity), m_target);
    made->source = m_isBackward ? m_record->backward_source : m_record->source;
    made->sourceName = toText(m_record->row.id);
    made->target = m_target;
    if (chosen != m_record->texts.end()) {
        made->text = chosen->text;
        if (compile::makes_ptx(chosen->target)) {
            if (const auto read = readFacts(*made); !read) made->linesNote = toSentence(read.error().message);
        }
    }
    m_shown.show(std::move(made));
}

QString DataSetDesk::commandLine() const {
    if (!m_dataSet || !m_record) return {};
    return toText("iir2d synth show " + shell_quoted(m_dataSet->folder.string()) + " --id " +
                  shell_quoted(m_record->row.id) + " --target " + shell_quoted(m_target.toStdString()) +
                  (m_isBackward ? " --backward" : ""));
}

QString DataSetDesk::commandLine(const DataSetWish& wish) {
    return toText("iir2d synth generate --out " + shell_quoted(wish.folder.toStdString()) + " --count " +
                  std::to_string(wish.count) + " --seed " + std::to_string(wish.seed) +
                  (wish.backward ? " --backward" : "") + (wish.resume ? " --resume" : ""));
}

}  // namespace workbench
