// SPDX-License-Identifier: MIT
#include "ui/benchmark/history_view.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>

#include "ui/benchmark/history_table.h"
#include "ui/benchmark/record_history.h"
#include "ui/charts/trend_chart.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// Fills a box and keeps what was chosen where it is still there.
void refill(QComboBox& box, const QStringList& texts, const QStringList& values, const QString& wanted) {
    const QSignalBlocker quiet(box);
    box.clear();
    for (qsizetype i = 0; i < texts.size(); ++i) box.addItem(texts[i], values[i]);
    const int index = box.findData(wanted);
    if (index >= 0) box.setCurrentIndex(index);
}

}  // namespace

HistoryView::HistoryView(RecordHistory& history, QWidget* parent)
    : QWidget(parent), m_history(history), m_chart(new TrendChart(this)), m_table(new HistoryTable(this)) {
    setObjectName(QStringLiteral("historyView"));
    auto* layout = makeColumn(this, 0);
    layout->addWidget(makeHeader());
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_chart);
    splitter->addWidget(makeRecords());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({320, 220});
    layout->addWidget(splitter, 1);
    connect(m_key, &QComboBox::currentIndexChanged, this, &HistoryView::readTrend);
    connect(m_metric, &QComboBox::currentIndexChanged, this, &HistoryView::readTrend);
    connect(m_device, &QComboBox::currentIndexChanged, this, &HistoryView::readTrend);
    connectHistory();
    showFile();
}

void HistoryView::connectHistory() {
    const RecordHistory* history = &m_history;
    connect(history, &RecordHistory::contentsRead, this, &HistoryView::showContents);
    connect(history, &RecordHistory::contentsFailed, this, &HistoryView::showNothing);
    connect(history, &RecordHistory::trendRead, this, &HistoryView::showTrend);
    connect(history, &RecordHistory::trendFailed, this, &HistoryView::showTrendFailure);
    connect(m_table, &HistoryTable::noteWritten, this, [this](const QString& id, const QString& note) {
        m_history.writeNote(m_history.file(), id, note);
    });
}

void HistoryView::readTrend() {
    m_history.readTrend(key(), metric(), device());
}

void HistoryView::chooseFile() {
    // One that does not exist is made when a record is added.
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Choose or name a history database"), m_history.file(),
        tr("Histories (*.sqlite);;All files (*)"), nullptr, QFileDialog::DontConfirmOverwrite);
    if (!file.isEmpty()) Q_EMIT fileChosen(file);
}

