// SPDX-License-Identifier: MIT
// Reads the reports that a release's gates judge. Everything here may come from a stranger: what is not as
// stated is bad_input, never guessed at.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"

namespace workbench {

// Reads JUnit XML as `ctest --output-junit` writes it: the <testcase> elements, and <failure>, <error> and
// <skipped> in them. What a suite says of its failures and errors must be what its tests say. A document type
// declaration is refused, so there are no entities but XML's own; at most 32 levels and 2^22 tags and
// attributes are read.
struct TestReport {
    std::size_t tests = 0;
    std::size_t skipped = 0;
    std::vector<std::string> failures;  // names
    bool green() const { return tests > skipped && failures.empty(); }
};
Result<TestReport> read_test_report(std::string_view xml);

// Reads what `iir2d parity --json` prints.
struct ParityReport {
    std::size_t cases = 0;
    std::vector<std::string> failures;  // keys
};
Result<ParityReport> read_parity_report(std::string_view json);

// {"issues": [{"id": text, "priority": "P0" to "P3", "open": boolean, "title": text}, ...]}
struct Issue {
    std::string id;
    std::string priority;
    bool open = true;
    std::string title;
};
Result<std::vector<Issue>> read_issues(std::string_view json);

// {"builds": [{"library_sha256": hash, "built_utc": text}, at least two], "reason": text or null}
struct Rebuild {
    std::vector<std::string> hashes;
    std::string reason;  // why they differ; empty: none is given
};
Result<Rebuild> read_rebuild(std::string_view json);

// {"reviewer": text, "date": "YYYY-MM-DD", "accepted": boolean, "findings": [as issues]}
struct SecurityReview {
    std::string reviewer;
    bool accepted = false;
    std::vector<Issue> findings;
};
Result<SecurityReview> read_security_review(std::string_view json);

}  // namespace workbench
