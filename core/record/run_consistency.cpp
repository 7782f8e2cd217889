// SPDX-License-Identifier: MIT
// Whether what a record says of its run fits together: times, threads and the build.
#include <string>

#include "core/record/consistency.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace {

// Times are written in one form, so that text order is time order.
void check_times(const BenchmarkRun& run, const Findings& found) {
    if (run.finished_utc < run.started_utc) {
        found("it was finished before it was started");
        return;
    }
    for (const CaseResult& one : run.results) {
        const std::string name =
            "case \"" + escaped(one.what.key) + "\": it was started at " + one.started_utc;
        if (one.started_utc < run.started_utc) found(name + ", before the run at " + run.started_utc);
        if (one.started_utc > run.finished_utc)
            found(name + ", after the end of the run at " + run.finished_utc);
    }
}

void check_threads(const Record& record, const Findings& found) {
    const auto threads = [](int count) { return counted(static_cast<std::uint64_t>(count), "thread"); };
    const int used = record.run.threads;
    if (used != record.environment.threads)
        found("its device has " + threads(used) + " but its environment has " +
              std::to_string(record.environment.threads));
    const int allowed = record.run.matrix.threads;
    if (allowed > 0 && used > allowed)
        found("its device has " + threads(used) + " where its matrix allows " + std::to_string(allowed));
}

// The library says by its fingerprint what it was built from, the program by the other keys: a record whose
// commit is not that of the library that computed says nothing of that commit.
void check_build(const Environment& e, const Findings& found) {
    std::string wanted = "iir2d " + e.version + ", commit " + e.commit.value_or("unknown");
    if (e.dirty.value == true) wanted += " with local changes";
    wanted += ", ";
    if (!e.build_fingerprint.starts_with(wanted))
        found("its build_fingerprint is " + shown(e.build_fingerprint) +
              ", which is not of its version and commit: \"" + escaped(wanted) + "...\"");
}

}  // namespace

void check_run(const Record& record, const Findings& found) {
    check_times(record.run, found);
    check_threads(record, found);
    check_build(record.environment, found);
}

}  // namespace workbench
