// SPDX-License-Identifier: MIT
// Reads a struct from JSON by the table of its members (layout.h). The JSON may come from a stranger.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/record/layout.h"
#include "core/record/record_layout.h"
#include "core/support/canonical_json.h"
#include "core/support/error.h"
#include "core/support/escaped.h"
#include "core/support/hex.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"
#include "core/support/utf8.h"

namespace workbench::layout {

using JsonValue = nlohmann::json;

// Says whether it has the form of "2025-03-09T17:05:00Z".
inline bool is_utc(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    return std::ranges::equal(text, form,
                              [](char c, char f) { return f == '0' ? c >= '0' && c <= '9' : c == f; });
}

// Stops at the first thing that does not fit, so that a hostile value costs no more than a good one.
class Reader {
  public:
    // Returns what does not fit; empty: everything does.
    std::string complaint() const {
        return m_complaint.empty() ? "" : (m_place.empty() ? "the document" : m_place) + ": " + m_complaint;
    }

    template <class S, class... Row>
    bool read_object(const JsonValue& value, S& s, const std::tuple<Row...>& rows, std::size_t position = 0,
                     std::size_t members_known = 0) {
        if (!value.is_object()) return wrong_type("object", value);
        std::size_t found = members_known;
        if (!read_rows(value, s, rows, position, found)) return false;
        return found == value.size() || refuse_unknown(value, names_of<S>(rows));
    }

  private:
    // Puts the name of a member or the number of an item behind the place while it is read.
    template <class Read>
    bool within(const std::string& step, Read read) {
        const std::size_t before = m_place.size();
        m_place += step;
        if (!read()) return false;
        m_place.resize(before);
        return true;
    }
    template <class Read>
    bool member(const JsonValue& object, const char* name, std::size_t& found, Read read) {
        const auto one = object.find(name);
        if (one == object.end()) return refuse("lacks the key " + shown(std::string(name)));
        ++found;
        return within((m_place.empty() ? "" : ".") + std::string(name), [&] { return read(*one); });
    }

    template <class S, class... Row>
    bool read_rows(const JsonValue& object, S& s, const std::tuple<Row...>& rows, std::size_t position,
                   std::size_t& found) {
        return std::apply(
            [&](const auto&... row) { return (read_row(object, s, row, position, found) && ...); }, rows);
    }

