// SPDX-License-Identifier: MIT
// Counts what a data set has, from its lines.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace workbench::synth {

using Counts = std::map<std::string, std::uint64_t, std::less<>>;

// Counts the instructions of PTX or LLVM IR by the first word of their opcodes; of other texts none.
Counts instruction_mix(std::string_view text);

// Holds the counts of one category, or of all.
struct CategoryStatistics {
    std::uint64_t records = 0, pairs = 0, exact = 0;
    Counts rejected, ops, complexity, splits, depths, types;
    std::set<std::string> skeletons;
    std::map<std::string, std::vector<std::uint64_t>> sizes;  // of the sources, of IR by target, in bytes
    std::map<std::string, Counts> instructions;               // by target
};

class Statistics {
  public:
    // Count a line, as read_record() or read_rejected() gives it.
    void add(const nlohmann::json& record);
    void add_rejected(const nlohmann::json& rejected);

    const CategoryStatistics& all() const { return m_all; }
    nlohmann::json json() const;  // {all, categories}
    std::string markdown() const;

  private:
    CategoryStatistics m_all;
    std::map<std::string, CategoryStatistics> m_categories;
};

}  // namespace workbench::synth
