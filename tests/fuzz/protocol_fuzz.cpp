// SPDX-License-Identifier: MIT
// A protocol's text: one that is accepted has cases, and a command line.
#include <cstdlib>
#include <string_view>

#include "core/evidence/protocol.h"
#include "core/record/record.h"
#include "tests/fuzz/json_mutation.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
    return fuzzing::mutate_json_text(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace workbench;
    const auto matrix = matrix_from_protocol_json({reinterpret_cast<const char*>(data), size});
    if (!matrix) return 0;
    const auto cases = expand(*matrix);
    if (cases && cases->empty()) std::abort();
    static_cast<void>(bench_command_line(*matrix, "", ""));
    return 0;
}
