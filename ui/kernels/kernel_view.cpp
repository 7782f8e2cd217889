// SPDX-License-Identifier: MIT
#include "ui/kernels/kernel_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/kernels/code_pane.h"
#include "ui/kernels/mismatch_tab.h"
#include "ui/kernels/run_tab.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QString shape(const std::array<std::uint32_t, 3>& of) {
    return of[1] == 1 && of[2] == 1 ? QString::number(of[0])
                                    : QStringLiteral("%1 × %2 × %3").arg(of[0]).arg(of[1]).arg(of[2]);
}

}  // namespace

KernelView::KernelView(Session& session, ShownKernelModel& model, QWidget* parent)
    : QWidget(parent), m_session(session), m_model(model) {
    auto* all = new QSplitter(Qt::Vertical, this);
    all->setChildrenCollapsible(false);
    all->setHandleWidth(1);
    auto* top = new QWidget(all);
    auto* column = makeColumn(top, 0);
    column->addWidget(makeHeader());
    m_note = new ToneLabel(ToneLabel::Tone::muted, top);
    m_note->setContentsMargins(normalSpacing, 0, normalSpacing, smallSpacing);
    column->addWidget(m_note);
    m_panes = new QSplitter(Qt::Horizontal, top);
    m_panes->setChildrenCollapsible(false);
    m_panes->setHandleWidth(1);
    m_source = new CodePane(tr("Source of the kernel"), m_panes);
    m_source->setReadOnly(true);
    m_source->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_editor = new CodePane(tr("Your source"), m_panes);
    m_editor->setObjectName(QStringLiteral("yourSource"));
    m_editor->setPlaceholderText(tr("Type or paste a CUDA kernel"));
    m_editor->hide();
    m_text = new CodePane(tr("PTX or IR of the kernel"), m_panes);
    m_text->setObjectName(QStringLiteral("kernelText"));
    m_text->setReadOnly(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_panes->addWidget(m_source);
    m_panes->addWidget(m_editor);
    m_panes->addWidget(m_text);
    column->addWidget(m_panes, 1);
    all->addWidget(top);
    makeTabs();
    all->addWidget(m_tabs);
    all->setStretchFactor(0, 3);
    all->setStretchFactor(1, 2);
    all->setSizes({420, 280});
    makeColumn(this, 0)->addWidget(all);
    connect(m_text, &CodePane::lineChosen, this, &KernelView::markFromText);
    for (CodePane* pane : {m_source, m_editor})
        connect(pane, &CodePane::lineChosen, this, &KernelView::markFromSource);
    connect(&m_model, &ShownKernelModel::kernelChanged, this, &KernelView::showKernel);
    connect(&m_model, &ShownKernelModel::detailsChanged, this, [this] {
        showNote();
        if (m_model.kernel()) showLevels(*m_model.kernel());
    });
    connect(&m_model, &ShownKernelModel::wrote, this, [this](const QString& file) {
        m_session.keepExportFolder(QFileInfo(file).absolutePath());
        Q_EMIT said(tr("Wrote %1").arg(QDir::toNativeSeparators(file)));
    });
    showKernel();
}

QWidget* KernelView::makeHeader() {
    auto* header = new QWidget(this);
    auto* row = makeRow(header, normalSpacing, {normalSpacing, smallSpacing, normalSpacing, smallSpacing});
    m_title = new QLabel(header);
    m_title->setTextFormat(Qt::PlainText);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setMinimumWidth(40);
    m_title->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_origin = new ElidedLabel(header);
    m_origin->setTone(ElidedLabel::Tone::muted);
    m_copy = iconButton(QStringLiteral("copy"), tr("Copy the text of the kernel"), header);
    m_save = iconButton(QStringLiteral("save"), tr("Save the text of the kernel as…"), header);
    row->addWidget(m_title);
    row->addWidget(m_origin, 1);
    row->addWidget(m_copy);
    row->addWidget(m_save);
    connect(m_copy, &QToolButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_text->toPlainText());
        Q_EMIT said(tr("Copied the text of %1").arg(m_title->text()));
    });
    connect(m_save, &QToolButton::clicked, this, &KernelView::save);
    return header;
}

