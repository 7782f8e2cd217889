// SPDX-License-Identifier: MIT
#include "core/tune/train.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/support/canonical_json.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/boosting.h"
#include "core/tune/evaluate.h"
#include "core/tune/registry.h"
#include "core/tune/rows.h"
#include "core/tune/seeds.h"
#include "core/tune/table.h"
#include "core/tune/transfer.h"

namespace workbench::tune {

namespace {

constexpr std::array<float, 5> margins{0.02F, 0.03F, 0.05F, 0.08F, 0.12F};
constexpr std::size_t folds = 5;
constexpr double held_out_part = 0.15;
constexpr double most_slower_part = 0.01;
// Of fewer problems none being slower says little of others: of so many, that fewer than one in seven are (at
// 95 %).
constexpr std::size_t least_for_margin = 20;
constexpr double slower_ratio = 1.02;
constexpr double most_difference = 1e-5;
constexpr std::size_t table_configs = 4;
constexpr BoostSettings gain_settings{.most_trees = 160};
constexpr BoostSettings level_settings{.most_trees = 80};

// Deals problems into parts by the seed; problems of one key into the same.
std::vector<std::size_t> dealt(const TrainingData& data, std::uint64_t seed, std::size_t parts) {
    std::map<std::uint64_t, std::vector<std::size_t>> by_draw;
    for (std::size_t i = 0; i < data.problems.size(); ++i)
        by_draw[seed_of(seed, data.problems[i]->key)].push_back(i);
    std::vector<std::size_t> part(data.problems.size());
    std::size_t next = 0;
    for (const auto& [draw, problems] : by_draw) {
        for (const std::size_t problem : problems) part[problem] = next % parts;
        ++next;
    }
    return part;
}

struct Ensemble {
    Boosted chosen;   // trained on all, with as many trees as the other found
    Boosted stopped;  // early, by what was held out
};

class Training {
  public:
    Training(const TrainingData& data, const Boosting& boosting, std::uint64_t seed,
             const TaskControl& control)
        : m_data(data), m_boosting(boosting), m_seed(seed), m_control(control) {}

    Result<Ensemble> ensemble(const TrainingRows& rows, BoostSettings settings) const {
        settings.seed = m_seed;
        Ensemble made;
        const auto held = held_out();
        std::vector<bool> kept = held;
        kept.flip();
        const TrainingRows aside = rows.of(held);
        const TrainingRows used = rows.of(kept);
        if (aside.count() > 0 && used.count() > 0) {
            IIR2D_TRY(made.stopped, m_boosting.train(used, aside, settings, m_control));
            settings.most_trees = static_cast<int>(made.stopped.trees.trees());
        }
        IIR2D_TRY(made.chosen, m_boosting.train(rows, {}, settings, m_control));
        if (made.chosen.difference > most_difference)
            return fail(ErrorKind::check_failed, "XGBoost's predictions and the library's differ by " +
                                                     format_number(made.chosen.difference));
        return made;
    }

    // The least margin at which decisions made for problems that were not trained on are hardly ever slower
    // than static; none: there is no such margin, or there are too few problems to say.
    Result<std::optional<float>> margin(int trees) const {
        if (m_data.problems.size() < least_for_margin) return std::optional<float>();
        const auto fold = dealt(m_data, m_seed + 1, folds);
        std::vector<std::pair<float, double>> decisions;  // predicted gain, and what was measured
        for (std::size_t f = 0; f < folds; ++f) {
            std::vector<bool> others(fold.size());
            for (std::size_t i = 0; i < fold.size(); ++i) others[i] = fold[i] != f;
            const TrainingRows rows = m_data.gain.of(others);
            others.flip();
            const TrainingRows judged = m_data.gain.of(others);
            if (rows.count() == 0 || judged.count() == 0) return std::optional<float>();
            BoostSettings settings = gain_settings;
            settings.seed = m_seed;
            settings.most_trees = trees;
            IIR2D_TRY(const auto boosted, m_boosting.train(rows, {}, settings, m_control));
            add_decisions(boosted.trees, judged, decisions);
        }
        for (const float margin : margins) {
            const auto slower = std::ranges::count_if(decisions, [&](const auto& decision) {
                return -decision.first >= margin && decision.second > std::log(slower_ratio);
            });
            if (static_cast<double>(slower) <= most_slower_part * static_cast<double>(decisions.size()))
                return std::optional(margin);
        }
        return std::optional<float>();
    }

