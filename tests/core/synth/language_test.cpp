// SPDX-License-Identifier: MIT
// Sources of drawn trees, read back; rules; hashes.
#include <gtest/gtest.h>

#include <set>

#include "core/synth/canonical.h"
#include "core/synth/generate.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace {

using namespace workbench::synth;  // NOLINT: what is tested

Category category_of(int k) {
    return static_cast<Category>(k % categories);
}

TEST(Language, AnyDrawnTreeIsReadBackFromItsSource) {
    for (int k = 0; k < 4200; ++k) {
        const Candidate drawn = generate(category_of(k), 7, static_cast<std::uint64_t>(k));
        const std::string source = print_cuda(drawn.tree);
        const auto read = parse(source);
        ASSERT_TRUE(read) << read.error().message << "\n" << source;
        ASSERT_TRUE(*read == drawn.tree) << source << "\n---- read back\n" << print_cuda(*read);
    }
}

TEST(Language, DrawnTreesKeepTheirCategorysRules) {
    for (int k = 0; k < 2800; ++k) {
        const Candidate drawn = generate(category_of(k), 3, static_cast<std::uint64_t>(k));
        ASSERT_EQ(broken_rule(drawn.category, drawn.tree), "") << print_cuda(drawn.tree);
    }
}

}  // namespace
