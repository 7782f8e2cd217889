// SPDX-License-Identifier: MIT
// JSON schemas made from the tables of members (core/record/layout.h).
#pragma once

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "core/record/record_layout.h"

namespace workbench::testing {

namespace schemas {

using Json = nlohmann::ordered_json;
using namespace layout;

inline Json text(const Limits& limits) {
    Json schema{{"type", "string"}};
    switch (limits.text) {
        case Text::utc:
            schema["pattern"] = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
            schema["maxLength"] = 20;
            break;
        case Text::sha256:
            schema["pattern"] = "^[0-9a-f]{64}$";
            schema["maxLength"] = 64;
            break;
        case Text::name:
            schema["minLength"] = 1;
            schema["maxLength"] = limits.longest_name;
            break;
        case Text::any:
            schema["maxLength"] = 100'000;
    }
    return schema;
}

template <class T>
Json number(const Limits& limits) {
    Json schema{{"type", std::is_integral_v<T> ? "integer" : "number"}};
    const auto put = [&schema](const char* word, double value) {
        if (std::is_integral_v<T>) {
            schema[word] = static_cast<std::int64_t>(value);
        } else {
            schema[word] = value;
        }
    };
    if (limits.least || std::is_unsigned_v<T>) put("minimum", limits.least.value_or(0));
    if (const auto most = limits.largest()) {
        put("maximum", *most);
    } else if (std::is_same_v<T, int>) {
        put("maximum", std::numeric_limits<int>::max());
    }
    return schema;
}

inline Json list_of(Json items, const Limits& limits) {
    return {{"type", "array"},
            {"minItems", limits.fewest_items},
            {"maxItems", limits.most_items},
            {"items", std::move(items)}};
}

inline Json closed_object(Json properties) {
    Json required = Json::array();
    for (const auto& [name, schema] : properties.items()) required.push_back(name);
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)}};
}

// {"value": ...}, or {"value": null, "reason": "..."}, beside other members.
inline Json fact_of(const Json& value, const Json& others = Json::object()) {
    Json present = others;
    present["value"] = value;
    Json absent = others;
    absent["value"] = {{"type", "null"}};
    absent["reason"] = text(a_name);
    return {{"anyOf", {closed_object(std::move(present)), closed_object(std::move(absent))}}};
}

struct Schemas {
    template <class T, class Rows = std::tuple<>>
    static Json of(const Limits& limits, const Rows& rows = {}) {
        if constexpr (IsVector<T>::value) {
            return list_of(of<typename T::value_type>(limits, rows), limits);
        } else if constexpr (IsOptional<T>::value) {
            return of<typename T::value_type>(limits, rows);
        } else if constexpr (IsFact<T>::value) {
            return fact_of(of<typename decltype(T::value)::value_type>(limits, rows));
        } else if constexpr (std::tuple_size_v<Rows> > 0) {
            return object<T>(rows);
        } else if constexpr (HasLayout<T>) {
            return object<T>(Layout<T>::rows);
        } else if constexpr (HasWords<T>) {
            Json words = Json::array();
            for (const T one : Words<T>::values) words.push_back(Words<T>::name(one));
            return {{"enum", std::move(words)}};
        } else if constexpr (std::is_same_v<T, Recipe>) {
            return {{"type", "object"}, {"description", "A recipe file, docs/recipes.md"}};
        } else if constexpr (std::is_same_v<T, std::string>) {
            return text(limits);
        } else if constexpr (std::is_same_v<T, bool>) {
            return {{"type", "boolean"}};
        } else {
            return number<T>(limits);
        }
    }

    template <class S, class Rows>
    static Json object(const Rows& rows) {
        Json properties = Json::object();
        Json facts;  // of an inline fact, whose object has two forms
        add_all<S>(properties, facts, rows);
        return facts.is_null() ? closed_object(std::move(properties)) : fact_of(facts, properties);
    }
    template <class S, class... Row>
    static void add_all(Json& properties, Json& facts, const std::tuple<Row...>& rows) {
        std::apply([&](const Row&... row) { (add<S>(properties, facts, row), ...); }, rows);
    }
    template <class S, class Get>
    using Value = std::remove_cvref_t<std::invoke_result_t<Get, S&>>;

