// SPDX-License-Identifier: MIT
// Instructions: an opcode's form and its operands become one Instruction.
#include <algorithm>
#include <utility>

#include "core/ptx/function_reader.h"

namespace workbench::ptx {

void FunctionReader::read_instruction(std::string_view opcode, const Operand* guard) {
    Program& program = m_names.program;
    m_opcode = opcode;
    ++program.opcodes[std::string(opcode)];
    Instruction i;
    i.line = m_line;
    if (guard != nullptr) {
        i.guard = predicate(*guard);
        i.guard_negated = guard->negated;
    }
    const auto finish = [&] {
        program.code.push_back(i);
        program.source_lines.push_back(m_source_line);
    };
    const std::optional<Form>& form = m_names.form(opcode);
    if (!form) {
        m_names.refuse(opcode, m_line, m_index);
        while (!m_lexer.take_if(";")) {
            if (m_lexer.next().kind == TokenKind::end || m_lexer.next().kind == TokenKind::directive ||
                m_lexer.next().is("@"))
                fail("an instruction has no end");
            static_cast<void>(m_lexer.take());
        }
        finish();
        return;
    }
    i.handler = form->handler;
    i.kind = form->kind;
    i.type = form->type;
    i.type2 = form->type2;
    i.flags = form->flags;
    i.rounding = form->rounding;
    i.op = form->op;
    i.op2 = form->op2;
    i.space = form->space;
    i.vector = form->vector;
    if (form->shape == Shape::branch || form->shape == Shape::branch_indexed) {
        read_branch(i, form->shape == Shape::branch_indexed);
    } else if (form->shape == Shape::call) {
        read_call(i);
    } else {
        std::vector<Operand> operands = read_operands();
        fill(i, *form, operands);
        if (form->handler == Handler::loop || form->handler == Handler::rounded_loop ||
            form->handler == Handler::divide) {
            if (i.handler == form->handler && i.run == nullptr)
                i.run = find_loop(key_of(*form, i.width_d, i.width_a));
            if (i.handler == form->handler && i.run == nullptr) fail("is not executed here");
        }
    }
    finish();
}

void FunctionReader::fill(Instruction& i, const Form& form, std::vector<Operand>& operands) {
    switch (form.shape) {
        case Shape::plain: {
            expect_count(operands, form.count, form.count);
            i.d = destination(operands[0], form.operands[0]);
            i.width_d = static_cast<std::uint8_t>(std::max(bytes_of(form.operands[0]), 2U));
            std::uint32_t* const sources[] = {&i.a, &i.b, &i.c, &i.e};
            for (std::size_t k = 1; k < form.count; ++k)
                *sources[k - 1] = source(operands[k], form.operands[k]);
            i.width_a = static_cast<std::uint8_t>(std::max(bytes_of(form.operands[1]), 2U));
            if (form.carries) {
                if (m_carry == no_operand) {
                    m_names.registers.push_back({Type::pred});
                    m_carry = place_of(m_names.registers.back());
                }
                i.d2 = m_carry;
            }
            return;
        }
        case Shape::permute_bits:
            expect_count(operands, 5, 5);
            i.d = destination(operands[0], Type::b32);
            i.a = source(operands[1], Type::b32);
            i.b = source(operands[2], Type::b32);
            i.c = source(operands[3], Type::b32);
            if (operands[4].kind != Operand::Kind::integer || operands[4].bits > 255)
                fail("the table is a number from 0 to 255");
            i.immediate = static_cast<std::int64_t>(operands[4].bits);
            return;
        case Shape::compare:
            return fill_compare(i, form, operands);
        case Shape::mov:
            return fill_move(i, form, operands);
        case Shape::convert:
            return fill_convert(i, form, operands);
        case Shape::load:
        case Shape::store:
        case Shape::atomic:
        case Shape::reduction:
            return fill_memory(i, form, operands);
        case Shape::fence:
        case Shape::ret:
            return expect_count(operands, 0, 0);
        case Shape::sleep:
            expect_count(operands, 1, 1);
            i.a = source(operands[0], Type::u32);
            return;
        case Shape::to_space:
        case Shape::is_space:
            expect_count(operands, 2, 2);
            i.d = destination(operands[0], form.shape == Shape::to_space ? Type::u64 : Type::pred);
            i.a = source(operands[1], Type::u64);
            return;
        default:
            return fill_collective(i, form, operands);
    }
}

void FunctionReader::fill_compare(Instruction& i, const Form& form, std::vector<Operand>& operands) {
    const bool combines = static_cast<Combine>(form.op2) != Combine::none;
    const std::size_t count = combines ? 4 : 3;
    expect_count(operands, count, count);
    if (form.loop == Loop::setp) {
        if (operands[0].kind != Operand::Kind::sink) i.d = destination(operands[0], Type::pred);
        if (!operands[0].second.empty() && operands[0].second[0].kind != Operand::Kind::sink)
            i.d2 = destination(operands[0].second[0], Type::pred);
    } else {
        i.d = destination(operands[0], form.type);
    }
    i.a = source(operands[1], form.type2);
    i.b = source(operands[2], form.type2);
    if (combines) {
        i.c = predicate(operands[3]);
        if (operands[3].negated) i.flags |= flag_negate_c;
    }
}

void FunctionReader::fill_convert(Instruction& i, const Form& form, std::vector<Operand>& operands) {
    if (form.loop == Loop::cvt_pair) {
        expect_count(operands, 3, 3);
        i.d = destination(operands[0], Type::b32);
        i.a = source(operands[1], Type::f32);
        i.b = source(operands[2], Type::f32);
        return;
    }
    expect_count(operands, 2, 2);
    i.d = destination(operands[0], form.type, true);
    i.a = source(operands[1], form.type2, true);
    i.width_d = static_cast<std::uint8_t>(width_of(operands[0], form.type));
    i.width_a = static_cast<std::uint8_t>(width_of(operands[1], form.type2));
}

void FunctionReader::fill_move(Instruction& i, const Form& form, std::vector<Operand>& operands) {
    expect_count(operands, 2, 2);
    const Operand& to = operands[0];
    const Operand& from = operands[1];
    const unsigned bytes = bytes_of(form.type);
    i.width_d = static_cast<std::uint8_t>(bytes);
    i.width_a = i.width_d;
    if (from.kind == Operand::Kind::name && is_refused_register(from.text)) {
        m_names.refuse(from.text, m_line, m_index);
        i.handler = Handler::refused;
        return;
    }
    if (from.kind == Operand::Kind::name) {
        const bool long_clock = from.text == "%clock64" || from.text == "%globaltimer";
        if (bytes != (long_clock ? 8U : 4U)) fail("\"" + shown(from.text) + "\" does not fit");
        i.d = destination(to, form.type);
        i.handler = Handler::clock;
        i.kind = Kind::special;
        i.op = from.text.ends_with("_hi") ? 1 : 0;
        return;
    }
    const bool packs = from.kind == Operand::Kind::vector;
    const bool unpacks = to.kind == Operand::Kind::vector;
    if (!packs && !unpacks) {
        i.d = destination(to, form.type);
        i.a = source(from, form.type);
        i.width_a = i.width_d;
        return;
    }
    const auto& parts = packs ? from.parts : to.parts;
    if (packs == unpacks || !is_bits(form.type) || (parts.size() != 2 && parts.size() != 4))
        fail("parts are of 2 or 4 and of bits");
    const unsigned part_bytes = bytes / static_cast<unsigned>(parts.size());
    if (part_bytes < 1) fail("parts are too small");
    const Type part_type = part_bytes == 1 ? Type::b8 : part_bytes == 2 ? Type::b16 : Type::b32;
    std::uint32_t* const places[] = {&i.d2, &i.b, &i.c, &i.e};
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (packs)
            *places[k] = source(parts[k], part_type);
        else if (parts[k].kind != Operand::Kind::sink)
            *places[k] = destination(parts[k], part_type);
    }
    i.op = static_cast<std::uint8_t>(parts.size());
    i.width_a = static_cast<std::uint8_t>(part_bytes);
    if (packs)
        i.d = destination(to, form.type);
    else
        i.a = source(from, form.type);
    Form used = form;
    used.loop = packs ? Loop::mov_pack : Loop::mov_unpack;
    used.op = i.op;
    i.run = find_loop(key_of(used, i.width_d, i.width_a));
}

