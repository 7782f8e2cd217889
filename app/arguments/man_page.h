// SPDX-License-Identifier: MIT
// A page of the manual, section 1, from a program's options.
#pragma once

#include <string>
#include <string_view>

#include "app/arguments/option_tree.h"

namespace app {

// Returns the page in roff. The first line of the program's description becomes its summary, what follows,
// its exit codes, a section of its own. The same tree gives the same bytes.
std::string man_page(const CommandNode& program, std::string_view version, std::string_view see_also);

}  // namespace app
