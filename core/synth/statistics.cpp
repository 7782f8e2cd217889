// SPDX-License-Identifier: MIT
#include "core/synth/statistics.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/support/files.h"
#include "core/synth/text_sizes.h"

namespace workbench::synth {

namespace {

using Json = nlohmann::json;

std::string_view trimmed(std::string_view line) {
    const std::size_t from = line.find_first_not_of(" \t");
    if (from == std::string_view::npos) return {};
    return line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
}

// Whether the statement of PTX goes on in the next line, as calls do.
bool count_ptx(std::string_view line, Counts& made) {
    line = trimmed(line);
    if (line.empty() || line.ends_with(':') || std::string_view(".{}(),/").find(line[0]) != line.npos)
        return false;
    if (line[0] == '@') line = trimmed(line.substr(std::min(line.find(' '), line.size())));
    const std::size_t end = line.find_first_of(". ;\t");
    const auto word = line.substr(0, end);
    if (!word.empty()) ++made[std::string(word)];
    return !line.ends_with(';');
}

void count_llvm(std::string_view line, Counts& made) {
    // Instructions stand two spaces in; cases of a switch four, labels and declarations none.
    if (!line.starts_with("  ") || line.size() < 3 || line[2] == ' ' || line[2] == ']') return;
    line = trimmed(line);
    if (line[0] == '%') {
        const std::size_t equals = line.find(" = ");
        if (equals == std::string_view::npos) return;
        line.remove_prefix(equals + 3);
    }
    for (const std::string_view before : {"tail ", "musttail ", "notail "}) {
        if (line.starts_with(before)) line.remove_prefix(before.size());
    }
    ++made[std::string(line.substr(0, line.find(' ')))];
}

double rounded(double value) {
    return std::round(value * 1000) / 1000;
}

Json json_of(const TextSizes& sizes) {
    return {{"min", sizes.least},
            {"median", sizes.median},
            {"mean", rounded(sizes.mean)},
            {"p95", sizes.p95},
            {"max", sizes.largest}};
}

void add_to(CategoryStatistics& made, const Json& record, const std::map<std::string, Counts>& mix) {
    ++made.records;
    made.pairs += record["ir"].size();
    ++made.complexity[record["complexity"].get<std::string>()];
    ++made.splits[record["split"].get<std::string>()];
    ++made.depths[std::to_string(record["depth"].get<std::uint64_t>())];
    made.skeletons.insert(record["skeleton"].get<std::string>());
    for (const Json& op : record["ops"]) ++made.ops[op.get<std::string>()];
    for (const Json& parameter : record["params"]) ++made.types[parameter["type"].get<std::string>()];
    bool all = !record["verification"].empty();
    for (const Json& v : record["verification"]) all = all && v["exact"].get<bool>();
    made.exact += all;
    for (const char* source : {"cuda", "cpp"})
        made.sizes[std::string("source.") + source].push_back(
            record["source"][source].get_ref<const std::string&>().size());
    for (const Json& ir : record["ir"])
        made.sizes[ir["target"].get<std::string>()].push_back(
            ir["text"].get_ref<const std::string&>().size());
    for (const auto& [target, counts] : mix) {
        for (const auto& [word, count] : counts) made.instructions[target][word] += count;
    }
}

Json json_of(const CategoryStatistics& one) {
    Json sizes = Json::object();
    for (const auto& [what, list] : one.sizes) sizes[what] = json_of(sizes_of(list));
    const double share =
        one.records ? static_cast<double>(one.exact) / static_cast<double>(one.records) : 0.0;
    return {{"records", one.records},
            {"pairs", one.pairs},
            {"exact", one.exact},
            {"share_exact", rounded(share)},
            {"skeletons", one.skeletons.size()},
            {"rejected", one.rejected},
            {"ops", one.ops},
            {"complexity", one.complexity},
            {"splits", one.splits},
            {"depths", one.depths},
            {"types", one.types},
            {"sizes", std::move(sizes)},
            {"instructions", one.instructions}};
}

std::string row_of(const std::string& name, const CategoryStatistics& one) {
    const auto of = [](const Counts& counts, std::string_view key) {
        const auto found = counts.find(key);
        return found == counts.end() ? 0 : found->second;
    };
    std::string made = "| " + name;
    std::uint64_t rejected = 0;
    for (const auto& [reason, count] : one.rejected) rejected += count;
    for (const std::uint64_t number :
         {one.records, one.pairs, static_cast<std::uint64_t>(one.skeletons.size()), one.exact, rejected,
          of(one.splits, "train"), of(one.splits, "valid"), of(one.splits, "test")})
        made += " | " + std::to_string(number);
    return made + " |\n";
}

}  // namespace

TextSizes sizes_of(std::vector<std::uint64_t> sizes) {
    if (sizes.empty()) return {};
    std::ranges::sort(sizes);
    const auto at = [&](double part) {
        const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sizes.size())));
        return sizes[std::min(std::max<std::size_t>(rank, 1) - 1, sizes.size() - 1)];
    };
    const auto sum = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    return {.texts = sizes.size(),
            .mean = static_cast<double>(sum) / static_cast<double>(sizes.size()),
            .least = sizes.front(),
            .median = at(0.5),
            .p95 = at(0.95),
            .largest = sizes.back()};
}

