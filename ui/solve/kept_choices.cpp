// SPDX-License-Identifier: MIT
// Choices as JSON, and what they may be.
#include <QJsonDocument>
#include <QJsonObject>
#include <QThread>
#include <algorithm>
#include <limits>

#include "iir2d/filter.h"
#include "ui/solve/solve_choices.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

constexpr int largest = std::numeric_limits<int>::max();

constexpr std::array<std::string_view, std::size_t(solveProblemCount)> problemNames{
    "poisson1d", "poisson2d", "heat", "quadratic", "rosenbrock", "logistic", "fit"};

// Calls visit(name, value, names) for all that is chosen among names.
template <class Choices, class Visit>
void eachNamed(Choices& c, const Visit& visit) {
    using namespace solve;  // NOLINT(google-build-using-namespace): what is listed is of it
    visit("problem", c.problem, std::span(problemNames));
    visit("line_method", c.lineMethod, std::span(names_of<Poisson1d::Method>));
    visit("line_rhs", c.lineRhs, std::span(names_of<Poisson1d::Rhs>));
    visit("square_solution", c.squareSolution, std::span(names_of<Poisson2d::Exact>).first(2));
    visit("square_method", c.squareMethod, std::span(names_of<Poisson2d::Method>));
    visit("scheme", c.scheme, std::span(names_of<Heat::Scheme>));
    visit("heat_start", c.heatStart, std::span(names_of<Heat::Start>));
    visit("descent", c.descent, std::span(names_of<Descent>));
    visit("fit_method", c.fitMethod, std::span(names_of<Descent>));
    visit("engine", c.engine, std::span(names_of<EngineKind>));
}

constexpr std::pair<const char*, bool SolveChoices::*> switches[] = {
    {"is_perturbed", &SolveChoices::isPerturbed}, {"is_insulated", &SolveChoices::isInsulated}};

}  // namespace

std::span<const NumberChoice<int>> countChoices() {
    using C = SolveChoices;
    static const NumberChoice<int> all[] = {
        {"line_nodes", &C::lineNodes, 1, 1'000'000},
        {"square_nodes", &C::squareNodes, 1, 2047},
        {"degree", &C::degree, 1, 2},
        {"heat_nodes", &C::heatNodes, 1, 100'000},
        {"heat_steps", &C::heatSteps, 1, 1'000'000},
        {"row", &C::row, 0, largest},
        {"descent_steps", &C::descentSteps, 0, 1'000'000},
        {"fit_filter", &C::fitFilter, 1, int(iir2d::filter_table().size())},
        {"fit_steps", &C::fitSteps, 1, 100'000},
        {"max_iterations", &C::maxIterations, 1, 100'000'000},
        {"sizes", &C::sizes, 1, 8},
        {"threads", &C::threads, 0, std::max(1, QThread::idealThreadCount())},
        {"seed", &C::seed, 0, largest}};
    return all;
}

std::span<const NumberChoice<double>> realChoices() {
    using C = SolveChoices;
    // Of those filters that are fitted, the same.
    static const iir2d::FilterParameter& fitted = iir2d::filter_table().front().parameters.front();
    static const NumberChoice<double> all[] = {{"left_end", &C::leftEnd, -1e6, 1e6},
                                               {"right_end", &C::rightEnd, -1e6, 1e6},
                                               {"dt", &C::dt, 1e-12, 1e6},
                                               {"conductivity", &C::conductivity, 1e-6, 1e6},
                                               {"step_length", &C::stepLength, 0, 1e6},
                                               {"start_a", &C::startA, -1e6, 1e6},
                                               {"start_b", &C::startB, -1e6, 1e6},
                                               {"fit_start", &C::fitStart, fitted.minimum, fitted.maximum},
                                               {"tolerance", &C::tolerance, 1e-16, 1}};
    return all;
}

QString toJson(const SolveChoices& choices) {
    QJsonObject json;
    eachNamed(choices, [&](const char* name, auto value, auto names) {
        json[QLatin1String(name)] = toText(names[std::size_t(value)]);
    });
    for (const auto& [name, value] : switches) json[QLatin1String(name)] = choices.*value;
    for (const auto& number : countChoices()) json[QLatin1String(number.name)] = choices.*number.value;
    for (const auto& number : realChoices()) json[QLatin1String(number.name)] = choices.*number.value;
    json[QStringLiteral("target")] = choices.target;
    return QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

SolveChoices solveChoicesFrom(const QString& json) {
    const QJsonObject read = QJsonDocument::fromJson(json.toUtf8()).object();
    const auto at = [&](const char* name) { return read[QLatin1String(name)]; };
    SolveChoices made;
    eachNamed(made, [&](const char* name, auto& value, auto names) {
        const auto found = std::ranges::find(names, at(name).toString().toStdString());
        if (found != names.end())
            value = static_cast<std::remove_reference_t<decltype(value)>>(found - names.begin());
    });
    for (const auto& [name, value] : switches) made.*value = at(name).toBool(made.*value);
    const auto take = [&](const auto& number, auto value) {
        if (value >= number.least && value <= number.most) made.*number.value = value;
    };
    for (const auto& number : countChoices()) take(number, at(number.name).toInt(made.*number.value));
    for (const auto& number : realChoices()) take(number, at(number.name).toDouble(made.*number.value));
    const std::vector<int> fitted = solve::fitted_filters();
    if (std::ranges::find(fitted, made.fitFilter) == fitted.end()) made.fitFilter = SolveChoices().fitFilter;
    made.target = at("target").toString();
    return made;
}

}  // namespace workbench
