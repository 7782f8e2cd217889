// SPDX-License-Identifier: MIT
#include "tests/bench/duel_trials.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <set>

#include "core/benchmark/statistics.h"
#include "core/evidence/duel_verdict.h"
#include "core/support/listed.h"

namespace workbench {

namespace {

constexpr std::string_view first_line =
    "state,margin_percent,budget_seconds,case,size,threads,planted_percent,rows,columns,planted_ratio,trial,"
    "verdict,ratio,low,high,control,pairs,seconds,load,build,reason\n";
constexpr std::size_t field_count = 21;

// Takes the fields of a line one after the other. The last one, the reason, is quoted and may have commas.
class TrialFields {
  public:
    explicit TrialFields(std::string_view line) : m_rest(line) {}
    std::string text() {
        ++m_taken;
        if (m_taken == field_count) return quoted_text();
        const auto comma = m_rest.find(',');
        if (comma == std::string_view::npos) {
            m_ok = false;
            return {};
        }
        std::string field(m_rest.substr(0, comma));
        m_rest.remove_prefix(comma + 1);
        return field;
    }
    template <class T>
    void number(T& value) {
        const std::string field = text();
        const char* const end = field.data() + field.size();
        const auto [at, error] = std::from_chars(field.data(), end, value);
        if (error != std::errc() || at != end) m_ok = false;
    }
    bool ok() const { return m_ok && m_taken == field_count; }

  private:
    std::string quoted_text() {
        if (m_rest.size() < 2 || m_rest.front() != '"' || m_rest.back() != '"') {
            m_ok = false;
            return {};
        }
        return std::string(m_rest.substr(1, m_rest.size() - 2));
    }

    std::string_view m_rest;
    std::size_t m_taken = 0;
    bool m_ok = true;
};

bool read_line(std::string_view line, DuelTrial& t) {
    TrialFields fields(line);
    t.state = fields.text();
    fields.number(t.margin_percent);
    fields.number(t.budget_seconds);
    t.what = fields.text();
    fields.number(t.size);
    fields.number(t.threads);
    fields.number(t.planted_percent);
    fields.number(t.rows);
    fields.number(t.columns);
    fields.number(t.planted_ratio);
    fields.number(t.number);
    t.verdict = fields.text();
    fields.number(t.ratio);
    fields.number(t.low);
    fields.number(t.high);
    fields.number(t.control);
    fields.number(t.pairs);
    fields.number(t.seconds);
    fields.number(t.load);
    t.build = fields.text();
    t.reason = fields.text();
    return fields.ok();
}

struct VerdictCounts {
    int trials = 0;
    int same = 0, faster = 0, slower = 0, ambiguous = 0;
    std::vector<double> seconds, ratios;
    double least_load = std::numeric_limits<double>::infinity();
    double most_load = 0;

    void add(const DuelTrial& t) {
        ++trials;
        for (const auto& [verdict, count] : {std::pair(DuelVerdict::same, &same),
                                             {DuelVerdict::faster, &faster},
                                             {DuelVerdict::slower, &slower},
                                             {DuelVerdict::ambiguous, &ambiguous}}) {
            if (t.verdict == name_of(verdict)) ++*count;
        }
        seconds.push_back(t.seconds);
        ratios.push_back(t.planted_ratio);
        least_load = std::min(least_load, t.load);
        most_load = std::max(most_load, t.load);
    }
    int others() const { return trials - same - faster - slower - ambiguous; }
    std::string text() const {
        return fmt::format("{} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} to {:.1f} |\n", trials, same,
                           faster, slower, ambiguous, others(), percentile(seconds, 50), least_load,
                           most_load);
    }
};

constexpr std::string_view count_columns =
    "trials | SAME | FASTER | SLOWER | AMBIGUOUS | other | median s | load |\n";

}  // namespace

bool DuelTrial::is_of_same_cell(const DuelTrial& other) const {
    return state == other.state && margin_percent == other.margin_percent &&
           budget_seconds == other.budget_seconds && what == other.what && size == other.size &&
           threads == other.threads && planted_percent == other.planted_percent;
}

std::string duel_trials_header() {
    return std::string(first_line);
}

std::string line_of(const DuelTrial& t) {
    std::string reason = t.reason;
    std::ranges::replace(reason, '"', '\'');
    std::ranges::replace(reason, '\n', ' ');
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{:.4f},{},{},{:.5f},{:.5f},{:.5f},{:.5f},{},{:.2f},{:.2f},{},\"{}\"\n",
        t.state, t.margin_percent, t.budget_seconds, t.what, t.size, t.threads, t.planted_percent, t.rows,
        t.columns, t.planted_ratio, t.number, t.verdict, t.ratio, t.low, t.high, t.control, t.pairs,
        t.seconds, t.load, t.build, reason);
}

