// SPDX-License-Identifier: MIT
// Drawn filters and poolings against the library's reference.
#include "core/synth/library.h"

#include <set>

#include "tests/core/synth/synth_testing.h"

namespace {

using namespace synth_test;  // NOLINT: the helpers of these tests

TEST(Library, DrawnFiltersAndPoolingsAreTheLibrarys) {
    for (const Category category : {Category::iir, Category::pool}) {
        for (std::uint64_t k = 0; k < 60; ++k) {
            const Candidate one = generate(category, 41, k);
            EXPECT_EQ(library_disagreement(category, one.tree, one.canonical), "") << print_cuda(one.tree);
        }
    }
    // Others are not compared.
    const Candidate other = generate(Category::math, 41, 0);
    EXPECT_EQ(library_disagreement(Category::math, other.tree, other.canonical), "");
}

// y2 gets what y1 has become, not what it was.
TEST(Library, SeesARecurrenceThatForgetsASample) {
    int changed = 0;
    for (std::uint64_t k = 0; k < 60 && changed < 8; ++k) {
        Candidate one = generate(Category::iir, 41, k);
        bool is_changed = false;
        for (Stmt& loop : one.tree.stmts) {
            for (std::size_t at = 0; loop.kind == StmtKind::for_loop && at + 1 < loop.body.size(); ++at) {
                const Stmt &first = one.tree.stmts[loop.body[at]],
                           &second = one.tree.stmts[loop.body[at + 1]];
                if (first.kind != StmtKind::assign || second.kind != StmtKind::assign) continue;
                const Expr& moved = one.tree.exprs[first.value];
                if (moved.op != Op::symbol || moved.symbol != second.symbol) continue;
                std::swap(loop.body[at], loop.body[at + 1]);
                is_changed = true;
                break;
            }
        }
        // A coefficient that is zero forgets nothing.
        if (!is_changed || print_cuda(one.tree).find(" 0.0") != std::string::npos) continue;
        ++changed;
        EXPECT_NE(library_disagreement(Category::iir, one.tree, one.canonical), "") << print_cuda(one.tree);
    }
    EXPECT_EQ(changed, 8);
}

// The innermost loop begins a sample later.
TEST(Library, SeesAWindowThatMissesASample) {
    for (std::uint64_t k = 0; k < 20; ++k) {
        Candidate one = generate(Category::pool, 41, k);
        Tree& tree = one.tree;
        for (const Stmt& windows : tree.stmts) {
            if (windows.kind != StmtKind::for_loop || windows.body.size() != 3) continue;
            Stmt& taps = tree.stmts[windows.body[1]];
            const double first = literal_value(tree.exprs[taps.value]);
            tree.exprs.push_back(
                {.op = Op::literal, .type = Type::i32, .bits = bits_of(Type::i32, first + 1)});
            taps.value = static_cast<Id>(tree.exprs.size() - 1);
        }
        EXPECT_NE(library_disagreement(Category::pool, tree, one.canonical), "") << print_cuda(tree);
    }
}

}  // namespace
