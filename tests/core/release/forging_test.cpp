// SPDX-License-Identifier: MIT
// Ways to forge a release by somebody who writes its log by hand: each line is chained as it should be, and
// the files that are made from the log are made anew. Each is refused with a sentence that names the line.
#include <gmock/gmock.h>

#include <cstdio>

#include "core/benchmark/utc_time.h"
#include "core/release/evidence_files.h"
#include "core/release/requirements.h"
#include "core/release/store.h"
#include "core/support/canonical_json.h"
#include "core/support/files.h"
#include "tests/core/release/release_fixture.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::release_commit;
using testing::write_text;

const std::string early = "2025-03-09T17:00:00Z";
const std::string noon = "2025-03-09T17:05:00Z";
const std::string evening = "2025-03-09T17:10:00Z";

std::string tomorrow() {
    return utc_text(std::chrono::system_clock::now() + std::chrono::hours(24)).substr(0, 10);
}

// A signature with the group's order (RFC 8032, section 5.1) added to its S: it holds by the equation alone.
std::string in_another_form(std::string signature) {
    const std::string order = "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010";
    int carry = 0;
    for (std::size_t i = 0; i < order.size(); i += 2) {
        const int sum = std::stoi(signature.substr(64 + i, 2), nullptr, 16) +
                        std::stoi(order.substr(i, 2), nullptr, 16) + carry;
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(sum) % 256);
        signature.replace(64 + i, 2, digits);
        carry = sum / 256;
    }
    return signature;
}

class ForgingTest : public testing::ReleaseFixture {
  protected:
    std::vector<LogEntry> log() const { return *parse_log(read_text(directory / "log.jsonl")); }

    // Adds a line to the log, and makes the other files anew where the program can.
    void forge(const json& event, const std::string& utc = noon, const json& more = json::object()) {
        const std::string text =
            fs::exists(directory / "log.jsonl") ? read_text(directory / "log.jsonl") : "";
        const auto before = text.empty() ? std::vector<LogEntry>() : *parse_log(text);
        json entry{{"event", event},
                   {"previous", before.empty() ? sha256_hex("iir2d release log 1") : before.back().hash},
                   {"seq", before.size() + 1},
                   {"utc", utc}};
        entry.update(more);
        write_text(directory / "log.jsonl", text + canonical_json(entry) + "\n");
        if (const auto state = load_state(directory)) {
            ASSERT_TRUE(write_derived_files(directory, *state));
        }
    }

    // A release that begins with this line and nothing else, at a time of the past.
    void forge_new(Stage stage, const json& changes = json::object(), const std::string& utc = early) {
        fs::remove_all(directory);
        fs::create_directories(directory / "evidence");
        json holders = json::object();
        for (const auto& [role, key] : keys) holders[role] = key.public_key().hex();
        json event{{"type", "new"},           {"id", "v1"},
                   {"stage", name_of(stage)}, {"commit", release_commit},
                   {"max_regression", 0.25},  {"holders", holders}};
        event.update(changes);
        forge(event, utc);
    }

    void forge_attach(const std::string& kind, const std::string& name, const std::string& content,
                      const json& changes = json::object(), const std::string& utc = noon) {
        write_text(directory / "evidence" / name, content);
        json event{{"type", "attach"},         {"kind", kind},    {"name", name},
                   {"commit", release_commit}, {"folder", false}, {"sha256", sha256_hex(content)}};
        event.update(changes);
        forge(event, utc);
    }

    json waiver(const json& changes = json::object()) const {
        json event{{"type", "waive"},
                   {"scope", "A.c-api"},
                   {"risk", "a risk"},
                   {"owner", "O. Wner"},
                   {"expires", "2999-12-31"}};
        event.update(changes);
        return event;
    }

