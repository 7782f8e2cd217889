// SPDX-License-Identifier: MIT
// A release in a folder of its own, and all the evidence that one needs.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "core/release/release.h"
#include "tests/core/release/release_testing.h"

namespace workbench::testing {

class ReleaseFixture : public ::testing::Test {
  protected:
    void SetUp() override {
        for (const auto role : release_roles) keys.emplace(std::string(role), *SigningKey::generate());
    }

    NewRelease plan(Stage stage) const {
        NewRelease release{.id = "v1", .stage = stage, .commit = release_commit, .holders = {}};
        for (const auto& [role, key] : keys) release.holders[role] = key.public_key();
        return release;
    }
    void begin(Stage stage) {
        const auto made = new_release(folder.path(), plan(stage));
        ASSERT_TRUE(made) << made.error().message;
    }
    Result<std::string> add(const std::string& kind, const std::string& name, const std::string& content,
                            const std::string& commit = release_commit) {
        write_text(folder.path() / name, content);
        return attach(directory, kind, folder.path() / name, "", commit);
    }
    Result<std::string> add_record(const std::string& kind, const std::string& name, double cost,
                                   const std::optional<SigningKey>& key = std::nullopt) {
        write_release_record(folder.path() / name, cost, key,
                             kind == "baseline-record" ? baseline_commit : release_commit);
        return attach(directory, kind, folder.path() / name, "", "");
    }
    // Everything but the sign-offs.
    void add_all(double cost = 1) {
        const Result<std::string> added[] = {
            add("test-report", "tests-1.xml", test_report(1)),
            add("test-report", "tests-2.xml", test_report(2)),
            add("c-api-report", "c-api.xml", test_report(3)),
            add("parity-report", "parity.json", R"({"cases": [{"case": "a", "passed": true}]})"),
            add("issues", "issues.json", issue_list()), add("rebuild", "rebuild.json", rebuild_report('a')),
            add("packaging-report", "packaging.xml", test_report(4)), add("licence", "LICENSE", "MIT"),
            add("notices", "NOTICES", "others' notices"),
            add("security-review", "security.json", security_review()),
            // Last, because every change of a release reads all records anew.
            add_record("smoke-record", "smoke", 1.0), add_record("standard-record", "standard", 1.25 * cost),
            add_record("baseline-record", "baseline", 1.25, keys.at("qa-engineer"))};
        for (const auto& one : added) EXPECT_TRUE(one) << one.error().message;
    }
    Result<void> sign(const std::string& role) {
        return sign_off(directory, role, "A Person", keys.at(role), load_release(directory)->state.seen());
    }
    std::string blockers() const {
        std::string all;
        for (const auto& text : load_release(directory)->evaluation.blockers()) all += text + "\n";
        return all;
    }
    std::string problems() const {
        const auto v = verify_release(directory);
        if (!v) return "error: " + v.error().message;
        std::string all;
        for (const auto& text : v->problems) all += text + "\n";
        return all;
    }

    TemporaryFolder folder;
    std::filesystem::path directory = folder.path() / "v1";
    std::map<std::string, SigningKey> keys;
};

}  // namespace workbench::testing
