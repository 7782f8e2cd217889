// SPDX-License-Identifier: MIT
#include "ui/solve/solve_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>

#include "iir2d/filter.h"
#include "ui/solve/solve_model.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/path_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr unsigned bitOf(SolveProblem problem) {
    return 1U << unsigned(problem);
}
constexpr unsigned onLine = bitOf(SolveProblem::poisson1d), onSquare = bitOf(SolveProblem::poisson2d),
                   ofHeat = bitOf(SolveProblem::heat), ofFit = bitOf(SolveProblem::fit),
                   ofDescent = bitOf(SolveProblem::quadratic) | bitOf(SolveProblem::rosenbrock) |
                               bitOf(SolveProblem::logistic),
                   ofAll = (1U << unsigned(solveProblemCount)) - 1;

// The range of a number.
template <class Number>
const NumberChoice<Number>& rangeOf(std::span<const NumberChoice<Number>> all, Number SolveChoices::*value) {
    return *std::ranges::find(all, value, &NumberChoice<Number>::value);
}

}  // namespace

SolveForm::SolveForm(SolveModel& model, QWidget* parent)
    : QWidget(parent), m_model(model), m_grid(new QGridLayout(this)) {
    setObjectName(QStringLiteral("solveForm"));
    m_grid->setContentsMargins(normalSpacing, normalSpacing, normalSpacing, normalSpacing);
    m_grid->setHorizontalSpacing(normalSpacing);
    m_grid->setVerticalSpacing(smallSpacing);
    m_grid->setColumnStretch(1, 1);
    addProblem();
    addEquations();
    addMinimisations();
    addCommon();
    m_grid->setRowStretch(m_grid->rowCount(), 1);
    connect(&model, &SolveModel::stateChanged, this, &SolveForm::showChoices);
    showChoices();
}

SolveForm::Row& SolveForm::addRow(const QString& label, QWidget* field, const QString& spoken,
                                  const QString& help, const QString& range, unsigned problems) {
    const int row = m_grid->rowCount();
    auto* text = new QLabel(label, this);
    text->setBuddy(field);
    text->setToolTip(help);
    field->setToolTip(range.isEmpty() ? help : tr("%1. Range: %2").arg(help, range));
    field->setAccessibleName(spoken);
    m_grid->addWidget(text, row, 0);
    m_grid->addWidget(field, row, 1, 1, range.isEmpty() ? 2 : 1);
    Row made{.problems = problems, .field = field, .widgets = {text, field}};
    if (!range.isEmpty()) {
        auto* beside = new ToneLabel(ToneLabel::Tone::muted, this);
        beside->setWordWrap(false);
        beside->setText(range);
        m_grid->addWidget(beside, row, 2);
        made.widgets.push_back(beside);
    }
    m_rows.push_back(std::move(made));
    return m_rows.back();
}

template <class Value>
SolveForm::Row& SolveForm::addChoice(const QString& label, Value SolveChoices::*value,
                                     const std::vector<Value>& values, const QStringList& names,
                                     const QString& spoken, const QString& help, unsigned problems) {
    QComboBox* box = choiceBox(names, this);
    connect(box, &QComboBox::currentIndexChanged, this, [this, value, values](int index) {
        edit([&](SolveChoices& c) { c.*value = values[std::size_t(index)]; });
    });
    Row& row = addRow(label, box, spoken, help, {}, problems);
    row.show = [box, value, values](const SolveChoices& c) {
        box->setCurrentIndex(int(std::ranges::find(values, c.*value) - values.begin()));
    };
    return row;
}

template <class Value>
SolveForm::Row& SolveForm::addChoice(const QString& label, Value SolveChoices::*value,
                                     const QStringList& names, const QString& spoken, const QString& help,
                                     unsigned problems) {
    std::vector<Value> values;
    for (int k = 0; k < int(names.size()); ++k) values.push_back(static_cast<Value>(k));
    return addChoice(label, value, values, names, spoken, help, problems);
}

SolveForm::Row& SolveForm::addCount(const QString& label, int SolveChoices::*value, const QString& spoken,
                                    const QString& help, unsigned problems) {
    const auto& range = rangeOf(countChoices(), value);
    auto* box = new CountBox(range.least, this);
    box->setMaximum(range.most);
    connect(box, &QSpinBox::valueChanged, this,
            [this, value](int number) { edit([&](SolveChoices& c) { c.*value = number; }); });
    Row& row = addRow(label, box, spoken, help, tr("%1 to %2").arg(range.least).arg(range.most), problems);
    row.show = [box, value](const SolveChoices& c) { box->setValue(c.*value); };
    return row;
}

