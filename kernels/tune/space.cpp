// SPDX-License-Identifier: MIT
#include "kernels/tune/space.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

namespace iir2d {

namespace {

struct Word {
    std::string_view text;
    std::int32_t value;
};
constexpr Word store_words[] = {{"through", stores_through}, {"past", stores_past}};
constexpr Word pairs_words[] = {{"off", pairs_off}, {"on", pairs_on}};
constexpr Word graph_words[] = {{"off", graph_off}, {"on", graph_on}};
constexpr Word carry_words[] = {{"warmup", carry_warmup}, {"exact", carry_exact}};
constexpr Word share_words[] = {{"planes", share_planes}, {"rows", share_rows}};
constexpr Word way_words[] = {{"windows", way_windows},
                              {"sequence/sequence", way_of(FoldWay::sequence, FoldWay::sequence)},
                              {"sequence/parts", way_of(FoldWay::sequence, FoldWay::parts)},
                              {"sequence/climb", way_of(FoldWay::sequence, FoldWay::climb)},
                              {"parts/sequence", way_of(FoldWay::parts, FoldWay::sequence)},
                              {"parts/parts", way_of(FoldWay::parts, FoldWay::parts)},
                              {"parts/climb", way_of(FoldWay::parts, FoldWay::climb)},
                              {"climb/sequence", way_of(FoldWay::climb, FoldWay::sequence)},
                              {"climb/parts", way_of(FoldWay::climb, FoldWay::parts)},
                              {"climb/climb", way_of(FoldWay::climb, FoldWay::climb)}};

// The words that a knob's values are written in; none where they are numbers.
std::span<const Word> words_of(std::string_view knob) {
    if (knob == "stores") return store_words;
    if (knob == "share") return share_words;
    if (knob == "way") return way_words;
    if (knob == "pairs") return pairs_words;
    if (knob == "graph") return graph_words;
    if (knob == "carry") return carry_words;
    return {};
}

std::unexpected<Error> wrong(std::string message) {
    return std::unexpected(Error{ErrorCode::invalid_argument, std::move(message)});
}

std::string value_text(std::string_view knob, std::int32_t value) {
    for (const Word& word : words_of(knob)) {
        if (word.value == value) return std::string(word.text);
    }
    return std::to_string(value);
}

std::optional<std::int32_t> number(std::string_view text) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

Result<std::int32_t> read_value(std::string_view knob, std::string_view text) {
    const auto named = [&](const std::string& rest) {
        return wrong("config " + std::string(knob) + ":" + std::string(text) + ": " + rest);
    };
    if (const auto words = words_of(knob); !words.empty()) {
        std::string known;
        for (const Word& word : words) {
            if (word.text == text) return word.value;
            known += (known.empty() ? "" : ", ") + std::string(word.text);
        }
        return named(std::string(knob) + " is one of " + known);
    }
    if (knob == "task" && text.starts_with("2^")) {
        const auto power = number(text.substr(2));
        if (power && *power >= 0 && *power <= 30) return std::int32_t{1} << *power;
    }
    const auto value = number(text);
    if (!value || *value < 1) return named(std::string(knob) + " is a whole number from 1 on");
    return *value;
}

}  // namespace

std::string text_of(const Config& config) {
    std::string text;
    for (const tune::Knob& knob : tune::knobs) {
        if (config.*knob.value == 0) continue;
        text += (text.empty() ? "" : " ") + tune::text_of(knob, config.*knob.value);
    }
    return text.empty() ? "static" : text;
}

Result<Config> config_from_text(std::string_view text) {
    Config config;
    if (text == "static") return config;
    bool any = false;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        if (text.empty()) break;
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(word.size());
        any = true;
        const std::size_t colon = word.find(':');
        const std::string_view name = word.substr(0, colon);
        const auto knob = std::ranges::find(tune::knobs, name, &tune::Knob::name);
        if (knob == tune::knobs.end() || colon == std::string_view::npos) {
            return wrong(
                "config \"" + std::string(word) +
                "\": a knob and its value, as threads:1; knobs are threads, stores, share, part, "
                "strip, way and task, on a GPU block, steps, pairs, graph, warps and carry, and none "
                "of them is \"static\"");
        }
        if (config.*(knob->value) != 0)
            return wrong("config " + std::string(word) + ": " + std::string(name) + " is there twice");
        const auto value = read_value(name, word.substr(colon + 1));
        if (!value) return std::unexpected(value.error());
        config.*(knob->value) = *value;
    }
    if (!any) return wrong("config \"\": give knobs and their values, or \"static\"");
    return config;
}

