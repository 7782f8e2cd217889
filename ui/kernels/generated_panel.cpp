// SPDX-License-Identifier: MIT
#include "ui/kernels/generated_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTabWidget>

#include "ui/kernels/data_set_desk.h"
#include "ui/kernels/text_table.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/path_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QVariant amount(std::uint64_t value) {
    return QVariant(qulonglong(value));
}

}  // namespace

GeneratedPanel::GeneratedPanel(DataSetDesk& desk, QWidget* parent) : QWidget(parent), m_desk(desk) {
    auto* column =
        makeColumn(this, smallSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    auto* open = new QPushButton(themedIcon(QStringLiteral("open")), tr(" Open a data set…"), this);
    open->setAccessibleName(tr("Open a data set"));
    column->addWidget(open, 0, Qt::AlignLeft);
    m_note = new ToneLabel(ToneLabel::Tone::muted, this);
    m_note->setObjectName(QStringLiteral("dataSetNote"));
    column->addWidget(m_note);
    m_bar = new JobBar(this);
    column->addWidget(m_bar);
    auto* tabs = new QTabWidget(this);
    tabs->setObjectName(QStringLiteral("dataSetTabs"));
    tabs->setAccessibleName(tr("The data set"));
    tabs->setDocumentMode(true);
    m_counts = new TextTable(tr("Counts of the data set"), tabs);
    m_counts->setObjectName(QStringLiteral("dataSetCounts"));
    tabs->addTab(makeRecords(), tr("Records"));
    tabs->addTab(m_counts, tr("Counts"));
    tabs->addTab(makeForm(), tr("Make one"));
    column->addWidget(tabs, 1);
    connect(open, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a data set"));
        if (!folder.isEmpty()) m_desk.open(folder);
    });
    connect(m_bar, &JobBar::cancelRequested, &m_desk, &DataSetDesk::cancel);
    connect(&m_desk, &DataSetDesk::dataSetChanged, this, &GeneratedPanel::showDataSet);
    connect(&m_desk, &DataSetDesk::recordChanged, this, &GeneratedPanel::showRecord);
    connect(&m_desk, &DataSetDesk::workChanged, this, &GeneratedPanel::showWork);
    showDataSet();
    showRecord();
    showWork();
}

QWidget* GeneratedPanel::makeRecords() {
    auto* page = new QWidget(this);
    auto* column = makeColumn(page, smallSpacing, {0, normalSpacing, 0, 0});
    m_search = new QLineEdit(page);
    m_search->setPlaceholderText(tr("Search: array mean valid"));
    m_search->setAccessibleName(tr("Search records by category, operation, split or id"));
    m_search->setClearButtonEnabled(true);
    m_records = new TextTable(tr("Records of the data set"), page);
    m_records->setObjectName(QStringLiteral("records"));
    auto* choice = makeRow(nullptr, smallSpacing);
    m_target = new QComboBox(page);
    m_target->setAccessibleName(tr("Text for"));
    m_target->setObjectName(QStringLiteral("recordTarget"));
    guardWheel(m_target);
    m_backward = new QCheckBox(tr("Backward"), page);
    m_backward->setAccessibleName(tr("Show the backward kernel"));
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy the record as command line"), page);
    choice->addWidget(m_target, 1);
    choice->addWidget(m_backward);
    choice->addWidget(copy);
    m_levels = new ToneLabel(ToneLabel::Tone::muted, page);
    m_levels->setObjectName(QStringLiteral("recordLevels"));
    column->addWidget(m_search);
    column->addWidget(m_records, 1);
    column->addLayout(choice);
    column->addWidget(m_levels);
    connect(m_search, &QLineEdit::textChanged, m_records, &TextTable::setFilter);
    connect(m_records, &TextTable::chosen, this, [this](int row) {
        if (m_desk.dataSet() && row >= 0)
            m_desk.chooseRecord(toText(m_desk.dataSet()->rows[std::size_t(row)].id));
    });
    connect(m_target, &QComboBox::activated, this,
            [this](int index) { m_desk.setTarget(m_target->itemText(index)); });
    connect(m_backward, &QCheckBox::clicked, &m_desk, &DataSetDesk::setBackward);
    connect(copy, &QToolButton::clicked, this, [this] {
        if (const QString command = m_desk.commandLine(); !command.isEmpty())
            QApplication::clipboard()->setText(command);
    });
    return page;
}

