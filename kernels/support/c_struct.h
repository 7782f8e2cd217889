// SPDX-License-Identifier: MIT
// Structs of the C interface that begin with their own size, so that they may grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "iir2d/error.h"

namespace iir2d::support {

// More than any version will have: what is behind it is not the struct's, whatever its first field holds.
inline constexpr std::size_t largest_struct = 4096;

// Returns the caller's struct in the library's length; an error where its size is none, or where a field is
// set that it has and the library lacks. Of memory, only the size is read before it is known, and then that
// much. `first_size` is that of its first version: a shorter one was never in a header.
template <class Struct>
Result<Struct> known_fields(const void* given, std::size_t first_size, const char* name) {
    const auto wrong = [](std::string message) {
        return std::unexpected(Error{ErrorCode::invalid_argument, std::move(message)});
    };
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size);
    if (size < first_size || size > largest_struct) {
        return wrong("size is " + std::to_string(size) + ": " + name + " has " + std::to_string(first_size) +
                     " to " + std::to_string(largest_struct) + " bytes, give sizeof(" + name + ")");
    }
    Struct known{};
    std::memcpy(&known, given, std::min(size, sizeof known));
    if (size > sizeof known) {
        const auto* bytes = static_cast<const unsigned char*>(given);
        const auto* set =
            std::find_if(bytes + sizeof known, bytes + size, [](unsigned char b) { return b != 0; });
        if (set != bytes + size) {
            return wrong(std::string(name) + " has a field set at byte " + std::to_string(set - bytes) +
                         " that this version of the library does not know: it knows " +
                         std::to_string(sizeof known) + " bytes");
        }
    }
    return known;
}

// Returns an error that names the pointer.
inline std::unexpected<Error> null_pointer(const char* name) {
    return std::unexpected(Error{ErrorCode::null_pointer, std::string(name) + " is null"});
}

// 0 or 1.
inline Result<void> check_flag(const char* name, int value) {
    if (value == 0 || value == 1) return {};
    return std::unexpected(Error{ErrorCode::invalid_argument,
                                 std::string(name) + " is " + std::to_string(value) + ": give 0 or 1"});
}

}  // namespace iir2d::support
