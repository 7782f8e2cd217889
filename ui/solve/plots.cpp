// SPDX-License-Identifier: MIT
#include "ui/solve/plots.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/solve/contours.h"

namespace workbench {
namespace {

constexpr qsizetype mostPoints = 4000;  // of a line: more than a screen has columns
constexpr int contourCount = 14;
constexpr int fieldSide = 121;  // values of an objective

QString plotText(const char* text) {
    return QCoreApplication::translate("SolvePlots", text);
}

// Of more places than are drawn, in each part the one of the least value and the one of the largest.
QList<QPointF> thinned(const QList<QPointF>& all) {
    if (all.size() <= mostPoints) return all;
    QList<QPointF> made;
    const qsizetype parts = mostPoints / 2;
    for (qsizetype part = 0; part < parts; ++part) {
        const auto from = all.begin() + all.size() * part / parts;
        const auto to = all.begin() + all.size() * (part + 1) / parts;
        auto [low, high] =
            std::minmax_element(from, to, [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); });
        if (high < low) std::swap(low, high);
        made << *low;
        if (high != low) made << *high;
    }
    return made;
}

QList<QPointF> pointsOf(const std::vector<double>& x, const std::vector<double>& y) {
    QList<QPointF> made;
    made.reserve(qsizetype(x.size()));
    for (std::size_t k = 0; k < x.size() && k < y.size(); ++k) {
        if (std::isfinite(y[k])) made << QPointF(x[k], y[k]);
    }
    return thinned(made);
}

void reach(std::optional<std::pair<double, double>>& range, const std::vector<double>& values) {
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        if (!range) range.emplace(value, value);
        range->first = std::min(range->first, value);
        range->second = std::max(range->second, value);
    }
}

QString errorsText(const solve::Errors& errors) {
    if (!errors.max) return {};
    return plotText("largest error %1, L2 %2, H1 %3")
        .arg(shortNumber(*errors.max), shortNumber(errors.l2.value_or(0)),
             shortNumber(errors.h1.value_or(0)));
}

}  // namespace

Plot solutionPlot(const solve::Solved& solved, int snapshot) {
    Plot made{.xTitle = QStringLiteral("x"), .yTitle = QStringLiteral("u")};
    const solve::Solution& s = solved.solution;
    if (s.computed.empty() || !s.y.empty()) {
        made.nothing = plotText("No solution in one dimension");
        return made;
    }
    const bool isHeat = !solved.snapshots.empty();
    const auto at = isHeat ? std::size_t(std::clamp(snapshot, 0, int(solved.snapshots.size()) - 1)) : 0;
    const std::vector<double>& computed = isHeat ? solved.snapshots[at].computed : s.computed;
    const std::vector<double>& exact = isHeat ? solved.snapshots[at].exact : s.exact;
    if (isHeat) {
        made.heading = plotText("Step %1 of %2, t = %3")
                           .arg(solved.snapshots[at].step)
                           .arg(solved.snapshots.back().step)
                           .arg(shortNumber(solved.snapshots[at].time));
        made.lines.push_back({.name = plotText("Start"),
                              .points = pointsOf(s.x, solved.snapshots.front().computed),
                              .style = Plot::Style::guide,
                              .colour = 0});
        // Of all times, so that the axis stands still while time goes on.
        for (const solve::Snapshot& one : solved.snapshots) reach(made.yRange, one.computed);
    } else {
        made.heading = plotText("Solution, %1 nodes").arg(solved.n);
    }
    if (!exact.empty())
        made.lines.push_back({.name = plotText("Exact"),
                              .points = pointsOf(s.x, exact),
                              .style = Plot::Style::line,
                              .colour = 1});
    made.lines.push_back({.name = plotText("Computed"),
                          .points = pointsOf(s.x, computed),
                          .style = exact.empty() ? Plot::Style::line : Plot::Style::dashes,
                          .colour = 0});
    made.xRange.emplace(0.0, 1.0);
    std::optional<std::pair<double, double>> range;
    reach(range, computed);
    made.words = made.heading;
    if (range)
        made.words += QStringLiteral(". ") + plotText("Computed values from %1 to %2")
                                                 .arg(shortNumber(range->first), shortNumber(range->second));
    if (const QString errors = errorsText(solved.errors); !isHeat && !errors.isEmpty())
        made.words += QStringLiteral("; ") + errors;
    return made;
}

