// SPDX-License-Identifier: MIT
#include "core/inspect/data_set_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <system_error>

#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/data_set_files.h"
#include "core/synth/data_set_reader.h"

namespace workbench::inspect {

namespace {

using nlohmann::json;

RecordRow row_of(const json& record) {
    const auto text = [&](const char* name) { return record.at(name).get<std::string>(); };
    RecordRow made{.id = text("id"),
                   .name = text("name"),
                   .category = text("category"),
                   .ops = joined(record.at("ops"), " ", [](const json& op) { return op.get<std::string>(); }),
                   .split = text("split"),
                   .complexity = text("complexity"),
                   .has_backward = false};
    made.has_backward = record.contains("backward") && record["backward"].contains("source");
    return made;
}

}  // namespace

Result<DataSetView> view_data_set(const std::filesystem::path& folder, const TaskControl& control) {
    IIR2D_TRY(const synth::RunFacts run, synth::read_run(folder));
    DataSetView made{.folder = folder, .count = run.count, .rows = {}};
    std::error_code error;
    made.is_complete = std::filesystem::is_regular_file(folder / "manifest.json", error);
    IIR2D_RETURN_IF_ERROR(synth::for_each_record(
        folder,
        [&](const json& record) -> Result<void> {
            made.rows.push_back(row_of(record));
            ++made.categories[made.rows.back().category];
            constexpr std::size_t between_reports = 500;
            if (made.rows.size() % between_reports == 0 && run.count > 0)
                control.report(
                    std::min(1.0, static_cast<double>(made.rows.size()) / static_cast<double>(run.count)),
                    std::to_string(made.rows.size()) + " records");
            return {};
        },
        control.stop));
    IIR2D_TRY(const synth::Statistics statistics, synth::read_statistics(folder, control.stop));
    const synth::CategoryStatistics& all = statistics.all();
    made.splits = {all.splits.begin(), all.splits.end()};
    made.rejected = {all.rejected.begin(), all.rejected.end()};
    made.skeletons = all.skeletons.size();
    made.pairs = all.pairs;
    for (const auto& [target, sizes] : all.sizes) {
        const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0, [](double a, std::uint64_t b) {
            return a + static_cast<double>(b);
        });
        if (!sizes.empty()) made.sizes[target] = {sum / static_cast<double>(sizes.size()), sizes.size()};
    }
    return made;
}

Result<RecordView> view_record(const std::filesystem::path& folder, const std::string& id,
                               const std::stop_token& stop) {
    IIR2D_TRY(const json record, synth::find_record(folder, id, stop));
    RecordView made{.row = row_of(record),
                    .kernel = record.at("name").get<std::string>(),
                    .source = record.at("source").at("cuda").get<std::string>(),
                    .backward_source = {},
                    .no_backward = {},
                    .texts = {},
                    .levels = {}};
    if (record.contains("backward")) {
        const json& backward = record["backward"];
        if (backward.contains("source"))
            made.backward_source = backward["source"].at("cuda").get<std::string>();
        if (backward.contains("reason")) made.no_backward = backward["reason"].get<std::string>();
    }
    for (const json& one : record.at("ir"))
        made.texts.push_back({.target = one.at("target").get<std::string>(),
                              .direction = one.at("direction").get<std::string>(),
                              .text = one.at("text").get<std::string>()});
    for (const json& one : record.at("verification"))
        made.levels.push_back({.level = one.at("level").get<std::string>(),
                               .target = one.at("target").get<std::string>(),
                               .direction = one.at("direction").get<std::string>(),
                               .is_exact = one.at("exact").get<bool>(),
                               .worst_of_bound = one.at("worst_of_bound").dump()});
    return made;
}

}  // namespace workbench::inspect
