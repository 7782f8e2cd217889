// SPDX-License-Identifier: MIT
#include "ui/benchmark/record_messages.h"

#include <QFileDialog>

#include "ui/benchmark/record_desk.h"
#include "ui/session/kept_runs.h"
#include "ui/support/text.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

const QString asideSubject = QStringLiteral("aside");  // of its own: nothing else takes the offer away
const QString keptSubject = QStringLiteral("kept");

QString subjectOf(RecordMessages::Of of) {
    return of == RecordMessages::Of::run ? QStringLiteral("run") : QStringLiteral("record");
}

}  // namespace

RecordMessages::RecordMessages(RecordDesk& desk, MessageArea& area, QWidget* page)
    : QObject(page), m_desk(desk), m_area(area), m_page(page) {
    connect(&desk, &RecordDesk::runFinished, this, &RecordMessages::sayHowItRan);
    connect(&desk, &RecordDesk::runKept, this, &RecordMessages::showKept);
    connect(&desk, &RecordDesk::runCancelled, this, [this](bool wasReproduction) {
        say(Of::run, false,
            wasReproduction ? tr("The reproduction was cancelled: what it had measured is not kept.")
                            : tr("Cancelled before the first case was complete: there is nothing to keep."));
    });
    connect(&desk, &RecordDesk::runFailed, this, [this](const QString& why, bool wasReproduction) {
        if (wasReproduction) {
            showReproductionFailure(why);
        } else {
            say(Of::run, true, tr("The benchmark could not run: %1").arg(why));
        }
    });
    connect(&desk, &RecordDesk::fetching, this, [this] { clear(Of::record); });
    connect(&desk, &RecordDesk::failed, this, [this](const Error& error) {
        say(Of::record, error.kind != ErrorKind::cancelled, toSentence(error.message));
    });
    connect(&desk, &RecordDesk::runningChanged, this, &RecordMessages::offerAside);
    connect(&desk, &RecordDesk::shownChanged, this, &RecordMessages::offerAside);
    connect(&desk, &RecordDesk::exported, this, &RecordMessages::offerAside);
    // It may have overtaken what reads them.
    connect(&desk.job(), &Job::idle, this, &RecordMessages::offerAside);
}

void RecordMessages::say(Of of, bool bad, const QString& text) {
    m_area.show(subjectOf(of), bad ? MessageArea::Severity::error : MessageArea::Severity::info, text);
    Q_EMIT said(text);
}

void RecordMessages::clear(Of of) {
    m_area.clear(subjectOf(of));
}

void RecordMessages::sayNothingToCompare(const std::function<void()>& open) {
    const QString text = tr("There is nothing to compare yet: run a benchmark or open a record first.");
    m_area.show(subjectOf(Of::record), MessageArea::Severity::info, text, {{tr("Open a record…"), open}});
    Q_EMIT said(text);
}

void RecordMessages::sayHowItRan() {
    const BenchmarkRun& run = m_desk.run()->run;
    Q_EMIT said(run.cancelled ? tr("Benchmark cancelled: %1 of %n case(s) kept", nullptr, int(run.case_total))
                                    .arg(run.results.size())
                              : tr("Benchmark done: %n case(s)", nullptr, int(run.results.size())));
}

// What the record was measured on may lie elsewhere now.
void RecordMessages::showReproductionFailure(const QString& why) {
    const QString text = tr("The record could not be reproduced: %1").arg(why);
    std::vector<MessageArea::Button> buttons;
    if (m_desk.opened() && m_desk.opened()->run.matrix.image_identity) {
        buttons.push_back({tr("Choose the image…"), [this] {
                               const QString path = QFileDialog::getOpenFileName(
                                   m_page, tr("The image that the record was measured on"));
                               if (!path.isEmpty()) Q_EMIT imageChosen(path);
                           }});
    }
    m_area.show(subjectOf(Of::run), MessageArea::Severity::error, text, buttons);
    Q_EMIT said(text);
}

// What became of the run that just ended.
void RecordMessages::showKept(const KeptRun& kept) {
    if (kept.problem.isEmpty()) {
        m_area.clear(keptSubject);
        return;
    }
    m_area.show(keptSubject, MessageArea::Severity::warning,
                tr("These results are not in the history: %1. Export them to keep them.").arg(kept.problem));
}

void RecordMessages::offerAside() {
    if (m_desk.aside().empty()) m_area.clear(asideSubject);
    if (m_desk.aside().empty() || m_desk.isRunning()) return;
    const QString text = m_desk.aside().back().restored
                             ? tr("There are results of an ended session that no file has.")
                             : tr("The run before was neither exported nor kept in the history.");
    m_area.show(asideSubject, MessageArea::Severity::warning, text,
                {{tr("Show it again"), [this] { m_desk.showAside(); }}});
}

}  // namespace workbench
