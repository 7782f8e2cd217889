// SPDX-License-Identifier: MIT
// The table of requirements adds up, and docs/releases.md says what it says.
#include "core/release/requirements.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "core/release/gates.h"
#include "core/support/files.h"

namespace workbench {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t count_of(auto says) {
    return static_cast<std::size_t>(std::ranges::count_if(requirement_rows(), says));
}

std::string documentation() {
    const auto text = read_file(std::filesystem::path(IIR2D_SOURCE_DIR) / "docs" / "releases.md");
    return text ? *text : text.error().message;
}

TEST(RequirementTable, GivesEachRowAnIdOfItsGateATitleACheckAndARemedy) {
    std::set<std::string> ids;
    std::size_t of_gates = 0;
    for (const Gate& gate : gates()) {
        const auto rows = count_of([&](const auto& row) { return row.gate() == gate.letter; });
        EXPECT_GT(rows, 0U) << gate.letter;
        of_gates += rows;
    }
    EXPECT_EQ(of_gates, requirement_rows().size()) << "each is in one gate";
    for (const auto& row : requirement_rows()) {
        EXPECT_TRUE(ids.insert(row.id).second) << row.id;
        EXPECT_EQ(row.id[1], '.') << row.id;
        EXPECT_NE(row.check, nullptr) << row.id;
        EXPECT_FALSE(row.title.empty()) << row.id;
        EXPECT_FALSE(row.remedy.empty()) << row.id;
        EXPECT_NE(row.kinds.empty(), row.role.empty()) << row.id << ": by evidence or by a signature";
        for (const auto& kind : row.kinds)
            EXPECT_TRUE(evidence_kind_from_name(kind)) << row.id << " " << kind;
    }
}

TEST(RequirementTable, NeedsNoLessAtALaterStage) {
    std::size_t needed_before = 0;
    for (const StageRow& stage : stages()) {
        EXPECT_EQ(&stage, &row_of(stage.stage)) << "rows are in the order of the enumeration";
        const auto needed = count_of([&](const auto& row) { return row.from <= stage.stage; });
        EXPECT_GT(needed, needed_before) << stage.name;
        needed_before = needed;
    }
    EXPECT_EQ(needed_before, requirement_rows().size()) << "the last stage needs all";
}

TEST(RequirementTable, HasASignOffOfEachRoleThatNobodyCanWaive) {
    std::vector<std::string> roles;
    for (const auto& row : requirement_rows()) {
        if (row.role.empty()) continue;
        roles.push_back(row.role);
        EXPECT_EQ(row.id, "D.sign-off." + row.role);
        EXPECT_EQ(row.waivable, Waivable::no);
    }
    EXPECT_THAT(roles, ElementsAreArray(release_roles));
}

TEST(RequirementTable, SaysInWordsWhatEachStageNeeds) {
    EXPECT_EQ(needs_of(Stage::dev), "gate A");
    EXPECT_EQ(needs_of(Stage::rc), "gates A, B and C, and D.p0");
    EXPECT_EQ(needs_of(Stage::ga), "gates A, B, C and D");
    EXPECT_EQ(stages_with_keys(), "rc and ga");
    EXPECT_THAT(needs_of_stages(), StartsWith("dev needs gate A; rc needs gates"));
}

TEST(RequirementTable, IsWhatTheDocumentationSays) {
    const std::string text = documentation();
    for (const auto& row : requirement_rows()) {
        if (row.role.empty()) {
            EXPECT_THAT(text, HasSubstr("`" + row.id + "`"));
        }
        const bool waivable = row.waivable == Waivable::yes;
        EXPECT_EQ(is_waivable(row.id), waivable) << row.id;
        EXPECT_EQ(waivable_requirements().find(row.id) != std::string::npos, waivable) << row.id;
    }
    EXPECT_THAT(text, HasSubstr("`D.sign-off.ROLE`"));
    for (const Gate& gate : gates())
        EXPECT_THAT(text, HasSubstr("**" + std::string(1, gate.letter) + "** " + std::string(gate.name)));
    for (const auto role : release_roles) EXPECT_THAT(text, HasSubstr("--role " + std::string(role) + "="));
    for (const auto& kind : evidence_kinds())
        EXPECT_THAT(text, HasSubstr("`" + std::string(kind.name) + "`"));
    // The paragraph about waivers names those of the table and no other.
    const auto begin = text.find("**Waivers** (");
    ASSERT_NE(begin, std::string::npos);
    const std::string waivers = text.substr(begin, text.find("\n\n", begin) - begin);
    for (const auto& row : requirement_rows()) {
        if (row.waivable == Waivable::yes) {
            EXPECT_THAT(waivers, HasSubstr("`" + row.id + "`"));
        } else {
            EXPECT_THAT(waivers, Not(HasSubstr("`" + row.id + "`")));
        }
    }
}

}  // namespace
}  // namespace workbench
