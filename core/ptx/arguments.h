// SPDX-License-Identifier: MIT
// Arguments of a kernel as people write them: "f32:1.5", "in:f32:1,2,3", "out:f32:10". Their bytes, their
// place in memory, and their values as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ptx/ptx.h"
#include "core/support/error.h"

namespace workbench::ptx {

struct TextArgument {
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
    std::size_t value_bytes() const;  // of one
    bool has_sign() const;
    std::size_t count() const;  // of values
};

// Reads a file of at most so many bytes.
using ReadFile = std::function<Result<std::string>(const std::string& path, std::size_t most)>;

// Reads "f32:1.5", "bytes:00ff", "in:f32:1,2", "in:f32:@FILE", "out:f32:10". An error begins "--arg".
Result<TextArgument> parse_argument(const std::string& text, std::size_t index, const ReadFile& read);

// Puts arrays into memory and makes the kernel's bytes of parameters. bad_argument: they do not fit.
Result<std::vector<std::byte>> place_arguments(const EntryInfo& entry, std::vector<TextArgument>& arguments,
                                               Memory& memory);

// Takes the bytes of outputs from memory.
void take_outputs(std::vector<TextArgument>& arguments, Memory& memory);

// Writes a value of an array: the shortest number that reads back, "nan", "inf" or "-inf".
std::string value_text(const TextArgument& argument, std::size_t at);

// Proposes an argument of a parameter: an array of 32 numbers that is read and written for 8 bytes, 32 for an
// integer, 1 for a float, zeros for a structure.
std::string proposed_argument(const ParameterInfo& parameter);

}  // namespace workbench::ptx
