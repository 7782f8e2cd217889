// SPDX-License-Identifier: MIT
#include "ui/benchmark/benchmark_page.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/benchmark/benchmark_runner.h"
#include "ui/benchmark/charts_area.h"
#include "ui/benchmark/figures.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/results_table.h"
#include "ui/benchmark/run_panel.h"
#include "ui/operations/form_parts.h"
#include "ui/session/session.h"
#include "ui/session/text.h"
#include "ui/window/icons.h"
#include "ui/window/message_bar.h"
#include "ui/window/theme.h"

namespace workbench {
namespace {

constexpr int formWidth = 320;

// The page's icon, large and faint, in the theme's own colour at the time of painting.
class Glyph : public QWidget {
  public:
    Glyph(const QString& name, int side, QWidget* parent) : QWidget(parent), m_icon(themedIcon(name)) {
        setFixedSize(side, side);
    }

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setOpacity(0.45);
        m_icon.paint(&painter, rect());
    }

  private:
    QIcon m_icon;
};

}  // namespace

BenchmarkPage::BenchmarkPage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new ResultsModel(this)),
      m_runner(new BenchmarkRunner(this)),
      m_exporter(new ResultExporter(this)) {
    setObjectName(QStringLiteral("benchmarkPage"));
    setAccessibleName(tr("Benchmark"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    layout->addWidget(m_splitter);
    m_splitter->addWidget(makeFormColumn());

    auto* right = new QWidget(m_splitter);
    auto* rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 0, 0, 0);
    rightLayout->setSpacing(0);
    m_messages = new MessageArea(right);
    m_stack = new QStackedWidget(right);
    m_stack->addWidget(makeEmptyPage());
    m_stack->addWidget(makeResultsPage());
    rightLayout->addWidget(m_messages);
    rightLayout->addWidget(m_stack, 1);
    m_splitter->addWidget(right);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({formWidth, 960});

    makeActions();
    connectRunner();
    connectExporter();
    connect(m_form, &MatrixForm::changed, this, &BenchmarkPage::showForm);
    connect(m_run, &RunPanel::runRequested, this, &BenchmarkPage::run);
    connect(m_run, &RunPanel::cancelRequested, this, &BenchmarkPage::cancel);
    const auto choose = [this](int index) {
        m_userChose = true;
        chooseCase(index);
    };
    connect(m_table, &ResultsTable::caseChosen, this, choose);
    connect(m_charts, &ChartsArea::caseChosen, this, choose);
    showForm();
    showState();
}

BenchmarkPage::~BenchmarkPage() {
    // Joined here, while everything that they tell is still there.
    delete m_runner;
    delete m_exporter;
}

QWidget* BenchmarkPage::makeFormColumn() {
    auto* column = new QWidget(m_splitter);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* scroll = new QScrollArea(column);
    scroll->setObjectName(QStringLiteral("formScroll"));
    scroll->setAccessibleName(tr("What to measure"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_form = new MatrixForm(m_session, scroll);
    scroll->setWidget(m_form);
    m_run = new RunPanel(column);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_run);
    // Wide enough for the form beside its scroll bar: nothing scrolls sideways.
    const int needed = m_form->minimumSizeHint().width() + style()->pixelMetric(QStyle::PM_ScrollBarExtent);
    column->setMinimumWidth(needed);
    column->setMaximumWidth(std::max(needed, 440));
    return column;
}

QWidget* BenchmarkPage::makeEmptyPage() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(normalSpacing);
    layout->addStretch(2);
    layout->addWidget(new Glyph(QStringLiteral("benchmark"), 72, page), 0, Qt::AlignHCenter);
    m_emptyTitle = new QLabel(page);
    QFont large = m_emptyTitle->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    m_emptyTitle->setFont(large);
    layout->addWidget(m_emptyTitle, 0, Qt::AlignHCenter);
    m_emptyText = new ToneLabel(ToneLabel::Tone::muted, page);
    m_emptyText->setAlignment(Qt::AlignHCenter);
    m_emptyText->setMaximumWidth(480);
    auto* middle = new QHBoxLayout;  // an alignment would give the label the height of another width
    middle->addStretch(1);
    middle->addWidget(m_emptyText, 100);
    middle->addStretch(1);
    layout->addLayout(middle);
    layout->addStretch(3);
    return page;
}

QWidget* BenchmarkPage::makeResultsPage() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* header = new QHBoxLayout;
    header->setContentsMargins(normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing);
    header->setSpacing(normalSpacing);
    m_state = new ToneLabel(ToneLabel::Tone::normal, page);
    m_state->setObjectName(QStringLiteral("runState"));
    header->addWidget(m_state, 1);
    m_export = new QToolButton(page);
    m_export->setObjectName(QStringLiteral("exportButton"));
    m_export->setText(tr("E&xport"));
    m_export->setIcon(themedIcon(QStringLiteral("export")));
    m_export->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_export->setPopupMode(QToolButton::InstantPopup);
    m_export->setAccessibleName(tr("Export the results"));
    m_export->setToolTip(tr("Write the record, its CSV, JSON or Markdown, or a chart"));
    m_export->setFocusPolicy(Qt::StrongFocus);
    header->addWidget(m_export, 0, Qt::AlignTop);
    layout->addLayout(header);

    m_resultsSplitter = new QSplitter(Qt::Vertical, page);
    m_resultsSplitter->setChildrenCollapsible(false);
    m_charts = new ChartsArea(m_resultsSplitter);
    m_charts->setMinimumHeight(180);
    m_table = new ResultsTable(*m_model, m_resultsSplitter);
    m_table->setMinimumHeight(90);
    m_resultsSplitter->addWidget(m_charts);
    m_resultsSplitter->addWidget(m_table);
    m_resultsSplitter->setStretchFactor(0, 3);
    m_resultsSplitter->setStretchFactor(1, 2);
    m_resultsSplitter->setSizes({460, 240});
    layout->addWidget(m_resultsSplitter, 1);
    m_export->setMenu(makeExportMenu());
    return page;
}