    json sign_off_by(const SigningKey& key, const json& changes = json::object(),
                     const std::string& utc = noon) const {
        const auto state = *load_state(directory);
        const std::string message =
            sign_off_message(state, "qa-engineer", "Q", state.seen(), time_after(log(), utc));
        json event{{"type", "sign-off"},   {"role", "qa-engineer"},
                   {"person", "Q"},        {"key", keys.at("qa-engineer").public_key().hex()},
                   {"seen", state.seen()}, {"signature", *key.sign(message)}};
        event.update(changes);
        return event;
    }

    // Prints it too: docs/releases.md has these sentences.
    void refused(const char* way, const std::string& sentence) const {
        const std::string found = problems();
        EXPECT_THAT(found, HasSubstr(sentence)) << way;
        std::printf("forged: %s | %s", way, found.empty() ? "ACCEPTED\n" : found.c_str());
    }
};

TEST_F(ForgingTest, OfAPromotion) {
    forge_new(Stage::ga);
    ASSERT_EQ(problems(), "") << "what is not forged is accepted";
    forge({{"type", "promote"}});
    refused("a release for all, promoted without evidence or sign-off",
            "log.jsonl: line 2 (promote): it could not be promoted: A.tests: nothing is attached as "
            "test-report (and " +
                std::to_string(requirement_rows().size() - 1) + " more)\n");
    // What rewrites the derived files of a promoted release does not do so for this one.
    const auto json_before = read_text(directory / "release.json");
    EXPECT_EQ(promote(directory).error().kind, ErrorKind::check_failed);
    EXPECT_THAT(promote(directory).error().message, HasSubstr("line 2 (promote): it could not be promoted"));
    EXPECT_EQ(read_text(directory / "release.json"), json_before);
    EXPECT_THAT(export_release(directory, folder.path() / "v1.tar").error().message,
                HasSubstr("line 2 (promote)"));
    EXPECT_THAT(read_text(directory / "release.md"), ::testing::Not(HasSubstr("**Promoted**")));
    EXPECT_THAT(read_text(directory / "release.md"), HasSubstr("**Not accepted**"));
    forge_new(Stage::dev, {{"holders", json::object()}});
    forge({{"type", "promote"}});
    refused("the same at the stage that needs least", "(promote): it could not be promoted: A.tests");
}

TEST_F(ForgingTest, OfAPromotionWithEverythingButTheSignOffs) {
    begin(Stage::ga);
    add_all();
    forge({{"type", "promote"}}, utc_now());
    refused("promoted with all evidence and no sign-off",
            "(promote): it could not be promoted: D.sign-off.kernel-engineer: the kernel-engineer has not "
            "signed (and " +
                std::to_string(release_roles.size() - 1) + " more)\n");
}

TEST_F(ForgingTest, OfAPromotionAtAnotherTime) {
    begin(Stage::rc);
    add_all(1.6);
    forge(waiver({{"scope", "C.comparison"}, {"expires", tomorrow()}}), utc_now());
    ASSERT_EQ(blockers(), "");
    const auto text = read_text(directory / "log.jsonl");
    forge({{"type", "promote"}}, "2998-01-01T00:00:00Z");
    refused("promoted when the waiver it needs had expired",
            "(promote): it could not be promoted: C.comparison");
    refused("promoted at a time to come",
            "(promote): it is dated 2998-01-01T00:00:00Z, more than a day ahead of this machine's clock");
    write_text(directory / "log.jsonl", text);
    forge({{"type", "promote"}}, utc_now());
    EXPECT_EQ(problems(), "") << "as the program does it";
}

