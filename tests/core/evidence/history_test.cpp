// SPDX-License-Identifier: MIT
#include "core/evidence/history.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>
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

const std::string kept_case = "filter:1 border:mirror precision:f32 size:1024x512";

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
    // Four processes at once.
    void open_by_four() {
        pid_t children[4];
        for (pid_t& child : children) {
            child = fork();
            if (child == 0) _exit(History::open(file) ? 0 : 1);
        }
        for (const pid_t child : children) {
            int status = 0;
            ASSERT_EQ(waitpid(child, &status, 0), child);
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
    }

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
    const auto points = history->trend(kept_case, Metric::latency, "");
    ASSERT_THAT(*points, SizeIs(2));
    EXPECT_EQ((*points)[0].p50, 0.5);
    EXPECT_EQ((*points)[0].samples, 3U);
    const auto rate = history->trend(kept_case, Metric::throughput, "cpu");
    EXPECT_NEAR((*rate)[0].p50, 1024 * 512 / 0.5e3, 1e-6);
    EXPECT_LE((*rate)[0].p50_interval.low, (*rate)[0].p50_interval.high);
    EXPECT_EQ(history->trend(kept_case, Metric::latency, "a GPU").error().kind, ErrorKind::bad_argument);
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
        open_by_four();
        EXPECT_THAT(problems(), IsEmpty());
    }
}

// A history of version 1, as earlier programs made it: without the column of notes and without duels.
void make_older(const fs::path& file) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database,
                           "DROP TABLE change; DROP TABLE duel; ALTER TABLE record DROP COLUMN note; PRAGMA "
                           "user_version = 1",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
}

std::int64_t version_of(const fs::path& file) {
    const std::string bytes = testing::read_text(file);
    return static_cast<unsigned char>(bytes.at(63));  // the last byte of user_version in the header
}

