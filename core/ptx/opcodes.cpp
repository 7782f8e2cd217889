// SPDX-License-Identifier: MIT
// Every opcode that is executed, written out from the pieces that the families have, and kept where form_of()
// takes it.
#include <algorithm>
#include <array>
#include <span>

#include "core/ptx/form.h"
#include "core/ptx/ptx.h"

namespace workbench::ptx {

namespace {

using Choices = std::vector<std::string_view>;

// Writes base with one of each of the choices behind it; "" stands for no piece.
void expand(std::vector<std::string>& made, const std::string& begun, std::span<const Choices> rest) {
    if (rest.empty()) {
        if (form_of(begun)) made.push_back(begun);
        return;
    }
    for (const std::string_view choice : rest.front())
        expand(made, choice.empty() ? begun : begun + "." + std::string(choice), rest.subspan(1));
}

const Choices all_types{"b8",  "b16", "b32", "b64",   "u8",   "u16",    "u32", "u64", "s8",  "s16",
                        "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "f32", "f64", "pred"};
const Choices rounding{"", "rn", "rz", "rm", "rp"};
const Choices ftz{"", "ftz"};
const Choices sat{"", "sat"};
const Choices none_or_carry{"", "cc"};
const Choices comparisons{"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                          "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
const Choices scopes{"cta", "gpu", "sys"};

struct Family {
    Choices bases;
    std::vector<Choices> pieces;
};

std::vector<Family> families() {
    return {
        {{"add", "sub", "addc", "subc"}, {none_or_carry, all_types}},
        {{"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt"},
         {rounding, ftz, {"", "sat", "relu"}, all_types}},
        {{"mul", "mad", "madc"}, {{"lo", "hi", "wide"}, {"", "cc", "sat"}, all_types}},
        {{"div", "rem", "sad", "and", "or", "xor", "not", "cnot", "shl", "shr", "popc", "clz", "brev", "bfe",
          "bfi", "copysign"},
         {all_types}},
        {{"min", "max", "neg", "abs"}, {ftz, {"", "NaN"}, all_types}},
        {{"bfind"}, {{"", "shiftamt"}, all_types}},
        {{"shf"}, {{"l", "r"}, {"clamp", "wrap"}, {"b32"}}},
        {{"prmt"}, {{"b32"}, {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}}},
        {{"lop3"}, {{"b32"}}},
        {{"dp4a"}, {{"u32", "s32"}, {"u32", "s32"}}},
        {{"dp2a"}, {{"lo", "hi"}, {"u32", "s32"}, {"u32", "s32"}}},
        {{"testp"}, {{"finite", "infinite", "number", "notanumber", "normal", "subnormal"}, all_types}},
        {{"div", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"}, {{"approx"}, ftz, all_types}},
        {{"div"}, {{"full"}, ftz, all_types}},
        {{"setp"}, {comparisons, {"", "and", "or", "xor"}, ftz, all_types}},
        {{"set"},
         {comparisons,
          {"", "and", "or", "xor"},
          ftz,
          {"u16", "s16", "u32", "s32", "f16", "f16x2", "bf16", "bf16x2", "f32"},
          all_types}},
        {{"selp", "mov"}, {all_types}},
        {{"slct"}, {ftz, all_types, {"s32", "f32"}}},
        {{"cvt"},
         {{"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"},
          {"", "relu"},
          ftz,
          sat,
          all_types,
          all_types}},
        {{"cvta"}, {{"", "to"}, {"param", "const", "global", "shared", "local"}, {"u64"}}},
        {{"isspacep"}, {{"param", "const", "global", "shared", "local"}}},
        {{"ld"},
         {{"", "volatile"},
          {"", "param", "const", "global", "shared", "local"},
          {"", "ca", "cg", "cs", "lu", "cv"},
          {"", "nc"},
          {"", "v2", "v4"},
          all_types}},
        {{"ld"}, {{"relaxed", "acquire"}, scopes, {"", "global", "shared"}, {"", "v2", "v4"}, all_types}},
        {{"st"},
         {{"", "volatile"},
          {"", "param", "global", "shared", "local"},
          {"", "wb", "cg", "cs", "wt"},
          {"", "v2", "v4"},
          all_types}},
        {{"st"}, {{"relaxed", "release"}, scopes, {"", "global", "shared"}, {"", "v2", "v4"}, all_types}},
        {{"atom", "red"},
         {{"", "relaxed", "acquire", "release", "acq_rel"},
          {"", "cta", "gpu", "sys"},
          {"", "global", "shared"},
          {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"},
          {"", "noftz"},
          all_types}},
        {{"atom", "red"},
         {{"global", "shared"},
          scopes,
          {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"},
          {"", "noftz"},
          all_types}},
        {{"membar"}, {{"cta", "gl", "sys"}}},
        {{"fence"}, {{"", "sc", "acq_rel"}, scopes}},
        {{"bra", "call", "ret"}, {{"", "uni"}}},
        {{"brx"}, {{"idx"}, {"", "uni"}}},
        {{"exit", "trap"}, {}},
        {{"nanosleep"}, {{"u32"}}},
        {{"bar"}, {{"", "cta"}, {"sync", "arrive"}}},
        {{"barrier"}, {{"", "cta"}, {"sync", "arrive"}, {"", "aligned"}}},
        {{"bar"}, {{"", "cta"}, {"red"}, {"popc", "and", "or"}, {"u32", "pred"}}},
        {{"barrier"}, {{"", "cta"}, {"red"}, {"popc", "and", "or"}, {"", "aligned"}, {"u32", "pred"}}},
        {{"bar"}, {{"warp"}, {"sync"}}},
        {{"shfl"}, {{"sync"}, {"up", "down", "bfly", "idx"}, {"b32"}}},
        {{"vote"}, {{"sync"}, {"all", "any", "uni", "ballot"}, {"pred", "b32"}}},
        {{"match"}, {{"any", "all"}, {"sync"}, {"b32", "b64"}}},
        {{"redux"}, {{"sync"}, {"add", "min", "max", "and", "or", "xor"}, {"b32", "u32", "s32"}}},
        {{"activemask"}, {{"b32"}}},
    };
}

// Whether a loop is there for it: what is only read here and not computed is no opcode that is executed.
bool is_computed(const std::string& opcode) {
    const auto form = form_of(opcode);
    const bool loops = form->handler == Handler::loop || form->handler == Handler::rounded_loop ||
                       form->handler == Handler::divide;
    return !loops || find_loop(key_of(*form, std::max(bytes_of(form->type), 2U),
                                      std::max(bytes_of(form->type2), 2U))) != nullptr;
}

}  // namespace

std::vector<std::string> executed_opcodes() {
    std::vector<std::string> made;
    for (const Family& family : families()) {
        for (const std::string_view base : family.bases) expand(made, std::string(base), family.pieces);
    }
    std::ranges::sort(made);
    const auto repeated = std::ranges::unique(made);
    made.erase(repeated.begin(), repeated.end());
    std::erase_if(made, [](const std::string& opcode) { return !is_computed(opcode); });
    return made;
}

}  // namespace workbench::ptx
