// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_plots.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>

#include "core/support/counted.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tuning/tuning_words.h"

namespace workbench {
namespace {

QString plotWords(const char* text) {
    return QCoreApplication::translate("Tuning", text);
}

constexpr std::array<const char*, 9> knobNames{"static", "threads", "stores", "share",  "part",
                                               "strip",  "way",     "task",   "several"};
// Of the theme's eight: filters and pooling, which one plot never shows together, share two.
constexpr std::array<int, knobNames.size()> knobColours{7, 0, 1, 2, 3, 4, 2, 3, 5};
// Ticks of a logarithm are tens: below that, times stand on plain axes.
constexpr double leastForLogarithm = 20;

QString withThreeDecimals(double ratio) {
    return QString::number(ratio, 'f', 3);
}

QVariant ratioCell(const std::optional<double>& ratio) {
    return shownNumberCell(ratio, ratio ? withThreeDecimals(*ratio) : QStringLiteral("–"));
}

QString judgedHeading(const JudgedPurpose& judged, std::size_t problems) {
    return plotWords("%1 on %2").arg(toText(judged.model), toText(counted(problems, "problem")));
}

// Of a bar: how far above 1, all of it at `most`.
double shareOf(double ratio, double most) {
    return std::clamp((ratio - 1) / std::max(most - 1, 1e-9), 0.0, 1.0);
}

}  // namespace

Plot regretPlot(const JudgedPurpose& judged) {
    Plot made{.xTitle = plotWords("Configs that are timed"),
              .yTitle = plotWords("Time over the best config's")};
    if (!judged.whyNot.isEmpty()) {
        made.nothing = judged.whyNot;
        return made;
    }
    const tune::Evaluation& e = judged.evaluation;
    Plot::Line geomean{.name = plotWords("Geometric mean")};
    Plot::Line p95{.name = plotWords("95th percentile"), .style = Plot::Style::dashes, .colour = 1};
    for (const tune::RegretByK& one : e.by_k) {
        geomean.points << QPointF(double(one.k), one.regret.geomean);
        p95.points << QPointF(double(one.k), one.regret.p95);
    }
    if (geomean.points.isEmpty()) {
        made.nothing = plotWords("Nothing was judged");
        return made;
    }
    const double first = geomean.points.front().x();
    const double last = geomean.points.back().x();
    const auto guide = [&](const QString& name, double y, int look) {
        return Plot::Line{.name = name,
                          .points = {QPointF(first, y), QPointF(last, y)},
                          .style = Plot::Style::guide,
                          .colour = look};
    };
    made.heading = judgedHeading(judged, e.problems);
    made.countsX = true;
    made.lines = {geomean, p95, guide(plotWords("Static"), e.of_static.geomean, 2),
                  guide(plotWords("Best single config"), e.best_single.geomean, 1)};
    // Fair regret may lie below 1 by as much as times are noisy.
    made.yBand = std::pair(2 - e.noise.geomean, e.noise.geomean);
    made.yRange = std::pair(std::min(1.0, 2 - e.noise.geomean), 1.02);
    made.words = plotWords("Regret of %1: %2 by the first config, %3 by the best of %4; static %5, noise %6")
                     .arg(toText(judged.model), withThreeDecimals(geomean.points.front().y()),
                          withThreeDecimals(geomean.points.back().y()))
                     .arg(last)
                     .arg(withThreeDecimals(e.of_static.geomean), withThreeDecimals(e.noise.geomean));
    return made;
}

Plot predictionPlot(const JudgedPurpose& judged, int chosenProblem) {
    Plot made{.xTitle = plotWords("Predicted time over a copy's"),
              .yTitle = plotWords("Measured time over a copy's")};
    if (!judged.whyNot.isEmpty()) {
        made.nothing = judged.whyNot;
        return made;
    }
    std::array<Plot::Line, knobNames.size()> lines;
    Plot::Line chosen{.name = plotWords("The chosen problem"), .style = Plot::Style::path};
    for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i] = {.name = i == 0                  ? QStringLiteral("static")
                            : i + 1 == lines.size() ? plotWords("several")
                                                    : QString::fromLatin1(knobNames[i]),
                    .style = Plot::Style::points,
                    .colour = knobColours[i]};
    double low = 1e300, high = 0;
    int points = 0;
    for (std::size_t p = 0; p < judged.problems.size(); ++p) {
        const JudgedProblem& problem = judged.problems[p];
        if (!problem.copies || !problem.predictedCopies) continue;
        for (const JudgedConfig& one : problem.configs) {
            if (!one.predicted) continue;
            const QPointF point(*problem.predictedCopies * *one.predicted, *problem.copies * one.measured);
            if (!(point.x() > 0) || !(point.y() > 0)) continue;
            const bool several = one.config.find(' ') != std::string::npos;
            const auto found = std::ranges::find(knobNames, knobOf(one.config).toStdString());
            const auto at = several || found == knobNames.end() ? knobNames.size() - 1
                                                                : std::size_t(found - knobNames.begin());
            lines[at].points << point;
            lines[at].cases.push_back(int(p));
            lines[at].texts << toText(problem.spec) + QLatin1Char('\n') + toText(one.config);
            if (int(p) == chosenProblem) chosen.points << point;
            low = std::min({low, point.x(), point.y()});
            high = std::max({high, point.x(), point.y()});
            ++points;
        }
    }
    if (points == 0) {
        made.nothing = plotWords("No time is predicted of what was measured");
        return made;
    }
    made.heading = judgedHeading(judged, judged.problems.size());
    made.isLogX = made.isLogY = high > leastForLogarithm * low;
    made.logBaseX = 10;
    made.lines.push_back({.name = plotWords("As predicted"),
                          .points = {QPointF(low, low), QPointF(high, high)},
                          .style = Plot::Style::guide,
                          .colour = 1});
    for (Plot::Line& line : lines) {
        if (!line.points.isEmpty()) made.lines.push_back(std::move(line));
    }
    if (!chosen.points.isEmpty()) {
        std::ranges::sort(chosen.points, {}, &QPointF::x);
        made.lines.push_back(std::move(chosen));
    }
    made.cases = int(judged.problems.size());
    made.chosen = chosenProblem;
    made.words = plotWords("%1 configs of %2 problems, predicted and measured").arg(points).arg(made.cases);
    return made;
}

