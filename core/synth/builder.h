// SPDX-License-Identifier: MIT
// Makes trees: every node gets the type that its operands give it.
#pragma once

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>

#include "core/synth/tree.h"

namespace workbench::synth {

class Builder {
  public:
    Tree& tree() { return m_tree; }
    const Tree& tree() const { return m_tree; }
    const Expr& expr(Id id) const { return m_tree.exprs[id]; }
    Type type(Id id) const { return m_tree.exprs[id].type; }
    // Nodes on the longest way down from an expression, with itself.
    std::uint32_t depth(Id id) const { return m_depths[id]; }

    Id add_symbol(std::string name, Type type, SymbolKind kind, Extent extent = {}) {
        m_tree.symbols.push_back({std::move(name), type, kind, extent});
        return static_cast<Id>(m_tree.symbols.size() - 1);
    }
    // Adds a parameter of the kernel.
    Id parameter(std::string name, Type type, SymbolKind kind, Extent extent = {}) {
        const Id id = add_symbol(std::move(name), type, kind, extent);
        m_tree.kernel.parameters.push_back(id);
        return id;
    }

    Id literal(Type type, double value) { return literal_bits(type, bits_of(type, value)); }
    Id literal_bits(Type type, std::uint64_t bits) {
        return add({.op = Op::literal, .type = type, .bits = bits});
    }
    Id symbol(Id id) { return add({.op = Op::symbol, .type = m_tree.symbols[id].type, .symbol = id}); }
    Id load(Id array, Id index) { return node(Op::load, m_tree.symbols[array].type, {index}, array); }
    Id component(Id value, int number) {
        return node(Op::component, Type::f32, {value}, static_cast<Id>(number));
    }
    Id cast(Type type, Id value) { return this->type(value) == type ? value : node(Op::cast, type, {value}); }
    Id unary(Op op, Id value);
    // A minus that stays one before a literal too.
    Id minus(Id value) { return node(Op::neg, type(value), {value}); }
    Id binary(Op op, Id left, Id right);
    Id select(Id condition, Id yes, Id no) { return node(Op::select, type(yes), {condition, yes, no}); }
    // Holds an infix operation. As its operands stand in braces, every compiler evaluates the calls that make
    // them from left to right.
    struct Infix {
        Op op;
        Id left;
        Id right;
    };
    struct Applied {
        Op op;
        std::initializer_list<Id> args;
    };
    struct Choice {
        Id condition;
        Id yes;
        Id no;
    };
    struct Element {
        Id array;
        Id index;
    };
    struct Stored {
        Id array;
        Id index;
        Id value;
    };
    struct Named {
        std::string name;
        Id value;
    };
    Id binary(const Infix& e) { return binary(e.op, e.left, e.right); }
    Id function(const Applied& e) { return function(e.op, e.args); }
    Id select(const Choice& e) { return select(e.condition, e.yes, e.no); }
    Id load(const Element& e) { return load(e.array, e.index); }
    void store(const Stored& s) { store(s.array, s.index, s.value); }
    Id let(Named s) { return let(std::move(s.name), s.value); }
    // Makes a call of a function of the language, with its arguments.
    Id function(Op op, std::initializer_list<Id> args) {
        return function(op, std::span(args.begin(), args.size()));
    }
    Id function(Op op, std::span<const Id> args);
    Id make(Type vector, std::span<const Id> args) { return node(Op::make, vector, args); }
    Id call(Id helper, std::span<const Id> args) {
        return node(Op::call, m_tree.helpers[helper].result, args, helper);
    }
    Id leaf(Op op) { return add({.op = op, .type = Type::u32}); }

    // Statements go to the list that is open.
    void let(Id symbol, Id value) { put({.kind = StmtKind::let, .symbol = symbol, .value = value}); }
    Id let(std::string name, Id value) {
        const Id id = add_symbol(std::move(name), type(value), SymbolKind::local);
        let(id, value);
        return id;
    }
    void assign(Id symbol, Id value) { put({.kind = StmtKind::assign, .symbol = symbol, .value = value}); }
    void store(Id array, Id index, Id value) {
        put({.kind = StmtKind::store, .symbol = array, .value = value, .index = index});
    }
    void atomic(AtomicOp op, Id array, Id index, Id value) {
        put({.kind = StmtKind::atomic, .atomic = op, .symbol = array, .value = value, .index = index});
    }
    void give(Id value) { put({.kind = StmtKind::give, .value = value}); }
    void barrier() { put({.kind = StmtKind::barrier}); }
    void leave(StmtKind kind) { put({.kind = kind}); }
    void declare(Id symbol) {
        put({.kind = m_tree.symbols[symbol].kind == SymbolKind::shared ? StmtKind::shared : StmtKind::array,
             .symbol = symbol});
    }
    template <class Body>
    void branch(Id condition, Body body) {
        branch(condition, body, [] {});
    }
    template <class Body, class Otherwise>
    void branch(Id condition, Body body, Otherwise otherwise) {
        Stmt made{.kind = StmtKind::branch, .value = condition};
        made.body = inside(body);
        made.otherwise = inside(otherwise);
        put(std::move(made));
    }
    template <class Body>
    void loop(Id variable, Id from, Id to, std::int32_t step, Body body) {
        Stmt made{.kind = StmtKind::for_loop, .symbol = variable, .value = from, .index = to, .step = step};
        made.body = inside(body);
        put(std::move(made));
    }
    template <class Body>
    void repeat(Id condition, Body body) {
        Stmt made{.kind = StmtKind::while_loop, .value = condition};
        made.body = inside(body);
        put(std::move(made));
    }
    // Runs `body` and returns the statements that it has put.
    template <class Body>
    std::vector<Id> inside(Body body) {
        std::vector<Id> before = std::exchange(m_list, {});
        body();
        return std::exchange(m_list, std::move(before));
    }
    void put(Stmt stmt) {
        m_tree.stmts.push_back(std::move(stmt));
        m_list.push_back(static_cast<Id>(m_tree.stmts.size() - 1));
    }
    std::vector<Id>& list() { return m_list; }

    // Makes the statements so far the kernel's, and returns its tree.
    Tree take() {
        m_tree.kernel.body = std::move(m_list);
        finish(m_tree);
        return std::move(m_tree);
    }

  private:
    Id add(Expr expr) {
        std::uint32_t below = 0;
        for (std::size_t k = 0; k < expr.count; ++k) below = std::max(below, depth(expr.args[k]));
        m_depths.push_back(below + 1);
        m_tree.exprs.push_back(expr);
        return static_cast<Id>(m_tree.exprs.size() - 1);
    }
    Id node(Op op, Type type, std::span<const Id> args, Id symbol = nothing) {
        Expr made{.op = op, .type = type, .symbol = symbol};
        assert(args.size() <= made.args.size());
        made.count = static_cast<std::uint8_t>(std::min(args.size(), made.args.size()));
        std::copy_n(args.begin(), made.count, made.args.begin());
        return add(made);
    }
    Id node(Op op, Type type, std::initializer_list<Id> args, Id symbol = nothing) {
        return node(op, type, std::span(args.begin(), args.size()), symbol);
    }

    Tree m_tree;
    std::vector<Id> m_list;
    std::vector<std::uint32_t> m_depths;
};

}  // namespace workbench::synth
