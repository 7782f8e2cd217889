// SPDX-License-Identifier: MIT
// A record's charts as SVG: a row for each case.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "core/record/record.h"
#include "core/record/svg.h"
#include "core/support/counted.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

constexpr std::size_t most_rows = 200;
constexpr std::size_t longest_label = 44;  // characters

constexpr double width = 960;
constexpr double left = 300;   // of the plot
constexpr double right = 840;  // figures stand right of it
constexpr double top = 96;
constexpr double row_height = 22;
constexpr double below = 48;

constexpr std::string_view muted = "#59636e";
constexpr std::string_view grid = "#d8dee4";
constexpr std::string_view percentile_band = "#b6d4fe";
constexpr std::string_view middle = "#0b5ed7";
constexpr std::string_view yardstick = "#b35900";

// What one case shows; absent where it was not timed.
struct ChartRow {
    std::string label;
    std::string key;
    std::string note;  // stands in the plot where there are no figures, behind the label where there are
    std::optional<double> low, p50, high;  // bar from low to high, a mark at p50
    std::optional<double> interval_low, interval_high, copy;
};

// Formats a value that is a line of the axis, without zeros behind it.
std::string tick_text(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr};
}

std::string shortened(const std::string& text) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
        if (begins && ++characters > longest_label) return text.substr(0, i) + "...";
    }
    return text;
}

ChartRow row_of(const CaseResult& one, RecordChart chart) {
    ChartRow row{.label = one.what.label, .key = one.what.key};
    if (one.samples.empty()) {
        row.note = "not timed: " + one.failure.value_or("it has no samples");
        return row;
    }
    if (!one.inconclusive.empty()) row.note = "inconclusive";
    if (chart == RecordChart::ratio_to_copy) {
        if (one.ratio_to_copy > 0) {
            row.low = 0;
            row.p50 = row.high = one.ratio_to_copy;
        } else {
            row.note = "too short for the clock";
        }
        return row;
    }
    row.low = one.latency.p5;
    row.p50 = one.latency.p50;
    row.high = one.latency.p95;
    row.copy = one.copy_latency.p50;
    row.interval_low = one.latency_p50_interval.low;
    row.interval_high = one.latency_p50_interval.high;
    return row;
}

// Where a value stands, and which values have a line.
struct Axis {
    std::function<double(double)> place;
    std::vector<double> ticks;
};

// Returns an axis from 1, 2, 5, 10, 20, ... around all values.
Axis logarithmic(const std::vector<ChartRow>& rows) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const ChartRow& row : rows) {
        for (const auto& value : {row.low, row.p50, row.high, row.copy}) {
            if (!value || !(*value > 0) || !std::isfinite(*value)) continue;
            least = std::min(least, *value);
            most = std::max(most, *value);
        }
    }
    if (most <= 0) least = most = 1;
    std::vector<double> ticks;
    const int first = static_cast<int>(std::floor(std::log10(least)));
    for (int decade = first; ticks.empty() || ticks.back() < most; ++decade) {
        for (const double digit : {1.0, 2.0, 5.0}) ticks.push_back(digit * std::pow(10.0, decade));
    }
    while (ticks.size() > 2 && ticks[1] <= least) ticks.erase(ticks.begin());
    while (ticks.size() > 2 && ticks[ticks.size() - 2] >= most) ticks.pop_back();
    const double from = std::log(ticks.front());
    const double to = std::log(ticks.back());
    const auto place = [from, to, floor = ticks.front()](double value) {
        return left + (right - left) * (std::log(std::max(value, floor)) - from) / (to - from);
    };
    // Decades are enough then, or every second, fourth, ... of them.
    for (int step = 1; ticks.size() > 10; step *= 2) {
        std::erase_if(ticks, [step](double t) {
            const double decade = std::log10(t);
            return std::abs(decade - std::round(decade)) > 1e-9 || std::fmod(std::round(decade), step) != 0;
        });
    }
    return {place, ticks};
}

