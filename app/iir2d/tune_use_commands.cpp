// SPDX-License-Identifier: MIT
// tune select, stats and learned: what decides how kernels are executed, how often, and what was learned.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "core/support/counted.h"
#include "core/support/try.h"
#include "core/tune/generate.h"
#include "core/tune/use.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct TuneSelectOptions {
    DeviceOptions device;
    std::vector<std::string> words;
    std::string models;
    std::string top_k = "3";
    std::string threshold = "1.1";
    bool features = false;
    bool no_fallback = false;
    bool json = false;
    bool quiet = false;
};

// A spec is one argument or several words of it: the next begins with what its operation is.
std::vector<std::string> specs_of(const std::vector<std::string>& words) {
    std::vector<std::string> specs;
    for (const std::string& word : words) {
        const bool begins = word.starts_with("filter:") || word.starts_with("pool:") || word.contains(' ');
        if (begins || specs.empty())
            specs.push_back(word);
        else
            specs.back() += " " + word;
    }
    return specs;
}

Result<iir2d::TuneOptions> select_options(const TuneSelectOptions& given) {
    iir2d::TuneOptions options = iir2d::tune_options();
    IIR2D_TRY(const auto k, parse_integer("--top-k", given.top_k, 1, 1'000'000));
    options.top_k = static_cast<int>(k);
    if (given.threshold == "inf") {
        options.threshold = std::numeric_limits<double>::infinity();
        return options;
    }
    IIR2D_TRY(options.threshold, parse_number("--threshold", given.threshold));
    if (!(options.threshold >= 1))
        return workbench::fail(ErrorKind::bad_argument,
                               "--threshold " + shown(given.threshold) + " is below 1: give 1 to inf");
    return options;
}

Json json_of_ratio(const std::optional<double>& ratio) {
    return ratio ? Json(*ratio) : Json();
}

Json json_of_selection(const tune::NamedProblem& problem, const iir2d::Explanation& said,
                       const iir2d::TuneOptions& options, bool with_features) {
    Json candidates = Json::array();
    std::size_t rank = 0;
    for (const iir2d::RankedConfig& one : said.candidates) {
        Json candidate{{"config", iir2d::text_of(one.config)},
                       {"resolved", iir2d::text_of(one.resolved)},
                       {"predicted_ratio", json_of_ratio(one.predicted_ratio)},
                       {"predicted_copies", json_of_ratio(one.predicted_copies)},
                       {"kept", one.kept},
                       {"rank", ++rank}};
        if (with_features && !one.features.empty()) {
            Json features = Json::object();
            const auto names = iir2d::feature_names(said.purpose);
            for (std::size_t i = 0; i < names.size(); ++i)
                features[std::string(names[i])] = static_cast<double>(one.features[i]);
            candidate["features"] = std::move(features);
        }
        candidates.push_back(std::move(candidate));
    }
    return {{"spec", problem.spec},
            {"key", said.key},
            {"mode", iir2d::name_of(options.mode)},
            {"decision",
             {{"config", iir2d::text_of(said.decision.config)},
              {"resolved", iir2d::text_of(said.decision.resolved)},
              {"reason", iir2d::name_of(said.decision.reason)},
              {"predicted_ratio", json_of_ratio(said.decision.predicted_ratio)}}},
            {"candidates", std::move(candidates)},
            {"filtered", said.filtered},
            {"model", said.model.empty() ? Json() : Json(said.model)}};
}

void print_selection(const tune::NamedProblem& problem, const iir2d::Explanation& said) {
    std::printf("%s\n  %s (%s)", problem.spec.c_str(), iir2d::text_of(said.decision.config).c_str(),
                std::string(iir2d::name_of(said.decision.reason)).c_str());
    if (said.decision.predicted_ratio) std::printf(", %.3f of static's time", *said.decision.predicted_ratio);
    std::printf("\n");
    if (said.model.empty()) return;
    std::printf("  by %s:\n", said.model.c_str());
    for (const iir2d::RankedConfig& one : said.candidates) {
        if (one.kept)
            std::printf("    %.3f %s\n", one.predicted_ratio.value_or(1), iir2d::text_of(one.config).c_str());
    }
    std::printf("    %s cut\n", counted(said.filtered, "candidate").c_str());
}

bool is_fallback(iir2d::TuneReason reason) {
    using enum iir2d::TuneReason;
    return reason != learned && reason != model && reason != static_as_good && reason != table;
}

Result<int> run_select(const TuneSelectOptions& given) {
    IIR2D_TRY(const auto choice, given.device.choose());
    IIR2D_TRY(const auto options, select_options(given));
    tune::begin_use(given.models);
    Json all = Json::array();
    std::size_t fallbacks = 0;
    for (const std::string& spec : specs_of(given.words)) {
        IIR2D_TRY(auto problem, tune::problem_from_spec(spec));
        IIR2D_TRY(const auto one, tune::named(std::move(problem), choice.device, "argument"));
        IIR2D_TRY(const auto said, tune::explain(choice.device, one.problem, options));
        if (is_fallback(said.decision.reason)) ++fallbacks;
        if (given.json)
            all.push_back(json_of_selection(one, said, options, given.features));
        else
            print_selection(one, said);
    }
    if (given.json) print_json({{"problems", all}});
    if (!given.no_fallback || fallbacks == 0) return 0;
    return workbench::fail(ErrorKind::check_failed,
                           "nothing decides " + counted(fallbacks, "problem") + ", and static runs");
}

