// SPDX-License-Identifier: MIT
// Arguments of `ptx run`: as they are written, in memory, and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/iir2d/json.h"
#include "core/ptx/ptx.h"
#include "core/support/error.h"

namespace app {

struct PtxArgument {
    enum class Role : std::uint8_t { value, bytes, in, inout, out } role = Role::value;
    enum class Type : std::uint8_t {
        u8,
        s8,
        u16,
        s16,
        u32,
        i32,
        u64,
        i64,
        f16,
        bf16,
        f32,
        f64
    } type = Type::u32;
    std::size_t index = 0;
    std::vector<std::byte> bytes;
    std::uint64_t address = 0;  // of in, inout and out
    bool is_output() const { return role == Role::inout || role == Role::out; }
    std::string type_name() const;
};

// "f32:1.5", "bytes:00ff", "in:f32:1,2", "in:f32:@FILE", "out:f32:10".
workbench::Result<PtxArgument> parse_ptx_argument(const std::string& text, std::size_t index);

// Puts arrays into memory and makes the kernel's bytes of parameters.
workbench::Result<std::vector<std::byte>> place_arguments(const workbench::ptx::EntryInfo& entry,
                                                          std::vector<PtxArgument>& arguments,
                                                          workbench::ptx::Memory& memory);

// A float as a number, the shortest that reads back; as "nan", "inf" or "-inf" where it is none.
Json json_float(double value, bool single);
// The values of an array: numbers; a float that is none as "nan", "inf" or "-inf".
Json json_values(const PtxArgument& argument);

}  // namespace app
