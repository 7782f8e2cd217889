// SPDX-License-Identifier: MIT
#include "core/inspect/data_set_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/support/counted.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/data_set_files.h"
#include "core/synth/data_set_reader.h"
#include "core/synth/statistics.h"

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

bool is_backward(const json& of) {
    return of.at("direction").get<std::string>() == "backward";
}

}  // namespace

Result<DataSetView> view_data_set(const std::filesystem::path& folder, const TaskControl& control) {
    IIR2D_TRY(const synth::RunFacts run, synth::read_run(folder));
    DataSetView made{.folder = folder, .count = run.count, .rows = {}};
    std::error_code error;
    made.is_complete = std::filesystem::is_regular_file(folder / "manifest.json", error);
    synth::Statistics statistics;
    constexpr std::uint64_t most_places = 200;
    const std::uint64_t between = std::max<std::uint64_t>(1, (run.count + most_places - 1) / most_places);
    IIR2D_RETURN_IF_ERROR(synth::for_each_record(
        folder,
        [&](const json& record) -> Result<void> {
            made.rows.push_back(row_of(record));
            const RecordRow& row = made.rows.back();
            ++made.categories[row.category][row.split];
            statistics.add(record);
            if (made.rows.size() % between == 0)
                made.growth.emplace_back(made.rows.size(), statistics.all().skeletons.size());
            constexpr std::size_t between_reports = 100;
            if (made.rows.size() % between_reports == 0 && run.count > 0)
                control.report(
                    std::min(1.0, static_cast<double>(made.rows.size()) / static_cast<double>(run.count)),
                    counted(made.rows.size(), "record"));
            return {};
        },
        control.stop));
    IIR2D_RETURN_IF_ERROR(synth::for_each_rejected(
        folder,
        [&](const json& rejected) -> Result<void> {
            statistics.add_rejected(rejected);
            if (rejected.at("reason") == "mismatch")
                made.mismatches.push_back({.index = rejected.at("index").get<std::uint64_t>(),
                                           .category = rejected.at("category").get<std::string>(),
                                           .detail = rejected.at("detail").get<std::string>()});
            return {};
        },
        control.stop));
    const synth::CategoryStatistics& all = statistics.all();
    made.splits = all.splits;
    made.rejected = all.rejected;
    made.skeletons = all.skeletons.size();
    made.pairs = all.pairs;
    if (!made.rows.empty() && (made.growth.empty() || made.growth.back().first != made.rows.size()))
        made.growth.emplace_back(made.rows.size(), made.skeletons);
    for (const auto& [target, sizes] : all.sizes) made.sizes[target] = synth::sizes_of(sizes);
    return made;
}

Result<RecordView> view_record(const std::filesystem::path& folder, const std::string& id,
                               const std::stop_token& stop) {
    IIR2D_TRY(const json record, synth::find_record(folder, id, stop));
    RecordView made{.row = row_of(record),
                    .kernel = record.at("name").get<std::string>(),
                    .source = record.at("source").at("cuda").get<std::string>(),
                    .backward_source = {},
                    .host_source = record.at("source").at("cpp").get<std::string>(),
                    .backward_host_source = {},
                    .no_backward = {},
                    .texts = {},
                    .levels = {}};
    if (record.contains("backward")) {
        const json& backward = record["backward"];
        if (backward.contains("source")) {
            made.backward_source = backward["source"].at("cuda").get<std::string>();
            made.backward_host_source = backward["source"].at("cpp").get<std::string>();
        }
        if (backward.contains("reason")) made.no_backward = backward["reason"].get<std::string>();
    }
    for (const json& one : record.at("ir"))
        made.texts.push_back({.target = one.at("target").get<std::string>(),
                              .is_backward = is_backward(one),
                              .text = one.at("text").get<std::string>()});
    for (const json& one : record.at("verification"))
        made.levels.push_back({.level = one.at("level").get<std::string>(),
                               .target = one.at("target").get<std::string>(),
                               .is_backward = is_backward(one),
                               .is_exact = one.at("exact").get<bool>(),
                               .worst_of_bound = one.at("worst_of_bound").dump()});
    return made;
}

}  // namespace workbench::inspect
