// SPDX-License-Identifier: MIT
#include "tests/fuzz/images/counts.h"

#include <cstdio>
#include <numeric>

namespace workbench::fuzz {

namespace {

// Parts of the sentences of core/worker's failures. All but the last are also in what decoders say of files
// that they refuse themselves, hence the check for the worker's own beginning.
struct Words {
    std::string_view part;
    End end;
};
constexpr std::array<Words, 10> words{{{" crashed (", End::died},
                                       {" ended by itself with exit code ", End::died},
                                       {" was ended from outside (", End::died},
                                       {" ended with its server", End::died},
                                       {" needed more memory than ", End::memory},
                                       {" of processor time that it may take", End::time},
                                       {" gave no sign of life for ", End::time},
                                       {" was ended: ", End::other},
                                       {" gave an answer without sense", End::other},
                                       {" failed: ", End::other}}};

std::string joined(const std::map<std::string, std::uint64_t>& signals) {
    std::string text;
    for (const auto& [signal, count] : signals)
        text += (text.empty() ? "" : ", ") + signal + ": " + std::to_string(count);
    return text;
}

}  // namespace

End end_of(const Error& error) {
    if (error.kind == ErrorKind::cancelled) return End::time;
    if (error.kind != ErrorKind::bad_input) return End::other;
    const std::size_t decoder = error.message.find(" decoder ");
    if (decoder == std::string::npos) return End::refused;
    const std::string_view said = std::string_view(error.message).substr(decoder);
    for (const Words& entry : words) {
        if (said.find(entry.part) != std::string_view::npos) return entry.end;
    }
    return End::refused;
}

std::string signal_of(const Error& error) {
    const std::size_t begin = error.message.find("signal ");
    if (begin == std::string::npos) return {};
    return error.message.substr(begin, error.message.find_first_of(",)", begin) - begin);
}

std::uint64_t FormatCounts::total() const {
    return std::accumulate(ends.begin(), ends.end(), std::uint64_t{0});
}

FormatCounts& FormatCounts::operator+=(const FormatCounts& other) {
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] += other.ends[i];
    for (const auto& [signal, count] : other.signals) signals[signal] += count;
    return *this;
}

std::string as_table(const Counts& counts) {
    std::string text = "| format | files |";
    for (const std::string_view name : end_names) text += " " + std::string(name) + " |";
    text += " signals |\n|---|--:|";
    for (std::size_t i = 0; i < end_names.size(); ++i) text += "--:|";
    text += "---|\n";
    FormatCounts all;
    const auto add_row = [&text](const std::string& name, const FormatCounts& row) {
        text += "| " + name + " | " + std::to_string(row.total()) + " |";
        for (const std::uint64_t count : row.ends) text += " " + std::to_string(count) + " |";
        text += " " + joined(row.signals) + " |\n";
    };
    for (const auto& [format, row] : counts) {
        add_row(format, row);
        all += row;
    }
    add_row("all", all);
    return text;
}

std::string as_json(const Counts& counts) {
    std::string text = "{";
    for (const auto& [format, row] : counts) {
        text +=
            (text.size() == 1 ? "\"" : ", \"") + format + "\": {\"files\": " + std::to_string(row.total());
        for (std::size_t i = 0; i < end_names.size(); ++i)
            text += ", \"" + std::string(end_names[i]) + "\": " + std::to_string(row.ends[i]);
        text += ", \"signals\": {";
        bool first = true;
        for (const auto& [signal, count] : row.signals) {
            text += (first ? "\"" : ", \"") + signal + "\": " + std::to_string(count);
            first = false;
        }
        text += "}}";
    }
    return text + "}";
}

}  // namespace workbench::fuzz
