// SPDX-License-Identifier: MIT
#include "core/tune/retrain.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <system_error>
#include <utility>

#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/boosting.h"
#include "core/tune/collect.h"
#include "core/tune/evaluate.h"
#include "core/tune/generate.h"
#include "core/tune/install.h"
#include "core/tune/registry.h"
#include "core/tune/rows.h"
#include "core/tune/store.h"

namespace workbench::tune {

namespace {

constexpr double measuring_part = 0.9;
constexpr std::size_t slice_problems = 12;  // visited twice, the others of the slice between
constexpr std::size_t most_problems = 1200;
constexpr std::size_t sampled_configs = 12;
constexpr std::int64_t largest_problem = std::int64_t{1} << 22;

// Problems of a set, a slice of them at a time.
struct Slices {
    ProblemSet set;
    std::vector<NamedProblem> problems;
    std::size_t next = 0;

    std::vector<NamedProblem> take() {
        const auto end = std::min(problems.size(), next + slice_problems);
        const auto at = [&](std::size_t i) { return problems.begin() + static_cast<std::ptrdiff_t>(i); };
        std::vector<NamedProblem> slice(at(next), at(end));
        next = end;
        return slice;
    }
};

Result<Slices> slices_of(ProblemSet set, const RetrainOptions& options, const iir2d::Device& device) {
    IIR2D_TRY(auto problems,
              generate_problems({.set = set,
                                 .count = set == ProblemSet::train ? most_problems : most_problems / 3,
                                 .seed = options.seed,
                                 .max_samples = largest_problem},
                                device));
    return Slices{.set = set, .problems = std::move(problems)};
}

class Retraining {
  public:
    Retraining(const RetrainOptions& options, const iir2d::Device& device, const TaskControl& control)
        : m_options(options), m_device(device), m_control(control) {}

    Result<Retrained> make() {
        IIR2D_RETURN_IF_ERROR(Boosting::open());  // before minutes are spent
        IIR2D_RETURN_IF_ERROR(empty_database());
        IIR2D_RETURN_IF_ERROR(measure());
        IIR2D_TRY(const auto store, Store::open_to_read(m_options.database));
        IIR2D_TRY(const auto all, store.read_all());
        IIR2D_TRY(m_host, model_host());
        for (const std::string_view purpose : iir2d::model_purposes(m_device.backend())) {
            IIR2D_TRY(m_done.purposes.emplace_back(), retrain_purpose(all, std::string(purpose)));
        }
        m_done.seconds = seconds();
        return m_done;
    }

  private:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

    Result<void> empty_database() const {
        std::error_code error;
        std::filesystem::create_directories(m_options.database.parent_path(), error);
        std::filesystem::remove(m_options.database, error);
        if (error)
            return fail(ErrorKind::unwritable_output,
                        quoted(m_options.database) + " cannot be removed: " + error.message());
        return {};
    }

    Result<void> measure() {
        IIR2D_TRY(Slices training, slices_of(ProblemSet::train, m_options, m_device));
        IIR2D_TRY(Slices judging, slices_of(ProblemSet::validation, m_options, m_device));
        const double end = m_options.budget_seconds * measuring_part;
        for (std::size_t turn = 0; seconds() < end; ++turn) {
            Slices& slices = turn % 4 == 1 ? judging : training;
            const auto problems = slices.take();
            if (problems.empty()) break;
            CollectOptions collecting{.out = m_options.database, .set = slices.set, .seed = m_options.seed};
            collecting.space = {.kind = Space::Kind::sampled, .count = sampled_configs, .configs = {}};
            collecting.rounds_most = 9;
            collecting.budget_seconds = end - seconds();
            const TaskControl within{.stop = m_control.stop, .progress = [&](double, std::string_view what) {
                                         m_control.report(seconds() / m_options.budget_seconds, what);
                                     }};
            IIR2D_TRY(const auto done, collect(problems, collecting, m_device, within));
            if (!done.wrong.empty())
                return fail(ErrorKind::check_failed, "a result is wrong: " + done.wrong.front());
            m_done.visits += done.visits;
            m_done.contended += done.contended;
        }
        return {};
    }

    // The time of a model's decisions over static's on the problems that judge.
    static Result<Evaluation> judge_model(const Measurements& judged, const iir2d::TreeModel& model) {
        return evaluate(judged, ranker_of(model, judged, std::numeric_limits<double>::infinity()), {});
    }

    Result<RetrainedPurpose> retrain_purpose(const Measurements& all, const std::string& purpose) const {
        RetrainedPurpose made{.purpose = purpose, .version = next_version(own_models(), purpose)};
        const auto refuse = [&](std::string why) {
            made.why_not = std::move(why);
            return made;
        };
        auto trained = train(all, &all, {.purpose = purpose, .version = made.version, .seed = m_options.seed},
                             m_control);
        if (!trained) {
            if (trained.error().kind != ErrorKind::bad_argument) return std::unexpected(trained.error());
            return refuse(trained.error().message);
        }
        made.problems = trained->problems;
        if (!trained->unproven.empty()) return refuse(trained->unproven);
        Measurements judged = all;
        std::erase_if(judged.problems, [&](const MeasuredProblem& problem) {
            return problem.purpose != purpose || problem.set != name_of(ProblemSet::validation);
        });
        IIR2D_TRY(const auto evaluation, judge_model(judged, trained->model));
        made.to_static = evaluation.decision_geomean;
        made.regret = evaluation.by_k.front().regret.geomean;
        double before = 1;
        for (const RegisteredModel& one : find_models(model_places({}), m_host)) {
            if (one.purpose != purpose || one.status != ModelStatus::active) continue;
            IIR2D_TRY(const auto judged_active, judge_model(judged, *one.model));
            made.active_to_static = before = judged_active.decision_geomean;
        }
        if (!evaluation.surely_slower.empty())
            return refuse("it is slower than static for " + evaluation.surely_slower.front());
        if (*made.to_static > before)
            return refuse("its decisions take " + format_number(*made.to_static) +
                          " of static's time, those of what decides now " + format_number(before));
        IIR2D_RETURN_IF_ERROR(install_model(purpose, made.version, trained->files));
        made.is_installed = true;
        return made;
    }

    const RetrainOptions& m_options;
    const iir2d::Device& m_device;
    const TaskControl& m_control;
    ModelHost m_host;
    Retrained m_done;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

}  // namespace

Result<Retrained> retrain(const RetrainOptions& options, const iir2d::Device& device,
                          const TaskControl& control) {
    return Retraining(options, device, control).make();
}

}  // namespace workbench::tune
