// SPDX-License-Identifier: MIT
// Records on disk: written whole, and every change found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "core/record/record.h"
#include "core/support/canonical_json.h"
#include "core/support/files.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* needed_names[] = {"SHA256SUMS", "record.csv", "record.json", "record.md",
                                        "statement.json"};

class VerifyTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto written = write_record(testing::sample_record(), directory);
        ASSERT_TRUE(written) << written.error().message;
    }

    // Verifies the good JSON alone with one change, so that only its own figures can tell.
    std::string problems_with(const std::string& place, const json& value) {
        json record = json::parse(testing::read_text(directory / "record.json"));
        record[json::json_pointer(place)] = value;
        testing::write_text(folder.path() / "changed.json", testing::sealed(record));
        return testing::problems_of(folder.path() / "changed.json");
    }

    testing::TemporaryFolder folder;
    fs::path directory = folder.path() / "record";
};

TEST_F(VerifyTest, AcceptsWhatWasWritten) {
    const auto verification = verify_record(directory);
    ASSERT_TRUE(verification) << verification.error().message;
    EXPECT_THAT(verification->problems, IsEmpty());
    EXPECT_THAT(verification->checked,
                ::testing::IsSupersetOf(
                    {"record.csv: SHA-256", "record.json: SHA-256", "record.md: SHA-256",
                     "record.csv: follows from record.json", "record.md: follows from record.json",
                     "latency.svg: follows from record.json", "ratio.svg: follows from record.json",
                     "record.json: figures follow from the samples"}));
    EXPECT_EQ(std::distance(fs::directory_iterator(directory), {}), 7);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing left beside it";
}

TEST_F(VerifyTest, AcceptsTheJsonAlone) {
    EXPECT_EQ(testing::problems_of(directory / "record.json"), "");
}

TEST_F(VerifyTest, CanBeCheckedWithTheUsualTool) {
    EXPECT_EQ(
        std::system(("cd '" + directory.string() + "' && sha256sum -c --strict --quiet SHA256SUMS").c_str()),
        0);
}

TEST_F(VerifyTest, FindsAnyChangedByte) {
    for (const char* name : needed_names) {
        const std::string good = testing::read_text(directory / name);
        // Every byte of the short file, a sample of the long ones.
        const std::size_t step = good.size() < 400 ? 1 : good.size() / 41;
        constexpr int flips[] = {0x01, 0x0a, 0x20, 0x80};
        for (std::size_t i = 0, turn = 0; i < good.size(); i += step, ++turn) {
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ flips[turn % 4]);
            testing::write_text(directory / name, bad);
            EXPECT_NE(testing::problems_of(directory), "") << name << " byte " << i;
        }
        testing::write_text(directory / name, good.substr(0, good.size() - 1));
        EXPECT_NE(testing::problems_of(directory), "") << name << " without its last byte";
        testing::write_text(directory / name, good + "\n");
        EXPECT_NE(testing::problems_of(directory), "") << name << " with a byte more";
        testing::write_text(directory / name, "");
        EXPECT_NE(testing::problems_of(directory), "") << name << " emptied";
        testing::write_text(directory / name, good);
    }
    EXPECT_EQ(testing::problems_of(directory), "") << "as it was";
}

TEST_F(VerifyTest, NamesTheFileThatIsMissingOrStrange) {
    testing::write_text(directory / "notes.txt", "hello");
    EXPECT_THAT(testing::problems_of(directory), HasSubstr("notes.txt: it is not listed in SHA256SUMS"));
    fs::remove(directory / "notes.txt");
    for (const char* name : needed_names) {
        fs::rename(directory / name, folder.path() / name);
        EXPECT_THAT(testing::problems_of(directory), HasSubstr(std::string(name) + ": it is missing"));
        fs::create_symlink(folder.path() / name, directory / name);
        EXPECT_THAT(testing::problems_of(directory),
                    HasSubstr(std::string(name) + ": it is a symbolic link"));
        fs::remove(directory / name);
        fs::create_directory(directory / name);
        EXPECT_THAT(testing::problems_of(directory), HasSubstr(std::string(name) + ": it is a folder"));
        fs::remove(directory / name);
        ASSERT_EQ(mkfifo((directory / name).c_str(), 0600), 0);
        EXPECT_THAT(testing::problems_of(directory),
                    HasSubstr(std::string(name) + ": it is not a plain file"));
        fs::remove(directory / name);
        fs::rename(folder.path() / name, directory / name);
    }
    EXPECT_EQ(testing::problems_of(directory), "");
}

