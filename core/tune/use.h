// SPDX-License-Identifier: MIT
// Keeps what decides in programs and what they learn in use: models, learned entries, statistics and the
// problems that they met, in config_directory()/tune. Nothing here fails: what cannot be read or written is
// left as it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/support/error.h"
#include "core/tune/problem.h"
#include "iir2d/tune.h"

namespace workbench::tune {

// Gives the library the models (`models` is looked at first, unless it is empty) and what was learned, and
// counts from then on. In the mode `off` it does nothing. Called again, models that are gone are forgotten.
// These three are called from any thread; all may take seconds, for files and for a lock that another process
// holds.
void begin_use(const std::filesystem::path& models = {});

// Writes what was learned, counted and met since begin_use() or the last call, merged with what other
// processes wrote. Nothing in the mode `off`, and where there was no begin_use() or there is nothing to
// write. `false`: it could not be written; the next call tries again.
bool keep_use();

// Ends what begin_use() began, where the mode became `off`: writes what was learned, counted and met before,
// and counts nothing more until begin_use() is called in another mode. `false`: it could not be written, and
// the first keep_use() after that tries again.
bool end_use();

// Calls keep_use() again and again on a thread of its own, until it is gone: what a program that runs for
// hours learned does not go with it when it is killed.
class UseKeeper {
  public:
    explicit UseKeeper(std::chrono::milliseconds every = std::chrono::minutes(1));

  private:
    std::jthread m_thread;
};

// Returns how the library decides on a problem, and all candidates.
Result<iir2d::Explanation> explain(const iir2d::Device& device, const Problem& problem,
                                   const iir2d::TuneOptions& options);

struct UseStatistics {
    std::map<std::string, std::uint64_t> counters;  // by the reasons' and the other counters' names
    std::vector<std::string> seen;                  // specs, the last met first
};
// Reads what was counted. Empty where nothing was. bad_input: the file is none of ours.
Result<UseStatistics> kept_statistics();
// Counts from zero again, in this process too; the problems stay. A file that is none of ours is written
// over.
Result<void> reset_statistics();
// Returns what this process counted and no file has yet; nothing where it does not count.
iir2d::TuneStatistics unkept_statistics();

// Returns the counters by their names: "calls", the reasons in their order, then the others.
std::vector<std::pair<std::string, std::uint64_t>> counters_of(const iir2d::TuneStatistics& said);

// Returns what was learned, as lines (docs/tuning.md).
Result<std::string> kept_learned();
struct LearnedEntry {
    std::string machine;
    std::string kernels;
    std::string key;
    std::string config;
    double ratio = 1;
    std::uint64_t runs = 0;
    std::string utc;
};
// Reads such lines; what is none is left out.
std::vector<LearnedEntry> learned_entries(std::string_view lines);
// Forgets the entry of a key of this machine and these kernels, or all; returns how many went.
Result<std::size_t> forget_learned(const std::optional<std::string>& key);

}  // namespace workbench::tune
