// SPDX-License-Identifier: MIT
#include "core/record/matrix_consistency.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/benchmark/named_protocols.h"
#include "core/record/command_line.h"
#include "core/record/record_json.h"
#include "core/record/record_matrix.h"
#include "core/support/escaped.h"

namespace workbench {

namespace {

using nlohmann::json;

constexpr double most_cases = 100'000;  // as the schema has it

// Before the cases are made: a hostile matrix may ask for any number.
double case_count(const BenchmarkMatrix& m) {
    const auto count = [](const auto& list) { return static_cast<double>(list.size()); };
    return count(m.sizes) *
           (count(m.filter_ids) * count(m.borders) * count(m.precisions) +
            count(m.pools) * count(m.pool_elements) * count(m.pool_passes) + (m.recipe ? 1.0 : 0.0));
}

// Of a recipe's key without the digest, which later programs may take in another way of the same recipe.
std::string_view comparable(std::string_view key, bool is_recipe) {
    return is_recipe ? key.substr(std::min(key.find(' '), key.size())) : key;
}

bool same_operation(const BenchmarkCase& what, const json& matrix, const json& operation) {
    if (what.recipe)
        return operation.at("kind") == "recipe" && operation.at("recipe") == value_of(matrix.at("recipe"));
    if (what.pool) {
        return operation.at("kind") == "pool" && pool_of(operation.at("pool")) == what.pool &&
               operation.at("element") == iir2d::name_of(what.element) &&
               operation.at("pass") == name_of(what.pass);
    }
    return operation.at("kind") == "filter" && operation.at("filter_id") == *what.filter_id &&
           operation.at("border") == iir2d::name_of(what.border) &&
           operation.at("precision") == iir2d::name_of(what.precision);
}

// A recipe's label has its name in place of the word that stands for none.
void check_label(const BenchmarkCase& what, const json& matrix, const json& one, const Findings& found) {
    std::string_view name, rest = what.label;
    if (what.recipe) {
        const json& recipe = value_of(matrix.at("recipe"));
        if (const auto given = recipe.find("name"); given != recipe.end())
            name = given->get_ref<const std::string&>();
        if (!name.empty()) rest.remove_prefix(rest.rfind(' '));
    }
    const std::string_view label = one.at("label").get_ref<const std::string&>();
    if (label.size() == name.size() + rest.size() && label.starts_with(name) && label.ends_with(rest)) return;
    found("case \"" + escaped(cell_text(one.at("key"))) + "\": its label is \"" + escaped(label) +
          "\", which is not that of its key, \"" + escaped(name) + std::string(rest) + "\"");
}

void check_case(const BenchmarkCase& what, const json& matrix, const json& one, const Findings& found) {
    const std::string key = cell_text(one.at("key"));
    const bool is_recipe = what.recipe.has_value();
    if (comparable(key, is_recipe) != comparable(what.key, is_recipe)) {
        found("case " + cell_text(one.at("index")) + " is \"" + escaped(key) +
              "\" where its matrix gives \"" + (is_recipe ? "recipe:..." : "") +
              std::string(comparable(what.key, is_recipe)) + "\"");
        return;
    }
    check_label(what, matrix, one, found);
    if (one.at("width") != what.width || one.at("height") != what.height ||
        one.at("channels") != what.channels || !same_operation(what, matrix, one.at("operation"))) {
        found("case \"" + escaped(key) + "\": its size, channels or operation is not what its key says");
    }
}

void check_cases(const BenchmarkMatrix& m, const json& record, const Findings& found) {
    const json& image = value_of(record.at("matrix").at("image"));
    const auto cases = cases_of(m, image.is_null() ? 1 : image.at("channels").get<int>());
    if (record.at("case_total") != cases.size()) {
        found("its case_total is " + cell_text(record.at("case_total")) + " but its matrix gives " +
              std::to_string(cases.size()) + " cases");
    }
    const json& there = record.at("cases");
    for (std::size_t i = 0; i < std::min(cases.size(), there.size()); ++i)
        check_case(cases[i], record.at("matrix"), there[i], found);
}

// A command line has at most as many bytes as the schema has it, so that the lists of its matrix are short:
// what a hostile matrix asks for is not written out.
bool may_have_command_line(const BenchmarkMatrix& m) {
    constexpr double most = 1e6;
    return static_cast<double>(m.pools.size()) * static_cast<double>(m.sizes.size()) <= most;
}

void check_command_line(BenchmarkMatrix m, const json& record, const Findings& found) {
    const json& image = value_of(record.at("matrix").at("image"));
    const std::string path = image.is_null() ? "" : cell_text(image.at("path"));
    if (!image.is_null()) m.image = std::make_shared<const Image>();
    if (!may_have_command_line(m) || !is_bench_command_line(cell_text(record.at("command_line")), m, path))
        found("its command_line is not the one that measures its matrix");
}

void check_protocol(const BenchmarkMatrix& m, const json& record, const Findings& found) {
    const auto named = named_protocol(m.protocol);
    if (!named) return;
    const bool on_image = !value_of(record.at("matrix").at("image")).is_null();
    if (on_image || !same_protocol(m, *named)) {
        found("its matrix is not that of the protocol \"" + m.protocol + "\", which it names");
    }
}

}  // namespace

void check_matrix(const json& record, const Findings& found) {
    auto matrix = matrix_of_record(record);
    if (!matrix) return;  // its recipe cannot be read, which check_consistency() says
    if (case_count(*matrix) > most_cases) {
        found("its matrix gives more cases than a record can have");
        return;
    }
    check_protocol(*matrix, record, found);
    // Each case has a copy of the recipe, and its key a digest, which are not compared: a hostile recipe is
    // not copied as often as a hostile list of sizes asks for.
    if (matrix->recipe) matrix->recipe = Recipe{};
    check_cases(*matrix, record, found);
    check_command_line(std::move(*matrix), record, found);
}

}  // namespace workbench
