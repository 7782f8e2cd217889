// SPDX-License-Identifier: MIT
// A value that may not be had, and then the reason why.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace workbench {

template <class T>
struct Fact {
    std::optional<T> value;
    std::string reason;  // when absent

    Fact() = default;
    Fact(T a_value) : value(std::move(a_value)) {}  // NOLINT(google-explicit-constructor)
    Fact(std::optional<T> a_value, std::string a_reason)
        : value(std::move(a_value)), reason(std::move(a_reason)) {}
    // Returns the absent value.
    static Fact absent(std::string why) { return {std::nullopt, std::move(why)}; }

    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const { return *value; }
    T& operator*() { return *value; }
    const T* operator->() const { return &*value; }
    T* operator->() { return &*value; }
    T value_or(T otherwise) const { return value.value_or(std::move(otherwise)); }
    friend bool operator==(const Fact&, const Fact&) = default;
};

}  // namespace workbench
