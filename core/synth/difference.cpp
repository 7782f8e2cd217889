// SPDX-License-Identifier: MIT
#include "core/synth/difference.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/support/try.h"
#include "core/synth/data_set.h"
#include "core/synth/data_set_reader.h"

namespace workbench::synth {

namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
    Lines made;
    while (!text.empty()) {
        const std::size_t end = std::min(text.size(), text.find('\n'));
        made.push_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return made;
}

struct Change {
    char kind = ' ';  // ' ', '-', '+'
    std::string_view line;
};

// The longest list of lines that both have, by the table of its lengths.
std::vector<Change> changes_of(const Lines& a, const Lines& b) {
    std::size_t begin = 0, end_a = a.size(), end_b = b.size();
    while (begin < end_a && begin < end_b && a[begin] == b[begin]) ++begin;
    while (end_a > begin && end_b > begin && a[end_a - 1] == b[end_b - 1]) --end_a, --end_b;
    std::vector<Change> made;
    for (std::size_t k = 0; k < begin; ++k) made.push_back({' ', a[k]});
    const std::size_t rows = end_a - begin, columns = end_b - begin;
    constexpr std::size_t most = 4096;
    if (rows + columns <= 2 * most) {
        std::vector<std::uint16_t> length((rows + 1) * (columns + 1));
        const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
            return length[i * (columns + 1) + j];
        };
        for (std::size_t i = rows; i-- > 0;) {
            for (std::size_t j = columns; j-- > 0;)
                at(i, j) = a[begin + i] == b[begin + j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                                        : std::max(at(i + 1, j), at(i, j + 1));
        }
        std::size_t i = 0, j = 0;
        while (i < rows && j < columns) {
            if (a[begin + i] == b[begin + j]) {
                made.push_back({' ', a[begin + i]});
                ++i, ++j;
            } else if (at(i + 1, j) >= at(i, j + 1)) {
                made.push_back({'-', a[begin + i++]});
            } else {
                made.push_back({'+', b[begin + j++]});
            }
        }
        for (; i < rows; ++i) made.push_back({'-', a[begin + i]});
        for (; j < columns; ++j) made.push_back({'+', b[begin + j]});
    } else {
        for (std::size_t k = begin; k < end_a; ++k) made.push_back({'-', a[k]});
        for (std::size_t k = begin; k < end_b; ++k) made.push_back({'+', b[k]});
    }
    for (std::size_t k = end_a; k < a.size(); ++k) made.push_back({' ', a[k]});
    return made;
}

struct Contents {
    std::unordered_set<std::string> records, skeletons, pairs;
};

Result<Contents> contents_of(const std::filesystem::path& folder, const std::stop_token& stop) {
    Contents made;
    IIR2D_RETURN_IF_ERROR(for_each_record(
        folder,
        [&](const nlohmann::json& record) -> Result<void> {
            made.records.insert(record["canonical"].get<std::string>());
            made.skeletons.insert(record["skeleton"].get<std::string>());
            for (const auto& ir : record["ir"])
                made.pairs.insert(
                    ir["target"].get<std::string>() + " " + ir["direction"].get<std::string>() + " " +
                    text_hash(ir["text"].get<std::string>(), record["name"].get<std::string>()));
            return {};
        },
        stop));
    return made;
}

InCommon in_common(const std::unordered_set<std::string>& a, const std::unordered_set<std::string>& b) {
    const auto both = std::ranges::count_if(a, [&](const std::string& one) { return b.contains(one); });
    return {a.size(), b.size(), static_cast<std::uint64_t>(both)};
}

}  // namespace

std::string unified_difference(std::string_view before, std::string_view after,
                               const std::string& before_name, const std::string& after_name) {
    const auto changes = changes_of(lines_of(before), lines_of(after));
    constexpr std::size_t around = 3;
    std::string made;
    std::size_t line_a = 1, line_b = 1;  // of changes[k]
    for (std::size_t k = 0; k < changes.size();) {
        std::size_t next = k;
        while (next < changes.size() && changes[next].kind == ' ') ++next;
        if (next == changes.size()) break;
        const std::size_t from = next - std::min(around, next - k);
        line_a += from - k;
        line_b += from - k;
        // Until more than twice the lines around are the same.
        std::size_t to = next, same = 0;
        for (std::size_t at = next; at < changes.size() && same <= 2 * around; ++at) {
            same = changes[at].kind == ' ' ? same + 1 : 0;
            if (same == 0) to = at + 1;
        }
        to = std::min(changes.size(), to + around);
        std::size_t count_a = 0, count_b = 0;
        std::string text;
        for (std::size_t at = from; at < to; ++at) {
            count_a += changes[at].kind != '+';
            count_b += changes[at].kind != '-';
            text += changes[at].kind;
            text += changes[at].line;
            text += '\n';
        }
        if (made.empty()) made = "--- " + before_name + "\n+++ " + after_name + "\n";
        made += "@@ -" + std::to_string(count_a ? line_a : line_a - 1) + "," + std::to_string(count_a) +
                " +" + std::to_string(count_b ? line_b : line_b - 1) + "," + std::to_string(count_b) +
                " @@\n" + text;
        line_a += count_a;
        line_b += count_b;
        k = to;
    }
    return made;
}

Result<DataSetDifference> compare_data_sets(const std::filesystem::path& first,
                                            const std::filesystem::path& second,
                                            const std::stop_token& stop) {
    IIR2D_TRY(const Contents a, contents_of(first, stop));
    IIR2D_TRY(const Contents b, contents_of(second, stop));
    return DataSetDifference{in_common(a.records, b.records), in_common(a.skeletons, b.skeletons),
                             in_common(a.pairs, b.pairs)};
}

}  // namespace workbench::synth
