// SPDX-License-Identifier: MIT
#include "core/synth/builder.h"

namespace workbench::synth {

// The minus of a literal is its own; minus() makes one that is not.
Id Builder::unary(Op op, Id value) {
    const Expr& operand = expr(value);
    if (op == Op::neg && operand.op == Op::literal) {
        switch (operand.type) {
            case Type::f32:
                return literal_bits(Type::f32, operand.bits ^ 0x80000000U);
            case Type::f64:
                return literal_bits(Type::f64, operand.bits ^ (std::uint64_t{1} << 63));
            case Type::i32:
                return literal_bits(Type::i32, static_cast<std::uint32_t>(-operand.bits));
            case Type::i64:
                return literal_bits(Type::i64, -operand.bits);
            default:
                break;
        }
    }
    return node(op, op == Op::logical_not ? Type::boolean : operand.type, {value});
}

Id Builder::binary(Op op, Id left, Id right) {
    Type made = type(left);
    if (is_compare(op) || op == Op::logical_and || op == Op::logical_or) made = Type::boolean;
    return node(op, made, {left, right});
}

Id Builder::function(Op op, std::span<const Id> args) {
    Type made = type(args[0]);
    switch (op) {
        case Op::dot:
        case Op::length:
        case Op::determinant:
            made = Type::f32;
            break;
        case Op::matvec:
            made = type(args[1]);
            break;
        case Op::outer:
            made = matrix_of(rank(made));
            break;
        case Op::vote_any:
        case Op::vote_all:
            made = Type::boolean;
            break;
        case Op::ballot:
            made = Type::u32;
            break;
        default:
            break;
    }
    return node(op, made, args);
}

}  // namespace workbench::synth
