// SPDX-License-Identifier: MIT
// synth generate: a data set of kernels and their IR.
#include <chrono>
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/synth_toolchain.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/data_set.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct SynthGenerateOptions {
    std::string out;
    std::uint64_t count = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> categories;
    std::vector<std::string> targets;
    bool backward = false;
    bool resume = false;
    unsigned jobs = 2;
    bool json = false;
};

Result<synth::GenerateOptions> checked(const SynthGenerateOptions& given, const std::stop_token& stop) {
    synth::GenerateOptions made{.folder = given.out,
                                .count = given.count,
                                .seed = given.seed,
                                .jobs = given.jobs,
                                .resume = given.resume};
    if (given.count == 0)
        return workbench::fail(ErrorKind::bad_argument, "--count is the number of kernels, from 1");
    if (given.jobs == 0 || given.jobs > 256)
        return workbench::fail(ErrorKind::bad_argument, "--jobs is from 1 to 256");
    for (const std::string& name : split_list(given.categories)) {
        const auto category = synth::category_from_name(name);
        if (!category) return workbench::fail(ErrorKind::bad_argument, "there is no category " + name);
        made.categories.push_back(*category);
    }
    made.judge.backward = given.backward;
    compile::Compiler compiler;
    IIR2D_TRY(const auto states, compiler.targets(stop));
    const bool are_named = !given.targets.empty();
    for (const std::string& name : are_named ? split_list(given.targets) : compile::default_targets()) {
        const auto state =
            std::find_if(states.begin(), states.end(), [&](const auto& one) { return one.target == name; });
        if (state == states.end())
            return workbench::fail(ErrorKind::bad_argument, "there is no target " + name);
        if (state->is_available)
            made.judge.targets.push_back(data_set_target(*state));
        else if (are_named)
            return workbench::fail(ErrorKind::device_failure, name + " is not available: " + state->reason);
        else
            made.unavailable.push_back(name + ": " + state->reason);
    }
    if (made.judge.targets.empty())
        return workbench::fail(ErrorKind::device_failure,
                               "there is no compiler: " + made.unavailable.front());
    return made;
}

Result<int> run_synth_generate(const SynthGenerateOptions& given, const Interruption& interruption) {
    IIR2D_TRY(const synth::GenerateOptions options, checked(given, interruption.token()));
    for (const std::string& left_out : options.unavailable) note("left out: " + left_out, false);
    const auto start = std::chrono::steady_clock::now();
    IIR2D_TRY(const auto made, synth::generate_data_set(options, make_toolchain, {}, interruption.token()));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (given.json) {
        print_json({{"kernels", made.kernels},
                    {"pairs", made.pairs},
                    {"skeletons", made.skeletons},
                    {"rejected", made.rejected},
                    {"seconds", seconds},
                    {"kernels_per_second", static_cast<double>(made.kernels) / seconds},
                    {"pairs_per_second", static_cast<double>(made.pairs) / seconds}});
    } else {
        std::printf("%llu kernels, %llu pairs, %llu skeletons in %.1f s\n",
                    static_cast<unsigned long long>(made.kernels),
                    static_cast<unsigned long long>(made.pairs),
                    static_cast<unsigned long long>(made.skeletons), seconds);
        for (const auto& [reason, count] : made.rejected)
            std::printf("rejected, %s: %llu\n", reason.c_str(), static_cast<unsigned long long>(count));
    }
    const auto mismatches = made.rejected.find("mismatch");
    if (mismatches == made.rejected.end()) return 0;
    return workbench::fail(ErrorKind::check_failed,
                           std::to_string(mismatches->second) +
                               " kernels do not give what is expected: they are among the rejected");
}

}  // namespace

void add_synth_generate(CLI::App& synth, Action& chosen) {
    auto options = std::make_shared<SynthGenerateOptions>();
    CLI::App* generate =
        synth.add_subcommand("generate", "Make a data set of kernels and their IR, each run as compiled");
    generate->add_option("--out", options->out, "A new folder")->required();
    generate->add_option("--count", options->count, "How many kernels")->required();
    generate->add_option("--seed", options->seed, "Other kernels; 1");
    generate->add_option("--categories", options->categories,
                         "Separated by commas; all 14, the same number of each");
    generate->add_option("--targets", options->targets,
                         "Separated by commas; those of the defaults that are there");
    generate->add_flag("--backward", options->backward, "The backward kernels too");
    generate->add_option("--jobs", options->jobs, "Batches at a time, each with a compiler process; 2");
    generate->add_flag("--resume", options->resume, "Go on behind the last whole shard");
    generate->add_flag("--json", options->json, "The figures as JSON");
    generate->callback([options, &chosen] {
        chosen = [options](const Interruption& interruption) {
            return run_synth_generate(*options, interruption);
        };
    });
}

}  // namespace app
