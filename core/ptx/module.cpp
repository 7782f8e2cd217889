// SPDX-License-Identifier: MIT
// Reads what is outside of functions: directives, variables with their initial values, headers of functions.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "core/ptx/function_reader.h"
#include "core/ptx/ptx.h"

namespace workbench::ptx {

namespace {

constexpr std::size_t most_text = 256U << 20U;
constexpr std::uint64_t most_global = 1U << 30U;
constexpr std::uint64_t most_constant = 64U << 10U;
constexpr std::uint64_t most_parameters = 32764;

class ModuleReader {
  public:
    ModuleReader(Program& program, std::string_view text)
        : m_names{.program = program}, m_lexer(text), m_program(program) {}

    void read() {
        while (m_lexer.next().kind != TokenKind::end) read_statement();
        if (m_program.version.empty()) throw SyntaxError(1, "there is no .version: this is no PTX");
        for (const auto& call : m_names.calls) {
            const auto found = m_names.functions.find(call.name);
            if (found == m_names.functions.end())
                throw SyntaxError(call.line, "there is no function \"" + shown(call.name) + "\"");
            const Function& callee = m_program.functions[found->second];
            Instruction& instruction = m_program.code[call.instruction];
            CallSite& site = m_program.calls[instruction.extra];
            site.function = found->second;
            if (!callee.is_defined && call.name == "__assertfail") {
                instruction.handler = Handler::trap;
                instruction.op = 1;
                continue;
            }
            if (!callee.is_defined) {
                m_names.refuse("call of " + std::string(call.name) + ", which has no body", call.line,
                               call.function);
                instruction.handler = Handler::refused;
                continue;
            }
            check_call(site, callee, call.line);
        }
        std::ranges::stable_sort(m_program.refused, {}, &RefusedOpcode::line);
        for (const Function& function : m_program.functions) {
            if (!function.is_entry || !function.is_defined) continue;
            EntryInfo& info = m_program.entries[function.info];
            info.instructions = function.end - function.begin - 1;
            info.shared_bytes = function.shared_used_bytes + module_shared_of(function);
            info.dynamic_shared = function.dynamic_shared;
        }
    }

  private:
    static void check_call(const CallSite& site, const Function& callee, std::uint32_t line) {
        const auto fits = [](const std::vector<Function::Formal>& actual,
                             const std::vector<Function::Formal>& formal) {
            return std::ranges::equal(actual, formal, [](const auto& a, const auto& f) {
                return a.in_register == f.in_register && a.bytes == f.bytes;
            });
        };
        if (!fits(site.arguments, callee.arguments) || !fits(site.results, callee.results))
            throw SyntaxError(line, "the call does not fit the parameters of \"" + shown(callee.name) + "\"");
    }

    // Bytes of the module's shared variables that an entry and what it calls name. All of them where that
    // takes too long to find out.
    std::uint32_t module_shared_of(const Function& entry) {
        if (m_program.shared.empty()) return 0;
        std::map<std::uint32_t, std::uint32_t> named;
        std::set<std::uint32_t> seen;
        std::vector<std::uint32_t> open{static_cast<std::uint32_t>(&entry - m_program.functions.data())};
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            if (!seen.insert(at).second) continue;
            const Function& function = m_program.functions[at];
            named.insert(function.module_shared.begin(), function.module_shared.end());
            const std::uint64_t steps = function.module_shared.size() + function.end - function.begin;
            if (steps >= m_steps_left) return m_program.shared_used_bytes;
            m_steps_left -= steps;
            for (std::uint32_t i = function.begin; i < function.end; ++i) {
                if (m_program.code[i].handler == Handler::call)
                    open.push_back(m_program.calls[m_program.code[i].extra].function);
            }
        }
        std::uint32_t total = 0;
        for (const auto& [offset, bytes] : named) total += bytes;
        return total;
    }

    void skip_line_of(std::uint32_t line) {
        while (m_lexer.next().kind != TokenKind::end && m_lexer.next().line == line)
            static_cast<void>(m_lexer.take());
    }

