// SPDX-License-Identifier: MIT
// The few configs that suit a family of problems: what there is to choose by without a model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/tune/data.h"
#include "core/tune/evaluate.h"

namespace workbench::tune {

struct TableEntry {
    std::string config;
    double alone = 1;  // geometric mean of its time over static's
};
struct TableFamily {
    std::string family;
    std::size_t problems = 0;
    double together = 1;              // the same of the best of all entries
    std::vector<TableEntry> entries;  // the best alone first; static is always one
};
struct BestTable {
    std::string purpose;
    std::string machine;
    std::string kernels;
    Objective objective = Objective::both;
    std::vector<TableFamily> families;  // by name

    const TableFamily* of(std::string_view family) const;
};

// Finds, family by family, `n` configs whose best has the least geometric mean: from static on, one after the
// other, each that takes most off. A config that a problem was not measured by counts as static there. Of
// visits by one machine and build, as measured_by(). bad_argument: no problem has the purpose.
Result<BestTable> make_table(const Measurements& all, std::string_view purpose, std::size_t n,
                             const HeadroomOptions& options);

// Writes table.txt: lines `iir2d-table 1`, `purpose`, `machine`, `kernels`, `objective`, of each family
// `family NAME`, `problems N together R` and a line `config R TEXT` each; last `sha256` of all before.
std::string text_of(const BestTable& table);
// Reads table.txt. bad_input says which line is wrong.
Result<BestTable> table_from_text(std::string_view text);

// Ranks by a table; static where it has no such family.
Ranker ranker_of(BestTable table);

// Leaves the visits of that machine and those kernels, without problems that have none.
Measurements visits_by(Measurements all, std::string_view machine, std::string_view kernels);

// Leaves the visits of one machine and build, as above: those of the machine and kernels at hand where there
// are any, else the only ones. bad_argument: there are several others.
Result<Measurements> measured_by_one(Measurements all, std::string_view machine, std::string_view kernels);

}  // namespace workbench::tune