  private:
    // Of each problem whether early stopping looks at it.
    std::vector<bool> held_out() const {
        constexpr std::size_t parts = 100;
        std::vector<bool> held;
        const auto count = m_data.problems.size();
        const auto order = dealt(m_data, m_seed, std::max<std::size_t>(count, 1));
        for (const std::size_t place : order)
            held.push_back(place * parts < static_cast<std::size_t>(held_out_part * parts) * count);
        return held;
    }

    // The first of each problem's rows is static's.
    static void add_decisions(const iir2d::TreeEnsemble& trees, const TrainingRows& rows,
                              std::vector<std::pair<float, double>>& decisions) {
        std::vector<float> predicted(rows.count());
        iir2d::predict(trees, rows.values, rows.features, predicted);
        for (std::size_t i = 0; i < rows.count();) {
            std::pair<float, double> best{0.0F, 0.0};
            std::size_t end = i + 1;
            for (; end < rows.count() && rows.problems[end] == rows.problems[i]; ++end)
                if (predicted[end] < best.first)
                    best = {predicted[end], static_cast<double>(rows.targets[end])};
            decisions.push_back(best);
            i = end;
        }
    }

    const TrainingData& m_data;
    const Boosting& m_boosting;
    std::uint64_t m_seed;
    const TaskControl& m_control;
};

// The shortest number that reads back as this float.
double shortest(float value) {
    std::array<char, 32> text{};
    const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    double number = 0;
    std::from_chars(text.data(), end, number);
    return number;
}

nlohmann::ordered_json ensemble_json(const Ensemble& ensemble, const BoostSettings& settings,
                                     const std::vector<std::string>& names) {
    nlohmann::ordered_json importance = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < names.size(); ++i) importance[names[i]] = ensemble.chosen.importance[i];
    return {{"trees", ensemble.chosen.trees.trees()},
            {"depth", ensemble.chosen.trees.depth},
            {"base", shortest(ensemble.chosen.trees.base)},
            {"parameters",
             {{"tree_method", "hist"},
              {"objective", "reg:squarederror"},
              {"nthread", 1},
              {"most_trees", settings.most_trees},
              {"max_depth", settings.depth},
              {"eta", settings.eta},
              {"subsample", settings.subsample},
              {"patience", settings.patience}}},
            {"learning_curve",
             {{"rows", ensemble.stopped.curve},
              {"held_out", ensemble.stopped.held_out_curve},
              {"all_rows", ensemble.chosen.curve}}},
            {"importance", std::move(importance)}};
}

// Lets no key be in both.
Result<void> check_apart(const Measurements& trained, const Measurements& judged) {
    std::set<std::string_view> keys;
    for (const MeasuredProblem& problem : trained.problems) keys.insert(problem.key);
    for (const MeasuredProblem& problem : judged.problems) {
        if (keys.contains(problem.key))
            return fail(ErrorKind::check_failed, "a key is in training and validation: " + problem.key);
    }
    return {};
}

// Only problems of a set and a purpose.
Measurements part_of(const Measurements& all, std::string_view set, std::string_view purpose) {
    Measurements part = all;
    std::erase_if(part.problems, [&](const MeasuredProblem& problem) {
        return problem.set != set || problem.purpose != purpose;
    });
    return part;
}

Result<std::string> report_of(const Measurements& validation, const iir2d::TreeModel& model,
                              const HeadroomOptions& options) {
    EvaluateOptions asked{.of = options};
    IIR2D_TRY(
        const auto evaluation,
        evaluate(validation, ranker_of(model, validation, std::numeric_limits<double>::infinity()), asked));
    return to_json(evaluation, asked.worst);
}

}  // namespace

