// SPDX-License-Identifier: MIT
// A record's text, as `iir2d verify` and the window read it: read, held to its own figures, written again,
// and made into its other files.
#include <exception>
#include <string_view>

#include "core/record/consistency.h"
#include "core/record/derived.h"
#include "core/record/signature_file.h"
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
    static_cast<void>(parse_signature_file(text));
    static_cast<void>(record_from_json(text));
    // No mutation fits its hash: each gets one.
    auto sealed = parse_strictly(text);
    if (!sealed || !sealed->is_object()) return 0;
    (*sealed)[seal_name] = canonical_sha256_without(*sealed, seal_name);
    const auto record = record_from_json(canonical_json(*sealed));
    if (!record) return 0;
    try {
        check_consistency(*record, [](const std::string&) {});
    } catch (const std::exception&) {  // which verify says of the record
    }
    static_cast<void>(record_from_json(record_to_json(*record)));
    static_cast<void>(derived_files(text, *record));
    return 0;
}
