// SPDX-License-Identifier: MIT
// Models and measurements for tests of page Tuning: the recorded ones, made to be of this machine.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "core/support/files.h"
#include "core/tune/install.h"
#include "core/tune/store.h"
#include "core/tune/transfer.h"
#include "iir2d/tune_model.h"

namespace workbench::testing {

inline std::string recordedText(const std::string& name) {
    const auto text = read_file(std::string(IIR2D_SOURCE_DIR) + "/tests/core/tune/" + name);
    EXPECT_TRUE(text) << name;
    return text.value_or("");
}

// The recorded measurements as a database.
inline void writeRecording(const std::filesystem::path& database) {
    std::filesystem::create_directories(database.parent_path());
    const auto all = tune::from_json(recordedText("recording.json"));
    ASSERT_TRUE(all) << all.error().message;
    auto store = tune::Store::open(database);
    ASSERT_TRUE(store) << store.error().message;
    ASSERT_TRUE(store->write_all(*all));
}

// Installs the recorded model as one of this machine and these kernels, which may decide.
inline void installModel(const std::string& version, bool isProven = true) {
    const auto host = tune::model_host();
    ASSERT_TRUE(host) << host.error().message;
    auto model = iir2d::model_from_text(recordedText("golden/model.trees"));
    ASSERT_TRUE(model) << model.error().message;
    model->machine = host->machine;
    model->kernels = host->kernels;
    model->version = version;
    if (!model->margin) model->margin = 0.02F;
    const auto text = iir2d::text_of_model(*model);
    ASSERT_TRUE(text);
    const auto done = tune::install_model(
        model->purpose, version, {.trees = *text, .json = {}, .report = isProven ? "{}\n" : "", .table = {}});
    ASSERT_TRUE(done) << done.error().message;
}

// Models are of machines that say how large their caches are.
inline bool canHaveModels() {
    return tune::model_host().has_value() && iir2d::Device::cpu(2)->threads() == 2;
}

}  // namespace workbench::testing