    void read_statement() {
        const Token token = m_lexer.take();
        if (token.kind == TokenKind::punctuation && (token.text == ";" || token.text == "@")) {
            if (token.text == "@") skip_line_of(token.line);  // @@DWARF
            return;
        }
        if (token.kind != TokenKind::directive)
            throw SyntaxError(token.line, "\"" + shown(token.text) + "\" is not a statement of PTX");
        const std::string_view text = token.text;
        if (text == "version") return read_version(token.line);
        if (text == "target") {
            m_program.target = m_lexer.expect_word("a target");
            while (m_lexer.take_if(",")) static_cast<void>(m_lexer.expect_word("a part of the target"));
            return;
        }
        if (text == "address_size") {
            if (m_lexer.take().text != "64")
                throw SyntaxError(token.line, "only addresses of 64 bits are executed here");
            return;
        }
        if (text == "file" || text == "loc" || text == "pragma") return skip_line_of(token.line);
        if (text == "section") return skip_section();
        if (text == "visible" || text == "weak" || text == "common") return;
        if (text == "extern") {
            m_is_extern = true;
            return;
        }
        if (text == "entry" || text == "func") return read_function(text == "entry");
        if (text == "global" || text == "const" || text == "shared") return read_variables(text);
        throw SyntaxError(token.line, "\"." + shown(text) + "\" is not known");
    }

    void read_version(std::uint32_t line) {
        const Token number = m_lexer.take();
        if (number.kind != TokenKind::number) throw SyntaxError(line, "the version is not a number");
        m_program.version = number.text;
        const double version = std::atof(m_program.version.c_str());
        if (version < 6.0 || version >= 10.0)
            throw SyntaxError(line,
                              "version " + shown(number.text) + " of PTX is not read here: 6.0 to 9 are");
    }

    void skip_section() {
        while (!m_lexer.take_if("{")) {
            if (m_lexer.next().kind == TokenKind::end)
                throw SyntaxError(m_lexer.next().line, "a section has no body");
            static_cast<void>(m_lexer.take());
        }
        while (!m_lexer.take_if("}")) {
            if (m_lexer.next().kind == TokenKind::end)
                throw SyntaxError(m_lexer.next().line, "a section has no end");
            static_cast<void>(m_lexer.take());
        }
    }

    void read_variables(std::string_view where) {
        const bool is_extern = std::exchange(m_is_extern, false);
        do {
            Declaration made = read_declaration(m_lexer);
            Variable variable;
            if (where == "shared") {
                variable.space = Space::shared;
                variable.dynamic = is_extern && made.unsized;
                if (!variable.dynamic) {
                    const Extent extent =
                        allocate_variable(m_program.shared_bytes, made, 1U << 20U, "shared memory");
                    m_program.shared.push_back(extent);
                    variable.offset = extent.begin;
                    m_program.shared_used_bytes += static_cast<std::uint32_t>(made.bytes);
                }
                variable.bytes = static_cast<std::uint32_t>(made.bytes);
            } else {
                GlobalVariable global{.name = std::string(made.name), .alignment = made.alignment};
                if (m_lexer.take_if("=")) read_initial(global, made);
                if (made.unsized) made.bytes = global.initial.size();
                if (where == "const") {
                    variable = place_constant(made, global);
                } else {
                    m_global_bytes += made.bytes;
                    if (m_global_bytes > most_global)
                        throw SyntaxError(made.line, "there are more than 1 GiB of global variables");
                    variable.space = Space::global;
                    variable.offset = static_cast<std::uint32_t>(m_program.globals.size());
                    variable.bytes = global.bytes = static_cast<std::uint32_t>(made.bytes);
                    m_program.globals.push_back(std::move(global));
                }
            }
            m_names.scope.symbols[made.name] = {.kind = Symbol::Kind::variable, .variable = variable};
        } while (m_lexer.take_if(","));
        m_lexer.expect(";");
    }

    Variable place_constant(const Declaration& made, GlobalVariable& global) {
        const Extent extent = allocate_variable(m_constant_bytes, made, most_constant, "constant memory");
        m_program.constant_extents.push_back(extent);
        m_program.constants.resize(std::max<std::size_t>(m_program.constants.size(), extent.end));
        std::ranges::copy(global.initial, m_program.constants.begin() + extent.begin);
        for (GlobalVariable::Address address : global.addresses) {
            address.offset += extent.begin;
            m_program.constant_addresses.push_back(address);
        }
        return {.space = Space::constant,
                .offset = extent.begin,
                .bytes = static_cast<std::uint32_t>(made.bytes)};
    }

    void read_initial(GlobalVariable& global, const Declaration& made) {
        std::uint32_t depth = 0;
        const std::size_t element = std::max(bytes_of(made.type), 1U);
        const std::uint64_t most = made.unsized ? most_global : made.bytes;
        do {
            while (m_lexer.take_if("{")) ++depth;
            if (!m_lexer.next().is("}")) {
                if (global.initial.size() + element > most)
                    throw SyntaxError(made.line, "\"" + shown(made.name) + "\" has too many initial values");
                read_value(global, made, element);
            }
            while (depth > 0 && m_lexer.take_if("}")) --depth;
        } while (m_lexer.take_if(","));
        if (depth != 0)
            throw SyntaxError(m_lexer.next().line,
                              "the initial values of \"" + shown(made.name) + "\" have no end");
    }

