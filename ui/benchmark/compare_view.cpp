// SPDX-License-Identifier: MIT
#include "ui/benchmark/compare_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>
#include <array>

#include "ui/benchmark/comparison_model.h"
#include "ui/benchmark/figures_table.h"
#include "ui/benchmark/side_by_side_tabs.h"
#include "ui/benchmark/status_strip.h"
#include "ui/charts/compare_charts.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_page.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int oneRowFrom = 720;  // settings and buttons beside each other

constexpr std::array metrics = {Metric::ratio_to_copy, Metric::latency, Metric::throughput};

QString counted(const RecordComparison& c) {
    QStringList parts;
    for (const Verdict verdict :
         {Verdict::same, Verdict::faster, Verdict::slower, Verdict::ambiguous, Verdict::not_timed}) {
        if (const auto count = c.count(verdict); count > 0) {
            parts.append(QStringLiteral("%1 %2 %3")
                             .arg(verdictSymbol(verdict))
                             .arg(count)
                             .arg(toText(name_of(verdict))));
        }
    }
    const auto missing = c.missing_in_new.size() + c.missing_in_base.size();
    if (missing > 0) parts.append(CompareView::tr("∅ %n missing", nullptr, int(missing)));
    return parts.join(QStringLiteral("   "));
}

QString lines(const std::vector<std::string>& texts) {
    QStringList all;
    for (const std::string& text : texts) all.append(toText(text));
    return all.join(QLatin1Char('\n'));
}

NumberBox* percentBox(double value, double least, double most, const QString& name, QWidget* parent) {
    auto* box = new NumberBox(parent);
    box->setRange(least, most);
    box->setSuffix(CompareView::tr(" %"));
    box->setValue(value);
    box->setAccessibleName(name);
    return box;
}

QToolButton* textButton(const QString& text, const QString& help, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(QString(text).remove(QLatin1Char('&')).remove(QStringLiteral("…")));
    button->setAccessibleDescription(help);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

}  // namespace

CompareView::CompareView(QWidget* parent)
    : QWidget(parent), m_model(new ComparisonModel(this)), m_stack(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("compareView"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_stack->addWidget(makeNothing());
    auto* page = new QWidget(m_stack);
    auto* rows = makeColumn(page, 0);
    rows->addWidget(makeHeader());
    m_reproduction = new StatusStrip(page);
    m_reproduction->setObjectName(QStringLiteral("reproductionStrip"));
    auto* exportNew = new QPushButton(tr("Export the new record…"), m_reproduction);
    exportNew->setAccessibleName(tr("Export the new record"));
    m_reproduction->addButton(exportNew);
    m_unlike = new StatusStrip(page);
    m_unlike->setObjectName(QStringLiteral("unlikeStrip"));
    m_verdict = new StatusStrip(page);
    m_verdict->setObjectName(QStringLiteral("verdictStrip"));
    m_refusal = new StatusStrip(page);
    m_refusal->setObjectName(QStringLiteral("refusalStrip"));
    auto* insist = new QPushButton(tr("Compare anyway"), m_refusal);
    insist->setObjectName(QStringLiteral("insistButton"));
    insist->setAccessibleName(tr("Compare anyway"));
    insist->setToolTip(tr("The page and the report then say that unlike records were compared"));
    m_refusal->addButton(insist);
    m_insist = insist;
    for (StatusStrip* strip : {m_reproduction, m_unlike, m_verdict, m_refusal}) rows->addWidget(strip);
    rows->addWidget(makeBody(), 1);
    rows->addStretch(0);
    m_stack->addWidget(page);

    connect(exportNew, &QPushButton::clicked, this, &CompareView::recordExportWanted);
    connect(insist, &QPushButton::clicked, this, &CompareView::insisted);
    const auto choose = [this](int row) { chooseCase(row); };
    connect(m_table, &FiguresTable::caseChosen, this, choose);
    connect(m_ratio, &ChartView::caseChosen, this, choose);
    connect(m_bars, &ChartView::caseChosen, this, choose);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this,
            [this] { m_evidence->setHtml(evidenceOf(*m_model, m_chosen)); });
}

