// SPDX-License-Identifier: MIT
// The database of measurements. One writer at a time; a visit is there whole or not at all, also after a
// kill.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/tune/data.h"
#include "core/tune/generate.h"

namespace workbench::tune {

class Store {
  public:
    // Makes the file if it is not there. bad_input: it is no such database, damaged, or of a newer version.
    // unwritable_output: it cannot be written.
    static Result<Store> open(const std::filesystem::path& file);
    // Opens a database to be read. bad_input where it does not exist, too.
    static Result<Store> open_to_read(const std::filesystem::path& file);
    ~Store();
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;

    // Adds a problem, if it is not there, and returns its number. check_failed: its key is in the other set.
    Result<std::int64_t> add(const NamedProblem& problem, ProblemSet set);
    // Adds several, and who measures them, in one transaction: after an error nothing was added.
    Result<std::vector<std::int64_t>> add(const std::vector<NamedProblem>& problems, ProblemSet set,
                                          const Identity& machine, const Identity& build);

    // Returns how often each config of a problem was measured by this machine and build.
    Result<std::map<std::string, int>> counts(std::int64_t problem, std::string_view machine,
                                              std::string_view build) const;
    // Returns whether a visit of the problem by this build, not a wrong one, made this output of this input.
    Result<bool> is_proved(std::int64_t problem, std::string_view build, std::string_view input_sha256,
                           std::string_view output_sha256) const;
    // Returns what was found wrong in visits of the problem by this machine and build, as "config: reason".
    Result<std::vector<std::string>> wrong_results(std::int64_t problem, std::string_view machine,
                                                   std::string_view build) const;
    // Adds a visit in one transaction, and updates others: visits of the machine whose ratio is above 1.15
    // times its least are contended from then on. Fills in the state of this one.
    Result<void> add(std::int64_t problem, Visit& visit);

    Result<Measurements> read_all() const;
    // Writes all measurements. Precondition: the database is empty.
    Result<void> write_all(const Measurements& all);
    // Returns whether nothing is in it.
    Result<bool> is_empty() const;

  private:
    struct State;
    explicit Store(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace workbench::tune
