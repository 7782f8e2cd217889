// SPDX-License-Identifier: MIT
// What the Tab key offers, from a program's options.
#pragma once

#include <string>

#include "app/arguments/option_tree.h"

namespace app {

// Return the whole of the file that the shell reads. Where neither a command nor an option nor one of a
// list of values is to be given, the shell offers files.
std::string bash_completion(const CommandNode& program);
std::string zsh_completion(const CommandNode& program);
std::string fish_completion(const CommandNode& program);

}  // namespace app