Plot historyPlot(const std::vector<solve::HistoryStep>& history, const QString& heading) {
    Plot made{.heading = heading,
              .xTitle = plotText("Iteration"),
              .yTitle = plotText("Residual"),
              .isLogY = true,
              .countsX = true};
    QList<QPointF> residual, objective, gradient;
    const auto add = [](QList<QPointF>& to, std::int64_t iteration, const std::optional<double>& value) {
        if (value && std::isfinite(*value) && *value > 0) to << QPointF(double(iteration), *value);
    };
    for (const solve::HistoryStep& step : history) {
        add(residual, step.iteration, step.residual);
        add(objective, step.iteration, step.objective);
        add(gradient, step.iteration, step.gradient_norm);
    }
    const auto line = [&](const QString& name, const QList<QPointF>& points, int colour) {
        if (points.isEmpty()) return;
        made.lines.push_back({.name = name,
                              .points = thinned(points),
                              .style = points.size() <= 40 ? Plot::Style::points : Plot::Style::line,
                              .colour = colour});
        made.words += plotText("%1 from %2 to %3 over %4 iterations. ")
                          .arg(name, shortNumber(points.front().y()), shortNumber(points.back().y()))
                          .arg(std::int64_t(points.back().x()));
    };
    line(plotText("Residual"), residual, 0);
    line(plotText("Objective"), objective, 0);
    line(plotText("Gradient's norm"), gradient, 1);
    if (!objective.isEmpty() || !gradient.isEmpty()) made.yTitle = plotText("Objective, gradient's norm");
    if (made.lines.empty()) made.nothing = plotText("No residual above 0 yet");
    return made;
}

std::optional<ErrorLine> fittedLine(const QList<QPointF>& errorsByH) {
    if (errorsByH.size() < 2) return std::nullopt;
    double x = 0, y = 0;
    for (const QPointF& p : errorsByH) {
        x += std::log(p.x()) / double(errorsByH.size());
        y += std::log(p.y()) / double(errorsByH.size());
    }
    double across = 0, up = 0;
    for (const QPointF& p : errorsByH) {
        across += (std::log(p.x()) - x) * (std::log(p.x()) - x);
        up += (std::log(p.x()) - x) * (std::log(p.y()) - y);
    }
    if (!(across > 0)) return std::nullopt;
    return ErrorLine{.rate = up / across, .atOne = y - up / across * x};
}

QPointF ErrorLine::at(double h) const {
    return {h, std::exp(atOne + rate * std::log(h))};
}

Plot errorsPlot(const std::vector<solve::Solved>& sizes) {
    Plot made{.heading = plotText("Errors by h"),
              .xTitle = plotText("h"),
              .yTitle = plotText("Error"),
              .isLogX = true,
              .isLogY = true};
    struct Kind {
        QString name;
        std::optional<double> solve::Errors::*error;
    };
    const std::array kinds{Kind{plotText("Largest"), &solve::Errors::max},
                           Kind{plotText("L2"), &solve::Errors::l2},
                           Kind{plotText("H1"), &solve::Errors::h1}};
    QPointF coarsest;
    double finest = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        QList<QPointF> points;
        for (const solve::Solved& one : sizes) {
            const std::optional<double>& error = one.errors.*kinds[k].error;
            if (error && *error > 0 && std::isfinite(*error) && one.h > 0) points << QPointF(one.h, *error);
        }
        const auto line = fittedLine(points);
        if (!line) continue;
        const QString name = plotText("%1, rate %2").arg(kinds[k].name, QString::number(line->rate, 'f', 2));
        made.lines.push_back({.name = name,
                              .points = {line->at(points.front().x()), line->at(points.back().x())},
                              .style = Plot::Style::line,
                              .colour = int(k)});
        made.lines.push_back({.points = points, .style = Plot::Style::points, .colour = int(k)});
        made.words += name + QStringLiteral(". ");
        if (kinds[k].error == &solve::Errors::l2 || coarsest.isNull()) {
            coarsest = {points.front().x(), points.front().y() / 2};
            finest = points.back().x();
        }
    }
    if (made.lines.empty()) {
        made.nothing = sizes.size() < 2 ? plotText("Solve two sizes or more to see how errors fall with h")
                                        : plotText("No errors above 0 are known at two sizes");
        return made;
    }
    for (int slope = 1; slope <= 3; ++slope) {
        const double fall = std::pow(finest / coarsest.x(), slope);
        made.lines.push_back({.name = plotText("Slope %1").arg(slope),
                              .points = {coarsest, {finest, coarsest.y() * fall}},
                              .style = Plot::Style::guide,
                              .colour = slope});
    }
    return made;
}