TableValues modelRows(const TuningState& state) {
    TableValues made{.headers = {plotWords("Model"), plotWords("Status"), plotWords("Place"),
                                 plotWords("Trees"), plotWords("Why")},
                     .rows = {}};
    for (const tune::RegisteredModel& model : state.models)
        made.rows.push_back({.cells = {toText(model.name), statusWords(model), fromPath(model.place),
                                       qulonglong(model.trees), toSentence(model.reason)},
                             .toolTip = fromPath(model.path)});
    return made;
}

TableValues candidateRows(const iir2d::Explanation& said, const iir2d::TuneOptions& options,
                          const JudgedProblem* measured) {
    TableValues made{
        .headers = {plotWords("Rank"), plotWords("Config"), plotWords("Predicted"), plotWords("Measured"),
                    plotWords("Over a copy"), plotWords("Kept or cut"), plotWords("Resolved")},
        .rows = {}};
    for (std::size_t i = 0; i < said.candidates.size(); ++i) {
        const iir2d::RankedConfig& one = said.candidates[i];
        const std::string config = iir2d::text_of(one.config);
        const JudgedConfig* const timed = measured ? measured->of(config) : nullptr;
        made.rows.push_back(
            {.cells = {qulonglong(i + 1), toText(config), ratioCell(one.predicted_ratio),
                       ratioCell(timed ? std::optional(timed->measured) : std::nullopt),
                       shownNumberCell(one.predicted_copies, one.predicted_copies
                                                                 ? shortNumber(*one.predicted_copies)
                                                                 : QStringLiteral("–")),
                       keptWords(said, i, options), toText(iir2d::text_of(one.resolved))}});
    }
    return made;
}

TableValues problemRows(const JudgedPurpose& judged) {
    TableValues made{.headers = {plotWords("Problem"), plotWords("Set"), plotWords("Decision"),
                                 plotWords("Measured"), plotWords("Predicted"), plotWords("Best measured")},
                     .rows = {}};
    for (const JudgedProblem& problem : judged.problems) {
        const JudgedConfig* const decided = problem.of(problem.decision);
        const auto best = std::ranges::min_element(problem.configs, {}, &JudgedConfig::measured);
        made.rows.push_back(
            {.cells = {toText(problem.spec), toText(problem.set), toText(problem.decision),
                       ratioCell(decided ? std::optional(decided->measured) : std::nullopt),
                       ratioCell(decided ? decided->predicted : std::nullopt),
                       QStringLiteral("%1 %2").arg(withThreeDecimals(best->measured), toText(best->config))},
             .toolTip = toText(problem.key)});
    }
    return made;
}