    void read_value(GlobalVariable& global, const Declaration& made, std::size_t element) {
        const bool minus = m_lexer.take_if("-");
        Token token = m_lexer.take();
        std::uint64_t bits = 0;
        if (token.kind == TokenKind::number) {
            const Literal literal = literal_of(token);
            bits = literal.bits;
            if (literal.kind == Literal::Kind::f64 && element == 4) {
                double wide = 0;
                std::memcpy(&wide, &bits, sizeof wide);
                const auto narrow = static_cast<float>(wide);
                std::uint32_t narrow_bits = 0;
                std::memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
                bits = narrow_bits;
            }
            if (minus)
                bits = literal.kind == Literal::Kind::integer ? 0 - bits : bits ^ (1ULL << (8 * element - 1));
        } else if (token.kind == TokenKind::word && element == 8) {
            const bool generic = token.text == "generic" && m_lexer.take_if("(");
            if (generic) token = m_lexer.take();
            const auto found = m_names.scope.symbols.find(token.text);
            if (found == m_names.scope.symbols.end() || found->second.kind != Symbol::Kind::variable)
                throw SyntaxError(token.line, "there is no variable \"" + shown(token.text) + "\"");
            if (generic) m_lexer.expect(")");
            const Variable& of = found->second.variable;
            GlobalVariable::Address address{.offset = static_cast<std::uint32_t>(global.initial.size()),
                                            .variable = of.offset,
                                            .space = of.space,
                                            .generic = generic};
            if (of.space != Space::global && of.space != Space::constant)
                throw SyntaxError(token.line, "\"" + shown(token.text) + "\" has no address before a launch");
            if (m_lexer.take_if("+"))
                address.added = static_cast<std::int64_t>(literal_of(m_lexer.take()).bits);
            global.addresses.push_back(address);
        } else {
            throw SyntaxError(token.line, "\"" + shown(token.text) + "\" is not an initial value of \"" +
                                              shown(made.name) + "\"");
        }
        for (std::size_t k = 0; k < element; ++k)
            global.initial.push_back(static_cast<std::byte>(bits >> (8 * k)));
    }

    // Reads ( ... ) behind a function's name or before it.
    void read_parameters(Function& function, Scope& scope, std::vector<Function::Formal>* formals,
                         EntryInfo* info) {
        if (m_lexer.take_if(")")) return;
        std::uint32_t offset = 0;
        do {
            const Token space = m_lexer.take();
            if (space.is_directive("reg")) {
                const Token type = m_lexer.take();
                const std::string_view name = m_lexer.expect_word("a register's name");
                m_names.registers.push_back({type_named(type.text)});
                if (formals == nullptr || m_names.registers.back().type == Type::none ||
                    m_names.registers.back().type == Type::pred)
                    throw SyntaxError(space.line, "a parameter in a register of this type is not known here");
                scope.symbols[name] = {.kind = Symbol::Kind::reg, .reg = &m_names.registers.back()};
                formals->push_back({true, static_cast<std::uint32_t>(m_names.registers.size() - 1),
                                    m_names.registers.back().width()});
                continue;
            }
            if (!space.is_directive("param")) throw SyntaxError(space.line, "a parameter is of .param");
            const Declaration made = read_declaration(m_lexer);
            Variable variable{.space = Space::param, .bytes = static_cast<std::uint32_t>(made.bytes)};
            if (info != nullptr) {
                const std::uint64_t begin =
                    (std::uint64_t{offset} + made.alignment - 1) / made.alignment * made.alignment;
                if (begin + made.bytes > most_parameters)
                    throw SyntaxError(made.line, "a kernel has more than 32764 bytes of parameters");
                variable.offset = static_cast<std::uint32_t>(begin);
                offset = static_cast<std::uint32_t>(begin + made.bytes);
                info->parameters.push_back({std::string(made.name), std::string(name_of(made.type)),
                                            variable.offset, variable.bytes, made.alignment});
                info->parameter_bytes = offset;
            } else {
                variable.of_function = true;
                variable.offset =
                    allocate_variable(function.param_bytes, made, 1U << 20U, "a function's parameters").begin;
                formals->push_back({false, variable.offset, variable.bytes});
            }
            scope.symbols[made.name] = {.kind = Symbol::Kind::variable, .variable = variable};
        } while (m_lexer.take_if(","));
        m_lexer.expect(")");
    }

