// SPDX-License-Identifier: MIT
// Draws what the categories' kernels are made of: random numbers, names, values and expressions that are
// defined for all inputs.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/synth/builder.h"
#include "core/synth/generate.h"

namespace workbench::synth {

// Draws random numbers by SplitMix64, the same on every machine.
class Draw {
  public:
    explicit Draw(std::uint64_t state) : m_state(state) {}
    std::uint64_t next() {
        std::uint64_t z = m_state += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }
    int between(int low, int high) { return low + below(high - low + 1); }
    bool chance(int percent) { return below(100) < percent; }
    template <class T>
    T of(std::initializer_list<T> list) {
        return *(list.begin() + below(static_cast<int>(list.size())));
    }
    template <class T>
    const T& of(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
    }

  private:
    std::uint64_t m_state;
};

class Maker {
  public:
    Maker(Category category, std::uint64_t state) : m_draw(state), m_category(category) {}
    Candidate run();

  private:
    // ---- generate_simple.cpp, generate_loops.cpp, generate_shapes.cpp: one for each category
    void arithmetic();
    void math();
    void array();
    void control_flow();
    void combined();
    void vector();
    void matrix();
    void atomic();
    void nested_loop();
    void multi_conditional();
    void scalar_param();
    void block();
    void iir();
    void pool();

    // ---- Parameters, in the order of the language: inputs, outputs, scalars, n, m
    std::string name(std::initializer_list<std::string_view> candidates);
    std::string fresh_name(const std::string& name);
    Id input(Type type, Extent extent);
    Id output(Type type, Extent extent);
    Id scalar(Type type);
    void extents();  // ends the parameters
    Type float_type() { return m_draw.chance(82) ? Type::f32 : Type::f64; }
    Type element_type();  // 70 % f32, 15 % f64, 15 % integers

    // ---- Values
    Id i() { return b.symbol(m_i); }
    Id n() { return b.symbol(m_n); }
    Id m() { return b.symbol(m_m); }
    Id whole(int value) { return b.literal(Type::i32, value); }
    Id constant(Type type);  // a literal that is not zero
    Id row(Id j) { return b.binary(Op::add, b.binary(Op::mul, i(), m()), j); }
    Id element_index();      // i, or a neighbour of it
    Id leaf(Type type);      // something that can be read
    Id variable(Type type);  // a leaf that is no literal, where there is one
    // Returns the expression, or a variable where it is a literal.
    Id varied(Id value) { return b.expr(value).op == Op::literal ? variable(b.type(value)) : value; }
    // Returns the same operation, with a variable for the first of two literals.
    Builder::Infix varied(const Builder::Infix& e) {
        const bool both = b.expr(e.left).op == Op::literal && b.expr(e.right).op == Op::literal;
        return {e.op, both ? variable(b.type(e.left)) : e.left, e.right};
    }
    Id read(Id value_of) { return b.symbol(value_of); }

    // ---- Expressions of a type, from leaves
    struct Pair {
        Id left;
        Id right;
    };
    struct Offset {
        Id value;
        double by;
    };
    struct Limits {
        Id value;
        Id low;
        Id high;
    };
    Id plain(Type type, int depth);  // + - * / min max neg abs fma, bits of integers
    Id with_functions(Type type, int depth);
    Id function_of(Type type, int depth);
    Id integer_binary(Op op, Id left, Id right);
    Id combine(const Builder::Infix& e);  // as the rules of signed arithmetic want it
    Id quotient(const Pair& of);          // whatever the divisor is
    Id absolute(Id value) { return b.function(Op::abs, {varied(value)}); }
    Id away_from_zero(const Offset& of);  // |value| + by
    Id clamp(const Limits& of);
    Id to_integer(Id value, double low, double high);
    Id condition(Type type, int depth);
    Id helper(Type type);  // makes one; m_helper_call calls it
    Id call_helper(Id helper, Type type);

    // Add a word to the kernel's name, and one to `ops`.
    void word(std::string_view text) { m_words += (m_words.empty() ? "" : "_") + std::string(text); }
    void op(std::string_view text) { m_ops.insert(std::string(text)); }

    Builder b;
    Draw m_draw;
    Category m_category;
    Id m_i = nothing, m_n = nothing, m_m = nothing;
    std::set<std::string> m_names;
    std::string m_words;
    std::set<std::string> m_ops;
    std::vector<Id> m_inputs;   // arrays of n elements that may be read at i
    std::vector<Id> m_scalars;  // parameters
    std::vector<Id> m_values;   // locals that are in scope
    bool m_neighbours = true;   // whether arrays may be read at (i + c) % n
};

}  // namespace workbench::synth