QWidget* CompareView::makeNothing() {
    auto* page = new EmptyPage({}, this);
    page->setTexts(tr("Nothing is compared yet"),
                   tr("Run a benchmark or open a record, then compare it with a record measured before: each "
                      "case gets a verdict, with the statistics it rests on. A record can also be dropped "
                      "here."));
    auto* button = new QPushButton(tr("Compare with…"), page);
    button->setObjectName(QStringLiteral("compareWithButton"));
    button->setAccessibleName(tr("Compare with a record"));
    connect(button, &QPushButton::clicked, this, &CompareView::recordWanted);
    page->addButtons({button});
    return page;
}

QWidget* CompareView::makeHeader() {
    auto* header = new QWidget(this);
    auto* rows = makeColumn(header, smallSpacing,
                            {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    auto* sides = makeColumn(nullptr, 2);
    m_now = new ElidedLabel(header);
    m_base = new ElidedLabel(header);
    m_base->setTone(ElidedLabel::Tone::muted);
    sides->addWidget(m_now);
    sides->addWidget(m_base);
    auto* buttons = makeRow(nullptr, normalSpacing);
    QToolButton* swap =
        textButton(tr("Swap"), tr("Take the new record as the base, and the other way round"), header);
    QToolButton* other = textButton(tr("Compare with…"), tr("Choose another record as the base"), header);
    m_report = textButton(tr("Report…"), tr("Write the comparison as a Markdown report"), header);
    m_report->setObjectName(QStringLiteral("reportButton"));
    swap->setObjectName(QStringLiteral("swapButton"));
    for (QToolButton* button : {swap, other, m_report}) buttons->addWidget(button);
    connect(swap, &QToolButton::clicked, this, &CompareView::swapWanted);
    connect(other, &QToolButton::clicked, this, &CompareView::recordWanted);
    connect(m_report, &QToolButton::clicked, this, &CompareView::reportWanted);
    buttons->addStretch(1);
    rows->addLayout(sides);
    m_controls = new QBoxLayout(QBoxLayout::LeftToRight);
    m_controls->setSpacing(smallSpacing);
    m_controls->addWidget(makeSettings(), 1);
    m_controls->addLayout(buttons);
    rows->addLayout(m_controls);
    return header;
}

QWidget* CompareView::makeSettings() {
    auto* row = new QWidget(this);
    auto* layout = makeRow(row, smallSpacing);
    m_metric = new QComboBox(row);
    m_metric->setObjectName(QStringLiteral("metricBox"));
    m_metric->setAccessibleName(tr("Metric"));
    for (const Metric metric : metrics) m_metric->addItem(metricText(metric), int(metric));
    m_metric->setToolTip(
        tr("What is compared: the time over the copy's of the same iteration, the time alone, "
           "or the throughput. Above 1 is slower by any of them."));
    m_metric->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_metric->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    guardWheel(m_metric);
    auto* metricLabel = new QLabel(tr("Metric"), row);
    metricLabel->setBuddy(m_metric);
    m_margin = percentBox(5, 0.1, 99, tr("Margin"), row);
    m_margin->setObjectName(QStringLiteral("marginBox"));
    m_margin->setToolTip(tr("Relative differences up to this count as no difference"));
    auto* marginLabel = new QLabel(tr("Mar&gin"), row);
    marginLabel->setBuddy(m_margin);
    m_limited = new QCheckBox(tr("&Limit"), row);
    m_limited->setObjectName(QStringLiteral("limitSwitch"));
    m_limited->setAccessibleName(tr("Limit the largest regression"));
    m_limited->setToolTip(
        tr("The largest regression that passes. Without one every SLOWER case fails; with one, an AMBIGUOUS "
           "case that is not shown to be within it fails too."));
    m_limit = percentBox(25, 0, 10000, tr("Largest regression"), row);
    m_limit->setObjectName(QStringLiteral("limitBox"));
    m_limit->setMaximumWidth(m_margin->sizeHint().width() +
                             fontMetrics().horizontalAdvance(QLatin1Char('0')));
    m_limit->setToolTip(m_limited->toolTip());
    m_limit->setEnabled(false);
    for (QWidget* widget : {static_cast<QWidget*>(metricLabel), static_cast<QWidget*>(m_metric),
                            static_cast<QWidget*>(marginLabel), static_cast<QWidget*>(m_margin),
                            static_cast<QWidget*>(m_limited), static_cast<QWidget*>(m_limit)}) {
        layout->addWidget(widget);
    }
    layout->addStretch(1);
    connect(m_limited, &QCheckBox::toggled, m_limit, &QWidget::setEnabled);
    connect(m_metric, &QComboBox::currentIndexChanged, this, &CompareView::settingsChanged);
    connect(m_limited, &QCheckBox::toggled, this, &CompareView::settingsChanged);
    connect(m_limit, &QDoubleSpinBox::valueChanged, this, &CompareView::settingsChanged);
    connect(m_margin, &QDoubleSpinBox::valueChanged, this, &CompareView::settingsChanged);
    return row;
}

QWidget* CompareView::makeBody() {
    m_splitter = new QSplitter(Qt::Vertical, this);
    m_splitter->setChildrenCollapsible(false);
    m_tabs = new SideBySideTabs(tr("Charts of all cases"), tr("Of the chosen case"), m_splitter);
    m_tabs->setMinimumHeight(150);
    m_ratio = new CompareRatioChart(m_tabs);
    m_bars = new CompareBarsChart(m_tabs);
    m_distribution = new CompareDistributionChart(m_tabs);
    m_evidence = new QTextBrowser(m_tabs);
    m_evidence->setObjectName(QStringLiteral("evidence"));
    m_evidence->setAccessibleName(tr("What the verdict rests on"));
    m_evidence->setFrameShape(QFrame::NoFrame);
    m_evidence->setOpenLinks(false);
    m_evidence->setTabChangesFocus(true);
    m_tabs->addPage(inScrollArea(m_ratio, m_tabs), m_ratio->name(),
                    tr("Cost ratio of every case, with its interval"), false);
    m_tabs->addPage(inScrollArea(m_bars, m_tabs), m_bars->name(), tr("Medians of every case in both records"),
                    false);
    m_tabs->addPage(m_evidence, tr("Evidence"), tr("The statistics behind the chosen case's verdict"), true);
    m_tabs->addPage(m_distribution, m_distribution->name(), tr("Samples of the chosen case in both records"),
                    true);
    m_table = new FiguresTable(*m_model, m_splitter);
    m_table->setObjectName(QStringLiteral("comparisonTable"));
    m_table->setAccessibleName(tr("Comparison"));
    m_table->setAccessibleDescription(
        tr("One row a case. Choosing a row shows what its verdict rests on; Ctrl+C copies rows."));
    m_table->setMinimumHeight(90);
    m_splitter->addWidget(m_tabs);
    m_splitter->addWidget(m_table);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setSizes({360, 220});
    return m_splitter;
}

void CompareView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_controls->setDirection(event->size().width() >= oneRowFrom ? QBoxLayout::LeftToRight
                                                                 : QBoxLayout::TopToBottom);
}

CompareSettings CompareView::settings() const {
    CompareSettings s;
    s.metric = Metric(m_metric->currentData().toInt());
    s.margin = m_margin->value() / 100;
    if (m_limited->isChecked()) s.max_regression = m_limit->value() / 100;
    return s;
}

const ComparedRecordsPtr& CompareView::compared() const {
    return m_model->compared();
}

QList<ChartView*> CompareView::charts() const {
    return {m_ratio, m_bars, m_distribution};
}

QString CompareView::evidence() const {
    return m_evidence->toPlainText();
}

void CompareView::clear() {
    m_model->show({});
    m_stack->setCurrentIndex(0);
}

void CompareView::showSides(const Record& base, const Record& now) {
    m_now->setFullText(tr("New: %1").arg(recordText(now)), toText(now.path));
    m_base->setFullText(tr("Base: %1").arg(recordText(base)), toText(base.path));
    m_stack->setCurrentIndex(1);
}

void CompareView::showRefusal(const Record& base, const Record& now, const QString& why, bool mayInsist) {
    m_model->show({});
    showSides(base, now);
    m_chosen = -1;
    m_refusal->setStatement(StatusStrip::Tone::warning, tr("Not compared"), why);
    m_insist->setVisible(mayInsist);
    m_reproduction->hide();
    m_unlike->hide();
    m_verdict->hide();
    m_splitter->hide();
    m_report->setEnabled(false);
}

void CompareView::showComparison(const ComparedRecordsPtr& compared) {
    const QString before = m_model->keyAt(m_chosen);
    if (!m_keepReproduction) m_reproduction->hide();
    m_model->show(compared);
    showSides(*compared->base, *compared->now);
    m_refusal->hide();
    m_splitter->show();
    m_report->setEnabled(true);
    showVerdict();
    m_chosen = -1;
    int next = 0;  // the same case again, after another metric was chosen
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (m_model->keyAt(row) == before) next = row;
    }
    chooseCase(next);
}

