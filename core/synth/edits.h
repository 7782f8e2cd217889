// SPDX-License-Identifier: MIT
// Inside core/synth only: makes small changes of sources and of PTX, for mutants.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace workbench::synth {

struct Edit {
    std::size_t at = 0;
    std::size_t length = 0;
    std::string with;
    std::string applied_to(std::string_view text) const {
        return std::string(text.substr(0, at)) + with + std::string(text.substr(at + length));
    }
};

// Places where a source can be changed so: operator, operand order, literal, index, comparison, statement,
// parentheses. What comes of it may be outside of the language.
std::vector<Edit> source_edits(std::string_view kind, std::string_view source);
// Returns the edits of PTX: opcode, register, immediate, predicate, barrier.
std::vector<Edit> ptx_edits(std::string_view kind, std::string_view ptx);

}  // namespace workbench::synth
