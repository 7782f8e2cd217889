// SPDX-License-Identifier: MIT
// Records from a stranger: whatever is in them, verifying is short, and what it says is fit for a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "core/support/files.h"
#include "core/support/utf8.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// One line of UTF-8 without control characters, and not long.
MATCHER(IsFitForATerminal, "") {
    const std::string& line = arg;
    for (std::size_t i = 0; i < line.size();) {
        const std::size_t length = utf8_character_length(std::string_view(line).substr(i));
        if (length == 0 || is_utf8_control(std::string_view(line).substr(i, length))) return false;
        i += length;
    }
    return line.size() <= 1500;
}

void expect_fit(const Verification& verification) {
    EXPECT_THAT(verification.checked, Each(IsFitForATerminal()));
    EXPECT_THAT(verification.problems, Each(IsFitForATerminal()));
    EXPECT_THAT(verification.notes, Each(IsFitForATerminal()));
}

// A title of a window, a cleared screen, a line of its own, a control sequence in one character, a reversed
// text.
const std::string hostile =
    "\x1b]0;x\x07\x1b[2J\nproblem  accepted\r\t\x7f\xc2\x9b"
    "31m\xe2\x80\xae";

// Calls `visit` with every place of the value.
void walk(const json& value, const json::json_pointer& place,
          const std::function<void(const json&, const json::json_pointer&)>& visit) {
    visit(value, place);
    if (!value.is_structured()) return;
    for (const auto& [key, item] : value.items())
        walk(item, value.is_array() ? place / std::stoul(key) : place / key, visit);
}

TEST(HostileRecord, KeysAndValuesReachNoTerminal) {
    const json good = json::parse(record_to_json(testing::sample_gpu_record()));
    int tried = 0;
    walk(good, json::json_pointer(), [&](const json& value, const json::json_pointer& place) {
        json changed = good;
        changed[place] = hostile;
        expect_fit(verify_record_text(testing::sealed(changed)));
        // The bytes as they are, in place of the escapes: no JSON, and said so.
        expect_fit(verify_record_text(changed.dump() + hostile));
        if (value.is_string()) {
            std::string bytes = changed.dump();
            const std::string text = json(hostile).dump();
            bytes.replace(bytes.find(text), text.size(), "\"\xff" + hostile + "\"");
            expect_fit(verify_record_text(bytes));
        }
        if (value.is_object()) {
            changed = good;
            changed[place][hostile] = 1;
            const auto verification = verify_record_text(testing::sealed(changed));
            EXPECT_THAT(verification.problems, Contains(HasSubstr("\\u001b]0;x"))) << place;
            expect_fit(verification);
        }
        ++tried;
    });
    EXPECT_GT(tried, 300);
}

// Every text that the schema leaves free, so that it gets as far as the figures.
TEST(HostileRecord, FreeTextsReachNoTerminal) {
    json record = json::parse(record_to_json(testing::sample_gpu_record()));
    const std::string places[] = {"/cases/0/key", "/cases/1/label", "/command_line", "/environment/version",
                                  "/environment/build_fingerprint"};
    for (const std::string& place : places) record[json::json_pointer(place)] = hostile;
    record["program"]["version"] = hostile;
    record["matrix"]["protocol"] = {{"value", hostile}};
    const auto verification = verify_record_text(testing::sealed(record));
    EXPECT_THAT(verification.checked, Contains("record.json: schema")) << verification.problems.front();
    EXPECT_GE(verification.problems.size(), 4U);
    expect_fit(verification);
}

TEST(HostileRecord, NamesOfFilesReachNoTerminal) {
    const testing::TemporaryFolder folder;
    const fs::path directory = folder.path() / "r";
    ASSERT_TRUE(write_record(testing::sample_record(), directory));
    const std::string name = "\xff\xfe\x1b[2Ja\nb\x7f\xc2\x9b.png";
    testing::write_text(directory / name, "x");
    fs::create_symlink("nowhere", directory / (name + "2"));
    const std::string sums = testing::read_text(directory / "SHA256SUMS");
    testing::write_text(directory / "SHA256SUMS", sums + std::string(64, 'a') + "  gone\xff\x7f\n");
    const auto verification = verify_record(directory);
    ASSERT_TRUE(verification);
    expect_fit(*verification);
    EXPECT_THAT(verification->problems,
                Contains("\\xff\\xfe\\x1b[2Ja\\nb\\x7f\\u009b.png: it is not listed in SHA256SUMS"));
    EXPECT_THAT(verification->problems, Contains(HasSubstr("gone\\xff\\x7f: it is listed")));
    for (const fs::path& path : {directory / (name + "3"), folder.path() / name}) {
        const auto none = verify_record(path);
        ASSERT_FALSE(none);
        EXPECT_THAT(none.error().message, IsFitForATerminal());
    }
    const auto refused = read_verified_record(directory);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, IsFitForATerminal());
}

