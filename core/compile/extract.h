// SPDX-License-Identifier: MIT
// The IR of one kernel of a source that somebody wrote, compiled as it is given.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/compile/compiler.h"
#include "core/support/error.h"

namespace workbench::compile {

// A source that is larger is refused unread.
inline constexpr std::size_t longest_source = std::size_t{16} << 20;
inline constexpr std::chrono::seconds patience_of_extract{60};
// What is said of a source that takes longer.
inline std::string late_sentence() {
    return "compiling and running it took more than " + std::to_string(patience_of_extract.count()) +
           " s, the limit";
}

struct ExtractRequest {
    std::string text;
    std::string file;                       // its name in messages; its folder is searched for includes first
    std::string kernel;                     // as it is written, or its symbol
    std::vector<std::string> targets = {};  // none: the default ones that take CUDA and are there
    std::vector<std::string> include_folders = {};
    std::vector<std::string> definitions = {};
    bool with_lines = false;
};

struct ExtractedParameter {
    std::string name;
    std::string type;  // of PTX: "u64", "f32"
    std::uint32_t bytes = 0;
};

struct ExtractedIr {
    std::string target;
    std::string compiler;  // "NVRTC 13.0"
    std::string text;
    // [line of the text, line of the source]; absent when it was not asked for, or when compiling for it gave
    // another text.
    std::optional<std::vector<std::pair<int, int>>> lines;
};

struct Extracted {
    std::string symbol;
    std::vector<ExtractedParameter> parameters;  // of the first PTX; empty where there is none
    std::vector<ExtractedIr> ir;
    std::vector<std::string> unavailable;  // "TARGET: why", of default targets
    // When all that is compiled of the source has to be done.
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Compiles and cuts out one kernel. bad_argument: there is no such kernel, and the sentence names those that
// there are. bad_input: it does not compile; the message begins with FILE:LINE, or says that the compiler
// died or took too long. device_failure: a target that is not there.
Result<Extracted> extract(Compiler& compiler, const ExtractRequest& request,
                          const std::stop_token& stop = {});

// Compiles one source for one target. bad_input: it does not compile, or ended the compiler, or took too
// long, which is the source's fault where nothing else was compiled; the message begins with its name.
Result<Compiled> compile_one(Compiler& compiler, const std::string& target, const Source& source,
                             const CompileOptions& options, const std::stop_token& stop);

// Returns "FILE:LINE: what" of the first error of a compiler's log.
std::string first_error(const std::string& log, const std::string& file);

// Returns a symbol as the source has it: "scale(float*, int)" of "_Z5scalePfi".
std::string readable(const std::string& symbol);

}  // namespace workbench::compile