Result<ReadDuelTrials> read_duel_trials(std::string_view text) {
    ReadDuelTrials read;
    std::size_t line_number = 0;
    while (true) {
        const auto end = text.find('\n', read.complete_bytes);
        if (end == std::string_view::npos) break;
        const std::string_view line = text.substr(read.complete_bytes, end - read.complete_bytes);
        ++line_number;
        DuelTrial trial;
        const bool good =
            line_number == 1 ? line == first_line.substr(0, first_line.size() - 1) : read_line(line, trial);
        if (!good)
            return fail(ErrorKind::bad_input,
                        fmt::format("line {} is none of a file of trials of duels", line_number));
        if (line_number > 1) read.trials.push_back(std::move(trial));
        read.complete_bytes = end + 1;
    }
    return read;
}

std::string duel_trials_table(const std::vector<DuelTrial>& trials) {
    std::vector<std::pair<const DuelTrial*, VerdictCounts>> cells;  // in the order that they came
    std::set<std::string> builds;
    for (const DuelTrial& t : trials) {
        auto cell = std::ranges::find_if(cells, [&](const auto& c) { return c.first->is_of_same_cell(t); });
        if (cell == cells.end()) cell = cells.emplace(cells.end(), &t, VerdictCounts{});
        cell->second.add(t);
        builds.insert(t.build);
    }
    std::string text = "| state | margin | case | size | threads | planted | calibrated to | ";
    text += count_columns;
    text += "| --- | --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n";
    for (const auto& [first, counts] : cells) {
        text += fmt::format("| {} | {:g} % | {} | {} | {} | {:g} % | {:+.1f} % | ", first->state,
                            first->margin_percent, first->what, first->size, first->threads,
                            first->planted_percent, 100 * (percentile(counts.ratios, 50) - 1));
        text += counts.text();
    }
    if (!builds.empty())
        text += "\nBuilds: " + joined(std::vector<std::string>(builds.begin(), builds.end()), ", ") + "\n";
    return text;
}

std::string duel_trials_summary(const std::vector<DuelTrial>& trials) {
    struct Group {
        const DuelTrial* first;
        VerdictCounts all;
        std::vector<double> seconds_of_512;
    };
    std::vector<Group> groups;
    for (const DuelTrial& t : trials) {
        auto group = std::ranges::find_if(groups, [&](const Group& g) {
            return g.first->state == t.state && g.first->margin_percent == t.margin_percent &&
                   g.first->planted_percent == t.planted_percent;
        });
        if (group == groups.end()) group = groups.insert(groups.end(), Group{&t, {}, {}});
        group->all.add(t);
        if (t.size == 512) group->seconds_of_512.push_back(t.seconds);
    }
    std::string text = "| state | margin | planted | median s at 512 | ";
    text += count_columns;
    text += "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n";
    for (const Group& g : groups) {
        const std::string of_512 =
            g.seconds_of_512.empty() ? "-" : fmt::format("{:.1f}", percentile(g.seconds_of_512, 50));
        text += fmt::format("| {} | {:g} % | {:g} % | {} | ", g.first->state, g.first->margin_percent,
                            g.first->planted_percent, of_512);
        text += g.all.text();
    }
    return text;
}

}  // namespace workbench
