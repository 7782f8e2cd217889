// SPDX-License-Identifier: MIT
// Reads what a dotted opcode asks for, without its operands. Decides which opcodes are executed.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ptx/code.h"
#include "core/ptx/loops.h"

namespace workbench::ptx {

// Says how operands are written.
enum class Shape : std::uint8_t {
    plain,    // one for each type of `operands`, the destination first
    compare,  // p|q, a, b, c
    mov,
    convert,
    load,
    store,
    atomic,
    reduction,
    fence,  // none
    sleep,  // how long
    branch,
    branch_indexed,
    call,
    ret,
    barrier,
    warp_sync,
    shuffle,
    vote,
    match,
    active_mask,
    reduce_sync,
    to_space,
    is_space,
    permute_bits,  // lop3, whose table is a literal
};

struct Form {
    Shape shape = Shape::plain;
    Handler handler = Handler::loop;
    Kind kind = Kind::integer;
    Loop loop = Loop::none;
    Type type = Type::none;
    Type type2 = Type::none;
    std::uint16_t flags = 0;
    Rounding rounding = Rounding::nearest;
    std::uint8_t op = 0;
    std::uint8_t op2 = 0;
    Space space = Space::generic;
    std::uint8_t vector = 1;
    bool carries = false;  // reads or writes the carry flag
    std::array<Type, 5> operands{};
    std::uint8_t count = 0;
};

// The pieces of an opcode, taken from the left.
class Pieces {
  public:
    explicit Pieces(std::string_view opcode);
    bool take(std::string_view piece);
    Type take_type();
    // Takes the next piece and returns it; empty at the end.
    std::string_view take_any();
    std::string_view next() const { return m_at < m_pieces.size() ? m_pieces[m_at] : std::string_view(); }
    bool is_empty() const { return m_at == m_pieces.size(); }
    std::string_view base() const { return m_base; }

  private:
    std::string_view m_base;
    std::vector<std::string_view> m_pieces;
    std::size_t m_at = 0;
};

// Returns what it asks for; nothing where it is not executed.
std::optional<Form> form_of(std::string_view opcode);

// Read some opcodes each, for form_of(). Return whether the opcode is one of them, and then take all its
// pieces.
bool read_integer_form(Pieces& pieces, Form& form);
bool read_bit_form(Pieces& pieces, Form& form);
bool read_float_form(Pieces& pieces, Form& form);
bool read_compare_form(Pieces& pieces, Form& form);
bool read_convert_form(Pieces& pieces, Form& form);
bool read_memory_form(Pieces& pieces, Form& form);
bool read_control_form(Pieces& pieces, Form& form);

// Returns the loop of a form whose registers have these widths.
LoopKey key_of(const Form& form, unsigned width_d, unsigned width_a);

}  // namespace workbench::ptx