    template <class S, class Get, class Rows>
    bool read_row(const JsonValue& object, S& s, const Member<Get, Rows>& row, std::size_t,
                  std::size_t& found) {
        return member(object, row.name, found, [&](const JsonValue& value) {
            return read(value, std::invoke(row.get, s), row.limits, row.rows);
        });
    }
    template <class S, class Get, class Reason, class Absence, class Rows>
    bool read_row(const JsonValue& object, S& s, const Nullable<Get, Reason, Absence, Rows>& row, std::size_t,
                  std::size_t& found) {
        return member(object, row.name, found, [&](const JsonValue& fact) {
            auto& target = std::invoke(row.get, s);
            std::string reason;
            const bool good = read_fact(fact, reason, [&](const JsonValue& value) {
                return read(value, target, row.limits, row.rows);
            });
            if (!good) return false;
            if (!reason.empty()) row.absence.clear(target);
            // What a writer leaves out is absent, and nothing else: a record has one form.
            if (row.absence.is_absent(s, target) == reason.empty())
                return refuse(reason.empty() ? "must be null, with a reason, not " + fact.dump()
                                             : "must not be null");
            if (reason.empty()) return true;
            if constexpr (requires { row.reason.keep(s, reason); }) row.reason.keep(s, std::move(reason));
            return true;
        });
    }
    template <class S, class Get, class Reason>
    bool read_row(const JsonValue& object, S& s, const FiniteNumber<Get, Reason>& row, std::size_t,
                  std::size_t& found) {
        return member(object, row.name, found, [&](const JsonValue& value) {
            double& target = std::invoke(row.get, s);
            if (!value.is_object()) return read_scalar(value, target, row.limits);
            WhenNotFinite::clear(target);
            std::string reason;
            return read_fact(value, reason, [&](const JsonValue&) { return refuse("must be null"); });
        });
    }
    template <class S, class Get>
    bool read_row(const JsonValue& object, S& s, const Merged<Get>& row, std::size_t position,
                  std::size_t& found) {
        auto& target = std::invoke(row.get, s);
        return read_rows(object, target, Layout<std::remove_cvref_t<decltype(target)>>::rows, position,
                         found);
    }
    template <class S, class Value>
    bool read_row(const JsonValue& object, S&, const Constant<Value>& row, std::size_t, std::size_t& found) {
        return member(object, row.name, found,
                      [&](const JsonValue& value) { return expect(value, JsonValue(row.value)); });
    }
    template <class S, class Get>
    bool read_row(const JsonValue& object, S& s, const Derived<Get>& row, std::size_t, std::size_t& found) {
        return member(object, row.name, found, [&](const JsonValue& value) {
            std::string text;
            if (!read(value, text, a_name, std::tuple<>())) return false;
            return !row.is_checked || expect(value, JsonValue(row.get(s)));
        });
    }
    template <class S>
    bool read_row(const JsonValue& object, S&, const Position& row, std::size_t position,
                  std::size_t& found) {
        return member(object, row.name, found,
                      [&](const JsonValue& value) { return expect(value, JsonValue(position)); });
    }
    template <class S, class Get, class Set>
    bool read_row(const JsonValue& object, S& s, const Computed<Get, Set>& row, std::size_t,
                  std::size_t& found) {
        return member(object, row.name, found, [&](const JsonValue& value) {
            auto kept = row.get(std::as_const(s));
            if (!read(value, kept, row.limits, std::tuple<>())) return false;
            return row.set(s, std::move(kept)) || refuse("has a word that is not known, or one twice");
        });
    }
    template <class S, class Value, class Reason>
    bool read_row(const JsonValue& object, S& s, const InlineFact<Value, Reason>& row, std::size_t,
                  std::size_t& found) {
        auto& target = std::invoke(row.value, s);
        return member(object, "value", found,
                      [&](const JsonValue& value) {
                          if (value.is_null()) {
                              target.reset();
                              return true;
                          }
                          return read(value, target, no_limits, std::tuple<>());
                      }) &&
               (target || member(object, "reason", found, [&](const JsonValue& value) {
                    return read(value, std::invoke(row.reason, s), a_name, std::tuple<>());
                }));
    }
    template <class S, class Get>
    bool read_row(const JsonValue& object, S& s, const SampleLists<Get>& row, std::size_t,
                  std::size_t& found) {
        auto& target = std::invoke(row.get, s);
        return member(object, row.name, found,
                      [&](const JsonValue& values) {
                          return read_list(values, a_list_of_samples, [&](const JsonValue& value) {
                              return read(value, target.emplace_back().latency_ms, not_negative,
                                          std::tuple<>());
                          });
                      }) &&
               member(object, row.preempted, found, [&](const JsonValue& positions) {
                   std::int64_t before = -1;
                   constexpr Limits limits = {.least = 0, .most_items = 1'000'000};
                   return read_list(positions, limits, [&](const JsonValue& value) {
                       std::int64_t position = 0;
                       if (!read(value, position, not_negative, std::tuple<>())) return false;
                       if (position <= before || position >= static_cast<std::int64_t>(target.size()))
                           return refuse("is not in a rising list of sample positions");
                       before = position;
                       target[static_cast<std::size_t>(position)].preempted = true;
                       return true;
                   });
               });
    }
    template <class S, class Get>
    bool read_row(const JsonValue& object, S& s, const Choice<Get>& row, std::size_t, std::size_t& found) {
        return member(object, row.name, found,
                      [&](const JsonValue& value) { return read_choice(value, std::invoke(row.get, s)); });
    }

    template <class... Alternative>
    bool read_choice(const JsonValue& value, std::variant<Alternative...>& chosen) {
        if (!value.is_object()) return wrong_type("object", value);
        const auto kind = value.find("kind");
        if (kind == value.end()) return refuse("lacks the key \"kind\"");
        bool good = false;
        const bool known = ((*kind == Layout<Alternative>::kind
                                 ? (good = read_object(value, chosen.template emplace<Alternative>(),
                                                       Layout<Alternative>::rows, 0, 1),
                                    true)
                                 : false) ||
                            ...);
        const std::array kinds = {std::string(Layout<Alternative>::kind)...};
        return known ? good : within(".kind", [&] { return refuse_word(kinds, *kind); });
    }