namespace tune {

std::string text_of(const Knob& knob, std::int32_t value) {
    return std::string(knob.name) + ":" + value_text(knob.name, value);
}

namespace {

// Set while only the answer counts: sentences take longer than checks.
thread_local bool says_nothing = false;

}  // namespace

std::unexpected<Error> refused(const Knob& knob, std::int32_t value, std::string_view why) {
    if (says_nothing) return std::unexpected(Error{});
    return wrong("config " + text_of(knob, value) + ": " + std::string(why));
}

Result<void> check_multiple(const Config& config, const Knob& knob, std::int32_t step, std::int32_t least,
                            std::int32_t most) {
    const std::int32_t value = config.*knob.value;
    if (value == 0 || (value >= least && value <= most && value % step == 0)) return {};
    if (says_nothing) return std::unexpected(Error{});
    return refused(knob, value,
                   std::string(knob.name) + " is a " +
                       (step == 1 ? "whole number" : "multiple of " + std::to_string(step)) + " from " +
                       std::to_string(least) + " to " + std::to_string(most));
}

Result<void> check_unset(const Config& config, const Knob& knob, std::string_view why) {
    if (config.*knob.value == 0) return {};
    return refused(knob, config.*knob.value, why);
}

std::string size_in_key(const Shape& shape) {
    return " size:" + std::to_string(shape.w) + "x" + std::to_string(shape.h) +
           " planes:" + std::to_string(shape.n * shape.c);
}

std::string end_of_key(int threads, const std::string& target, const char* device) {
    return std::string(" device:") + device + " target:" + target + " threads:" + std::to_string(threads);
}

int knobs_set(const Config& config) {
    return static_cast<int>(
        std::ranges::count_if(knobs, [&](const Knob& knob) { return config.*knob.value != 0; }));
}

bool sets_other_bits(const Config& config) {
    return std::ranges::any_of(knobs,
                               [&](const Knob& knob) { return knob.other_bits && config.*knob.value != 0; });
}

namespace {

using Values = std::array<std::vector<std::int32_t>, knobs.size()>;

std::int32_t power_of_two(int exponent) {
    return std::int32_t{1} << exponent;
}

Values all_values(const Space& space) {
    Values values;
    if (space.on_gpu) {
        values[7] = {64, 128, 256};
        values[8] = {1, 2, 4, 8};
        values[9] = {pairs_off, pairs_on};
        values[10] = {graph_off, graph_on};
        if (space.other_bits) {
            values[11] = {1, 2, 4, 8, 16};
            values[12] = {carry_warmup, carry_exact};
        }
        return values;
    }
    const std::int32_t threads = space.threads;
    for (std::int32_t t = 1; t < threads; t *= 2) values[0].push_back(t);
    values[0].push_back(threads);
    values[1] = {stores_through, stores_past};
    values[2] = {share_planes, share_rows};
    values[3] = {128, 256, 1024, 65536};
    // No `strip`: it gains less than 1 % (5 % at p95) in every family (docs/tuning.md).
    values[5] = {way_windows,
                 way_of(FoldWay::parts, FoldWay::sequence),
                 way_of(FoldWay::parts, FoldWay::parts),
                 way_of(FoldWay::climb, FoldWay::climb),
                 way_of(FoldWay::sequence, FoldWay::climb),
                 way_of(FoldWay::parts, FoldWay::climb)};
    values[6] = {power_of_two(14), power_of_two(16), power_of_two(18), power_of_two(20)};
    return values;
}

// A config, and what it resolves to.
struct Found {
    Config config;
    Config resolved;
};

// A resolved config as a number: every knob's values are fewer than its bits can count.
std::uint64_t number_of(const Config& config) {
    std::uint64_t number = 0;
    const auto add = [&](std::int32_t value, int bits) {
        number = number << bits | static_cast<std::uint64_t>(value);
    };
    add(config.threads, 12);
    add(config.stores, 2);
    add(config.share, 2);
    add(config.part / 32, 16);
    add(config.strip / 64, 7);
    add(config.way, 4);
    add(std::countr_zero(static_cast<std::uint32_t>(config.task)) % 32, 5);
    // On a GPU all of these are 0, and on the CPU all of those that follow.
    if (number != 0) return number;
    add(config.block / 32, 5);
    add(config.steps, 8);
    add(config.pairs, 2);
    add(config.graph, 2);
    add(config.warps, 5);
    add(config.carry, 2);
    return number | std::uint64_t{1} << 63;
}

class Products {
  public:
    // Ends when there are more than `most`.
    Products(const Space& space, Values values, std::size_t most)
        : m_space(space), m_values(std::move(values)), m_most(most) {
        for (std::size_t knob = 0; knob < knobs.size(); ++knob) {
            if (knobs[knob].by_others) continue;
            std::erase_if(m_values[knob], [&](std::int32_t value) {
                Config alone;
                alone.*knobs[knob].value = value;
                return !space.check(alone, knobs[knob]);
            });
        }
        m_places.reserve(128);
        add(0, {});
    }
    std::vector<Found> take() { return std::move(m_found); }