SolveForm::Row& SolveForm::addReal(const QString& label, double SolveChoices::*value, const QString& spoken,
                                   const QString& help, unsigned problems) {
    const auto& range = rangeOf(realChoices(), value);
    auto* box = new NumberBox(this);
    box->setRange(range.least, range.most);
    if (range.least > 0)
        box->setScale(SliderScale(range.least, range.most, range.least));
    else
        box->setSingleStep(0.1);
    connect(box, &QDoubleSpinBox::valueChanged, this,
            [this, value](double number) { edit([&](SolveChoices& c) { c.*value = number; }); });
    Row& row = addRow(label, box, spoken, help,
                      tr("%1 to %2").arg(shortNumber(range.least), shortNumber(range.most)), problems);
    row.show = [box, value](const SolveChoices& c) { box->setValue(c.*value); };
    return row;
}

void SolveForm::addProblem() {
    QComboBox* box = choiceBox({tr("-u'' = f on (0,1)"), tr("-∆u = f on the square"), tr("Heat"),
                                tr("Quadratic"), tr("Rosenbrock"), tr("Logistic"), tr("Fit a filter")},
                               this);
    box->setObjectName(QStringLiteral("solveProblem"));
    connect(box, &QComboBox::currentIndexChanged, this, [this](int index) {
        edit([&](SolveChoices& c) { c = withProblem(c, static_cast<SolveProblem>(index)); });
    });
    addRow(tr("Prob&lem"), box, tr("Problem"), tr("What is solved"), {}, ofAll).show =
        [box](const SolveChoices& c) { box->setCurrentIndex(int(c.problem)); };
}

void SolveForm::addEquations() {
    const QString nodes = tr("&Nodes"), method = tr("Me&thod"), start = tr("St&art");
    addCount(nodes, &SolveChoices::lineNodes, tr("Interior nodes"), tr("Nodes between the ends"), onLine);
    addChoice(method, &SolveChoices::lineMethod,
              {tr("Elimination (Thomas)"), tr("Jacobi"), tr("Gauss and Seidel"), tr("Conjugate gradients")},
              tr("Method of solving"), tr("How the system is solved"), onLine);
    addChoice(tr("Ri&ght-hand side"), &SolveChoices::lineRhs, {tr("Sine"), tr("Polynomial")},
              tr("Right-hand side"), tr("f, and with it the exact solution"), onLine);
    addReal(tr("u(0)"), &SolveChoices::leftEnd, tr("Value at the left end"), tr("The solution at 0"), onLine);
    addReal(tr("u(1)"), &SolveChoices::rightEnd, tr("Value at the right end"), tr("The solution at 1"),
            onLine);

    addCount(nodes, &SolveChoices::squareNodes, tr("Interior corners along a side"),
             tr("Corners of triangles between two sides"), onSquare);
    addChoice(tr("Trian&gles"), &SolveChoices::degree, {1, 2}, {tr("Linear (P1)"), tr("Quadratic (P2)")},
              tr("Functions on triangles"), tr("Of which degree the functions on a triangle are"), onSquare);
    addChoice(tr("&Mesh"), &SolveChoices::isPerturbed, {tr("Uniform"), tr("Perturbed")}, tr("Mesh"),
              tr("Perturbed: every corner inside is moved by at most 0.2 h"), onSquare);
    addChoice(tr("E&xact solution"), &SolveChoices::squareSolution, {tr("Sine"), tr("Polynomial")},
              tr("Exact solution"), tr("The solution that f and the boundary are made for"), onSquare);
    addChoice(method, &SolveChoices::squareMethod,
              {tr("Cholesky"), tr("Conjugate gradients"), tr("Multigrid")}, tr("Method of solving"),
              tr("Multigrid: linear triangles on the uniform mesh, nodes one less than a power of two"),
              onSquare);

    addCount(nodes, &SolveChoices::heatNodes, tr("Nodes of the rod"),
             tr("Interior nodes; with insulated ends, cells"), ofHeat);
    addReal(tr("Time &step"), &SolveChoices::dt, tr("Time step"), tr("The explicit scheme has a largest one"),
            ofHeat);
    addCount(tr("Steps"), &SolveChoices::heatSteps, tr("Number of time steps"), tr("How many time steps"),
             ofHeat);
    addChoice(method, &SolveChoices::scheme,
              {tr("Explicit (Euler)"), tr("Implicit (Euler)"), tr("Crank and Nicolson")}, tr("Time scheme"),
              tr("How a time step is taken"), ofHeat);
    addReal(tr("Conductivit&y"), &SolveChoices::conductivity, tr("Conductivity"), tr("k of u_t = k u_xx"),
            ofHeat);
    addChoice(tr("En&ds"), &SolveChoices::isInsulated, {tr("Fixed"), tr("Insulated")}, tr("Ends of the rod"),
              tr("Fixed: as they begin. Insulated: no heat flows out"), ofHeat);
    addChoice(start, &SolveChoices::heatStart, {tr("Sine"), tr("Step"), tr("Row of the open image")},
              tr("Heat at the start"), tr("What the rod begins with"), ofHeat);
    Row& row = addCount(tr("Ro&w"), &SolveChoices::row, tr("Row of the image"),
                        tr("Counted from 0; its first channel is the start"), ofHeat);
    row.counts = [](const SolveChoices& c) { return c.heatStart == solve::Heat::Start::samples; };
    m_rowRange = static_cast<QLabel*>(row.widgets.back());
}