void FunctionReader::fill_memory(Instruction& i, const Form& form, std::vector<Operand>& operands) {
    const bool loads = form.shape == Shape::load;
    if (form.shape == Shape::atomic || form.shape == Shape::reduction) {
        const bool result = form.shape == Shape::atomic;
        const std::size_t first = result ? 1 : 0;
        const std::size_t count = first + (static_cast<AtomicOp>(form.op) == AtomicOp::compare ? 3 : 2);
        expect_count(operands, count, count);
        if (result && operands[0].kind != Operand::Kind::sink) {
            i.d = destination(operands[0], form.type, true);
            i.width_d = static_cast<std::uint8_t>(operands[0].reg->width());
        }
        fill_address(i, operands[first]);
        i.b = source(operands[first + 1], form.type);
        if (count == first + 3) i.c = source(operands[first + 2], form.type);
        if (i.space == Space::param || i.space == Space::constant || i.space == Space::local)
            fail("atomics are of global and shared memory");
        return;
    }
    expect_count(operands, 2, 2);
    fill_address(i, operands[loads ? 1 : 0]);
    const Operand& value = operands[loads ? 0 : 1];
    const bool is_vector = value.kind == Operand::Kind::vector;
    if (is_vector != (form.vector > 1) || (is_vector && value.parts.size() != form.vector))
        fail("the value has not as many parts as the opcode says");
    VectorPlaces places{};
    places.place.fill(no_operand);
    const auto add = [&](std::size_t k, const Operand& part) {
        if (loads && part.kind == Operand::Kind::sink) return;
        places.place[k] = loads ? destination(part, form.type, true) : source(part, form.type, true);
        places.width[k] = static_cast<std::uint8_t>(width_of(part, form.type));
    };
    if (is_vector) {
        for (std::size_t k = 0; k < value.parts.size(); ++k) add(k, value.parts[k]);
    } else {
        add(0, value);
    }
    i.extra = static_cast<std::uint32_t>(m_names.program.vectors.size());
    m_names.program.vectors.push_back(places);
    i.d = places.place[0];
    i.width_d = places.width[0];
    if (!loads && i.space == Space::constant) fail("constants are not written");
    const bool of_kernel = i.space == Space::param && i.a == no_operand &&
                           i.immediate < static_cast<std::int64_t>(function_parameters);
    if (loads && of_kernel) i.handler = Handler::load_parameter;
    const Operand& place = operands[loads ? 1 : 0];
    if (of_kernel && place.has_base) {
        const std::int64_t end = place.added + std::int64_t{form.vector} * bytes_of(form.type);
        if (place.added < 0 || end > std::int64_t{place.variable.bytes}) i.flags |= flag_beyond;
    }
    if (!loads && of_kernel) fail("a kernel's parameters are not written");
}

