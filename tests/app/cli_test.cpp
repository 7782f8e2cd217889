// SPDX-License-Identifier: MIT
// The command line's contract: options, exit codes, one line an error, outputs whole or not at all.
#include <gmock/gmock.h>

#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "iir2d/iir2d_core.h"
#include "tests/app/cli_fixture.h"

namespace {

namespace fs = std::filesystem;
using namespace app_test;
using app_test::iir2d;  // before the namespace of the library
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

TEST_F(Cli, VersionAndHelpSucceed) {
    const auto version = iir2d({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_THAT(version.out, HasSubstr("iir2d 1.2.0"));
    // Nothing but package.txt beside the resources says of which package they are.
    EXPECT_THAT(version.out, ::testing::EndsWith("\npackage: none 1.2.0\n"));
    EXPECT_THAT(iir2d({"--help"}).out, HasSubstr("Exit codes"));
    for (const char* command :
         {"filter", "pool", "run", "batch", "info", "compare", "devices", "bench", "verify", "parity"}) {
        const auto help = iir2d({command, "--help"});
        EXPECT_EQ(help.code, 0) << command;
        EXPECT_THAT(help.out, HasSubstr(command));
        EXPECT_THAT(help.err, IsEmpty());
    }
}

TEST_F(Cli, BadArgumentsExitWithTwoAndOneLine) {
    const std::string out = path("o.png");
    const std::vector<std::vector<std::string>> bad = {
        {},
        {"no-such-command"},
        {"filter"},
        {"filter", sample, out},
        {"filter", sample, out, "--filter", "99"},
        {"filter", sample, out, "--filter", "0"},
        {"filter", sample, out, "--filter", "x"},
        {"filter", sample, out, "--filter", "1", "--border", "tile"},
        {"filter", sample, out, "--filter", "1", "--border-const", "abc"},
        {"filter", sample, out, "--filter", "1", "--precision", "f16"},
        {"filter", sample, out, "--filter", "1", "--start", "now"},
        {"filter", sample, out, "--filter", "1", "--param", "alpha"},
        {"filter", sample, out, "--filter", "1", "--param", "alpha=2"},
        {"filter", sample, out, "--filter", "1", "--param", "alpha=nan"},
        {"filter", sample, out, "--filter", "1", "--param", "sigma=2"},
        {"filter", sample, out, "--filter", "3", "--param", "a1=2"},
        {"filter", sample, out, "--filter", "1", "--device", "tpu"},
        {"filter", sample, out, "--filter", "1", "--threads", "0"},
        {"filter", sample, out, "--filter", "1", "--out-type", "i8"},
        {"filter", sample, out, "--filter", "1", "--unknown", "1"},
        {"pool", sample, out, "--op", "median", "--window", "2x2"},
        {"pool", sample, out, "--op", "max", "--window", "0x2"},
        {"pool", sample, out, "--op", "max", "--window", "2by2"},
        {"pool", sample, out, "--op", "max", "--window", "4000x4000"},
        {"pool", sample, out, "--op", "max", "--window", "2x2", "--padding", "2x2"},
        {"pool", sample, out, "--op", "lp", "--window", "2x2", "--p", "0"},
        {"pool", sample, out, "--op", "avg", "--window", "2x2", "--divisor", "0"},
        {"pool", sample, out, "--op", "max", "--window", "99999999999999999999x1"},
        {"bench", "--sizes", "0x5"},
        {"bench", "--sizes", "10"},
        {"bench", "--filter-ids", "1,12"},
        {"bench", "--iters", "0"},
        {"bench", "--border-modes", ""},
        {"bench", "--seed", "-1"},
        {"bench", "--sizes", "8x8", "--out-csv", out, "--out-md", out},
        {"compare", sample, sample, "--tolerance", "-1"},
        {"compare", sample, sample, "--tolerance", "nan"},
        {"help"},
        {"filter", sample, out, "--filter", "1", "--filter", "2"},
        {"filter", sample, out, "--filter", "1", "--param", "alpha=0.5", "--param", "alpha=0.6"},
        {"filter", sample, out, "--filter", "1", "--param", "alpha=0,5"},
        {"filter", sample, out, "--filter", "1", "--page", "x"},
        {"pool", sample, out, "--op", "max"},
        {"pool", sample, out, "--op", "adaptive-max"},
        {"pool", sample, out, "--op", "adaptive-max", "--output", "0x3"},
        {"pool", sample, out, "--op", "max", "--window", "2", "--output", "3x3"},
        {"pool", sample, out, "--op", "avg", "--window", "2", "--indices", path("i.tif")},
        {"pool", sample, out, "--op", "avg", "--window", "2", "--grad-out", path("g.tif")},
        {"pool", sample, out, "--op", "avg", "--window", "2", "--backward", sample},
        {"pool", sample, out, "--op", "max", "--window", "2", "--backward", sample, "--grad-out", out},
        {"pool", sample, out, "--op", "max", "--window", "2x2", "--p", "nan"},
        {"pool", sample, out, "--op", "max", "--window", "2x2", "--dtype", "f63"},
        {"pool", sample, out, "--op", "max", "--window", "2x2", "--indices", out},
        {"info", sample, "--page", "0"},
    };
    for (const auto& arguments : bad) {
        std::string line;
        for (const auto& a : arguments) line += a + " ";
        SCOPED_TRACE(line);
        const auto outcome = iir2d(arguments);
        expect_failure(outcome, 2);
        EXPECT_THAT(outcome.out, IsEmpty());
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    }
    EXPECT_THAT(names(), IsEmpty()) << "a refused command left a file";
}

TEST_F(Cli, BadInputExitsWithThree) {
    write_text("empty.png", "");
    write_text("text.png", "this is no image");
    std::string png = *workbench::read_file(sample);
    write_text("truncated.png", png.substr(0, png.size() / 2));
    const auto before = names().size();
    for (const char* name : {"missing.png", "empty.png", "text.png", "truncated.png", "."}) {
        SCOPED_TRACE(name);
        const auto outcome = iir2d({"filter", path(name), path("o.png"), "--filter", "1"});
        expect_failure(outcome, 3);
        EXPECT_THAT(outcome.err, HasSubstr(path(name)));
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << "nothing beside our line: " << outcome.err;
        expect_failure(iir2d({"info", path(name)}), 3);
    }
    EXPECT_THAT(names(), SizeIs(before));
}

TEST_F(Cli, UnwritableOutputExitsWithSixAndKeepsTheOldFile) {
    expect_failure(iir2d({"filter", sample, path("no/such/folder/o.png"), "--filter", "1"}), 6);
    expect_failure(iir2d({"filter", sample, path("o.unknownformat"), "--filter", "1"}), 6);
    fs::create_directory(path("folder.png"));
    expect_failure(iir2d({"filter", sample, path("folder.png"), "--filter", "1"}), 6);
    expect_failure(iir2d({"bench", "--sizes", "8x8", "--out-csv", path("no/such/b.csv")}), 6);
    expect_failure(iir2d({"info", sample}, {.stdout_file = "/dev/full"}), 6);
    expect_failure(iir2d({"bench", "--sizes", "8x8", "--out-csv", path("folder.png")}), 6);
    expect_failure(
        iir2d({"pool", sample, path("o.png"), "--op", "max", "--window", "2", "--indices", path("i.png")}),
        6);
    // Said before the input is looked at.
    expect_failure(iir2d({"filter", path("missing.png"), path("no/folder/o.png"), "--filter", "1"}), 6);
    EXPECT_THAT(names(), ElementsAre("folder.png"));
}

TEST_F(Cli, ClosedStandardStreamsDoNotLandInTheOutput) {
    const auto shell = [](const std::string& command) {
        return app_test::run_program("/bin/sh", {"-c", command});
    };
    const std::string program = "'" IIR2D_CLI "' ";
    ASSERT_EQ(iir2d({"filter", sample, path("a.jpg"), "--filter", "1"}).code, 0);
    EXPECT_EQ(shell(program + "filter '" + sample + "' '" + path("b.jpg") + "' --filter 1 >&- 2>&-").code, 0);
    EXPECT_EQ(*workbench::read_file(path("a.jpg")), *workbench::read_file(path("b.jpg")));
    EXPECT_EQ(shell(program + "info '" + sample + "' >&-").code, 6);
    EXPECT_EQ(shell(program + "info '" + path("missing.png") + "' 2>&-").code, 3);
}

TEST_F(Cli, OptionsWithoutEffectAreSaid) {
    const std::string in = make_image("in.tif", 9, 6, 2);
    const auto outcome = iir2d({"pool", in, path("o.tif"), "--op", "max", "--window", "2", "--divisor", "3",
                                "--count-include-pad", "--p", "3", "--keep-alpha"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 4) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("--divisor"), HasSubstr("--count-include-pad"),
                                   HasSubstr("--p has"), HasSubstr("--keep-alpha")));
}

TEST_F(Cli, PagesThatAreNotThereAreBadInput) {
    EXPECT_EQ(iir2d({"filter", sample, path("o.png"), "--filter", "1", "--page", "1"}).code, 0);
    expect_failure(iir2d({"filter", sample, path("p.png"), "--filter", "1", "--page", "2"}), 3);
    expect_failure(iir2d({"info", sample, "--page", "2"}), 3);
}

TEST_F(Cli, DevicesWithoutANameHaveNoneInTheList) {
    const std::string listed = iir2d({"devices"}).out;
    EXPECT_THAT(listed, ::testing::Not(HasSubstr(": :")));
    for (const auto& device : Json::parse(iir2d({"devices", "--json"}).out)["devices"]) {
        const std::string id = device["id"];
        const std::string rest = device["name"].is_null()
                                     ? "not usable: " + device["why_not"].get<std::string>()
                                     : device["name"].get<std::string>();
        EXPECT_THAT(listed, HasSubstr(id + ": " + rest));
    }
}

// But for the memory that happens to be free, the bytes that the library writes for C programs; and as the
// program's other JSON is laid out.
TEST_F(Cli, DevicesAsJsonAreWhatTheLibraryDescribes) {
    const auto without_free_memory = [](const std::string& text) {
        return std::regex_replace(text, std::regex("(memory_available\": \\{\\s*\"value\": )\"[0-9]+\""),
                                  "$1");
    };
    const std::string printed = iir2d({"devices", "--json"}).out;
    std::size_t bytes = 0;
    ASSERT_EQ(iir2d_describe_devices(nullptr, 0, &bytes), IIR2D_STATUS_OK);
    std::vector<char> described(bytes + 64);  // numbers may have a digit more by now
    ASSERT_EQ(iir2d_describe_devices(described.data(), described.size(), &bytes), IIR2D_STATUS_OK);
    EXPECT_EQ(without_free_memory(printed), without_free_memory(described.data()));
    EXPECT_EQ(nlohmann::ordered_json::parse(printed).dump(2) + "\n", printed);
}

TEST_F(Cli, CudaIsADeviceFailureWhereThereIsNone) {
    const auto devices = Json::parse(iir2d({"devices", "--json"}).out);
    for (const auto& device : devices["devices"]) {
        if (device["backend"] == "cuda" && device["usable"]) GTEST_SKIP() << "this machine has a usable GPU";
    }
    const auto outcome = iir2d({"filter", sample, path("o.png"), "--filter", "1", "--device", "cuda"});
    expect_failure(outcome, 4);
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Cli, BenchAndParityTakeEveryAxisOfPooling) {
    const auto axes = words(
        "--sizes 33x29 --pool-ops max,avg,lp,adaptive-max,adaptive-avg --window 3x3 --stride 2 "
        "--output 4x5 --pool-dtypes f32,f64,f16,bf16 --pool_passes forward,backward --device cpu");
    const auto with = [&axes](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, axes.begin(), axes.end());
        return arguments;
    };
    const auto parity = iir2d(with({"parity", "--json"}));
    ASSERT_EQ(parity.code, 0) << parity.err;
    EXPECT_EQ(Json::parse(parity.out)["cases"].size(), 40U);
    const auto bench = iir2d(with({"bench", "--warmup", "0", "--iters", "2", "--record", path("pools")}));
    ASSERT_EQ(bench.code, 0) << bench.err;
    EXPECT_EQ(iir2d({"verify", path("pools")}).code, 0);
    const auto record = Json::parse(*workbench::read_file(path("pools/record.json")));
    EXPECT_EQ(record["cases"].size(), 40U);
    EXPECT_TRUE(record["command_line"].get<std::string>().starts_with(
        "iir2d bench --pool-ops max,avg,lp,adaptive-max,adaptive-avg --window 3x3 --stride 2x2 --output 4x5 "
        "--pool-dtypes f32,f64,f16,bf16 --pool-passes forward,backward --device cpu"));
    expect_failure(iir2d({"bench", "--pool-ops", "adaptive-max", "--sizes", "8x8"}), 2);
    expect_failure(iir2d({"bench", "--pool-ops", "max", "--output", "2x2", "--sizes", "8x8"}), 2);
    expect_failure(iir2d({"bench", "--pool-ops", "max", "--pool-dtypes", "f8", "--sizes", "8x8"}), 2);
    expect_failure(iir2d({"bench", "--pool-ops", "max", "--pool-passes", "up", "--sizes", "8x8"}), 2);
    expect_failure(iir2d({"bench", "--pool-passes", "backward", "--sizes", "8x8"}), 2);
}

TEST_F(Cli, BenchWritesARecordThatVerifies) {
    auto arguments =
        words("bench --sizes 64x48 --filter_ids 1,6 --precisions f32 --pool-ops max --warmup 1 --iters 5");
    for (const auto& [option, name] : {std::pair{"--record", "rec"}, std::pair{"--out-csv", "b.csv"},
                                       std::pair{"--out-json", "b.json"}, std::pair{"--out-md", "b.md"}}) {
        arguments.insert(arguments.end(), {option, path(name)});
    }
    const auto outcome = iir2d(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto csv = *workbench::read_file(path("b.csv"));
    EXPECT_TRUE(
        csv.starts_with("timestamp_utc,host,platform,python_version,lib_path,cuda_runtime_version,cuda_"
                        "driver_version,cuda_device_id,"
                        "gpu_name,gpu_driver,nvcc_release,case_index,case_total,width,height,pixels,filter_"
                        "id,border_mode,precision,"
                        "latency_ms_min,latency_ms_p50,latency_ms_p95,latency_ms_mean,latency_ms_max,"
                        "throughput_mpix_per_s_p50,"
                        "throughput_gb_per_s_p50,warmup_iters,timed_iters"))
        << csv;
    EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
    EXPECT_TRUE(Json::accept(*workbench::read_file(path("b.json"))));
    EXPECT_EQ(iir2d({"verify", path("rec")}).code, 0);
    EXPECT_EQ(iir2d({"verify", path("b.json")}).code, 0);
    // An existing directory is never written into.
    expect_failure(iir2d({"bench", "--sizes", "8x8", "--record", path("rec")}), 6);
    // One changed byte is found.
    std::string json = *workbench::read_file(path("rec/record.json"));
    json[json.size() / 2] ^= 1;
    write_text("rec/record.json", json);
    expect_failure(iir2d({"verify", path("rec")}), 5);
    expect_failure(iir2d({"verify", path("nothing")}), 3);
}

TEST_F(Cli, ParityPasses) {
    const auto outcome =
        iir2d({"parity", "--sizes", "33x17", "--filter-ids", "1,2,3,4,5,6,7,8", "--border-modes",
               "clamp,mirror,wrap,constant", "--precisions", "f32,mixed,f64", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto cases = Json::parse(outcome.out)["cases"];
    EXPECT_EQ(cases.size(), 8u * 4u * 3u);
    for (const auto& one : cases) EXPECT_TRUE(one["passed"].get<bool>()) << one;
}

TEST_F(Cli, BatchResumesWhereItStopped) {
    ASSERT_TRUE(workbench::save_recipe({.name = "r", .operations = {{.what = workbench::FilterOperation{}}}},
                                       path("r.json")));
    const std::string a = make_image("a.tif", 20, 10, 1);
    const std::string b = make_image("b.tif", 10, 20, 3);
    write_text("bad.tif", "II*");
    const auto first = iir2d({"batch", path("r.json"), a, b, path("bad.tif"), "--out-dir", path("out")});
    expect_failure(first, 3);
    EXPECT_THAT(first.out, HasSubstr("2 written, 0 already done, 1 failed"));
    fs::remove(path("out/b.tif"));
    const auto again =
        iir2d({"batch", path("r.json"), a, b, "--out-dir", path("out"), "--resume", "--jobs", "2"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr("1 written, 1 already done, 0 failed"));
    // Another recipe makes them anew; two inputs of one name are refused.
    ASSERT_TRUE(workbench::save_recipe({.name = "s", .operations = {{.what = workbench::PoolOperation{}}}},
                                       path("s.json")));
    EXPECT_THAT(iir2d({"batch", path("s.json"), a, b, "--out-dir", path("out"), "--resume"}).out,
                HasSubstr("2 written, 0 already done"));
    expect_failure(iir2d({"batch", path("r.json"), a, a, "--out-dir", path("out")}), 2);
    expect_failure(iir2d({"batch", path("r.json"), a, "--out-dir", folder.string()}), 2);
}

TEST_F(Cli, BadRecipesAreRefusedWithOneSentence) {
    const std::vector<std::string> bad = {
        "",
        "{",
        "[]",
        "{\"schema_version\": 999, \"operations\": []}",
        "{\"schema_version\": 1, \"surprise\": 1}",
        "{\"schema_version\": 1, \"operations\": [{\"type\": \"filter\", \"filter\": 77}]}"};
    for (const auto& text : bad) {
        SCOPED_TRACE(text);
        write_text("r.json", text);
        const auto outcome = iir2d({"run", path("r.json"), sample, path("o.png")});
        EXPECT_THAT(error_lines(outcome.err), SizeIs(1)) << outcome.err;
        EXPECT_TRUE(outcome.code == 2 || outcome.code == 3) << outcome.code;
        EXPECT_FALSE(fs::exists(path("o.png")));
    }
}

TEST_F(Cli, AnInterruptLeavesNothingHalfWritten) {
    const auto outcome =
        iir2d({"bench", "--sizes", "1024x1024", "--iters", "100000", "--out-csv", path("b.csv")},
              {.interrupt_after = std::chrono::milliseconds(700)});
    expect_failure(outcome, 130);
    for (const auto& name : names()) EXPECT_EQ(name, "b.csv");
}

TEST_F(Cli, AnInterruptedFilterOrBatchLeavesNoImage) {
    // Copying this image a thousand times takes seconds on any machine.
    const std::string image = make_image("large.tif", 2048, 2048, 1);
    const workbench::FilterOperation slow{.filter_id = 6, .precision = iir2d::Precision::f64};
    workbench::Recipe recipe;
    recipe.operations.assign(1000, {.what = slow});
    ASSERT_TRUE(workbench::save_recipe(recipe, path("r.json")));
    const RunOptions interrupted{.interrupt_after = std::chrono::milliseconds(700)};
    expect_failure(iir2d({"run", path("r.json"), image, path("o.png")}, interrupted), 130);
    EXPECT_THAT(names(), UnorderedElementsAre("r.json", "large.tif"));
    expect_failure(iir2d({"batch", path("r.json"), image, "--out-dir", path("out")}, interrupted), 130);
    EXPECT_TRUE(fs::is_empty(path("out")));
}

}  // namespace
