// SPDX-License-Identifier: MIT
// A compiled kernel that does not give what is expected: which elements, and the first statement whose value
// differs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/synth/toolchain.h"

namespace workbench::inspect {

struct MismatchElement {
    std::size_t set = 0;  // of inputs
    std::string parameter;
    std::size_t element = 0;
    std::string inputs;  // "x = 1.5, a = 2": scalars, and of arrays the elements of the same number
    double expected = 0;
    double got = 0;
    double ulp = 0;    // units in the last place of the expected one between them
    double bound = 0;  // how far it may be off
};

struct Mismatch {
    std::uint64_t index = 0;  // of the candidate in its run
    std::string category;
    std::string detail;  // what the run said of it
    std::string kernel;
    std::string target;  // the first that disagrees when it is run again; else the first there is
    bool is_backward = false;
    std::string source;   // that was compiled for the target: CUDA C++ or the host's
    std::string text;     // as stored
    std::string finding;  // why it did not run to its end, or what was found; empty: nothing
    std::vector<MismatchElement> elements;
    std::uint64_t total = 0;  // of elements that differ; 0: run again, it gives what is expected
    // The first statement, in the order of the source, whose value differs in any thread.
    std::string statement;
    int statement_line = 0;      // of the source; 0: not known
    std::string statement_note;  // how it was found, or why it was not
};
inline constexpr std::size_t most_mismatch_elements = 1000;

// Runs the stored texts of a rejected candidate again. To find the statement it compiles kernels that also
// store what each statement computes; that says nothing where the compiler makes another text of the source
// than the stored one. bad_argument: the data set has no mismatch of that number.
Result<Mismatch> look_into_mismatch(const std::filesystem::path& folder, std::uint64_t index,
                                    synth::Toolchain& toolchain, const std::stop_token& stop = {});

}  // namespace workbench::inspect
