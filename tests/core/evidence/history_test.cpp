// SPDX-License-Identifier: MIT
#include "core/evidence/history.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/benchmark/synthetic.h"
#include "core/record/record.h"
#include "core/support/files.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string key = "filter:1 border:mirror precision:f32 size:1024x512";

class HistoryTest : public ::testing::Test {
  protected:
    // A record of its own: its time makes it another one.
    fs::path record(int minute) {
        Record r = testing::sample_record();
        const std::string text = std::to_string(minute % 60);
        r.run.started_utc =
            "2025-03-09T1" + std::to_string(minute / 60) + ":" + (text.size() < 2 ? "0" : "") + text + ":00Z";
        r.run.finished_utc = "2025-03-09T23:00:00Z";
        const fs::path directory = folder.path() / ("r" + std::to_string(minute));
        EXPECT_TRUE(write_record(r, directory));
        return directory;
    }
    std::vector<std::string> problems() { return *History::open_to_read(file)->check(); }

    testing::TemporaryFolder folder;
    fs::path file = folder.path() / "history.sqlite";
};

TEST_F(HistoryTest, KeepsRecordsInTheOrderTheyWereMeasured) {
    auto history = History::open(file);
    ASSERT_TRUE(history) << history.error().message;
    const auto second = history->add(record(20));
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_TRUE(second->added);
    const auto first = history->add(record(10) / "record.json");
    ASSERT_TRUE(first);
    const auto again = history->add(folder.path() / "r20");
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->added);
    const auto entries = History::open_to_read(file)->list();
    ASSERT_THAT(*entries, SizeIs(2));
    EXPECT_EQ((*entries)[0].record_id, first->record_id);
    EXPECT_EQ((*entries)[1].started_utc, "2025-03-09T10:20:00Z");
    EXPECT_EQ((*entries)[1].cases, 3);
    EXPECT_EQ(*history->record(second->record_id.substr(0, 8)),
              testing::read_text(folder.path() / "r20/record.json"));
    EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(HistoryTest, TellsACaseOverTime) {
    auto history = History::open(file);
    ASSERT_TRUE(history->add(record(10)) && history->add(record(20)));
    EXPECT_THAT(*history->keys(), SizeIs(2)) << "the third was not timed";
    const auto points = history->trend(key, Metric::latency, "");
    ASSERT_THAT(*points, SizeIs(2));
    EXPECT_EQ((*points)[0].p50, 0.5);
    EXPECT_EQ((*points)[0].samples, 3U);
    const auto rate = history->trend(key, Metric::throughput, "cpu");
    EXPECT_NEAR((*rate)[0].p50, 1024 * 512 / 0.5e3, 1e-6);
    EXPECT_LE((*rate)[0].p50_interval.low, (*rate)[0].p50_interval.high);
    EXPECT_EQ(history->trend(key, Metric::latency, "a GPU").error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(history->trend("no such case", Metric::latency, "").error().message, HasSubstr("no record"));
}

TEST_F(HistoryTest, NamesRecordsByEnoughDigits) {
    auto history = History::open(file);
    ASSERT_TRUE(history->add(record(10)));
    EXPECT_EQ(history->record("").error().kind, ErrorKind::bad_argument);
    EXPECT_EQ(history->record("abc").error().kind, ErrorKind::bad_argument);
    EXPECT_EQ(history->record("' OR 1=1").error().kind, ErrorKind::bad_argument);
    EXPECT_EQ(history->record(std::string(64, '0')).error().kind, ErrorKind::bad_argument);
}

TEST_F(HistoryTest, TakesNoRecordThatDoesNotVerify) {
    auto history = History::open(file);
    const auto directory = record(10);
    testing::write_text(directory / "record.md", "other");
    EXPECT_EQ(history->add(directory).error().kind, ErrorKind::check_failed);
    EXPECT_EQ(history->add(folder.path() / "none").error().kind, ErrorKind::bad_input);
    EXPECT_THAT(*history->list(), IsEmpty());
}

TEST_F(HistoryTest, RefusesWhatIsNoHistory) {
    EXPECT_THAT(History::open_to_read(file).error().message, HasSubstr("there is no history"));
    EXPECT_EQ(History::open(folder.path() / "no" / "folder.sqlite").error().kind,
              ErrorKind::unwritable_output);
    testing::write_text(file,
                        "This is a letter and no database, long enough to be read as a header of one....."
                        "......................................................................");
    EXPECT_EQ(History::open(file).error().kind, ErrorKind::bad_input);
    EXPECT_EQ(History::open_to_read(file).error().kind, ErrorKind::bad_input);
    EXPECT_EQ(testing::read_text(file).substr(0, 4), "This");
    EXPECT_EQ(History::open_to_read(folder.path()).error().kind, ErrorKind::bad_input);
}

TEST_F(HistoryTest, MakesNoHistoryOfAnEmptyFileToRead) {
    testing::write_text(file, "");
    const auto refused = History::open_to_read(file);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(refused.error().message, HasSubstr("is not a history of records: it is empty"));
    EXPECT_EQ(fs::file_size(file), 0U);
    EXPECT_TRUE(History::open(file));
    EXPECT_TRUE(History::open_to_read(file));
}

TEST_F(HistoryTest, IsMadeByTheFirstOfManyWriters) {
    for (int round = 0; round < 20; ++round) {
        fs::remove(file);
        pid_t children[4];
        for (pid_t& child : children) {
            child = fork();
            if (child == 0) _exit(History::open(file) ? 0 : 1);
        }
        for (const pid_t child : children) {
            int status = 0;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << round;
        }
        EXPECT_THAT(problems(), IsEmpty());
    }
}

TEST_F(HistoryTest, FindsDamage) {
    {
        auto history = History::open(file);
        for (int i = 0; i < 4; ++i) ASSERT_TRUE(history->add(record(i)));
    }
    const std::string good = testing::read_text(file);
    int found = 0, trials = 0;
    // SQLite keeps no checksums: what is checked is its structure and every record against its record_id.
    for (std::uint64_t i = 0; i < 60; ++i, ++trials) {
        std::string bad = good;
        const std::size_t place = splitmix64(5, i) % bad.size();
        bad[place] = static_cast<char>(bad[place] ^ 0x41);
        testing::write_text(file, bad);
        const auto history = History::open_to_read(file);
        if (!history) {
            ++found;
            continue;
        }
        const auto said = history->check();
        found += !said || !said->empty();
    }
    // The rest are unused bytes of pages.
    EXPECT_GT(found, trials / 2);
    testing::write_text(file, good.substr(0, good.size() / 2));
    const auto half = History::open_to_read(file);
    EXPECT_TRUE(!half || !half->check() || !half->check()->empty());
}

// A process that adds records i, i + step, ...
pid_t adder(const fs::path& file, const std::vector<fs::path>& records) {
    const pid_t child = fork();
    if (child != 0) return child;
    auto history = History::open(file);
    bool good = history.has_value();
    for (const auto& r : records) good = good && history->add(r).has_value();
    _exit(good ? 0 : 1);
}

TEST_F(HistoryTest, TakesTwoWritersAtOnce) {
    std::vector<fs::path> odd, even;
    for (int i = 0; i < 20; ++i) (i % 2 == 0 ? even : odd).push_back(record(i));
    const pid_t a = adder(file, odd);
    const pid_t b = adder(file, even);
    for (const pid_t child : {a, b}) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    EXPECT_THAT(*History::open_to_read(file)->list(), SizeIs(20));
    EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(HistoryTest, IsWholeAfterAKillAtAnyMoment) {
    std::vector<fs::path> records;
    for (int i = 0; i < 10; ++i) records.push_back(record(i));
    std::size_t known = 0;
    for (std::uint64_t trial = 0; trial < 40; ++trial) {
        if (trial % 8 == 0) {
            for (const char* end : {"", "-journal", "-wal", "-shm"}) fs::remove(file.string() + end);
            known = 0;
        }
        const pid_t child = adder(file, records);
        std::this_thread::sleep_for(std::chrono::microseconds(splitmix64(8, trial) % 60'000));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        if (!fs::exists(file)) continue;
        // A reader is let in again, and what was there stays.
        const auto history = History::open_to_read(file);
        if (!history) {
            // On a busy machine the kill comes before the first transaction, which makes the tables.
            EXPECT_EQ(known, 0U);
            EXPECT_THAT(history.error().message, HasSubstr("it is empty"));
            continue;
        }
        const auto entries = history->list();
        ASSERT_TRUE(entries) << entries.error().message;
        EXPECT_GE(entries->size(), known);
        known = entries->size();
        EXPECT_THAT(problems(), IsEmpty());
    }
    int status = 0;
    waitpid(adder(file, records), &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_THAT(*History::open_to_read(file)->list(), SizeIs(10));
}

}  // namespace
}  // namespace workbench
