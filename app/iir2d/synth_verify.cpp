// SPDX-License-Identifier: MIT
// synth verify: a data set, held to what it says.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "core/inspect/toolchain.h"
#include "core/support/counted.h"
#include "core/support/devices.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/data_set_files.h"
#include "core/synth/verify.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

struct SynthVerifyOptions {
    std::string folder;
    std::vector<std::string> levels;
    std::string sample = "0";
    std::string mutants = "0";
    std::string jobs = "2";
    std::string device;
    bool json = false;
    bool quiet = false;
};

// What of the data set's compilers is here. What is not is left out with a note, or, where its level was
// named, refused.
Result<void> take_compilers(const SynthVerifyOptions& given, synth::VerifyOptions& verify,
                            const std::stop_token& stop) {
    IIR2D_TRY(const auto run, synth::read_run(verify.folder));
    compile::Compiler compiler;
    IIR2D_TRY(const auto states, compiler.targets(stop));
    const bool are_named = !given.levels.empty();
    const auto missing = [&](const std::string& what) -> Result<void> {
        if (are_named) return workbench::fail(ErrorKind::device_failure, what);
        note("left out: " + what, given.quiet);
        return {};
    };
    const auto state_of = [&](const std::string& name) {
        return std::ranges::find(states, name, &compile::TargetState::target);
    };
    const auto host = state_of("llvm-host-o0");
    verify.has_host = host != states.end() && host->is_available;
    for (const synth::Target& target : run.targets) {
        const auto state = state_of(target.name);
        if (state == states.end()) {
            IIR2D_RETURN_IF_ERROR(missing("V0 of " + target.name + ", which this version does not know"));
        } else if (verify.levels.contains("V0")) {
            const synth::Target here = inspect::data_set_target(*state);
            if (!state->is_available)
                IIR2D_RETURN_IF_ERROR(missing("V0 of " + target.name + ": " + state->reason));
            else if (here.compiler != target.compiler || here.version != target.version ||
                     here.flags != target.flags)
                IIR2D_RETURN_IF_ERROR(missing("V0 of " + target.name + ": it was made by " + target.compiler +
                                              " " + target.version + ", here is " + here.compiler + " " +
                                              here.version));
            else
                verify.compiled.insert(target.name);
        }
        if (target.level == "V3" && verify.levels.contains("V1")) {
            const std::size_t sm = target.name.find(":sm_");
            const auto cubin = state_of("cubin" + (sm == std::string::npos ? "" : target.name.substr(sm)));
            if (cubin == states.end() || !cubin->is_available)
                IIR2D_RETURN_IF_ERROR(
                    missing("V1 of " + target.name + ": " +
                            (cubin == states.end() ? "there is no such architecture" : cubin->reason)));
            else
                verify.assembled.insert(target.name);
        }
        if (target.level == "V2" && verify.levels.contains("V2") && !verify.has_host)
            IIR2D_RETURN_IF_ERROR(
                missing("V2 of " + target.name + ": " + (host == states.end() ? "" : host->reason)));
    }
    return {};
}

// The GPU that V4 runs on, and the targets whose PTX it takes.
Result<iir2d::Device> take_gpu(const SynthVerifyOptions& given, synth::VerifyOptions& verify) {
    const std::string spec = given.device.empty() ? "cuda" : given.device;
    IIR2D_TRY(const auto choice, choose_device(spec));
    if (choice.device.backend() != iir2d::Backend::cuda)
        return workbench::fail(ErrorKind::bad_argument, "--device is cuda or cuda:N, not " + spec);
    int capability = 0;
    for (const iir2d::DeviceInfo& info : list_devices()) {
        if (info.id != choice.device.id()) continue;
        for (const iir2d::DeviceProperty& property : info.properties) {
            if (property.key != "compute_capability" || !property.value) continue;
            for (const char c : *property.value)
                capability = c == '.' ? capability : capability * 10 + (c - '0');
        }
    }
    IIR2D_TRY(const auto run, synth::read_run(verify.folder));
    for (const synth::Target& target : run.targets) {
        const std::size_t at = target.name.find(":sm_");
        if (target.level != "V3" || at == std::string::npos) continue;
        if (std::atoi(target.name.c_str() + at + 4) <= capability)
            verify.on_gpu.insert(target.name);
        else
            note("left out: V4 of " + target.name + ", which is newer than " + choice.device.name(),
                 given.quiet);
    }
    if (verify.on_gpu.empty())
        return workbench::fail(ErrorKind::device_failure,
                               "the data set has no PTX that " + choice.device.name() + " takes");
    return choice.device;
}

