// SPDX-License-Identifier: MIT
// The parts of adjoint_of(): which kernels it takes, statements, what they keep, and expressions.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/synth/adjoint.h"
#include "core/synth/builder.h"

namespace workbench::synth {

class AdjointMaker {
  public:
    explicit AdjointMaker(const Tree& forward, LoopValues where = LoopValues::in_arrays)
        : f(forward), m_is_taped(where == LoopValues::on_tape) {}
    Backward run();

  private:
    // ---- adjoint_conditions.cpp
    std::string why_not();

    // ---- adjoint_kept.cpp
    // What a statement keeps of the forward sweep: a local, or in loops an array and its height. On the tape,
    // which all share, each has the entries of a thread behind those of the ones before it.
    struct Kept {
        Id local = nothing;
        Id tape = nothing;
        Id top = nothing;
        std::uint32_t before = 0;
        bool exists() const { return local != nothing; }
    };
    // Bounds how often a thread runs what stands in loops: times * m^by_m; 0 times: unknown.
    struct Trips {
        std::uint32_t times = 1;
        std::uint8_t by_m = 0;
    };
    Kept keep(const std::string& name, Type type, int loops);
    bool is_below_m(Id expr) const;
    bool is_from_zero(Id expr) const;
    Trips trips_of(const Stmt& loop) const;
    void in_loop(const Stmt& loop, const std::function<void()>& body);  // body with m_nest
    void find_deepest(const std::vector<Id>& list);
    Id forward_symbol(SymbolKind kind) const;
    Id place_on(const Kept& kept);
    void finish_tape();
    void push(const Kept& kept, Id value);
    void pop(const Kept& kept);

    // ---- adjoint.cpp
    void own_output(Tree& tree);  // an output that is read again becomes a local
    void parameters();
    void normalise(std::vector<Id>& list);  // what follows a break or continue stands in an else
    Id zero(Type type);
    Id local(const std::string& name, Type type);
    std::string fresh(const std::string& name);
    void forward(const std::vector<Id>& list, int loops);
    void reverse(const std::vector<Id>& list);
    void reverse_loop(Id id, const Stmt& s);

    // ---- adjoint_expression.cpp
    Id copy(Id expr, const std::vector<Id>& symbols, const std::vector<Id>* arguments = nullptr);
    Id inlined(const Expr& call, const std::vector<Id>& symbols, const std::vector<Id>* arguments);
    Id value(Id expr) { return copy(expr, m_reverse); }  // in the reverse sweep
    bool is_active(Id expr) const;
    bool is_above_zero(Id expr) const;
    bool needs_guard(Id expr) const;
    // Adds d/d expr * seed to the adjoints of what it reads; expr is the new tree's, in the reverse sweep.
    void propagate(Id expr, Id seed);
    void propagate_scalar(const Expr& e, Id g);
    void propagate_vector(const Expr& e, Id g);
    void propagate_to_load(const Expr& e, Id g);
    Id named(Id value);  // a local of it, where it is more than a name
    Id unit(Type vector, int k, Id value);
    Id frobenius(Id a, Id c);
    Id entry(Id matrix, int row, int column);
    Id number(Type type, double v) { return b.literal(type, v); }
    Id times(Id a, Id c) { return b.binary(Op::mul, a, c); }
    bool is_own(Id array) const { return m_own[array]; }

    Tree f;
    Builder b;
    std::vector<Id> m_forward;  // symbols of the forward tree in the forward sweep, and in the reverse sweep
    std::vector<Id> m_reverse;
    std::vector<Id> m_adjoint;    // by symbol of the new tree: its adjoint, a local or an array
    std::vector<bool> m_own;      // by symbol of the new tree: only its thread reads an element
    std::vector<Kept> m_kept;     // by statement
    std::vector<Id> m_trips;      // by statement: a loop's count
    std::vector<int> m_assigned;  // by symbol: statements that write it
    std::vector<Id> m_head;
    static constexpr std::uint64_t most_nodes = 65536;  // of an expression, as it is printed
    std::vector<std::uint64_t> m_sizes;                 // by expression of the new tree
    bool m_is_too_large = false;
    bool m_is_taped = false;
    Id m_tape = nothing;
    Trips m_nest;                    // of the loops around
    std::uint8_t m_deepest = 0;      // the largest power of m
    std::uint32_t m_entries = 0;     // of a thread on the tape, times m^m_deepest
    std::vector<Id> m_entry_counts;  // literals that become m_entries
    std::set<std::string> m_names;
    std::vector<std::string> m_wrt;
};

}  // namespace workbench::synth
