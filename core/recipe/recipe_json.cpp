// SPDX-License-Identifier: MIT
// The recipe file. Written in one order of keys; read strictly. docs/recipes.md is its description.
#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/recipe/recipe.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json extent_json(iir2d::Extent e) {
    return ordered_json::array({e.h, e.w});
}

ordered_json filter_json(const FilterOperation& filter) {
    ordered_json out;
    out["filter"] = filter.filter_id;
    if (const auto row = iir2d::filter_row(filter.filter_id)) out["key"] = row->key;
    out["parameters"] = ordered_json::object();
    for (const auto& [name, value] : filter.parameters) out["parameters"][name] = value;
    out["border"] = name_of(filter.border);
    out["border_const"] = filter.border_const;
    out["precision"] = name_of(filter.precision);
    out["start"] = name_of(filter.start);
    out["normalise_gain"] = filter.normalise_gain;
    return out;
}

ordered_json pool_json(const PoolOperation& pool) {
    ordered_json out;
    out["op"] = name_of(pool.op);
    if (is_adaptive(pool.op)) {
        out["output"] = extent_json(pool.output);
        return out;
    }
    out["window"] = extent_json(pool.window);
    if (pool.stride) out["stride"] = extent_json(*pool.stride);
    out["padding"] = extent_json(pool.padding);
    out["dilation"] = extent_json(pool.dilation);
    out["ceil_mode"] = pool.ceil_mode;
    out["p"] = pool.p;
    out["count_include_pad"] = pool.count_include_pad;
    if (pool.divisor_override) out["divisor_override"] = *pool.divisor_override;
    return out;
}

ordered_json operation_json(const Operation& operation) {
    const auto* filter = std::get_if<FilterOperation>(&operation.what);
    ordered_json out;
    out["type"] = filter ? "filter" : "pool";
    out["enabled"] = operation.enabled;
    out.update(filter ? filter_json(*filter) : pool_json(std::get<PoolOperation>(operation.what)));
    return out;
}

// Reads the members of one object into variables; the first thing that is wrong stays in `error`. Keys that
// are absent leave their variables as they were.
class Members {
  public:
    Members(const json& value, std::string subject) : m_value(value), m_subject(std::move(subject)) {
        if (!value.is_object()) refuse("must be an object, not " + shown(value));
    }

    Result<void> done() const {
        if (!m_error.empty()) return fail(ErrorKind::bad_argument, m_error);
        return {};
    }

    bool good() const { return m_error.empty(); }
    bool has(const char* key) const { return m_value.is_object() && m_value.contains(key); }
    const json* find(const char* key) const { return good() && has(key) ? &m_value[key] : nullptr; }

    void refuse(const std::string& what) {
        if (good()) m_error = m_subject + " " + what;
    }

    void only(std::initializer_list<std::string_view> known) {
        if (!good()) return;
        const std::string all = joined(known, ", ");
        for (const auto& [key, value] : m_value.items()) {
            if (std::ranges::find(known, key) == known.end()) {
                return refuse("has the unknown key " + shown(key) + ": its keys are " + all);
            }
        }
    }

    void required(const char* key) {
        if (good() && !has(key)) refuse("lacks the key \"" + std::string(key) + "\": add it");
    }

    void read(const char* key, bool& out) {
        const json* value = find(key);
        if (!value) return;
        if (!value->is_boolean()) return mismatch(key, *value, "true or false");
        out = value->get<bool>();
    }

    void read(const char* key, double& out) {
        const json* value = find(key);
        if (!value) return;
        if (!value->is_number()) return mismatch(key, *value, "a number");
        out = value->get<double>();
    }

    void read(const char* key, std::string& out) {
        const json* value = find(key);
        if (!value) return;
        if (!value->is_string()) return mismatch(key, *value, "a string");
        out = value->get<std::string>();
    }

    void read(const char* key, std::int64_t& out) {
        if (const json* value = find(key)) read_whole(key, *value, out);
    }

