// SPDX-License-Identifier: MIT
#include "kernels/tune/learned.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace iir2d::tune {

namespace {

constexpr std::size_t most_entries = 10'000;
constexpr std::size_t most_line = 4096;
constexpr std::size_t field_count = 8;

bool is_text(std::string_view text, bool with_spaces) {
    return !text.empty() &&
           std::ranges::all_of(text, [&](char c) { return c > ' ' ? c <= '~' : with_spaces && c == ' '; });
}

// "2026-11-23T17:00:00Z".
bool is_utc(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00Z";
    return text.size() == form.size() && std::ranges::equal(text, form, [](char c, char f) {
               return f == '0' ? c >= '0' && c <= '9' : c == f;
           });
}

template <class T>
bool read_number(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

std::optional<std::pair<LearnedPlace, LearnedEntry>> entry_of(std::string_view line) {
    if (line.size() > most_line) return std::nullopt;
    std::array<std::string_view, field_count> fields;
    for (std::size_t i = 0; i < field_count; ++i) {
        const auto tab = line.find('\t');
        if ((tab == std::string_view::npos) != (i + 1 == field_count)) return std::nullopt;
        fields[i] = line.substr(0, tab);
        line.remove_prefix(tab == std::string_view::npos ? line.size() : tab + 1);
    }
    const auto& [version, machine, kernels, key, text, ratio, runs, utc] = fields;
    if (version != "1" || !is_text(machine, false) || !is_text(kernels, false) || !is_text(key, true) ||
        !is_utc(utc))
        return std::nullopt;
    const auto config = config_from_text(text);
    LearnedEntry entry{.utc = std::string(utc)};
    if (!config || !read_number(ratio, entry.ratio) || !std::isfinite(entry.ratio) || entry.ratio <= 0 ||
        !read_number(runs, entry.runs) || entry.runs < 0)
        return std::nullopt;
    entry.config = *config;
    return std::pair(LearnedPlace{std::string(machine), std::string(kernels), std::string(key)},
                     std::move(entry));
}

}  // namespace

void add_entry(LearnedPlace place, LearnedEntry entry, Learned& learned) {
    const auto [at, is_new] = learned.try_emplace(std::move(place), entry);
    if (!is_new && at->second.utc <= entry.utc) at->second = std::move(entry);
}

std::size_t add_lines(std::string_view lines, Learned& learned) {
    std::size_t bad = 0;
    while (!lines.empty()) {
        const auto end = lines.find('\n');
        std::string_view line = lines.substr(0, end);
        lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        auto entry = entry_of(line);
        if (entry) {
            add_entry(std::move(entry->first), std::move(entry->second), learned);
        } else {
            ++bad;
        }
    }
    limit(learned);
    return bad;
}

void limit(Learned& learned) {
    if (learned.size() <= most_entries) return;
    std::vector<Learned::iterator> oldest;
    for (auto at = learned.begin(); at != learned.end(); ++at) oldest.push_back(at);
    const auto rest = static_cast<std::ptrdiff_t>(learned.size() - most_entries);
    std::ranges::nth_element(oldest, oldest.begin() + rest, {},
                             [](const auto& at) -> const std::string& { return at->second.utc; });
    for (auto at = oldest.begin(); at != oldest.begin() + rest; ++at) learned.erase(*at);
}

std::string lines_of(const Learned& learned, bool here_only) {
    std::string text;
    for (const auto& [place, entry] : learned) {
        if (here_only && !entry.here) continue;
        std::array<char, 32> ratio;
        const auto end = std::to_chars(ratio.data(), ratio.data() + ratio.size(), entry.ratio).ptr;
        text += "1\t" + place.machine + "\t" + place.kernels + "\t" + place.key + "\t" +
                text_of(entry.config) + "\t" + std::string(ratio.data(), end) + "\t" +
                std::to_string(entry.runs) + "\t" + entry.utc + "\n";
    }
    return text;
}

std::string utc_now() {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto day = std::chrono::floor<std::chrono::days>(now);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(now - day);
    std::array<char, 32> text;
    const int size =
        std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ",
                      static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                      static_cast<unsigned>(date.day()), static_cast<int>(time.hours().count()),
                      static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
    return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace iir2d::tune
