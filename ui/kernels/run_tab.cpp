// SPDX-License-Identifier: MIT
#include "ui/kernels/run_tab.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int widthOfValues = 160;  // at least; the last column takes what is left

// Labels stand above their fields where there is no room beside them.
QFormLayout* makeFields() {
    auto* fields = new QFormLayout;
    fields->setSpacing(smallSpacing);
    fields->setRowWrapPolicy(QFormLayout::WrapLongRows);
    fields->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    return fields;
}

QString shapeText(const std::array<std::uint32_t, 3>& shape) {
    return QStringLiteral("%1, %2, %3").arg(shape[0]).arg(shape[1]).arg(shape[2]);
}

// The line that a finding came of: by the text itself, or by the lines that are known beside it; 0: not
// known.
std::uint32_t sourceLine(const ShownKernel& kernel, const ptx::Finding& finding) {
    if (finding.source_line != 0) return finding.source_line;
    const auto known = std::ranges::find(kernel.lines, int(finding.line), &std::pair<int, int>::first);
    return known == kernel.lines.end() ? 0 : std::uint32_t(known->second);
}

void addCounts(QList<TextTableModel::Row>& rows, const ptx::Counts& counts) {
    const auto add = [&](const QString& name, std::uint64_t value) {
        rows.append({.cells = {name, countCell(value)}, .share = -1, .toolTip = {}});
    };
    add(RunTab::tr("Instructions of warps"), counts.warp_instructions);
    add(RunTab::tr("Instructions of lanes"), counts.lane_instructions);
    for (std::size_t k = 0; k < counts.by_kind.size(); ++k) {
        if (counts.by_kind[k] == 0) continue;
        add(RunTab::tr("… %1").arg(toText(ptx::name_of(static_cast<ptx::Kind>(k)))), counts.by_kind[k]);
    }
    add(RunTab::tr("Global loads: requests"), counts.global_loads.requests);
    add(RunTab::tr("… sectors of 32 bytes"), counts.global_loads.sectors);
    add(RunTab::tr("… distinct in the launch"), counts.global_loads.distinct);
    add(RunTab::tr("Global stores: requests"), counts.global_stores.requests);
    add(RunTab::tr("… sectors of 32 bytes"), counts.global_stores.sectors);
    add(RunTab::tr("… distinct in the launch"), counts.global_stores.distinct);
    add(RunTab::tr("Shared: requests"), counts.shared_requests);
    add(RunTab::tr("… wavefronts"), counts.shared_wavefronts);
    add(RunTab::tr("Barriers"), counts.barriers);
    add(RunTab::tr("Warp syncs"), counts.warp_syncs);
    add(RunTab::tr("Divergent branches"), counts.divergent_branches);
    add(RunTab::tr("Atomics"), counts.atomics);
}

}  // namespace

RunTab::RunTab(ShownKernelModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    splitter->addWidget(makeForm());
    splitter->addWidget(makeResults());
    splitter->setSizes({320, 480});
    makeColumn(this, 0)->addWidget(splitter);
    connect(&m_model, &ShownKernelModel::kernelChanged, this, &RunTab::showKernel);
    connect(&m_model, &ShownKernelModel::detailsChanged, this, &RunTab::showRuns);
    connect(&m_model, &ShownKernelModel::runChanged, this, &RunTab::showRun);
    showKernel();
    showRun();
}

