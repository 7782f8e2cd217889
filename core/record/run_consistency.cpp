// SPDX-License-Identifier: MIT
#include "core/record/run_consistency.h"

#include <cstdint>
#include <string>

#include "core/record/record_json.h"
#include "core/support/escaped.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace {

using nlohmann::json;

// Times are written in one form, so that text order is time order.
void check_times(const json& record, const Findings& found) {
    const std::string started = cell_text(record.at("started_utc"));
    const std::string finished = cell_text(record.at("finished_utc"));
    if (finished < started) {
        found("it was finished before it was started");
        return;
    }
    for (const json& one : record.at("cases")) {
        const std::string at = cell_text(one.at("started_utc"));
        const std::string name = "case \"" + escaped(cell_text(one.at("key"))) + "\": ";
        if (at < started) found(name + "it was started at " + at + ", before the run at " + started);
        if (at > finished)
            found(name + "it was started at " + at + ", after the end of the run at " + finished);
    }
}

void check_threads(const json& record, const Findings& found) {
    const auto used = record.at("device").at("threads").get<std::int64_t>();
    const auto in_environment = record.at("environment").at("threads").get<std::int64_t>();
    const auto allowed = record.at("matrix").at("threads").get<std::int64_t>();
    if (used != in_environment)
        found("its device has " + std::to_string(used) + " threads but its environment has " +
              std::to_string(in_environment));
    if (allowed > 0 && used > allowed)
        found("its device has " + std::to_string(used) + " threads where its matrix allows " +
              std::to_string(allowed));
}

// The library says by its fingerprint what it was built from, the program by the other keys: a record whose
// commit is not that of the library that computed says nothing of that commit.
void check_build(const json& record, const Findings& found) {
    const json& e = record.at("environment");
    const std::string version = cell_text(e.at("version"));
    if (record.at("program").at("version") != version)
        found("its program has the version " + shown(record.at("program").at("version")) +
              " but its environment has " + shown(e.at("version")));
    const json& commit = value_of(e.at("commit"));
    std::string wanted =
        "iir2d " + version + ", commit " + (commit.is_null() ? "unknown" : cell_text(commit));
    if (value_of(e.at("dirty")) == true) wanted += " with local changes";
    wanted += ", ";
    if (!cell_text(e.at("build_fingerprint")).starts_with(wanted))
        found("its build_fingerprint is " + shown(e.at("build_fingerprint")) +
              ", which is not of its version and commit: \"" + escaped(wanted) + "...\"");
}

}  // namespace

void check_run(const json& record, const Findings& found) {
    check_times(record, found);
    check_threads(record, found);
    check_build(record, found);
}

}  // namespace workbench