TEST_F(ForgingTest, OfTheBeginning) {
    const std::string one = keys.at("qa-engineer").public_key().hex();
    const json same{
        {"kernel-engineer", one}, {"platform-engineer", one}, {"qa-engineer", one}, {"product-lead", one}};
    forge_new(Stage::ga, {{"holders", same}});
    refused("one key for four roles",
            "log.jsonl: line 1 (new): two roles have the same key: one sign-off is one person's\n");
    json holders = same;
    for (const auto& [role, key] : keys) holders[role] = key.public_key().hex();
    auto changed = holders;
    changed["intern"] = SigningKey::generate()->public_key().hex();
    forge_new(Stage::ga, {{"holders", changed}});
    refused("a role that is none", "line 1 (new): the role \"intern\" is not known\n");
    changed = holders;
    changed.erase("product-lead");
    forge_new(Stage::ga, {{"holders", changed}});
    refused("a role without a key", "line 1 (new): the stage ga needs a key of the product-lead\n");
    changed = holders;
    changed["qa-engineer"] = "0100000000000000000000000000000000000000000000000000000000000000";
    forge_new(Stage::ga, {{"holders", changed}});
    refused("a key for which anybody can sign",
            "line 1 (new): the key of the qa-engineer is refused: it is a point of small order");
    changed["qa-engineer"] = "mine";
    forge_new(Stage::ga, {{"holders", changed}});
    refused("a key that is none",
            "line 1 (new): the key of the qa-engineer is refused: it is not 64 lower-case hex digits\n");
    for (const json& limit : {json(1e9), json(-5), json(1.0001)}) {
        forge_new(Stage::ga, {{"max_regression", limit}});
        refused(("a largest regression of " + limit.dump()).c_str(),
                "line 1 (new): the largest regression is out of range: give 0 to 100 %\n");
    }
    forge_new(Stage::ga, {{"max_regression", "none"}});
    refused("a largest regression that is text",
            "line 1 (new): it lacks a field that its type needs, or has one of another kind\n");
    forge_new(Stage::ga, {{"stage", "gold"}});
    refused("a stage that is none", "line 1 (new): the stage \"gold\" is not one of dev, rc, ga\n");
    forge_new(Stage::ga, {{"approved", true}});
    refused("a field that no entry has",
            "line 1 (new): it has the field \"approved\", which an entry of its type does not have\n");
    forge_new(Stage::ga, {{"commit", "HEAD"}});
    refused("no commit", "line 1 (new): the commit \"HEAD\" is not 40 lower-case hex digits\n");
}

TEST_F(ForgingTest, OfStages) {
    forge_new(Stage::dev);
    const json first = log()[0].event;
    json second = first;
    second["stage"] = "ga";
    forge(second);
    refused("a second beginning, to skip from dev to ga",
            "log.jsonl: line 2 (new): a release begins with one entry \"new\" and has no other\n");
    forge_new(Stage::dev);
    forge({{"type", "promote"}, {"stage", "ga"}});
    refused("a promotion to another stage",
            "line 2 (promote): it has the field \"stage\", which an entry of its type does not have\n");
    forge_new(Stage::dev);
    forge({{"type", "approve"}});
    refused("a type that is none", "log.jsonl: line 2: its type \"approve\" is not known\n");
}

TEST_F(ForgingTest, OfWhatFollowsAPromotion) {
    begin(Stage::dev);
    ASSERT_TRUE(add("test-report", "tests.xml", testing::test_report(1)));
    ASSERT_TRUE(add("c-api-report", "c-api.xml", testing::test_report(3)));
    ASSERT_TRUE(add("parity-report", "parity.json", R"({"cases": [{"case": "a", "passed": true}]})"));
    ASSERT_TRUE(add("issues", "issues.json", testing::issue_list()));
    ASSERT_TRUE(promote(directory));
    ASSERT_EQ(problems(), "");
    const auto text = read_text(directory / "log.jsonl");
    forge_attach("other", "late.txt", "late", {{"commit", ""}}, utc_now());
    refused("evidence after the promotion", "line 7 (attach): nothing follows a promotion\n");
    fs::remove(directory / "evidence" / "late.txt");
    write_text(directory / "log.jsonl", text);
    forge({{"type", "promote"}}, utc_now());
    refused("a second promotion", "line 7 (promote): nothing follows a promotion\n");
    write_text(directory / "log.jsonl", text);
    write_text(directory / "evidence" / "tests.xml", testing::test_report(1, false));
    refused("evidence that was replaced", "evidence/tests.xml: its SHA-256 is");
}

