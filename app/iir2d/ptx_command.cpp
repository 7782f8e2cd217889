// SPDX-License-Identifier: MIT
// ptx: what is in a PTX text, which opcodes are executed, and running a kernel of it on the CPU.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/ptx_values.h"
#include "core/ptx/ptx.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace app {

namespace {

using namespace workbench;  // NOLINT(google-build-using-namespace): names of core, in a command of it

Result<ptx::Module> read_module(const std::string& path) {
    IIR2D_TRY(std::string text, read_file(path));
    auto module = ptx::Module::parse(std::move(text));
    if (!module) return workbench::fail(module.error().kind, path + ": " + module.error().message);
    return module;
}

Json json_of(const ptx::EntryInfo& entry) {
    Json parameters = Json::array();
    for (const auto& parameter : entry.parameters)
        parameters.push_back({{"name", parameter.name},
                              {"type", parameter.type},
                              {"offset", parameter.offset},
                              {"bytes", parameter.bytes},
                              {"alignment", parameter.alignment}});
    return {{"name", entry.name},
            {"line", entry.line},
            {"parameters", parameters},
            {"parameter_bytes", entry.parameter_bytes},
            {"registers",
             {{"pred", entry.predicates},
              {"b16", entry.registers_16},
              {"b32", entry.registers_32},
              {"b64", entry.registers_64}}},
            {"shared_bytes", entry.shared_bytes},
            {"dynamic_shared", entry.dynamic_shared},
            {"local_bytes", entry.local_bytes},
            {"instructions", entry.instructions}};
}

Result<int> run_info(const std::string& path, bool json) {
    IIR2D_TRY(const ptx::Module module, read_module(path));
    if (json) {
        Json made{{"version", module.version()}, {"target", module.target()}, {"entries", Json::array()}};
        for (const auto& entry : module.entries()) made["entries"].push_back(json_of(entry));
        made["opcodes"] = Json::object();
        for (const auto& [name, count] : module.opcodes()) made["opcodes"][name] = count;
        made["instructions"] = module.instructions();
        made["refused"] = Json::array();
        for (const auto& refused : module.refused())
            made["refused"].push_back({{"opcode", refused.name}, {"line", refused.line}});
        print_json(made);
        return 0;
    }
    std::printf("PTX %s for %s, %llu instructions\n", module.version().c_str(), module.target().c_str(),
                static_cast<unsigned long long>(module.instructions()));
    for (const auto& entry : module.entries()) {
        std::printf(
            "%s: %u instructions, %u bytes of parameters, %u pred, %u b16, %u b32, %u b64, %u bytes "
            "shared%s, %u local\n",
            entry.name.c_str(), entry.instructions, entry.parameter_bytes, entry.predicates,
            entry.registers_16, entry.registers_32, entry.registers_64, entry.shared_bytes,
            entry.dynamic_shared ? " and dynamic" : "", entry.local_bytes);
        for (const auto& parameter : entry.parameters)
            std::printf("  %s %s: %u bytes at %u\n", parameter.type.c_str(), parameter.name.c_str(),
                        parameter.bytes, parameter.offset);
    }
    for (const auto& [name, count] : module.opcodes())
        std::printf("%8llu %s\n", static_cast<unsigned long long>(count), name.c_str());
    for (const auto& refused : module.refused())
        std::printf("refused: line %u: %s\n", refused.line, refused.name.c_str());
    return 0;
}

Result<int> run_opcodes(bool json) {
    const std::vector<std::string> opcodes = ptx::executed_opcodes();
    if (json) {
        print_json(Json(opcodes));
        return 0;
    }
    for (const std::string& opcode : opcodes) std::printf("%s\n", opcode.c_str());
    return 0;
}

struct RunOptions {
    std::string file;
    std::string kernel;
    std::string grid;
    std::string block;
    std::string shared = "0";
    std::string seed = "0";
    std::string budget = "500000000";
    std::vector<std::string> arguments;
    bool json = false;
};

Result<std::array<std::uint32_t, 3>> parse_shape(const char* option, const std::string& text) {
    std::array<std::uint32_t, 3> made{1, 1, 1};
    std::size_t count = 0;
    std::size_t at = 0;
    while (at <= text.size()) {
        const std::size_t next = std::min(text.find(',', at), text.size());
        IIR2D_TRY(const std::int64_t value, parse_integer(option, text.substr(at, next - at), 1, 0x7fffffff));
        if (count == 3)
            return workbench::fail(ErrorKind::bad_argument,
                                   std::string(option) + " takes at most three numbers, X,Y,Z");
        made[count++] = static_cast<std::uint32_t>(value);
        at = next + 1;
    }
    return made;
}

Json json_of(const ptx::Finding& finding) {
    return {{"kind", ptx::name_of(finding.kind)},
            {"kernel", finding.kernel},
            {"line", finding.line},
            {"source_line", finding.source_line == 0 ? Json() : Json(finding.source_line)},
            {"block", finding.block},
            {"thread", finding.thread},
            {"space", finding.space.empty() ? Json() : Json(finding.space)},
            {"address", finding.space.empty() ? Json() : Json(finding.address)},
            {"message", finding.message}};
}

Json json_of(const ptx::GlobalTraffic& traffic) {
    return {{"requests", traffic.requests}, {"sectors", traffic.sectors}, {"distinct", traffic.distinct}};
}

Json json_of(const ptx::Counts& counts) {
    Json by_kind = Json::object();
    for (int k = 0; k < ptx::kinds; ++k)
        by_kind[std::string(ptx::name_of(static_cast<ptx::Kind>(k)))] =
            counts.by_kind[static_cast<std::size_t>(k)];
    return {{"instructions",
             {{"warp", counts.warp_instructions}, {"lane", counts.lane_instructions}, {"by_kind", by_kind}}},
            {"global", {{"load", json_of(counts.global_loads)}, {"store", json_of(counts.global_stores)}}},
            {"shared", {{"requests", counts.shared_requests}, {"wavefronts", counts.shared_wavefronts}}},
            {"barriers", counts.barriers},
            {"warp_syncs", counts.warp_syncs},
            {"divergent_branches", counts.divergent_branches},
            {"atomics", counts.atomics}};
}

void print_run(const RunOptions& options, const std::vector<PtxArgument>& arguments,
               const ptx::Outcome& outcome) {
    if (options.json) {
        Json values = Json::array();
        for (const PtxArgument& argument : arguments) {
            if (argument.is_output())
                values.push_back({{"index", argument.index},
                                  {"type", argument.type_name()},
                                  {"values", json_values(argument)}});
        }
        Json findings = Json::array();
        for (const auto& finding : outcome.findings) findings.push_back(json_of(finding));
        print_json({{"kernel", options.kernel},
                    {"arguments", values},
                    {"findings", findings},
                    {"findings_total", outcome.findings_total},
                    {"counts", json_of(outcome.counts)}});
        return;
    }
    for (const PtxArgument& argument : arguments) {
        if (!argument.is_output()) continue;
        std::printf("argument %zu, %s:", argument.index, argument.type_name().c_str());
        for (const Json& value : json_values(argument))
            std::printf(" %s", value.is_string() ? value.get<std::string>().c_str() : value.dump().c_str());
        std::printf("\n");
    }
    for (const auto& finding : outcome.findings) std::printf("%s\n", finding.message.c_str());
    if (outcome.findings_total > outcome.findings.size())
        std::printf("%llu findings, of which the first %zu are shown\n",
                    static_cast<unsigned long long>(outcome.findings_total), outcome.findings.size());
    const auto& c = outcome.counts;
    std::printf(
        "counted, not timed: %llu instructions of warps, %llu of lanes; sectors of 32 bytes loaded %llu "
        "(%llu distinct), stored %llu "
        "(%llu distinct); shared requests %llu in %llu wavefronts\n",
        static_cast<unsigned long long>(c.warp_instructions),
        static_cast<unsigned long long>(c.lane_instructions),
        static_cast<unsigned long long>(c.global_loads.sectors),
        static_cast<unsigned long long>(c.global_loads.distinct),
        static_cast<unsigned long long>(c.global_stores.sectors),
        static_cast<unsigned long long>(c.global_stores.distinct),
        static_cast<unsigned long long>(c.shared_requests),
        static_cast<unsigned long long>(c.shared_wavefronts));
}

Result<int> run_kernel(const RunOptions& options) {
    ptx::Launch launch{.kernel = options.kernel};
    IIR2D_TRY(launch.grid, parse_shape("--grid", options.grid));
    IIR2D_TRY(launch.block, parse_shape("--block", options.block));
    IIR2D_TRY(const std::int64_t shared,
              parse_integer("--shared", options.shared, 0, std::numeric_limits<std::int32_t>::max()));
    IIR2D_TRY(const std::int64_t seed,
              parse_integer("--seed", options.seed, 0, std::numeric_limits<std::int64_t>::max()));
    IIR2D_TRY(const std::int64_t budget,
              parse_integer("--budget", options.budget, 1, std::numeric_limits<std::int64_t>::max()));
    launch.shared_bytes = static_cast<std::uint32_t>(shared);
    launch.seed = static_cast<std::uint64_t>(seed);
    launch.budget = static_cast<std::uint64_t>(budget);
    IIR2D_TRY(const ptx::Module module, read_module(options.file));
    const ptx::EntryInfo* const entry = module.entry(options.kernel);
    std::vector<PtxArgument> arguments;
    for (std::size_t k = 0; k < options.arguments.size(); ++k) {
        IIR2D_TRY(PtxArgument argument,
                  ptx::parse_argument(options.arguments[k], k, [](const std::string& path, std::size_t most) {
                      return read_file(path, most);
                  }));
        arguments.push_back(std::move(argument));
    }
    ptx::Memory memory;
    std::vector<std::byte> parameters;
    if (entry != nullptr) {
        IIR2D_TRY(parameters, ptx::place_arguments(*entry, arguments, memory));
    }
    launch.parameters = parameters;
    IIR2D_TRY(const ptx::Outcome outcome, ptx::run(module, launch, memory));
    ptx::take_outputs(arguments, memory);
    print_run(options, arguments, outcome);
    if (outcome.findings_total == 0) return 0;
    return workbench::fail(ErrorKind::check_failed, options.kernel + " has " +
                                                        counted(outcome.findings_total, "finding") + ": " +
                                                        outcome.findings.front().message);
}

}  // namespace