struct TuneUseOptions {
    std::vector<std::string> key;
    bool reset = false;
    bool forget = false;
    bool json = false;
    bool quiet = false;
};

Result<int> run_stats(const TuneUseOptions& given) {
    // First: it is what mends a file that cannot be read.
    if (given.reset) IIR2D_RETURN_IF_ERROR(tune::reset_statistics());
    IIR2D_TRY(const auto kept, tune::kept_statistics());
    const auto value = [&](const std::string& name) {
        const auto found = kept.counters.find(name);
        return found == kept.counters.end() ? std::uint64_t{0} : found->second;
    };
    Json reasons = Json::object();
    Json beside = Json::object();
    const auto names = tune::counters_of({});  // "calls" is the first
    for (std::size_t i = 1; i < names.size(); ++i) {
        const std::string& name = names[i].first;
        (i <= iir2d::tune_reason_count ? reasons : beside)[name] = value(name);
    }
    if (given.json) {
        print_json({{"calls", value("calls")},
                    {"reasons", reasons},
                    {"counters", beside},
                    {"seen", kept.seen.size()}});
        return 0;
    }
    std::printf("%s\n", counted(static_cast<std::size_t>(value("calls")), "decision").c_str());
    for (const Json* one : {&reasons, &beside}) {
        for (const auto& [name, number] : one->items()) {
            if (number != 0) std::printf("  %s: %s\n", name.c_str(), number.dump().c_str());
        }
    }
    std::printf("%s seen\n", counted(kept.seen.size(), "problem").c_str());
    return 0;
}

Result<int> run_learned(const TuneUseOptions& given) {
    if (!given.key.empty() && !given.forget)
        return workbench::fail(ErrorKind::bad_argument, "a key is given with --forget");
    if (given.forget) {
        std::optional<std::string> key;
        for (const std::string& word : given.key) key = key ? *key + " " + word : word;
        IIR2D_TRY(const auto gone, tune::forget_learned(key));
        if (given.json) print_json({{"forgotten", gone}});
        note("forgot " + counted(gone, "entry", "entries"), given.quiet || given.json);
        return 0;
    }
    IIR2D_TRY(const auto lines, tune::kept_learned());
    if (!given.json) {
        std::fwrite(lines.data(), 1, lines.size(), stdout);
        return 0;
    }
    Json all = Json::array();
    for (const tune::LearnedEntry& one : tune::learned_entries(lines))
        all.push_back({{"machine", one.machine},
                       {"kernels", one.kernels},
                       {"key", one.key},
                       {"config", one.config},
                       {"ratio", one.ratio},
                       {"runs", one.runs},
                       {"utc", one.utc}});
    print_json({{"learned", all}});
    return 0;
}

}  // namespace

void add_tune_use(CLI::App& tune, Action& chosen) {
    auto select = std::make_shared<TuneSelectOptions>();
    select->device.device = "cpu";
    CLI::App* command =
        tune.add_subcommand("select", "Print what decides how a problem is executed, and all its candidates");
    command
        ->add_option("SPEC", select->words,
                     "Problems, such as \"filter:1 border:mirror precision:f32 size:640x480\"")
        ->required();
    command->add_option("--models", select->models, "A folder of models that is searched before the others");
    command->add_option("--top-k", select->top_k, "Most candidates to keep, at least 1")
        ->capture_default_str();
    command
        ->add_option(
            "--threshold", select->threshold,
            "Keep candidates whose predicted time is within this ratio to the best predicted, from 1 to inf")
        ->capture_default_str();
    command->add_flag("--features", select->features,
                      "With --json also print the features that the model reads of each candidate");
    command->add_flag("--no-fallback", select->no_fallback,
                      "Exit with 5 if neither a model, a table nor a learned entry decides");
    select->device.add_to(*command);
    select->device.keeps_use = false;  // run_select() does
    command->add_flag("--json", select->json, "Print JSON");
    add_quiet(*command, select->quiet);
    command->callback(
        [select, &chosen] { chosen = [select](const Interruption&) { return run_select(*select); }; });

    auto given = std::make_shared<TuneUseOptions>();
    const auto runs = [given, &chosen](CLI::App* of, Result<int> (*run)(const TuneUseOptions&)) {
        of->add_flag("--json", given->json, "Print JSON");
        add_quiet(*of, given->quiet);
        of->callback(
            [given, run, &chosen] { chosen = [given, run](const Interruption&) { return run(*given); }; });
    };
    CLI::App* stats =
        tune.add_subcommand("stats", "Print how often decisions were made on this machine, by their reason");
    stats->add_flag("--reset", given->reset, "Set the counts to 0");
    runs(stats, run_stats);
    CLI::App* learned = tune.add_subcommand(
        "learned", "List learned entries, measured in use (--tune measure): one line for each problem");
    learned->add_flag("--forget", given->forget, "Forget the entry of KEY on this machine, or all entries");
    learned->add_option("KEY", given->key, "A problem's key, as select --json prints it");
    runs(learned, run_learned);
}

}  // namespace app
