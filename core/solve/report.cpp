// SPDX-License-Identifier: MIT
#include "core/solve/report.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/support/counted.h"
#include "core/support/files.h"

namespace workbench::solve {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}
Json number(const std::optional<double>& value) {
    return value ? number(*value) : Json();
}

Json numbers(const std::vector<double>& values) {
    Json made = Json::array();
    for (const double value : values) made.push_back(number(value));
    return made;
}

Json errors_of(const Errors& errors) {
    return {{"max", number(errors.max)}, {"l2", number(errors.l2)}, {"h1", number(errors.h1)}};
}

std::optional<double> rate(const std::optional<double>& coarse, const std::optional<double>& fine) {
    if (!coarse || !fine || !(*coarse > 0) || !(*fine > 0)) return std::nullopt;
    return std::log2(*coarse / *fine);
}

Json rates_json(const std::vector<std::optional<double>>& rates) {
    Json made = Json::array();
    for (const auto& one : rates) made.push_back(number(one));
    return made;
}

Json solution_json(const Solution& solution) {
    if (solution.computed.empty() || solution.computed.size() > most_nodes_in_json) return {};
    Json made{{"x", numbers(solution.x)}};
    if (!solution.y.empty()) made["y"] = numbers(solution.y);
    made["computed"] = numbers(solution.computed);
    made["exact"] = solution.exact.empty() ? Json() : numbers(solution.exact);
    return made;
}

Json history_json(const std::vector<HistoryStep>& history) {
    Json made = Json::array();
    for (const HistoryStep& step : history) {
        Json one{{"iteration", step.iteration}};
        if (step.objective)
            one["objective"] = number(step.objective);
        else
            one["residual"] = number(step.residual);
        if (step.gradient_norm) one["gradient_norm"] = number(step.gradient_norm);
        if (!step.parameters.empty()) one["parameters"] = numbers(step.parameters);
        made.push_back(std::move(one));
    }
    return made;
}

void append(std::string& to, double value) {
    std::array<char, 40> text{};
    to.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
}

std::string shown(const std::optional<double>& value) {
    if (!value) return "none";
    std::array<char, 40> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), *value, std::chars_format::general, 6).ptr;
    return {text.data(), end};
}

}  // namespace

Rates rates_of(std::span<const Solved> refinements) {
    Rates made;
    for (std::size_t k = 1; k < refinements.size(); ++k) {
        const Errors& coarse = refinements[k - 1].errors;
        const Errors& fine = refinements[k].errors;
        made.max.push_back(rate(coarse.max, fine.max));
        made.l2.push_back(rate(coarse.l2, fine.l2));
        made.h1.push_back(rate(coarse.h1, fine.h1));
    }
    return made;
}

std::string to_json(std::span<const Solved> refinements) {
    const Solved& last = refinements.back();
    Json made{{"problem", last.problem},
              {"method", last.method},
              {"engine", last.engine},
              {"n", last.n},
              {"unknowns", last.unknowns},
              {"h", last.h > 0 ? Json(last.h) : Json()},
              {"iterations", last.iterations},
              {"converged", last.has_converged},
              {"residual", number(last.residual)},
              {"errors", errors_of(last.errors)}};
    for (const auto& [name, value] : last.figures) made[name] = number(value);
    for (const auto& [name, values] : last.data) made["data"][name] = numbers(values);
    const Rates rates = rates_of(refinements);
    made["rates"] = refinements.size() < 2 ? Json()
                                           : Json{{"max", rates_json(rates.max)},
                                                  {"l2", rates_json(rates.l2)},
                                                  {"h1", rates_json(rates.h1)}};
    if (refinements.size() > 1) {
        Json sizes = Json::array();
        for (const Solved& one : refinements)
            sizes.push_back({{"n", one.n},
                             {"h", one.h},
                             {"unknowns", one.unknowns},
                             {"iterations", one.iterations},
                             {"residual", number(one.residual)},
                             {"errors", errors_of(one.errors)}});
        made["refinements"] = std::move(sizes);
    }
    made["history"] = history_json(last.history);
    made["seconds"] = {{"assembly", last.assembly_seconds}, {"solve", last.solve_seconds}};
    made["solution"] = solution_json(last.solution);
    if (last.solution.computed.size() > most_nodes_in_json)
        made["solution_reason"] =
            "more than " + std::to_string(most_nodes_in_json) + " nodes: the CSV (--out-csv) has them";
    return made.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(std::span<const Solved> refinements) {
    const Solved& last = refinements.back();
    std::string made;
    if (last.solution.computed.empty()) {
        made = "iteration,objective,gradient_norm";
        const std::size_t count = last.history.empty() ? 0 : last.history[0].parameters.size();
        for (std::size_t k = 0; k < count; ++k) made += ",parameter_" + std::to_string(k);
        made += "\n";
        for (const HistoryStep& step : last.history) {
            made += std::to_string(step.iteration) + ",";
            append(made, step.objective.value_or(0));
            made += ",";
            append(made, step.gradient_norm.value_or(0));
            for (const double value : step.parameters) {
                made += ",";
                append(made, value);
            }
            made += "\n";
        }
        return made;
    }
    const Solution& s = last.solution;
    made = s.y.empty() ? "x,computed,exact\n" : "x,y,computed,exact\n";
    made.reserve(made.size() + s.computed.size() * (s.y.empty() ? 60 : 80));
    for (std::size_t k = 0; k < s.computed.size(); ++k) {
        append(made, s.x[k]);
        made += ",";
        if (!s.y.empty()) {
            append(made, s.y[k]);
            made += ",";
        }
        append(made, s.computed[k]);
        made += ",";
        if (!s.exact.empty()) append(made, s.exact[k]);
        made += "\n";
    }
    return made;
}

std::string to_text(std::span<const Solved> refinements) {
    std::string made;
    const Rates rates = rates_of(refinements);
    for (std::size_t k = 0; k < refinements.size(); ++k) {
        const Solved& one = refinements[k];
        made += one.problem + " by " + one.method + " (" + one.engine + "): ";
        if (one.n > 0) made += "n " + std::to_string(one.n) + ", ";
        made += counted(static_cast<std::uint64_t>(one.unknowns), "unknown") + ", " +
                counted(static_cast<std::uint64_t>(one.iterations), "iteration");
        if (one.residual) made += ", residual " + shown(one.residual);
        made += "\n";
        if (one.errors.max) {
            made += "  errors: max " + shown(one.errors.max) + ", L2 " + shown(one.errors.l2) + ", H1 " +
                    shown(one.errors.h1) + "\n";
        }
        if (k > 0 && one.errors.max)
            made += "  rates: max " + shown(rates.max[k - 1]) + ", L2 " + shown(rates.l2[k - 1]) + ", H1 " +
                    shown(rates.h1[k - 1]) + "\n";
        if (!one.history.empty() && one.history.back().objective) {
            made += "  objective " + shown(one.history.back().objective) + ", gradient " +
                    shown(one.history.back().gradient_norm) + ", at";
            for (const double value : one.history.back().parameters) made += " " + format_number(value);
            made += "\n";
        }
        for (const auto& [name, value] : one.figures) made += "  " + name + " " + format_number(value) + "\n";
    }
    const Solved& last = refinements.back();
    return made + "  seconds: assembly " + shown(last.assembly_seconds) + ", solve " +
           shown(last.solve_seconds) + "\n";
}

}  // namespace workbench::solve
