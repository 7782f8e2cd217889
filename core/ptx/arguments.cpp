// SPDX-License-Identifier: MIT
#include "core/ptx/arguments.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "core/ptx/half.h"

namespace workbench::ptx {

namespace {

using Of = TextArgument::Type;  // Type is PTX's

constexpr std::array<std::string_view, 12> type_names{"u8",  "s8",  "u16", "s16",  "u32", "i32",
                                                      "u64", "i64", "f16", "bf16", "f32", "f64"};
constexpr std::array<std::size_t, 12> type_sizes{1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
constexpr std::size_t most_bytes = std::size_t{4} << 30U;

std::size_t value_size(Of type) {
    return type_sizes[static_cast<std::size_t>(type)];
}
bool is_floating(Of type) {
    return type >= Of::f16;
}
bool has_sign(Of type) {
    return type == Of::s8 || type == Of::s16 || type == Of::i32 || type == Of::i64;
}

std::unexpected<Error> wrong_argument(const std::string& text, const std::string& why) {
    return fail(ErrorKind::bad_argument, "--arg " + text.substr(0, 80) + ": " + why);
}

void append(std::vector<std::byte>& bytes, std::uint64_t value, std::size_t size) {
    for (std::size_t k = 0; k < size; ++k) bytes.push_back(static_cast<std::byte>(value >> (8 * k)));
}

// One number, of a type.
bool append_value(std::vector<std::byte>& bytes, Of type, std::string_view text) {
    if (is_floating(type)) {
        if (text.starts_with('+')) text.remove_prefix(1);
        if (type == Of::f32) {
            float value = 0;  // read at once: by way of a double it would be rounded twice
            const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (at != text.data() + text.size() || error != std::errc()) return false;
            append(bytes, std::bit_cast<std::uint32_t>(value), 4);
            return true;
        }
        double value = 0;
        const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (at != text.data() + text.size() || error != std::errc()) return false;
        if (type == Of::f64)
            append(bytes, std::bit_cast<std::uint64_t>(value), 8);
        else
            append(bytes, narrowed(value, type == Of::f16 ? format_f16 : format_bf16, Rounding::nearest), 2);
        return true;
    }
    const std::size_t bits = 8 * value_size(type);
    if (has_sign(type)) {
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

Result<void> read_array(TextArgument& argument, const std::string& text, std::string_view values,
                        const ReadFile& read) {
    if (values.starts_with('@')) {
        const auto held = read(std::string(values.substr(1)), most_bytes);
        if (!held) return std::unexpected(held.error());
        if (held->size() % value_size(argument.type) != 0)
            return wrong_argument(text, "the file's size is not a whole number of values");
        const auto bytes = std::as_bytes(std::span(*held));
        argument.bytes.assign(bytes.begin(), bytes.end());
        return {};
    }
    while (!values.empty()) {
        const std::size_t next = std::min(values.find(','), values.size());
        if (!append_value(argument.bytes, argument.type, values.substr(0, next)))
            return wrong_argument(text, "\"" + std::string(values.substr(0, next)).substr(0, 40) +
                                            "\" is not of type " + argument.type_name());
        if (next == values.size()) break;
        values.remove_prefix(next + 1);
        if (values.empty()) return wrong_argument(text, "a value is missing behind the last comma");
    }
    return {};
}

}  // namespace

std::string TextArgument::type_name() const {
    return std::string(type_names[static_cast<std::size_t>(type)]);
}

Result<TextArgument> parse_argument(const std::string& text, std::size_t index, const ReadFile& read) {
    TextArgument made;
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
        made.role = TextArgument::Role::bytes;
        if (rest.empty() || rest.size() % 2 != 0)
            return wrong_argument(text, "bytes are pairs of hex digits");
        for (std::size_t k = 0; k < rest.size(); k += 2) {
            unsigned value = 0;
            const auto [at, error] = std::from_chars(rest.data() + k, rest.data() + k + 2, value, 16);
            if (error != std::errc() || at != rest.data() + k + 2)
                return wrong_argument(text, "bytes are pairs of hex digits");
            made.bytes.push_back(static_cast<std::byte>(value));
        }
        return made;
    }
    if (word == "in" || word == "inout" || word == "out") {
        made.role = word == "in"    ? TextArgument::Role::in
                    : word == "out" ? TextArgument::Role::out
                                    : TextArgument::Role::inout;
        word = take();
    }
    const auto* const type = std::ranges::find(type_names, word);
    if (type == type_names.end())
        return wrong_argument(text, "\"" + std::string(word).substr(0, 20) +
                                        "\" is not a type: u8 s8 u16 s16 u32 i32 u64 i64 f16 bf16 f32 f64");
    made.type = static_cast<Of>(type - type_names.begin());
    if (made.role == TextArgument::Role::out) {
        std::uint64_t count = 0;
        const auto [at, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
        if (error != std::errc() || at != rest.data() + rest.size() || count == 0 ||
            count > most_bytes / value_size(made.type))
            return wrong_argument(text, "an output has a count, from 1 to 4 GiB of values");
        made.bytes.resize(count * value_size(made.type));
        return made;
    }
    if (rest.empty()) return wrong_argument(text, "there is no value");
    if (made.role == TextArgument::Role::value) {
        if (!append_value(made.bytes, made.type, rest))
            return wrong_argument(text, "that is not of type " + made.type_name());
        return made;
    }
    if (const auto done = read_array(made, text, rest, read); !done) return std::unexpected(done.error());
    if (made.bytes.empty()) return wrong_argument(text, "there is no value");
    return made;
}

Result<std::vector<std::byte>> place_arguments(const EntryInfo& entry, std::vector<TextArgument>& arguments,
                                               Memory& memory) {
    if (arguments.size() != entry.parameters.size())
        return fail(ErrorKind::bad_argument,
                    entry.name + " takes " + std::to_string(entry.parameters.size()) +
                        (entry.parameters.size() == 1 ? " argument, and " : " arguments, and ") +
                        std::to_string(arguments.size()) + " are given with --arg");
    std::vector<std::byte> made(entry.parameter_bytes);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        TextArgument& argument = arguments[k];
        const auto& parameter = entry.parameters[k];
        const bool is_array = argument.role == TextArgument::Role::in || argument.is_output();
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
        if (argument.role != TextArgument::Role::out) {
            std::ranges::copy(argument.bytes, memory.bytes(argument.address, argument.bytes.size()).begin());
            memory.mark_written(argument.address, argument.bytes.size());
        }
        std::memcpy(made.data() + parameter.offset, &argument.address, sizeof argument.address);
    }
    return made;
}

std::size_t TextArgument::value_bytes() const {
    return value_size(type);
}

bool TextArgument::has_sign() const {
    return ptx::has_sign(type);
}

std::size_t TextArgument::count() const {
    return bytes.size() / value_size(type);
}

void take_outputs(std::vector<TextArgument>& arguments, Memory& memory) {
    for (TextArgument& argument : arguments) {
        if (!argument.is_output()) continue;
        const auto bytes = memory.bytes(argument.address, argument.bytes.size());
        argument.bytes.assign(bytes.begin(), bytes.end());
    }
}

std::string value_text(const TextArgument& argument, std::size_t at) {
    const std::size_t size = value_size(argument.type);
    std::uint64_t bits = 0;
    std::memcpy(&bits, argument.bytes.data() + at * size, size);
    const auto text_of = [](auto value) {
        std::array<char, 64> text{};
        if constexpr (std::is_floating_point_v<decltype(value)>) {
            if (std::isnan(value)) return std::string("nan");
        }
        const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
        return std::string(text.data(), end);
    };
    switch (argument.type) {
        case Of::f64:
            return text_of(std::bit_cast<double>(bits));
        case Of::f32:
            return text_of(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        case Of::f16:
        case Of::bf16:
            return text_of(static_cast<float>(widened(static_cast<std::uint32_t>(bits),
                                                      argument.type == Of::f16 ? format_f16 : format_bf16)));
        default:
            break;
    }
    if (!has_sign(argument.type)) return text_of(bits);
    const std::size_t shift = 64 - 8 * size;
    return text_of(static_cast<std::int64_t>(bits << shift) >> shift);
}

std::string proposed_argument(const ParameterInfo& parameter) {
    constexpr int proposed_count = 32;
    const bool is_structure = parameter.type == "b8" || parameter.bytes > 8;
    if (is_structure) return "bytes:" + std::string(2 * std::size_t{parameter.bytes}, '0');
    if (parameter.type == "f32") return "f32:1";
    if (parameter.type == "f64") return "f64:1";
    if (parameter.bytes == 8) {
        std::string made = "inout:f32:0";
        for (int k = 1; k < proposed_count; ++k) made += "," + std::to_string(k);
        return made;
    }
    const std::string count = std::to_string(proposed_count);
    if (parameter.bytes == 4) return "i32:" + count;
    return (parameter.bytes == 2 ? "u16:" : "u8:") + count;
}

}  // namespace workbench::ptx
