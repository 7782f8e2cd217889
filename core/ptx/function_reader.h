// SPDX-License-Identifier: MIT
// Reads one function's body into instructions.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/ptx/form.h"
#include "core/ptx/lexer.h"
#include "core/ptx/scope.h"

namespace workbench::ptx {

struct Operand {
    enum class Kind : std::uint8_t {
        reg,
        integer,
        f32,
        f64,
        special,
        address,
        variable,
        vector,
        sink,
        name
    } kind = Kind::sink;
    std::uint32_t line = 0;
    bool negated = false;  // !p
    std::string_view text;
    Register* reg = nullptr;
    std::uint64_t bits = 0;  // of a literal
    Special special = Special::tid_x;
    Variable variable;
    std::int64_t added = 0;  // to an address
    bool has_base = false;   // of an address: reg or variable
    std::vector<Operand> parts;
    std::vector<Operand> second;  // behind |
};

// Holds what functions of a module share while they are read.
struct ModuleNames {
    Program& program;
    Scope scope;
    std::deque<Register> registers;
    std::map<std::string_view, std::uint32_t> functions;
    struct Call {
        std::uint32_t instruction = 0;
        std::string_view name;
        std::uint32_t line = 0;
        std::uint32_t function = 0;  // that calls
    };
    std::vector<Call> calls;
    std::map<std::string_view, std::optional<Form>> forms;

    const std::optional<Form>& form(std::string_view opcode);
    void refuse(std::string_view name, std::uint32_t line, std::uint32_t function);
};

// A variable as it is declared: .align, type, name, array, initial value.
struct Declaration {
    Type type = Type::none;
    std::uint32_t alignment = 0;
    std::string_view name;
    std::uint64_t bytes = 0;
    bool unsized = false;  // name[]
    std::uint32_t line = 0;
    std::uint32_t vector = 1;
};
// Reads from behind the space's directive to the name and its dimensions.
Declaration read_declaration(Lexer& lexer);
// Allocates a variable behind others, with a guard between them. `used`: bytes taken so far.
Extent allocate_variable(std::uint32_t& used, const Declaration& declaration, std::uint64_t most,
                         const char* what);

class FunctionReader {
  public:
    // Prepares to read a function. `index`: of the function in the program, whose parameters are in
    // `parameters` already.
    FunctionReader(ModuleNames& names, Lexer& lexer, std::uint32_t index, Scope parameters);
    // Reads { ... }.
    void read();

  private:
    void read_block();
    void read_directive();
    void read_registers();
    void read_variable(Space space);
    void read_location();
    void read_label(std::string_view name);
    void read_instruction(std::string_view opcode, const Operand* guard);
    void read_call(Instruction& instruction);
    void read_branch(Instruction& instruction, bool indexed);
    void fill(Instruction& instruction, const Form& form, std::vector<Operand>& operands);
    void fill_memory(Instruction& instruction, const Form& form, std::vector<Operand>& operands);
    void fill_move(Instruction& instruction, const Form& form, std::vector<Operand>& operands);
    void fill_collective(Instruction& instruction, const Form& form, std::vector<Operand>& operands);
    void fill_compare(Instruction& instruction, const Form& form, std::vector<Operand>& operands);
    void fill_convert(Instruction& instruction, const Form& form, std::vector<Operand>& operands);
    void fill_address(Instruction& instruction, const Operand& operand);
    std::vector<Operand> read_operands();
    Operand read_operand();
    Operand read_address();
    Operand read_name(const Token& token);
    void resolve_labels();

    // Places in the frame.
    std::uint32_t place_of(Register& reg);
    std::uint32_t place_of_constant(const Constant& constant);
    std::uint32_t place_of_special(Special special);
    Constant address_constant(const Variable& variable, std::int64_t added);
    std::uint32_t address_of(const Variable& variable, std::int64_t added) {
        return place_of_constant(address_constant(variable, added));
    }
    // Returns where an operand of a type is read; checks that it fits. `wider`: a register may be wider than
    // the type.
    std::uint32_t source(const Operand& operand, Type type, bool wider = false);
    std::uint32_t destination(const Operand& operand, Type type, bool wider = false);
    std::uint32_t predicate(const Operand& operand);
    unsigned width_of(const Operand& operand, Type type) const;
    [[noreturn]] void fail(const std::string& what) const;
    void expect_count(const std::vector<Operand>& operands, std::size_t least, std::size_t most) const;
    Function& function() { return m_names.program.functions[m_index]; }

    ModuleNames& m_names;
    Lexer& m_lexer;
    std::uint32_t m_index;
    std::deque<Scope> m_scopes;
    Scope* m_scope = nullptr;
    std::uint32_t m_depth = 0;
    std::uint32_t m_source_line = 0;
    std::uint32_t m_line = 0;  // of the instruction that is read
    std::string_view m_opcode;
    std::uint32_t m_next_words = 0;
    std::uint32_t m_next_predicate = 0;
    std::uint32_t m_predicates_left = 0;
    std::uint32_t m_carry = no_operand;
    std::map<std::tuple<std::uint64_t, bool, int, std::uint32_t>, std::uint32_t> m_constants;
    std::map<Special, std::uint32_t> m_specials;
    struct Jump {
        std::uint32_t instruction = 0;
        Scope* scope = nullptr;
        std::string_view label;
        std::uint32_t line = 0;
    };
    std::vector<Jump> m_jumps;
    std::vector<Jump> m_table_jumps;  // whose label is a list
};

// Returns the special register of a name; nothing where there is none. Clocks are not among them.
std::optional<Special> special_named(std::string_view name);
bool is_clock(std::string_view name);
// Returns whether it is one of PTX's that nothing here gives a value: clusters' and the like.
bool is_refused_register(std::string_view name);

}  // namespace workbench::ptx
