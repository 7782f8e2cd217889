// SPDX-License-Identifier: MIT
#include "core/release/log.h"

#include <gmock/gmock.h>

#include "core/release/state.h"

namespace workbench {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string three_lines() {
    std::string text;
    std::vector<LogEntry> log;
    for (int i = 1; i <= 3; ++i) {
        text += log_line(log, "2025-03-09T17:05:0" + std::to_string(i) + "Z", {{"type", "x"}, {"i", i}});
        log = *parse_log(text);
    }
    return text;
}

TEST(ReleaseLog, IsReadAsWritten) {
    const auto log = parse_log(three_lines());
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_THAT(*log, SizeIs(3));
    EXPECT_EQ((*log)[2].event.at("i"), 3);
    EXPECT_EQ((*log)[2].time.utc, "2025-03-09T17:05:03Z");
}

TEST(ReleaseLog, ShowsAnyChangeButThatOfItsEnd) {
    const std::string good = three_lines();
    const auto last = good.rfind('\n', good.size() - 2) + 1;
    for (std::size_t i = 0; i < last; ++i) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        EXPECT_FALSE(parse_log(bad)) << i;
    }
    // A line that is left out, doubled, or swapped with another.
    const auto first = good.find('\n') + 1;
    EXPECT_THAT(parse_log(good.substr(first)).error().message, HasSubstr("line 1: it is not number 1"));
    EXPECT_FALSE(parse_log(good.substr(0, first) + good.substr(last)));
    EXPECT_FALSE(parse_log(good.substr(0, first) + good));
    EXPECT_THAT(parse_log(good.substr(0, good.size() - 1)).error().message,
                HasSubstr("line 3: it does not end"));
    EXPECT_FALSE(parse_log(""));
    EXPECT_FALSE(parse_log("\n"));
    EXPECT_FALSE(parse_log(std::string(1'000'000, '[') + "\n"));
}

TEST(ReleaseLog, HasDatesThatDoNotGoBack) {
    const std::string first = log_line({}, "2025-03-09T17:05:00Z", {{"type", "x"}});
    const auto log = *parse_log(first);
    EXPECT_EQ(log[0].time.clock, log[0].time.utc);
    const auto later = parse_log(first + log_line(log, "2025-03-09T17:06:00Z", {{"type", "x"}}));
    EXPECT_EQ((*later)[1].time.utc, "2025-03-09T17:06:00Z");
    const auto behind = parse_log(first + log_line(log, "2025-03-08T00:00:00Z", {{"type", "x"}}));
    EXPECT_EQ((*behind)[1].time.utc, "2025-03-09T17:05:00Z");
    EXPECT_EQ((*behind)[1].time.clock, "2025-03-08T00:00:00Z");
}

TEST(ReleaseNames, AreSafeEverywhere) {
    for (const char* name : {"a", "record-1.json", "v1.0_rc", "A", "console", "com", "nul-1"})
        EXPECT_TRUE(is_safe_name(name)) << name;
    for (const char* name : {"", ".", "..", ".hidden", "-rf", "a/b", "../a", "a\\b", "c:x", "a b", "a\n",
                             "\xc3\xa9", "a.", "CON", "nul.txt", "Com1", "lpt9.tar.gz"})
        EXPECT_FALSE(is_safe_name(name)) << name;
    EXPECT_FALSE(is_safe_name(std::string(65, 'a')));
}

TEST(ReleaseDates, AreThoseOfTheCalendar) {
    for (const char* date : {"2025-01-01", "2024-02-29", "2025-12-31"}) EXPECT_TRUE(is_date(date)) << date;
    for (const char* date :
         {"", "2025-02-29", "2025-13-01", "2025-1-1", "2025-00-10", "-025-01-01", "2025-01-0a"})
        EXPECT_FALSE(is_date(date)) << date;
    EXPECT_EQ(time_from("1970-01-02T01:02:03Z")->time_since_epoch().count(), 86400 + 3723);
    for (const char* time : {"", "yesterday", "2025-03-09", "2025-03-09T17:05:00", "2025-03-09 17:05:00Z",
                             "2025-03-09T24:00:00Z", "2025-03-09T17:60:00Z", "2025-03-09T17:05:60Z",
                             "2025-02-30T00:00:00Z", "2025-03-09T1 :05:00Z"})
        EXPECT_FALSE(time_from(time)) << time;
}

}  // namespace
}  // namespace workbench
