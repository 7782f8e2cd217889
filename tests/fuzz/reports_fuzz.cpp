// SPDX-License-Identifier: MIT
// The reports that a release's gates read: JUnit's XML and the four kinds of JSON. All readers get every
// text.
#include <cstdlib>
#include <string_view>

#include "core/release/reports.h"
#include "tests/fuzz/json_mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
    const bool is_json = size > 0 && data[0] == '{';
    return is_json ? fuzzing::mutate_json_text(data, size, most, seed) : LLVMFuzzerMutate(data, size, most);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace workbench;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto report = read_test_report(text)) {
        // A suite as a whole may fail beside its tests.
        if (report->skipped > report->tests) std::abort();
        if (report->green() && !report->failures.empty()) std::abort();
    }
    static_cast<void>(read_parity_report(text));
    static_cast<void>(read_issues(text));
    static_cast<void>(read_security_review(text));
    if (const auto rebuild = read_rebuild(text)) {
        if (rebuild->hashes.size() < 2) std::abort();
    }
    return 0;
}