void KernelView::makeTabs() {
    m_tabs = new QTabWidget(this);
    m_tabs->setObjectName(QStringLiteral("kernelTabs"));
    m_tabs->setAccessibleName(tr("What is known of the kernel"));
    m_tabs->setDocumentMode(true);
    m_facts = new TextTable(tr("Parameters and registers"), m_tabs);
    m_opcodes = new TextTable(tr("Opcodes"), m_tabs);
    m_mix = new TextTable(tr("Instruction mix"), m_tabs);
    const auto noted = [this](ToneLabel*& note, TextTable* table) {
        auto* page = new QWidget(m_tabs);
        auto* column = makeColumn(page, smallSpacing, {0, smallSpacing, 0, 0});
        note = new ToneLabel(ToneLabel::Tone::muted, page);
        note->setContentsMargins(normalSpacing, 0, normalSpacing, 0);
        note->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        column->addWidget(note);
        column->addWidget(table, 1);
        return page;
    };
    m_levels = new TextTable(tr("Levels"), m_tabs);
    m_levels->setObjectName(QStringLiteral("levels"));
    QWidget* levels = noted(m_levelsNote, m_levels);
    m_levelsNote->setObjectName(QStringLiteral("levelsNote"));
    m_traffic = new TextTable(tr("Counted traffic"), m_tabs);
    m_traffic->setObjectName(QStringLiteral("countedTraffic"));
    QWidget* traffic = noted(m_trafficNote, m_traffic);
    m_trafficNote->setObjectName(QStringLiteral("trafficNote"));
    m_run = new RunTab(m_model, m_tabs);
    m_mismatch = new MismatchTab(m_model, m_tabs);
    connect(m_mismatch, &MismatchTab::statementChosen, this,
            [this](int line) { source().markLines({line}); });
    m_tabs->addTab(m_facts, tr("Parameters"));
    m_tabs->addTab(m_opcodes, tr("Opcodes"));
    m_tabs->addTab(m_mix, tr("Instruction mix"));
    m_tabs->addTab(levels, tr("Levels"));
    m_tabs->addTab(traffic, tr("Counted traffic"));
    m_tabs->addTab(m_run, tr("Run"));
    m_tabs->addTab(m_mismatch, tr("Mismatch"));
    connect(m_traffic, &TextTable::chosen, this, [this](int row) {
        const ShownKernelPtr& kernel = m_model.kernel();
        if (!kernel || row < 0 || std::size_t(row) >= kernel->counted.size()) return;
        const std::string& name = kernel->counted[std::size_t(row)].launch.kernel;
        if (name != kernel->kernel) Q_EMIT kernelAsked(toText(name));
    });
    connect(m_run, &RunTab::findingChosen, this, [this](int line, int sourceLine) {
        m_text->markLines({line});
        if (sourceLine > 0) source().markLines({sourceLine});
    });
}

KernelView::Tab KernelView::tab() const {
    return Tab(m_tabs->currentIndex());
}

void KernelView::setTab(Tab tab) {
    m_tabs->setCurrentIndex(int(tab));
}

TextTable& KernelView::table(Tab tab) const {
    switch (tab) {
        case Tab::facts:
            return *m_facts;
        case Tab::opcodes:
            return *m_opcodes;
        case Tab::mix:
            return *m_mix;
        case Tab::levels:
            return *m_levels;
        case Tab::traffic:
            return *m_traffic;
        case Tab::mismatch:
            return m_mismatch->elements();
        case Tab::run:
            break;
    }
    return m_run->results();
}

void KernelView::setEditing(bool on) {
    if (m_editing == on) return;
    m_editing = on;
    showKernel();
}

void KernelView::showKernel() {
    const ShownKernelPtr& kernel = m_model.kernel();
    m_title->setText(kernel ? kernel->title : tr("No kernel is shown"));
    m_origin->setFullText(kernel ? kernel->origin : QString());
    m_text->setCode(kernel ? toText(kernel->text) : QString());
    m_text->setDifference(kernel && !kernel->otherTarget.isEmpty());
    m_editor->setVisible(m_editing);
    m_editor->markLines({});
    m_source->setVisible(!m_editing && kernel && !kernel->source.empty());
    m_source->setCode(kernel && !m_editing ? toText(kernel->source) : QString());
    m_save->setEnabled(kernel != nullptr);
    m_copy->setEnabled(kernel != nullptr);
    showNote();
    const ShownKernel none;
    const ShownKernel& shown = kernel ? *kernel : none;
    showFacts(shown);
    showMix(shown);
    showLevels(shown);
    showTraffic(shown);
    const bool isRead = !kernel || kernel->facts.has_value();
    m_tabs->setTabVisible(int(Tab::facts), isRead);
    m_tabs->setTabVisible(int(Tab::opcodes), isRead);
    m_tabs->setTabVisible(int(Tab::traffic), !shown.countedNote.isEmpty());
    m_tabs->setTabVisible(int(Tab::run), !kernel || kernel->module.has_value());
    m_tabs->setTabVisible(int(Tab::mismatch), shown.mismatch != nullptr);
    if (shown.mismatch) {
        setTab(Tab::mismatch);
        if (shown.mismatch->statement_line > 0) source().markLines({shown.mismatch->statement_line});
    }
}

