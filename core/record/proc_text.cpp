// SPDX-License-Identifier: MIT
#include "core/record/proc_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <set>
#include <utility>

#include "core/support/listed.h"

namespace workbench {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Calls `use` with the trimmed key and value of each line that has the separator, until it returns false.
template <class Use>
void for_each_pair(std::string_view text, char separator, Use use) {
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
        const auto split = line.find(separator);
        if (split == std::string_view::npos) continue;
        if (!use(trimmed(line.substr(0, split)), trimmed(line.substr(split + 1)))) return;
    }
}

std::string_view unquoted(std::string_view text) {
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
        return text.substr(1, text.size() - 2);
    }
    return text;
}

std::optional<std::string> non_empty(std::string_view text) {
    if (text.empty()) return std::nullopt;
    return std::string(text);
}

template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end == text.data()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::string> proc_file_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string text;
    std::array<char, 4096> block;
    // read() takes an error for a bad file, which an iterator over the buffer would throw.
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0)
        text.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (file.bad()) return std::nullopt;
    return text;
}

std::optional<std::string> os_release_name(std::string_view text) {
    std::optional<std::string> name;
    for_each_pair(text, '=', [&](std::string_view key, std::string_view value) {
        if (key == "PRETTY_NAME") name = non_empty(unquoted(value));
        return !name;
    });
    return name;
}

std::optional<std::string> cpuinfo_model(std::string_view text) {
    std::optional<std::string> model;
    for_each_pair(text, ':', [&](std::string_view key, std::string_view value) {
        if (key == "model name" || key == "cpu model" || key == "Model") model = non_empty(value);
        return !model;
    });
    return model;
}

std::optional<int> cpuinfo_physical_cores(std::string_view text) {
    std::set<std::pair<int, int>> cores;
    constexpr int none = -1;
    int package = none;
    for_each_pair(text, ':', [&](std::string_view key, std::string_view value) {
        if (key == "processor") package = none;
        if (key == "physical id") package = number<int>(value).value_or(none);
        if (key == "core id") {
            const auto core = number<int>(value);
            if (core && package != none) cores.emplace(package, *core);
        }
        return true;
    });
    if (cores.empty()) return std::nullopt;
    return static_cast<int>(cores.size());
}

std::optional<double> loadavg_one_minute(std::string_view text) {
    return number<double>(trimmed(text));
}

std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view key) {
    std::optional<std::uint64_t> bytes;
    for_each_pair(text, ':', [&](std::string_view name, std::string_view value) {
        if (name != key) return true;
        const auto kibibytes = number<std::uint64_t>(value);
        if (kibibytes && value.ends_with(" kB")) bytes = *kibibytes * 1024;
        return false;
    });
    return bytes;
}

std::optional<std::string> combined_governor(const std::vector<std::string>& governors) {
    std::set<std::string> distinct;
    for (const std::string& governor : governors) {
        if (const std::string_view name = trimmed(governor); !name.empty()) distinct.emplace(name);
    }
    return non_empty(joined(distinct, ", "));
}

}  // namespace workbench