    void read(const char* key, iir2d::Extent& out) {
        const json* value = find(key);
        if (!value) return;
        if (!value->is_array() || value->size() != 2) {
            return mismatch(key, *value, "two whole numbers, [height, width]");
        }
        read_whole(key, (*value)[0], out.h);
        read_whole(key, (*value)[1], out.w);
    }

    template <class T>
    void read(const char* key, std::optional<T>& out) {
        if (!find(key)) return;
        read(key, out.emplace());
    }

    // An enumeration by its name.
    template <class E>
    void read(const char* key, E& out, iir2d::Result<E> (*from_name)(std::string_view), const char* names) {
        std::string name;
        read(key, name);
        if (!good() || !has(key)) return;
        const auto value = from_name(name);
        if (!value) return mismatch(key, m_value[key], names);
        out = *value;
    }

  private:
    void mismatch(const char* key, const json& value, const std::string& wanted) {
        refuse("has \"" + std::string(key) + "\": " + shown(value) + ", which must be " + wanted);
    }

    void read_whole(const char* key, const json& value, std::int64_t& out) {
        const bool fits = value.is_number_integer() &&
                          !(value.is_number_unsigned() &&
                            value.get<std::uint64_t>() >
                                static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
        if (!fits) return mismatch(key, value, "a whole number of at most 63 bits");
        out = value.get<std::int64_t>();
    }

    const json& m_value;
    std::string m_subject;
    std::string m_error;
};

// "filter" is an id or a key; "key", when it stands there too, must be the same filter's.
void read_filter_id(Members& members, int& id) {
    members.required("filter");
    const json* given = members.find("filter");
    if (!given) return;
    const auto table = iir2d::filter_table();
    const std::string all =
        joined(table, ", ", [](const iir2d::FilterRow& r) { return fmt::format("{} {}", r.id, r.key); });
    const auto row = std::ranges::find_if(table, [&](const iir2d::FilterRow& r) {
        return given->is_string() ? *given == std::string(r.key)
                                  : given->is_number_integer() && *given == r.id;
    });
    if (row == table.end()) {
        return members.refuse("has \"filter\": " + shown(*given) + ", which must be one of " + all);
    }
    id = row->id;
    const json* key = members.find("key");
    if (key && *key != std::string(row->key)) {
        members.refuse(fmt::format("has \"key\": {}, but filter {} is \"{}\": correct one of the two",
                                   shown(*key), id, row->key));
    }
}

void read_filter(Members& members, FilterOperation& filter) {
    members.only({"type", "enabled", "filter", "key", "parameters", "border", "border_const", "precision",
                  "start", "normalise_gain"});
    read_filter_id(members, filter.filter_id);
    if (const json* parameters = members.find("parameters")) {
        if (!parameters->is_object()) {
            members.refuse("has \"parameters\": " + shown(*parameters) +
                           ", which must be an object of numbers");
        } else {
            for (const auto& [name, value] : parameters->items()) {
                if (!value.is_number()) {
                    members.refuse("has the parameter " + shown(name) + ": " + shown(value) +
                                   ", which must be a number");
                    break;
                }
                filter.parameters[name] = value.get<double>();
            }
        }
    }
    members.read("border", filter.border, &iir2d::border_from_name, "clamp, mirror, wrap or constant");
    members.read("border_const", filter.border_const);
    members.read("precision", filter.precision, &iir2d::precision_from_name, "f32, mixed or f64");
    members.read("start", filter.start, &iir2d::start_from_name, "truncated or steady");
    members.read("normalise_gain", filter.normalise_gain);
}

void read_pool(Members& members, PoolOperation& pool) {
    members.only({"type", "enabled", "op", "window", "stride", "padding", "dilation", "ceil_mode", "p",
                  "count_include_pad", "divisor_override", "output"});
    members.required("op");
    members.read("op", pool.op, &iir2d::pool_op_from_name, "max, avg, lp, adaptive-max or adaptive-avg");
    if (is_adaptive(pool.op)) members.required("output");
    members.read("output", pool.output);
    members.read("window", pool.window);
    members.read("stride", pool.stride);
    members.read("padding", pool.padding);
    members.read("dilation", pool.dilation);
    members.read("ceil_mode", pool.ceil_mode);
    members.read("p", pool.p);
    members.read("count_include_pad", pool.count_include_pad);
    members.read("divisor_override", pool.divisor_override);
}

Result<Operation> read_operation(const json& value, std::size_t number) {
    const std::string subject = "operation " + std::to_string(number);
    Members members(value, subject);
    members.required("type");
    std::string type;
    members.read("type", type);
    IIR2D_RETURN_IF_ERROR(members.done());

    Operation operation;
    members.read("enabled", operation.enabled);
    if (type == "filter") {
        read_filter(members, operation.what.emplace<FilterOperation>());
    } else if (type == "pool") {
        read_pool(members, operation.what.emplace<PoolOperation>());
    } else {
        members.refuse("has \"type\": " + shown(type) + ", which must be \"filter\" or \"pool\"");
    }
    IIR2D_RETURN_IF_ERROR(members.done());
    if (const auto valid = validate(operation, {.w = 0}); !valid) {
        return fail(valid.error().kind,
                    subject + " (" + operation_name(operation) + "): " + valid.error().message);
    }
    return operation;
}

// Said before anything else: a newer schema may mean anything by its other keys.
void check_schema(Members& members) {
    members.required("schema_version");
    const json* given = members.find("schema_version");
    if (!given) return;
    if (given->is_number_integer() && *given == recipe_schema_version) return;
    const bool newer = given->is_number_integer() && *given > recipe_schema_version;
    members.refuse("has \"schema_version\": " + shown(*given) +
                   (newer ? ", and this program reads only " : ", which must be ") +
                   std::to_string(recipe_schema_version) + (newer ? ": use a newer version of it" : ""));
}

Result<Recipe> read_recipe(std::string_view text) {
    const auto document = parse_json_strictly(text, recipe_json_limits);
    if (!document) return fail(document.error().kind, "the recipe " + document.error().message);

    Members members(*document, "the recipe");
    check_schema(members);
    members.only({"schema_version", "name", "keep_alpha", "operations"});
    Recipe recipe;
    members.read("name", recipe.name);
    members.read("keep_alpha", recipe.keep_alpha);
    members.required("operations");
    const json* operations = members.find("operations");
    if (operations && !operations->is_array()) {
        members.refuse("has \"operations\": " + shown(*operations) + ", which must be an array");
    }
    IIR2D_RETURN_IF_ERROR(members.done());
    for (const json& value : *operations) {
        IIR2D_TRY(auto operation, read_operation(value, recipe.operations.size() + 1));
        recipe.operations.push_back(std::move(operation));
    }
    return recipe;
}

}  // namespace

std::string to_json(const Recipe& recipe) {
    ordered_json out;
    out["schema_version"] = recipe_schema_version;
    out["name"] = recipe.name;
    out["keep_alpha"] = recipe.keep_alpha;
    out["operations"] = ordered_json::array();
    for (const Operation& operation : recipe.operations)
        out["operations"].push_back(operation_json(operation));
    return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<Recipe> recipe_from_json(std::string_view text) {
    auto recipe = read_recipe(text);
    // A sentence may quote a key or a value of the file, in whatever part of the program it was written.
    constexpr std::size_t longest = 1000;
    if (!recipe) recipe.error().message = escaped(recipe.error().message, longest);
    return recipe;
}

Result<Recipe> load_recipe(const std::filesystem::path& path) {
    IIR2D_TRY(const auto text, read_file(path, recipe_json_limits.bytes));
    auto recipe = recipe_from_json(text);
    if (!recipe) recipe.error().message = quoted(path) + ": " + recipe.error().message;
    return recipe;
}

Result<void> save_recipe(const Recipe& recipe, const std::filesystem::path& path) {
    return write_file_atomically(path, to_json(recipe));
}

}  // namespace workbench
