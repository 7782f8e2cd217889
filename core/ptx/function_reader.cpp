// SPDX-License-Identifier: MIT
// Bodies of functions: blocks, declarations, labels, jumps and calls.
#include "core/ptx/function_reader.h"

#include <algorithm>
#include <utility>

namespace workbench::ptx {

namespace {

constexpr std::uint32_t most_depth = 200;
constexpr std::uint32_t most_frame_words = 64U << 20U;  // 256 MiB
constexpr std::uint32_t guard_bytes = 16;  // between variables, so that a step beyond one is seen

}  // namespace

const std::optional<Form>& ModuleNames::form(std::string_view opcode) {
    const auto found = forms.find(opcode);
    return found != forms.end() ? found->second : forms.emplace(opcode, form_of(opcode)).first->second;
}

void ModuleNames::refuse(std::string_view name, std::uint32_t line, std::uint32_t index) {
    Function& function = program.functions[index];
    if (!function.refused) {
        function.refused = true;
        function.refused_at = static_cast<std::uint32_t>(program.refused.size());
    }
    program.refused.push_back({shown(name), line});
}

Declaration read_declaration(Lexer& lexer) {
    Declaration made;
    made.line = lexer.next().line;
    std::uint32_t alignment = 0;
    while (lexer.next().kind == TokenKind::directive) {
        const Token token = lexer.take();
        if (token.text == "align") {
            const Token number = lexer.take();
            const std::uint64_t value = number.kind == TokenKind::number ? literal_of(number).bits : 0;
            if (value == 0 || value > 4096 || (value & (value - 1)) != 0)
                throw SyntaxError(number.line, "an alignment is a power of two, at most 4096");
            if (made.type == Type::none || alignment == 0) alignment = static_cast<std::uint32_t>(value);
        } else if (token.text == "v2" || token.text == "v4") {
            made.vector = token.text == "v2" ? 2 : 4;
        } else if (token.text == "ptr") {
            // What it points to: a space and an alignment, which nothing here rests on.
            while (lexer.next().kind == TokenKind::directive) {
                if (lexer.take().text == "align") static_cast<void>(lexer.take());
            }
        } else if (token.text == "attribute") {
            // .managed, .unified: memory that the host sees too.
            lexer.expect("(");
            while (!lexer.take_if(")")) {
                const Token part = lexer.take();
                if (part.kind == TokenKind::end || part.is(";"))
                    throw SyntaxError(token.line, "an attribute has no end");
            }
        } else if (const Type type = type_named(token.text); type != Type::none) {
            made.type = type;
        } else {
            throw SyntaxError(token.line, "a variable of \"." + shown(token.text) + "\" is not known here");
        }
    }
    if (made.type == Type::none) throw SyntaxError(made.line, "a variable has no type");
    made.name = lexer.expect_word("a variable's name");
    std::uint64_t count = made.vector;
    while (lexer.take_if("[")) {
        if (lexer.take_if("]")) {
            made.unsized = true;
            continue;
        }
        const Token number = lexer.take();
        if (number.kind != TokenKind::number) throw SyntaxError(number.line, "an array has no size");
        const std::uint64_t size = literal_of(number).bits;
        if (size > (1ULL << 32U))
            throw SyntaxError(number.line,
                              "an array of \"" + shown(number.text) + "\" elements is too large");
        count *= size;
        if (count > (1ULL << 32U)) throw SyntaxError(number.line, "an array is too large");
        lexer.expect("]");
    }
    const std::uint64_t element = std::max(bytes_of(made.type), 1U);
    made.bytes = made.unsized ? 0 : count * element;
    made.alignment = alignment != 0 ? alignment : static_cast<std::uint32_t>(element * made.vector);
    return made;
}

Extent allocate_variable(std::uint32_t& used, const Declaration& declaration, std::uint64_t most,
                         const char* what) {
    const std::uint64_t alignment = std::max(declaration.alignment, guard_bytes);
    const std::uint64_t begin = (used + alignment - 1) / alignment * alignment;
    const std::uint64_t end = begin + declaration.bytes;
    if (end > most)
        throw SyntaxError(declaration.line, "\"" + shown(declaration.name) + "\" is more than there is of " +
                                                what + ", " + std::to_string(most) + " bytes");
    used = static_cast<std::uint32_t>(end + guard_bytes);
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

FunctionReader::FunctionReader(ModuleNames& names, Lexer& lexer, std::uint32_t index, Scope parameters)
    : m_names(names), m_lexer(lexer), m_index(index) {
    m_scopes.push_back(std::move(parameters));
    m_scope = &m_scopes.back();
    m_scope->parent = &names.scope;
    function().begin = static_cast<std::uint32_t>(names.program.code.size());
}

void FunctionReader::fail(const std::string& what) const {
    throw SyntaxError(m_line, m_opcode.empty() ? what : shown(m_opcode) + ": " + what);
}

void FunctionReader::read() {
    function().true_place = 0;
    m_next_predicate = 2;  // the first word is a predicate that is always set, the second one that never is
    m_predicates_left = lanes - 2;
    m_next_words = lanes;
    // Formal parameters in registers have places whether the body reads them or not.
    for (auto* formals : {&function().results, &function().arguments}) {
        for (auto& formal : *formals) {
            if (formal.in_register) formal.place = place_of(m_names.registers[formal.place]);
        }
    }
    m_lexer.expect("{");
    read_block();
    m_opcode = {};
    m_line = m_lexer.next().line;
    // Whoever runs past the last instruction leaves.
    Instruction end;
    end.handler = function().is_entry ? Handler::exit : Handler::ret;
    end.kind = Kind::control;
    end.line = m_line;
    m_names.program.code.push_back(end);
    m_names.program.source_lines.push_back(m_source_line);
    resolve_labels();
    function().end = static_cast<std::uint32_t>(m_names.program.code.size());
    function().frame_words = m_next_words;
}

void FunctionReader::read_block() {
    if (++m_depth > most_depth) throw SyntaxError(m_lexer.next().line, "blocks are nested too deeply");
    for (;;) {
        const Token& next = m_lexer.next();
        if (next.kind == TokenKind::end) throw SyntaxError(next.line, "a body has no end");
        if (m_lexer.take_if("}")) break;
        if (m_lexer.take_if("{")) {
            Scope* const outer = m_scope;
            m_scopes.emplace_back();
            m_scopes.back().parent = outer;
            m_scope = &m_scopes.back();
            read_block();
            m_scope = outer;
            continue;
        }
        if (m_lexer.take_if(";")) continue;
        if (next.kind == TokenKind::directive) {
            read_directive();
            continue;
        }
        m_line = next.line;
        m_opcode = {};
        if (m_lexer.take_if("@")) {
            const bool negated = m_lexer.take_if("!");
            Operand guard = read_operand();
            guard.negated = negated;
            if (guard.kind != Operand::Kind::reg) fail("what is behind @ is not a predicate");
            read_instruction(m_lexer.expect_word("an opcode"), &guard);
            continue;
        }
        const std::string_view word = m_lexer.expect_word("an instruction");
        if (m_lexer.take_if(":"))
            read_label(word);
        else
            read_instruction(word, nullptr);
    }
    --m_depth;
}

void FunctionReader::read_label(std::string_view name) {
    if (m_lexer.take_directive("branchtargets")) {
        auto& list = m_scope->target_lists[name];
        do {
            list.push_back(m_lexer.expect_word("a label"));
        } while (m_lexer.take_if(","));
        m_lexer.expect(";");
        return;
    }
    if (m_lexer.next().is_directive("callprototype")) {
        m_names.refuse(".callprototype", m_line, m_index);
        while (!m_lexer.take_if(";")) {
            if (m_lexer.next().kind == TokenKind::end) fail("a prototype has no end");
            static_cast<void>(m_lexer.take());
        }
        return;
    }
    const auto here = static_cast<std::uint32_t>(m_names.program.code.size());
    if (!m_scope->labels.emplace(name, here).second) fail("the label \"" + shown(name) + "\" is there twice");
}

void FunctionReader::read_directive() {
    const Token token = m_lexer.take();
    m_line = token.line;
    m_opcode = {};
    if (token.text != "loc" && token.text != "pragma") m_scope->forget_found();
    if (token.text == "reg") return read_registers();
    if (token.text == "param") return read_variable(Space::param);
    if (token.text == "shared") return read_variable(Space::shared);
    if (token.text == "local") return read_variable(Space::local);
    if (token.text == "loc") return read_location();
    if (token.text == "pragma") {
        while (!m_lexer.take_if(";")) {
            if (m_lexer.next().kind == TokenKind::end) fail(".pragma has no end");
            static_cast<void>(m_lexer.take());
        }
        return;
    }
    fail("\"." + shown(token.text) + "\" is not known in a body");
}

void FunctionReader::read_location() {
    std::uint64_t line = 0;
    static_cast<void>(m_lexer.take());
    const Token number = m_lexer.take();
    if (number.kind == TokenKind::number) line = literal_of(number).bits;
    m_source_line = static_cast<std::uint32_t>(std::min<std::uint64_t>(line, 0xffffffffU));
    if (m_lexer.next().kind == TokenKind::number) static_cast<void>(m_lexer.take());  // the column
    while (m_lexer.take_if(",")) {
        const std::string_view what = m_lexer.expect_word("a part of .loc");
        if (what == "function_name") {
            static_cast<void>(m_lexer.expect_word("a label"));
            if (m_lexer.take_if("+")) static_cast<void>(m_lexer.take());
        } else if (what == "inlined_at") {
            for (int k = 0; k < 3; ++k) static_cast<void>(m_lexer.take());
        } else {
            fail("\"" + shown(what) + "\" is not part of .loc");
        }
    }
}

void FunctionReader::read_registers() {
    Type type = Type::none;
    bool vector = false;
    while (m_lexer.next().kind == TokenKind::directive) {
        const Token token = m_lexer.take();
        if (token.text == "v2" || token.text == "v4")
            vector = true;
        else
            type = type_named(token.text);
    }
    if (type == Type::none || vector) fail("registers of this type are not executed here");
    EntryInfo* const info = function().is_entry ? &m_names.program.entries[function().info] : nullptr;
    do {
        const std::string_view name = m_lexer.expect_word("a register's name");
        std::uint64_t count = 1;
        if (m_lexer.take_if("<")) {
            const Token number = m_lexer.take();
            if (number.kind != TokenKind::number) fail("a range of registers has no size");
            count = literal_of(number).bits;
            m_lexer.expect(">");
            if (m_scope->ranges.size() > 1000) fail("there are too many ranges of registers");
            m_scope->ranges.push_back({name, count, type});
        } else {
            m_names.registers.push_back({type});
            m_scope->symbols[name] = {.kind = Symbol::Kind::reg, .reg = &m_names.registers.back()};
        }
        if (info == nullptr) continue;
        std::uint32_t& total = type == Type::pred    ? info->predicates
                               : bytes_of(type) == 8 ? info->registers_64
                               : bytes_of(type) == 4 ? info->registers_32
                                                     : info->registers_16;
        total = static_cast<std::uint32_t>(std::min<std::uint64_t>(total + count, 0xffffffffU));
    } while (m_lexer.take_if(","));
    m_lexer.expect(";");
}

void FunctionReader::read_variable(Space space) {
    Function& f = function();
    do {
        const Declaration made = read_declaration(m_lexer);
        Variable variable{.space = space, .bytes = static_cast<std::uint32_t>(made.bytes)};
        if (space == Space::param) {
            variable.of_function = true;
            const Extent extent =
                allocate_variable(f.param_bytes, made, 1U << 20U, "a function's parameters");
            variable.offset = extent.begin;
        } else if (space == Space::local) {
            const Extent extent = allocate_variable(f.local_bytes, made, 512U << 10U, "local memory");
            f.local.push_back(extent);
            variable.offset = extent.begin;
            if (f.is_entry) m_names.program.entries[f.info].local_bytes += variable.bytes;
        } else if (f.is_entry) {
            const Extent extent = allocate_variable(f.shared_bytes, made, 1U << 20U, "shared memory");
            f.shared.push_back(extent);
            variable.offset = extent.begin;
            variable.of_entry = true;
            f.shared_used_bytes += variable.bytes;
        } else {
            Program& program = m_names.program;
            const Extent extent = allocate_variable(program.shared_bytes, made, 1U << 20U, "shared memory");
            program.shared.push_back(extent);
            variable.offset = extent.begin;
            program.shared_used_bytes += variable.bytes;
        }
        m_scope->symbols[made.name] = {.kind = Symbol::Kind::variable, .variable = variable};
    } while (m_lexer.take_if(","));
    m_lexer.expect(";");
}

void FunctionReader::read_branch(Instruction& instruction, bool indexed) {
    Scope* const scope = m_scope;
    if (indexed) {
        const Operand index = read_operand();
        instruction.a = source(index, Type::u32);
        m_lexer.expect(",");
        const auto here = static_cast<std::uint32_t>(m_names.program.code.size());
        m_table_jumps.push_back({here, scope, m_lexer.expect_word("a list of labels"), m_line});
    } else {
        const auto here = static_cast<std::uint32_t>(m_names.program.code.size());
        m_jumps.push_back({here, scope, m_lexer.expect_word("a label"), m_line});
    }
    m_lexer.expect(";");
}

void FunctionReader::read_call(Instruction& instruction) {
    CallSite site;
    const Function* callee = nullptr;  // once its name is read, where it was declared
    const auto read_list = [&](std::vector<Function::Formal>& list, bool writes) {
        if (m_lexer.take_if(")")) return;
        do {
            const Operand operand = read_operand();
            Function::Formal actual;
            if (operand.kind == Operand::Kind::variable && operand.variable.space == Space::param &&
                operand.variable.of_function) {
                actual.place = operand.variable.offset;
                actual.bytes = operand.variable.bytes;
            } else if (operand.kind == Operand::Kind::reg || !writes) {
                actual.in_register = true;
                if (operand.kind == Operand::Kind::reg) {
                    if (operand.reg->type == Type::pred) fail("a predicate is not a parameter of a call");
                    actual.bytes = operand.reg->width();
                    actual.place = place_of(*operand.reg);
                } else {
                    // A value has no width of its own: it is of the formal parameter's.
                    actual.bytes = 4;
                    if (callee != nullptr && list.size() < callee->arguments.size())
                        actual.bytes = callee->arguments[list.size()].bytes;
                    actual.place = source(operand, actual.bytes == 8   ? Type::b64
                                                   : actual.bytes == 2 ? Type::b16
                                                                       : Type::b32);
                }
            } else {
                fail("what a call returns to is neither a parameter nor a register");
            }
            list.push_back(actual);
        } while (m_lexer.take_if(","));
        m_lexer.expect(")");
    };
    if (m_lexer.take_if("(")) {
        read_list(site.results, true);
        m_lexer.expect(",");
    }
    const std::string_view name = m_lexer.expect_word("a function's name");
    const bool indirect = m_scope->find(name, m_names.registers) != nullptr &&
                          m_scope->find(name, m_names.registers)->kind == Symbol::Kind::reg;
    const auto declared = m_names.functions.find(name);
    if (declared != m_names.functions.end()) callee = &m_names.program.functions[declared->second];
    if (m_lexer.take_if(",")) {
        if (m_lexer.take_if("(")) read_list(site.arguments, false);
        if (m_lexer.take_if(",")) static_cast<void>(m_lexer.expect_word("a prototype"));
    }
    m_lexer.expect(";");
    if (indirect) {
        m_names.refuse("call of a register", m_line, m_index);
        instruction.handler = Handler::refused;
        return;
    }
    instruction.extra = static_cast<std::uint32_t>(m_names.program.calls.size());
    m_names.program.calls.push_back(std::move(site));
    m_names.calls.push_back({static_cast<std::uint32_t>(m_names.program.code.size()), name, m_line, m_index});
}

void FunctionReader::resolve_labels() {
    const auto target = [&](const Scope* scope, std::string_view label, std::uint32_t line) {
        const auto found = scope->find_label(label);
        if (!found) throw SyntaxError(line, "there is no label \"" + shown(label) + "\"");
        return *found;
    };
    for (const Jump& jump : m_jumps)
        m_names.program.code[jump.instruction].extra = target(jump.scope, jump.label, jump.line);
    // One table for each list, however many branches go by it.
    std::map<const TargetList*, std::uint32_t> tables;
    for (const Jump& jump : m_table_jumps) {
        const auto [scope, list] = jump.scope->find_targets(jump.label);
        if (list == nullptr)
            throw SyntaxError(jump.line, "there is no list of labels \"" + shown(jump.label) + "\"");
        auto& made = m_names.program.branch_tables;
        const auto [row, is_new] = tables.try_emplace(list, static_cast<std::uint32_t>(made.size()));
        if (is_new) {
            made.emplace_back();
            for (const std::string_view label : *list) made.back().push_back(target(scope, label, jump.line));
        }
        m_names.program.code[jump.instruction].extra = row->second;
    }
}

std::uint32_t FunctionReader::place_of(Register& reg) {
    if (reg.place != no_operand) return reg.place;
    if (reg.type == Type::pred) {
        if (m_predicates_left == 0) {
            m_next_predicate = m_next_words;
            m_next_words += lanes;
            m_predicates_left = lanes;
        }
        --m_predicates_left;
        return reg.place = m_next_predicate++;
    }
    reg.place = m_next_words;
    m_next_words += reg.width() == 8 ? 2U * lanes : lanes;
    if (m_next_words > most_frame_words) fail("the function has too many registers");
    return reg.place;
}

std::uint32_t FunctionReader::place_of_constant(const Constant& constant) {
    const auto key =
        std::tuple(constant.value, constant.wide, static_cast<int>(constant.relative), constant.variable);
    const auto found = m_constants.find(key);
    if (found != m_constants.end()) return found->second;
    Constant made = constant;
    made.place = m_next_words;
    m_next_words += constant.wide ? 2U * lanes : lanes;
    if (m_next_words > most_frame_words) fail("the function has too many constants");
    function().constants.push_back(made);
    m_constants.emplace(key, made.place);
    return made.place;
}

std::uint32_t FunctionReader::place_of_special(Special special) {
    const auto [row, is_new] = m_specials.try_emplace(special, m_next_words);
    if (is_new) {
        m_next_words += lanes;
        function().specials.emplace_back(special, row->second);
    }
    return row->second;
}

}  // namespace workbench::ptx
