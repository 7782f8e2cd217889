// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "core/record/derived.h"
#include "core/record/record_writer.h"

namespace workbench {

namespace {

using Ordered = nlohmann::ordered_json;

Ordered dependencies_of(const Record& record) {
    Ordered list = Ordered::array();
    const Environment& e = record.environment;
    if (e.commit) {
        Ordered source{{"name", "source"}, {"digest", {{"gitCommit", *e.commit}}}};
        if (e.dirty.value == true) source["annotations"] = {{"uncommitted_changes", true}};
        list.push_back(std::move(source));
    }
    if (e.library_sha256) list.push_back({{"name", "libiir2d"}, {"digest", {{"sha256", *e.library_sha256}}}});
    if (const auto& image = record.run.matrix.image_identity)
        list.push_back({{"name", "input image, pixels"}, {"digest", {{"sha256", image->pixel_sha256}}}});
    return list;
}

}  // namespace

std::string statement_of(const Record& record, const std::map<std::string, std::string>& digests) {
    Ordered subjects = Ordered::array();
    for (const auto& [name, hash] : digests)
        subjects.push_back({{"name", name}, {"digest", {{"sha256", hash}}}});
    const Ordered statement = {
        {"_type", "https://in-toto.io/Statement/v1"},
        {"subject", std::move(subjects)},
        {"predicateType", "https://slsa.dev/provenance/v1"},
        {"predicate",
         {{"buildDefinition",
           {{"buildType", "iir2d-workbench:benchmark-record/v1"},
            {"externalParameters",
             {{"command_line", record.command_line}, {"matrix", Ordered::parse(matrix_to_json(record))}}},
            {"resolvedDependencies", dependencies_of(record)}}},
          {"runDetails",
           {{"builder",
             {{"id", "iir2d-workbench:bench"},
              {"version", {{"iir2d", record.environment.build_fingerprint}}}}},
            {"metadata",
             {{"invocationId", record.record_id},
              {"startedOn", record.run.started_utc},
              {"finishedOn", record.run.finished_utc}}}}}}}};
    return statement.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace workbench
