// SPDX-License-Identifier: MIT
#include "core/evidence/protocol.h"

#include <cstdint>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/benchmark/named_protocols.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

using nlohmann::json;

// Refuses the protocol. The sentence may quote a name from the file.
std::unexpected<Error> wrong(const std::string& what) {
    constexpr std::size_t longest = 1000;
    return fail(ErrorKind::bad_input, "the protocol " + escaped(what, longest));
}

// Throws what the caller catches where the value is not a whole number within these: the library would round
// or wrap it.
template <class Integer>
Integer whole(const json& value) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > largest) ||
        (!value.is_number_unsigned() && !std::in_range<Integer>(value.get<std::int64_t>())))
        throw std::out_of_range("not a whole number");
    return value.get<Integer>();
}

Result<int> count_of(const json& value, const char* key, int least) {
    const auto n = whole<std::int64_t>(value);
    if (n < least || n > 1'000'000)
        return wrong(std::string("has ") + key + " " + std::to_string(n) + ": give " + std::to_string(least) +
                     " to 1000000");
    return static_cast<int>(n);
}

Result<void> read_lists(const json& j, BenchmarkMatrix& m) {
    m.sizes.clear();
    for (const json& size : j.at("sizes"))
        m.sizes.push_back({whole<std::int64_t>(size.at("width")), whole<std::int64_t>(size.at("height"))});
    m.filter_ids.clear();
    for (const json& id : j.at("filter_ids")) m.filter_ids.push_back(whole<int>(id));
    m.borders.clear();
    for (const json& name : j.at("border_modes")) {
        const auto border = iir2d::border_from_name(name.get<std::string>());
        if (!border) return wrong("names a border: " + border.error().message);
        m.borders.push_back(*border);
    }
    m.precisions.clear();
    for (const json& name : j.at("precisions")) {
        const auto precision = iir2d::precision_from_name(name.get<std::string>());
        if (!precision) return wrong("names a precision: " + precision.error().message);
        m.precisions.push_back(*precision);
    }
    return {};
}

Result<void> read_measuring(const json& j, BenchmarkMatrix& m) {
    IIR2D_TRY(m.warmup, count_of(j.at("warmup"), "warmup", 0));
    if (j.contains("iterations") == j.contains("until")) return wrong("needs either iterations or until");
    if (j.contains("iterations")) {
        IIR2D_TRY(m.iterations, count_of(j.at("iterations"), "iterations", 1));
    } else {
        const json& until = j.at("until");
        if (until.size() != 4) return wrong("has an until that is not precision, least, most, most_seconds");
        m.stopping = StoppingRule{.precision = until.at("precision").get<double>(),
                                  .least = whole<int>(until.at("least")),
                                  .most = whole<int>(until.at("most")),
                                  .most_seconds = until.at("most_seconds").get<double>()};
        if (auto sentence = wrong_with(*m.stopping); !sentence.empty())
            return wrong("has an until: " + sentence);
        m.iterations = m.stopping->most;
    }
    if (j.contains("cache")) {
        const auto cache = j.at("cache").get<std::string>();
        if (cache != "warm" && cache != "cold") return wrong("has a cache that is neither warm nor cold");
        m.cold_cache = cache == "cold";
    }
    if (j.contains("most_disturbed")) {
        m.most_disturbed = j.at("most_disturbed").get<double>();
        if (!(m.most_disturbed >= 0 && m.most_disturbed <= 1))
            return wrong("has a most_disturbed that is not 0 to 1");
    }
    if (j.contains("seed")) m.seed = whole<std::uint64_t>(j.at("seed"));
    return {};
}

Result<BenchmarkMatrix> read(const json& j) {
    static const std::set<std::string> known = {
        "schema", "schema_version", "name",  "sizes",          "filter_ids", "border_modes", "precisions",
        "warmup", "iterations",     "until", "most_disturbed", "cache",      "seed"};
    const auto is = [&j](const char* key, const json& value) {
        const auto found = j.find(key);
        return found != j.end() && found->type() == value.type() && *found == value;
    };
    if (!j.is_object() || !is("schema", "iir2d-workbench/protocol") || !is("schema_version", 1U))
        return wrong("file is not one: its schema must be iir2d-workbench/protocol, schema_version 1");
    for (const auto& [key, value] : j.items()) {
        if (!known.contains(key))
            return wrong("has the key \"" + escaped(key, 100) + "\", which is not known");
    }
    BenchmarkMatrix m;
    m.protocol = j.at("name").get<std::string>();
    if (m.protocol.empty() || m.protocol.size() > 100 || printable_utf8(m.protocol) != m.protocol ||
        named_protocol(m.protocol))
        return wrong("needs a name of its own, of 1 to 100 bytes");
    IIR2D_RETURN_IF_ERROR(read_lists(j, m));
    IIR2D_RETURN_IF_ERROR(read_measuring(j, m));
    if (const auto cases = expand(m); !cases) return wrong("is refused: " + cases.error().message);
    return m;
}

}  // namespace

Result<BenchmarkMatrix> matrix_from_protocol_json(std::string_view text) {
    const auto parsed = parse_json_strictly(text, protocol_json_limits);
    if (!parsed) return wrong(parsed.error().message);
    try {
        return read(*parsed);
    } catch (const std::exception&) {
        return wrong(
            "lacks a key or has one of another kind: it needs name, sizes, filter_ids, border_modes, "
            "precisions, warmup, and iterations or until");
    }
}

Result<BenchmarkMatrix> matrix_of_protocol(const std::string& name_or_path) {
    if (auto named = named_protocol(name_or_path)) return std::move(*named);
    std::error_code error;
    if (!std::filesystem::exists(name_or_path, error)) {
        return fail(ErrorKind::bad_argument, "the protocol " + quoted(std::filesystem::path(name_or_path)) +
                                                 " is neither standard nor smoke, nor a file that exists");
    }
    IIR2D_TRY(const auto text, read_file(name_or_path, protocol_json_limits.bytes));
    auto matrix = matrix_from_protocol_json(text);
    if (!matrix)
        return fail(matrix.error().kind,
                    quoted(std::filesystem::path(name_or_path)) + ": " + matrix.error().message);
    return matrix;
}

}  // namespace workbench