TEST(HostileRecord, AHundredThousandWrongValuesAreOneProblem) {
    json record = json::parse(record_to_json(testing::sample_record()));
    record["cases"][0]["timing"]["value"]["samples_ms"] = json(100'000, "wrong");
    const auto verification = verify_record_text(testing::sealed(record));
    EXPECT_THAT(verification.problems, SizeIs(1));
    EXPECT_EQ(verification.more_problems, 0U);
    EXPECT_THAT(verification.problems.front(),
                HasSubstr("cases[0].timing.value.samples_ms[0]: must be of type number, not \"wrong\""));
}

TEST(HostileRecord, OfManyProblemsTheFirstAreListedAndTheRestCounted) {
    json record = json::parse(record_to_json(testing::sample_record()));
    const json one = record["cases"][0];
    for (int i = 0; i < 1000; ++i) {
        record["cases"].push_back(one);
        record["cases"].back()["index"] = record["cases"].size();
    }
    const auto verification = verify_record_text(testing::sealed(record));
    EXPECT_THAT(verification.problems, SizeIs(200));
    EXPECT_GT(verification.more_problems, 700U) << "each copy has another's key";
    expect_fit(verification);
}

TEST(HostileRecord, FilesAreJudgedByTheirSizeBeforeTheyAreRead) {
    const testing::TemporaryFolder folder;
    const fs::path directory = folder.path() / "r";
    ASSERT_TRUE(write_record(testing::sample_record(), directory));
    std::string sums = testing::read_text(directory / "SHA256SUMS");
    const std::string hash(64, 'a');
    constexpr int count = 60;
    for (int i = 0; i < count; ++i) {
        const std::string name = "picture-" + std::to_string(i) + ".png";
        testing::write_text(directory / name, "");
        fs::resize_file(directory / name, std::uintmax_t{1} << 30);  // sparse
        sums += hash + "  " + name + "\n";
    }
    testing::write_text(directory / "SHA256SUMS", sums);
    auto verification = verify_record(directory);
    ASSERT_TRUE(verification);
    EXPECT_THAT(verification->problems, SizeIs(count));
    EXPECT_THAT(verification->problems,
                Each(HasSubstr("it has 1073741824 bytes, and a file of a record has at most 67108864")));
    // Each allowed, not all of them together.
    for (int i = 0; i < count; ++i)
        fs::resize_file(directory / ("picture-" + std::to_string(i) + ".png"), std::uintmax_t{1} << 26);
    verification = verify_record(directory);
    ASSERT_TRUE(verification);
    EXPECT_THAT(verification->problems, SizeIs(count));
    int read = 0;
    for (const std::string& problem : verification->problems)
        read += problem.find("its SHA-256 is") != problem.npos;
    EXPECT_EQ(read, 4) << "256 MiB of added files are read";
    EXPECT_THAT(verification->problems,
                Contains(HasSubstr("the files that were added to the record have more than")));
}

TEST(HostileRecord, AFolderOfManyFilesIsNotLookedThrough) {
    const testing::TemporaryFolder folder;
    const fs::path directory = folder.path() / "r";
    ASSERT_TRUE(write_record(testing::sample_record(), directory));
    for (int i = 0; i < 1100; ++i) testing::write_text(directory / ("f" + std::to_string(i)), "");
    const auto verification = verify_record(directory);
    ASSERT_TRUE(verification);
    EXPECT_THAT(verification->problems, Contains(HasSubstr("it is one of more than 1000 files")));
}

TEST(LoneRecord, SaysWhatIsProtectedAndWhatIsNot) {
    const testing::TemporaryFolder folder;
    const fs::path directory = folder.path() / "r";
    ASSERT_TRUE(write_record(testing::sample_record(), directory));
    const auto whole = verify_record(directory);
    ASSERT_TRUE(whole);
    EXPECT_THAT(whole->notes, IsEmpty());
    const auto lone = verify_record(directory / "record.json");
    ASSERT_TRUE(lone);
    EXPECT_THAT(lone->problems, IsEmpty());
    ASSERT_THAT(lone->notes, SizeIs(1));
    EXPECT_THAT(lone->notes[0], HasSubstr("checked against itself"));
    EXPECT_THAT(lone->notes[0], HasSubstr("whoever computes it anew can change everything"));
    const auto text = verify_record_text(testing::read_text(directory / "record.json"));
    EXPECT_EQ(text.notes, lone->notes);
    EXPECT_EQ(text.record_id, whole->record_id);
    EXPECT_THAT(text.checked, Not(Contains(HasSubstr("SHA-256"))));
    EXPECT_THAT(text.checked, Contains("record.json: content_sha256"));
}

TEST(VerifyRecordText, TakesAnything) {
    for (const std::string& text :
         {std::string(), std::string("{}"), std::string("[]"), std::string(1 << 20, '['),
          std::string("\0", 1), std::string("{\"schema_version\": 18446744073709551615}"),
          std::string("{\"schema_version\": -1}"), std::string("{\"schema_version\": 0}")}) {
        const auto verification = verify_record_text(text);
        EXPECT_THAT(verification.problems, SizeIs(1)) << text.substr(0, 40);
        expect_fit(verification);
    }
}

}  // namespace
}  // namespace workbench
