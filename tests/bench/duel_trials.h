// SPDX-License-Identifier: MIT
// The trials of duel_bench: a file of lines that a run of hours adds to, and the tables of what it counted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace workbench {

struct DuelTrial {
    std::string state;  // of the machine: "idle", "beside a compiler"
    double margin_percent = 2;
    double budget_seconds = 20;
    std::string what;  // "filter 1", "max 2x2"
    int size = 512;    // width and height
    int threads = 1;
    double planted_percent = 0;
    int rows = 0, columns = 0;  // of the part that is repeated
    double planted_ratio = 1;   // that they were measured to give
    int number = 0;             // of the trial, from 0; also chooses its seed
    std::string verdict;
    double ratio = 1, low = 0, high = 0, control = 1;  // of the last look
    std::size_t pairs = 0;
    double seconds = 0;
    double load = 0;     // of the machine, over a minute, when the trial ended
    std::string build;   // the commit
    std::string reason;  // of AMBIGUOUS and FAILED

    // Whether both are of one row of the table.
    bool is_of_same_cell(const DuelTrial& other) const;
};

// The first line of the file, and that of a trial; both with their end.
std::string duel_trials_header();
std::string line_of(const DuelTrial& trial);

struct ReadDuelTrials {
    std::vector<DuelTrial> trials;
    std::size_t complete_bytes = 0;  // what follows is a line that was not written to its end
};
// bad_input names the line that is none.
Result<ReadDuelTrials> read_duel_trials(std::string_view text);

// Markdown: a row for each cell; and a row for each state, margin and slowdown over all cells.
std::string duel_trials_table(const std::vector<DuelTrial>& trials);
std::string duel_trials_summary(const std::vector<DuelTrial>& trials);

}  // namespace workbench
