// SPDX-License-Identifier: MIT
// Problems drawn from a seed. The same options give the same list on one machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/tune/problem.h"
#include "iir2d/device.h"

namespace workbench::tune {

// Names a distribution of problems. `edges` has planes whose bytes are near the sizes of caches and where
// static's own rules change.
enum class ProblemKind { lognormal, pow2, odd, thin, batch, edges, mixed };
Result<ProblemKind> problem_kind_from_name(std::string_view name);

enum class TunedOp { iir, pool, pool_backward };
Result<TunedOp> tuned_op_from_name(std::string_view name);

enum class ProblemSet { train, validation };
std::string_view name_of(ProblemSet set);
Result<ProblemSet> problem_set_from_name(std::string_view name);

struct GenerateOptions {
    ProblemSet set = ProblemSet::train;
    std::vector<ProblemKind> kinds = {ProblemKind::mixed};
    std::vector<TunedOp> ops = {TunedOp::iir, TunedOp::pool, TunedOp::pool_backward};
    std::size_t count = 200;
    std::uint64_t seed = 1;
    std::int64_t max_samples = std::int64_t{1} << 24;  // of all planes
};

// A problem with what it is kept by.
struct NamedProblem {
    Problem problem;
    std::string spec;
    std::string key;
    std::string source;  // "lognormal", or where it was read
};

Result<NamedProblem> named(Problem problem, const iir2d::Device& device, std::string source);

// Draws problems, no key twice. A fifth of all keys, by their text, belong to the validation set, the others
// to the training set, so that no two lists of different sets share one. Fewer than asked for where hardly
// anything new comes; bad_argument where there is nothing at all.
Result<std::vector<NamedProblem>> generate_problems(const GenerateOptions& options,
                                                    const iir2d::Device& device);

// Reads a file: a spec a line, or CSV with a column "spec". Blank lines and lines with # in front are left
// out. bad_input for the file, bad_argument with the line's number for a spec.
Result<std::vector<NamedProblem>> read_problems(const std::string& file, const iir2d::Device& device);

}  // namespace workbench::tune
