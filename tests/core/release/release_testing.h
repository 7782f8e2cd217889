// SPDX-License-Identifier: MIT
// Evidence as a release needs it, made by hand.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "core/support/signing.h"
#include "tests/core/record/record_testing.h"

namespace workbench::testing {

inline const std::string release_commit = "0123456789abcdef0123456789abcdef01234567";
inline const std::string baseline_commit(40, '1');

// A record of that commit whose cases all agree and were timed, each `cost` times as slow; written to
// `directory`.
inline void write_release_record(const std::filesystem::path& directory, double cost,
                                 const std::optional<SigningKey>& key = std::nullopt,
                                 const std::string& commit = release_commit) {
    Record record = sample_record();
    record.environment.commit.value = commit;
    record.run.results.pop_back();  // the one that failed
    record.run.case_total = 2;
    record.run.matrix.iterations = 40;
    record.run.matrix.protocol = directory.filename() == "smoke" ? "smoke" : "standard";
    for (auto& r : record.run.results) {
        std::vector<double> ms, copies;
        r.samples.clear();
        r.copy_samples.clear();
        r.memcpy_samples.clear();
        for (int i = 0; i < 40; ++i) {
            ms.push_back(cost * (1 + 0.001 * ((i * 7) % 11)));
            copies.push_back(0.25 * (1 + 0.001 * ((i * 5) % 7)));
            r.samples.push_back({ms.back(), false});
            r.copy_samples.push_back({copies.back(), false});
            r.memcpy_samples.push_back({copies.back(), false});
        }
        r.latency = summarise(ms);
        r.latency_p50_interval = median_interval(ms);
        r.copy_latency = summarise(copies);
        r.memcpy_ms_p50 = percentile(copies, 50);
        r.ratio_to_copy = r.latency.p50 / r.copy_latency.p50;
        r.throughput_mpix_per_s_p50 = static_cast<double>(r.what.width * r.what.height) / r.latency.p50 / 1e3;
        r.throughput_gb_per_s_p50 = static_cast<double>(r.bytes_moved) / r.latency.p50 / 1e6;
    }
    record.command_line = bench_command_line(record.run.matrix, "", "");
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
