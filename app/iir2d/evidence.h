// SPDX-License-Identifier: MIT
// The commands that work on records and not on images.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/iir2d/options.h"
#include "core/support/signing.h"

namespace app {

void add_compare_records_command(CLI::App& parser, Action& chosen);
void add_key_command(CLI::App& parser, Action& chosen);
void add_duel_command(CLI::App& parser, Action& chosen);
void add_history_command(CLI::App& parser, Action& chosen);
void add_ptx_command(CLI::App& parser, Action& chosen);
void add_release_command(CLI::App& parser, Action& chosen);
void add_reproduce_command(CLI::App& parser, Action& chosen);
void add_solve_command(CLI::App& parser, Action& chosen);
void add_synth_command(CLI::App& parser, Action& chosen);
void add_tune_command(CLI::App& parser, Action& chosen);

// "25%" or "0.25", as 0.25. `option` is named in the error.
Result<double> parse_part(std::string_view option, std::string_view text);

// Refuses outputs that cannot be written before minutes are spent on what goes into them: in a folder that
// does not exist, a folder where a file is wanted, two of one name, a record that exists. Empty ones are not
// asked for.
Result<void> check_outputs(const std::vector<std::string>& files, const std::string& record);

// Returns the key that --sign names; absent without it. bad_argument: there is no --record.
Result<std::optional<workbench::SigningKey>> signing_key(const std::string& record, const std::string& sign);

}  // namespace app