Result<int> run_synth_verify(const SynthVerifyOptions& given, const Interruption& interruption) {
    synth::VerifyOptions verify{.folder = given.folder};
    constexpr std::uint64_t most = 1'000'000'000;
    IIR2D_TRY(verify.sample, parse_count("--sample", given.sample, 0, most));
    IIR2D_TRY(verify.mutants, parse_count("--mutants", given.mutants, 0, most));
    IIR2D_TRY(const auto jobs, parse_count("--jobs", given.jobs, 1, 256));
    verify.jobs = static_cast<unsigned>(jobs);
    if (!given.levels.empty()) {
        verify.levels.clear();
        for (const std::string& level : split_list(given.levels)) {
            if (level.size() != 2 || level[0] != 'V' || level[1] < '0' || level[1] > '4')
                return workbench::fail(ErrorKind::bad_argument,
                                       "there is no level \"" + level + "\": V0, V1, V2, V3 and V4");
            verify.levels.insert(level);
        }
    }
    IIR2D_RETURN_IF_ERROR(take_compilers(given, verify, interruption.token()));
    synth::MakeToolchain toolchain = inspect::toolchains_until(interruption.token());
    if (!given.device.empty()) verify.levels.insert("V4");
    if (verify.levels.contains("V4")) {
        IIR2D_TRY(const auto gpu, take_gpu(given, verify));
        toolchain = inspect::toolchain_with(gpu, interruption.token());
    }
    Progress progress(interruption.token(), given.quiet);
    const auto found = [&](const synth::Fault& fault) {
        if (given.json) return;
        progress.clear();
        print_text(shown(fault.id + ": " + fault.level + ": " + fault.what) + "\n");
    };
    IIR2D_TRY(const auto made, synth::verify_data_set(verify, toolchain, found, progress.control()));
    progress.clear();
    if (given.json) {
        Json failures = Json::array();
        for (const synth::Fault& fault : made.faults)
            failures.push_back({{"id", fault.id}, {"level", fault.level}, {"what", fault.what}});
        print_json({{"records", made.records},
                    {"checked", made.checked},
                    {"failures", failures},
                    {"mutants",
                     {{"made", made.mutants.made},
                      {"equivalent", made.mutants.equivalent},
                      {"rejected", made.mutants.rejected},
                      {"passed", made.mutants.passed},
                      {"by_kind", made.mutants.by_kind}}}});
    } else {
        std::string text = workbench::counted(made.records, "record");
        for (const auto& [level, count] : made.checked)
            text += ", " + (level == "record" ? "looked into" : level) + " " + std::to_string(count);
        text += ", faults " + std::to_string(made.faults.size()) + "\n";
        if (verify.mutants)
            text += workbench::counted(made.mutants.made, "mutant") + ": " +
                    std::to_string(made.mutants.equivalent) + " equivalent, " +
                    std::to_string(made.mutants.rejected) + " rejected, " +
                    std::to_string(made.mutants.passed) + " passed\n";
        print_text(text);
    }
    if (made.faults.empty()) return 0;
    return workbench::fail(ErrorKind::check_failed, given.folder + " is not what it says: " +
                                                        workbench::counted(made.faults.size(), "fault"));
}

}  // namespace

void add_synth_verify(CLI::App& synth, Action& chosen) {
    auto options = std::make_shared<SynthVerifyOptions>();
    CLI::App* verify = synth.add_subcommand(
        "verify", "Verify a data set: its sources, its compilers' texts and their results");
    verify->add_option("DIR", options->folder, "A data set")->required();
    verify
        ->add_option(
            "--levels", options->levels,
            "Levels of V0,V1,V2,V3,V4, separated by commas (default: those of V0,V2,V3 that can be run here)")
        ->allow_extra_args(false);
    verify->add_option("--device", options->device, "Also verify V4, on this GPU: cuda or cuda:N");
    verify->add_option("--sample", options->sample, "How many records to verify (default: all)");
    verify->add_option("--mutants", options->mutants,
                       "How many changed records to make, which verification has to reject (default: none)");
    verify->add_option("--jobs", options->jobs,
                       "Batches at a time, each with a compiler process (default: 2)");
    verify->add_flag("--json", options->json, "Print JSON");
    add_quiet(*verify, options->quiet);
    verify->callback([options, &chosen] {
        chosen = [options](const Interruption& interruption) {
            return run_synth_verify(*options, interruption);
        };
    });
}

}  // namespace app