QWidget* GeneratedPanel::makeForm() {
    auto* page = new QWidget(this);
    auto* column = makeColumn(page, normalSpacing, {0, normalSpacing, 0, 0});
    auto* grid = new QGridLayout;
    grid->setSpacing(smallSpacing);
    const auto add = [&](const QString& text, QWidget* field, QWidget* named) {
        auto* label = new QLabel(text, page);
        label->setBuddy(named);
        named->setAccessibleName(text);
        const int row = grid->rowCount();
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row, 1);
    };
    m_folder = new PathField(tr("Folder of the data set"), tr("Folder of the data set"),
                             PathField::What::folder, page);
    m_count = new CountBox(1, page);
    m_seed = new CountBox(0, page);
    for (CountBox* box : {m_count, m_seed}) guardWheel(box);
    m_withBackward = new QCheckBox(tr("Backward kernels too"), page);
    m_withBackward->setAccessibleName(m_withBackward->text());
    add(tr("Folder"), m_folder, &m_folder->edit());
    add(tr("Kernels"), m_count, m_count);
    add(tr("Seed"), m_seed, m_seed);
    grid->addWidget(m_withBackward, grid->rowCount(), 1);
    column->addLayout(grid);
    auto* note = new ToneLabel(ToneLabel::Tone::muted, page);
    note->setText(
        tr("All 14 categories, the same number of each; the default targets that are there. Each kernel is "
           "run as compiled."));
    column->addWidget(note);
    auto* buttons = makeRow(nullptr, smallSpacing);
    m_make = new QPushButton(themedIcon(QStringLiteral("play")), tr(" Make"), page);
    m_make->setObjectName(QStringLiteral("makeDataSet"));
    m_make->setAccessibleName(tr("Make the data set"));
    m_resume = new QPushButton(tr("Resume"), page);
    m_resume->setObjectName(QStringLiteral("resumeDataSet"));
    m_resume->setAccessibleName(tr("Resume the data set"));
    m_resume->setToolTip(tr("Goes on behind the last whole shard, with the same arguments"));
    auto* copy = iconButton(QStringLiteral("copy"), tr("Copy the making as command line"), page);
    buttons->addWidget(m_make);
    buttons->addWidget(m_resume);
    buttons->addWidget(copy);
    buttons->addStretch(1);
    column->addLayout(buttons);
    column->addStretch(1);
    setWish({});
    const auto make = [this](bool resume) {
        for (CountBox* box : {m_count, m_seed}) box->clearFocus();  // takes what was typed
        DataSetWish wanted = wish();
        wanted.resume = resume;
        m_desk.make(wanted);
    };
    connect(m_make, &QPushButton::clicked, this, [make] { make(false); });
    connect(m_resume, &QPushButton::clicked, this, [make] { make(true); });
    connect(copy, &QToolButton::clicked, this,
            [this] { QApplication::clipboard()->setText(DataSetDesk::commandLine(wish())); });
    connect(m_folder, &PathField::changed, this, &GeneratedPanel::showWork);
    return page;
}

DataSetWish GeneratedPanel::wish() const {
    return {.folder = m_folder->text(),
            .count = std::uint64_t(m_count->value()),
            .seed = std::uint64_t(m_seed->value()),
            .backward = m_withBackward->isChecked()};
}

void GeneratedPanel::setWish(const DataSetWish& wish) {
    m_folder->setText(wish.folder);
    m_count->setValue(int(wish.count));
    m_seed->setValue(int(wish.seed));
    m_withBackward->setChecked(wish.backward);
    if (m_resume) showWork();
}