Result<Trained> train(const Measurements& measured, const Measurements* validation,
                      const TrainOptions& options, const TaskControl& control) {
    const HeadroomOptions figures{
        .set = {}, .objective = options.objective, .with_contended = options.with_contended};
    const Measurements used = part_of(measured, "train", options.purpose);
    Measurements judged;
    if (validation != nullptr) {
        judged = part_of(*validation, "validation", options.purpose);
        // A database of training problems alone, named to judge by, has what was learned from.
        const bool is_of_training = judged.problems.empty() && validation != &measured;
        IIR2D_RETURN_IF_ERROR(
            check_apart(used, is_of_training ? part_of(*validation, "train", options.purpose) : judged));
    }
    IIR2D_TRY(const auto data, training_data(used, options.purpose, figures));
    const Visit& measured_by = data.problems.front()->visits.front();
    const bool has_validation = !judged.problems.empty();
    judged = visits_by(std::move(judged), measured_by.machine, measured_by.build);
    IIR2D_TRY(const auto boosting, Boosting::open());
    const Training training(data, boosting, options.seed, control);
    control.report(0, "gain of " + options.purpose);
    IIR2D_TRY(const auto gain, training.ensemble(data.gain, gain_settings));
    control.report(0.3, "level of " + options.purpose);
    IIR2D_TRY(const auto level, training.ensemble(data.level, level_settings));
    control.report(0.4, "margin of " + options.purpose);
    IIR2D_TRY(const auto margin, training.margin(static_cast<int>(gain.chosen.trees.trees())));

    Trained made;
    made.problems = data.problems.size();
    made.rows = data.gain.count();
    made.left_out = data.unstable + data.not_measured;
    iir2d::TreeModel& model = made.model;
    model.purpose = options.purpose;
    model.version = options.version;
    model.machine = measured_by.machine;
    model.kernels = measured_by.build;
    model.objective = name_of(options.objective);
    model.margin = margin;
    for (const std::string_view name : iir2d::feature_names(options.purpose))
        model.features.emplace_back(name);
    model.gain = gain.chosen.trees;
    model.level = level.chosen.trees;
    IIR2D_TRY(made.files.trees, from_kernel(iir2d::text_of_model(model)));
    IIR2D_TRY(model, from_kernel(iir2d::model_from_text(made.files.trees)));
    IIR2D_TRY(const auto table, make_table(used, options.purpose, table_configs, figures));
    made.files.table = text_of(table);
    if (judged.problems.empty()) {
        made.unproven = has_validation ? "no validation problem of " + options.purpose +
                                             " was measured on its machine and with its kernels"
                                       : "there is no validation set of " + options.purpose;
    } else {
        auto report = report_of(judged, model, figures);
        if (!report && report.error().kind != ErrorKind::bad_argument) return std::unexpected(report.error());
        if (report) made.files.report = *report;
        if (!report) made.unproven = report.error().message;
    }
    if (made.problems < least_for_margin) {
        made.unproven = "its margin cannot be decided on " + counted(made.problems, "problem") +
                        ": it takes " + std::to_string(least_for_margin);
    } else if (!margin) {
        made.unproven = "at no margin are 99 % of the problems at most 2 % slower than static";
    }
    const nlohmann::ordered_json json{
        {"format", "iir2d-model"},
        {"format_version", 1},
        {"purpose", model.purpose},
        {"version", model.version},
        {"interface", model.interface},
        {"machine", model.machine},
        {"kernels", model.kernels},
        {"space", model.space},
        {"objective", model.objective},
        {"margin", margin ? nlohmann::ordered_json(shortest(*margin)) : nlohmann::ordered_json()},
        {"features", model.features},
        {"seed", options.seed},
        {"problems", made.problems},
        {"rows", made.rows},
        {"left_out", {{"unstable", data.unstable}, {"not_measured", data.not_measured}}},
        {"xgboost", boosting.version()},
        {"gain", ensemble_json(gain, gain_settings, model.features)},
        {"level", ensemble_json(level, level_settings, model.features)},
        {"trained_on_sha256", sha256_hex(to_json(used))},
        {"validated_on_sha256", judged.problems.empty()
                                    ? nlohmann::ordered_json()
                                    : nlohmann::ordered_json(sha256_hex(to_json(judged)))},
        {"trees_sha256", model.sha256},
        {"unproven",
         made.unproven.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(made.unproven)}};
    made.files.json = json.dump(2) + "\n";
    return made;
}

Measurements united(std::vector<Measurements> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    Measurements all;
    std::map<std::string, std::size_t> places;
    const auto add_identities = [](std::vector<Identity>& to, const std::vector<Identity>& from) {
        for (const Identity& one : from)
            if (std::ranges::find(to, one.id, &Identity::id) == to.end()) to.push_back(one);
    };
    for (Measurements& part : parts) {
        add_identities(all.machines, part.machines);
        add_identities(all.builds, part.builds);
        for (MeasuredProblem& problem : part.problems) {
            const auto [place, is_new] =
                places.emplace(problem.set + " " + problem.spec, all.problems.size());
            if (is_new) {
                all.problems.push_back(std::move(problem));
                continue;
            }
            auto& visits = all.problems[place->second].visits;
            std::ranges::move(problem.visits, std::back_inserter(visits));
        }
    }
    return all;
}

}  // namespace workbench::tune
