// SPDX-License-Identifier: MIT
#include "ui/operations/filter_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <string>

#include "ui/operations/parameter_row.h"

namespace workbench {
namespace {

// Controls are numbered for merging undo steps and for placing refusals: the parameters from 1 on.
enum Control { first_parameter = 1, border = 101, border_constant, precision, start, gain };

// The spin box takes what a float image may hold; the slider covers an integer image.
constexpr iir2d::FilterParameter constant_parameter{
    .name = "border_const",
    .label = "Constant",
    .unit = "",
    .minimum = -1e6,
    .maximum = 1e6,
    .default_value = 0,
    .step = 0.01,
    .help = "The value read outside the picture; 0 is black, 1 is white."};

struct Choice {
    QString text;
    QString help;
};

// What the truncated start does to the picture. The figures: docs/recipes.md.
QString startNote(int filterId) {
    constexpr int deriche = 6;
    return filterId == deriche ? FilterEditor::tr(
                                     "Truncated darkens towards the edges: a 512 × 512 photograph loses 7 % "
                                     "of its mean at sigma 20, "
                                     "38 % at sigma 100. Steady keeps it.")
                               : FilterEditor::tr(
                                     "Truncated darkens towards the edges, a wide filter more than a narrow "
                                     "one. Steady does not.");
}

QComboBox* addChoice(FormGrid& grid, const QString& label, const QString& help,
                     std::initializer_list<Choice> choices) {
    auto* combo = new QComboBox(grid.parent());
    for (const Choice& each : choices) {
        combo->addItem(each.text);
        combo->setItemData(combo->count() - 1, each.help, Qt::ToolTipRole);
    }
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo->setMinimumContentsLength(8);
    combo->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    combo->setToolTip(help);
    guardWheel(combo);
    grid.addLabel(label, combo, help);
    grid.add(combo, 1, 2);
    return combo;
}

}  // namespace

FilterEditor::FilterEditor(const iir2d::FilterRow& filter, QWidget* parent)
    : QWidget(parent), m_filterId(filter.id), m_parameters(filter.parameters) {
    FormGrid grid(this);
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        auto* row = new ParameterRow(grid, m_parameters[i]);
        connect(row, &ParameterRow::valueEdited, this, [this, i](double value) { setParameter(i, value); });
        connect(row, &ParameterRow::finished, this, &FilterEditor::finished);
        m_rows.push_back(row);
    }
    buildBorder(grid);
    buildArithmetic(grid);
    m_refusal = grid.addRefusalLine();
    connect(m_refusal, &RefusalLine::revertRequested, this, [this] { setOperation(m_inForce); });
    setOperation({.filter_id = m_filterId});
}

void FilterEditor::buildBorder(FormGrid& grid) {
    m_border = addChoice(grid, tr("Bor&der"), tr("What is read outside the picture"),
                         {{tr("Clamp"), tr("The sample at the edge is repeated")},
                          {tr("Mirror"), tr("The picture is mirrored at its edge")},
                          {tr("Wrap"), tr("The picture repeats periodically")},
                          {tr("Constant"), tr("Every sample is one value")}});
    connect(m_border, &QComboBox::activated, this, [this](int index) {
        m_draft.border = iir2d::Border(index);
        m_constant->setEnabled(m_draft.border == iir2d::Border::constant);
        Q_EMIT edited(m_draft, border, tr("border"));
    });

    m_constant = new ParameterRow(grid, constant_parameter, SliderScale(0, 1, 0.01));
    connect(m_constant, &ParameterRow::valueEdited, this, [this](double value) {
        m_draft.border_const = value;
        Q_EMIT edited(m_draft, border_constant, tr("border constant"));
    });
    connect(m_constant, &ParameterRow::finished, this, &FilterEditor::finished);
}

