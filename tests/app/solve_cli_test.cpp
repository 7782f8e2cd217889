// SPDX-License-Identifier: MIT
// iir2d solve: options, JSON, CSV and exit codes.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/cli_folder.h"
#include "tests/full_disk.h"

namespace app_test {
namespace {

using Json = nlohmann::json;
using SolveCli = CliFolder;

Outcome run_solve(std::vector<std::string> words, const RunOptions& options = {}) {
    words.insert(words.begin(), "solve");
    return iir2d(words, options);
}

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
    std::vector<std::vector<std::string>> made;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        made.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) made.back().push_back(cell);
    }
    return made;
}

TEST_F(SolveCli, WritesWhatItPrints) {
    const auto outcome = run_solve({"poisson1d", "--n", "7", "--refine", "3", "--ends", "1,-2", "--json",
                                    "--out-json", path("a.json"), "--out-csv", path("a.csv")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, text_of("a.json"));
    const Json json = Json::parse(outcome.out);
    for (const char* key : {"problem", "method", "engine", "n", "unknowns", "iterations", "converged",
                            "residual", "errors", "rates", "history", "seconds", "solution"})
        EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_EQ(json["n"], 31);
    EXPECT_EQ(json["refinements"].size(), 3U);
    EXPECT_NEAR(json["rates"]["max"][1].get<double>(), 2, 0.02);
    const auto rows = rows_of(text_of("a.csv"));
    ASSERT_EQ(rows.size(), 34U);
    EXPECT_EQ(rows[0], (std::vector<std::string>{"x", "computed", "exact"}));
    EXPECT_EQ(rows[1][1], "1");
    EXPECT_EQ(rows[33][1], "-2");
    EXPECT_EQ(json["solution"]["computed"][16].get<double>(), std::stod(rows[17][1]));
}

TEST_F(SolveCli, ExitCodesSayWhatHappened) {
    expect_failure(run_solve({"none"}), 2, "\"none\" is not a command");
    expect_failure(run_solve({"poisson1d", "--n", "0"}), 2, "--n 0 is out of range");
    expect_failure(run_solve({"poisson1d", "--n", "7", "--method", "none"}), 2, "thomas, jacobi");
    expect_failure(run_solve({"poisson1d", "--n", "7", "--ends", "1"}), 2, "write A,B");
    expect_failure(run_solve({"poisson1d", "--n", "7", "--tolerance", "nan"}), 2, "--tolerance");
    expect_failure(run_solve({"poisson1d", "--n", "7", "--engine", "gpu"}), 2, "compiled, interpreter");
    expect_failure(run_solve({"poisson2d", "--n", "62", "--method", "multigrid"}), 2, "power of two");
    expect_failure(run_solve({"poisson2d", "--n", "20000"}, {.environment = {"IIR2D_MEMORY_LIMIT=1000000"}}),
                   2, "bytes of memory");
    expect_failure(run_solve({"heat", "--n", "9", "--dt", "0.0051", "--steps", "1", "--scheme", "explicit"}),
                   2, "give at most 0.005");
    expect_failure(run_solve({"heat", "--n", "9", "--dt", "-1", "--steps", "1"}), 2, "--dt -1");
    expect_failure(run_solve({"heat", "--n", "9", "--dt", "1", "--steps", "1", "--image", path("none.png"),
                              "--row", "0"}),
                   3, "does not exist");
    expect_failure(run_solve({"poisson1d", "--n", "7", "--seed", "-1"}), 2, "--seed -1 is out of range");
    expect_failure(run_solve({"minimise", "--problem", "none"}), 2, "rosenbrock");
    expect_failure(run_solve({"minimise", "--problem", "fit"}), 2, "needs IN, TARGET");
    expect_failure(run_solve({"minimise", "--problem", "quadratic", "--refine", "2"}), 2, "--refine");
    expect_failure(run_solve({"poisson1d", "--n", "7", "--out-csv", path("no/a.csv")}), 6, "does not exist");
    expect_failure(run_solve({"poisson1d", "--n", "7", "--engine", "ptx"},
                             {.environment = {"IIR2D_CUDA_LIBRARIES=/nowhere"}}),
                   4, "ptx-nvrtc:sm_90");
    // The result is there all the same.
    const auto outcome = run_solve({"poisson1d", "--n", "63", "--method", "jacobi", "--max-iterations", "10",
                                    "--out-csv", path("a.csv")});
    EXPECT_EQ(outcome.code, 5);
    EXPECT_THAT(outcome.err, testing::HasSubstr("the relative residual is 0.9"));
    EXPECT_EQ(rows_of(text_of("a.csv")).size(), 66U);
}

TEST_F(SolveCli, TheLargestSizeIsRefusedBeforeTheSmallerOnesAreSolved) {
    RunOptions options{.environment = {"IIR2D_MEMORY_LIMIT=100000000"}};
    options.interrupt_after = std::chrono::seconds(5);
    expect_failure(
        run_solve({"heat", "--n", "99", "--dt", "1e-9", "--steps", "9000000000000000000", "--refine", "15"},
                  options),
        2, "bytes of memory");
}

TEST_F(SolveCli, AFullDiskIsSix) {
    const workbench::testing::FullDisk disk(1000);
    expect_failure(run_solve({"poisson1d", "--n", "1000", "--quiet", "--out-csv", path("a.csv")}), 6,
                   "a.csv");
    EXPECT_TRUE(names().empty());
}

TEST_F(SolveCli, AnInterruptedOneEndsSo) {
    RunOptions options;
    options.interrupt_after = std::chrono::milliseconds(200);
    const auto outcome = run_solve(
        {"poisson1d", "--n", "4000", "--method", "jacobi", "--max-iterations", "100000000"}, options);
    EXPECT_EQ(outcome.code, 130);
}

TEST_F(SolveCli, HeatStartsFromARowOfAnImage) {
    write_image("row.pgm", 9, 4);
    const auto outcome = run_solve({"heat", "--n", "7", "--dt", "1e-9", "--steps", "1", "--image",
                                    path("row.pgm"), "--row", "2", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    for (int k = 0; k < 9; ++k)
        EXPECT_NEAR(json["solution"]["computed"][static_cast<std::size_t>(k)].get<double>(),
                    ((18 + k) * 37 % 251) / 255.0, 1e-5);
    EXPECT_TRUE(json["solution"]["exact"].is_null());
    expect_failure(run_solve({"heat", "--n", "7", "--dt", "1", "--steps", "1", "--image", path("row.pgm"),
                              "--row", "4"}),
                   2, "rows 0 to 3");
}

TEST_F(SolveCli, TheFittedRecipeGivesTheTarget) {
    write_image("in.pgm", 90, 70);
    ASSERT_EQ(iir2d({"filter", path("in.pgm"), path("target.tif"), "--filter", "5", "--param", "alpha=0.7",
                     "--out-type", "f32"})
                  .code,
              0);
    const auto outcome = run_solve({"minimise", "--problem", "fit", path("in.pgm"), path("target.tif"),
                                    "--filter", "5", "--out-recipe", path("recipe.json"), "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NEAR(Json::parse(outcome.out)["alpha"].get<double>(), 0.7, 1e-4);
    ASSERT_EQ(iir2d({"run", path("recipe.json"), path("in.pgm"), path("out.tif"), "--out-type", "f32"}).code,
              0);
    EXPECT_EQ(iir2d({"compare", path("out.tif"), path("target.tif"), "--tolerance", "1e-4"}).code, 0);
    expect_failure(
        run_solve({"minimise", "--problem", "fit", path("in.pgm"), path("target.tif"), "--filter", "3"}), 2,
        "1, 2, 5 or 7");
}

TEST_F(SolveCli, MinimisationsHaveARowAStep) {
    const auto outcome = run_solve({"minimise", "--problem", "rosenbrock", "--method", "adam", "--step",
                                    "0.01", "--steps", "3", "--out-csv", path("a.csv"), "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    const auto rows = rows_of(text_of("a.csv"));
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[1][3], "-1.2");
    EXPECT_NEAR(std::stod(rows[2][3]), -1.19, 1e-7);
}

}  // namespace
}  // namespace app_test
