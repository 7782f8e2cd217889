// SPDX-License-Identifier: MIT
#include "app/iir2d/ptx_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "core/ptx/half.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace app {

namespace {

using workbench::ErrorKind;
using workbench::fail;
using workbench::Result;
using Type = PtxArgument::Type;

constexpr std::array<std::string_view, 12> type_names{"u8",  "s8",  "u16", "s16",  "u32", "i32",
                                                      "u64", "i64", "f16", "bf16", "f32", "f64"};
constexpr std::array<std::size_t, 12> sizes{1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
constexpr std::size_t most_bytes = std::size_t{4} << 30U;

std::size_t size_of(Type type) {
    return sizes[static_cast<std::size_t>(type)];
}
bool is_floating(Type type) {
    return type >= Type::f16;
}
bool is_signed(Type type) {
    return type == Type::s8 || type == Type::s16 || type == Type::i32 || type == Type::i64;
}

std::unexpected<workbench::Error> wrong(const std::string& text, const std::string& why) {
    return fail(ErrorKind::bad_argument, "--arg " + text.substr(0, 80) + ": " + why);
}

void append(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) bytes.push_back(static_cast<std::byte>(value >> (8 * k)));
}

// One number, of a type.
bool append_value(std::vector<std::byte>& bytes, Type type, std::string_view text) {
    if (is_floating(type)) {
        if (text.starts_with('+')) text.remove_prefix(1);
        if (type == Type::f32) {
            float value = 0;  // read at once: by way of a double it would be rounded twice
            const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (at != text.data() + text.size() || error != std::errc()) return false;
            append(bytes, std::bit_cast<std::uint32_t>(value), 4);
            return true;
        }
        double value = 0;
        const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (at != text.data() + text.size() || error != std::errc()) return false;
        if (type == Type::f64)
            append(bytes, std::bit_cast<std::uint64_t>(value), 8);
        else
            append(bytes,
                   workbench::ptx::narrowed(
                       value, type == Type::f16 ? workbench::ptx::format_f16 : workbench::ptx::format_bf16,
                       workbench::ptx::Rounding::nearest),
                   2);
        return true;
    }
    const std::size_t bits = 8 * size_of(type);
    if (is_signed(type)) {
        std::int64_t value = 0;
        const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const std::int64_t most = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
        if (at != text.data() + text.size() || error != std::errc() || value > most || value < -most - 1)
            return false;
        append(bytes, static_cast<std::uint64_t>(value), bits / 8);
        return true;
    }
    std::uint64_t value = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (at != text.data() + text.size() || error != std::errc() || (bits < 64 && value >> bits != 0))
        return false;
    append(bytes, value, bits / 8);
    return true;
}

Result<void> read_array(PtxArgument& argument, const std::string& text, std::string_view values) {
    if (values.starts_with('@')) {
        IIR2D_TRY(const std::string read, workbench::read_file(std::string(values.substr(1)), most_bytes));
        if (read.size() % size_of(argument.type) != 0)
            return wrong(text, "the file holds no whole number of values");
        const auto bytes = std::as_bytes(std::span(read));
        argument.bytes.assign(bytes.begin(), bytes.end());
        return {};
    }
    while (!values.empty()) {
        const std::size_t next = std::min(values.find(','), values.size());
        if (!append_value(argument.bytes, argument.type, values.substr(0, next)))
            return wrong(text, "\"" + std::string(values.substr(0, next)).substr(0, 40) + "\" is no " +
                                   argument.type_name());
        if (next == values.size()) break;
        values.remove_prefix(next + 1);
        if (values.empty()) return wrong(text, "a value is missing behind the last comma");
    }
    return {};
}

}  // namespace

std::string PtxArgument::type_name() const {
    return std::string(type_names[static_cast<std::size_t>(type)]);
}