void add_ptx_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "ptx", "Read and run PTX on the CPU, with findings and counted traffic (docs/ptx.md)");
    command->require_subcommand(1);
    auto options = std::make_shared<RunOptions>();
    CLI::App* info = command->add_subcommand(
        "info",
        "Print what a PTX text has: kernels, parameters, registers, opcodes, and what cannot be executed");
    info->add_option("FILE", options->file, "A file with PTX")->required();
    info->add_flag("--json", options->json, "Print JSON");
    info->callback([options, &chosen] {
        chosen = [options](const Interruption&) { return run_info(options->file, options->json); };
    });

    CLI::App* opcodes = command->add_subcommand("opcodes", "List every typed opcode that is executed");
    opcodes->add_flag("--json", options->json, "Print JSON");
    opcodes->callback([options, &chosen] {
        chosen = [options](const Interruption&) { return run_opcodes(options->json); };
    });

    CLI::App* run = command->add_subcommand("run", "Run a kernel; exit code 5 when there are findings");
    run->add_option("FILE", options->file, "A file with PTX")->required();
    run->add_option("--kernel", options->kernel, "The kernel's name")->required();
    run->add_option("--grid", options->grid, "The grid's blocks, X[,Y,Z]")->required();
    run->add_option("--block", options->block, "The threads of a block, X[,Y,Z]")->required();
    run->add_option("--shared", options->shared, "Bytes of dynamic shared memory");
    run->add_option("--arg", options->arguments,
                    "An argument; one for each parameter, in order: f32:1.5, i32:-3, bytes:HEX, "
                    "in:f32:1,2,3, inout:f32:1,2, in:f32:@FILE, out:f32:COUNT")
        ->allow_extra_args(false);
    run->add_option(
        "--seed", options->seed,
        "Order of blocks, warps and diverged lanes: 0 for rising order, else a random order of this seed");
    run->add_option("--budget", options->budget, "Stop the launch after so many instructions of warps");
    run->add_flag("--json", options->json, "Print JSON");
    run->callback(
        [options, &chosen] { chosen = [options](const Interruption&) { return run_kernel(*options); }; });
}

}  // namespace app
