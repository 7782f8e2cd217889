// SPDX-License-Identifier: MIT
// A release's log: parsed, and replayed entry by entry. Mutations of an event keep the chain of hashes whole,
// as whoever forges a log would.
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "core/release/entries.h"
#include "core/release/log.h"
#include "core/release/state.h"
#include "core/support/files.h"
#include "tests/fuzz/json_mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using nlohmann::json;
using workbench::LogEntry;

// Writes the entries anew, each after the one before it.
std::string chained(const std::vector<LogEntry>& entries) {
    std::string text;
    std::vector<LogEntry> before;
    for (const LogEntry& entry : entries) {
        const std::string line = workbench::log_line(before, entry.time.clock, entry.event);
        text += line;
        before.push_back({entry.time, entry.event,
                          workbench::sha256_hex(std::string_view(line).substr(0, line.size() - 1))});
    }
    return text;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
    std::mt19937 dice(seed);
    const auto log = workbench::parse_log({reinterpret_cast<const char*>(data), size});
    if (!log || dice() % 8U == 0) return LLVMFuzzerMutate(data, size, most);
    std::vector<LogEntry> entries = *log;
    const std::size_t at = dice() % entries.size();
    switch (dice() % 6U) {
        case 0:
            entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        case 1: {
            const LogEntry copy = entries[dice() % entries.size()];
            entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(at), copy);
            break;
        }
        default:
            fuzzing::mutate(entries[at].event, dice);
    }
    std::string text;
    try {
        text = chained(entries);
    } catch (const json::exception&) {  // a string that is no UTF-8
    }
    if (text.empty() || text.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace workbench;
    const auto log = parse_log({reinterpret_cast<const char*>(data), size});
    if (!log) return 0;
    const auto state = replay(*log);
    if (!state) return 0;
    // What could have been written is written as it was.
    if (chained(*log) != std::string_view(reinterpret_cast<const char*>(data), size)) std::abort();
    if (state->entries != log->size() || !is_safe_name(state->id)) std::abort();
    static_cast<void>(state->seen());
    for (const std::string_view role : release_roles) static_cast<void>(state->last_sign_off(role));
    return 0;
}
