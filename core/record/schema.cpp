// SPDX-License-Identifier: MIT
#include "core/record/schema.h"

#include <exception>
#include <memory>
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
const valijson::Schema* parsed_schema(std::string_view name) {
    if (name == "record-1") {
        static const auto schema = parse(embedded::record_1_schema);
        return schema.get();
    }
    if (name == "record-2") {
        static const auto schema = parse(embedded::record_2_schema);
        return schema.get();
    }
    return nullptr;
}

}  // namespace

std::optional<std::string_view> embedded_schema(std::string_view name) {
    if (name == "record-1") return embedded::record_1_schema;
    if (name == "record-2") return embedded::record_2_schema;
    return std::nullopt;
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
