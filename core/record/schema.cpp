// SPDX-License-Identifier: MIT
#include "core/record/schema.h"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "core/record/record.h"
#include "core/record/record_json.h"

namespace workbench {

namespace embedded {
extern const std::string_view record_1_schema;
extern const std::string_view record_2_schema;
extern const std::string_view record_3_schema;
extern const std::string_view record_4_schema;
}  // namespace embedded

namespace {

// "<root>[cases][0][key]" as "cases[0].key".
std::string place_of(const std::vector<std::string>& context) {
    std::string place;
    for (const std::string& part : context) {
        if (part == "<root>") continue;
        const bool index =
            part.size() > 2 && part[0] == '[' && part.find_first_not_of("0123456789", 1) == part.size() - 1;
        if (index) {
            place += part;
        } else {
            if (!place.empty()) place += '.';
            place += part.size() > 2 && part[0] == '[' ? part.substr(1, part.size() - 2) : part;
        }
    }
    return place.empty() ? "the document" : place;
}

// The deepest complaint is the most telling one: those above it only say that something below failed.
std::string complaint_of(valijson::ValidationResults& results) {
    std::string complaint = "it does not fit";
    std::size_t deepest = 0;
    for (valijson::ValidationResults::Error error; results.popError(error);) {
        if (error.context.size() >= deepest) {
            const bool first_at_this_depth = error.context.size() > deepest;
            deepest = error.context.size();
            if (first_at_this_depth) complaint = place_of(error.context) + ": " + error.description;
        }
    }
    // It may quote a key or place from a hostile file.
    constexpr std::size_t longest = 400;
    if (complaint.size() > longest) complaint = complaint.substr(0, longest) + "...";
    return complaint;
}

std::unique_ptr<const valijson::Schema> parse(std::string_view text) {
    try {
        const nlohmann::json document = nlohmann::json::parse(text);
        auto schema = std::make_unique<valijson::Schema>();
        valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(document), *schema);
        return schema;
    } catch (const std::exception&) {
        return nullptr;
    }
}

// Parsed once: it is much longer than most records. Null when the text is no schema, which a test rules out.
struct Parsed {
    std::string_view name;
    std::string_view text;
    std::unique_ptr<const valijson::Schema> schema;
    std::once_flag once;
};
Parsed* parsed(std::string_view name) {
    static std::array<Parsed, 4> all{{{"record-1", embedded::record_1_schema, nullptr, {}},
                                      {"record-2", embedded::record_2_schema, nullptr, {}},
                                      {"record-3", embedded::record_3_schema, nullptr, {}},
                                      {"record-4", embedded::record_4_schema, nullptr, {}}}};
    const auto found = std::ranges::find(all, name, &Parsed::name);
    return found == all.end() ? nullptr : &*found;
}

const valijson::Schema* parsed_schema(std::string_view name) {
    Parsed* const one = parsed(name);
    if (one == nullptr) return nullptr;
    std::call_once(one->once, [one] { one->schema = parse(one->text); });
    return one->schema.get();
}

}  // namespace

std::optional<std::string_view> embedded_schema(std::string_view name) {
    const Parsed* const one = parsed(name);
    if (one == nullptr) return std::nullopt;
    return one->text;
}

Result<void> check_schema(const nlohmann::json& value, std::string_view schema_name) {
    const valijson::Schema* schema = parsed_schema(schema_name);
    if (schema == nullptr) {
        return fail(ErrorKind::bad_argument, "there is no schema named \"" + std::string(schema_name) + "\"");
    }
    try {
        // Strong types: the text "1" is not the number 1.
        valijson::Validator validator(valijson::Validator::kStrongTypes);
        valijson::ValidationResults results;
        if (validator.validate(*schema, valijson::adapters::NlohmannJsonAdapter(value), &results)) return {};
        return fail(ErrorKind::bad_input,
                    "not a valid " + std::string(schema_name) + ": " + complaint_of(results));
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input,
                    "the schema " + std::string(schema_name) + " cannot be applied: " + error.what());
    }
}

Result<void> validate_against_schema(std::string_view json, std::string_view schema_name) {
    const auto value = parse_strictly(json);
    if (!value) return std::unexpected(value.error());
    return check_schema(*value, schema_name);
}

}  // namespace workbench
