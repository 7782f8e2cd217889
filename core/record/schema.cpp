// SPDX-License-Identifier: MIT
#include "core/record/schema.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/record/record.h"
#include "core/record/record_json.h"
#include "core/support/escaped.h"
#include "core/support/strict_json.h"

namespace workbench {

namespace embedded {
extern const std::string_view record_schema;
}  // namespace embedded

namespace {

using nlohmann::json;

// A schema with what is looked up in it again and again. The part of JSON Schema draft 7 that the schemas
// here are written in; one that uses another word is refused when it is parsed.
struct Schema {
    json document;
    std::map<std::string, std::regex> patterns;
};

// Fails where `node` has a word that is not understood.
void collect(const json& node, Schema& schema) {
    static const std::set<std::string_view> known = {
        "$schema", "$ref",     "title",      "description", "definitions",
        "type",    "enum",     "properties", "required",    "additionalProperties",
        "items",   "minItems", "maxItems",   "minLength",   "maxLength",
        "pattern", "minimum",  "maximum",    "if",          "then",
        "else"};
    if (!node.is_object()) throw std::invalid_argument("a schema that is no object");
    for (const auto& [word, value] : node.items()) {
        if (!known.contains(word)) throw std::invalid_argument(word);
        if (word == "additionalProperties" && value != false) throw std::invalid_argument(word);
        if (word == "pattern")
            schema.patterns.try_emplace(value.get<std::string>(), value.get<std::string>());
        if (word == "items" || word == "if" || word == "then" || word == "else") collect(value, schema);
        if (word != "properties" && word != "definitions") continue;
        for (const json& one : value) collect(one, schema);
    }
}

bool has_type(const json& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();  // 1.0 is none
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    return type == "null" && value.is_null();
}

bool is_same(const json& a, const json& b) {
    return a == b && a.is_number_float() == b.is_number_float();
}

std::size_t character_count(const std::string& utf8) {
    return static_cast<std::size_t>(
        std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Stops at the first thing that does not fit, so that a hostile value costs no more than a good one.
class Checker {
  public:
    explicit Checker(const Schema& schema) : m_schema(schema) {}

    bool fits(const json& value) { return fits(m_schema.document, value); }
    // Where, and what must be there instead.
    std::string complaint() const {
        return (m_place.empty() ? "the document" : m_place) + ": " + m_complaint;
    }

  private:
    bool fits(const json& node, const json& value) {
        if (const auto ref = node.find("$ref"); ref != node.end()) {
            constexpr std::string_view definitions = "#/definitions/";
            return fits(m_schema.document.at("definitions")
                            .at(ref->get_ref<const std::string&>().substr(definitions.size())),
                        value);
        }
        if (const auto type = node.find("type"); type != node.end()) {
            const auto& name = type->get_ref<const std::string&>();
            if (!has_type(value, name)) return refuse("must be of type " + name + ", not " + shown(value));
        }
        if (const auto list = node.find("enum"); list != node.end()) {
            if (std::ranges::none_of(*list, [&](const json& one) { return is_same(one, value); }))
                return refuse("must be one of " + list->dump() + ", not " + shown(value));
        }
        if (value.is_object() && !object_fits(node, value)) return false;
        if (value.is_array() && !array_fits(node, value)) return false;
        if (value.is_string() && !text_fits(node, value.get_ref<const std::string&>())) return false;
        if (value.is_number() && !number_fits(node, value)) return false;
        return condition_fits(node, value);
    }

    bool object_fits(const json& node, const json& value) {
        const auto required = node.find("required");
        if (required != node.end()) {
            for (const json& key : *required) {
                if (!value.contains(key.get_ref<const std::string&>()))
                    return refuse("lacks the key " + key.dump());
            }
        }
        const auto properties = node.find("properties");
        const bool closed = node.contains("additionalProperties");
        for (const auto& [key, item] : value.get_ref<const json::object_t&>()) {
            const auto of_key = properties == node.end() ? json::const_iterator() : properties->find(key);
            if (properties != node.end() && of_key != properties->end()) {
                const auto before = enter((m_place.empty() ? "" : ".") + key);
                if (!fits(*of_key, item)) return false;
                m_place.resize(before);
            } else if (closed) {
                return refuse("has the unknown key " + shown(key));
            }
        }
        return true;
    }

    bool array_fits(const json& node, const json& value) {
        const auto count = [&](const char* word, std::size_t otherwise) {
            const auto found = node.find(word);
            return found == node.end() ? otherwise : found->get<std::size_t>();
        };
        if (value.size() < count("minItems", 0) || value.size() > count("maxItems", value.size()))
            return refuse("must not have " + std::to_string(value.size()) + " items");
        const auto items = node.find("items");
        if (items == node.end()) return true;
        for (std::size_t i = 0; i < value.size(); ++i) {
            const auto before = enter("[" + std::to_string(i) + "]");
            if (!fits(*items, value[i])) return false;
            m_place.resize(before);
        }
        return true;
    }

    bool text_fits(const json& node, const std::string& text) {
        const auto least = node.find("minLength");
        if (least != node.end() && character_count(text) < least->get<std::size_t>())
            return refuse("must not be shorter than " + least->dump() + " characters");
        const auto most = node.find("maxLength");
        if (most != node.end() && character_count(text) > most->get<std::size_t>())
            return refuse("must not be longer than " + most->dump() + " characters");
        // Only on a text that is short: the library's matcher takes a stack that grows with it.
        const auto pattern = node.find("pattern");
        if (pattern == node.end()) return true;
        const auto& form = pattern->get_ref<const std::string&>();
        if (most == node.end() || !std::regex_search(text, m_schema.patterns.at(form)))
            return refuse("must be of the form " + form + ", not " + shown(text));
        return true;
    }

    bool number_fits(const json& node, const json& value) {
        const auto least = node.find("minimum");
        // Whole numbers are read into 63 bits, but for the seeds, which have no minimum.
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (least != node.end() && value.is_number_unsigned() && value.get<std::uint64_t>() > largest)
            return refuse("must be at most " + std::to_string(largest) + ", not " + value.dump());
        if (least != node.end() && value < *least)
            return refuse("must be at least " + least->dump() + ", not " + value.dump());
        if (const auto most = node.find("maximum"); most != node.end() && value > *most)
            return refuse("must be at most " + most->dump() + ", not " + value.dump());
        return true;
    }

    bool condition_fits(const json& node, const json& value) {
        const auto condition = node.find("if");
        if (condition == node.end()) return true;
        Checker silent(m_schema);
        const auto branch = node.find(silent.fits(*condition, value) ? "then" : "else");
        return branch == node.end() || fits(*branch, value);
    }

    std::size_t enter(const std::string& step) {
        const std::size_t before = m_place.size();
        m_place += step;
        return before;
    }

    bool refuse(std::string complaint) {
        m_complaint = std::move(complaint);
        return false;
    }

    const Schema& m_schema;
    std::string m_place;  // "cases[0].key"
    std::string m_complaint;
};

std::unique_ptr<const Schema> parse(std::string_view text) {
    try {
        auto schema = std::make_unique<Schema>();
        schema->document = json::parse(text);
        collect(schema->document, *schema);
        return schema;
    } catch (const std::exception&) {
        return nullptr;
    }
}

// Parsed once: it is much longer than most records. Null when the text is no schema, which a test rules out.
struct Parsed {
    std::string_view name;
    std::string_view text;
    std::unique_ptr<const Schema> schema;
    std::once_flag once;
};
Parsed* parsed(std::string_view name) {
    static std::array<Parsed, 1> all{{{"record", embedded::record_schema, nullptr, {}}}};
    const auto found = std::ranges::find(all, name, &Parsed::name);
    return found == all.end() ? nullptr : &*found;
}

const Schema* parsed_schema(std::string_view name) {
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

Result<void> check_schema(const json& value, std::string_view schema_name) {
    const Schema* schema = parsed_schema(schema_name);
    if (schema == nullptr) {
        return fail(ErrorKind::bad_argument, "there is no schema named \"" + escaped(schema_name) + "\"");
    }
    try {
        Checker checker(*schema);
        if (checker.fits(value)) return {};
        constexpr std::size_t longest = 400;  // it may quote a key or value of the file
        return fail(ErrorKind::bad_input,
                    "not a valid " + std::string(schema_name) + ": " + escaped(checker.complaint(), longest));
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input,
                    "the schema " + std::string(schema_name) + " cannot be applied: " + error.what());
    }
}

Result<void> validate_against_schema(std::string_view text, std::string_view schema_name) {
    const auto value = parse_strictly(text);
    if (!value) return std::unexpected(value.error());
    return check_schema(*value, schema_name);
}

}  // namespace workbench
