// SPDX-License-Identifier: MIT
// synth generate: a data set of kernels and their IR.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <set>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "core/inspect/generate_report.h"
#include "core/inspect/toolchain.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/data_set.h"
#include "core/synth/data_set_files.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct SynthGenerateOptions {
    std::string out;
    std::string count;
    std::string seed = "1";
    std::vector<std::string> categories;
    std::vector<std::string> weights;
    std::vector<std::string> targets;
    std::vector<std::string> levels;
    bool balanced = false;
    bool backward = false;
    bool resume = false;
    std::string jobs = "2";
    bool json = false;
    bool quiet = false;
};

Result<synth::Category> category_of(const std::string& name) {
    if (const auto category = synth::category_from_name(name)) return *category;
    return workbench::fail(ErrorKind::bad_argument, "there is no category \"" + name + "\"");
}

// "array=2,block=0.5".
Result<void> take_weights(const SynthGenerateOptions& given, synth::GenerateOptions& made) {
    if (!given.weights.empty() && given.balanced)
        return workbench::fail(ErrorKind::bad_argument, "--balanced and --weights are not for one data set");
    double total = 0;
    for (const std::string& text : split_list(given.weights)) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            return workbench::fail(ErrorKind::bad_argument,
                                   "--weights is CATEGORY=NUMBER,..., not \"" + text + "\"");
        IIR2D_TRY(const auto category, category_of(text.substr(0, equals)));
        IIR2D_TRY(const double weight, parse_number("--weights", text.substr(equals + 1)));
        constexpr double most = 1e6;
        if (!(weight >= 0 && weight <= most))
            return workbench::fail(ErrorKind::bad_argument, "--weights has numbers from 0 to 1000000");
        if (!made.weights.emplace(category, weight).second)
            return workbench::fail(ErrorKind::bad_argument,
                                   "--weights has " + text.substr(0, equals) + " twice");
        const bool is_asked = made.categories.empty() || std::ranges::count(made.categories, category) > 0;
        if (!is_asked)
            return workbench::fail(ErrorKind::bad_argument, "--weights has " + text.substr(0, equals) +
                                                                ", which --categories has not");
        total += weight;
    }
    if (!made.weights.empty() && total <= 0)
        return workbench::fail(ErrorKind::bad_argument, "--weights has no number above 0");
    return {};
}

Result<void> take_levels(const SynthGenerateOptions& given, synth::GenerateOptions& made) {
    if (given.levels.empty()) return {};
    const std::set<std::string> known{"V0", "V1", "V2", "V3"};
    std::set<std::string> levels;
    for (const std::string& level : split_list(given.levels)) {
        if (level == "V4")
            return workbench::fail(
                ErrorKind::bad_argument,
                "V4 is tried of a data set that is there, by synth verify --device: what a "
                "GPU gives is not part of one");
        if (!known.contains(level))
            return workbench::fail(ErrorKind::bad_argument,
                                   "there is no level \"" + level + "\": V0, V1, V2 and V3");
        levels.insert(level);
    }
    made.judge.levels.assign(levels.begin(), levels.end());
    return {};
}

