// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_panel.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QStyle>
#include <algorithm>

#include "iir2d/tune_model.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tuning/tuning_model.h"
#include "ui/tuning/tuning_words.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/path_field.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/work_panel.h"

namespace workbench {
namespace {

constexpr iir2d::TuneMode shownModes[] = {iir2d::TuneMode::automatic, iir2d::TuneMode::off,
                                          iir2d::TuneMode::model, iir2d::TuneMode::measure};

constexpr unsigned bitOfKind(TuningWork::Kind kind) {
    return 1U << unsigned(kind);
}

}  // namespace

TuningPanel::TuningPanel(TuningModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
    auto* column = makeColumn(this, 0);
    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(tr("How configs are chosen, and what measures and trains"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* inside = new QWidget(scroll);
    auto* forms =
        makeColumn(inside, 2 * normalSpacing, {normalSpacing, normalSpacing, normalSpacing, normalSpacing});
    for (const auto make : {&TuningPanel::makeChoosing, &TuningPanel::makeWork}) {
        auto* form = new QFormLayout;
        form->setRowWrapPolicy(QFormLayout::WrapLongRows);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        form->setVerticalSpacing(smallSpacing);
        (this->*make)(*form);
        forms->addLayout(form);
    }
    // The fields of both forms begin at one edge.
    QList<QLabel*> labels = inside->findChildren<QLabel*>();
    labels.removeIf([](const QLabel* label) { return label->buddy() == nullptr; });
    int widest = 0;
    for (const QLabel* label : labels) widest = std::max(widest, label->sizeHint().width());
    for (QLabel* label : labels) label->setMinimumWidth(widest);
    forms->addStretch(1);
    scroll->setWidget(inside);
    column->addWidget(scroll, 1);
    m_run = new WorkPanel(QStringLiteral("tuning"), tr("the work"), this);
    column->addWidget(m_run);
    connect(m_run, &WorkPanel::runAsked, &model, &TuningModel::run);
    connect(m_run, &WorkPanel::cancelAsked, &model, &TuningModel::cancel);
    setFixedWidth(std::max(inside->minimumSizeHint().width(), 300) +
                  style()->pixelMetric(QStyle::PM_ScrollBarExtent));
    connect(&model, &TuningModel::optionsChanged, this, &TuningPanel::showOptions);
    connect(&model, &TuningModel::workChanged, this, &TuningPanel::showWork);
    connect(&model, &TuningModel::progressed, this, [this](double fraction, const QString& what) {
        const QString left = m_model.timeLeft(fraction);
        m_run->showProgress(fraction, left.isEmpty() ? what : QStringLiteral("%1 · %2").arg(left, what));
    });
    showOptions();
    showWork();
}

QLabel* TuningPanel::addRow(QFormLayout& form, const QString& label, QWidget* field, const QString& spoken,
                            const QString& help) {
    auto* text = new QLabel(label, this);
    text->setBuddy(field);
    text->setToolTip(help);
    field->setToolTip(help);
    field->setAccessibleName(spoken);
    form.addRow(text, field);
    return text;
}

void TuningPanel::makeChoosing(QFormLayout& form) {
    QStringList names;
    for (const iir2d::TuneMode mode : shownModes) names << toText(iir2d::name_of(mode));
    m_mode = choiceBox(names, this);
    m_mode->setObjectName(QStringLiteral("tuneMode"));
    addRow(form, tr("Mo&de"), m_mode, tr("Mode of choosing"),
           tr("Whom a computation asks that has no config given. No mode changes a result"));
    m_modeWords = new ToneLabel(ToneLabel::Tone::muted, this);
    form.addRow(m_modeWords);
    m_topK = new CountBox(1, this);
    m_topK->setMaximum(64);
    addRow(form, tr("First &k"), m_topK, tr("Candidates kept at most"),
           tr("So many candidates are kept of a problem, which mode measure tries. Range: 1 to 64"));
    m_threshold = new NumberBox(this);
    m_threshold->setRange(1, 100);
    m_threshold->setSingleStep(0.05);
    addRow(form, tr("&Threshold"), m_threshold, tr("Threshold of candidates"),
           tr("Candidates are kept that are predicted within this ratio to the best. Range: 1 to 100"));
    connect(m_mode, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (!m_isShowing) m_model.setMode(shownModes[std::size_t(index)]);
    });
    const auto select = [this] {
        if (!m_isShowing) m_model.setSelection(m_topK->value(), m_threshold->value());
    };
    connect(m_topK, &QSpinBox::valueChanged, this, select);
    connect(m_threshold, &QDoubleSpinBox::valueChanged, this, select);
}

void TuningPanel::makeWork(QFormLayout& form) {
    using Kind = TuningWork::Kind;
    const auto add = [&](const QString& label, QWidget* field, const QString& spoken, const QString& help,
                         unsigned kinds) {
        QLabel* const text = addRow(form, label, field, spoken, help);
        m_rows.emplace_back(text, kinds);
        m_rows.emplace_back(field, kinds);
    };
    m_kind = choiceBox(
        {tr("Measure, train, install"), tr("Measure only"), tr("Train and install"), tr("Judge")}, this);
    m_kind->setObjectName(QStringLiteral("tuningKind"));
    addRow(form, tr("&Work"), m_kind, tr("Work"),
           tr("Measuring needs a machine that does nothing else: busy minutes teach nothing"));
    m_seconds = new CountBox(10, this);
    m_seconds->setMaximum(86'400);
    m_seconds->setObjectName(QStringLiteral("tuningSeconds"));
    add(tr("Se&conds"), m_seconds, tr("Seconds for the work"),
        tr("What has begun when they are over ends first. Range: 10 to 86400"),
        bitOfKind(Kind::retrain) | bitOfKind(Kind::collect));
    m_problems = new CountBox(1, this);
    m_problems->setMaximum(100'000);
    add(tr("Problem&s"), m_problems, tr("Problems to measure"),
        tr("Drawn of all kinds, each measured twice. Range: 1 to 100000"), bitOfKind(Kind::collect));
    m_set = choiceBox({tr("Training"), tr("Validation")}, this);
    add(tr("For"), m_set, tr("What the problems are for"),
        tr("A model is trained on the ones and judged by the others"), bitOfKind(Kind::collect));
    QStringList purposes;
    for (const std::string_view purpose : iir2d::model_purposes(iir2d::Backend::cpu))
        purposes << toText(purpose);
    m_purpose = choiceBox(purposes, this);
    add(tr("P&urpose"), m_purpose, tr("Purpose of the model"), tr("What the model is for"),
        bitOfKind(Kind::train));
    m_database =
        new PathField(tr("Database"), tr("Choose a database of measurements"), PathField::What::file, this);
    m_database->edit().setPlaceholderText(fromPath(retrainDatabase()));
    add(tr("D&atabase"), m_database, tr("Database of measurements"),
        tr("A file that iir2d tune collect made, or the one that this page leaves"),
        bitOfKind(Kind::collect) | bitOfKind(Kind::train) | bitOfKind(Kind::evaluate));

    connect(m_kind, &QComboBox::currentIndexChanged, this,
            [this](int index) { edit([&](TuningWork& w) { w.kind = static_cast<Kind>(index); }); });
    connect(m_seconds, &QSpinBox::valueChanged, this,
            [this](int value) { edit([&](TuningWork& w) { w.seconds = value; }); });
    connect(m_problems, &QSpinBox::valueChanged, this,
            [this](int value) { edit([&](TuningWork& w) { w.problems = value; }); });
    connect(m_set, &QComboBox::currentIndexChanged, this,
            [this](int index) { edit([&](TuningWork& w) { w.forValidation = index == 1; }); });
    connect(m_purpose, &QComboBox::currentIndexChanged, this,
            [this](int index) { edit([&](TuningWork& w) { w.purpose = index; }); });
    connect(m_database, &PathField::changed, this,
            [this] { edit([&](TuningWork& w) { w.database = m_database->text(); }); });
}

void TuningPanel::edit(const std::function<void(TuningWork&)>& change) {
    if (m_isShowing) return;
    TuningWork next = m_model.work();
    change(next);
    m_model.setWork(next);
}

void TuningPanel::showOptions() {
    const QScopedValueRollback showing(m_isShowing, true);
    const iir2d::TuneOptions options = m_model.options();
    const auto* const mode = std::ranges::find(shownModes, options.mode);
    m_mode->setCurrentIndex(int(mode - std::begin(shownModes)));
    m_modeWords->setText(modeWords(options.mode));
    m_topK->setValue(options.top_k);
    m_threshold->setValue(options.threshold);
}

void TuningPanel::showWork() {
    const QScopedValueRollback showing(m_isShowing, true);
    const TuningWork& work = m_model.work();
    m_kind->setCurrentIndex(int(work.kind));
    m_seconds->setValue(work.seconds);
    m_problems->setValue(work.problems);
    m_set->setCurrentIndex(work.forValidation ? 1 : 0);
    m_purpose->setCurrentIndex(work.purpose);
    if (m_database->text() != work.database) m_database->setText(work.database);
    for (const auto& [widget, kinds] : m_rows) widget->setVisible((kinds & bitOfKind(work.kind)) != 0);
    const bool isRunning = m_model.isRunning();
    const QString hindrance = isRunning ? QString() : m_model.hindrance();
    for (QWidget* field :
         std::initializer_list<QWidget*>{m_kind, m_seconds, m_problems, m_set, m_purpose, m_database})
        field->setEnabled(!isRunning);
    m_run->showState(isRunning, hindrance);
}

}  // namespace workbench