TEST_F(HistoryTest, KeepsANoteOnARecord) {
    auto history = History::open(file);
    const auto noted = history->add(record(10), "before the change");
    const auto plain = history->add(record(20));
    ASSERT_TRUE(noted && plain);
    EXPECT_EQ((*history->list())[0].note, "before the change");
    EXPECT_EQ((*history->list())[1].note, "");
    EXPECT_EQ(*history->set_note(plain->record_id.substr(0, 12), "naïve <b>loop</b>"), plain->record_id);
    EXPECT_EQ((*history->list())[1].note, "naïve <b>loop</b>");
    ASSERT_TRUE(history->add(folder.path() / "r10"));
    EXPECT_EQ((*history->list())[0].note, "before the change") << "adding it again takes no note away";
    ASSERT_TRUE(history->add(folder.path() / "r10", "another"));
    EXPECT_EQ((*history->list())[0].note, "another");
    ASSERT_TRUE(history->set_note(noted->record_id, ""));
    EXPECT_EQ((*history->list())[0].note, "");
    EXPECT_EQ(history->set_note(plain->record_id, "two\nlines").error().kind, ErrorKind::bad_argument);
    EXPECT_EQ(history->set_note(plain->record_id, std::string(501, 'x')).error().kind,
              ErrorKind::bad_argument);
    EXPECT_EQ(history->set_note(std::string(64, '0'), "x").error().kind, ErrorKind::bad_argument);
    EXPECT_EQ((*history->list())[1].note, "naïve <b>loop</b>") << "what is refused changes nothing";
    EXPECT_EQ(History::open_to_read(file)->set_note(plain->record_id, "x").error().kind,
              ErrorKind::unwritable_output);
    EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(HistoryTest, BringsAnOlderFileToTheNewestVersion) {
    std::string id;
    {
        auto history = History::open(file);
        id = history->add(record(10))->record_id;
        ASSERT_TRUE(history->add(record(20)));
    }
    make_older(file);
    ASSERT_EQ(version_of(file), 1);
    const std::string before = testing::read_text(file);
    {
        const auto reader = History::open_to_read(file);
        ASSERT_TRUE(reader) << reader.error().message;
        EXPECT_THAT(*reader->list(), SizeIs(2));
        EXPECT_EQ((*reader->list())[0].note, "");
        EXPECT_THAT(problems(), IsEmpty());
    }
    EXPECT_EQ(testing::read_text(file), before) << "who only reads changes nothing";
    auto history = History::open(file);
    ASSERT_TRUE(history) << history.error().message;
    EXPECT_EQ(version_of(file), 3);
    ASSERT_THAT(*history->list(), SizeIs(2));
    EXPECT_EQ((*history->list())[0].record_id, id);
    ASSERT_TRUE(history->set_note(id, "kept from version 1"));
    EXPECT_EQ((*History::open(file)->list())[0].note, "kept from version 1");
    EXPECT_EQ(*history->record(id), testing::read_text(folder.path() / "r10/record.json"));
    EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(HistoryTest, IsMigratedOnceByManyWriters) {
    for (int round = 0; round < 10; ++round) {
        fs::remove(file);
        ASSERT_TRUE(History::open(file)->add(round == 0 ? record(10) : folder.path() / "r10"));
        make_older(file);
        open_by_four();
        EXPECT_EQ(version_of(file), 3);
        EXPECT_THAT(problems(), IsEmpty());
    }
}

TEST_F(HistoryTest, KeepsDuelsAsRelativeChanges) {
    auto history = History::open(file);
    const DuelEntry duel{
        .record_id = std::string(64, 'd'),
        .started_utc = "2026-11-22T10:00:00Z",
        .host = "desk",
        .base_commit = std::string(40, 'a'),
        .now_commit = std::string(40, 'b'),
        .note = "the new loop",
        .changes = {{key, "SLOWER", true, 1.1, {1.08, 1.12}}, {key + " b", "WRONG", false, 1, {}}}};
    EXPECT_TRUE(history->add_duel(duel, "{}")->added);
    EXPECT_FALSE(history->add_duel(duel, "{}")->added) << "it is there already";
    const auto all = *history->duels();
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].note, "the new loop");
    ASSERT_THAT(all[0].changes, SizeIs(2));
    EXPECT_EQ(all[0].changes[0].verdict, "SLOWER");
    EXPECT_EQ(all[0].changes[0].ratio, 1.1);
    EXPECT_EQ(all[0].changes[0].interval.high, 1.12);
    EXPECT_FALSE(all[0].changes[1].measured);
    EXPECT_THAT((*history->duels(key))[0].changes, SizeIs(1));
    EXPECT_THAT(*history->duels("no such case"), IsEmpty());
    EXPECT_THAT(*history->list(), IsEmpty()) << "a duel is no point of a trend";
    EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(HistoryTest, RefusesANewerVersion) {
    ASSERT_TRUE(History::open(file));
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, "PRAGMA user_version = 4", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    EXPECT_THAT(History::open(file).error().message, HasSubstr("its version is 4"));
    EXPECT_THAT(History::open_to_read(file).error().message, HasSubstr("its version is 4"));
}

TEST_F(HistoryTest, TakesARecordFromMemory) {
    Record r = testing::sample_record();
    r.run.started_utc = "2025-03-09T10:10:00Z";
    r.run.finished_utc = "2025-03-09T23:00:00Z";
    auto history = History::open(file);
    const auto added = history->add(r, "from memory");
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(*history->record(added->record_id), record_to_json(r));
    // The same as one that was written and read.
    EXPECT_FALSE(history->add(record(10))->added);
    r.run.results[0].latency.p50 = 77;
    EXPECT_EQ(history->add(r).error().kind, ErrorKind::check_failed);
    EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(HistoryTest, FindsThePreviousRecordOfTheSameCases) {
    auto history = History::open(file);
    const auto measured = [&](int minute) {
        const fs::path there = folder.path() / ("r" + std::to_string(minute));
        return *load_record(fs::exists(there) ? there : record(minute));
    };
    EXPECT_EQ(history->previous(measured(10)).error().kind, ErrorKind::bad_input) << "none is there";
    const std::string first = history->add(folder.path() / "r10")->record_id;
    EXPECT_EQ(history->previous(measured(10)).error().kind, ErrorKind::bad_input) << "only itself";
    EXPECT_EQ(*history->previous(measured(30)), first) << "of one that is not in the history";
    const std::string second = history->add(record(20))->record_id;
    EXPECT_EQ(*history->previous(measured(30)), second) << "the newest";
    EXPECT_EQ(*history->previous(measured(20)), first);
    // A newer one of another device gives way to an older one of this device.
    Record other = testing::sample_record();
    other.run.device.name = "another processor";
    other.run.started_utc = "2025-03-09T10:25:00Z";
    other.run.finished_utc = "2025-03-09T23:00:00Z";
    const std::string third = history->add(other)->record_id;
    EXPECT_EQ(*history->previous(measured(30)), second);
    Record elsewhere = measured(30);
    elsewhere.run.device.name = "a third one";
    EXPECT_EQ(*history->previous(elsewhere), third) << "where none is of its device, the newest";
    Record unlike = measured(30);
    for (auto& c : unlike.run.results) c.what.key = "something else";
    EXPECT_EQ(history->previous(unlike).error().kind, ErrorKind::bad_input);
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
        // Killed before the first transaction, which makes it one.
        if (!history && known == 0 && history.error().message.ends_with("it is empty")) continue;
        ASSERT_TRUE(history) << history.error().message;
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
