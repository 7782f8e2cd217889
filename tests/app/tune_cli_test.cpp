// SPDX-License-Identifier: MIT
// --config and --tune, as a user gives them: other times, never other bytes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/app/cli_fixture.h"

namespace {

namespace fs = std::filesystem;
using app_test::expect_failure;
using app_test::iir2d;
using app_test::Outcome;
using app_test::RunOptions;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class TuneCli : public app_test::Cli {
  protected:
    // The bytes that a command writes.
    std::string written(Words command, const Words& more, const RunOptions& options = {}) {
        const std::string out = "out" + std::to_string(m_count++) + ".tif";
        command.insert(command.begin() + 2, path(out));
        command.insert(command.end(), more.begin(), more.end());
        const Outcome done = iir2d(command, options);
        EXPECT_EQ(done.code, 0) << ::testing::PrintToString(command) << done.err;
        return text_of(out);
    }
    nlohmann::json kernel_of(const std::string& record) const {
        return nlohmann::json::parse(text_of(record + "/record.json"))["cases"][0]["kernel"]["value"];
    }

  private:
    int m_count = 0;
};

TEST_F(TuneCli, NoConfigChangesAByte) {
    const std::string rgb = make_image("rgb.tif", 513, 130, 3);
    const Words filter{"filter", rgb, "--filter", "6", "--device", "cpu"};
    const std::string expected = written(filter, {});
    for (const char* config : {"threads:1 part:128", "stores:past strip:256"})
        EXPECT_EQ(written(filter, {"--config", config}), expected) << config;
    const Words pool{"pool", rgb, "--device", "cpu", "--op", "max", "--window", "16x16", "--stride", "8x8"};
    const std::string pooled = written(pool, {});
    for (const char* config : {"way:climb/climb", "task:2^14 threads:1"})
        EXPECT_EQ(written(pool, {"--config", config}), pooled) << config;
    EXPECT_EQ(written(pool, {"--config", "way:parts/parts", "--indices", path("where.tif")}), pooled);
}

TEST_F(TuneCli, WrongConfigsAreNamedAndNothingIsWritten) {
    const std::string grey = make_image("grey.tif", 64, 64, 1);
    const auto refuses = [&](Words command, const std::string& config, const std::string& part) {
        command.insert(command.begin() + 2, path("never.tif"));
        command.insert(command.end(), {"--device", "cpu", "--config", config});
        expect_failure(iir2d(command), 2, part);
        EXPECT_FALSE(fs::exists(path("never.tif"))) << config;
    };
    const Words filter{"filter", grey, "--filter", "1"};
    refuses(filter, "speed:1", "speed:1");
    refuses(filter, "part:33", "part:33: part is a multiple of 32");
    refuses(filter, "threads:0", "threads:0");
    refuses(filter, "threads:9999", "threads:9999: threads is a whole number from 1 to ");
    refuses({"pool", grey, "--op", "max", "--window", "3x3"}, "way:climb/climb", "way:climb/climb");
    refuses({"pool", grey, "--op", "avg", "--window", "3x3"}, "way:parts/parts", "max pooling");
    expect_failure(iir2d({"bench", "--sizes", "64x64", "--filter-ids", "1", "--device", "cpu", "--config",
                          "part:33", "--record", path("never")}),
                   2, "part:33");
    EXPECT_FALSE(fs::exists(path("never")));
}

TEST_F(TuneCli, ModesAreReadAndOffIsOff) {
    const std::string grey = make_image("grey.tif", 200, 200, 1);
    const Words filter{"filter", grey, "--filter", "4", "--device", "cpu"};
    const std::string expected = written(filter, {});
    EXPECT_EQ(written(filter, {"--tune", "measure"}), expected);
    EXPECT_EQ(written(filter, {}, {.environment = {"IIR2D_TUNE=off"}}), expected);
    const Words again{"filter", grey, path("never.tif"), "--filter", "4", "--device", "cpu"};
    expect_failure(iir2d(again, {.environment = {"IIR2D_TUNE=fast"}}), 2, "IIR2D_TUNE \"fast\"");
    Words fast = again;
    fast.insert(fast.end(), {"--tune", "fast"});
    expect_failure(iir2d(fast), 2, "--tune \"fast\"");
    fs::create_directory(path("config"));
    written(filter, {"--tune", "off"}, {.environment = {"IIR2D_CONFIG_DIR=" + path("config")}});
    EXPECT_TRUE(fs::is_empty(path("config")));
}

TEST_F(TuneCli, RecordsHaveTheConfigAndReproduceIt) {
    const Words bench{"bench",    "--sizes", "64x48", "--filter-ids", "6", "--precisions", "f32",
                      "--device", "cpu",     "-q",    "--warmup",     "1", "--iters",      "5"};
    const auto record = [&](const std::string& name, const Words& more) {
        Words command = bench;
        command.insert(command.end(), {"--record", path(name)});
        command.insert(command.end(), more.begin(), more.end());
        const Outcome done = iir2d(command);
        EXPECT_EQ(done.code, 0) << done.err;
        EXPECT_EQ(iir2d({"verify", path(name)}).code, 0);
    };
    record("off", {"--tune", "off"});
    EXPECT_EQ(kernel_of("off")["config"], "static");
    EXPECT_EQ(kernel_of("off")["chosen_by"], "off");
    EXPECT_TRUE(kernel_of("off")["model"].is_null() || kernel_of("off")["model"]["value"].is_null());
    record("pinned", {"--config", "part:32"});
    EXPECT_EQ(kernel_of("pinned")["config"], "part:32");
    EXPECT_EQ(kernel_of("pinned")["config_resolved"], "threads:1 stores:through part:32 strip:64");
    EXPECT_EQ(kernel_of("pinned")["chosen_by"], "pinned");

    const Outcome compared =
        iir2d({"compare-records", path("off"), path("pinned"), "--margin", "99%", "--json"});
    EXPECT_THAT(compared.out, HasSubstr("executed by another config"));
    // Timings of so short a case may differ; the outputs may not.
    const Outcome again =
        iir2d({"reproduce", path("pinned"), "--record", path("again"), "--max-regression", "10000%"});
    EXPECT_THAT(again.out, HasSubstr("1 of 1 case the same bit for bit"));
    EXPECT_EQ(kernel_of("again")["config"], "part:32");
}

}  // namespace
