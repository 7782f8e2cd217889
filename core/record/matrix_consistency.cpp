// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "core/benchmark/named_protocols.h"
#include "core/record/command_line.h"
#include "core/record/consistency.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"

namespace workbench {

namespace {

constexpr double most_cases = 100'000;  // as the schema has it

// Counts the cases before they are made: a hostile matrix may ask for any number.
double case_count(const BenchmarkMatrix& m) {
    const auto count = [](const auto& list) { return static_cast<double>(list.size()); };
    return count(m.sizes) *
           (count(m.filter_ids) * count(m.borders) * count(m.precisions) +
            count(m.pools) * count(m.pool_elements) * count(m.pool_passes) + (m.recipe ? 1.0 : 0.0));
}

// Returns a key, that of a recipe without its digest: later programs may compute it in another way.
std::string_view comparable(std::string_view key, bool is_recipe) {
    return is_recipe ? key.substr(std::min(key.find(' '), key.size())) : key;
}

// Compares the operations; of a recipe that there is one: the case that the matrix gives has none (see
// check_matrix).
bool same_operation(const BenchmarkCase& what, const BenchmarkCase& stated, const BenchmarkMatrix& matrix) {
    if (what.recipe() != nullptr) return stated.recipe() != nullptr && *stated.recipe() == matrix.recipe;
    return what.operation == stated.operation;
}

// Checks a label: that of a recipe has its name in place of the word that stands for none.
void check_label(const BenchmarkCase& what, const BenchmarkMatrix& matrix, const BenchmarkCase& stated,
                 const Findings& found) {
    std::string_view name, rest = what.label;
    if (what.recipe() != nullptr) {
        name = matrix.recipe->name;
        if (!name.empty()) rest.remove_prefix(rest.rfind(' '));
    }
    const std::string_view label = stated.label;
    if (label.size() == name.size() + rest.size() && label.starts_with(name) && label.ends_with(rest)) return;
    found("case \"" + escaped(stated.key) + "\": its label is \"" + escaped(label) +
          "\", which is not that of its key, \"" + escaped(name) + std::string(rest) + "\"");
}

void check_case(const BenchmarkCase& what, const BenchmarkMatrix& matrix, const BenchmarkCase& stated,
                std::size_t index, const Findings& found) {
    const bool is_recipe = what.recipe() != nullptr;
    if (comparable(stated.key, is_recipe) != comparable(what.key, is_recipe)) {
        found("case " + std::to_string(index) + " is \"" + escaped(stated.key) +
              "\" where its matrix gives \"" + (is_recipe ? "recipe:..." : "") +
              std::string(comparable(what.key, is_recipe)) + "\"");
        return;
    }
    check_label(what, matrix, stated, found);
    if (stated.width != what.width || stated.height != what.height || stated.channels != what.channels ||
        !same_operation(what, stated, matrix)) {
        found("case \"" + escaped(stated.key) +
              "\": its size, channels or operation is not what its key says");
    }
}

void check_cases(const BenchmarkMatrix& m, const Record& record, const Findings& found) {
    const auto& image = record.run.matrix.image_identity;
    const auto cases = cases_of(m, image ? image->channels : 1);
    if (static_cast<std::size_t>(record.run.case_total) != cases.size()) {
        found("its case_total is " + std::to_string(record.run.case_total) + " but its matrix gives " +
              counted(cases.size(), "case"));
    }
    const auto& there = record.run.results;
    for (std::size_t i = 0; i < std::min(cases.size(), there.size()); ++i)
        check_case(cases[i], record.run.matrix, there[i].what, i + 1, found);
}

// A command line has at most as many bytes as the schema has it, so that the lists of its matrix are short:
// what a hostile matrix asks for is not written out.
bool may_have_command_line(const BenchmarkMatrix& m) {
    constexpr double most = 1e6;
    return static_cast<double>(m.pools.size()) * static_cast<double>(m.sizes.size()) <= most;
}

void check_command_line(const BenchmarkMatrix& m, const Record& record, const Findings& found) {
    if (!may_have_command_line(m) || !is_bench_command_line(record.command_line, m))
        found("its command_line is not the one that measures its matrix");
}

void check_protocol(const BenchmarkMatrix& m, const Findings& found) {
    const auto named = named_protocol(m.protocol);
    if (named && !same_protocol(m, *named))
        found("its matrix is not that of the protocol \"" + m.protocol + "\", which it names");
}

}  // namespace

void check_matrix(const Record& record, const Findings& found) {
    const BenchmarkMatrix& matrix = record.run.matrix;
    if (case_count(matrix) > most_cases) {
        found("its matrix gives more cases than a record can have");
        return;
    }
    check_protocol(matrix, found);
    // Each case has a copy of the recipe, and its key a digest, which are not compared: a hostile recipe is
    // not copied as often as a hostile list of sizes asks for.
    BenchmarkMatrix without_recipe = matrix;
    if (matrix.recipe) without_recipe.recipe = Recipe{};
    check_cases(without_recipe, record, found);
    check_command_line(without_recipe, record, found);
}

}  // namespace workbench