TEST_F(ForgingTest, OfEvidence) {
    const auto attached = [this](const char* way, const std::string& kind, const std::string& content,
                                 const json& changes, const std::string& sentence) {
        forge_new(Stage::rc);
        forge_attach(kind, "a.txt", content, changes);
        refused(way, sentence);
    };
    attached("a test report that is none", "test-report", "all green", json::object(),
             "log.jsonl: line 2 (attach): \"" + (directory / "evidence" / "a.txt").string() +
                 "\" cannot be read as test-report: ");
    attached("a lone record.json in place of a record", "smoke-record", "{}", json::object(),
             "line 2 (attach): a smoke-record is a record directory, not a file\n");
    attached("a folder in place of a report", "test-report", "x", {{"folder", true}},
             "line 2 (attach): a test-report is a file, not a folder\n");
    attached("a kind that is none", "approval", "x", json::object(),
             "line 2 (attach): the kind of evidence \"approval\"");
    attached("a hash that is none", "other", "x", {{"sha256", "mine"}, {"commit", ""}},
             "line 2 (attach): its SHA-256 is not 64 lower-case hex digits\n");
    attached("a report of no commit", "test-report", testing::test_report(1), {{"commit", ""}},
             "line 2 (attach): test-report needs the 40 digits of the commit that it is about\n");
    attached("a commit for what has none", "licence", "MIT", json::object(),
             "line 2 (attach): licence has no commit of its own\n");
    attached("a name that leads out of the folder", "other", "x", {{"name", "../x"}, {"commit", ""}},
             "line 2 (attach): the name \"../x\" is not safe everywhere");
    forge_new(Stage::rc);
    forge_attach("test-report", "one.xml", testing::test_report(1));
    forge_attach("test-report", "two.xml", testing::test_report(1));
    refused("one test run as two",
            "line 3 (attach): the same content is attached as evidence/one.xml already\n");
    forge_new(Stage::rc);
    forge_attach("other", "a.txt", "a", {{"commit", ""}});
    forge_attach("licence", "A.txt", "b", {{"commit", ""}});
    refused("evidence in place of evidence", "line 3 (attach): evidence/a.txt is attached already");
}

TEST_F(ForgingTest, OfARecordsCommit) {
    begin(Stage::rc);
    const fs::path record = directory / "evidence" / "smoke";
    testing::write_release_record(record, 1, std::nullopt, std::string(40, 'e'));
    const auto hash = evidence_hash(record);
    ASSERT_TRUE(hash);
    forge({{"type", "attach"},
           {"kind", "smoke-record"},
           {"name", "smoke"},
           {"commit", release_commit},
           {"folder", true},
           {"sha256", hash->sha256}},
          utc_now());
    refused("a record of another commit, said to be of this one",
            "line 2 (attach): it says that evidence/smoke is about commit 0123456789ab, the record itself "
            "that it is about eeeeeeeeeeee\n");
    EXPECT_THAT(blockers(), HasSubstr("B.smoke: evidence/smoke is about commit eeeeeeeeeeee"));
}

TEST_F(ForgingTest, OfWaivers) {
    const auto waived = [this](const char* way, const json& changes, const std::string& sentence) {
        forge_new(Stage::rc);
        forge(waiver(changes));
        refused(way, sentence);
    };
    forge_new(Stage::rc);
    forge(waiver());
    ASSERT_EQ(problems(), "");
    waived("a waiver of what must hold", {{"scope", "A.tests"}},
           "log.jsonl: line 2 (waive): \"A.tests\" cannot be waived");
    waived("a waiver of no requirement", {{"scope", "E.all"}}, "line 2 (waive): \"E.all\" cannot be waived");
    waived("a waiver that nobody answers for", {{"owner", " "}}, "line 2 (waive): the owner is empty");
    waived("a waiver that had expired", {{"expires", "2025-03-08"}},
           "line 2 (waive): the expiry 2025-03-08 is past\n");
    waived("a waiver without end", {{"expires", "never"}},
           "line 2 (waive): the expiry \"never\" is not a date: write YYYY-MM-DD\n");
    waived("a waiver in words for a terminal", {{"risk", "none\x1b[2K"}},
           "line 2 (waive): the risk has characters that cannot be shown\n");
}