void CompareView::showReproduction(const Reproduction& r, const ComparedRecordsPtr& compared) {
    {
        // The comparison is by the settings that the reproduction was begun with.
        m_keepReproduction = true;
        showComparison(compared);
        m_keepReproduction = false;
    }
    const std::size_t cases = r.comparison.base->run.results.size();
    const std::size_t wrong = std::min(cases, r.changed_outputs.size() + r.not_reproduced.size());
    const QString text =
        tr("Outputs: %1 of %n case(s) the same bit for bit. Timings: %2. %3", nullptr, int(cases))
            .arg(cases - wrong)
            .arg(counted(r.comparison))
            .arg(r.differences.empty()
                     ? tr("Build and machine are the record's.")
                     : tr("Build or machine differ in %n thing(s).", nullptr, int(r.differences.size())));
    QStringList details;
    for (const std::string& key : r.changed_outputs)
        details.append(tr("changed output: %1").arg(toText(key)));
    for (const std::string& key : r.not_reproduced) details.append(tr("not reproduced: %1").arg(toText(key)));
    for (const std::string& text_of : r.differences) details.append(toText(text_of));
    const QString name = toText(short_id(r.original_id));
    // Where nothing but a verdict on the timings is wanting, it is no refutation.
    const bool onlyDoubt = wrong == 0 && r.comparison.count(Verdict::slower) == 0;
    const bool sure = r.reproduced() && r.comparison.count(Verdict::ambiguous) == 0;
    m_reproduction->setStatement(
        sure        ? StatusStrip::Tone::good
        : onlyDoubt ? StatusStrip::Tone::warning
                    : StatusStrip::Tone::bad,
        r.reproduced() ? tr("REPRODUCED record %1").arg(name) : tr("NOT REPRODUCED record %1").arg(name),
        text, details.join(QLatin1Char('\n')));
}

