// SPDX-License-Identifier: MIT
#include "core/evidence/opened_record.h"

#include <gmock/gmock.h>

#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;

TEST(OpenedRecord, HasWhatWasWritten) {
    const testing::TemporaryFolder folder;
    const Record record = testing::sample_record();
    ASSERT_TRUE(write_record(record, folder.path() / "r"));
    const auto opened = open_record(folder.path() / "r");
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->json, record_to_json(record));
    EXPECT_EQ(opened->results.size(), record.run.results.size());
    EXPECT_EQ(opened->measured.path, (folder.path() / "r").string());
    EXPECT_EQ(opened->measured.record_id, verify_record(folder.path() / "r")->record_id);
    const auto file = open_record(folder.path() / "r" / "record.json");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->measured.record_id, opened->measured.record_id);
    const auto fresh = opened_record_of(record);
    ASSERT_TRUE(fresh);
    EXPECT_EQ(fresh->measured.record_id, opened->measured.record_id);
    EXPECT_EQ(fresh->measured.path, "");
}

TEST(OpenedRecord, IsRefusedWhenItWasAltered) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(write_record(testing::sample_record(), folder.path() / "r"));
    testing::write_text(folder.path() / "r" / "record.md", "altered");
    const auto opened = open_record(folder.path() / "r");
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::check_failed);
    EXPECT_THAT(opened.error().message, HasSubstr("record.md"));
    const auto nothing = open_record(folder.path() / "nowhere");
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().kind, ErrorKind::bad_input);
}

TEST(OpenedRecord, StopsWhenAsked) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(write_record(testing::sample_record(), folder.path() / "r"));
    std::stop_source source;
    source.request_stop();
    const auto opened = open_record(folder.path() / "r", {.stop = source.get_token()});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::cancelled);
}

TEST(OpenedRecord, KnowsThisMachine) {
    MeasuredRecord record;
    EXPECT_FALSE(is_of_this_machine(record)) << "nothing known is nothing alike";
    const auto host = host_name();
    const auto processor = processor_model();
    if (!host.value || !processor.value) GTEST_SKIP() << host.reason << processor.reason;
    record.host = *host.value;
    record.processor = *processor.value;
    EXPECT_TRUE(is_of_this_machine(record));
    record.processor += " of another kind";
    EXPECT_FALSE(is_of_this_machine(record));
}

}  // namespace
}  // namespace workbench
