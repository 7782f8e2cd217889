// SPDX-License-Identifier: MIT
// Problems as texts, their keys, and problems drawn from a seed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/support/hex.h"
#include "core/tune/collect_options.h"
#include "core/tune/generate.h"
#include "core/tune/machine.h"
#include "core/tune/problem.h"
#include "iir2d/device.h"
#include "iir2d/tune.h"

namespace workbench::tune {
namespace {

using ::testing::HasSubstr;

const iir2d::Device cpu = *iir2d::Device::cpu(2);

Problem problem(const std::string& spec) {
    auto read = problem_from_spec(spec);
    EXPECT_TRUE(read) << spec << ": " << read.error().message;
    return read.value_or(Problem{});
}
std::string key(const std::string& spec) {
    return key_of(problem(spec), cpu).value_or("no key");
}

TEST(TuneProblem, SpecsAreReadInAnyOrderAndWrittenInOne) {
    const std::string filter =
        "filter:6 param:sigma=3 border:wrap start:steady precision:mixed size:640x480 planes:3";
    const std::string pool =
        "pool:lp window:3x5 stride:1x2 dilation:2x1 ceil p:1.5 dtype:f16 pass:backward "
        "size:64x48 planes:2";
    const std::string avg = "pool:avg window:4x4 stride:2x2 padding:1x1 include-pad divisor:3 size:33x17";
    for (const std::string& spec :
         {filter, pool, avg, std::string("pool:adaptive-max output:3x4 places size:20x30")})
        EXPECT_EQ(spec_of(problem(spec)), spec);
    EXPECT_EQ(spec_of(problem("size:640x480 planes:3 start:steady precision:mixed border:wrap filter:6 "
                              "param:sigma=3")),
              filter);
    // What defaults is left out; a stride is not.
    EXPECT_EQ(spec_of(problem("pool:max window:2x2 planes:1 dtype:f32 pass:forward dilation:1x1 size:9x9")),
              "pool:max window:2x2 stride:2x2 size:9x9");
    const auto row = *iir2d::filter_row(1);
    const auto& first = row.parameters.front();
    EXPECT_EQ(spec_of(problem("filter:1 param:" + std::string(first.name) + "=" +
                              std::to_string(first.default_value) + " border:clamp precision:f32 size:9x9")),
              "filter:1 border:clamp precision:f32 size:9x9");
}

TEST(TuneProblem, WrongWordsAreNamed) {
    const auto refuses = [](const std::string& spec, const std::string& part) {
        const auto read = problem_from_spec(spec);
        ASSERT_FALSE(read) << spec;
        EXPECT_EQ(read.error().kind, ErrorKind::bad_argument) << spec;
        EXPECT_THAT(read.error().message, HasSubstr(part)) << spec;
    };
    const std::string filter = "filter:1 border:clamp precision:f32 size:9x9";
    refuses("", "has not one of filter and pool");
    refuses(filter + " pool:max window:2x2", "has not one of");
    refuses(filter + " speed:3", "speed:3");
    refuses(filter + " size:9x9", "is there twice");
    refuses(filter + " window:2x2", "window:2x2");
    refuses(filter + " param:nothing=1", "nothing");
    refuses(filter + " planes:0", "planes:0");
    refuses("filter:99 border:clamp precision:f32 size:9x9", "99");
    refuses("filter:1 precision:f32 size:9x9", "\"border\" is missing");
    refuses("filter:1 border:clamp precision:f32 size:9", "size:9");
    refuses("filter:1 border:clamp precision:f32 size:2147483648x2147483648", "2^40");
    refuses("pool:max stride:2x2 size:9x9", "\"window\" is missing");
    refuses("pool:max window:99x99 stride:1x1 size:9x9", "window");
    refuses("pool:max window:2x2 p:2 size:9x9", "p:2");
    refuses("pool:avg window:2x2 places size:9x9", "places");
    refuses("pool:max window:2x2 places pass:backward size:9x9", "places");
    refuses("pool:max window:2x2 ceil:1 size:9x9", "ceil");
    refuses("pool:max window:2x2 dtype:u8 size:9x9", "dtype:u8");
}

TEST(TuneProblem, KeysHaveWhatTimeDependsOnAndNothingElse) {
    const std::string rest = " border:mirror precision:f32 size:640x480";
    // A slider's step is no new key, another filter of the same shape neither.
    EXPECT_EQ(key("filter:1 param:alpha=0.5" + rest), key("filter:1" + rest));
    EXPECT_NE(key("filter:4" + rest), key("filter:1" + rest));
    EXPECT_NE(key("filter:1 border:mirror precision:mixed size:640x480"), key("filter:1" + rest));
    // A library without threads has one, one without Highway the compiler's target.
    const std::string device =
        "device:cpu target:[A-Za-z0-9_-]+ threads:" + std::to_string(iir2d::Device::cpu(2)->threads());
    EXPECT_THAT(key("filter:1" + rest),
                ::testing::MatchesRegex("iir rows:>1 columns:>1 down:filter precision:f32 size:640x480 "
                                        "planes:1 " +
                                        device));
    EXPECT_THAT(key("filter:6" + rest), HasSubstr("columns:>3s,<3a down:advance"));
    EXPECT_THAT(
        key("pool:max window:3x5 stride:1x2 places size:64x48 planes:3"),
        ::testing::MatchesRegex(
            "pool formula:max window:3x5 stride:1x2 padding:0x0 dilation:1x1 out:46x30 size:64x48 planes:3 "
            "dtype:f32 pass:forward places:1 sums:f32 " +
            device));
    // Of windows that are gathered, too.
    EXPECT_THAT(key("pool:adaptive-avg output:5x7 size:64x48"), HasSubstr("formula:avg window:adaptive"));
    EXPECT_THAT(key("pool:adaptive-max output:5x7 size:64x48"), HasSubstr("formula:max window:adaptive"));
    for (const char* words : {" size:64x48", " pass:backward size:64x48"}) {
        EXPECT_THAT(key("pool:lp window:3x3 p:4 dtype:f64" + std::string(words)), HasSubstr("formula:power"));
        EXPECT_THAT(key("pool:lp window:3x3 p:3 dtype:f16" + std::string(words)), HasSubstr("formula:lp3"));
    }
    // p changes the formula; a divisor, which is only divided by, nothing.
    EXPECT_NE(key("pool:lp window:3x3 p:1 size:64x48"), key("pool:lp window:3x3 size:64x48"));
    EXPECT_EQ(key("pool:avg window:3x3 divisor:5 size:64x48"),
              key("pool:avg window:3x3 divisor:4 size:64x48"));
}

TEST(TuneProblem, FamiliesAndPurposes) {
    EXPECT_EQ(family_of(problem("filter:1 border:mirror precision:f32 size:256x256")),
              "iir-cpu, causal, to 2^16, one plane");
    EXPECT_EQ(family_of(problem("filter:6 border:mirror precision:f32 size:512x512 planes:3")),
              "iir-cpu, both ways, to 2^20, several planes");
    EXPECT_EQ(family_of(problem("pool:max window:2x2 size:2048x1024")),
              "pool-cpu, max, above 2^20, one plane");
    EXPECT_EQ(family_of(problem("pool:avg window:2x2 pass:backward size:64x64")),
              "pool-backward-cpu, sums, to 2^16, one plane");
}

TEST(TuneProblem, MachinesAndKernelsAreNamedByWhatTheyAre) {
    const auto machine = machine_of(cpu);
    ASSERT_TRUE(machine);
    EXPECT_TRUE(is_whole(*machine));
    EXPECT_EQ(machine->id.size(), 16U);
    EXPECT_TRUE(is_hex(machine->id));
    Identity other = *machine;
    other.json.replace(other.json.find("\"target\":\"") + 10, 1, "Z");
    EXPECT_FALSE(is_whole(other));
    EXPECT_EQ(iir2d::kernels_id().size(), 16U);
    EXPECT_TRUE(is_hex(iir2d::kernels_id()));
    EXPECT_EQ(build_of_kernels().id, iir2d::kernels_id());
}

std::vector<NamedProblem> drawn(const GenerateOptions& options) {
    auto made = generate_problems(options, cpu);
    EXPECT_TRUE(made) << made.error().message;
    return made.value_or(std::vector<NamedProblem>{});
}

TEST(TuneGenerate, ASeedHasItsProblemsAndSetsShareNoKey) {
    std::set<std::string> keys;
    for (const std::uint64_t seed : {1, 2}) {
        const auto train = drawn({.count = 60, .seed = seed});
        const auto validation = drawn({.set = ProblemSet::validation, .count = 60, .seed = seed});
        ASSERT_EQ(train.size(), 60U);
        ASSERT_EQ(validation.size(), 60U);
        std::set<std::string> of_train;
        for (const auto& one : train) {
            EXPECT_TRUE(of_train.insert(one.key).second) << one.spec;
            EXPECT_EQ(problem_from_spec(one.spec), one.problem) << one.spec;
        }
        for (const auto& one : validation) EXPECT_FALSE(of_train.contains(one.key)) << one.spec;
        const auto again = drawn({.count = 60, .seed = seed});
        EXPECT_TRUE(std::ranges::equal(again, train, {}, &NamedProblem::spec, &NamedProblem::spec));
        keys.insert(of_train.begin(), of_train.end());
    }
    EXPECT_GT(keys.size(), 110U);  // another seed draws others
}

TEST(TuneGenerate, KindsAndOperationsAreThoseAskedFor) {
    const auto sizes = [](ProblemKind kind, std::vector<TunedOp> ops = {TunedOp::iir}) {
        return drawn({.kinds = {kind}, .ops = std::move(ops), .count = 20, .max_samples = 1 << 22});
    };
    for (const auto& one : sizes(ProblemKind::pow2)) {
        EXPECT_EQ(one.problem.width & (one.problem.width - 1), 0) << one.spec;
        EXPECT_NE(one.problem.filter(), nullptr);
    }
    for (const auto& one : sizes(ProblemKind::odd)) EXPECT_EQ(one.problem.width % 2, 1) << one.spec;
    for (const auto& one : sizes(ProblemKind::thin))
        EXPECT_LE(std::min(one.problem.width, one.problem.height), 64) << one.spec;
    for (const auto& one : sizes(ProblemKind::batch)) EXPECT_GE(one.problem.planes, 2) << one.spec;
    for (const auto& one : sizes(ProblemKind::lognormal, {TunedOp::pool_backward}))
        EXPECT_EQ(one.problem.pass, PoolPass::backward) << one.spec;
    for (const auto& one : sizes(ProblemKind::mixed, {TunedOp::pool})) {
        EXPECT_EQ(purpose_of(one.problem), "pool-cpu");
        EXPECT_LE(one.problem.width * one.problem.height * one.problem.planes, 1 << 22) << one.spec;
    }
    const auto none = generate_problems({.kinds = {ProblemKind::thin}, .max_samples = 100}, cpu);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("max-samples"));
}

TEST(TuneGenerate, FilesOfSpecsAndOfConfigsAreRead) {
    const auto file =
        std::filesystem::temp_directory_path() / ("iir2d_tune_problems-" + std::to_string(::getpid()));
    const auto write = [&](const std::string& text) { std::ofstream(file) << text; };
    const std::string spec = "pool:max window:2x2 stride:2x2 size:64x64";
    write("# what is slow\n\n" + spec + "\r\nsize:64x64 pool:max window:2x2\n");
    const auto lines = read_problems(file.string(), cpu);
    ASSERT_TRUE(lines) << lines.error().message;
    ASSERT_EQ(lines->size(), 1U);  // the second is the first in another order
    EXPECT_EQ(lines->front().spec, spec);
    write("name,spec\n\"a, b\",\"" + spec + "\"\n");
    const auto csv = read_problems(file.string(), cpu);
    ASSERT_TRUE(csv) << csv.error().message;
    EXPECT_EQ(csv->front().spec, spec);
    write(spec + "\npool:max size:3x3\n");
    const auto wrong = read_problems(file.string(), cpu);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, ErrorKind::bad_argument);
    EXPECT_THAT(wrong.error().message, HasSubstr("line 2"));

    write("static\nthreads:1\npart:33\nthreads:1\n");
    const auto space = space_from_text(file.string());
    ASSERT_TRUE(space) << space.error().message;
    EXPECT_EQ(configs_of(*space, lines->front(), 1, cpu)->size(),
              3U);  // whether they are valid, a visit says
    const auto all = configs_of(*space_from_text("exhaustive"), lines->front(), 1, cpu);
    const auto some = configs_of(*space_from_text("sampled:4"), lines->front(), 1, cpu);
    ASSERT_EQ(some->size(), 5U);
    EXPECT_EQ(some->front(), iir2d::Config{});
    for (const auto& config : *some) EXPECT_NE(std::ranges::find(*all, config), all->end());
    EXPECT_EQ(*some, *configs_of(*space_from_text("sampled:4"), lines->front(), 1, cpu));
    for (const char* text : {"sampled:0", "sampled:", "sampled:4x"})
        EXPECT_FALSE(space_from_text(text)) << text;
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace workbench::tune