Counts instruction_mix(std::string_view text) {
    Counts made;
    const bool is_ptx = text.starts_with(".version");
    if (!is_ptx && text.find("define ") == std::string_view::npos) return made;
    bool goes_on = false;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!is_ptx)
            count_llvm(line, made);
        else if (goes_on)
            goes_on = line.find(';') == std::string_view::npos;
        else
            goes_on = count_ptx(line, made);
    }
    return made;
}

void Statistics::add(const Json& record) {
    std::map<std::string, Counts> mix;
    for (const Json& ir : record["ir"]) {
        Counts& counts = mix[ir["target"].get<std::string>()];
        for (const auto& [word, count] : instruction_mix(ir["text"].get_ref<const std::string&>()))
            counts[word] += count;
    }
    add_to(m_all, record, mix);
    add_to(m_categories[record["category"].get<std::string>()], record, mix);
}

void Statistics::add_rejected(const Json& rejected) {
    const auto reason = rejected["reason"].get<std::string>();
    ++m_all.rejected[reason];
    ++m_categories[rejected["category"].get<std::string>()].rejected[reason];
}

Json Statistics::json() const {
    Json by_category = Json::object();
    for (const auto& [name, one] : m_categories) by_category[name] = json_of(one);
    return {{"all", json_of(m_all)}, {"categories", std::move(by_category)}};
}

std::string Statistics::markdown() const {
    std::string made =
        "| category | records | pairs | skeletons | exact | rejected | train | valid | test |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const auto& [name, one] : m_categories) made += row_of(name, one);
    made += row_of("all", m_all);
    made += "\n| bytes of | min | median | mean | p95 | max |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const auto& [what, list] : m_all.sizes) {
        const Json one = json_of(sizes_of(list));
        made += "| " + what;
        for (const char* key : {"min", "median", "mean", "p95", "max"}) made += " | " + one[key].dump();
        made += " |\n";
    }
    if (!m_all.rejected.empty()) made += "\n| rejected | kernels |\n| --- | --- |\n";
    for (const auto& [reason, count] : m_all.rejected)
        made += "| " + reason + " | " + std::to_string(count) + " |\n";
    for (const auto& [target, counts] : m_all.instructions) {
        if (counts.empty()) continue;
        std::vector<std::pair<std::string, std::uint64_t>> sorted(counts.begin(), counts.end());
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        std::uint64_t total = 0;
        for (const auto& [word, count] : sorted) total += count;
        constexpr std::size_t shown_words = 12;
        made += "\n| instructions of " + target + " | number | share |\n| --- | --- | --- |\n| all | " +
                std::to_string(total) + " | 1 |\n";
        for (std::size_t k = 0; k < std::min(shown_words, sorted.size()); ++k)
            made +=
                "| " + sorted[k].first + " | " + std::to_string(sorted[k].second) + " | " +
                format_number(rounded(static_cast<double>(sorted[k].second) / static_cast<double>(total))) +
                " |\n";
    }
    return made;
}

}  // namespace workbench::synth