void FilterEditor::buildArithmetic(FormGrid& grid) {
    m_precision = addChoice(grid, tr("Precisio&n"), tr("How numbers are stored and computed"),
                            {{tr("32-bit (f32)"), tr("32-bit storage and arithmetic: the fastest")},
                             {tr("Mixed"), tr("32-bit storage, 64-bit arithmetic")},
                             {tr("64-bit (f64)"), tr("64-bit storage and arithmetic")}});
    connect(m_precision, &QComboBox::activated, this, [this](int index) {
        m_draft.precision = iir2d::Precision(index);
        Q_EMIT edited(m_draft, precision, tr("precision"));
    });

    m_start =
        addChoice(grid, tr("S&tart"), tr("What the first sample of a line remembers of the border"),
                  {{tr("Truncated"), tr("A few border samples: a wide filter darkens towards the edges")},
                   {tr("Steady"), tr("An endless border: the brightness stays up to the edges")}});
    connect(m_start, &QComboBox::activated, this, [this](int index) {
        m_draft.start = iir2d::Start(index);
        showStartNote();
        Q_EMIT edited(m_draft, start, tr("start"));
    });

    m_startNote = new ToneLabel(ToneLabel::Tone::muted, grid.parent());
    m_startNote->setText(startNote(m_filterId));
    grid.addRow();
    grid.add(m_startNote, 1, 3);

    m_gain = new QCheckBox(tr("Normalise &gain"), grid.parent());
    m_gain->setAccessibleName(tr("Normalise gain"));
    m_gain->setToolTip(tr("Divide by the gain at frequency zero, so that the brightness stays"));
    grid.addRow();
    grid.add(m_gain, 1, 3);
    connect(m_gain, &QCheckBox::clicked, this, [this](bool on) {
        m_draft.normalise_gain = on;
        Q_EMIT edited(m_draft, gain, tr("normalise gain"));
    });
}

double FilterEditor::parameterOf(const FilterOperation& operation, std::size_t index) const {
    const auto given = operation.parameters.find(std::string(m_parameters[index].name));
    return given != operation.parameters.end() ? given->second : m_parameters[index].default_value;
}

void FilterEditor::setParameter(std::size_t index, double value) {
    const std::string name(m_parameters[index].name);
    if (value == m_parameters[index].default_value) {
        m_draft.parameters.erase(name);
    } else {
        m_draft.parameters[name] = value;
    }
    Q_EMIT edited(m_draft, first_parameter + int(index), m_rows[index]->label());
}

void FilterEditor::setOperation(const FilterOperation& operation) {
    m_inForce = operation;
    m_draft = operation;
    clearRefusals();
    showDraft();
}

void FilterEditor::showDraft() {
    for (std::size_t i = 0; i < m_rows.size(); ++i) m_rows[i]->setValue(parameterOf(m_draft, i));
    m_border->setCurrentIndex(int(m_draft.border));
    m_constant->setEnabled(m_draft.border == iir2d::Border::constant);
    m_constant->setValue(m_draft.border_const);
    m_precision->setCurrentIndex(int(m_draft.precision));
    m_start->setCurrentIndex(int(m_draft.start));
    showStartNote();
    m_gain->setChecked(m_draft.normalise_gain);
}

void FilterEditor::showStartNote() {
    m_startNote->setVisible(m_draft.start == iir2d::Start::truncated);
}

void FilterEditor::clearRefusals() {
    for (ParameterRow* row : m_rows) row->clearRefusal();
    m_constant->clearRefusal();
    m_refusal->clear();
}

void FilterEditor::accept() {
    m_inForce = m_draft;
    clearRefusals();
}

void FilterEditor::refuse(int control, const QString& reason) {
    clearRefusals();
    const int index = control - first_parameter;
    if (std::cmp_less(index, m_rows.size())) {
        m_rows[std::size_t(index)]->refuse(reason, parameterOf(m_inForce, std::size_t(index)));
    } else if (control == border_constant) {
        m_constant->refuse(reason, m_inForce.border_const);
    } else {
        m_refusal->setReason(reason, tr("what was"));
    }
}

}  // namespace workbench