void GeneratedPanel::showDataSet() {
    QList<TextTableModel::Row> records;
    QList<TextTableModel::Row> counts;
    const auto& set = m_desk.dataSet();
    if (set) {
        for (const inspect::RecordRow& one : set->rows)
            records.append({.cells = {toText(one.category), toText(one.name), toText(one.ops),
                                      toText(one.split), toText(one.complexity), toText(one.id)},
                            .share = -1,
                            .toolTip = toText(one.id)});
        const auto all = double(std::max<std::size_t>(1, set->rows.size()));
        const auto add = [&](const QString& what, std::uint64_t value, double share) {
            counts.append({.cells = {what, amount(value)}, .share = share, .toolTip = {}});
        };
        add(tr("Records"), set->rows.size(), -1.0);
        add(tr("Pairs"), set->pairs, -1.0);
        add(tr("Skeletons"), set->skeletons, double(set->skeletons) / all);
        for (const auto& [name, count] : set->splits)
            add(tr("Split: %1").arg(toText(name)), count, double(count) / all);
        for (const auto& [name, count] : set->categories)
            add(tr("Category: %1").arg(toText(name)), count, double(count) / all);
        for (const auto& [name, count] : set->rejected)
            add(tr("Rejected: %1").arg(toText(name)), count, double(count) / all);
        for (const auto& [name, size] : set->sizes) {
            const auto mean = std::uint64_t(size.first);
            add(tr("Mean bytes: %1").arg(toText(name)), mean, -1.0);
        }
    }
    m_records->setRows(
        {tr("Category"), tr("Name"), tr("Operations"), tr("Split"), tr("Complexity"), tr("Id")}, records);
    m_counts->setRows({tr("What"), tr("How many")}, counts);
    showNote();
}

void GeneratedPanel::showNote() {
    const auto& set = m_desk.dataSet();
    m_note->setText(
        !set ? tr("No data set is open. One is a folder that iir2d synth generate, or the tab Make one, "
                  "has made.")
             : tr("%1: %n record(s)%2", nullptr, int(set->rows.size()))
                   .arg(fromPath(set->folder),
                        set->is_complete ? QString() : tr(" of %1, not complete").arg(set->count)));
}

void GeneratedPanel::showRecord() {
    const QSignalBlocker quiet(m_target);
    const auto& record = m_desk.record();
    m_target->clear();
    m_target->addItems(m_desk.targets());
    m_target->setCurrentText(m_desk.target());
    m_target->setEnabled(m_target->count() > 0);
    m_backward->setChecked(m_desk.isBackward());
    m_backward->setEnabled(record && !record->backward_source.empty());
    QString levels;
    if (record) {
        for (const inspect::RecordLevel& one : record->levels) {
            if (toText(one.target) != m_desk.target() || (one.direction == "backward") != m_desk.isBackward())
                continue;
            levels += levels.isEmpty() ? QString() : QStringLiteral("; ");
            levels += toText(one.level) +
                      (one.is_exact ? tr(": exact")
                                    : tr(": worst %1 of the bound").arg(toText(one.worst_of_bound)));
        }
        if (!record->no_backward.empty())
            levels += (levels.isEmpty() ? QString() : QStringLiteral(". ")) +
                      tr("No backward kernel: %1").arg(toText(record->no_backward));
    }
    m_levels->setText(levels);
    if (!record || !m_desk.dataSet()) return;
    const auto& rows = m_desk.dataSet()->rows;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].id == record->row.id && m_records->chosenRow() != int(k)) m_records->chooseRow(int(k));
    }
}

void GeneratedPanel::showWork() {
    const bool isMaking = m_desk.isMaking();
    m_make->setEnabled(!isMaking && !m_folder->text().isEmpty());
    m_resume->setEnabled(m_make->isEnabled());
    if (!isMaking) {
        if (m_bar->isActive()) showNote();
        return m_bar->end();
    }
    if (!m_bar->isActive()) m_bar->begin(tr("Making"));
    m_bar->setFraction(m_desk.progress().isEmpty() ? -1 : m_desk.fraction());
    m_note->setText(m_desk.progress().isEmpty() ? tr("Starting the compilers…") : m_desk.progress());
}

}  // namespace workbench