  private:
    // Adds the valid products of the values from `knob` on that resolve to something new.
    void add(std::size_t knob, Config config) {
        if (m_found.size() > m_most) return;
        if (knob == knobs.size()) {
            const Config resolved = m_space.resolve(config);
            const auto [same, is_new] = m_places.try_emplace(number_of(resolved), m_found.size());
            if (is_new) {
                m_found.push_back({config, resolved});
            } else if (knobs_set(config) < knobs_set(m_found[same->second].config)) {
                m_found[same->second].config = config;
            }
            return;
        }
        add(knob + 1, config);
        for (const std::int32_t value : m_values[knob]) {
            config.*knobs[knob].value = value;
            if (!knobs[knob].by_others || m_space.check(config, knobs[knob])) add(knob + 1, config);
        }
    }

    const Space& m_space;
    Values m_values;
    const std::size_t m_most;
    std::vector<Found> m_found;
    std::unordered_map<std::uint64_t, std::size_t> m_places;
};

std::vector<Found> products(const Space& space, const Values& values, std::size_t most) {
    const struct Quiet {
        Quiet() { says_nothing = true; }
        ~Quiet() { says_nothing = false; }
    } quiet;
    return Products(space, values, most).take();
}

}  // namespace

std::vector<Config> candidates(const Space& space) {
    constexpr std::size_t most = 64;
    Values values = all_values(space);
    std::vector<Found> found = products(space, values, most);
    const auto narrow = [&](std::size_t knob, std::vector<std::int32_t> fewer, std::size_t enough) {
        if (found.size() <= most) return;
        values[knob] = std::move(fewer);
        found = products(space, values, enough);
    };
    narrow(3, {65536}, most);
    narrow(0, {1, static_cast<std::int32_t>(space.threads)}, most);
    // What is left are all candidates, however many there are.
    narrow(6, {power_of_two(20)}, std::numeric_limits<std::size_t>::max());
    std::vector<Config> configs;
    configs.reserve(found.size());
    for (const Found& one : found) configs.push_back(one.config);
    return configs;
}

}  // namespace tune
}  // namespace iir2d
