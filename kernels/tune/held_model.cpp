// SPDX-License-Identifier: MIT
#include "kernels/tune/held_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/support/guard.h"
#include "kernels/tune/space.h"

namespace iir2d {

namespace tune {

Result<Table> table_from_text(std::string_view text) {
    constexpr std::size_t most_rows = 4096;
    Table table;
    std::string_view family;
    int number = 0;
    const auto wrong = [&](const std::string& why) {
        return std::unexpected(
            Error{ErrorCode::invalid_argument, "table, line " + std::to_string(number) + ": " + why});
    };
    while (!text.empty()) {
        ++number;
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (number == 1 && line != "iir2d-table 1") return wrong("not \"iir2d-table 1\"");
        if (line.starts_with("family ")) {
            family = line.substr(7);
        } else if (line.starts_with("config ")) {
            line.remove_prefix(7);
            // A figure, then the config.
            const auto space = line.find(' ');
            if (space == std::string_view::npos || family.empty())
                return wrong("no figure, config and family");
            const auto config = config_from_text(line.substr(space + 1));
            if (!config) return wrong(config.error().message);
            if (table.size() == most_rows) return wrong("there are more than 4096 configs");
            table.emplace_back(family, *config);
        }
    }
    return table;
}

std::vector<Config> from_table(const Table& table, const Question& question, bool other_bits) {
    std::vector<Config> found;
    if (table.empty()) return found;
    const std::string family = family_of(question.facts());
    for (const auto& [row, config] : table) {
        if (row != family || (sets_other_bits(config) && !other_bits)) continue;
        if (question.check(config)) found.push_back(config);
    }
    return found;
}

Result<Ranking> rank(const HeldModel& held, const Question& question, const TuneOptions& options,
                     bool details) {
    if (!std::ranges::equal(held.model.features, feature_names(held.model.purpose))) {
        return std::unexpected(
            Error{ErrorCode::invalid_argument, "wrong_features: the model reads others than there are"});
    }
    const std::vector<Config> configs = question.candidates(options.other_bits);
    const Facts facts = question.facts();
    const auto problem = features_of(facts);
    if (!problem) return std::unexpected(problem.error());
    std::vector<RankedConfig> all(configs.size());
    std::vector<float> rows;
    std::size_t count = 0;
    for (std::size_t i = 0; i < configs.size(); ++i) {
        all[i].config = configs[i];
        all[i].resolved = question.resolve(configs[i]);
        const std::size_t before = rows.size();
        rows.insert(rows.end(), problem->begin(), problem->end());
        add_config(facts, all[i].resolved, rows);
        count = rows.size() - before;
        if (details) all[i].features.assign(rows.end() - static_cast<std::ptrdiff_t>(count), rows.end());
    }
    std::vector<float> gains(configs.size());
    predict(held.model.gain, rows, count, gains);
    gains.front() = 0;  // static, by definition
    if (details) {
        std::vector<float> levels(configs.size());
        predict(held.model.level, rows, count, levels);
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].predicted_copies = std::exp(static_cast<double>(levels[i]) + gains[i]);
    }
    std::vector<std::size_t> order(configs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        if (gains[a] != gains[b]) return gains[a] < gains[b];
        const int set_a = knobs_set(configs[a]);
        const int set_b = knobs_set(configs[b]);
        return set_a != set_b ? set_a < set_b : iir2d::text_of(configs[a]) < iir2d::text_of(configs[b]);
    });
    Ranking ranking;
    const double best = gains[order.front()];
    std::size_t kept = 0;
    for (const std::size_t i : order) {
        RankedConfig& one = all[i];
        one.predicted_ratio = std::exp(static_cast<double>(gains[i]));
        one.kept =
            std::exp(gains[i] - best) <= options.threshold && kept < static_cast<std::size_t>(options.top_k);
        if (one.kept) ++kept;
        ranking.sorted.push_back(std::move(one));
        ranking.gains.push_back(gains[i]);
    }
    ranking.filtered = order.size() - kept;
    return ranking;
}

}  // namespace tune

namespace {

bool is_of_a_gpu_here(const std::string& machine) {
    for (int index = 0;; ++index) {
        const auto gpu = Device::cuda(index);
        if (!gpu) return false;
        if (const auto id = machine_id(*gpu); id && *id == machine) return true;
    }
}

}  // namespace

Result<std::optional<TuneReason>> why_not(const TreeModel& model, bool is_proven) {
    return support::guarded_result("the model", [&]() -> Result<std::optional<TuneReason>> {
        if (model.space != config_space) return TuneReason::wrong_space;
        const bool of_gpu = model.purpose.ends_with("-cuda");
        if (of_gpu) {
            // Which of several GPUs is asked for, a decision sees.
            if (!is_of_a_gpu_here(model.machine)) return TuneReason::foreign_machine;
        } else {
            const auto machine = machine_id();
            if (!machine) return std::unexpected(machine.error());
            if (model.machine != *machine) return TuneReason::foreign_machine;
        }
        if (model.kernels != kernels_id(of_gpu ? Backend::cuda : Backend::cpu))
            return TuneReason::stale_kernels;
        if (!is_proven || !model.margin) return TuneReason::unproven;
        const auto names = feature_names(model.purpose);
        if (!std::ranges::equal(model.features, names)) return TuneReason::wrong_features;
        return std::nullopt;
    });
}

}  // namespace iir2d