void FunctionReader::fill_collective(Instruction& i, const Form& form, std::vector<Operand>& operands) {
    const auto optional_second = [&](std::uint32_t& place) {
        if (!operands[0].second.empty() && operands[0].second[0].kind != Operand::Kind::sink)
            place = destination(operands[0].second[0], Type::pred);
    };
    const auto condition = [&](const Operand& operand) {
        if (operand.negated) i.flags |= flag_negate_c;
        return predicate(operand);
    };
    switch (form.shape) {
        case Shape::warp_sync:
            expect_count(operands, 1, 1);
            i.a = source(operands[0], Type::b32);
            return;
        case Shape::active_mask:
            expect_count(operands, 1, 1);
            i.d = destination(operands[0], Type::b32);
            return;
        case Shape::shuffle:
            expect_count(operands, 5, 5);
            if (operands[0].kind != Operand::Kind::sink) i.d = destination(operands[0], Type::b32);
            optional_second(i.d2);
            i.a = source(operands[1], Type::b32);
            i.b = source(operands[2], Type::b32);
            i.c = source(operands[3], Type::b32);
            i.e = source(operands[4], Type::b32);
            return;
        case Shape::vote:
            expect_count(operands, 3, 3);
            i.d = destination(operands[0], form.type);
            i.a = condition(operands[1]);
            i.b = source(operands[2], Type::b32);
            return;
        case Shape::match:
            expect_count(operands, 3, 3);
            if (operands[0].kind != Operand::Kind::sink) i.d = destination(operands[0], Type::b32);
            optional_second(i.d2);
            i.a = source(operands[1], form.type);
            i.width_a = static_cast<std::uint8_t>(bytes_of(form.type));
            i.b = source(operands[2], Type::b32);
            return;
        case Shape::reduce_sync:
            expect_count(operands, 3, 3);
            i.d = destination(operands[0], form.type);
            i.a = source(operands[1], form.type);
            i.b = source(operands[2], Type::b32);
            return;
        default:
            break;
    }
    // Barriers.
    if (form.handler == Handler::barrier_reduce) {
        expect_count(operands, 3, 4);
        i.d = destination(operands[0], form.type);
        i.a = source(operands[1], Type::u32);
        if (operands.size() == 4) i.b = source(operands[2], Type::u32);
        i.c = condition(operands.back());
    } else {
        const bool arrives = form.handler == Handler::barrier_arrive;
        expect_count(operands, arrives ? 2 : 1, 2);
        i.a = source(operands[0], Type::u32);
        if (operands.size() == 2) i.b = source(operands[1], Type::u32);
    }
    if (i.b != no_operand) i.flags |= flag_has_count;
}

}  // namespace workbench::ptx
