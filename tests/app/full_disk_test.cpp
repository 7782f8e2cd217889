// SPDX-License-Identifier: MIT
// Records, releases and the history on a disk that is full: nothing half written, nothing lost, a sentence,
// and done again once there is room.
#include "tests/full_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/run_program.h"
#include "tests/core/record/record_testing.h"

namespace {

namespace fs = std::filesystem;
namespace made = workbench::testing;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// What no file may grow beyond; the program's own sentence always fits.
constexpr rlim_t rooms[] = {600, 2'000, 5'000, 9'000, 14'000, 40'000};

class FullDiskCli : public ::testing::Test {
  protected:
    static app_test::Outcome iir2d(const std::vector<std::string>& arguments) {
        return app_test::run_program(IIR2D_CLI, arguments);
    }
    static app_test::Outcome with_room(rlim_t room, const std::vector<std::string>& arguments) {
        const made::FullDisk disk(room);
        return iir2d(arguments);
    }
    // Whether it had the room; a sentence where not.
    static bool had_room(const app_test::Outcome& outcome) {
        if (outcome.code == 0) return true;
        EXPECT_EQ(outcome.code, 6) << outcome.err;
        EXPECT_THAT(app_test::error_lines(outcome.err), SizeIs(1)) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("could not be written"));
        return false;
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    made::TemporaryFolder folder;
};

TEST_F(FullDiskCli, WritesARecordWholeOrNotAtAll) {
    int whole = 0, refused = 0;
    for (const rlim_t room : rooms) {
        const auto record = path("record" + std::to_string(room));
        const std::vector<std::string> bench = {"bench", "--protocol", "smoke", "--device",
                                                "cpu",   "--record",   record,  "-q"};
        if (had_room(with_room(room, bench))) {
            ++whole;
            EXPECT_EQ(iir2d({"verify", record, "-q"}).code, 0);
        } else {
            ++refused;
            EXPECT_FALSE(fs::exists(record)) << room;
        }
    }
    EXPECT_GT(whole, 0);
    EXPECT_GT(refused, 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), whole) << "nothing left over";
}

TEST_F(FullDiskCli, KeepsTheHistory) {
    ASSERT_TRUE(workbench::write_record(made::sample_record(), folder.path() / "first"));
    workbench::Record other = made::sample_record();
    other.run.finished_utc = "2025-03-09T17:05:05Z";
    ASSERT_TRUE(workbench::write_record(other, folder.path() / "second"));
    const auto database = path("h.sqlite");
    ASSERT_EQ(iir2d({"history", "add", "--db", database, path("first")}).code, 0);
    const auto before = made::read_text(database);
    int refused = 0;
    for (const rlim_t room : rooms) {
        made::write_text(database, before);
        const bool added = had_room(with_room(room, {"history", "add", "--db", database, path("second")}));
        refused += added ? 0 : 1;
        EXPECT_THAT(iir2d({"history", "check", "--db", database}).out,
                    HasSubstr(added ? "accepted 2 records\n" : "accepted 1 record\n"))
            << room;
        EXPECT_EQ(iir2d({"history", "add", "--db", database, path("second")}).code, 0) << room;
        EXPECT_THAT(iir2d({"history", "check", "--db", database}).out, HasSubstr("accepted 2 records"));
    }
    EXPECT_GT(refused, 0);
}

TEST_F(FullDiskCli, KeepsTheRelease) {
    const auto release = [this](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "release");
        arguments.insert(arguments.end(), {"--dir", path("releases")});
        return arguments;
    };
    ASSERT_EQ(iir2d(release({"new", "v1", "--stage", "dev", "--commit", std::string(40, 'a')})).code, 0);
    int attached = 0, refused = 0;
    for (const rlim_t room : rooms) {
        const auto name = "notes" + std::to_string(room) + ".txt";
        made::write_text(folder.path() / name, std::string(4'000, 'n') + name);
        const auto attach = release({"attach", "v1", "other", path(name)});
        const bool done = had_room(with_room(room, attach));
        EXPECT_EQ(iir2d(release({"verify", "v1"})).code, 0) << room << ": it is as before, or after";
        if (!done) {
            ++refused;
            const auto again = iir2d(attach);
            // What was logged before the room gave out is done, and says so.
            EXPECT_TRUE(again.code == 0 || again.err.find("is attached as") != std::string::npos)
                << again.err;
            EXPECT_EQ(iir2d(release({"verify", "v1"})).code, 0) << room;
        }
        ++attached;
        EXPECT_TRUE(fs::exists(folder.path() / "releases/v1/evidence" / name)) << room;
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(attached, refused);
    // The next change puts right what may have stayed behind.
    made::write_text(folder.path() / "last.txt", "last");
    ASSERT_EQ(iir2d(release({"attach", "v1", "other", path("last.txt")})).code, 0);
    EXPECT_EQ(iir2d(release({"verify", "v1"})).out.find("note "), std::string::npos);
}

}  // namespace
