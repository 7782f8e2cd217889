// SPDX-License-Identifier: MIT
#include "core/tune/table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "core/tune/estimate.h"
#include "iir2d/config.h"

namespace workbench::tune {

namespace {

constexpr std::string_view first_line = "iir2d-table 1";

// Of each config its y by problem, 0 where it was not measured.
using Columns = std::map<std::string, std::vector<double>>;

Columns columns_of(const std::vector<const ProblemLogs*>& problems) {
    Columns columns;
    for (std::size_t p = 0; p < problems.size(); ++p) {
        for (const ConfigLogs& config : problems[p]->configs) {
            auto& column = columns[config.config];
            column.resize(problems.size(), 0);
            column[p] = config.y;
        }
    }
    return columns;
}

double mean_with(const std::vector<double>& best, const std::vector<double>& column) {
    double sum = 0;
    for (std::size_t p = 0; p < best.size(); ++p) sum += std::min(best[p], column[p]);
    return sum / static_cast<double>(best.size());
}

TableFamily family_of_problems(const std::string& name, const std::vector<const ProblemLogs*>& problems,
                               std::size_t n) {
    Columns columns = columns_of(problems);
    TableFamily made{.family = name, .problems = problems.size(), .together = 1, .entries = {}};
    std::vector<double> best(problems.size(), 0);
    made.entries.push_back({std::string(static_text), 1});
    double reached = 0;
    while (made.entries.size() < n) {
        const std::vector<double>* column = nullptr;
        std::string config;
        double least = reached;
        for (const auto& [text, values] : columns) {
            const double mean = mean_with(best, values);
            if (mean >= least) continue;
            least = mean;
            column = &values;
            config = text;
        }
        if (column == nullptr) break;
        for (std::size_t p = 0; p < best.size(); ++p) best[p] = std::min(best[p], (*column)[p]);
        double alone = 0;
        for (const double y : *column) alone += y;
        made.entries.push_back({config, std::exp(alone / static_cast<double>(best.size()))});
        reached = least;
    }
    made.together = std::exp(reached);
    // Static first among equals: it was put in first.
    std::ranges::stable_sort(made.entries, {}, &TableEntry::alone);
    return made;
}

// Lines of a text, numbered, each a word and what follows it.
class Lines {
  public:
    explicit Lines(std::string_view text) : m_rest(text) {}
    bool at_end() const { return m_rest.empty(); }
    std::string_view next() {
        const auto end = std::min(m_rest.find('\n'), m_rest.size());
        const std::string_view line = m_rest.substr(0, end);
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
        ++m_number;
        return line;
    }
    Result<std::string> after(std::string_view word) {
        const std::string_view line = next();
        if (line.size() <= word.size() + 1 || !line.starts_with(word) || line[word.size()] != ' ')
            return wrong("has no " + std::string(word));
        return std::string(line.substr(word.size() + 1));
    }
    std::unexpected<Error> wrong(const std::string& why) const {
        return fail(ErrorKind::bad_input, "the table's line " + std::to_string(m_number) + " " + why);
    }
    Result<double> number(std::string_view text) const {
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value))
            return wrong("has a number that is not above 0");
        return value;
    }

  private:
    std::string_view m_rest;
    std::size_t m_number = 0;
};

Result<TableEntry> entry_from(std::string_view line, const Lines& lines) {
    line.remove_prefix(std::string_view("config ").size());
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) return lines.wrong("has no config");
    TableEntry entry;
    IIR2D_TRY(entry.alone, lines.number(line.substr(0, blank)));
    entry.config = line.substr(blank + 1);
    const auto config = iir2d::config_from_text(entry.config);
    if (!config || iir2d::text_of(*config) != entry.config) return lines.wrong("has no config");
    return entry;
}

Result<TableFamily> family_head(std::string_view line, Lines& lines) {
    constexpr std::string_view word = "family ";
    if (!line.starts_with(word) || line.size() == word.size()) return lines.wrong("has no family");
    TableFamily family{.family = std::string(line.substr(word.size())), .entries = {}};
    IIR2D_TRY(const auto counts, lines.after("problems"));
    const auto blank = counts.find(" together ");
    if (blank == std::string::npos) return lines.wrong("has no problems");
    IIR2D_TRY(const double problems, lines.number(std::string_view(counts).substr(0, blank)));
    if (problems != std::floor(problems) || problems > 1e9) return lines.wrong("has no problems");
    family.problems = static_cast<std::size_t>(problems);
    IIR2D_TRY(family.together, lines.number(std::string_view(counts).substr(blank + 10)));
    return family;
}

}  // namespace

const TableFamily* BestTable::of(std::string_view family) const {
    const auto found = std::ranges::find(families, family, &TableFamily::family);
    return found == families.end() ? nullptr : &*found;
}