// The window has Ctrl+R; these are the page's own, and only while it has the focus.
void BenchmarkPage::makeActions() {
    auto* run = new QAction(tr("Run benchmark"), this);
    run->setShortcut(QKeySequence(Qt::Key_F5));
    auto* stop = new QAction(tr("Cancel the benchmark"), this);
    stop->setShortcut(QKeySequence(Qt::Key_Escape));
    for (QAction* action : {run, stop}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
    connect(run, &QAction::triggered, this, &BenchmarkPage::run);
    connect(stop, &QAction::triggered, this, &BenchmarkPage::cancel);
    stop->setEnabled(false);
    connect(this, &BenchmarkPage::runningChanged, stop, &QAction::setEnabled);
}

void BenchmarkPage::connectRunner() {
    connect(m_runner, &BenchmarkRunner::progressed, this, [this](double fraction, const QString& what) {
        m_run->setProgress(fraction, what, m_freshRun ? 0 : m_model->rowCount());
    });
    connect(m_runner, &BenchmarkRunner::caseFinished, this,
            [this](const std::shared_ptr<const CaseResult>& result) { addResult(*result); });
    connect(m_runner, &BenchmarkRunner::finished, this, [this](const RecordPtr& record) {
        m_record = record;
        finish();
        const BenchmarkRun& run = record->run;
        Q_EMIT message(run.cancelled ? tr("Benchmark cancelled: %1 of %2 cases are kept")
                                           .arg(run.results.size())
                                           .arg(run.case_total)
                                     : tr("Benchmark done: %n case(s)", nullptr, int(run.results.size())));
    });
    connect(m_runner, &BenchmarkRunner::cancelledEmpty, this, [this] {
        finish();
        const QString text = tr("Cancelled before the first case was complete: there is nothing to keep.");
        m_messages->show(QStringLiteral("run"), MessageArea::Severity::info, text);
        Q_EMIT message(text);
    });
    connect(m_runner, &BenchmarkRunner::failed, this, [this](const QString& why) {
        finish();
        const QString text = tr("The benchmark could not run: %1").arg(why);
        m_messages->show(QStringLiteral("run"), MessageArea::Severity::error, text);
        Q_EMIT message(text);
    });
}

bool BenchmarkPage::isRunning() const {
    return m_runner->isRunning();
}

bool BenchmarkPage::hasResults() const {
    return m_model->rowCount() > 0;
}

void BenchmarkPage::run() {
    if (isRunning()) return;
    m_form->refresh();  // memory may have become free
    const auto& chosen = m_form->matrix();
    if (!chosen) {
        const QString text = chosen.error().front().text;
        m_messages->show(QStringLiteral("run"), MessageArea::Severity::error, text);
        m_form->focusProblem();
        Q_EMIT message(text);
        return;
    }
    m_messages->clear(QStringLiteral("run"));
    m_messages->clear(QStringLiteral("export"));
    m_freshRun = true;
    m_userChose = false;
    m_run->begin(chosen->cases, chosen->seconds);
    const ImagePtr& image = chosen->matrix.image;
    m_runner->start(chosen->matrix,
                    image ? QString::fromStdU16String(image->info.path.u16string()) : QString());
    m_form->setEnabled(false);
    showState();
    Q_EMIT runningChanged(true);
}

void BenchmarkPage::cancel() {
    if (!isRunning()) return;
    m_runner->cancel();
    m_run->setCancelling();
}

void BenchmarkPage::addResult(const CaseResult& result) {
    if (m_freshRun) {
        // The results of the run before stay until there are new ones.
        m_freshRun = false;
        m_record.reset();
        m_chosen = -1;
        m_model->clear();
    }
    m_model->append(result);
    if (m_chosen < 0 || !m_userChose) m_chosen = 0;
    showState();
    m_charts->showResults(m_model->results(), m_chosen);
    m_table->chooseCase(m_chosen);
}

void BenchmarkPage::finish() {
    m_freshRun = false;
    m_run->end();
    m_form->setEnabled(true);
    m_form->refresh();
    showState();
    Q_EMIT runningChanged(false);
}

void BenchmarkPage::chooseCase(int index) {
    if (index < 0 || index >= m_model->rowCount() || index == m_chosen) return;
    m_chosen = index;
    m_charts->showResults(m_model->results(), m_chosen);
    m_table->chooseCase(m_chosen);
}

void BenchmarkPage::showForm() {
    const auto& chosen = m_form->matrix();
    if (chosen) {
        m_run->setPlan(chosen->cases, chosen->seconds);
    } else {
        m_run->setProblem(chosen.error().front().text);
    }
    showState();
}

void BenchmarkPage::showState() {
    const bool running = isRunning();
    m_stack->setCurrentIndex(hasResults() ? 1 : 0);
    m_export->setEnabled(mayExport());
    m_export->setToolTip(running ? tr("Results can be exported when the run has ended")
                                 : tr("Write the record, its CSV, JSON or Markdown, or a chart"));

    const auto& plan = m_form->matrix();
    if (running) {
        m_emptyTitle->setText(tr("Measuring the first case"));
        m_emptyText->setText(
            tr("It is checked against the double-precision reference before it is timed. Each "
               "case appears here as it is done."));
    } else if (plan) {
        m_emptyTitle->setText(tr("No benchmark yet"));
        m_emptyText->setText(
            tr("%n case(s) will be measured in %1.", nullptr, int(plan->cases))
                .arg(durationText(plan->seconds)) +
            QStringLiteral("\n\n") +
            tr("Each is checked against the double-precision reference, run %1 times to warm up and timed %2 "
               "times, beside a copy of the same plane. Every sample is kept.")
                .arg(plan->matrix.warmup)
                .arg(plan->matrix.iterations));
    } else {
        m_emptyTitle->setText(tr("No benchmark yet"));
        m_emptyText->setText(plan.error().front().text);
    }

    const int done = m_model->rowCount();
    auto tone = ToneLabel::Tone::normal;
    QString text;
    if (running && !m_freshRun) {
        text = tr("Running: %n case(s) done", nullptr, done);
    } else if (running) {
        text = tr("Running; these are the results of the run before");
        tone = ToneLabel::Tone::muted;
    } else if (m_record) {
        const BenchmarkRun& run = m_record->run;
        text = run.cancelled ? tr("Cancelled: %1 of %2 cases").arg(done).arg(run.case_total)
                             : tr("%n case(s)", nullptr, done);
        if (run.cancelled) tone = ToneLabel::Tone::error;
        text += QStringLiteral(" · ") + toText(run.device.name) + QStringLiteral(", ") +
                tr("%n thread(s)", nullptr, run.threads);
    }
    const auto failed =
        std::ranges::count_if(m_model->results(), [](const CaseResult& r) { return r.failure.has_value(); });
    if (failed > 0) {
        text += QStringLiteral(" · ") + tr("%n failed, see the table", nullptr, int(failed));
        tone = ToneLabel::Tone::error;
    }
    const auto throttled = std::ranges::count_if(
        m_model->results(), [](const CaseResult& r) { return !throttled_by(r).empty(); });
    if (throttled > 0)
        text += QStringLiteral(" · ") + tr("%n throttled, see the table", nullptr, int(throttled));
    m_state->setText(text);
    m_state->setAccessibleName(text);
    m_state->setTone(tone);
}

}  // namespace workbench
