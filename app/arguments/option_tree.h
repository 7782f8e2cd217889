// SPDX-License-Identifier: MIT
// A program's commands and options as plain data, read from its parser: what is not in the parser is in no
// completion and no man page, and what is, is in both.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace app {

struct OptionNode {
    std::vector<std::string> names;    // "-q", "--quiet"; of an argument without hyphens its name alone
    std::string description;           // one paragraph
    std::string value;                 // of what is given after it: "TEXT", "N"; empty for a flag
    std::string default_text;          // empty where there is none, or the description says it
    std::vector<std::string> choices;  // all values that it takes; empty where they are not a list
    bool positional = false;
    bool required = false;
    bool repeated = false;
};

struct CommandNode {
    std::string name;
    std::string description;
    std::vector<OptionNode> options;  // without those that are hidden
    std::vector<CommandNode> commands;
};

// Call it before or after parsing; the values that were parsed are not in it.
CommandNode tree_of(const CLI::App& parser);

// Returns the words that stand for the values of an option, or of an argument, in a line of usage.
std::string usage_of(const OptionNode& option);

}  // namespace app
