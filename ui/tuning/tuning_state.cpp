// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_state.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/rows.h"
#include "core/tune/store.h"
#include "core/tune/table.h"
#include "iir2d/tune_model.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

Result<JudgedProblem> judgedProblem(const tune::MeasuredProblem& problem, const tune::ProblemLogs& logs,
                                    const tune::Ranker& ranker, const tune::HeadroomOptions& options) {
    std::vector<std::string> configs;
    for (const tune::ConfigLogs& one : logs.configs) configs.push_back(one.config);
    IIR2D_TRY(const auto ranking, ranker(problem, configs));
    JudgedProblem made{.spec = problem.spec,
                       .key = problem.key,
                       .family = problem.family,
                       .set = problem.set,
                       .decision = ranking.decision};
    if (const auto level = tune::level_of(problem, options)) made.copies = std::exp(*level);
    if (ranking.level) made.predictedCopies = std::exp(*ranking.level);
    for (std::size_t i = 0; i < configs.size(); ++i) {
        made.configs.push_back({.config = configs[i], .measured = std::exp(logs.configs[i].y)});
        if (i < ranking.gains.size()) made.configs.back().predicted = std::exp(ranking.gains[i]);
    }
    return made;
}

Result<JudgedPurpose> judgedPurpose(const tune::Measurements& all, const tune::RegisteredModel& model,
                                    const tune::HeadroomOptions& options, const TaskControl& control) {
    JudgedPurpose made{.purpose = model.purpose, .model = model.name};
    tune::Measurements of = all;
    std::erase_if(of.problems, [&](const auto& problem) { return problem.purpose != model.purpose; });
    const tune::Ranker ranker = tune::ranker_of(*model.model, of, std::numeric_limits<double>::infinity());
    tune::EvaluateOptions judging{.of = options};
    IIR2D_TRY(judging.of.objective, tune::objective_from_name(model.model->objective));
    IIR2D_TRY(made.evaluation, tune::evaluate(of, ranker, judging));
    for (const tune::MeasuredProblem& problem : of.problems) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "judging was cancelled");
        if (!options.set.empty() && problem.set != options.set) continue;
        const auto logs = tune::logs_of(problem, judging.of);
        if (!logs || logs->is_unstable) continue;
        IIR2D_TRY(made.problems.emplace_back(), judgedProblem(problem, *logs, ranker, judging.of));
    }
    return made;
}

}  // namespace

bool TuningState::isHere(const tune::LearnedEntry& entry) const {
    return entry.machine == host.machine && entry.kernels == host.kernels;
}

const tune::RegisteredModel* TuningState::active(std::string_view purpose) const {
    const auto found = std::ranges::find_if(models, [&](const tune::RegisteredModel& model) {
        return model.purpose == purpose && model.status == tune::ModelStatus::active;
    });
    return found == models.end() ? nullptr : &*found;
}

TuningStatePtr readTuningState() {
    auto state = std::make_shared<TuningState>();
    const auto noteFailure = [&](const Error& error) { state->readFailures << toSentence(error.message); };
    if (auto host = tune::model_host())
        state->host = *std::move(host);
    else
        noteFailure(host.error());
    state->places = tune::model_places({});
    state->models = tune::find_models(state->places, state->host);
    if (auto kept = tune::kept_statistics())
        state->kept = *std::move(kept);
    else
        noteFailure(kept.error());
    if (const auto learned = tune::kept_learned())
        state->learned = tune::learned_entries(*learned);
    else
        noteFailure(learned.error());
    return state;
}

const JudgedConfig* JudgedProblem::of(std::string_view config) const {
    const auto found = std::ranges::find(configs, config, &JudgedConfig::config);
    return found == configs.end() ? nullptr : &*found;
}

const JudgedPurpose* TuningFigures::of(std::string_view purpose) const {
    const auto found = std::ranges::find(purposes, purpose, &JudgedPurpose::purpose);
    return found == purposes.end() ? nullptr : &*found;
}

const JudgedProblem* TuningFigures::problemOfKey(std::string_view key) const {
    for (const JudgedPurpose& purpose : purposes) {
        const auto found = std::ranges::find(purpose.problems, key, &JudgedProblem::key);
        if (found != purpose.problems.end()) return &*found;
    }
    return nullptr;
}

std::filesystem::path retrainDatabase() {
    return config_directory() / "tune" / "retrain.db";
}

Result<TuningFiguresPtr> judgeDatabase(const std::filesystem::path& database, const std::string& set,
                                       const TaskControl& control) {
    const TuningStatePtr state = readTuningState();
    control.report(0, "reading " + quoted(database));
    IIR2D_TRY(const auto store, tune::Store::open_to_read(database));
    IIR2D_TRY(auto read, store.read_all());
    auto figures = std::make_shared<TuningFigures>();
    figures->database = database;
    figures->options.set = set;
    IIR2D_TRY(const auto all,
              tune::measured_by_one(std::move(read), state->host.machine, state->host.kernels));
    control.report(0.3, "headroom");
    figures->headroom = tune::headroom_of(all, figures->options);
    double done = 0.5;
    for (const std::string_view purpose : iir2d::model_purposes(iir2d::Backend::cpu)) {
        if (control.cancelled()) return fail(ErrorKind::cancelled, "judging was cancelled");
        control.report(done, purpose);
        done += 0.15;
        const tune::RegisteredModel* const model = state->active(purpose);
        JudgedPurpose judged{.purpose = std::string(purpose), .model = {}};
        if (!model) {
            judged.whyNot =
                QCoreApplication::translate("Tuning", "No model decides for %1.").arg(toText(purpose));
        } else if (auto made = judgedPurpose(all, *model, figures->options, control)) {
            judged = *std::move(made);
        } else if (made.error().kind == ErrorKind::cancelled) {
            return std::unexpected(made.error());
        } else {
            judged.model = model->name;
            judged.whyNot = toSentence(made.error().message);
        }
        figures->purposes.push_back(std::move(judged));
    }
    return TuningFiguresPtr(std::move(figures));
}

}  // namespace workbench
