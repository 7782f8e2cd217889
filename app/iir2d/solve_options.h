// SPDX-License-Identifier: MIT
// The options that all problems of `solve` have, and what becomes of what was solved.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/iir2d/options.h"
#include "core/solve/engine.h"
#include "core/solve/solve.h"
#include "core/support/try.h"

namespace app {

struct SolveArguments {
    std::string tolerance = "1e-10";
    std::string max_iterations = "100000";
    std::string engine = "compiled";
    std::string threads;
    std::string seed = "1";
    std::string refine = "1";
    bool json = false;
    std::string out_json;
    std::string out_csv;
    bool quiet = false;

    void add_to(CLI::App& command);
    Result<workbench::solve::Common> common() const;
    Result<std::unique_ptr<workbench::solve::Engine>> make_engine(const Interruption& interruption) const;
    // Prints and writes it; 5 where the last has not converged.
    Result<int> report(const std::vector<workbench::solve::Solved>& refinements) const;
};

// Which of the names it is; bad_argument with the names.
Result<int> one_of(std::string_view option, const std::string& text, std::span<const std::string_view> names);
template <class Choice>
Result<Choice> choice_of(std::string_view option, const std::string& text,
                         std::span<const std::string_view> names = workbench::solve::names_of<Choice>) {
    IIR2D_TRY(const int index, one_of(option, text, names));
    return static_cast<Choice>(index);
}
// "A,B".
Result<std::array<double, 2>> parse_two(std::string_view option, const std::string& text);

// Solves one problem, with progress.
template <class Problem>
Result<workbench::solve::Solved> solve_one(const SolveArguments& arguments, const Interruption& interruption,
                                           const Problem& problem) {
    IIR2D_TRY(auto common, arguments.common());
    IIR2D_TRY(const auto engine, arguments.make_engine(interruption));
    Progress progress(interruption.token(), arguments.quiet);
    common.control = progress.control();
    return workbench::solve::solve(problem, common, *engine);
}

// Solves the problem at as many sizes as are asked for, each twice as fine.
template <class Problem>
Result<int> run_refined(const SolveArguments& arguments, const Interruption& interruption, Problem problem) {
    IIR2D_TRY(auto common, arguments.common());
    IIR2D_TRY(const std::int64_t sizes, parse_integer("--refine", arguments.refine, 1, 20));
    // The largest is refused before the smaller ones are solved.
    Problem finer = problem;
    for (std::int64_t k = 0; k < sizes; ++k) {
        if (k > 0) finer = workbench::solve::refined(finer);
        IIR2D_RETURN_IF_ERROR(workbench::solve::check(finer));
    }
    IIR2D_TRY(const auto engine, arguments.make_engine(interruption));
    std::vector<workbench::solve::Solved> made;
    {
        Progress progress(interruption.token(), arguments.quiet);
        common.control = progress.control();
        for (std::int64_t k = 0; k < sizes; ++k) {
            if (k > 0) problem = workbench::solve::refined(problem);
            IIR2D_TRY(auto one, workbench::solve::solve(problem, common, *engine));
            if (k > 0) made.back().solution = {};  // the last one's is written
            made.push_back(std::move(one));
        }
    }
    return arguments.report(made);
}

}  // namespace app