QWidget* RunTab::makeForm() {
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setObjectName(QStringLiteral("runForm"));
    auto* form = new QWidget(scroll);
    auto* column =
        makeColumn(form, normalSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    QFormLayout* fields = makeFields();
    const auto add = [&](const QString& text, QWidget* field, const QString& tip) {
        fields->addRow(text, field);
        fields->labelForField(field)->setToolTip(tip);
        field->setToolTip(tip);
        field->setAccessibleName(text);
    };
    m_inputs = new QComboBox(form);
    m_inputs->setObjectName(QStringLiteral("runInputs"));
    m_inputs->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_inputs->setMinimumContentsLength(10);
    guardWheel(m_inputs);
    m_grid = new QLineEdit(form);
    m_block = new QLineEdit(form);
    m_shared = new CountBox(0, form);
    m_shared->setMaximum(228 << 10);
    m_seed = new CountBox(0, form);
    for (CountBox* box : {m_shared, m_seed}) guardWheel(box);
    add(tr("Inputs"), m_inputs,
        tr("What is put below: a proposal that any kernel takes, or what a kernel of the language is "
           "verified "
           "with"));
    add(tr("Blocks"), m_grid, tr("X, X,Y or X,Y,Z"));
    add(tr("Threads a block"), m_block, tr("X, X,Y or X,Y,Z"));
    add(tr("Dynamic shared bytes"), m_shared, tr("Static shared memory comes on top"));
    add(tr("Order"), m_seed,
        tr("Order of blocks, warps and diverged lanes: 0 for rising order, else a random order of this "
           "seed"));
    m_all = new QCheckBox(tr("Races and unwritten reads"), form);
    m_all->setAccessibleName(m_all->text());
    m_all->setChecked(true);
    m_all->setToolTip(tr(
        "Off: only bounds, barriers and the rest are checked, which is faster. iir2d ptx run always checks "
        "everything."));
    fields->addRow(m_all);
    column->addLayout(fields);
    auto* arguments = new ToneLabel(ToneLabel::Tone::muted, form);
    arguments->setText(
        tr("Arguments, as iir2d ptx run takes them: f32:1.5, i32:-3, bytes:00ff, in:f32:1,2, "
           "inout:f32:1,2, in:f32:@FILE, out:f32:64"));
    column->addWidget(arguments);
    m_arguments = makeFields();
    column->addLayout(m_arguments);
    auto* buttons = makeRow(nullptr, smallSpacing);
    m_run = new QPushButton(themedIcon(QStringLiteral("play")), tr(" Run"), form);
    m_run->setObjectName(QStringLiteral("runKernel"));
    m_run->setAccessibleName(tr("Run the kernel"));
    m_cancel = new QPushButton(tr("Cancel"), form);
    m_cancel->setAccessibleName(tr("Cancel the run"));
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy the run as command line"), form);
    buttons->addWidget(m_run);
    buttons->addWidget(m_cancel);
    buttons->addWidget(copy);
    buttons->addStretch(1);
    column->addLayout(buttons);
    column->addStretch(1);
    scroll->setWidget(form);
    connect(m_run, &QPushButton::clicked, this, &RunTab::run);
    connect(m_inputs, &QComboBox::activated, this, [this](int index) {
        const ShownKernelPtr& kernel = m_model.kernel();
        if (!kernel || !kernel->facts) return;
        const auto set = std::size_t(index) - 1;
        setRequest(index > 0 && set < kernel->runs.size() ? kernel->runs[set]
                                                          : inspect::proposed_run(kernel->facts->entry));
    });
    connect(m_cancel, &QPushButton::clicked, &m_model, &ShownKernelModel::cancelRun);
    connect(copy, &QToolButton::clicked, this, [this] {
        if (const QString command = m_model.commandLine(request()); !command.isEmpty())
            QApplication::clipboard()->setText(command);
    });
    return scroll;
}

QWidget* RunTab::makeResults() {
    auto* page = new QWidget(this);
    auto* column = makeColumn(page, smallSpacing, {normalSpacing, normalSpacing, 0, 0});
    m_said = new ToneLabel(ToneLabel::Tone::muted, page);
    m_said->setObjectName(QStringLiteral("runSaid"));
    m_said->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_findings = new TextTable(tr("Findings of the run"), page);
    m_findings->setObjectName(QStringLiteral("findings"));
    m_results = new TextTable(tr("Outputs and counts of the run"), page);
    m_results->setObjectName(QStringLiteral("runResults"));
    column->addWidget(m_said);
    column->addWidget(m_findings, 1);
    column->addWidget(m_results, 1);
    connect(m_findings, &TextTable::chosen, this, [this](int row) {
        if (!m_model.outcome()) return;
        const auto& findings = m_model.outcome()->outcome.findings;
        if (row < 0 || std::size_t(row) >= findings.size()) return;
        const ptx::Finding& one = findings[std::size_t(row)];
        Q_EMIT findingChosen(int(one.line), int(sourceLine(*m_model.kernel(), one)));
    });
    return page;
}

inspect::RunRequest RunTab::request() const {
    inspect::RunRequest made{.grid = m_grid->text().simplified().remove(QLatin1Char(' ')).toStdString(),
                             .block = m_block->text().simplified().remove(QLatin1Char(' ')).toStdString(),
                             .shared_bytes = std::uint32_t(m_shared->value()),
                             .seed = std::uint64_t(m_seed->value()),
                             .all_checks = m_all->isChecked(),
                             .arguments = {}};
    for (const QLineEdit* field : m_fields) made.arguments.push_back(field->text().trimmed().toStdString());
    return made;
}

void RunTab::setRequest(const inspect::RunRequest& request) {
    m_grid->setText(toText(request.grid));
    m_block->setText(toText(request.block));
    m_shared->setValue(int(request.shared_bytes));
    m_seed->setValue(int(request.seed));
    m_all->setChecked(request.all_checks);
    for (qsizetype k = 0; k < m_fields.size() && std::size_t(k) < request.arguments.size(); ++k) {
        m_fields[k]->setText(toText(request.arguments[std::size_t(k)]));
        m_fields[k]->setCursorPosition(0);
    }
}

void RunTab::run() {
    for (CountBox* box : {m_shared, m_seed}) box->clearFocus();  // takes what was typed
    m_model.run(request());
}

// What a kernel of the language is verified with; found after the kernel is shown, or with it.
void RunTab::showRuns() {
    const QSignalBlocker quiet(m_inputs);
    const int before = m_inputs->currentIndex();
    m_inputs->clear();
    m_inputs->addItem(tr("Proposed"));
    const std::size_t sets = m_model.kernel() ? m_model.kernel()->runs.size() : 0;
    for (std::size_t k = 1; k <= sets; ++k) m_inputs->addItem(tr("Verified with, set %1").arg(k));
    m_inputs->setCurrentIndex(std::clamp(before, 0, int(sets)));
    m_inputs->setEnabled(sets > 0);
}

void RunTab::showKernel() {
    m_inputs->setCurrentIndex(-1);
    showRuns();
    while (m_arguments->rowCount() > 0) m_arguments->removeRow(0);
    m_fields.clear();
    const ShownKernelPtr& kernel = m_model.kernel();
    if (!kernel || !kernel->facts) return;
    int row = 0;
    for (const ptx::ParameterInfo& parameter : kernel->facts->entry.parameters) {
        const QString name =
            tr("%1: %2, %n byte(s)", nullptr, int(parameter.bytes)).arg(row).arg(toText(parameter.type));
        auto* field = new QLineEdit(this);
        field->setAccessibleName(tr("Argument %1").arg(row));
        field->setToolTip(toText(parameter.name));
        field->setMaxLength(1 << 20);
        m_arguments->addRow(name, field);
        m_fields << field;
        ++row;
    }
    const bool isKnown = !kernel->runs.empty();
    setRequest(isKnown ? kernel->runs.front() : inspect::proposed_run(kernel->facts->entry));
    m_inputs->setCurrentIndex(isKnown ? 1 : 0);
}

void RunTab::showRun() {
    const bool isRunning = m_model.isRunning();
    m_run->setEnabled(!isRunning && m_model.kernel() && m_model.kernel()->module);
    m_cancel->setEnabled(isRunning);
    QList<TextTableModel::Row> findings;
    QList<TextTableModel::Row> results;
    const auto& outcome = m_model.outcome();
    if (outcome) {
        for (const ptx::Finding& one : outcome->outcome.findings) {
            const std::uint32_t source = sourceLine(*m_model.kernel(), one);
            findings.append({.cells = {toText(ptx::name_of(one.kind)), countCell(one.line),
                                       source == 0 ? QVariant(tr("–")) : countCell(source),
                                       shapeText(one.block), shapeText(one.thread), toText(one.message)},
                             .share = -1,
                             .toolTip = toText(one.message)});
        }
        for (const inspect::RunOutput& one : outcome->outputs) {
            const QString values = toText(one.values);
            results.append(
                {.cells = {tr("Argument %1, %2 × %3").arg(one.index).arg(one.count).arg(toText(one.type)),
                           values},
                 .share = -1,
                 .toolTip = values});
        }
        addCounts(results, outcome->outcome.counts);
    }
    m_findings->setRows({tr("Finding"), tr("Line"), tr("Source"), tr("Block"), tr("Thread"), tr("What")},
                        findings);
    m_findings->setVisible(!findings.isEmpty());
    m_results->setRows({tr("What"), tr("Value")}, results);
    m_results->setColumnWidth(1, widthOfValues);  // long ones end in dots, and are in the tool tip
    m_results->setVisible(!results.isEmpty());
    const std::uint64_t total = outcome ? outcome->outcome.findings_total : 0;
    m_said->setTone(!m_model.runProblem().isEmpty() || total > 0 ? ToneLabel::Tone::error
                                                                 : ToneLabel::Tone::muted);
    if (isRunning) {
        m_said->setText(tr("Running in the PTX executor…"));
    } else if (!m_model.runProblem().isEmpty()) {
        m_said->setText(m_model.runProblem());
    } else if (!outcome) {
        m_said->setText(tr("Runs on the CPU, in the PTX executor: it finds and counts, and times nothing."));
    } else if (total == 0) {
        m_said->setText(tr("No finding. Counted, not timed."));
    } else {
        m_said->setText(
            tr("%n finding(s)%1. Counted, not timed.", nullptr, int(total))
                .arg(total > outcome->outcome.findings.size()
                         ? tr(", of which the first %1 are shown").arg(outcome->outcome.findings.size())
                         : QString()));
    }
}

}  // namespace workbench