void KernelView::showNote() {
    const ShownKernelPtr& kernel = m_model.kernel();
    m_note->setText(kernel ? kernel->note : tr("Choose one at the left."));
    m_note->setVisible(!m_note->text().isEmpty());
}

void KernelView::showFacts(const ShownKernel& kernel) {
    QList<TextTableModel::Row> facts;
    QList<TextTableModel::Row> opcodes;
    const auto add = [&](const QString& name, const QVariant& value, const QString& more = {}) {
        facts.append({.cells = {name, value, more}, .share = -1, .toolTip = {}});
    };
    if (kernel.facts) {
        const inspect::KernelFacts& known = *kernel.facts;
        const ptx::EntryInfo& entry = known.entry;
        for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
            const ptx::ParameterInfo& one = entry.parameters[k];
            add(tr("Parameter %1").arg(k), toText(one.type),
                tr("%1, %n byte(s) at %2", nullptr, int(one.bytes)).arg(toText(one.name)).arg(one.offset));
        }
        add(tr("Registers of 64 bits"), countCell(entry.registers_64),
            tr("declared in the text; ptxas decides"));
        add(tr("Registers of 32 bits"), countCell(entry.registers_32));
        add(tr("Registers of 16 bits"), countCell(entry.registers_16));
        add(tr("Predicates"), countCell(entry.predicates));
        add(tr("Shared bytes"), countCell(entry.shared_bytes),
            entry.dynamic_shared ? tr("and dynamic ones, by the launch") : QString());
        add(tr("Local bytes"), countCell(entry.local_bytes));
        if (entry.most_threads != 0) add(tr("Most threads a block"), countCell(entry.most_threads));
        if (entry.required_block[0] != 0) add(tr("Threads a block"), shape(entry.required_block));
        add(tr("Instructions"), countCell(entry.instructions));
        add(tr("PTX version"), toText(known.version), toText(known.target));
        for (const ptx::RefusedOpcode& one : known.refused)
            add(tr("Not executed here"), toText(one.name), tr("line %1").arg(one.line));
        const double all = double(std::max<std::uint64_t>(1, known.instructions()));
        for (const auto& [name, count] : known.opcodes)
            opcodes.append({.cells = {toText(name), countCell(count), 100.0 * double(count) / all},
                            .share = double(count) / all,
                            .toolTip = {}});
    }
    m_facts->setRows({tr("What"), tr("Value"), tr("More")}, facts);
    m_opcodes->setRows({tr("Opcode"), tr("In the text"), tr("%")}, opcodes);
}

// By kind, where the text was read; else by name, and of a difference in both texts.
void KernelView::showMix(const ShownKernel& kernel) {
    QList<TextTableModel::Row> mix;
    const auto add = [&](const QString& name, std::uint64_t count, std::uint64_t all) {
        const double share = double(count) / double(std::max<std::uint64_t>(1, all));
        mix.append({.cells = {name, countCell(count), 100.0 * share}, .share = share, .toolTip = {}});
    };
    QStringList headers{tr("Kind"), tr("In the text"), tr("%")};
    if (kernel.facts) {
        const inspect::KernelFacts& known = *kernel.facts;
        for (std::size_t k = 0; k < known.mix.size(); ++k)
            add(toText(ptx::name_of(static_cast<ptx::Kind>(k))), known.mix[k], known.instructions());
    } else if (kernel.otherTarget.isEmpty()) {
        headers[0] = tr("Instruction");
        std::uint64_t all = 0;
        for (const ShownKernel::Instructions& one : kernel.instructions) all += one.here;
        for (const ShownKernel::Instructions& one : kernel.instructions) add(toText(one.name), one.here, all);
    } else {
        headers = {tr("Instruction"), kernel.targetName, kernel.otherTarget, tr("More")};
        for (const ShownKernel::Instructions& one : kernel.instructions)
            mix.append({.cells = {toText(one.name), countCell(one.here), countCell(one.there),
                                  QVariant(qlonglong(one.there) - qlonglong(one.here))},
                        .share = -1,
                        .toolTip = {}});
    }
    std::ranges::stable_sort(mix, [](const auto& a, const auto& b) { return a.share > b.share; });
    m_mix->setRows(headers, mix);
}

