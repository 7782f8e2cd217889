// SPDX-License-Identifier: MIT
#include "core/recipe/parse_json.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace workbench {

namespace {

using nlohmann::json;

// Where the first byte is that no UTF-8 text has (Unicode 15, table 3-7).
std::optional<std::size_t> first_bad_utf8(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        const unsigned char first = byte(i);
        if (first < 0x80) {
            ++i;
            continue;
        }
        const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
        if (first < 0xc2 || first > 0xf4 || i + length > text.size()) return i;
        const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (byte(i + 1) < low || byte(i + 1) > high) return i;
        for (std::size_t k = 2; k < length; ++k) {
            if (byte(i + k) < 0x80 || byte(i + k) > 0xbf) return i;
        }
        i += length;
    }
    return std::nullopt;
}

std::string place(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, std::min(at, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto newline = before.rfind('\n');
    const auto column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// Thrown through the parser by its callback; caught below.
struct Refused {
    std::string message;
};

// Looks at every event of the parse for what a JSON value cannot show afterwards.
class Watch {
  public:
    explicit Watch(int depth) : m_depth(depth) {}

    bool operator()(int, json::parse_event_t event, json& parsed) {
        switch (event) {
            case json::parse_event_t::object_start:
            case json::parse_event_t::array_start:
                if (static_cast<int>(m_keys.size()) >= m_depth) {
                    throw Refused{"is nested more than " + std::to_string(m_depth) + " deep"};
                }
                m_keys.emplace_back();
                break;
            case json::parse_event_t::object_end:
            case json::parse_event_t::array_end:
                m_keys.pop_back();
                break;
            case json::parse_event_t::key: {
                const auto key = parsed.get<std::string>();
                if (!m_keys.back().insert(key).second) {
                    throw Refused{"has the key " + shown(key) + " twice in one object: keep one of them"};
                }
                break;
            }
            case json::parse_event_t::value:
                break;
        }
        return true;
    }

  private:
    int m_depth;
    std::vector<std::set<std::string>> m_keys;  // of each open object; of an array, empty
};

}  // namespace

std::string shown(const json& value) {
    constexpr std::size_t longest = 60;
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    if (text.size() <= longest) return text;
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // whole characters
    return text.substr(0, end) + "...";
}

std::string shown(const std::string& text) {
    return shown(json(text));
}

Result<json> parse_json_strictly(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes) {
        return fail(ErrorKind::bad_input, "has " + std::to_string(text.size()) + " bytes, and at most " +
                                              std::to_string(limits.bytes) + " are read");
    }
    if (const auto bad = first_bad_utf8(text)) {
        return fail(ErrorKind::bad_input,
                    "is not UTF-8 text: look at " + place(text, *bad) + ", or save it again as UTF-8");
    }
    try {
        Watch watch(limits.depth);
        return json::parse(text, std::ref(watch));
    } catch (const Refused& refused) {
        return fail(ErrorKind::bad_input, refused.message);
    } catch (const json::parse_error& error) {
        const std::size_t at = error.byte > 0 ? error.byte - 1 : 0;
        return fail(ErrorKind::bad_input, "is not valid JSON: look at " + place(text, at));
    } catch (const json::exception&) {
        return fail(ErrorKind::bad_input, "has a number that is too large for any value");
    }
}

}  // namespace workbench