    void read_function(bool is_entry) {
        m_is_extern = false;
        Function made;
        Scope scope;
        EntryInfo info;
        info.required_block = {};
        made.is_entry = is_entry;
        made.line = m_lexer.next().line;
        if (!is_entry && m_lexer.take_if("(")) read_parameters(made, scope, &made.results, nullptr);
        const std::string_view name = m_lexer.expect_word("a function's name");
        made.name = info.name = std::string(name);
        info.line = made.line;
        if (m_lexer.take_if("("))
            read_parameters(made, scope, is_entry ? nullptr : &made.arguments, is_entry ? &info : nullptr);
        std::vector<RefusedOpcode> refused;
        read_limits(info, refused);
        const auto [row, is_new] =
            m_names.functions.try_emplace(name, static_cast<std::uint32_t>(m_program.functions.size()));
        const std::uint32_t index = row->second;
        if (!is_new && m_program.functions[index].is_defined && !m_lexer.next().is(";"))
            throw SyntaxError(made.line, "\"" + shown(name) + "\" is there twice");
        if (is_new) m_program.functions.emplace_back();
        if (m_lexer.take_if(";")) {
            if (is_new) m_program.functions[index] = std::move(made);
            return;
        }
        made.is_defined = true;
        if (is_entry) {
            made.info = m_program.entries.size();
            m_program.entries.push_back(std::move(info));
        }
        m_program.functions[index] = std::move(made);
        for (const RefusedOpcode& opcode : refused) m_names.refuse(opcode.name, opcode.line, index);
        FunctionReader(m_names, m_lexer, index, std::move(scope)).read();
    }

    void read_limits(EntryInfo& info, std::vector<RefusedOpcode>& refused) {
        while (m_lexer.next().kind == TokenKind::directive) {
            const Token token = m_lexer.take();
            if (token.text == "noreturn") continue;
            if (token.text == "pragma") {
                static_cast<void>(m_lexer.take());
                m_lexer.expect(";");
                continue;
            }
            const bool cluster = token.text.find("cluster") != std::string_view::npos;
            if (cluster) refused.push_back({"." + std::string(token.text), token.line});
            if (!cluster && token.text != "maxntid" && token.text != "reqntid" &&
                token.text != "minnctapersm" && token.text != "maxnctapersm" && token.text != "maxnreg")
                throw SyntaxError(token.line, "\"." + shown(token.text) + "\" is not known before a body");
            std::array<std::uint64_t, 3> sizes{1, 1, 1};
            std::size_t count = 0;
            while (m_lexer.next().kind == TokenKind::number && count < 3) {
                sizes[count++] = std::min<std::uint64_t>(literal_of(m_lexer.take()).bits, 1U << 20U);
                if (!m_lexer.take_if(",")) break;
            }
            if (token.text == "maxntid")
                info.most_threads = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(sizes[0] * sizes[1] * sizes[2], 1U << 20U));
            if (token.text == "reqntid") {
                for (std::size_t k = 0; k < 3; ++k)
                    info.required_block[k] = static_cast<std::uint32_t>(sizes[k]);
            }
        }
    }

    ModuleNames m_names;
    Lexer m_lexer;
    Program& m_program;
    bool m_is_extern = false;
    std::uint64_t m_global_bytes = 0;
    std::uint64_t m_steps_left = 50'000'000;  // to follow calls
    std::uint32_t m_constant_bytes = 0;
};

}  // namespace

Result<Module> Module::parse(std::string text) {
    if (text.size() > most_text)
        return fail(ErrorKind::bad_input, "a PTX text of more than 256 MiB is not read");
    static std::atomic<std::uint64_t> serials{0};
    const auto program = std::make_shared<Program>();
    program->serial = ++serials;
    program->text = std::move(text);
    try {
        ModuleReader(*program, program->text).read();
    } catch (const SyntaxError& error) {
        return fail(ErrorKind::bad_input, "line " + std::to_string(error.line) + ": " + error.what());
    }
    program->text = {};
    Module made;
    made.m_program = program;
    return made;
}

const std::string& Module::version() const {
    return m_program->version;
}
const std::string& Module::target() const {
    return m_program->target;
}
const std::vector<EntryInfo>& Module::entries() const {
    return m_program->entries;
}
const EntryInfo* Module::entry(std::string_view name) const {
    const auto found = std::ranges::find(m_program->entries, name, &EntryInfo::name);
    return found == m_program->entries.end() ? nullptr : &*found;
}
const std::map<std::string, std::uint64_t>& Module::opcodes() const {
    return m_program->opcodes;
}
const std::vector<RefusedOpcode>& Module::refused() const {
    return m_program->refused;
}
std::uint64_t Module::instructions() const {
    std::uint64_t total = 0;
    for (const auto& [name, count] : m_program->opcodes) total += count;
    return total;
}

}  // namespace workbench::ptx