solve::Rectangle rectangleAround(const std::vector<solve::HistoryStep>& history) {
    std::array<std::optional<std::pair<double, double>>, 2> ranges;
    for (const solve::HistoryStep& step : history) {
        if (step.parameters.size() < 2) continue;
        reach(ranges[0], {step.parameters[0]});
        reach(ranges[1], {step.parameters[1]});
    }
    const auto wide = [](const std::optional<std::pair<double, double>>& range, double other) {
        const auto [low, high] = range.value_or(std::pair(0.0, 1.0));
        // A path along one axis has its surroundings seen too.
        const double room = std::max({0.15 * (high - low), 0.25 * other, 1e-3});
        return std::array{low - room, high + room};
    };
    const auto length = [](const auto& range) { return range ? range->second - range->first : 0.0; };
    return {.x = wide(ranges[0], length(ranges[1])),
            .y = wide(ranges[1], length(ranges[0])),
            .columns = fieldSide,
            .rows = fieldSide};
}

Plot pathPlot(const solve::Solved& solved, const ObjectiveField& field) {
    Plot made{.xTitle = plotText("First parameter"), .yTitle = plotText("Second parameter")};
    QList<QPointF> path;
    for (const solve::HistoryStep& step : solved.history) {
        if (step.parameters.size() < 2 || !std::isfinite(step.parameters[0] + step.parameters[1])) continue;
        path << QPointF(step.parameters[0], step.parameters[1]);
    }
    if (path.isEmpty()) {
        made.nothing = plotText("No path of two parameters");
        return made;
    }
    for (const double level : contourLevels(field.values, contourCount))
        made.contours.push_back({level, contourLines(field.values, field.where, level)});
    made.xRange.emplace(field.where.x[0], field.where.x[1]);
    made.yRange.emplace(field.where.y[0], field.where.y[1]);
    made.heading =
        plotText("The path to %1, %2").arg(shortNumber(path.back().x()), shortNumber(path.back().y()));
    made.words = plotText("%1 in %2 steps from %3, %4, over contours of the objective")
                     .arg(made.heading)
                     .arg(solved.iterations)
                     .arg(shortNumber(path.front().x()), shortNumber(path.front().y()));
    // Of a long path every second step and so on: in its order, not by value.
    QList<QPointF> drawn;
    const qsizetype stride = std::max<qsizetype>(1, path.size() / mostPoints);
    for (qsizetype k = 0; k < path.size(); k += stride) drawn << path[k];
    drawn << path.back();
    made.lines.push_back(
        {.name = plotText("Path"), .points = drawn, .style = Plot::Style::path, .colour = 0});
    made.lines.push_back(
        {.name = plotText("Start"), .points = {path.front()}, .style = Plot::Style::points, .colour = 1});
    made.lines.push_back(
        {.name = plotText("End"), .points = {path.back()}, .style = Plot::Style::points, .colour = 2});
    return made;
}

}  // namespace workbench