void SolveForm::addMinimisations() {
    QStringList filters;
    const std::vector<int> fitted = solve::fitted_filters();
    for (const int id : fitted)
        filters << QStringLiteral("%1: %2").arg(id).arg(
            toText(iir2d::filter_table()[std::size_t(id - 1)].name));
    addChoice(tr("Filter"), &SolveChoices::fitFilter, fitted, filters, tr("Filter to fit"),
              tr("The filter whose one parameter is tuned"), ofFit);
    m_target = new PathField(tr("Target image"), tr("Choose the target image"), PathField::What::file, this);
    addRow(tr("Tar&get"), m_target, tr("Target image"),
           tr("What the filter is to make of the open image: of its size and channels"), {}, ofFit)
        .show = [this](const SolveChoices& c) {
        if (m_target->text() != c.target) m_target->setText(c.target);
    };
    connect(m_target, &PathField::changed, this,
            [this] { edit([&](SolveChoices& c) { c.target = m_target->text(); }); });
    addReal(tr("St&art"), &SolveChoices::fitStart, tr("Parameter at the start"),
            tr("Where the parameter begins"), ofFit);
    const QStringList methods{tr("Gradient descent"), tr("Adam")};
    addChoice(tr("Me&thod"), &SolveChoices::fitMethod, methods, tr("Method of minimising"),
              tr("How steps are taken"), ofFit);
    addCount(tr("&Number of steps"), &SolveChoices::fitSteps, tr("Number of steps"),
             tr("So many, unless the gradient is 0 before"), ofFit);

    addChoice(tr("Me&thod"), &SolveChoices::descent, methods, tr("Method of minimising"),
              tr("How steps are taken"), ofDescent);
    addReal(tr("St&art, first"), &SolveChoices::startA, tr("First parameter at the start"),
            tr("Where the path begins"), ofDescent);
    addReal(tr("Start, second"), &SolveChoices::startB, tr("Second parameter at the start"),
            tr("Where the path begins"), ofDescent);
    addCount(tr("&Number of steps"), &SolveChoices::descentSteps, tr("Number of steps"),
             tr("0: until the gradient's norm is at the tolerance"), ofDescent);
    addReal(tr("&Step length"), &SolveChoices::stepLength, tr("Length of a step"),
            tr("0: by Armijo's rule, of Adam 0.1"), ofDescent | ofFit);
}

void SolveForm::addCommon() {
    addReal(tr("Toleran&ce"), &SolveChoices::tolerance, tr("Tolerance"),
            tr("Stop when the relative residual, or the gradient's norm, is below this"), ofAll);
    addCount(tr("Most &iterations"), &SolveChoices::maxIterations, tr("Most iterations"),
             tr("Ends there if the tolerance is not reached"), ofAll);
    addCount(tr("Si&zes"), &SolveChoices::sizes, tr("Number of sizes"),
             tr("Solves so many, each twice as fine, and shows how errors fall"), onLine | onSquare | ofHeat);
    addChoice(tr("Engine"), &SolveChoices::engine, {tr("Compiled"), tr("Interpreter"), tr("LLVM"), tr("PTX")},
              tr("Engine"),
              tr("What runs the kernels: the same bits, other speeds. LLVM and PTX need their compilers"),
              ofAll);
    addCount(tr("Threads"), &SolveChoices::threads, tr("Threads"), tr("0 is all; changes no result"), ofAll);
    addCount(tr("Seed"), &SolveChoices::seed, tr("Seed"), tr("Seed of the random draws"),
             onSquare | bitOf(SolveProblem::logistic));
}

void SolveForm::edit(const std::function<void(SolveChoices&)>& change) {
    if (m_isShowing) return;
    SolveChoices next = m_model.choices();
    change(next);
    m_model.setChoices(next);
}

void SolveForm::showChoices() {
    const QScopedValueRollback showing(m_isShowing, true);
    const SolveChoices& choices = m_model.choices();
    const ImagePtr image = m_model.image();
    m_rowRange->setText(image ? tr("0 to %1").arg(image->pixels.height() - 1) : tr("no image is open"));
    for (Row& row : m_rows) {
        const bool isOf = (row.problems & bitOf(choices.problem)) != 0;
        for (QWidget* widget : row.widgets) widget->setVisible(isOf);
        row.field->setEnabled(!m_model.isRunning() && (!row.counts || row.counts(choices)));
        if (row.show) row.show(choices);
    }
}

}  // namespace workbench
