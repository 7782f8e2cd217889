// SPDX-License-Identifier: MIT
#include "app/iir2d/solve_options.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <thread>

#include "app/iir2d/evidence.h"
#include "core/solve/report.h"
#include "core/support/files.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

void SolveArguments::add_to(CLI::App& command) {
    command
        .add_option("--tolerance", tolerance,
                    "Stop when the relative residual, or the gradient's norm, is below this")
        ->capture_default_str();
    command.add_option("--max-iterations", max_iterations, "Most iterations, at least 1")
        ->capture_default_str();
    command
        .add_option("--engine", engine,
                    "What runs the kernels: compiled, interpreter, llvm or ptx; results have the same bits, "
                    "speeds differ")
        ->capture_default_str();
    command.add_option("--threads", threads, "Threads, at least 1 (default: all); changes no result");
    command.add_option("--seed", seed, "Seed of the random draws")->capture_default_str();
    command
        .add_option(
            "--refine", refine,
            "Number of sizes to solve, each twice as fine as the one before, for rates of convergence")
        ->capture_default_str();
    command.add_flag("--json", json, "Print JSON");
    command.add_option("--out-json", out_json, "Write the JSON to this file");
    command.add_option("--out-csv", out_csv,
                       "Write the solution, or the steps of a minimisation, to this file");
    add_quiet(command, quiet);
}

Result<workbench::solve::Common> SolveArguments::common() const {
    workbench::solve::Common made;
    IIR2D_TRY(made.tolerance, parse_number("--tolerance", tolerance));
    IIR2D_TRY(made.max_iterations, parse_integer("--max-iterations", max_iterations));
    IIR2D_TRY(const std::int64_t number,
              parse_integer("--seed", seed, 0, std::numeric_limits<std::int64_t>::max()));
    made.seed = static_cast<std::uint64_t>(number);
    made.threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
    if (!threads.empty()) {
        IIR2D_TRY(const std::int64_t count, parse_integer("--threads", threads, 1, 1024));
        made.threads = static_cast<int>(count);
    }
    IIR2D_RETURN_IF_ERROR(check_outputs({out_json, out_csv}, ""));
    return made;
}

Result<std::unique_ptr<workbench::solve::Engine>> SolveArguments::make_engine(
    const Interruption& interruption) const {
    IIR2D_TRY(const auto kind, choice_of<workbench::solve::EngineKind>("--engine", engine));
    IIR2D_TRY(const auto shared, common());
    return workbench::solve::make_engine(kind, shared.threads, interruption.token());
}

Result<int> SolveArguments::report(const std::vector<workbench::solve::Solved>& refinements) const {
    const bool wants_json = json || !out_json.empty();
    const std::string text = wants_json ? to_json(refinements) : "";
    if (!out_json.empty()) IIR2D_RETURN_IF_ERROR(workbench::write_file_atomically(out_json, text));
    if (!out_csv.empty())
        IIR2D_RETURN_IF_ERROR(workbench::write_file_atomically(out_csv, to_csv(refinements)));
    if (json)
        std::fwrite(text.data(), 1, text.size(), stdout);
    else if (!quiet)
        print_text(to_text(refinements));
    const auto& last = refinements.back();
    if (!last.shortfall.empty()) return fail(ErrorKind::check_failed, last.shortfall);
    return 0;
}

Result<int> one_of(std::string_view option, const std::string& text,
                   std::span<const std::string_view> names) {
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) return static_cast<int>(found - names.begin());
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    return fail(ErrorKind::bad_argument, std::string(option) + " \"" + text + "\" is not one of " + all);
}

Result<std::array<double, 2>> parse_two(std::string_view option, const std::string& text) {
    const auto parts = split_list({text});
    if (parts.size() != 2)
        return fail(ErrorKind::bad_argument,
                    std::string(option) + " \"" + text + "\" is not two numbers: write A,B");
    IIR2D_TRY(const double a, parse_number(option, parts[0]));
    IIR2D_TRY(const double b, parse_number(option, parts[1]));
    return std::array<double, 2>{a, b};
}

}  // namespace app