Result<PtxArgument> parse_ptx_argument(const std::string& text, std::size_t index) {
    PtxArgument made;
    made.index = index;
    std::string_view rest = text;
    const auto take = [&] {
        const std::size_t at = std::min(rest.find(':'), rest.size());
        const std::string_view word = rest.substr(0, at);
        rest.remove_prefix(std::min(at + 1, rest.size()));
        return word;
    };
    std::string_view word = take();
    if (word == "bytes") {
        made.role = PtxArgument::Role::bytes;
        if (rest.empty() || rest.size() % 2 != 0) return wrong(text, "bytes are pairs of hex digits");
        for (std::size_t k = 0; k < rest.size(); k += 2) {
            unsigned value = 0;
            const auto [at, error] = std::from_chars(rest.data() + k, rest.data() + k + 2, value, 16);
            if (error != std::errc() || at != rest.data() + k + 2)
                return wrong(text, "bytes are pairs of hex digits");
            made.bytes.push_back(static_cast<std::byte>(value));
        }
        return made;
    }
    if (word == "in" || word == "inout" || word == "out") {
        made.role = word == "in"    ? PtxArgument::Role::in
                    : word == "out" ? PtxArgument::Role::out
                                    : PtxArgument::Role::inout;
        word = take();
    }
    const auto* const type = std::ranges::find(type_names, word);
    if (type == type_names.end())
        return wrong(text, "\"" + std::string(word).substr(0, 20) +
                               "\" is no type: u8 s8 u16 s16 u32 i32 u64 i64 f16 bf16 f32 f64");
    made.type = static_cast<Type>(type - type_names.begin());
    if (made.role == PtxArgument::Role::out) {
        std::uint64_t count = 0;
        const auto [at, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
        if (error != std::errc() || at != rest.data() + rest.size() || count == 0 ||
            count > most_bytes / size_of(made.type))
            return wrong(text, "an output has a count, from 1 to 4 GiB of values");
        made.bytes.resize(count * size_of(made.type));
        return made;
    }
    if (rest.empty()) return wrong(text, "there is no value");
    if (made.role == PtxArgument::Role::value) {
        if (!append_value(made.bytes, made.type, rest)) return wrong(text, "that is no " + made.type_name());
        return made;
    }
    IIR2D_RETURN_IF_ERROR(read_array(made, text, rest));
    if (made.bytes.empty()) return wrong(text, "there is no value");
    return made;
}

Result<std::vector<std::byte>> place_arguments(const workbench::ptx::EntryInfo& entry,
                                               std::vector<PtxArgument>& arguments,
                                               workbench::ptx::Memory& memory) {
    if (arguments.size() != entry.parameters.size())
        return fail(ErrorKind::bad_argument,
                    entry.name + " takes " + std::to_string(entry.parameters.size()) + " arguments, and " +
                        std::to_string(arguments.size()) + " are given with --arg");
    std::vector<std::byte> made(entry.parameter_bytes);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        PtxArgument& argument = arguments[k];
        const auto& parameter = entry.parameters[k];
        const bool is_array = argument.role == PtxArgument::Role::in || argument.is_output();
        const std::size_t size = is_array ? 8 : argument.bytes.size();
        if (size != parameter.bytes)
            return fail(ErrorKind::bad_argument,
                        "argument " + std::to_string(k) + " has " + std::to_string(size) + " bytes, and " +
                            parameter.name + " of " + entry.name + " has " + std::to_string(parameter.bytes));
        if (!is_array) {
            std::ranges::copy(argument.bytes, made.begin() + parameter.offset);
            continue;
        }
        argument.address = memory.allocate(argument.bytes.size());
        if (argument.role != PtxArgument::Role::out) {
            std::ranges::copy(argument.bytes, memory.bytes(argument.address, argument.bytes.size()).begin());
            memory.mark_written(argument.address, argument.bytes.size());
        }
        std::memcpy(made.data() + parameter.offset, &argument.address, sizeof argument.address);
    }
    return made;
}

Json json_float(double value, bool single) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (!single) return value;
    // The shortest text that reads back as the float, as a number.
    char text[64];
    const auto [end, error] = std::to_chars(text, text + sizeof text, static_cast<float>(value));
    double shortest = 0;
    std::from_chars(text, end, shortest);
    return shortest;
}

Json json_values(const PtxArgument& argument) {
    Json made = Json::array();
    const std::size_t size = size_of(argument.type);
    for (std::size_t at = 0; at + size <= argument.bytes.size(); at += size) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, argument.bytes.data() + at, size);
        switch (argument.type) {
            case Type::f64:
                made.push_back(json_float(std::bit_cast<double>(bits), false));
                break;
            case Type::f32:
                made.push_back(json_float(
                    static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))), true));
                break;
            case Type::f16:
            case Type::bf16:
                made.push_back(json_float(
                    workbench::ptx::widened(static_cast<std::uint32_t>(bits),
                                            argument.type == Type::f16 ? workbench::ptx::format_f16
                                                                       : workbench::ptx::format_bf16),
                    true));
                break;
            default: {
                const std::size_t shift = 64 - 8 * size;
                if (is_signed(argument.type))
                    made.push_back(static_cast<std::int64_t>(bits << shift) >> shift);
                else
                    made.push_back(bits);
                break;
            }
        }
    }
    return made;
}

}  // namespace app
