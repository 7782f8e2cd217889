// SPDX-License-Identifier: MIT
// The commands that work on records and not on images.
#pragma once

#include "app/iir2d/options.h"

namespace app {

void add_compare_records_command(CLI::App& parser, Action& chosen);
void add_key_command(CLI::App& parser, Action& chosen);
void add_duel_command(CLI::App& parser, Action& chosen);
void add_history_command(CLI::App& parser, Action& chosen);
void add_release_command(CLI::App& parser, Action& chosen);
void add_reproduce_command(CLI::App& parser, Action& chosen);

// "25%" or "0.25", as 0.25. `option` is named in the error.
Result<double> parse_part(std::string_view option, std::string_view text);

}  // namespace app