Result<BestTable> make_table(const Measurements& all, std::string_view purpose, std::size_t n,
                             const HeadroomOptions& options) {
    std::map<std::string, std::vector<ProblemLogs>> families;
    BestTable table{.purpose = std::string(purpose),
                    .machine = {},
                    .kernels = {},
                    .objective = options.objective,
                    .families = {}};
    for (const MeasuredProblem& problem : all.problems) {
        if (problem.purpose != purpose || (!options.set.empty() && problem.set != options.set)) continue;
        auto logs = logs_of(problem, options);
        if (!logs || logs->is_unstable) continue;
        table.machine = problem.visits.front().machine;
        table.kernels = problem.visits.front().build;
        families[problem.family].push_back(std::move(*logs));
    }
    if (families.empty())
        return fail(ErrorKind::bad_argument, "there is no problem of " + escaped(purpose) +
                                                 " whose visits count: collect more, on a quiet machine");
    for (const auto& [family, problems] : families) {
        std::vector<const ProblemLogs*> each;
        for (const ProblemLogs& problem : problems) each.push_back(&problem);
        table.families.push_back(family_of_problems(family, each, n));
    }
    return table;
}

std::string text_of(const BestTable& table) {
    std::string text = std::string(first_line) + "\npurpose " + table.purpose + "\nmachine " + table.machine +
                       "\nkernels " + table.kernels + "\nobjective " + std::string(name_of(table.objective)) +
                       "\n";
    for (const TableFamily& family : table.families) {
        text += "family " + family.family + "\nproblems " + std::to_string(family.problems) + " together " +
                format_number(family.together) + "\n";
        for (const TableEntry& entry : family.entries)
            text += "config " + format_number(entry.alone) + " " + entry.config + "\n";
    }
    return text + "sha256 " + sha256_hex(text) + "\n";
}

Result<BestTable> table_from_text(std::string_view text) {
    constexpr std::string_view mark = "sha256 ";
    const auto last = text.rfind(mark);
    if (last == std::string_view::npos ||
        text.substr(last) != "sha256 " + sha256_hex(text.substr(0, last)) + "\n")
        return fail(ErrorKind::bad_input, "the table's sha256 is not that of what is before it");
    Lines lines(text.substr(0, last));
    if (lines.next() != first_line) return lines.wrong("is not " + std::string(first_line));
    BestTable table;
    IIR2D_TRY(table.purpose, lines.after("purpose"));
    IIR2D_TRY(table.machine, lines.after("machine"));
    IIR2D_TRY(table.kernels, lines.after("kernels"));
    IIR2D_TRY(const auto objective, lines.after("objective"));
    const auto named = objective_from_name(objective);
    if (!named) return lines.wrong("has no objective");
    table.objective = *named;
    while (!lines.at_end()) {
        const std::string_view line = lines.next();
        if (line.starts_with("config ") && !table.families.empty()) {
            IIR2D_TRY(table.families.back().entries.emplace_back(), entry_from(line, lines));
        } else {
            IIR2D_TRY(auto family, family_head(line, lines));
            if (table.of(family.family) != nullptr) return lines.wrong("has a family that is there twice");
            table.families.push_back(std::move(family));
        }
    }
    return table;
}

Ranker ranker_of(BestTable table) {
    return [table = std::move(table)](const MeasuredProblem& problem,
                                      const std::vector<std::string>& configs) -> Result<Ranking> {
        Ranking ranking;
        if (const TableFamily* const family = table.of(problem.family)) {
            for (const TableEntry& entry : family->entries)
                if (std::ranges::find(configs, entry.config) != configs.end())
                    ranking.order.push_back(entry.config);
        }
        if (ranking.order.empty()) ranking.order.emplace_back(static_text);
        ranking.decision = ranking.order.front();
        return ranking;
    };
}

Measurements visits_by(Measurements all, std::string_view machine, std::string_view kernels) {
    for (MeasuredProblem& problem : all.problems)
        std::erase_if(problem.visits,
                      [&](const Visit& visit) { return visit.machine != machine || visit.build != kernels; });
    std::erase_if(all.problems, [](const MeasuredProblem& problem) { return problem.visits.empty(); });
    return all;
}

Result<Measurements> measured_by_one(Measurements all, std::string_view machine, std::string_view kernels) {
    using Pair = std::pair<std::string, std::string>;
    std::set<Pair> pairs;
    for (const MeasuredProblem& problem : all.problems)
        for (const Visit& visit : problem.visits) pairs.emplace(visit.machine, visit.build);
    Pair chosen(machine, kernels);
    if (!pairs.contains(chosen)) {
        if (pairs.size() > 1)
            return fail(ErrorKind::bad_argument,
                        "there are visits by " +
                            counted(pairs.size(), "machine and build", "machines and builds") +
                            ", none of them this one: give the measurements of one");
        if (!pairs.empty()) chosen = *pairs.begin();
    }
    return visits_by(std::move(all), chosen.first, chosen.second);
}

}  // namespace workbench::tune