void KernelView::showLevels(const ShownKernel& kernel) {
    const auto share = [](const std::string& written) {
        bool isNumber = false;
        const double value = toText(written).toDouble(&isNumber);
        return isNumber ? QVariant(value) : QVariant(toText(written));
    };
    QList<TextTableModel::Row> rows;
    for (const inspect::RecordLevel& one : kernel.levels)
        rows.append({.cells = {toText(one.level), toText(one.target),
                               one.is_backward ? tr("backward") : tr("forward"),
                               one.is_exact ? tr("yes") : tr("within the bounds"),
                               one.is_exact ? QVariant() : share(one.worst_of_bound)},
                     .share = -1,
                     .toolTip = {}});
    m_levels->setRows(
        {tr("Level"), tr("Target"), tr("Direction"), tr("Exact"), tr("Worst share of the bound")}, rows);
    m_levels->setVisible(!rows.isEmpty());
    m_levelsNote->setText(kernel.levelsNote);
    m_levelsNote->setVisible(!kernel.levelsNote.isEmpty());
    m_tabs->setTabVisible(int(Tab::levels), !rows.isEmpty() || !kernel.levelsNote.isEmpty());
}

void KernelView::showTraffic(const ShownKernel& kernel) {
    QList<TextTableModel::Row> rows;
    int own = -1;
    for (const ShownKernel::Counted& one : kernel.counted) {
        const inspect::LaunchTraffic& launch = one.launch;
        if (own < 0 && launch.kernel == kernel.kernel) own = int(rows.size());
        rows.append(
            {.cells = {toText(one.job), toText(launch.kernel), shape(launch.grid), shape(launch.block),
                       countCell(launch.loaded), countCell(launch.loaded_distinct), countCell(launch.stored),
                       countCell(launch.stored_distinct), countCell(launch.lane_instructions),
                       countCell(launch.shared_requests), countCell(launch.shared_wavefronts)},
             .share = -1,
             .toolTip = {}});
    }
    m_traffic->setRows({tr("Job"), tr("Kernel"), tr("Blocks"), tr("Threads"), tr("Bytes loaded"),
                        tr("Distinct"), tr("Bytes stored"), tr("Distinct"), tr("Lane instructions"),
                        tr("Shared requests"), tr("Wavefronts")},
                       rows);
    m_traffic->setVisible(!rows.isEmpty());
    if (own >= 0) m_traffic->chooseRow(own);
    m_trafficNote->setText(kernel.countedNote);
}

void KernelView::markFromText(int line) {
    const ShownKernelPtr& kernel = m_model.kernel();
    if (!kernel || kernel->lines.empty()) return;
    QList<int> found;
    for (const auto& [text, sourceLine] : kernel->lines) {
        if (text == line && !found.contains(sourceLine)) found << sourceLine;
    }
    source().markLines(found);
    m_text->markLines(found.isEmpty() ? QList<int>() : QList<int>{line});
}

void KernelView::markFromSource(int line) {
    const ShownKernelPtr& kernel = m_model.kernel();
    if (!kernel || kernel->lines.empty()) return;
    QList<int> found;
    for (const auto& [text, sourceLine] : kernel->lines) {
        if (sourceLine == line) found << text;
    }
    m_text->markLines(found);
    source().markLines(found.isEmpty() ? QList<int>() : QList<int>{line});
}

void KernelView::save() {
    const ShownKernelPtr kernel = m_model.kernel();
    if (!kernel) return;
    const QString suffix = kernel->isPtx ? QStringLiteral(".ptx") : QStringLiteral(".ll");
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save the text of the kernel as"),
                                     m_session.inExportFolder(toText(kernel->kernel) + suffix));
    if (!file.isEmpty()) m_model.saveText(file);
}

}  // namespace workbench
