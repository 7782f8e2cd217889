// SPDX-License-Identifier: MIT
// tune collect: the problems, their candidates, and the time of each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/tune.h"
#include "core/support/counted.h"
#include "core/support/try.h"
#include "core/tune/collect.h"
#include "core/tune/generate.h"
#include "core/tune/use.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct TuneCollectOptions {
    DeviceOptions device;
    std::string out;
    std::string set = "train";
    std::vector<std::string> generate{"mixed"};
    std::string count = "200";
    std::string seed = "1";
    std::vector<std::string> ops{"iir", "pool", "pool-backward"};
    std::string problems;
    std::string space = "exhaustive";
    std::string max_samples = "16777216";
    std::string objective = "both";
    std::string rounds = "5..25";
    std::string visits = "2";
    std::string budget;
    bool other_bits = false;
    bool list = false;
    bool json = false;
    bool quiet = false;
};

template <class T>
Result<std::vector<T>> named_list(const std::vector<std::string>& texts,
                                  Result<T> (*read)(std::string_view)) {
    std::vector<T> values;
    for (const std::string& text : split_list(texts)) {
        IIR2D_TRY(const auto value, read(text));
        values.push_back(value);
    }
    return values;
}

Result<tune::GenerateOptions> generate_options(const TuneCollectOptions& given) {
    tune::GenerateOptions options;
    IIR2D_TRY(options.set, tune::problem_set_from_name(given.set));
    IIR2D_TRY(options.kinds, named_list(given.generate, tune::problem_kind_from_name));
    IIR2D_TRY(options.ops, named_list(given.ops, tune::tuned_op_from_name));
    IIR2D_TRY(const auto count, parse_integer("--count", given.count, 1, 100'000));
    options.count = static_cast<std::size_t>(count);
    IIR2D_TRY(const auto seed,
              parse_integer("--seed", given.seed, 0, std::numeric_limits<std::int64_t>::max()));
    options.seed = static_cast<std::uint64_t>(seed);
    IIR2D_TRY(options.max_samples,
              parse_integer("--max-samples", given.max_samples, 1, std::int64_t{1} << 40));
    return options;
}

// What --list prints.
Json json_of(const tune::NamedProblem& problem, const std::vector<iir2d::Config>& configs) {
    Json candidates = Json::array();
    for (const iir2d::Config& config : configs) candidates.push_back(iir2d::text_of(config));
    return {{"spec", problem.spec},
            {"key", problem.key},
            {"purpose", tune::purpose_of(problem.problem, tune::backend_of(problem.key))},
            {"family", tune::family_of(problem.problem, tune::backend_of(problem.key))},
            {"source", problem.source},
            {"candidates", candidates}};
}

Result<int> list_problems(const TuneCollectOptions& given, const std::vector<tune::NamedProblem>& problems,
                          const tune::Space& space, std::uint64_t seed, const iir2d::Device& device,
                          const Interruption& interruption) {
    Json all = Json::array();
    for (const tune::NamedProblem& problem : problems) {
        if (interruption.token().stop_requested())
            return workbench::fail(ErrorKind::cancelled, "tune collect --list was cancelled");
        IIR2D_TRY(const auto configs, tune::configs_of(space, problem, seed, device));
        if (given.json) {
            all.push_back(json_of(problem, configs));
            continue;
        }
        std::printf("%s\n  key: %s\n", problem.spec.c_str(), problem.key.c_str());
        for (const iir2d::Config& config : configs) std::printf("  %s\n", iir2d::text_of(config).c_str());
    }
    if (given.json) print_json({{"problems", all}});
    return 0;
}

// "5..25".
Result<std::pair<int, int>> parse_rounds(const std::string& text) {
    const auto dots = text.find("..");
    if (dots == std::string::npos)
        return workbench::fail(ErrorKind::bad_argument, "--rounds \"" + shown(text) + "\" is not as 5..25");
    IIR2D_TRY(const auto least, parse_integer("--rounds", text.substr(0, dots), 1, 1000));
    IIR2D_TRY(const auto most, parse_integer("--rounds", text.substr(dots + 2), least, 1000));
    return std::pair(static_cast<int>(least), static_cast<int>(most));
}

Result<tune::CollectOptions> collect_options(const TuneCollectOptions& given, const tune::Space& space,
                                             const tune::GenerateOptions& drawn) {
    tune::CollectOptions options{.out = given.out, .set = drawn.set, .seed = drawn.seed, .space = space};
    IIR2D_TRY(options.objective, tune::objective_from_name(given.objective));
    IIR2D_TRY(const auto rounds, parse_rounds(given.rounds));
    std::tie(options.rounds_least, options.rounds_most) = rounds;
    IIR2D_TRY(const auto visits, parse_integer("--visits", given.visits, 1, 100));
    options.visits = static_cast<int>(visits);
    if (given.budget.empty()) return options;
    IIR2D_TRY(const double seconds, parse_number("--budget", given.budget));
    if (!(seconds > 0)) return workbench::fail(ErrorKind::bad_argument, "--budget is in seconds, above 0");
    options.budget_seconds = seconds;
    return options;
}

void say(const tune::Collected& done, const TuneCollectOptions& given) {
    if (given.json) {
        Json failed = Json::array();
        for (const auto& [spec, reason] : done.failed) failed.push_back({{"spec", spec}, {"reason", reason}});
        print_json({{"visits", done.visits},
                    {"missing", done.missing},
                    {"failed", failed},
                    {"unstable", done.unstable},
                    {"contended", done.contended},
                    {"wrong", done.wrong},
                    {"seconds", done.seconds}});
        return;
    }
    std::printf("%s in %.1f s: %zu unstable, %zu contended, %zu wrong\n",
                counted(done.visits, "visit").c_str(), done.seconds, done.unstable, done.contended,
                done.wrong.size());
    if (done.missing > 0)
        std::printf("%s%s missing, the same command makes them\n",
                    done.failed.empty() ? "the budget is spent: " : "",
                    counted(done.missing, "visit is", "visits are").c_str());
    for (const auto& [spec, reason] : done.failed)
        std::printf("not measured: %s: %s\n", shown(spec).c_str(), shown(reason).c_str());
    for (const std::string& one : done.wrong) std::printf("wrong: %s\n", shown(one).c_str());
}

Result<int> collect_into(const TuneCollectOptions& given, const std::vector<tune::NamedProblem>& problems,
                         const tune::Space& space, const tune::GenerateOptions& drawn,
                         const iir2d::Device& device, const Interruption& interruption) {
    if (given.out.empty())
        return workbench::fail(ErrorKind::bad_argument,
                               "--out names the database that is written; without it, --list");
    IIR2D_TRY(const auto options, collect_options(given, space, drawn));
    interruption.give_time(std::chrono::seconds(10));
    Progress progress(interruption.token(), given.quiet);
    const auto done = tune::collect(problems, options, device, progress.control());
    progress.clear();
    if (!done) return std::unexpected(done.error());
    say(*done, given);
    if (!done->failed.empty() && done->failed.size() == problems.size())
        return workbench::fail(ErrorKind::device_failure,
                               "no problem could be measured: " + shown(done->failed.begin()->second));
    if (done->wrong.empty()) return 0;
    return workbench::fail(ErrorKind::check_failed,
                           counted(done->wrong.size(), "result is", "results are") + " wrong");
}

// What the programs met. A spec that was valid for an older one only is left out.
Result<std::vector<tune::NamedProblem>> seen_problems(const iir2d::Device& device) {
    IIR2D_TRY(const auto kept, tune::kept_statistics());
    std::vector<tune::NamedProblem> problems;
    for (const std::string& spec : kept.seen) {
        auto problem = tune::problem_from_spec(spec);
        if (!problem) continue;
        if (auto one = tune::named(std::move(*problem), device, "seen")) problems.push_back(std::move(*one));
    }
    if (problems.empty())
        return workbench::fail(ErrorKind::bad_input, "--problems seen: no program has met a problem yet");
    return problems;
}

Result<int> run_collect(const TuneCollectOptions& given, const Interruption& interruption) {
    IIR2D_TRY(auto options, generate_options(given));
    IIR2D_TRY(const auto choice, given.device.choose());
    if (choice.device.backend() == iir2d::Backend::cuda) {
        if (given.ops == TuneCollectOptions{}.ops) options.ops.pop_back();
        if (std::ranges::find(options.ops, tune::TunedOp::pool_backward) != options.ops.end())
            return workbench::fail(ErrorKind::bad_argument,
                                   "--ops pool-backward: on a GPU there are models of iir and pool");
    }
    IIR2D_TRY(auto space, tune::space_from_text(given.space));
    space.other_bits = given.other_bits;
    IIR2D_TRY(const auto problems, given.problems.empty() ? tune::generate_problems(options, choice.device)
                                   : given.problems == "seen"
                                       ? seen_problems(choice.device)
                                       : tune::read_problems(given.problems, choice.device));
    if (given.problems.empty() && problems.size() < options.count)
        note("there are no more than " + counted(problems.size(), "such problem"), given.quiet);
    if (given.list) return list_problems(given, problems, space, options.seed, choice.device, interruption);
    return collect_into(given, problems, space, options, choice.device, interruption);
}

void add_collect(CLI::App& tune, Action& chosen) {
    auto given = std::make_shared<TuneCollectOptions>();
    given->device.device = "cpu";
    CLI::App* command = tune.add_subcommand("collect", "Measure the candidate configs of many problems");
    command
        ->add_option("--set", given->set,
                     "The set that problems belong to: train or validation; no key is in both")
        ->capture_default_str();
    command
        ->add_option("--generate", given->generate,
                     "How sizes are drawn: lognormal, pow2, odd, thin, batch, edges or mixed, separated by "
                     "commas (default: mixed)")
        ->type_name("LIST")
        ->allow_extra_args(false);
    command->add_option("--count", given->count, "How many problems to draw")->capture_default_str();
    command->add_option("--seed", given->seed, "Seed of the random draws")->capture_default_str();
    command
        ->add_option(
            "--ops", given->ops,
            "Operations: iir, pool, pool-backward, separated by commas (default: all; on a GPU iir,pool)")
        ->type_name("LIST")
        ->allow_extra_args(false);
    command->add_option(
        "--problems", given->problems,
        "Problems in place of drawn ones: a file with one spec a line, a CSV file with a column \"spec\", or "
        "seen: those that filter, pool, run and batch met on this machine");
    command
        ->add_option("--space", given->space,
                     "Which configs to measure: exhaustive (all), sampled:N (static and N drawn at random), "
                     "or a file with one config a line")
        ->capture_default_str();
    command
        ->add_option("--max-samples", given->max_samples,
                     "Most samples in all planes of a drawn problem together")
        ->capture_default_str();
    command->add_option("--out", given->out, "The database to write; one that exists is continued");
    command
        ->add_option("--objective", given->objective,
                     "The time that confidence intervals and the stopping of slow configs use: op (the "
                     "call), use (the call and one read of its output) or both (the worse of the two)")
        ->capture_default_str();
    command
        ->add_option("--rounds", given->rounds,
                     "Least and most samples of each config in a visit, LEAST..MOST; between them a visit "
                     "ends when all confidence intervals are within 1 %")
        ->capture_default_str();
    command
        ->add_option("--visits", given->visits,
                     "How often each problem is visited, with all others in between")
        ->capture_default_str();
    command->add_option("--budget", given->budget, "Seconds after which no new visit begins");
    command->add_option("--device", given->device.device, "The device: cpu, cuda or cuda:N")
        ->capture_default_str();
    command->add_option("--threads", given->device.threads, "Most threads to use (default: all)");
    command->add_flag("--allow-other-bits", given->other_bits,
                      "Also measure configs that change bits of results, within the precision's bound; there "
                      "are none on a CPU");
    command->add_flag("--list", given->list, "Print specs, keys and candidates, and measure nothing");
    command->add_flag("--json", given->json, "Print JSON");
    add_quiet(*command, given->quiet);
    command->callback([given, &chosen] {
        chosen = [given](const Interruption& interruption) { return run_collect(*given, interruption); };
    });
}

}  // namespace

void add_tune_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "tune", "Measure how kernels are executed fastest, and train models of it (docs/tuning.md)");
    command->require_subcommand(1);
    add_collect(*command, chosen);
    add_tune_reports(*command, chosen);
    add_tune_use(*command, chosen);
    add_tune_train(*command, chosen);
    add_tune_eval(*command, chosen);
    add_tune_models(*command, chosen);
    add_tune_retrain(*command, chosen);
}

}  // namespace app