Result<synth::GenerateOptions> checked(const SynthGenerateOptions& given, const std::stop_token& stop) {
    synth::GenerateOptions made{.folder = given.out, .resume = given.resume};
    IIR2D_TRY(made.count, parse_count("--count", given.count, 1, 1'000'000'000));
    IIR2D_TRY(made.seed, parse_count("--seed", given.seed, 0, std::numeric_limits<std::uint64_t>::max()));
    IIR2D_TRY(const auto jobs, parse_count("--jobs", given.jobs, 1, 256));
    made.jobs = static_cast<unsigned>(jobs);
    for (const std::string& name : split_list(given.categories)) {
        IIR2D_TRY(const auto category, category_of(name));
        made.categories.push_back(category);
    }
    IIR2D_RETURN_IF_ERROR(take_weights(given, made));
    IIR2D_RETURN_IF_ERROR(take_levels(given, made));
    made.judge.backward = given.backward;
    IIR2D_TRY(inspect::ChosenTargets chosen, inspect::choose_targets(split_list(given.targets), stop));
    if (made.judge.has_level("V1")) IIR2D_RETURN_IF_ERROR(inspect::check_assembler(chosen));
    for (const std::string& left_out : chosen.unavailable) note("left out: " + left_out, given.quiet);
    made.judge.targets = std::move(chosen.targets);
    made.unavailable = std::move(chosen.stored_unavailable);
    return made;
}

Result<int> run_synth_generate(const SynthGenerateOptions& given, const Interruption& interruption) {
    IIR2D_TRY(const synth::GenerateOptions options, checked(given, interruption.token()));
    Progress progress(interruption.token(), given.quiet);
    const workbench::TaskControl control = progress.control();
    inspect::GenerateReport report(options.count);
    const auto tell = [&](const synth::GenerateProgress& made) {
        const auto state = report.state(made);
        control.report(state.fraction, state.text);
    };
    IIR2D_TRY(const auto made,
              synth::generate_data_set(options, inspect::toolchains_until(interruption.token()), tell,
                                       interruption.token()));
    const double seconds = report.seconds();
    progress.clear();
    if (given.json) {
        print_json({{"kernels", made.kernels},
                    {"pairs", made.pairs},
                    {"skeletons", made.skeletons},
                    {"rejected", made.rejected},
                    {"seconds", seconds},
                    {"kernels_per_second", static_cast<double>(made.kernels - made.found_kernels) / seconds},
                    {"pairs_per_second", static_cast<double>(made.pairs - made.found_pairs) / seconds}});
    } else {
        std::printf("%llu kernels, %llu pairs, %llu skeletons in %.1f s\n",
                    static_cast<unsigned long long>(made.kernels),
                    static_cast<unsigned long long>(made.pairs),
                    static_cast<unsigned long long>(made.skeletons), seconds);
        for (const auto& [reason, count] : made.rejected)
            std::printf("rejected, %s: %llu\n", reason.c_str(), static_cast<unsigned long long>(count));
    }
    const auto mismatches = made.rejected.find("mismatch");
    if (made.was_complete || mismatches == made.rejected.end()) return 0;
    return workbench::fail(ErrorKind::check_failed,
                           std::to_string(mismatches->second) +
                               " kernels do not give what is expected: they are among the rejected");
}

}  // namespace

void add_synth_generate(CLI::App& synth, Action& chosen) {
    auto options = std::make_shared<SynthGenerateOptions>();
    CLI::App* generate = synth.add_subcommand(
        "generate", "Make a data set of kernels and their IR, and verify each by running what was compiled");
    generate->add_option("--out", options->out, "The folder to write, a new one")->required();
    generate->add_option("--count", options->count, "How many kernels")->required();
    generate->add_option("--seed", options->seed, "Seed of the random draws (default: 1)");
    generate
        ->add_option(
            "--categories", options->categories,
            "Categories, separated by commas (default: all 14), with the same number of kernels of each")
        ->allow_extra_args(false);
    generate->add_flag("--balanced", options->balanced,
                       "Make the same number of each category, which is the default");
    generate
        ->add_option("--weights", options->weights,
                     "Make categories in these proportions, such as array=2,block=1")
        ->allow_extra_args(false);
    generate
        ->add_option("--levels", options->levels,
                     "Levels of verification, of V0,V1,V2,V3, separated by commas (V0 always is one; "
                     "default: V0,V2,V3)")
        ->allow_extra_args(false);
    generate
        ->add_option(
            "--targets", options->targets,
            "Targets, separated by commas (default: those of the default targets that are available)")
        ->allow_extra_args(false);
    generate->add_flag("--backward", options->backward, "Also make the backward kernels");
    generate->add_option("--jobs", options->jobs,
                         "Batches at a time, each with a compiler process (default: 2)");
    generate->add_flag("--resume", options->resume, "Continue after the last complete shard");
    generate->add_flag("--json", options->json, "Print the counts as JSON");
    add_quiet(*generate, options->quiet);
    generate->callback([options, &chosen] {
        chosen = [options](const Interruption& interruption) {
            return run_synth_generate(*options, interruption);
        };
    });
}

}  // namespace app