// Returns an axis from 0, in steps of 1, 2 or 5 times a power of ten.
Axis linear(const std::vector<ChartRow>& rows) {
    double most = 1;
    for (const ChartRow& row : rows) most = std::max(most, row.high.value_or(0));
    const double power = std::pow(10.0, std::floor(std::log10(most / 5)));
    double step = power;
    for (const double digit : {2.0, 5.0, 10.0}) {
        if (most / step > 10) step = digit * power;
    }
    const double end = std::ceil(most / step) * step;
    Axis axis{[end](double value) { return left + (right - left) * value / end; }, {}};
    for (int i = 0; i * step <= end * (1 + 1e-9); ++i) axis.ticks.push_back(i * step);
    return axis;
}

void draw_legend(Svg& svg, RecordChart chart) {
    const SvgText words{.size = 12, .fill = muted};
    if (chart == RecordChart::ratio_to_copy) {
        svg.line(left, 70, left + 24, 70, yardstick, 1.5, true);
        svg.text(left + 30, 74, "1: as fast as moving the same bytes, in the same run", words);
        return;
    }
    svg.rectangle(left, 64, 24, 12, percentile_band);
    svg.text(left + 30, 74, "5th to 95th percentile", words);
    svg.rectangle(left + 180, 64, 24, 12, middle);
    svg.text(left + 210, 74, "median, 95 % interval", words);
    svg.circle(left + 372, 70, 4, "#ffffff", yardstick);
    svg.text(left + 382, 74, "median of the copy", words);
}

void draw_row(Svg& svg, const ChartRow& row, double y, const Axis& axis) {
    const double base = y + row_height / 2 + 4;
    svg.text(left - 10, base, shortened(row.label), {.anchor = TextAnchor::end}, row.key);
    if (!row.p50) {
        svg.text(left + 6, base, shortened(row.note), {.fill = muted}, row.note);
        return;
    }
    const double from = axis.place(*row.low);
    svg.rectangle(from, y + 5, std::max(axis.place(*row.high) - from, 1.0), row_height - 10, percentile_band);
    const double low = axis.place(row.interval_low.value_or(*row.p50));
    const double high = axis.place(row.interval_high.value_or(*row.p50));
    svg.rectangle(std::min(low, axis.place(*row.p50) - 1), y + 3, std::max(high - low, 2.0), row_height - 6,
                  middle);
    if (row.copy) svg.circle(axis.place(*row.copy), y + row_height / 2, 4, "#ffffff", yardstick);
    svg.text(right + 10, base, brief_number(*row.p50) + (row.note.empty() ? "" : " ?"), {}, row.note);
}

}  // namespace

std::string record_to_svg(const Record& record, RecordChart chart) {
    const auto& cases = record.run.results;
    std::vector<ChartRow> rows;
    for (std::size_t i = 0; i < std::min(cases.size(), most_rows); ++i)
        rows.push_back(row_of(cases[i], chart));
    const bool ratio = chart == RecordChart::ratio_to_copy;
    const Axis axis = ratio ? linear(rows) : logarithmic(rows);
    const double bottom = top + row_height * static_cast<double>(rows.size());

    const std::string title = ratio ? "Median latency over the copy's" : "Latency, ms";
    std::string under = record.run.device.name + ", " +
                        counted(static_cast<std::uint64_t>(record.run.threads), "thread") + ", " +
                        record.run.started_utc;
    if (rows.size() < cases.size())
        under +=
            ", the first " + std::to_string(rows.size()) + " of " + std::to_string(cases.size()) + " cases";

    Svg svg(width, bottom + below, title, under);
    svg.text(20, 30, title, {.size = 18, .bold = true});
    svg.text(20, 50, under, {.fill = muted});
    draw_legend(svg, chart);
    for (const double tick : axis.ticks) {
        const double x = axis.place(tick);
        svg.line(x, top, x, bottom, grid);
        svg.text(x, bottom + 18, tick_text(tick), {.size = 11, .anchor = TextAnchor::middle, .fill = muted});
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        draw_row(svg, rows[i], top + row_height * static_cast<double>(i), axis);
    if (ratio) svg.line(axis.place(1), top, axis.place(1), bottom, yardstick, 1.5, true);
    if (std::ranges::any_of(rows, [](const ChartRow& r) { return r.p50 && !r.note.empty(); }))
        svg.text(20, bottom + 40, "?: inconclusive, too many samples were disturbed",
                 {.size = 11, .fill = muted});
    return svg.document();
}

std::string_view file_name_of(RecordChart chart) {
    return chart == RecordChart::ratio_to_copy ? "ratio.svg" : "latency.svg";
}

}  // namespace workbench