    template <class T, class Rows>
    bool read(const JsonValue& value, T& target, const Limits& limits, const Rows& rows) {
        if constexpr (IsVector<T>::value) {
            target.clear();
            return read_list(value, limits, [&](const JsonValue& item) {
                typename T::value_type one{};
                if (!read_item(item, one, limits, rows, target.size() + 1)) return false;
                target.push_back(std::move(one));
                return true;
            });
        } else if constexpr (IsOptional<T>::value) {
            return read(value, target.emplace(), limits, rows);
        } else if constexpr (IsFact<T>::value) {
            target = {};
            return read_fact(value, target.reason, [&](const JsonValue& inner) {
                return read(inner, target.value.emplace(), limits, rows);
            });
        } else {
            return read_item(value, target, limits, rows, 0);
        }
    }

    template <class T, class Rows>
    bool read_item(const JsonValue& value, T& target, const Limits& limits, const Rows& rows,
                   std::size_t position) {
        if constexpr (std::tuple_size_v < Rows >> 0) {
            return read_object(value, target, rows, position);
        } else if constexpr (HasLayout<T>) {
            return read_object(value, target, Layout<T>::rows, position);
        } else if constexpr (HasWords<T>) {
            for (const T one : Words<T>::values) {
                if (!value.is_string() || value.get_ref<const std::string&>() != Words<T>::name(one))
                    continue;
                target = one;
                return true;
            }
            std::vector<std::string> words;
            words.reserve(std::size(Words<T>::values));
            for (const T one : Words<T>::values) words.emplace_back(Words<T>::name(one));
            return refuse_word(words, value);
        } else {
            return read_scalar(value, target, limits);
        }
    }

    template <class Item>
    bool read_list(const JsonValue& value, const Limits& limits, Item read_one) {
        if (!value.is_array()) return wrong_type("array", value);
        if (value.size() < limits.fewest_items || value.size() > limits.most_items)
            return refuse("must not have " + std::to_string(value.size()) + " items");
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (!within("[" + std::to_string(i) + "]", [&] { return read_one(value[i]); })) return false;
        }
        return true;
    }

    template <class Read>
    bool read_fact(const JsonValue& fact, std::string& reason, Read read_value) {
        if (!fact.is_object()) return wrong_type("object", fact);
        std::size_t found = 0;
        bool is_null = false;
        const bool good = member(fact, "value", found, [&](const JsonValue& value) {
            is_null = value.is_null();
            return is_null || read_value(value);
        });
        if (!good) return false;
        if (is_null && !member(fact, "reason", found, [&](const JsonValue& value) {
                return read(value, reason, a_name, std::tuple<>());
            }))
            return false;
        return found == fact.size() || refuse_unknown(fact, {"value", is_null ? "reason" : "value"});
    }

