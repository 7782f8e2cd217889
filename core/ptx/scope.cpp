// SPDX-License-Identifier: MIT
#include "core/ptx/scope.h"

#include <charconv>

namespace workbench::ptx {

namespace {

// Whether a name is one of a range's: its prefix and a number below its count.
bool is_in(const RegisterRange& range, std::string_view name) {
    if (!name.starts_with(range.prefix) || name.size() == range.prefix.size()) return false;
    const std::string_view digits = name.substr(range.prefix.size());
    if (digits.size() > 1 && digits[0] == '0') return false;
    std::uint64_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    return error == std::errc() && end == digits.data() + digits.size() && index < range.count;
}

}  // namespace

const Symbol* Scope::find(std::string_view name, std::deque<Register>& registers) {
    const auto [row, is_new] = m_found.try_emplace(name, nullptr);
    if (is_new) row->second = search(name, registers);
    return row->second;
}

const Symbol* Scope::search(std::string_view name, std::deque<Register>& registers) {
    for (Scope* scope = this; scope != nullptr; scope = scope->parent) {
        const auto held = scope->symbols.find(name);
        if (held != scope->symbols.end()) return &held->second;
        for (const RegisterRange& range : scope->ranges) {
            if (!is_in(range, name)) continue;
            registers.push_back({range.type});
            return &(scope->symbols[name] = {.kind = Symbol::Kind::reg, .reg = &registers.back()});
        }
    }
    return nullptr;
}

std::optional<std::uint32_t> Scope::find_label(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
        const auto held = scope->labels.find(name);
        if (held != scope->labels.end()) return held->second;
    }
    return std::nullopt;
}

std::pair<const Scope*, const TargetList*> Scope::find_targets(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
        const auto held = scope->target_lists.find(name);
        if (held != scope->target_lists.end()) return {scope, &held->second};
    }
    return {nullptr, nullptr};
}

}  // namespace workbench::ptx
