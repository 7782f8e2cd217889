// SPDX-License-Identifier: MIT
// Operands: how they are written, and where in the frame they lie.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "core/ptx/function_reader.h"

namespace workbench::ptx {

namespace {

constexpr std::array<std::pair<std::string_view, Special>, 25> specials{{
    {"%tid.x", Special::tid_x},
    {"%tid.y", Special::tid_y},
    {"%tid.z", Special::tid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%total_smem_size", Special::total_smem_size},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
}};

std::string described(const Operand& operand) {
    switch (operand.kind) {
        case Operand::Kind::reg:
            return "the register \"" + shown(operand.text) + "\" of ." +
                   std::string(name_of(operand.reg->type));
        case Operand::Kind::vector:
            return "a vector";
        case Operand::Kind::address:
            return "an address";
        default:
            return "\"" + shown(operand.text) + "\"";
    }
}

std::uint64_t truncated(std::uint64_t value, Type type) {
    const unsigned bits = 8 * bytes_of(type);
    return bits >= 64 ? value : value & ((1ULL << bits) - 1);
}

}  // namespace

std::optional<Special> special_named(std::string_view name) {
    const auto* const found = std::ranges::find(specials, name, &std::pair<std::string_view, Special>::first);
    if (found == specials.end()) return std::nullopt;
    return found->second;
}

bool is_clock(std::string_view name) {
    return name == "%clock" || name == "%clock_hi" || name == "%clock64" || name == "%globaltimer" ||
           name == "%globaltimer_lo" || name == "%globaltimer_hi";
}

bool is_refused_register(std::string_view name) {
    constexpr std::array<std::string_view, 8> begins{
        "%cluster", "%ncluster", "%is_explicit_cluster", "%reserved_smem_offset_", "%aggr_smem_size",
        "%envreg",  "%pm",       "%current_graph_exec"};
    return std::ranges::any_of(begins, [&](std::string_view begin) { return name.starts_with(begin); });
}

void FunctionReader::expect_count(const std::vector<Operand>& operands, std::size_t least,
                                  std::size_t most) const {
    if (operands.size() >= least && operands.size() <= most) return;
    fail("has " + std::to_string(operands.size()) + (operands.size() == 1 ? " operand" : " operands") +
         " where it takes " + std::to_string(least) +
         (most > least ? " to " + std::to_string(most) : std::string()));
}

std::vector<Operand> FunctionReader::read_operands() {
    std::vector<Operand> operands;
    if (m_lexer.take_if(";")) return operands;
    for (;;) {
        operands.push_back(read_operand());
        if (m_lexer.take_if("|")) operands.back().second.push_back(read_operand());
        if (m_lexer.take_if(";")) return operands;
        if (operands.size() > 16) fail("there are too many operands");
        m_lexer.expect(",");
    }
}

Operand FunctionReader::read_name(const Token& token) {
    Operand made{.line = token.line, .text = token.text};
    if (token.text == "_") return made;
    if (token.text == "WARP_SZ") {
        made.kind = Operand::Kind::integer;
        made.bits = lanes;
        return made;
    }
    if (const Symbol* const symbol = m_scope->find(token.text, m_names.registers)) {
        if (symbol->kind == Symbol::Kind::reg) {
            made.kind = Operand::Kind::reg;
            made.reg = symbol->reg;
            return made;
        }
        if (symbol->kind == Symbol::Kind::variable) {
            made.kind = Operand::Kind::variable;
            made.variable = symbol->variable;
            return made;
        }
    }
    if (const auto special = special_named(token.text)) {
        made.kind = Operand::Kind::special;
        made.special = *special;
        return made;
    }
    made.kind = Operand::Kind::name;
    if (is_clock(token.text) || is_refused_register(token.text)) return made;
    fail("\"" + shown(token.text) + "\" is not known");
}

Operand FunctionReader::read_address() {
    Operand made{.kind = Operand::Kind::address, .line = m_line};
    bool first = true;
    while (!m_lexer.take_if("]")) {
        const bool plus = m_lexer.take_if("+");
        const bool minus = m_lexer.take_if("-");
        const Token token = m_lexer.take();
        if (!first && !plus && !minus) fail("an address has no + before \"" + shown(token.text) + "\"");
        if (token.kind == TokenKind::number) {
            const auto value = static_cast<std::int64_t>(literal_of(token).bits);
            made.added = static_cast<std::int64_t>(
                static_cast<std::uint64_t>(made.added) +
                (minus ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)));
        } else if (token.kind == TokenKind::word && !minus && !made.has_base) {
            Operand base = read_name(token);
            if (base.kind != Operand::Kind::reg && base.kind != Operand::Kind::variable)
                fail("\"" + shown(token.text) + "\" is not an address");
            made.has_base = true;
            made.reg = base.reg;
            made.variable = base.variable;
            made.text = base.text;
        } else {
            fail("an address is a register or a variable, and a number");
        }
        first = false;
    }
    if (first) fail("an address is empty");
    return made;
}

Operand FunctionReader::read_operand() {
    if (m_lexer.take_if("[")) return read_address();
    if (m_lexer.take_if("{")) {
        Operand made{.kind = Operand::Kind::vector, .line = m_line};
        do {
            if (made.parts.size() >= 8) fail("a vector has too many parts");
            if (m_lexer.next().is("{") || m_lexer.next().is("["))
                fail("a vector has a part that is not a value");
            made.parts.push_back(read_operand());
        } while (m_lexer.take_if(","));
        m_lexer.expect("}");
        return made;
    }
    if (m_lexer.take_if("!")) {
        if (m_lexer.next().is("!")) fail("a predicate is negated twice");
        Operand made = read_operand();
        if (made.kind != Operand::Kind::reg || made.reg->type != Type::pred)
            fail("what is behind ! is not a predicate");
        made.negated = true;
        return made;
    }
    const bool minus = m_lexer.take_if("-");
    const Token token = m_lexer.take();
    if (token.kind == TokenKind::number) {
        const Literal literal = literal_of(token);
        Operand made{.line = token.line, .text = token.text, .bits = literal.bits};
        made.kind = literal.kind == Literal::Kind::integer ? Operand::Kind::integer
                    : literal.kind == Literal::Kind::f32   ? Operand::Kind::f32
                                                           : Operand::Kind::f64;
        if (minus) {
            if (made.kind == Operand::Kind::integer)
                made.bits = 0 - made.bits;
            else
                made.bits ^= made.kind == Operand::Kind::f32 ? 0x80000000ULL : 1ULL << 63U;
        }
        return made;
    }
    if (token.kind != TokenKind::word || minus) fail("\"" + shown(token.text) + "\" is not an operand");
    Operand made = read_name(token);
    if (made.kind == Operand::Kind::variable && m_lexer.take_if("+")) {
        const Token number = m_lexer.take();
        if (number.kind != TokenKind::number) fail("what is added to a variable's address is not a number");
        made.added = static_cast<std::int64_t>(literal_of(number).bits);
    }
    return made;
}

Constant FunctionReader::address_constant(const Variable& variable, std::int64_t added) {
    Constant constant{.value = static_cast<std::uint64_t>(added), .wide = true};
    switch (variable.space) {
        case Space::shared:
            constant.value += variable.offset;
            constant.relative = variable.dynamic    ? Constant::Relative::dynamic_shared
                                : variable.of_entry ? Constant::Relative::entry_shared
                                                    : Constant::Relative::no;
            if (variable.dynamic)
                function().dynamic_shared = true;
            else if (!variable.of_entry)
                function().module_shared[variable.offset] = variable.bytes;
            break;
        case Space::local:
            constant.value += variable.offset;
            constant.relative = Constant::Relative::local;
            break;
        case Space::param:
            constant.value += variable.offset + (variable.of_function ? function_parameters : 0);
            break;
        case Space::constant:
            constant.value += variable.offset;
            break;
        case Space::global:
        case Space::generic:
            constant.relative = Constant::Relative::global;
            constant.variable = variable.offset;
            break;
    }
    return constant;
}

unsigned FunctionReader::width_of(const Operand& operand, Type type) const {
    if (operand.kind == Operand::Kind::reg) return operand.reg->width();
    if (operand.kind == Operand::Kind::special) return 4;
    if (operand.kind == Operand::Kind::variable) return 8;
    return std::max(bytes_of(type), 2U);
}

std::uint32_t FunctionReader::predicate(const Operand& operand) {
    if (operand.kind == Operand::Kind::reg && operand.reg->type == Type::pred) return place_of(*operand.reg);
    fail(described(operand) + " is not a predicate");
}

std::uint32_t FunctionReader::source(const Operand& operand, Type type, bool wider) {
    if (type == Type::pred) {
        // The first two words of a frame.
        if (operand.kind == Operand::Kind::integer) return operand.bits != 0 ? 0 : 1;
        if (operand.negated) fail("a predicate may not be negated here");
        return predicate(operand);
    }
    const unsigned bytes = std::max(bytes_of(type), 2U);
    const bool takes_float = type == Type::f32 || type == Type::f64 || is_bits(type);
    switch (operand.kind) {
        case Operand::Kind::reg:
            if (operand.reg->type == Type::pred ||
                (wider ? operand.reg->width() < bytes : operand.reg->width() != bytes))
                fail(described(operand) + " does not fit ." + std::string(name_of(type)));
            return place_of(*operand.reg);
        case Operand::Kind::special:
            if (bytes != 4 && !(wider && bytes < 4)) fail(described(operand) + " has 32 bits");
            return place_of_special(operand.special);
        case Operand::Kind::integer:
            if (type == Type::f32 || type == Type::f64)
                fail(described(operand) + " is an integer, not a number of ." + std::string(name_of(type)));
            return place_of_constant(
                {.value = truncated(operand.bits, bytes == 2 ? Type::b16 : type), .wide = bytes == 8});
        case Operand::Kind::f32:
            if (!takes_float || bytes != 4)
                fail(described(operand) + " is a float of 32 bits, not of ." + std::string(name_of(type)));
            return place_of_constant({.value = operand.bits});
        case Operand::Kind::f64:
            if (!takes_float || bytes < 4)
                fail(described(operand) + " is a float, not of ." + std::string(name_of(type)));
            if (bytes == 8) return place_of_constant({.value = operand.bits, .wide = true});
            return place_of_constant({.value = std::bit_cast<std::uint32_t>(
                                          static_cast<float>(std::bit_cast<double>(operand.bits)))});
        case Operand::Kind::variable: {
            if (bytes < 4) fail("an address has 32 or 64 bits");
            // The lower words of a wide constant do not lie side by side: addresses of 32 bits have a place
            // of their own.
            if (bytes != 8 && operand.variable.space == Space::global)
                fail("the address of a global variable has 64 bits");
            Constant constant = address_constant(operand.variable, operand.added);
            constant.wide = bytes == 8;
            return place_of_constant(constant);
        }
        default:
            fail(described(operand) + " is not a value of ." + std::string(name_of(type)));
    }
}

std::uint32_t FunctionReader::destination(const Operand& operand, Type type, bool wider) {
    if (operand.kind != Operand::Kind::reg) fail(described(operand) + " is not a register to write to");
    if (operand.negated) fail("a destination may not be negated");
    if (type == Type::pred) return predicate(operand);
    const unsigned bytes = std::max(bytes_of(type), 2U);
    if (operand.reg->type == Type::pred ||
        (wider ? operand.reg->width() < bytes : operand.reg->width() != bytes))
        fail(described(operand) + " does not fit ." + std::string(name_of(type)));
    return place_of(*operand.reg);
}

void FunctionReader::fill_address(Instruction& i, const Operand& operand) {
    if (operand.kind != Operand::Kind::address) fail(described(operand) + " is not an address in brackets");
    i.immediate = operand.added;
    if (!operand.has_base) return;
    if (operand.reg != nullptr) {
        i.width_a = static_cast<std::uint8_t>(operand.reg->width());
        if (i.width_a < 4) fail(described(operand) + " is not an address");
        i.a = place_of(*operand.reg);
        return;
    }
    const Variable& variable = operand.variable;
    if (i.space == Space::generic) i.space = variable.space;
    if (i.space != variable.space)
        fail("\"" + shown(operand.text) + "\" is a variable of ." + std::string(name_of(variable.space)));
    if (variable.space == Space::param) {
        const std::uint64_t begin = variable.offset + (variable.of_function ? function_parameters : 0);
        i.immediate = static_cast<std::int64_t>(static_cast<std::uint64_t>(i.immediate) + begin);
        return;
    }
    i.width_a = 8;
    i.a = address_of(variable, 0);
}

}  // namespace workbench::ptx