QWidget* HistoryView::makeHeader() {
    auto* header = new QWidget(this);
    auto* rows = makeColumn(header, smallSpacing,
                            {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    auto* first = makeRow(nullptr, normalSpacing);
    m_fileLabel = new ElidedLabel(header);
    auto* other = new QPushButton(tr("Database…"), header);
    other->setObjectName(QStringLiteral("databaseButton"));
    other->setAccessibleName(tr("Choose the history database"));
    other->setToolTip(tr("Keep and look at records in another database"));
    auto* refresh = iconButton(QStringLiteral("refresh"), tr("Read the history again"), header);
    refresh->setFocusPolicy(Qt::StrongFocus);
    m_add = new QPushButton(tr("Add this record"), header);
    m_add->setObjectName(QStringLiteral("addToHistory"));
    first->addWidget(m_fileLabel, 1);
    first->addWidget(refresh);
    first->addWidget(other);
    first->addWidget(m_add);
    rows->addLayout(first);

    auto* second = makeRow(nullptr, normalSpacing);
    const auto box = [&](const QString& label, const QString& name, const char* objectName, int stretch) {
        auto* combo = new QComboBox(header);
        combo->setObjectName(QLatin1String(objectName));
        combo->setAccessibleName(name);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(8);
        guardWheel(combo);
        auto* text = new QLabel(label, header);
        text->setBuddy(combo);
        second->addWidget(text);
        second->addWidget(combo, stretch);
        return combo;
    };
    m_key = box(tr("Case"), tr("Case"), "historyCase", 3);
    m_metric = box(tr("Metric"), tr("Metric"), "historyMetric", 1);
    m_device = box(tr("Device"), tr("Device"), "historyDevice", 2);
    for (const Metric metric : {Metric::ratio_to_copy, Metric::latency, Metric::throughput})
        m_metric->addItem(metricText(metric), int(metric));
    rows->addLayout(second);
    m_state = new ToneLabel(ToneLabel::Tone::muted, header);
    m_state->setObjectName(QStringLiteral("historyState"));
    rows->addWidget(m_state);
    connect(other, &QPushButton::clicked, this, &HistoryView::chooseFile);
    connect(refresh, &QToolButton::clicked, this, &HistoryView::refreshWanted);
    connect(m_add, &QPushButton::clicked, this, &HistoryView::addWanted);
    return header;
}

QWidget* HistoryView::makeRecords() {
    auto* records = new QWidget(this);
    auto* rows = makeColumn(records, 0);
    auto* bar = makeRow(nullptr, normalSpacing,
                        {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    auto* title = new ToneLabel(ToneLabel::Tone::muted, records);
    title->setWordWrap(false);
    title->setText(tr("Every finished run is kept here."));
    const auto button = [&](const QString& text, const char* name, const QString& help) {
        auto* push = new QPushButton(text, records);
        push->setObjectName(QLatin1String(name));
        push->setToolTip(help);
        push->setAccessibleName(text);
        bar->addWidget(push);
        return push;
    };
    bar->addWidget(title, 1);
    m_open = button(tr("Open it"), "openKept", tr("Show the chosen record's results"));
    m_compare = button(tr("Compare with it"), "compareKept",
                       tr("Compare what is shown with the chosen record, the base"));
    rows->addLayout(bar);
    rows->addWidget(m_table, 1);
    m_table->setMinimumHeight(90);
    connect(m_open, &QPushButton::clicked, m_table, &HistoryTable::openChosen);
    connect(m_compare, &QPushButton::clicked, this, [this] { Q_EMIT compareWanted(m_table->chosenId()); });
    connect(m_table, &HistoryTable::openWanted, this, &HistoryView::openWanted);
    connect(m_table, &HistoryTable::openDuelWanted, this, &HistoryView::openDuelWanted);
    connect(m_table, &HistoryTable::compareWanted, this, &HistoryView::compareWanted);
    connect(m_table, &HistoryTable::choiceChanged, this, &HistoryView::showChoice);
    showChoice();
    return records;
}

void HistoryView::showChoice() {
    const bool may = m_free && !m_table->chosenId().isEmpty();
    m_open->setEnabled(may);
    m_compare->setEnabled(may && !m_table->isDuelChosen());
}

void HistoryView::setFree(bool free) {
    m_free = free;
    m_table->setFree(free);
    showChoice();
}

void HistoryView::showFile() {
    const QString file = QDir::toNativeSeparators(m_history.file());
    m_fileLabel->setFullText(tr("History: %1").arg(file), file);
}

void HistoryView::setAddable(bool addable, const QString& name) {
    m_add->setEnabled(addable);
    const QString help = addable ? tr("Verify the record %1 and keep it in the history").arg(name)
                                 : tr("Runs are kept by themselves; open a record to add it");
    m_add->setToolTip(help);
    m_add->setAccessibleName(tr("Add this record to the history"));
    m_add->setAccessibleDescription(help);
}

void HistoryView::showContents(const HistoryContents& contents) {
    QStringList keys;
    for (const std::string& key : contents.keys) keys.append(toText(key));
    const QString wantedKey = m_wantedKey.isEmpty() ? key() : m_wantedKey;
    refill(*m_key, keys, keys, wantedKey);
    QStringList devices;
    for (const HistoryEntry& entry : contents.entries) {
        const QString name = toText(entry.device_name);
        if (!name.isEmpty() && !devices.contains(name)) devices.append(name);
    }
    // The newest record's device, unless one was chosen: figures of unlike devices make no trend.
    QString wantedDevice = device();
    if (!devices.contains(wantedDevice) && !contents.entries.empty())
        wantedDevice = toText(contents.entries.back().device_name);
    refill(*m_device, devices, devices, wantedDevice);
    m_state->setTone(ToneLabel::Tone::muted);
    m_state->setText(tr("%n record(s)", nullptr, int(contents.entries.size())) + QStringLiteral(", ") +
                     (contents.duels.empty()
                          ? QString()
                          : tr("%n duel(s)", nullptr, int(contents.duels.size())) + QStringLiteral(", ")) +
                     tr("%n case(s)", nullptr, int(keys.size())) +
                     tr(". A diamond: host, threads, input or output are not those of the record before."));
    m_table->showEntries(contents.entries, contents.duels);
    m_table->setFree(m_free);
    for (QComboBox* box : {m_key, m_metric, m_device}) box->setEnabled(!keys.isEmpty());
    if (keys.isEmpty()) {
        m_chart->showTrend({}, metric(), {}, tr("The history has no timed case yet: add a record."));
    } else {
        readTrend();
    }
}

void HistoryView::showNothing(const QString& why) {
    for (QComboBox* box : {m_key, m_device}) {
        const QSignalBlocker quiet(box);
        box->clear();
    }
    for (QComboBox* box : {m_key, m_metric, m_device}) box->setEnabled(false);
    m_state->setText({});
    m_table->showEntries({}, {});
    m_chart->showTrend({}, metric(), {}, why);
}

void HistoryView::showTrend(const QString& key, Metric metric, const std::vector<TrendPoint>& points) {
    m_chart->showTrend(key, metric, points, {});
}

void HistoryView::showTrendFailure(const QString& why) {
    m_chart->showTrend({}, metric(), {}, why);
}

QString HistoryView::key() const {
    return m_key->currentData().toString();
}

QString HistoryView::device() const {
    return m_device->currentData().toString();
}

Metric HistoryView::metric() const {
    return Metric(m_metric->currentData().toInt());
}

void HistoryView::setKey(const QString& key) {
    m_wantedKey = key;
    const int index = m_key->findData(key);
    if (index >= 0) m_key->setCurrentIndex(index);
}

}  // namespace workbench
