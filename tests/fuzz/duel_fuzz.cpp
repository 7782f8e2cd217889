// SPDX-License-Identifier: MIT
// The record of a duel, as `iir2d verify` reads it: read, its verdicts worked out again, written again, and
// made into its report.
#include <string_view>

#include "core/duel/duel_record.h"
#include "core/record/record_layout.h"
#include "core/support/canonical_json.h"
#include "core/support/strict_json.h"
#include "tests/fuzz/json_mutation.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
    return fuzzing::mutate_json_text(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace workbench;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static_cast<void>(duel_record_from_json(text));
    // No mutation fits its hash: each gets one.
    auto sealed = parse_strictly(text);
    if (!sealed || !sealed->is_object()) return 0;
    (*sealed)[seal_name] = canonical_sha256_without(*sealed, seal_name);
    const auto record = duel_record_from_json(canonical_json(*sealed));
    if (!record) return 0;
    static_cast<void>(inconsistencies(*record));
    static_cast<void>(shortcomings(record->duel, record->max_regression));
    static_cast<void>(duel_record_to_markdown(*record));
    const std::string again = duel_record_to_json(*record);
    const auto read = duel_record_from_json(again);
    if (!read || duel_record_to_json(*read) != again) __builtin_trap();
    return 0;
}
