// SPDX-License-Identifier: MIT
// Which kernels have a derivative, and the words for those that have none.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/synth/adjoint_maker.h"

namespace workbench::synth {

namespace {

// Whether it reads elements of an array, in an expression or anywhere in a statement.
bool reads(const Tree& tree, Id expr, Id array) {
    if (expr == nothing) return false;
    const Expr& e = tree.exprs[expr];
    if (e.op == Op::load && e.symbol == array) return true;
    return std::any_of(e.args.begin(), e.args.begin() + e.count,
                       [&](Id argument) { return reads(tree, argument, array); });
}
bool touches(const Tree& tree, const Stmt& s, Id array) {
    const auto in = [&](const std::vector<Id>& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](Id id) { return touches(tree, tree.stmts[id], array); });
    };
    return (s.kind == StmtKind::store && s.symbol == array) || reads(tree, s.value, array) ||
           reads(tree, s.index, array) || in(s.body) || in(s.otherwise);
}

// Whether a kernel writes the one element of an output that it touches before it reads it, as own_output()
// takes it.
bool begins_anew(const Tree& tree, Id output) {
    Id index = nothing;
    const auto is_other = [&](Id another) {
        if (index == nothing) index = another;
        return !is_same(tree, index, another);
    };
    for (const Expr& e : tree.exprs) {
        if (e.op == Op::load && e.symbol == output && is_other(e.args[0])) return false;
    }
    for (const Stmt& s : tree.stmts) {
        if (s.kind == StmtKind::store && s.symbol == output && is_other(s.index)) return false;
    }
    for (const Id id : tree.kernel.body) {
        const Stmt& s = tree.stmts[id];
        if (!touches(tree, s, output)) continue;
        return s.kind == StmtKind::store && s.symbol == output && !reads(tree, s.value, output);
    }
    return true;
}

}  // namespace

std::string AdjointMaker::why_not() {
    if (f.is_block) return "block";
    bool any = false;
    for (const Id id : f.kernel.parameters) {
        const Symbol& s = f.symbols[id];
        any = any || (is_float(s.type) && (s.kind == SymbolKind::input || s.kind == SymbolKind::scalar));
        if (!is_float(s.type) && is_written(s.kind)) return "integer";
    }
    if (!any) return "no float input";
    for (Id h = 0; h < f.helpers.size(); ++h) {
        for (const Id id : f.helpers[h].body) {
            const Stmt& s = f.stmts[id];
            const bool gives = s.kind == StmtKind::branch && s.otherwise.empty() && s.body.size() == 1 &&
                               f.stmts[s.body[0]].kind == StmtKind::give;
            if (s.kind != StmtKind::give && !gives) return "helper";
        }
        if (f.helpers[h].parameters.size() > 2) return "recursion";
    }
    for (const Expr& e : f.exprs) {
        if (e.op == Op::determinant && rank(f.exprs[e.args[0]].type) == 4) return "determinant of four rows";
    }
    for (const Stmt& s : f.stmts) {
        if (s.kind == StmtKind::array) return "local array";
        if (s.kind == StmtKind::atomic && (s.atomic != AtomicOp::add)) return "integer";
    }
    const bool has_atomics =
        std::any_of(f.stmts.begin(), f.stmts.end(), [](const Stmt& s) { return s.kind == StmtKind::atomic; });
    for (const Id id : f.kernel.parameters) {
        if (f.symbols[id].kind == SymbolKind::inout && !has_atomics && !begins_anew(f, id))
            return "it reads what it writes";
    }
    return "";
}

std::string explained_reason(std::string_view reason) {
    static constexpr std::pair<std::string_view, std::string_view> meanings[] = {
        {"block", "threads of a block work together, or \"if (i >= n) return;\" is missing"},
        {"integer", "its results are integers"},
        {"recursion", "a function calls itself"},
        {"helper", "a function has loops or locals"},
        {"size", "its functions become too large when they are written in place of their calls"},
        {"local array", "it keeps values on an array of one thread"}};
    for (const auto& [word, meaning] : meanings)
        if (word == reason) return std::string(reason) + " (" + std::string(meaning) + ")";
    return std::string(reason);
}

}  // namespace workbench::synth
