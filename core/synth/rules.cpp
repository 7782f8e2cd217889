// SPDX-License-Identifier: MIT
// What trees are asked for: what is in them, and whether it is what their category has.
#include <algorithm>
#include <set>

#include "core/synth/generate.h"

namespace workbench::synth {

namespace {

struct Contents {
    std::array<int, ops> count{};
    int branches = 0, loops = 0, conditions = 0, deepest_loop = 0, stores = 0;
    int atomics = 0, barriers = 0, shared = 0;
    bool has_vector = false, has_matrix = false, has_function = false, has_break = false;
    std::set<Type> scalars;
    int scalars_used = 0;

    int of(std::initializer_list<Op> list) const {
        int made = 0;
        for (const Op op : list) made += count[static_cast<std::size_t>(op)];
        return made;
    }
};

void walk(const Tree& tree, const std::vector<Id>& list, int depth, Contents& made) {
    for (const Id id : list) {
        const Stmt& s = tree.stmts[id];
        int inner = depth;
        if (s.kind == StmtKind::branch) ++made.branches;
        if (s.kind == StmtKind::for_loop || s.kind == StmtKind::while_loop) {
            ++made.loops;
            made.deepest_loop = std::max(made.deepest_loop, ++inner);
        }
        made.atomics += s.kind == StmtKind::atomic;
        made.barriers += s.kind == StmtKind::barrier;
        made.shared += s.kind == StmtKind::shared;
        made.has_break = made.has_break || s.kind == StmtKind::break_loop;
        walk(tree, s.body, inner, made);
        walk(tree, s.otherwise, inner, made);
    }
}

Contents contents_of(const Tree& tree) {
    Contents made;
    std::set<Id> used;
    for (const Expr& e : tree.exprs) {
        ++made.count[static_cast<std::size_t>(e.op)];
        made.has_vector = made.has_vector || is_vector(e.type);
        made.has_matrix = made.has_matrix || is_matrix(e.type);
        const std::string_view kind = info(e.op).kind;
        made.has_function = made.has_function || kind == "function" || kind == "rounding";
        if (is_compare(e.op)) ++made.conditions;
        if (e.op == Op::symbol && tree.symbols[e.symbol].kind == SymbolKind::scalar) used.insert(e.symbol);
    }
    for (const Id id : used) made.scalars.insert(tree.symbols[id].type);
    made.scalars_used = static_cast<int>(used.size());
    walk(tree, tree.kernel.body, 0, made);
    for (const Function& helper : tree.helpers) walk(tree, helper.body, 0, made);
    return made;
}

}  // namespace

std::vector<std::string> ops_of(const Tree& tree) {
    static constexpr std::array<std::pair<Op, std::string_view>, 36> words{{
        {Op::add, "add"},
        {Op::sub, "sub"},
        {Op::mul, "mul"},
        {Op::div, "div"},
        {Op::rem, "rem"},
        {Op::min, "minimum"},
        {Op::max, "maximum"},
        {Op::neg, "neg"},
        {Op::abs, "abs"},
        {Op::fma, "fma"},
        {Op::select, "where"},
        {Op::sin, "sin"},
        {Op::cos, "cos"},
        {Op::tan, "tan"},
        {Op::exp, "exp"},
        {Op::exp2, "exp2"},
        {Op::log, "log"},
        {Op::log2, "log2"},
        {Op::log1p, "log1p"},
        {Op::tanh, "tanh"},
        {Op::sqrt, "sqrt"},
        {Op::rsqrt, "rsqrt"},
        {Op::cbrt, "cbrt"},
        {Op::pow, "pow"},
        {Op::atan2, "atan2"},
        {Op::erf, "erf"},
        {Op::hypot, "hypot"},
        {Op::fmod, "fmod"},
        {Op::dot, "dot"},
        {Op::cross, "cross"},
        {Op::length, "length"},
        {Op::normalize, "normalize"},
        {Op::matvec, "matvec"},
        {Op::matmat, "matmat"},
        {Op::determinant, "determinant"},
        {Op::outer, "outer"},
    }};
    const Contents has = contents_of(tree);
    std::set<std::string> made;
    for (const auto& [op, word] : words) {
        if (has.of({op})) made.emplace(word);
    }
    if (has.of({Op::transpose})) made.emplace("transpose");
    for (const Op op : {Op::floor, Op::ceil, Op::trunc}) {
        if (has.of({op})) made.emplace(info(op).name);
    }
    for (const Stmt& s : tree.stmts) {
        if (s.kind == StmtKind::for_loop) made.emplace("for");
        if (s.kind == StmtKind::while_loop) made.emplace("while");
        if (s.kind == StmtKind::branch) made.emplace("if");
        if (s.kind == StmtKind::barrier) made.emplace("barrier");
        if (s.kind == StmtKind::atomic) {
            constexpr std::array<std::string_view, 6> names{"add", "min", "max", "and", "or", "xor"};
            made.insert("atomic_" + std::string(names[static_cast<std::size_t>(s.atomic)]));
        }
    }
    return {made.begin(), made.end()};
}

std::string broken_rule(Category category, const Tree& tree) {
    const Contents has = contents_of(tree);
    const int arithmetic =
        has.of({Op::add, Op::sub, Op::mul, Op::div, Op::min, Op::max, Op::neg, Op::abs, Op::fma});
    const int calls = has.of({Op::call});
    switch (category) {
        case Category::arithmetic:
            if (arithmetic < 2) return "fewer than two operations";
            if (has.branches + has.loops + calls + has.of({Op::select}) || has.has_function)
                return "a branch, loop or call";
            return "";
        case Category::math:
            if (!has.has_function && !has.of({Op::abs})) return "no function";
            return has.branches + has.loops + has.of({Op::select}) ? "a branch or loop" : "";
        case Category::array:
            if (has.loops == 0) return "no loop";
            return has.deepest_loop > 2 || has.branches ? "nested too deep, or a branch" : "";
        case Category::control_flow:
            if (has.has_function || has.of({Op::abs}) || calls) return "a function";
            if (has.loops > 1) return "more than one loop";
            // A clamp has both of min and max.
            return has.branches + has.loops + has.of({Op::select}) || (has.of({Op::min}) && has.of({Op::max}))
                       ? ""
                       : "no control flow";
        case Category::combined:
            return (has.branches > 0) + (has.loops > 0) + (has.has_function || has.of({Op::abs}) > 0) +
                                   (calls > 0) <
                               2 ||
                           arithmetic == 0
                       ? "fewer than two of branch, loop, function and helper"
                       : "";
        case Category::vector:
            return has.has_vector ? "" : "no vector";
        case Category::matrix:
            return has.has_matrix ? "" : "no matrix";
        case Category::atomic:
            return has.atomics ? "" : "no atomic";
        case Category::nested_loop:
            return has.deepest_loop == 2 || has.deepest_loop == 3 ? "" : "loops that are not 2 or 3 deep";
        case Category::multi_conditional:
            return has.branches + has.of({Op::select}) >= 3 ? "" : "fewer than three conditions";
        case Category::scalar_param:
            return has.scalars_used >= 2 && has.scalars.size() >= 2 ? ""
                                                                    : "fewer than two scalars of two types";
        case Category::block:
            if (!tree.is_block) return "threads that work alone";
            return has.barriers && has.shared ? ""
                   : has.of({Op::shuffle_xor, Op::shuffle_down, Op::shuffle_up, Op::vote_any, Op::vote_all,
                             Op::ballot})
                       ? ""
                       : "nothing that threads do together";
        case Category::iir:
        case Category::pool:
            return has.loops ? "" : "no loop";
    }
    return "";
}

int nodes_of(const Tree& tree) {
    return static_cast<int>(std::count_if(tree.exprs.begin(), tree.exprs.end(), [](const Expr& e) {
        return info(e.op).form != Form::leaf && e.op != Op::load && e.op != Op::cast;
    }));
}

int depth_of(const Tree& tree) {
    // finish() puts operands before what they are operands of.
    std::vector<int> depth(tree.exprs.size(), 1);
    int most = 0;
    for (std::size_t k = 0; k < tree.exprs.size(); ++k) {
        const Expr& e = tree.exprs[k];
        for (std::size_t a = 0; a < e.count; ++a) depth[k] = std::max(depth[k], depth[e.args[a]] + 1);
        most = std::max(most, depth[k]);
    }
    return most;
}

std::string_view complexity_of(const Tree& tree) {
    const int nodes = nodes_of(tree);
    return nodes <= 8 ? "simple" : nodes <= 24 ? "medium" : "complex";
}

}  // namespace workbench::synth
