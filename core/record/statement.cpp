// SPDX-License-Identifier: MIT

#include <exception>

#include "core/record/derived.h"
#include "core/record/record_json.h"

namespace workbench {

namespace {

using nlohmann::json;
using Ordered = nlohmann::ordered_json;

Ordered dependencies_of(const json& record) {
    Ordered list = Ordered::array();
    const json& e = record.at("environment");
    if (const json& commit = value_of(e.at("commit")); !commit.is_null()) {
        Ordered source{{"name", "source"}, {"digest", {{"gitCommit", commit}}}};
        if (const json& dirty = value_of(e.at("dirty")); dirty == true)
            source["annotations"] = {{"uncommitted_changes", true}};
        list.push_back(std::move(source));
    }
    if (const json& library = value_of(e.at("library_sha256")); !library.is_null())
        list.push_back({{"name", "libiir2d"}, {"digest", {{"sha256", library}}}});
    if (const json& image = value_of(record.at("matrix").at("image")); !image.is_null()) {
        list.push_back({{"name", "input image, pixels"}, {"digest", {{"sha256", image.at("pixel_sha256")}}}});
    }
    return list;
}

Ordered statement(const json& record, const std::map<std::string, std::string>& digests) {
    Ordered subjects = Ordered::array();
    for (const auto& [name, hash] : digests)
        subjects.push_back({{"name", name}, {"digest", {{"sha256", hash}}}});
    const json& e = record.at("environment");
    return {{"_type", "https://in-toto.io/Statement/v1"},
            {"subject", std::move(subjects)},
            {"predicateType", "https://slsa.dev/provenance/v1"},
            {"predicate",
             {{"buildDefinition",
               {{"buildType", "iir2d-workbench:benchmark-record/v1"},
                {"externalParameters",
                 {{"command_line", record.at("command_line")},
                  {"matrix", Ordered::parse(record.at("matrix").dump())}}},
                {"resolvedDependencies", dependencies_of(record)}}},
              {"runDetails",
               {{"builder",
                 {{"id", "iir2d-workbench:bench"}, {"version", {{"iir2d", e.at("build_fingerprint")}}}}},
                {"metadata",
                 {{"invocationId", record_id(record)},
                  {"startedOn", record.at("started_utc")},
                  {"finishedOn", record.at("finished_utc")}}}}}}}};
}

}  // namespace

Result<std::string> statement_of(const json& record, const std::map<std::string, std::string>& digests) {
    try {
        return statement(record, digests).dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input, std::string("the record has no statement: ") + error.what());
    }
}

}  // namespace workbench
