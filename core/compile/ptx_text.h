// SPDX-License-Identifier: MIT
// Cuts one kernel out of the PTX of a program that has many: the text that is stored. It depends on that
// kernel alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/error.h"

namespace workbench::compile {

struct PtxCut {
    std::string text;
    // [line of the text, line of the source], of each instruction whose `.loc` names the program's own file.
    std::vector<std::pair<int, int>> lines;
};

// The parts of a program that a compiler made. Reads only as much as cutting needs; what is in a body is not
// judged.
class PtxProgram {
  public:
    // Parses PTX. bad_input where braces, quotes or directives do not end.
    static Result<PtxProgram> parse(std::string_view text);

    const std::vector<std::string>& kernels() const { return m_kernels; }  // in the order of the text

    // Returns the kernel with what it names, and what that names, in the order of the program: functions,
    // tables. Numbers that count through the program (labels, depots, texts) begin at 0; comments, empty
    // lines and line information are gone. bad_argument: there is no such kernel. `file` is the name by which
    // the program was compiled, for `lines`.
    Result<PtxCut> cut(std::string_view kernel, std::string_view file = {}) const;

  private:
    struct Part {
        std::string text;                // without comments and empty lines
        std::string name;                // empty: stays in every cut, as .version does
        std::vector<std::string> names;  // that it mentions and other parts have, sorted
        bool is_kernel = false;
        bool is_function = false;
        bool is_linked = false;  // keeps its name
    };
    std::vector<Part> m_parts;
    std::vector<std::string> m_kernels;
    std::vector<std::pair<int, std::string>> m_files;  // of .file
};

}  // namespace workbench::compile