    template <class S, class Get, class Rows>
    static void add(Json& properties, Json&, const Member<Get, Rows>& row) {
        properties[row.name] = of<Value<S, Get>>(row.limits, row.rows);
    }
    template <class S, class Get, class Reason, class Absence, class Rows>
    static void add(Json& properties, Json&, const Nullable<Get, Reason, Absence, Rows>& row) {
        properties[row.name] = fact_of(of<Value<S, Get>>(row.limits, row.rows));
    }
    template <class S, class Get, class Reason>
    static void add(Json& properties, Json&, const FiniteNumber<Get, Reason>& row) {
        const Json absent = closed_object({{"value", {{"type", "null"}}}, {"reason", text(a_name)}});
        properties[row.name] = {{"anyOf", Json::array({number<double>(row.limits), absent})}};
    }
    template <class S, class Get>
    static void add(Json& properties, Json& facts, const Merged<Get>&) {
        add_all<Value<S, Get>>(properties, facts, Layout<Value<S, Get>>::rows);
    }
    template <class S, class T>
    static void add(Json& properties, Json&, const Constant<T>& row) {
        properties[row.name] = {{"enum", Json::array({row.value})}};
    }
    template <class S, class Get>
    static void add(Json& properties, Json&, const Derived<Get>& row) {
        properties[row.name] = text(a_name);
    }
    template <class S>
    static void add(Json& properties, Json&, const Position& row) {
        properties[row.name] = {{"type", "integer"}, {"minimum", 1}};
    }
    template <class S, class Get, class Set>
    static void add(Json& properties, Json&, const Computed<Get, Set>& row) {
        properties[row.name] = of<std::remove_cvref_t<std::invoke_result_t<Get, const S&>>>(row.limits);
    }
    template <class S, class V, class R>
    static void add(Json&, Json& facts, const InlineFact<V, R>&) {
        facts = text(no_limits);
    }
    template <class S, class Get>
    static void add(Json& properties, Json&, const SampleLists<Get>& row) {
        properties[row.name] = list_of(number<double>(not_negative), a_list_of_samples);
        properties[row.preempted] = list_of(number<std::int64_t>(not_negative), {.most_items = 1'000'000});
    }
    template <class S, class Get>
    static void add(Json& properties, Json&, const Choice<Get>& row) {
        properties[row.name] = {{"anyOf", choices(static_cast<Value<S, Get>*>(nullptr))}};
    }
    template <class... Alternative>
    static Json choices(const std::variant<Alternative...>*) {
        const auto one = []<class A>(const A*) {
            Json properties{{"kind", {{"enum", {Layout<A>::kind}}}}};
            Json facts;
            add_all<A>(properties, facts, Layout<A>::rows);
            return closed_object(std::move(properties));
        };
        return Json::array({one(static_cast<const Alternative*>(nullptr))...});
    }
};

// What fits on a line is on a line.
inline void write(const Json& value, std::size_t indent, std::string& out) {
    const std::string plain = value.dump();
    if (!value.is_structured() || indent + plain.size() <= 110) {
        out += plain;
        return;
    }
    const std::string line = "\n" + std::string(indent, ' ');
    out += value.is_object() ? '{' : '[';
    bool first = true;
    for (const auto& [key, item] : value.items()) {
        out += (first ? "" : ",") + line + "  ";
        first = false;
        if (value.is_object()) out += Json(key).dump() + ": ";
        write(item, indent + 2, out);
    }
    out += line + (value.is_object() ? "}" : "]");
}

}  // namespace schemas

// Returns the schema of a document, as its file has it.
template <class T>
std::string schema_of(const std::string& title, const std::string& description) {
    schemas::Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                         {"title", title},
                         {"description", description}};
    schema.update(schemas::Schemas::of<T>(layout::no_limits));
    std::string out;
    schemas::write(schema, 0, out);
    return out + "\n";
}

}  // namespace workbench::testing
