// SPDX-License-Identifier: MIT
#include "core/record/matrix_consistency.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/benchmark/named_protocols.h"
#include "core/record/record_json.h"
#include "core/record/record_matrix.h"

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

void check_case(const BenchmarkCase& what, const json& matrix, const json& one,
                std::vector<std::string>& problems) {
    const std::string key = cell_text(one.at("key"));
    if (comparable(key, what.recipe.has_value()) != comparable(what.key, what.recipe.has_value())) {
        problems.push_back("case " + cell_text(one.at("index")) + " is \"" + key +
                           "\" where its matrix gives \"" + what.key + "\"");
        return;
    }
    if (one.at("width") != what.width || one.at("height") != what.height ||
        one.at("channels") != what.channels || !same_operation(what, matrix, one.at("operation"))) {
        problems.push_back("case \"" + key + "\": its size, channels or operation is not what its key says");
    }
}

void check_cases(const BenchmarkMatrix& m, const json& record, std::vector<std::string>& problems) {
    if (case_count(m) > most_cases) {
        problems.push_back("its matrix gives more cases than a record can have");
        return;
    }
    const json& image = value_of(record.at("matrix").at("image"));
    const auto cases = cases_of(m, image.is_null() ? 1 : image.at("channels").get<int>());
    if (record.at("case_total") != cases.size()) {
        problems.push_back("its case_total is " + cell_text(record.at("case_total")) +
                           " but its matrix gives " + std::to_string(cases.size()) + " cases");
    }
    const json& there = record.at("cases");
    for (std::size_t i = 0; i < std::min(cases.size(), there.size()); ++i)
        check_case(cases[i], record.at("matrix"), there[i], problems);
}

void check_protocol(const BenchmarkMatrix& m, const json& record, std::vector<std::string>& problems) {
    const auto named = named_protocol(m.protocol);
    if (!named) return;
    const bool on_image = !value_of(record.at("matrix").at("image")).is_null();
    if (on_image || !same_protocol(m, *named)) {
        problems.push_back("its matrix is not that of the protocol \"" + m.protocol + "\", which it names");
    }
}

}  // namespace

std::vector<std::string> matrix_inconsistencies(const json& record) {
    std::vector<std::string> problems;
    if (record.at("schema_version").get<int>() < 4) return problems;
    const auto matrix = matrix_of_record(record);
    if (!matrix) return problems;  // its recipe cannot be read, which inconsistencies() says
    check_cases(*matrix, record, problems);
    check_protocol(*matrix, record, problems);
    return problems;
}

}  // namespace workbench
