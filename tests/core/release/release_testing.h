// SPDX-License-Identifier: MIT
// Evidence as a release needs it, made by hand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/benchmark/named_protocols.h"
#include "core/record/record.h"
#include "core/support/signing.h"
#include "tests/core/record/record_testing.h"

namespace workbench::testing {

inline const std::string release_commit = "0123456789abcdef0123456789abcdef01234567";
inline const std::string baseline_commit(40, '1');

// A record of that commit by the protocol "smoke" or "standard" (as the directory is named), whose cases all
// agree and were timed, each `cost` times as slow; written to `directory`.
inline void write_release_record(const std::filesystem::path& directory, double cost,
                                 const std::optional<SigningKey>& key = std::nullopt,
                                 const std::string& commit = release_commit) {
    Record record = sample_record();
    record.environment.commit.value = commit;
    record.environment.build_fingerprint =
        "iir2d " + record.environment.version + ", commit " + commit + ", GNU 12.2.0";
    BenchmarkRun& run = record.run;
    run.matrix = *named_protocol(directory.filename() == "smoke" ? "smoke" : "standard");
    run.matrix.device = "cpu";
    run.matrix.threads = 2;
    std::vector<double> ms, copies;
    for (int i = 0; i < run.matrix.iterations; ++i) {
        ms.push_back(cost * (1 + 0.001 * ((i * 7) % 11)));
        copies.push_back(0.25 * (1 + 0.001 * ((i * 5) % 7)));
    }
    CaseResult measured = run.results.front();  // a filter of f32 or mixed moves as many bytes
    measured.samples.clear();
    measured.copy_samples.clear();
    for (const double v : ms) measured.samples.push_back({v, false});
    for (const double v : copies) measured.copy_samples.push_back({v, false});
    measured.memcpy_samples = measured.copy_samples;
    run.results.clear();
    for (const BenchmarkCase& what : cases_of(run.matrix, 1)) {
        CaseResult& r = run.results.emplace_back(measured);
        r.what = what;
        r.bytes_moved = 8 * static_cast<std::uint64_t>(what.width * what.height);
        static_cast<TimingFigures&>(r) = figures_of(r);
    }
    run.case_total = static_cast<std::int64_t>(run.results.size());
    record.command_line = bench_command_line(run.matrix, "", "");
    const auto written = write_record(record, directory, key);
    if (!written) throw std::runtime_error(written.error().message);
}

// A test report; `run` tells two of them apart.
inline std::string test_report(int run, bool green = true) {
    return "<testsuite name=\"run " + std::to_string(run) +
           "\" tests=\"1\"><testcase name=\"A.works\" status=\"run\">" + (green ? "" : "<failure/>") +
           "</testcase></testsuite>\n";
}

inline std::string issue_list(const std::string& issues = "") {
    return "{\"issues\": [" + issues + "]}";
}

inline std::string rebuild_report(char second, const std::string& reason = "null") {
    return R"({"builds": [{"library_sha256": ")" + std::string(64, 'a') +
           R"(", "built_utc": "2025-03-09T17:00:00Z"}, {"library_sha256": ")" + std::string(64, second) +
           R"(", "built_utc": "2025-03-09T18:00:00Z"}], "reason": )" + reason + "}";
}

inline std::string security_review(bool accepted = true, const std::string& findings = "") {
    return R"({"reviewer": "R. Eviewer", "date": "2025-03-09", "accepted": )" +
           std::string(accepted ? "true" : "false") + ", \"findings\": [" + findings + "]}";
}

}  // namespace workbench::testing