    bool read_scalar(const JsonValue& value, bool& target, const Limits&) {
        if (!value.is_boolean()) return wrong_type("boolean", value);
        target = value.get<bool>();
        return true;
    }
    bool read_scalar(const JsonValue& value, double& target, const Limits& limits) {
        if (!value.is_number()) return wrong_type("number", value);
        target = value.get<double>();
        return in_range(value, target, limits);
    }
    template <std::integral T>
    bool read_scalar(const JsonValue& value, T& target, const Limits& limits) {
        if (!value.is_number_integer()) return wrong_type("integer", value);
        // Whole numbers are read into 63 bits where they have a least value.
        using Wide = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        const bool is_large = value.is_number_unsigned() && value.get<std::uint64_t>() > largest;
        const bool may_be_large = std::is_same_v<T, std::uint64_t> && !limits.least;
        if (is_large && !may_be_large)
            return refuse("must be at most " + std::to_string(largest) + ", not " + value.dump());
        if (std::is_unsigned_v<T> && !value.is_number_unsigned())
            return refuse("must be at least 0, not " + value.dump());
        const Wide whole = value.get<Wide>();
        if (!std::in_range<T>(whole))
            return refuse("must be at most " + std::to_string(std::numeric_limits<T>::max()) + ", not " +
                          value.dump());
        target = static_cast<T>(whole);
        return in_range(value, static_cast<double>(whole), limits);
    }
    bool read_scalar(const JsonValue& value, std::string& target, const Limits& limits) {
        if (!value.is_string()) return wrong_type("string", value);
        target = value.get<std::string>();
        switch (limits.text) {
            case Text::utc:
                return is_utc(target) ||
                       refuse("must be a time as 2025-03-09T17:05:00Z, not " + shown(target));
            case Text::sha256:
                return is_sha256(target) || refuse("must be 64 lower-case hex digits, not " + shown(target));
            case Text::name:
                return (!target.empty() || refuse("must not be shorter than 1 character")) &&
                       is_no_longer(target, limits.longest_name);
            case Text::any:
                break;
        }
        return is_no_longer(target, 100'000);
    }
    bool read_scalar(const JsonValue& value, Recipe& target, const Limits&) {
        if (!value.is_object()) return wrong_type("object", value);
        auto recipe = recipe_from_json(value.dump());
        if (!recipe) return refuse("its recipe is refused: " + recipe.error().message);
        target = std::move(*recipe);
        return true;
    }

    bool is_no_longer(const std::string& text, std::size_t most) {
        return utf8_character_count(text) <= most ||
               refuse("must not be longer than " + std::to_string(most) + " characters");
    }
    bool in_range(const JsonValue& value, double number, const Limits& limits) {
        if (limits.least && number < *limits.least)
            return refuse("must be at least " + canonical_number(*limits.least) + ", not " + value.dump());
        if (const auto most = limits.largest(); most && number > *most)
            return refuse("must be at most " + canonical_number(*most) + ", not " + value.dump());
        return true;
    }
    bool expect(const JsonValue& value, const JsonValue& wanted) {
        const bool same = value == wanted && value.is_number_float() == wanted.is_number_float();
        return same || refuse("must be " + shown(wanted) + ", not " + shown(value));
    }
    bool wrong_type(const char* wanted, const JsonValue& value) {
        return refuse("must be of type " + std::string(wanted) + ", not " + shown(value));
    }
    bool refuse_word(const auto& words, const JsonValue& value) {
        return refuse("must be one of " + JsonValue(words).dump() + ", not " + shown(value));
    }
    bool refuse(std::string complaint) {
        m_complaint = std::move(complaint);
        return false;
    }

    template <class S, class Rows>
    static std::vector<std::string_view> names_of(const Rows& rows) {
        std::vector<std::string_view> names = {"kind"};  // which the alternatives of a choice have besides
        add_names<S>(rows, names);
        return names;
    }
    bool refuse_unknown(const JsonValue& object, const std::vector<std::string_view>& known) {
        for (const auto& [key, value] : object.items()) {
            if (std::ranges::find(known, key) == known.end())
                return refuse("has the unknown key " + shown(key));
        }
        return refuse("has an unknown key");
    }

    std::string m_place;  // "cases[0].key"
    std::string m_complaint;
};

// Checks that nothing of a sealed document was changed. A hash over the values finds every other value; what
// is spelled in another way has the same value, so that there is one way only. `seal` is what the document
// says that the hash is.
Result<void> check_seal(std::string_view text, const JsonValue& document, const std::string& seal);

// How sentences call a document, and the latest version of its schema.
struct DocumentKind {
    std::string_view the_name;  // "the record"
    std::string_view name;      // "record"
    int schema_version = 1;
};
// bad_input: the document says that it is of a newer schema.
Result<void> check_version(const JsonValue& document, const DocumentKind& kind);

// Reads a document with a seal (its member record_id) whose version was checked.
template <class T>
Result<T> read_sealed(std::string_view text, const JsonValue& document, const DocumentKind& kind) {
    try {
        T value;
        Reader reader;
        if (!reader.read_object(document, value, Layout<T>::rows)) {
            constexpr std::size_t longest = 400;  // it may quote a key or value of the file
            return fail(ErrorKind::bad_input, "not a valid " + std::string(kind.name) + ": " +
                                                  escaped(reader.complaint(), longest));
        }
        IIR2D_RETURN_IF_ERROR(check_seal(text, document, value.record_id));
        return value;
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input,
                    std::string(kind.the_name) + " cannot be read: " + error.what());  // memory
    }
}

}  // namespace workbench::layout
