// SPDX-License-Identifier: MIT
#include "core/support/strict_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/escaped.h"
#include "core/support/utf8.h"

namespace workbench {

namespace {

using nlohmann::json;

std::optional<std::size_t> first_bad_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_character_length(text.substr(i, 4));
        if (length == 0) return i;
        i += length;
    }
    return std::nullopt;
}

std::string place(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, std::min(at, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    const auto newline = before.rfind('\n');
    const auto column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
    return fmt::format("line {}, column {}", line, column);
}

// Builds the value while the text is read. The library's own parser with a callback looks through the whole
// parent after each child, which takes a time that grows with the square of the children.
class Builder final : public nlohmann::json_sax<json> {
  public:
    Builder(std::string_view text, const JsonLimits& limits) : m_text(text), m_limits(limits) {}

    // What is wrong; empty: nothing.
    const std::string& problem() const { return m_problem; }
    json take() { return std::move(m_root); }

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return refuse("holds bytes, which JSON has not"); }
    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        auto& members = m_open.back()->get_ref<json::object_t&>();
        const auto [member, fresh] = members.try_emplace(name, nullptr);
        if (!fresh) return refuse("has the key " + shown(name) + " twice in one object: keep one of them");
        m_member = &member->second;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
        constexpr int out_of_range = 406;
        if (error.id == out_of_range) return refuse("has a number that is too large for any value");
        return refuse("is not valid JSON: look at " + place(m_text, position > 0 ? position - 1 : 0));
    }

  private:
    bool refuse(std::string problem) {
        if (m_problem.empty()) m_problem = std::move(problem);
        return false;
    }

    bool add(json value) {
        if (++m_values > m_limits.values)
            return refuse(
                fmt::format("has more than {} values, which is the most that is read", m_limits.values));
        if (m_open.empty()) {
            m_root = std::move(value);
            m_last = &m_root;
        } else if (m_open.back()->is_array()) {
            m_last = &m_open.back()->get_ref<json::array_t&>().emplace_back(std::move(value));
        } else {
            *m_member = std::move(value);
            m_last = m_member;
        }
        return true;
    }

    // An open container stays where it is: its parent gets no further child before it is closed.
    bool open(json container) {
        if (static_cast<int>(m_open.size()) >= m_limits.depth)
            return refuse("is nested more than " + std::to_string(m_limits.depth) + " deep");
        if (!add(std::move(container))) return false;
        m_open.push_back(m_last);
        return true;
    }

    bool close() {
        m_open.pop_back();
        return true;
    }

    std::string_view m_text;
    JsonLimits m_limits;
    json m_root;
    std::vector<json*> m_open;  // the containers around the next value, outermost first
    json* m_last = nullptr;     // the value that was added last
    json* m_member = nullptr;   // where the value of the last key goes
    std::size_t m_values = 0;
    std::string m_problem;
};

}  // namespace

std::string shown(const json& value) {
    constexpr std::size_t longest = 60;
    if (value.is_structured() && value.size() > longest) return value.is_array() ? "[...]" : "{...}";
    return escaped(value.dump(-1, ' ', false, json::error_handler_t::replace), longest);
}

std::string shown(const std::string& text) {
    return shown(json(text));
}

Result<json> parse_json_strictly(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes) {
        return fail(ErrorKind::bad_input,
                    fmt::format("has {} bytes, and at most {} are read", text.size(), limits.bytes));
    }
    if (const auto bad = first_bad_utf8(text)) {
        return fail(ErrorKind::bad_input,
                    "is not UTF-8 text: look at " + place(text, *bad) + ", or save it again as UTF-8");
    }
    // The library takes a null byte for the end and leaves the rest unread.
    if (const auto null = text.find('\0'); null != std::string_view::npos)
        return fail(ErrorKind::bad_input, "is not valid JSON: look at " + place(text, null));
    try {
        Builder builder(text, limits);
        if (!json::sax_parse(text, &builder)) return fail(ErrorKind::bad_input, builder.problem());
        return builder.take();
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input, std::string("cannot be read: ") + error.what());  // memory
    }
}

}  // namespace workbench
