// SPDX-License-Identifier: MIT
// A PTX text: an error that names a line, or a module whose first kernel runs to its end or to a finding.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/ptx/ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace workbench::ptx;
    const auto module = Module::parse({reinterpret_cast<const char*>(data), size});
    if (!module) {
        if (module.error().message.empty()) std::abort();
        return 0;
    }
    if (module->entries().empty()) return 0;
    const EntryInfo& entry = module->entries().front();
    Memory memory;
    std::vector<std::byte> parameters(entry.parameter_bytes);
    for (const ParameterInfo& parameter : entry.parameters) {
        if (parameter.bytes != sizeof(std::uint64_t)) continue;
        const std::uint64_t address = memory.allocate(256);
        std::memcpy(parameters.data() + parameter.offset, &address, sizeof address);
    }
    const auto outcome = run(*module,
                             {.kernel = entry.name,
                              .grid = {2, 1, 1},
                              .block = {40, 1, 1},
                              .shared_bytes = 64,
                              .parameters = parameters,
                              .seed = size % 3,
                              .budget = 20'000},
                             memory);
    if (outcome && outcome->findings_total < outcome->findings.size()) std::abort();
    return 0;
}