TableValues judgedConfigRows(const JudgedProblem& problem) {
    TableValues made{.headers = {plotWords("Config"), plotWords("Measured"), plotWords("Predicted"),
                                 plotWords("What it is")},
                     .rows = {}};
    for (const JudgedConfig& one : problem.configs)
        made.rows.push_back(
            {.cells = {toText(one.config), ratioCell(one.measured), ratioCell(one.predicted),
                       one.config == problem.decision ? plotWords("the decision") : QString()}});
    return made;
}

TableValues headroomRows(const tune::Headroom& headroom) {
    TableValues made{
        .headers = {plotWords("Family"), plotWords("Knob"), plotWords("Problems"), plotWords("Noise"),
                    plotWords("95 %"), plotWords("Most"), plotWords("Static / best")},
        .rows = {}};
    if (!headroom.overall) return made;
    double most = headroom.overall->headroom.geomean;
    for (const auto& family : headroom.families) most = std::max(most, family.headroom.geomean);
    const auto add = [&](const QString& family, const QString& knob, std::size_t problems,
                         const tune::Distribution& gain, const QVariant& noise) {
        made.rows.push_back({.cells = {family, knob, qulonglong(problems), noise, ratioCell(gain.p95),
                                       ratioCell(gain.max), ratioCell(gain.geomean)},
                             .share = shareOf(gain.geomean, most)});
    };
    const auto addFamily = [&](const tune::FamilyHeadroom& family, const QString& name) {
        add(name, plotWords("all"), family.problems, family.headroom, ratioCell(family.noise.geomean));
        for (const tune::KnobGain& knob : family.knobs)
            add(name, toText(knob.knob), knob.problems, knob.gain, {});
    };
    addFamily(*headroom.overall, plotWords("All families"));
    for (const auto& family : headroom.families) addFamily(family, toText(family.family));
    return made;
}

TableValues counterRows(const std::map<std::string, std::uint64_t>& counters) {
    TableValues made{.headers = {plotWords("Counter"), plotWords("What it counts"), plotWords("Times")},
                     .rows = {}};
    const auto value = [&](const std::string& name) {
        const auto found = counters.find(name);
        return found == counters.end() ? qulonglong(0) : qulonglong(found->second);
    };
    const qulonglong calls = value("calls");
    const auto add = [&](const std::string& name, const QString& what) {
        const qulonglong times = value(name);
        made.rows.push_back({.cells = {toText(name), what, times},
                             .share = calls == 0 ? -1 : std::min(1.0, double(times) / double(calls))});
    };
    add("calls", plotWords("decisions"));
    for (std::size_t i = 0; i < iir2d::tune_reason_count; ++i) {
        const auto reason = static_cast<iir2d::TuneReason>(i);
        add(std::string(iir2d::name_of(reason)), reasonWords(reason));
    }
    const std::pair<const char*, const char*> others[] = {
        {"cached", "decisions that were kept from before"},
        {"filtered", "candidates that threshold and k cut"},
        {"explored", "runs that were timed and counted"},
        {"settled", "problems that became learned"},
        {"vetoed", "runs whose rows do not lie as the config's stores ask"},
        {"evicted", "decisions forgotten for others"},
        {"bad_lines", "learned lines that could not be read"}};
    for (const auto& [name, what] : others) add(name, plotWords(what));
    return made;
}

TableValues learnedRows(const TuningState& state) {
    TableValues made{.headers = {plotWords("Problem"), plotWords("Config"), plotWords("Time over static's"),
                                 plotWords("Runs"), plotWords("When"), plotWords("Of")},
                     .rows = {}};
    for (const tune::LearnedEntry& line : state.learned)
        made.rows.push_back({.cells = {toText(line.key), toText(line.config), ratioCell(line.ratio),
                                       qulonglong(line.runs), toText(line.utc),
                                       state.isHere(line) ? plotWords("this machine, these kernels")
                                       : line.machine == state.host.machine ? plotWords("other kernels")
                                                                            : plotWords("another machine")}});
    return made;
}

}  // namespace workbench