TEST_F(ForgingTest, OfSignOffs) {
    const SigningKey& key = keys.at("qa-engineer");
    forge_new(Stage::ga);
    forge(sign_off_by(key));
    ASSERT_EQ(problems(), "");
    forge_new(Stage::ga);
    forge(sign_off_by(key), evening);
    refused("a sign-off with another date than was signed",
            "log.jsonl: line 2 (sign-off): its signature is not the key's for what there was and its date\n");
    forge_new(Stage::ga);
    forge(sign_off_by(keys.at("product-lead")));
    refused("a sign-off that another signed", "line 2 (sign-off): its signature is not the key's");
    forge_new(Stage::ga);
    forge(sign_off_by(key, {{"key", keys.at("product-lead").public_key().hex()}}));
    refused("a sign-off by another key", "line 2 (sign-off): this key is not the qa-engineer's: it is ");
    forge_new(Stage::ga);
    forge(sign_off_by(key, {{"role", "intern"}}));
    refused("a sign-off by a role that is none", "line 2 (sign-off): the role \"intern\" is not known\n");
    forge_new(Stage::ga);
    forge(sign_off_by(key, {{"person", "A. Nother"}}));
    refused("a sign-off of another person", "line 2 (sign-off): its signature is not the key's");
    forge_new(Stage::ga);
    const auto old = sign_off_by(key);
    forge(waiver());
    forge(old);
    refused("a sign-off of what there was before",
            "line 3 (sign-off): what it signed is not what there was\n");
    forge_new(Stage::ga);
    const auto of_one = sign_off_by(key);
    forge_new(Stage::ga, {{"id", "v1"}}, "2025-03-09T17:00:01Z");
    forge(of_one);
    refused("a sign-off of another release", "line 2 (sign-off): its signature is not the key's");
    forge_new(Stage::ga);
    auto event = sign_off_by(key);
    event["signature"] = in_another_form(event["signature"]);
    forge(event);
    refused("a signature in another form", "line 2 (sign-off): its signature is not the key's");
}

TEST_F(ForgingTest, OfTimes) {
    forge_new(Stage::rc);
    forge(waiver(), "2025-03-09T16:59:59Z");
    refused("a time before that of the entry before",
            "log.jsonl: line 2 (waive): it is dated 2025-03-09T16:59:59Z, before the entry before it "
            "(2025-03-09T17:00:00Z)\n");
    forge_new(Stage::rc);
    forge(waiver(), "2025-02-30T17:00:00Z");
    refused("a time that is none",
            "line 2 (waive): its time \"2025-02-30T17:00:00Z\" is not a time of the calendar\n");
    forge_new(Stage::rc);
    forge(waiver(), noon, {{"clock", early}});
    refused(
        "a date that the clock did not show",
        "line 2 (waive): its clock was at 2025-03-09T17:00:00Z, and its date is neither that nor the one of "
        "the entry before it\n");
    forge_new(Stage::rc);
    forge(waiver(), early, {{"clock", noon}});
    refused("a clock ahead of its date", "line 2 (waive): its clock was at 2025-03-09T17:05:00Z");
    // A waiver that was seen expired, and a clock that was set back.
    forge_new(Stage::dev);
    forge_attach("test-report", "t.xml", testing::test_report(1));
    forge_attach("parity-report", "p.json", R"({"cases": [{"case": "a", "passed": true}]})");
    forge_attach("issues", "i.json", testing::issue_list());
    forge(waiver({{"expires", "2025-03-10"}}));
    forge_attach("other", "o.txt", "o", {{"commit", ""}}, "2025-03-12T00:00:00Z");
    forge({{"type", "promote"}}, "2025-03-12T00:00:00Z", {{"clock", "2025-03-10T00:00:00Z"}});
    refused("a clock that was set back to before a waiver's end",
            "line 7 (promote): it could not be promoted: A.c-api: nothing is attached as c-api-report\n");
}

}  // namespace
}  // namespace workbench
