// SPDX-License-Identifier: MIT
// A model's text with its hash made anew, as a forger would: an error that says why, or a model that writes
// itself the same and predicts. And the same bytes as learned lines, and as a table in either reader.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/support/files.h"
#include "core/tune/table.h"
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

// Returns the text with the hash of all before its last line.
std::string hashed_anew(const std::string& text) {
    const std::string body = text.substr(0, text.rfind("sha256 "));
    return body + "sha256 " + workbench::sha256_hex(body) + "\n";
}

void try_table(const std::string& text) {
    const auto table = workbench::tune::table_from_text(text);
    if (!table) {
        expect(!table.error().message.empty());
        return;
    }
    const std::string written = workbench::tune::text_of(*table);
    const auto again = workbench::tune::table_from_text(written);
    expect(again.has_value());
    expect(workbench::tune::text_of(*again) == written);  // numbers may have been written in another form
    for (const auto& family : table->families) expect(table->of(family.family) != nullptr);
}

// The library's own reader, which takes a table beside a model.
void try_table_of_a_model(const std::string& text) {
    static const std::string model = hashed_anew(
        "iir2d-trees 1\npurpose iir-cpu\nversion 1\ninterface iir2d.config/1\nmachine 0123456789abcdef\n"
        "kernels 0123456789abcdef\nspace 1\nobjective both\nmargin 0.02\nfeatures 1 a\n"
        "ensemble gain trees 0 depth 0 base 0\nensemble level trees 0 depth 0 base 0\nsha256 ");
    static const bool is_model = iir2d::model_from_text(model).has_value();
    expect(is_model);
    const auto loaded = iir2d::load_model(model, true, text);
    if (!loaded) expect(!loaded.error().message.empty());
    iir2d::forget_models();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try_model(text);
    const std::string anew = hashed_anew(text);
    try_model(anew);
    try_table(text);
    try_table(anew);
    try_table_of_a_model(text);
    iir2d::import_learned(text);
    const std::string merged = iir2d::merge_learned(text, iir2d::export_learned());
    expect(iir2d::merge_learned(merged, "") == merged);
    iir2d::forget_learned();
    return 0;
}
