// SPDX-License-Identifier: MIT
// A CUDA source that somebody writes: all of its kernels' texts for one target, with the lines they came of.
#pragma once

#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/compile/compiler.h"
#include "core/support/error.h"

namespace workbench::inspect {

struct SourceRequest {
    std::string text;
    std::string file = "kernel.cu";  // its name in messages; a folder in it is searched for includes
    std::string target;              // empty: the first that makes PTX and is there
    std::vector<std::string> include_folders = {};  // searched after that one
    std::vector<std::string> definitions = {};      // "NAME", "NAME=VALUE"
};

struct SourceKernel {
    std::string symbol;
    std::string name;  // as the source has it: "scale(float*, int)"
    std::string text;
    // [line of the text, line of the source]
    std::vector<std::pair<int, int>> lines;
    bool has_lines = false;  // false: compiled with line information, the text is another
};

struct CompiledSource {
    std::string target;
    std::string compiler;  // "NVRTC 13.0"
    std::vector<SourceKernel> kernels;
};

// Returns the targets that a CUDA source can be compiled to, and why those are not there that are not.
Result<std::vector<compile::TargetState>> source_targets(compile::Compiler& compiler,
                                                         const std::stop_token& stop = {});

// bad_input: it does not compile, and the message begins with FILE:LINE; or it has no kernel. device_failure:
// there is no compiler for the target.
Result<CompiledSource> compile_source(compile::Compiler& compiler, const SourceRequest& request,
                                      const std::stop_token& stop = {});

// Returns the line that a message about a file names; 0: none.
int line_of_message(const std::string& message, const std::string& file);

}  // namespace workbench::inspect
