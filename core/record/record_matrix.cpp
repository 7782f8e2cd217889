// SPDX-License-Identifier: MIT
#include "core/record/record_matrix.h"

#include <exception>

#include "core/recipe/recipe.h"
#include "core/record/record_json.h"

namespace workbench {

namespace {

using nlohmann::json;

iir2d::Extent extent_of(const json& e) {
    return {e.at("h").get<std::int64_t>(), e.at("w").get<std::int64_t>()};
}

std::unexpected<Error> refused(const std::string& why) {
    return fail(ErrorKind::bad_input, "the record's matrix cannot be run: " + why);
}

Result<BenchmarkMatrix> read(const json& j) {
    BenchmarkMatrix m;
    m.sizes.clear();
    for (const json& size : j.at("sizes"))
        m.sizes.push_back({size.at("width").get<std::int64_t>(), size.at("height").get<std::int64_t>()});
    m.filter_ids = j.at("filter_ids").get<std::vector<int>>();
    m.borders.clear();
    for (const json& name : j.at("borders"))
        m.borders.push_back(iir2d::border_from_name(cell_text(name)).value());
    m.precisions.clear();
    for (const json& name : j.at("precisions"))
        m.precisions.push_back(iir2d::precision_from_name(cell_text(name)).value());
    for (const json& pool : j.at("pools")) m.pools.push_back(pool_of(pool).value());
    m.pool_elements.clear();
    for (const json& name : j.at("pool_elements"))
        m.pool_elements.push_back(element_of(cell_text(name)).value());
    m.pool_passes.clear();
    for (const json& name : j.at("pool_passes"))
        m.pool_passes.push_back(pool_pass_from_name(cell_text(name)).value());
    if (const json& recipe = value_of(j.at("recipe")); !recipe.is_null()) {
        auto parsed = recipe_from_json(recipe.dump());
        if (!parsed) return refused(parsed.error().message);
        m.recipe = std::move(*parsed);
    }
    m.device = cell_text(j.at("device"));
    m.threads = j.at("threads").get<int>();
    m.warmup = j.at("warmup").get<int>();
    m.iterations = j.at("iterations").get<int>();
    m.seed = j.at("seed").get<std::uint64_t>();
    m.protocol = cell_text(value_of(j.at("protocol")));
    m.cold_cache = j.at("cache") == "cold";
    m.most_disturbed = j.at("most_disturbed").get<double>();
    if (const json& rule = value_of(j.at("stopping")); !rule.is_null()) {
        m.stopping = StoppingRule{.precision = rule.at("precision").get<double>(),
                                  .least = rule.at("least").get<int>(),
                                  .most = rule.at("most").get<int>(),
                                  .most_seconds = rule.at("most_seconds").get<double>()};
    }
    return m;
}

}  // namespace

std::optional<iir2d::ElementType> element_of(const std::string& name) {
    using enum iir2d::ElementType;
    for (const auto type : {f32, f64, f16, bf16}) {
        if (name == iir2d::name_of(type)) return type;
    }
    return std::nullopt;
}

std::optional<PoolOperation> pool_of(const json& pool) {
    const auto op = iir2d::pool_op_from_name(cell_text(pool.at("op")));
    if (!op) return std::nullopt;
    PoolOperation operation{.op = *op,
                            .window = extent_of(pool.at("window")),
                            .stride = extent_of(pool.at("stride")),
                            .padding = extent_of(pool.at("padding")),
                            .dilation = extent_of(pool.at("dilation")),
                            .ceil_mode = pool.at("ceil_mode").get<bool>(),
                            .p = pool.at("p").get<double>()};
    operation.count_include_pad = pool.at("count_include_pad").get<bool>();
    if (const json& divisor = value_of(pool.at("divisor_override")); !divisor.is_null())
        operation.divisor_override = divisor.get<std::int64_t>();
    if (const json& output = value_of(pool.at("output")); !output.is_null())
        operation.output = extent_of(output);
    return operation;
}

Result<BenchmarkMatrix> matrix_of_record(const json& record) {
    try {
        return read(record.at("matrix"));
    } catch (const std::exception& error) {
        return refused(error.what());
    }
}

}  // namespace workbench
