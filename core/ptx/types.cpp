// SPDX-License-Identifier: MIT
#include "core/ptx/types.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "core/ptx/ptx.h"

namespace workbench::ptx {

namespace {

constexpr std::array<std::string_view, 20> type_names{"",    "pred",  "b8",   "b16",    "b32", "b64", "u8",
                                                      "u16", "u32",   "u64",  "s8",     "s16", "s32", "s64",
                                                      "f16", "f16x2", "bf16", "bf16x2", "f32", "f64"};
constexpr std::array<std::string_view, 6> space_names{"generic", "param",  "const",
                                                      "global",  "shared", "local"};
constexpr std::array<std::string_view, 11> finding_names{
    "out_of_bounds", "misaligned",     "uninitialised", "race",   "barrier", "deadlock",
    "bad_mask",      "divide_by_zero", "shared_limit",  "no_end", "trap"};
constexpr std::array<std::string_view, kinds> kind_names{"integer", "f32",     "f64",    "half",
                                                         "convert", "compare", "move",   "memory",
                                                         "control", "sync",    "atomic", "special"};

bool runs_avx2() {
#if defined(IIR2D_PTX_AVX2)
    const char* const asked = std::getenv("IIR2D_PTX_TARGET");
    if (asked != nullptr && std::string_view(asked) == "baseline") return false;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

}  // namespace

std::string_view name_of(Type type) {
    return type_names[static_cast<std::size_t>(type)];
}

Type type_named(std::string_view name) {
    if (name.empty()) return Type::none;
    const auto* const found = std::ranges::find(type_names, name);
    return found == type_names.end() ? Type::none : static_cast<Type>(found - type_names.begin());
}

std::string_view name_of(Space space) {
    return space_names[static_cast<std::size_t>(space)];
}
std::string_view name_of(FindingKind kind) {
    return finding_names[static_cast<std::size_t>(kind)];
}
std::string_view name_of(Kind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::string_view loops_target() {
    static const bool avx2 = runs_avx2();
    return avx2 ? "AVX2" : "baseline";
}

}  // namespace workbench::ptx
