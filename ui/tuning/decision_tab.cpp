// SPDX-License-Identifier: MIT
#include "ui/tuning/decision_tab.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

#include "core/support/shell.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/tuning/tuning_model.h"
#include "ui/tuning/tuning_plots.h"
#include "ui/tuning/tuning_words.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// What is looked at where there is neither a recipe nor anything that was met.
const QString exampleSpec = QStringLiteral("filter:6 border:mirror precision:f32 size:1024x1024");

}  // namespace

DecisionTab::DecisionTab(TuningModel& model, QWidget* parent)
    : QWidget(parent),
      m_model(model),
      m_spec(new QComboBox(this)),
      m_decision(new ToneLabel(ToneLabel::Tone::normal, this)),
      m_wrong(new ToneLabel(ToneLabel::Tone::error, this)),
      m_candidates(new TextTable(tr("Candidates"), this)) {
    auto* column = makeColumn(this, smallSpacing, {0, normalSpacing, 0, 0});
    auto* row = makeRow(nullptr, normalSpacing, {normalSpacing, 0, normalSpacing, 0});
    auto* label = new QLabel(tr("Prob&lem:"), this);
    label->setBuddy(m_spec);
    m_spec->setEditable(true);
    m_spec->setInsertPolicy(QComboBox::NoInsert);
    m_spec->setObjectName(QStringLiteral("tuningSpec"));
    m_spec->setAccessibleName(tr("Problem, as a text"));
    m_spec->lineEdit()->setAccessibleName(tr("Problem, as a text"));
    m_spec->setToolTip(
        tr("One operation on planes of one size, as iir2d tune select takes it: "
           "filter:6 border:mirror precision:f32 size:640x480 planes:3. The list has the "
           "recipe's operations and the problems met last"));
    m_spec->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    guardWheel(m_spec);
    leaveUndoToWindow(m_spec->lineEdit());
    row->addWidget(label);
    row->addWidget(m_spec, 1);
    column->addLayout(row);
    auto* words =
        makeColumn(nullptr, smallSpacing, {normalSpacing, smallSpacing, normalSpacing, smallSpacing});
    m_decision->setObjectName(QStringLiteral("tuningDecision"));
    m_decision->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->addWidget(m_decision);
    words->addWidget(m_wrong);
    column->addLayout(words);
    column->addWidget(m_candidates, 1);
    connect(m_spec, &QComboBox::activated, this, [this] { m_model.explain(m_spec->currentText()); });
    connect(m_spec->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        m_spec->lineEdit()->setModified(false);
        if (m_spec->currentText() != m_model.asked()) m_model.explain(m_spec->currentText());
    });
    connect(&model, &TuningModel::decisionChanged, this, &DecisionTab::showDecision);
    connect(&model, &TuningModel::figuresChanged, this, &DecisionTab::showDecision);
    const auto fill = [this] {
        if (isVisible()) fillSpecs();  // else when it is shown
    };
    connect(&model, &TuningModel::stateRead, this, fill);
    connect(&model.session(), &Session::recipeChanged, this, fill);
    connect(&model.session(), &Session::imageChanged, this, fill);
    showDecision();
}

void DecisionTab::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    fillSpecs();
}

void DecisionTab::begin() {
    if (!m_model.asked().isEmpty()) return;
    fillSpecs();
    m_model.explain(m_spec->count() > 0 ? m_spec->itemText(0) : exampleSpec);
}

QString DecisionTab::commandLine() const {
    const iir2d::TuneOptions& options = m_model.decision().options;
    const QString threshold = QString::number(options.threshold);
    return QStringLiteral("IIR2D_TUNE=%1 iir2d tune select %2 --top-k %3 --threshold %4")
        .arg(toText(iir2d::name_of(options.mode)),
             toText(shell_quoted(m_model.decision().spec.simplified().toStdString())))
        .arg(options.top_k)
        .arg(threshold);
}

QString DecisionTab::words() const {
    return m_decision->text();
}

// A text that is being typed stays as it is.
void DecisionTab::fillSpecs() {
    QLineEdit* const edit = m_spec->lineEdit();
    const QString typed = edit->text();
    const int cursor = edit->cursorPosition();
    const bool isTyped = edit->isModified();
    QStringList specs = m_model.recipeSpecs();
    for (const QString& seen : m_model.seenSpecs()) {
        if (!specs.contains(seen)) specs << seen;
    }
    m_spec->clear();
    m_spec->addItems(specs);
    m_spec->setEditText(typed);
    edit->setCursorPosition(cursor);
    edit->setModified(isTyped);
}

void DecisionTab::showDecision() {
    const TuningDecision& decision = m_model.decision();
    const bool isTyped = m_spec->lineEdit()->isModified();  // and not asked yet
    if (!decision.spec.isEmpty() && !isTyped) m_spec->setEditText(decision.spec);
    setRefused(m_spec, decision.failure);
    m_wrong->setText(decision.failure);
    m_wrong->setVisible(!decision.failure.isEmpty());
    if (decision.spec.isEmpty() || !decision.failure.isEmpty()) {
        m_decision->setText(decision.failure.isEmpty() ? tr("Name a problem, or choose one.") : QString());
        m_candidates->setRows({tr("Config")}, {});
        return;
    }
    const iir2d::Explanation& said = decision.said;
    const iir2d::Choice& chosen = said.decision;
    QString what =
        tr("%1, because %2.").arg(toText(iir2d::text_of(chosen.config)), reasonWords(chosen.reason));
    if (chosen.predicted_ratio && chosen.config != iir2d::Config{}) {
        const bool isMeasured = chosen.reason == iir2d::TuneReason::learned;
        what +=
            QLatin1Char(' ') +
            (isMeasured ? tr("Measured: %1.") : tr("Predicted: %1.")).arg(gainWords(*chosen.predicted_ratio));
    }
    QStringList lines{what, tr("Every knob: %1").arg(toText(iir2d::text_of(chosen.resolved)))};
    if (!said.model.empty())
        lines << tr("By %1; %2 of %3 candidates cut.")
                     .arg(toText(said.model).section(QLatin1Char('/'), 0, 1))
                     .arg(said.filtered)
                     .arg(said.candidates.size());
    lines << tr("Key: %1").arg(toText(said.key));
    m_decision->setText(lines.join(QLatin1Char('\n')));
    const TuningFiguresPtr& figures = m_model.figures();
    auto [headers, rows] =
        candidateRows(said, decision.options, figures ? figures->problemOfKey(said.key) : nullptr);
    m_candidates->setRows(headers, std::move(rows));
}

}  // namespace workbench
