// SPDX-License-Identifier: MIT
// A model's text with its hash made anew, as a forger would: an error that says why, or a model that writes
// itself the same and predicts. And the same bytes as learned lines and as a table.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/support/files.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"

namespace {

void expect(bool holds) {
    if (!holds) std::abort();
}

void try_model(const std::string& text) {
    auto model = iir2d::model_from_text(text);
    if (!model) {
        expect(!model.error().message.empty());
        return;
    }
    const auto written = iir2d::text_of_model(*model);
    expect(written.has_value());
    const auto again = iir2d::model_from_text(*written);
    expect(again.has_value());
    model->sha256 = again->sha256;  // numbers may have been written in another form
    expect(*model == *again);
    const std::vector<float> rows(3 * model->features.size(), 1.5F);
    for (const iir2d::TreeEnsemble* e : {&model->gain, &model->level}) {
        std::vector<float> out(3);
        iir2d::predict(*e, rows, model->features.size(), out);
        expect(out[0] == out[2] || std::isnan(out[0]));  // of sums that leave float
    }
    iir2d::load_model(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try_model(text);
    const auto last = text.rfind("sha256 ");
    const std::string body = text.substr(0, last);
    try_model(body + "sha256 " + workbench::sha256_hex(body) + "\n");
    iir2d::import_learned(text);
    const std::string merged = iir2d::merge_learned(text, iir2d::export_learned());
    expect(iir2d::merge_learned(merged, "") == merged);
    iir2d::forget_learned();
    return 0;
}
