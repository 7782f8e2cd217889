// SPDX-License-Identifier: MIT
// What tables of members are made of: each row names a member of a JSON object and where its value is in a
// struct. Writing, reading, comparing and the JSON schema all follow from one table (record_layout.h).
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/support/fact.h"

namespace workbench::layout {

// What a text may be: up to 100'000 characters, 1 to 4096 of them, or one of two forms.
enum class Text { any, name, utc, sha256 };

// What a value may be. Of a list: each of its items.
struct Limits {
    std::optional<double> least = {};
    std::optional<double> most = {};
    double (*most_by_table)() = nullptr;  // in place of `most`, where a table of the program says it
    std::size_t fewest_items = 0;
    std::size_t most_items = 100'000;
    Text text = Text::any;
    std::size_t longest_name = 4096;
    // Compared at the scale of the values that it is a difference of.
    bool is_deviation = false;

    std::optional<double> largest() const { return most_by_table ? std::optional(most_by_table()) : most; }
};

inline constexpr Limits no_limits = {};
inline constexpr Limits not_negative = {.least = 0};
inline constexpr Limits positive = {.least = 1};
inline constexpr Limits a_name = {.text = Text::name};
inline constexpr Limits a_utc = {.text = Text::utc};
inline constexpr Limits a_sha256 = {.text = Text::sha256};

// The rows of a struct's object; specialised as `static constexpr auto rows = std::tuple{...}`.
template <class T>
struct Layout;
template <class T>
concept HasLayout = requires {
    Layout<T>::rows;
};

// The values of an enumeration and their names; specialised with `values` and `name(E)`.
template <class E>
struct Words;
template <class T>
concept HasWords = requires {
    Words<T>::values;
};

template <class T>
struct IsVector : std::false_type {};
template <class T, class A>
struct IsVector<std::vector<T, A>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsFact : std::false_type {};
template <class T>
struct IsFact<Fact<T>> : std::true_type {};

// The struct itself, for a JSON object whose members are in the same struct as those around it.
using Self = std::identity;

// A value that is always there. `get` takes the struct to the value: a member pointer, or a function from a
// reference to a reference. Where `rows` are given, they are the value's, else those of its Layout.
template <class Get, class Rows>
struct Member {
    const char* name;
    Get get;
    Limits limits;
    Rows rows;
};
template <class Get>
constexpr auto member(const char* name, Get get, Limits limits = no_limits) {
    return Member<Get, std::tuple<>>{name, get, limits, {}};
}
// Where the value is a Fact or a list, `rows` are those of what it holds.
template <class Get, class... Row>
constexpr auto member_of(const char* name, Get get, std::tuple<Row...> rows) {
    return Member<Get, std::tuple<Row...>>{name, get, no_limits, rows};
}
template <class... Row>
constexpr auto group(const char* name, Row... rows) {
    return Member<Self, std::tuple<Row...>>{name, {}, no_limits, {rows...}};
}

// How it is seen that a value is absent, and how it is made so.
struct WhenEmpty {  // an optional, a text or a list
    template <class S, class T>
    static bool is_absent(const S&, const T& value) {
        if constexpr (IsOptional<T>::value) {
            return !value.has_value();
        } else {
            return value.empty();
        }
    }
    template <class T>
    static void clear(T& value) {
        value = T{};
    }
};
struct WhenNotFinite {  // JSON has no infinity
    template <class S>
    static bool is_absent(const S&, double value) {
        return !std::isfinite(value);
    }
    static void clear(double& value) { value = HUGE_VAL; }
};
struct WhenNotPositive {  // a figure that divides by a time
    template <class S>
    static bool is_absent(const S&, double value) {
        return !(value > 0 && std::isfinite(value));
    }
    static void clear(double& value) { value = 0; }
};
template <class Predicate>
struct Unless {  // a property of the struct says it
    Predicate holds;
    template <class S, class T>
    bool is_absent(const S& s, const T&) const {
        return !holds(s);
    }
    template <class T>
    static void clear(T&) {}
};

// A value that may be absent: {"value": ...} or {"value": null, "reason": "..."}. `reason` takes the struct
// to the reason, and has keep() where the struct keeps the one that is read.
template <class Get, class Reason, class Absence, class Rows>
struct Nullable {
    const char* name;
    Get get;
    Reason reason;
    Limits limits;
    Absence absence;
    Rows rows;
};
// Returns a function to a reason that is always the same.
constexpr auto says(const char* reason) {
    return [reason](const auto&) { return std::string(reason); };
}
template <class Absence = WhenEmpty, class Get, class Reason>
constexpr auto nullable(const char* name, Get get, Reason reason, Limits limits = no_limits,
                        Absence absence = {}) {
    return Nullable<Get, Reason, Absence, std::tuple<>>{name, get, reason, limits, absence, {}};
}
template <class Get, class Reason, class Predicate, class Rows = std::tuple<>>
constexpr auto nullable_if(Predicate holds, const char* name, Get get, Reason reason, Rows rows = {}) {
    return Nullable<Get, Reason, Unless<Predicate>, Rows>{name, get, reason, no_limits, {holds}, rows};
}
// A number that is written as it is where it is finite, and else as {"value": null, "reason": "..."}.
template <class Get, class Reason>
struct FiniteNumber {
    const char* name;
    Get get;
    Reason why_not;
    Limits limits;
};
template <class Get, class Reason>
constexpr auto finite_number(const char* name, Get get, Reason why_not, Limits limits = no_limits) {
    return FiniteNumber<Get, Reason>{name, get, why_not, limits};
}
// The members of a struct within another's object.
template <class Get>
struct Merged {
    Get get;
};
template <class Get>
constexpr auto merged(Get get) {
    return Merged<Get>{get};
}

// A text or number that never differs.
template <class Value>
struct Constant {
    const char* name;
    Value value;
};
template <class Value>
constexpr auto constant(const char* name, Value value) {
    return Constant<Value>{name, value};
}

// A text that follows from other members. One that is checked must, of those above it; another is not read.
template <class Get>
struct Derived {
    const char* name;
    Get get;
    bool is_checked;
};
template <class Get>
constexpr auto derived(const char* name, Get get, bool is_checked) {
    return Derived<Get>{name, get, is_checked};
}

// Two members, "value" and "reason" as of a Nullable, among those of a larger object.
template <class Value, class Reason>
struct InlineFact {
    Value value;    // to a std::optional<std::string>
    Reason reason;  // to a std::string
};
template <class Value, class Reason>
constexpr auto inline_fact(Value value, Reason reason) {
    return InlineFact<Value, Reason>{value, reason};
}

// The number of an object in its list, from 1.
struct Position {
    const char* name;
};

// A value that is kept in another form: `get` returns it, `set` takes it and returns whether it could.
template <class Get, class Set>
struct Computed {
    const char* name;
    Get get;
    Set set;
    Limits limits;
};
template <class Get, class Set>
constexpr auto computed(const char* name, Get get, Set set, Limits limits = no_limits) {
    return Computed<Get, Set>{name, get, set, limits};
}

// Timed samples: a list of milliseconds, and a list of the positions of those that were preempted.
template <class Get>
struct SampleLists {
    const char* name;
    const char* preempted;
    Get get;
};
template <class Get>
constexpr auto sample_lists(const char* name, const char* preempted, Get get) {
    return SampleLists<Get>{name, preempted, get};
}

// A variant: an object whose member "kind" says which; each alternative's Layout has its `kind`.
template <class Get>
struct Choice {
    const char* name;
    Get get;
};
template <class Get>
constexpr auto choice(const char* name, Get get) {
    return Choice<Get>{name, get};
}

// The names of the members that the rows of an S are written as.
template <class S, class... Row>
void add_names(const std::tuple<Row...>& rows, std::vector<std::string_view>& names) {
    const auto add = [&names]<class R>(const R& row) {
        if constexpr (requires { row.name; }) {
            names.push_back(row.name);
            if constexpr (requires { row.preempted; }) names.push_back(row.preempted);
        } else if constexpr (requires { row.reason; }) {
            names.insert(names.end(), {"value", "reason"});
        } else {
            using T = std::remove_cvref_t<decltype(std::invoke(row.get, std::declval<S&>()))>;
            add_names<T>(Layout<T>::rows, names);
        }
    };
    std::apply([&](const Row&... row) { (add(row), ...); }, rows);
}

}  // namespace workbench::layout
