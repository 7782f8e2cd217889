// SPDX-License-Identifier: MIT
#include "core/synth/record_shape.h"

#include <algorithm>
#include <vector>

#include "core/support/strict_json.h"
#include "core/support/try.h"
#include "core/synth/generate.h"
#include "core/synth/shards.h"
#include "core/synth/tree.h"

namespace workbench::synth {

namespace {

using Json = nlohmann::json;

constexpr JsonLimits line_limits{.bytes = longest_line, .values = std::size_t{1} << 20, .depth = 16};
constexpr std::size_t longest_name = 200;

struct Member;
struct Shape {
    enum class Kind : std::uint8_t { text, name, hash, id, word, whole, number, flag, list, object, either };
    Kind kind = Kind::text;
    std::vector<std::string_view> words;
    std::vector<Member> members;
    std::vector<Shape> of;  // the items of a list, the alternatives of either
};
struct Member {
    std::string_view name;
    Shape shape;
    bool is_optional = false;
};

using Kind = Shape::Kind;

Shape word(std::vector<std::string_view> words) {
    return {.kind = Kind::word, .words = std::move(words)};
}
Shape object(std::vector<Member> members) {
    return {.kind = Kind::object, .members = std::move(members)};
}
Shape list_of(Shape items) {
    return {.kind = Kind::list, .of = {std::move(items)}};
}

std::vector<std::string_view> category_names() {
    std::vector<std::string_view> made;
    for (int k = 0; k < categories; ++k) made.push_back(name_of(static_cast<Category>(k)));
    return made;
}

std::vector<std::string_view> type_names() {
    std::vector<std::string_view> made;
    for (int k = static_cast<int>(Type::i32); k <= static_cast<int>(Type::mat4); ++k)
        made.push_back(info(static_cast<Type>(k)).name);
    return made;
}

const Shape& record_shape() {
    static const Shape text{}, name{.kind = Kind::name}, hash{.kind = Kind::hash}, whole{.kind = Kind::whole},
        number{.kind = Kind::number}, flag{.kind = Kind::flag};
    static const Shape source = object({{"cuda", text}, {"cpp", text}});
    static const Shape direction = word({"forward", "backward"});
    static const Shape made =
        object({{"schema", word({"synth-1"})},
                {"id", {.kind = Kind::id}},
                {"index", whole},
                {"name", name},
                {"category", word(category_names())},
                {"ops", list_of(name)},
                {"depth", whole},
                {"complexity", word({"simple", "medium", "complex"})},
                {"canonical", hash},
                {"skeleton", hash},
                {"split", word({"train", "valid", "test"})},
                {"params", list_of(object({{"name", name},
                                           {"kind", word({"in", "out", "inout", "scalar"})},
                                           {"type", word(type_names())},
                                           {"count", whole}}))},
                {"launch",
                 object({{"grid", whole}, {"block", whole}, {"shared", whole}, {"n", whole}, {"m", whole}})},
                {"source", source},
                {"backward",
                 {.kind = Kind::either,
                  .of = {object({{"source", source}, {"wrt", list_of(name)}}), object({{"reason", name}})}},
                 true},
                {"ir", list_of(object({{"target", name},
                                       {"direction", direction},
                                       {"compiler", whole},
                                       {"text", text},
                                       {"sha256", hash},
                                       {"bytes", whole},
                                       {"lines", whole}}))},
                {"inputs", object({{"seed", name}, {"sha256", hash}})},
                {"outputs", object({{"sha256", hash}})},
                {"verification", list_of(object({{"level", word({"V1", "V2", "V3"})},
                                                 {"target", name},
                                                 {"direction", direction},
                                                 {"exact", flag},
                                                 {"max_ulp", number},
                                                 {"worst_of_bound", number}}))}});
    return made;
}

const Shape& rejected_shape() {
    static const Shape text{}, name{.kind = Kind::name};
    static const Shape made = object(
        {{"index", {.kind = Kind::whole}},
         {"category", word(category_names())},
         {"reason",
          word({"duplicate", "duplicate_ir", "undecided", "mismatch", "compiler_error", "compiler_died"})},
         {"detail", text},
         {"source", text},
         {"ir",
          list_of(object({{"target", name}, {"direction", word({"forward", "backward"})}, {"text", text}})),
          true}});
    return made;
}

bool is_hash(std::string_view text, std::size_t digits) {
    return text.size() == digits &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
    const std::size_t dash = text.rfind('-');
    return dash != std::string_view::npos && category_from_name(text.substr(0, dash)) &&
           is_hash(text.substr(dash + 1), 16);
}

// Returns what is wrong of a value at a place, as the end of a sentence; empty: nothing.
std::string wrong(const Shape& shape, const Json& json, const std::string& place) {
    const auto wrong_type = [&](const std::string& what) {
        return "has " + place + ", which is not " + what;
    };
    const auto* const text = json.get_ptr<const std::string*>();
    switch (shape.kind) {
        case Kind::text:
            return text ? "" : wrong_type("a text");
        case Kind::name:
            return text && !text->empty() && text->size() <= longest_name ? "" : wrong_type("a name");
        case Kind::hash:
            return text && is_hash(*text, 64) ? "" : wrong_type("a SHA-256 in hexadecimal");
        case Kind::id:
            return text && is_id(*text) ? "" : wrong_type("a category and 16 digits");
        case Kind::word:
            return text && std::ranges::find(shape.words, *text) != shape.words.end()
                       ? ""
                       : wrong_type("a word that is known: " + shown(json));
        case Kind::whole:
            return json.is_number_unsigned() ? "" : wrong_type("a whole number from 0");
        case Kind::number:
            return json.is_number() && json.get<double>() >= 0 ? "" : wrong_type("a number from 0");
        case Kind::flag:
            return json.is_boolean() ? "" : wrong_type("true or false");
        case Kind::list:
            if (!json.is_array()) return wrong_type("a list");
            for (std::size_t k = 0; k < json.size(); ++k) {
                if (auto found = wrong(shape.of[0], json[k], place + "[" + std::to_string(k) + "]");
                    !found.empty())
                    return found;
            }
            return "";
        case Kind::either: {
            std::string first;
            for (const Shape& one : shape.of) {
                auto found = wrong(one, json, place);
                if (found.empty()) return "";
                if (first.empty()) first = std::move(found);
            }
            return first;
        }
        case Kind::object:
            break;
    }
    if (!json.is_object()) return wrong_type("an object");
    const std::string before = place.empty() ? "" : place + ".";
    for (const Member& member : shape.members) {
        const auto found = json.find(member.name);
        if (found == json.end()) {
            if (!member.is_optional) return "has no " + before + std::string(member.name);
            continue;
        }
        if (auto what = wrong(member.shape, *found, before + std::string(member.name)); !what.empty())
            return what;
    }
    for (const auto& [key, value] : json.items()) {
        if (std::ranges::find(shape.members, key, &Member::name) == shape.members.end())
            return "has the member " + shown(before + key) + ", which there is not";
    }
    return "";
}

Json schema_of(const Shape& shape) {
    switch (shape.kind) {
        case Kind::text:
            return {{"type", "string"}};
        case Kind::name:
            return {{"type", "string"}, {"minLength", 1}, {"maxLength", longest_name}};
        case Kind::hash:
            return {{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}, {"maxLength", 64}};
        case Kind::id: {
            std::string pattern = "^(";
            for (const std::string_view name : category_names())
                pattern += (pattern.size() > 2 ? "|" : "") + std::string(name);
            return {{"type", "string"}, {"pattern", pattern + ")-[0-9a-f]{16}$"}, {"maxLength", 40}};
        }
        case Kind::word:
            return {{"enum", shape.words}};
        case Kind::whole:
            return {{"type", "integer"}, {"minimum", 0}};
        case Kind::number:
            return {{"type", "number"}, {"minimum", 0}};
        case Kind::flag:
            return {{"type", "boolean"}};
        case Kind::list:
            return {{"type", "array"}, {"items", schema_of(shape.of[0])}};
        case Kind::either: {
            Json any = Json::array();
            for (const Shape& one : shape.of) any.push_back(schema_of(one));
            return {{"anyOf", std::move(any)}};
        }
        case Kind::object:
            break;
    }
    Json required = Json::array(), properties = Json::object();
    for (const Member& member : shape.members) {
        if (!member.is_optional) required.push_back(member.name);
        properties[std::string(member.name)] = schema_of(member.shape);
    }
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", std::move(required)},
            {"properties", std::move(properties)}};
}

Result<Json> read_as(const Shape& shape, std::string_view line) {
    IIR2D_TRY(Json made, read_json(line));
    if (const std::string what = wrong(shape, made, ""); !what.empty())
        return fail(ErrorKind::bad_input, what);
    return made;
}

}  // namespace

Result<Json> read_json(std::string_view text) {
    return parse_json_strictly(text, line_limits);
}
Result<Json> read_record(std::string_view line) {
    IIR2D_TRY(Json made, read_as(record_shape(), line));
    // Members that need each other, which the shape cannot say.
    const auto backward = made.find("backward");
    const bool has_source = backward != made.end() && backward->contains("source");
    if (!has_source &&
        std::ranges::any_of(made["ir"], [](const Json& ir) { return ir["direction"] == "backward"; }))
        return fail(ErrorKind::bad_input, "has backward IR and no backward.source");
    return made;
}
Result<Json> read_rejected(std::string_view line) {
    return read_as(rejected_shape(), line);
}

std::string record_schema() {
    Json made = schema_of(record_shape());
    made["$schema"] = "http://json-schema.org/draft-07/schema#";
    made["title"] = "IIR2D Workbench record of a data set of kernels, synth-1";
    made["description"] = "A line of shards/NNNNN.jsonl.zst; docs/synthesis.md says what each member means.";
    return made.dump(2) + "\n";
}

}  // namespace workbench::synth
