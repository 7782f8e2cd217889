// SPDX-License-Identifier: MIT
// Names of a PTX text while it is read: registers, variables, functions and labels, scope within scope.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ptx/code.h"

namespace workbench::ptx {

struct Register {
    Type type = Type::none;
    std::uint32_t place = no_operand;  // none until it is used
    unsigned width() const { return type == Type::pred ? 0 : bytes_of(type) < 2 ? 2 : bytes_of(type); }
};

struct Variable {
    Space space = Space::global;
    std::uint32_t offset = 0;  // of global ones: which
    std::uint32_t bytes = 0;
    bool of_entry = false;     // shared: lies behind the module's
    bool dynamic = false;      // extern .shared
    bool of_function = false;  // param: of a .func or a call
};

struct Symbol {
    enum class Kind : std::uint8_t { reg, variable, function } kind = Kind::reg;
    Register* reg = nullptr;
    Variable variable;
    std::uint32_t function = 0;
};

struct RegisterRange {
    std::string_view prefix;
    std::uint64_t count = 0;
    Type type = Type::none;
};

using TargetList = std::vector<std::string_view>;

struct Scope {
    Scope* parent = nullptr;
    std::unordered_map<std::string_view, Symbol> symbols;
    std::vector<RegisterRange> ranges;
    std::unordered_map<std::string_view, std::uint32_t> labels;     // instructions
    std::unordered_map<std::string_view, TargetList> target_lists;  // .branchtargets

    const Symbol* find(std::string_view name, std::deque<Register>& registers);
    std::optional<std::uint32_t> find_label(std::string_view name) const;
    // Returns the list and the scope that it is in; null where there is none.
    std::pair<const Scope*, const TargetList*> find_targets(std::string_view name) const;
    // Says that a name or a range has been added here.
    void forget_found() {
        if (!m_found.empty()) m_found = {};
    }

  private:
    const Symbol* search(std::string_view name, std::deque<Register>& registers);
    // What earlier searches from here have come to, so that scopes are gone through once for each name.
    std::unordered_map<std::string_view, const Symbol*> m_found;
};

}  // namespace workbench::ptx