TEST_F(VerifyTest, FindsAFileThatOnlyItsSumVouchesFor) {
    // Careful tampering: a changed report, and sums that fit it.
    testing::write_text(directory / "record.md",
                        testing::read_text(directory / "record.md") + "Faster than light.\n");
    testing::refresh_sums(directory);
    EXPECT_THAT(testing::problems_of(directory),
                HasSubstr("record.md: it is not what record.json gives, from line"));
}

TEST_F(VerifyTest, RefusesHostileSums) {
    const std::string hash(64, 'a');
    const std::string good = testing::read_text(directory / "SHA256SUMS");
    testing::write_text(folder.path() / "secret", "x");
    for (const std::string& line :
         {hash + "  ../secret\n", hash + "  /etc/passwd\n", hash + "  a/b\n", hash + "  ..\n", hash + "  \n",
          hash + "  SHA256SUMS\n", hash + "  c:\\x\n", hash + " *record.md\n", hash + "\n", std::string("\n"),
          hash + "  rec\x1b[2Jord.md\n", std::string("\0\0\n", 3), std::string(70'000, 'a') + "\n"}) {
        testing::write_text(directory / "SHA256SUMS", good + line);
        const std::string problems = testing::problems_of(directory);
        EXPECT_THAT(problems, HasSubstr("SHA256SUMS: line 7")) << line.substr(0, 100);
        EXPECT_THAT(problems, ::testing::Not(HasSubstr("\x1b")));
        EXPECT_LT(problems.size(), 2000U);
    }
    testing::write_text(directory / "SHA256SUMS", good + good);
    EXPECT_THAT(testing::problems_of(directory), HasSubstr("a second time"));
    testing::write_text(directory / "SHA256SUMS", std::string(std::size_t{2} << 20, 'a'));
    EXPECT_THAT(testing::problems_of(directory), HasSubstr("SHA256SUMS"));
    testing::write_text(directory / "SHA256SUMS", good + hash + "  gone.png\n");
    EXPECT_THAT(testing::problems_of(directory),
                HasSubstr("gone.png: it is listed in SHA256SUMS but is not there"));
}

TEST_F(VerifyTest, AllowsFurtherListedFiles) {
    testing::write_text(directory / "chart.svg", "<svg/>");
    const std::string sum = *sha256_of_file(directory / "chart.svg");
    testing::write_text(directory / "SHA256SUMS",
                        sum + "  chart.svg\n" + testing::read_text(directory / "SHA256SUMS"));
    EXPECT_EQ(testing::problems_of(directory), "");
}

TEST_F(VerifyTest, RefusesHostileJson) {
    for (const std::string& text :
         {std::string(), std::string("{}"), std::string(500'000, '['), std::string("\xff\xfe\x00", 3),
          std::string("{\"schema\":1,\"schema\":1}"), std::string(1 << 20, '\0')}) {
        testing::write_text(directory / "record.json", text);
        testing::refresh_sums(directory);
        EXPECT_THAT(testing::problems_of(directory), HasSubstr("record.json: "));
    }
    fs::resize_file(directory / "record.json",
                    std::uintmax_t{1} << 33);  // sparse: nobody reads eight gigabytes
    EXPECT_NE(testing::problems_of(directory / "record.json"), "");
}

// No hash beside it: the file finds its own changes.
TEST_F(VerifyTest, FindsAnyChangedCharacterOfALoneJson) {
    for (const Record& record : {testing::sample_record(), testing::sample_gpu_record()}) {
        const std::string good = record_to_json(record);
        ASSERT_THAT(verify_record_text(good).problems, IsEmpty());
        // Every character but white space between values, replaced by each of a few: digits, letters of
        // either case, what numbers and escapes are made of, what makes it no JSON.
        bool in_text = false;
        int tried = 0;
        for (std::size_t i = 0; i < good.size(); ++i) {
            if (good[i] == '"' && good[i - 1] != '\\') in_text = !in_text;
            if (!in_text && (good[i] == ' ' || good[i] == '\n')) continue;
            for (const char c : {'0', '1', '9', 'E', '-', ' ', '"', static_cast<char>(good[i] ^ 0x20)}) {
                if (c == good[i] || ++tried % 7 != 0) continue;
                std::string bad = good;
                bad[i] = c;
                ASSERT_THAT(verify_record_text(bad).problems, ::testing::SizeIs(1))
                    << "character " << i << ": " << good.substr(i < 20 ? 0 : i - 20, 40) << " as " << c;
            }
        }
        EXPECT_GT(tried, 20'000);
    }
}

TEST_F(VerifyTest, TakesALoneJsonInAnotherLayout) {
    const std::string good = testing::read_text(directory / "record.json");
    EXPECT_THAT(verify_record_text(canonical_json(json::parse(good))).problems, IsEmpty()) << "keys in order";
    EXPECT_EQ(record_from_json(canonical_json(json::parse(good)))->record_id,
              record_from_json(good)->record_id);
    std::string other = good;
    other.insert(other.find("\"samples_ms\"") + 12, "\n\t ");
    EXPECT_THAT(verify_record_text(other).problems, IsEmpty());
    const auto with = [&good](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        const auto problems = verify_record_text(text).problems;
        return problems.empty() ? "accepted" : problems.front();
    };
    EXPECT_THAT(with("0.75", "0.750"), HasSubstr("is not spelled as records spell it, 0.750"));
    EXPECT_THAT(with("\"seed\": 1", "\"seed\": 1e0"), HasSubstr("matrix.seed"));
    EXPECT_THAT(with("A Processor", "\\u0041 Processor"), HasSubstr("not spelled"));
    EXPECT_THAT(with("0.75", "0.76"), HasSubstr("the JSON was changed: its content has the SHA-256 "));
}

TEST_F(VerifyTest, WorksFiguresOutAgain) {
    const auto figure = [](const std::string& key) { return std::string("/cases/0/timing/value/") + key; };
    for (const char* key : {"count", "min", "p5", "p50", "p95", "p99", "max", "mean", "standard_deviation",
                            "median_absolute_deviation"}) {
        for (const char* of : {"latency_ms/", "copy_ms/"}) {
            EXPECT_THAT(problems_with(figure(of + std::string(key)), 77), HasSubstr(key));
        }
    }
    for (const char* key : {"ratio_to_copy/value", "throughput_mpix_per_s_p50/value",
                            "throughput_gb_per_s_p50/value", "memcpy_ms_p50"}) {
        EXPECT_THAT(problems_with(figure(key), 77), HasSubstr("the samples give")) << key;
    }
    EXPECT_THAT(problems_with(figure("bytes_moved"), 77),
                HasSubstr("bytes_moved is 77 but its operation moves"));
    EXPECT_THAT(problems_with(figure("ratio_to_copy"), {{"value", nullptr}, {"reason", "x"}}),
                HasSubstr("ratio_to_copy is missing although the samples give it"));
    EXPECT_THAT(problems_with(figure("samples_ms/0"), 0.6), HasSubstr("the samples give"));
    EXPECT_THAT(problems_with(figure("samples_ms"), {0.5, 0.75}), HasSubstr("2 samples for 3 iterations"));
    EXPECT_THAT(problems_with(figure("preempted"), {5}),
                HasSubstr("is not in a rising list of sample positions"));
    EXPECT_THAT(problems_with(figure("preempted"), {1, 1}),
                HasSubstr("is not in a rising list of sample positions"));
}

TEST_F(VerifyTest, FindsWhatDoesNotFitTogether) {
    const auto with = [this](const char* place, const json& value) { return problems_with(place, value); };
    EXPECT_THAT(with("/case_total", 2), HasSubstr("3 cases of 2"));
    EXPECT_THAT(with("/case_total", 4), HasSubstr("was not cancelled"));
    EXPECT_THAT(with("/cases/1/index", 3), HasSubstr("cases[1].index: must be 2, not 3"));
    EXPECT_THAT(with("/cases/1/key", "filter:1 border:mirror precision:f32 size:1024x512"),
                HasSubstr("appears twice"));
    EXPECT_THAT(with("/finished_utc", "2025-03-09T17:04:59Z"), HasSubstr("finished before"));
    EXPECT_THAT(with("/cases/0/parity/value/passed", false), HasSubstr("although its parity failed"));
    EXPECT_THAT(with("/cases/0/parity/value/max_abs_error", {{"value", 2e-5}}), HasSubstr("above the bound"));
    EXPECT_THAT(with("/cases/0/parity", {{"value", nullptr}, {"reason", "x"}}),
                HasSubstr("without a verdict"));
    EXPECT_THAT(with("/cases/0/output_sha256", {{"value", nullptr}, {"reason", "x"}}),
                HasSubstr("no output hash"));
    EXPECT_THAT(with("/matrix/recipe", {{"value", {{"nonsense", 1}}}}),
                HasSubstr("matrix.recipe.value: its recipe is refused"));
    EXPECT_THAT(with("/command_line", "something else"), HasSubstr("its command_line is not the one"));
}

TEST(Verify, WorksOutWhatTheGpuDidAgain) {
    const testing::TemporaryFolder folder;
    const fs::path directory = folder.path() / "record";
    ASSERT_TRUE(write_record(testing::sample_gpu_record(), directory));
    EXPECT_EQ(testing::problems_of(directory), "");
    const auto with = [&](const std::string& place, const json& value) {
        json record = json::parse(testing::read_text(directory / "record.json"));
        record[json::json_pointer(place)] = value;
        testing::write_text(folder.path() / "changed.json", testing::sealed(record));
        return testing::problems_of(folder.path() / "changed.json");
    };
    const std::string state = "/cases/0/gpu_state/value/";
    for (const char* figure : {"sm_clock_mhz/value/min", "sm_clock_mhz/value/median",
                               "sm_clock_mhz/value/max", "temperature_c/value/max", "power_w/value/median"}) {
        EXPECT_THAT(with(state + figure, 77), HasSubstr("is 77 but the samples give")) << figure;
    }
    EXPECT_THAT(with(state + "samples", 3), HasSubstr("power_w has 4 samples of 3"));
    EXPECT_THAT(with(state + "throttle_reasons/value", {"idle", "idle"}),
                HasSubstr("throttle_reasons: has a word that is not known, or one twice"));
    EXPECT_THAT(with("/device/backend", "cpu"), HasSubstr("has a GPU's state but ran on the CPU"));
    EXPECT_THAT(with("/cases/0/timing", {{"value", nullptr}, {"reason", "x"}}),
                HasSubstr("has a GPU's state but was not timed"));
    EXPECT_THAT(with("/cases/0/gpu_state", {{"value", nullptr}, {"reason", "NVML is not installed"}}),
                HasSubstr("it is called inconclusive although nothing disturbed"));
    EXPECT_EQ(with("/cases/1/gpu_state", {{"value", nullptr}, {"reason", "NVML is not installed"}}), "");
}

TEST_F(VerifyTest, KnowsWhatPoolingMoves) {
    const std::string bytes = "/cases/1/timing/value/bytes_moved";
    EXPECT_THAT(problems_with(bytes, 1024 * 512 * 8), HasSubstr("bytes_moved"));
    // Its figures are those of a forward pass of f32.
    EXPECT_THAT(problems_with("/cases/1/operation/element", "f16"), HasSubstr("bytes_moved"));
    // A backward pass of avg moves as much, the other way round; but it is another case.
    EXPECT_EQ(problems_with("/cases/1/operation/pass", "backward"),
              "changed.json: case \"pool:avg window:2x2 stride:2x2 size:1024x512\": its size, channels or "
              "operation is not what its key says\n");
    EXPECT_THAT(problems_with("/cases/1/operation/pool/window/w", 5000), HasSubstr("its pooling is refused"));
}

TEST_F(VerifyTest, KnowsTheCasesOfItsMatrix) {
    EXPECT_THAT(problems_with("/cases/0/key", "filter:2 border:mirror precision:f32 size:1024x512"),
                HasSubstr("case 1 is \"filter:2 border:mirror precision:f32 size:1024x512\" where its matrix "
                          "gives \"filter:1 border:mirror precision:f32 size:1024x512\""));
    EXPECT_THAT(problems_with("/cases/0/operation/filter_id", 2), HasSubstr("is not what its key says"));
    EXPECT_THAT(problems_with("/cases/0/operation/border", "wrap"), HasSubstr("is not what its key says"));
    EXPECT_THAT(problems_with("/matrix/filter_ids", {1, 2}),
                HasSubstr("its case_total is 3 but its matrix gives 4 cases"));
    EXPECT_THAT(problems_with("/matrix/sizes", json::array({{{"width", 1024}, {"height", 256}}})),
                HasSubstr("where its matrix gives"));
    const json many(1000, 1);
    EXPECT_EQ(problems_with("/matrix/filter_ids", many),
              "changed.json: its command_line is not the one that measures its matrix\n")
        << "the same filter again is one case";
    const json too_many(100'000, json{{"width", 1}, {"height", 1}});
    EXPECT_THAT(problems_with("/matrix/sizes", too_many), HasSubstr("more cases than a record can have"));
}

TEST_F(VerifyTest, KnowsTheMatrixOfANamedProtocol) {
    EXPECT_EQ(problems_with("/matrix/protocol", {{"value", "nightly"}}), "") << "anyone's own";
    EXPECT_THAT(problems_with("/matrix/protocol", {{"value", "standard"}}),
                HasSubstr("its matrix is not that of the protocol \"standard\", which it names"));
}

TEST_F(VerifyTest, FindsAChangedChart) {
    for (const char* name : {"latency.svg", "ratio.svg"}) {
        const std::string good = testing::read_text(directory / name);
        testing::write_text(directory / name, good + "<!-- -->\n");
        testing::refresh_sums(directory);
        EXPECT_THAT(testing::problems_of(directory),
                    HasSubstr(std::string(name) + ": it is not what record.json gives"));
        testing::write_text(directory / name, good);
    }
}

TEST(Verify, IsAnErrorWhereThereIsNothing) {
    const testing::TemporaryFolder folder;
    for (const fs::path& path : {folder.path() / "none", folder.path(), fs::path("/dev/null"), fs::path()}) {
        const auto verification = verify_record(path);
        ASSERT_FALSE(verification) << path;
        EXPECT_EQ(verification.error().kind, ErrorKind::bad_input);
    }
}

TEST(WriteRecord, RefusesAnExistingFolderAndLeavesItAlone) {
    const testing::TemporaryFolder folder;
    testing::write_text(folder.path() / "mine", "keep");
    const auto written = write_record(testing::sample_record(), folder.path());
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
    EXPECT_EQ(testing::read_text(folder.path() / "mine"), "keep");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteRecord, FailsInAFolderThatIsNotThere) {
    const testing::TemporaryFolder folder;
    const auto written = write_record(testing::sample_record(), folder.path() / "none" / "record");
    if (written) {  // parents may be made
        EXPECT_EQ(testing::problems_of(folder.path() / "none" / "record"), "");
    } else {
        EXPECT_EQ(written.error().kind, ErrorKind::unwritable_output);
    }
    testing::write_text(folder.path() / "file", "");
    const auto below_file = write_record(testing::sample_record(), folder.path() / "file" / "record");
    ASSERT_FALSE(below_file);
    EXPECT_EQ(below_file.error().kind, ErrorKind::unwritable_output);
}

TEST(WriteRecord, LeavesNothingWhenItsProcessIsKilledHalfWay) {
    const testing::TemporaryFolder folder;
    const fs::path directory = folder.path() / "record";
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        // As write_record does it, but killed between its files.
        (void)write_directory_atomically(directory, [](const fs::path& inside) -> Result<void> {
            (void)write_file_atomically(inside / "record.json", "{}");
            kill(getpid(), SIGKILL);
            return {};
        });
        _exit(1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_FALSE(fs::exists(directory));
    EXPECT_TRUE(write_record(testing::sample_record(), directory)) << "and it can be written afterwards";
    EXPECT_EQ(testing::problems_of(directory), "");
}

TEST(NewRecordDirectory, IsDatedAndNew) {
    const testing::TemporaryFolder folder;
    const fs::path first = new_record_directory(folder.path());
    EXPECT_EQ(first.parent_path(), folder.path());
    EXPECT_THAT(first.filename().string(), ::testing::MatchesRegex("20[0-9]+-[0-9]+-[A-Za-z0-9_-]+"));
    EXPECT_FALSE(fs::exists(first));
    // Whatever stands in the way, even a link to nowhere: another name.
    std::set<fs::path> seen;
    for (int i = 0; i < 5; ++i) {
        const fs::path path = new_record_directory(folder.path());
        EXPECT_TRUE(seen.insert(path).second) << path;
        fs::create_symlink("/nowhere", path);
    }
}

}  // namespace
}  // namespace workbench