void CompareView::showVerdict() {
    const RecordComparison& c = compared()->comparison;
    const auto wrong = shortcomings(c);
    const bool doubtful = wrong.empty() && c.count(Verdict::ambiguous) > 0;
    QString details =
        doubtful
            ? tr("AMBIGUOUS is neither sameness nor a difference: nothing speaks against the new record, "
                 "and not all of it was shown to be as fast. With a limit, a case passes only where it is "
                 "shown to be within it.")
            : lines(wrong);
    if (const std::string command = duel_command(c); !command.empty())
        details +=
            tr("\nMeasured in pairs, the ambiguous cases have an answer: Duel with… on this page, or %1")
                .arg(toText(command));
    m_verdict->setStatement(
        !wrong.empty() ? StatusStrip::Tone::bad
        : doubtful     ? StatusStrip::Tone::warning
                       : StatusStrip::Tone::good,
        (!wrong.empty() ? tr("Not passed")
         : doubtful     ? (c.settings.max_regression ? tr("Passed, within the limit") : tr("Undecided"))
                        : tr("Passed")) +
            QStringLiteral("   ") + counted(c),
        {}, details);
    if (c.unlike.empty()) {
        m_unlike->hide();
        return;
    }
    m_unlike->setStatement(
        StatusStrip::Tone::warning,
        m_keepReproduction ? tr("Unlike the record in what must be alike")
                           : tr("Unlike records, compared because that was asked for"),
        toSentence(c.unlike.front()) +
            (c.unlike.size() > 1 ? tr(" (and %1 more)").arg(c.unlike.size() - 1) : QString()) +
            tr(". The ratios are not a change of the program alone."),
        lines({c.unlike.begin() + 1, c.unlike.end()}));
}

void CompareView::chooseCase(int row) {
    if (row < 0 || row >= m_model->rowCount() || row == m_chosen) return;
    m_chosen = row;
    m_table->chooseCase(row);
    m_evidence->setHtml(evidenceOf(*m_model, row));
    showCharts();
}

void CompareView::showFigures() {
    m_tabs->setCurrentPage(m_tabs->pageOf(m_bars));
    m_tabs->setCurrentPage(m_distribution);
}

void CompareView::showCharts() {
    const int chosen = m_model->caseAt(m_chosen) ? m_chosen : -1;
    m_ratio->showComparison(*compared(), chosen);
    m_bars->showComparison(*compared(), chosen);
    m_distribution->showComparison(*compared(), chosen);
}

}  // namespace workbench
