// SPDX-License-Identifier: MIT
#include "tests/fuzz/json_mutation.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace fuzzing {

namespace {

using nlohmann::json;

// A value and where it hangs; `parent` is null for the document.
struct Place {
    json* value;
    json* parent;
    std::string key;    // of an object
    std::size_t index;  // of an array
};

void collect(json& value, std::vector<Place>& places) {
    if (value.is_object()) {
        for (auto& [key, member] : value.items()) {
            places.push_back({&member, &value, key, 0});
            collect(member, places);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            places.push_back({&value[i], &value, {}, i});
            collect(value[i], places);
        }
    }
}

std::size_t below(std::mt19937& dice, std::size_t limit) {
    return dice() % limit;
}

std::string mutated(std::string text) {
    constexpr std::size_t room = 64;
    const std::size_t size = text.size();
    text.resize(size + room);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, size + room));
    return text;
}

json unusual(std::mt19937& dice) {
    const json values[] = {nullptr,
                           true,
                           false,
                           0,
                           -1,
                           1,
                           2,
                           1e308,
                           -1e308,
                           5e-324,
                           0.5,
                           -0.0,
                           std::numeric_limits<std::int64_t>::max(),
                           std::numeric_limits<std::int64_t>::min(),
                           std::numeric_limits<std::uint64_t>::max(),
                           std::int64_t{1} << 31,
                           "",
                           "\x1b[2J",
                           "../../etc/passwd",
                           std::string(300, 'x'),
                           "9999-12-31T23:59:59Z",
                           json::array(),
                           json::object(),
                           json::array({1, 2}),
                           json{{"value", nullptr}, {"reason", "none"}},
                           json{{"value", 3}}};
    return values[below(dice, std::size(values))];
}

void change(json& value, std::mt19937& dice) {
    if (value.is_string()) {
        value = mutated(value.get<std::string>());
    } else if (value.is_number_float()) {
        const double factors[] = {-1.0, 0.0, 2.0, 1e10, 1e-10, 1.0 + 1e-12};
        value = value.get<double>() * factors[below(dice, std::size(factors))];
    } else if (value.is_number()) {
        value = value.get<std::uint64_t>() + dice() % 3U - 1U;
    } else {
        value = unusual(dice);
    }
}

// What dumps a value goes as deep as it does.
bool is_shallow(std::string_view text) {
    constexpr int deepest = 100;
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (depth > deepest) return false;
    }
    return true;
}

}  // namespace

void mutate(json& document, std::mt19937& dice) {
    std::vector<Place> places;
    collect(document, places);
    if (places.empty()) {
        document = unusual(dice);
        return;
    }
    Place& place = places[below(dice, places.size())];
    switch (below(dice, 6)) {
        case 0:
            if (place.parent->is_object()) {
                place.parent->erase(place.key);
            } else {
                place.parent->erase(place.index);
            }
            return;
        case 1: {
            const json copy = *place.value;
            if (place.parent->is_object()) {
                (*place.parent)[mutated(place.key)] = copy;
            } else {
                for (std::size_t n = below(dice, 4) + 1; n > 0; --n) place.parent->push_back(copy);
            }
            return;
        }
        case 2:
            *place.value = unusual(dice);
            return;
        case 3: {
            json copy = *places[below(dice, places.size())].value;
            *place.value = std::move(copy);
            return;
        }
        default:
            change(*place.value, dice);
    }
}

std::size_t mutate_json_text(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    std::mt19937 dice(seed);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (below(dice, 8) == 0 || !is_shallow(text)) return LLVMFuzzerMutate(data, size, most);
    json document = json::parse(text, nullptr, false);
    if (document.is_discarded()) return LLVMFuzzerMutate(data, size, most);
    for (std::size_t n = below(dice, 3) + 1; n > 0; --n) mutate(document, dice);
    const std::string result = document.dump(-1, ' ', false, json::error_handler_t::replace);
    if (result.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, result.data(), result.size());
    return result.size();
}

}  // namespace fuzzing
