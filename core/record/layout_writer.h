// SPDX-License-Identifier: MIT
// Writes a struct as JSON by the table of its members (layout.h).
#pragma once

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/record/layout.h"
#include "core/record/record_layout.h"

namespace workbench::layout {

using Json = nlohmann::ordered_json;

inline Json present(Json value) {
    return {{"value", std::move(value)}};
}
inline Json absent(const std::string& reason) {
    return {{"value", nullptr}, {"reason", reason.empty() ? "the reason was not recorded" : reason}};
}

// One function for each kind of value and each kind of row.
struct Writer {
    template <class T, class Rows = std::tuple<>>
    static Json json_of(const T& value, const Rows& rows = {}, std::size_t position = 0) {
        if constexpr (IsFact<T>::value) {
            return value ? present(json_of(*value, rows)) : absent(value.reason);
        } else if constexpr (IsOptional<T>::value) {
            return json_of(*value, rows);
        } else if constexpr (IsVector<T>::value) {
            Json list = Json::array();
            for (const auto& item : value) list.push_back(json_of(item, rows, list.size() + 1));
            return list;
        } else if constexpr (HasWords<T>) {
            return Words<T>::name(value);
        } else if constexpr (std::is_same_v<T, Recipe>) {
            return Json::parse(to_json(value));
        } else if constexpr (std::tuple_size_v<Rows> > 0) {
            return object_of(value, rows, position);
        } else if constexpr (HasLayout<T>) {
            return object_of(value, Layout<T>::rows, position);
        } else {
            return value;
        }
    }
    template <class S, class Rows>
    static Json object_of(const S& s, const Rows& rows, std::size_t position) {
        Json object = Json::object();
        write_rows(object, s, rows, position);
        return object;
    }
    template <class S, class Rows>
    static void write_rows(Json& object, const S& s, const Rows& rows, std::size_t position) {
        std::apply([&](const auto&... row) { (write(object, s, row, position), ...); }, rows);
    }

    template <class S, class Get, class Rows>
    static void write(Json& object, const S& s, const Member<Get, Rows>& row, std::size_t) {
        object[row.name] = json_of(std::invoke(row.get, s), row.rows);
    }
    template <class S, class Get, class Reason, class Absence, class Rows>
    static void write(Json& object, const S& s, const Nullable<Get, Reason, Absence, Rows>& row,
                      std::size_t) {
        const auto& value = std::invoke(row.get, s);
        object[row.name] =
            row.absence.is_absent(s, value) ? absent(row.reason(s)) : present(json_of(value, row.rows));
    }
    template <class S, class Get, class Reason>
    static void write(Json& object, const S& s, const FiniteNumber<Get, Reason>& row, std::size_t) {
        const double value = std::invoke(row.get, s);
        object[row.name] = std::isfinite(value) ? Json(value) : absent(row.why_not(s));
    }
    template <class S, class Get>
    static void write(Json& object, const S& s, const Merged<Get>& row, std::size_t position) {
        const auto& value = std::invoke(row.get, s);
        write_rows(object, value, Layout<std::remove_cvref_t<decltype(value)>>::rows, position);
    }
    template <class S, class Value>
    static void write(Json& object, const S&, const Constant<Value>& row, std::size_t) {
        object[row.name] = row.value;
    }
    template <class S, class Get>
    static void write(Json& object, const S& s, const Derived<Get>& row, std::size_t) {
        object[row.name] = row.get(s);
    }
    template <class S>
    static void write(Json& object, const S&, const Position& row, std::size_t position) {
        object[row.name] = position;
    }
    template <class S, class Get, class Set>
    static void write(Json& object, const S& s, const Computed<Get, Set>& row, std::size_t) {
        object[row.name] = json_of(row.get(s));
    }
    template <class S, class Value, class Reason>
    static void write(Json& object, const S& s, const InlineFact<Value, Reason>& row, std::size_t) {
        const auto& value = std::invoke(row.value, s);
        object.update(value ? present(*value) : absent(std::invoke(row.reason, s)));
    }
    template <class S, class Get>
    static void write(Json& object, const S& s, const SampleLists<Get>& row, std::size_t) {
        Json milliseconds = Json::array(), preempted = Json::array();
        for (const TimedSample& sample : std::invoke(row.get, s)) {
            if (sample.preempted) preempted.push_back(milliseconds.size());
            milliseconds.push_back(sample.latency_ms);
        }
        object[row.name] = std::move(milliseconds);
        object[row.preempted] = std::move(preempted);
    }
    template <class S, class Get>
    static void write(Json& object, const S& s, const Choice<Get>& row, std::size_t) {
        std::visit(
            [&](const auto& chosen) {
                using L = Layout<std::remove_cvref_t<decltype(chosen)>>;
                Json inner{{"kind", L::kind}};
                write_rows(inner, chosen, L::rows, 0);
                object[row.name] = std::move(inner);
            },
            std::invoke(row.get, s));
    }
};

// A document and the SHA-256 of what it says, which is its member `seal_name` too.
struct SealedText {
    std::string text;
    std::string record_id;
};
SealedText sealed_text(Json json);

}  // namespace workbench::layout
