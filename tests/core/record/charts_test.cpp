// SPDX-License-Identifier: MIT
// Records as charts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/record/record.h"
#include "core/record/svg.h"
#include "tests/core/record/record_testing.h"

namespace workbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string chart_of(const Record& record, RecordChart chart = RecordChart::latency) {
    return record_to_svg(testing::reread(record), chart);
}

int count_of(const std::string& text, const std::string& what) {
    int count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

TEST(RecordToSvg, HasARowForEachCase) {
    const std::string svg = chart_of(testing::sample_record());
    EXPECT_THAT(svg, AllOf(HasSubstr("F1 mirror f32 1024x512"), HasSubstr(">0.5000<"),
                           HasSubstr("avg 2x2 1024x512"), HasSubstr(">2.000<"),
                           HasSubstr("not timed: parity: the result"), HasSubstr("A Processor, 2 threads")));
    // Two circles of copies, and the legend's.
    EXPECT_EQ(count_of(svg, "<circle"), 3);
    EXPECT_EQ(count_of(svg, "<text"), count_of(svg, "</text>"));
}

TEST(RecordToSvg, ShowsTheRatioToTheCopy) {
    const std::string svg = chart_of(testing::sample_record(), RecordChart::ratio_to_copy);
    EXPECT_THAT(svg, HasSubstr("over the copy"));
    EXPECT_EQ(count_of(svg, ">2.000<"), 2);
    EXPECT_EQ(count_of(svg, "<circle"), 0);
}

TEST(RecordToSvg, LetsNoNameBreakIt) {
    Record record = testing::sample_record();
    record.run.results[0].what.label = "</text><script>&\"'\xff\xEF\xBF\xBE" + std::string(200, 'x') + "\x01";
    record.run.device.name = "A <b> & \"c\"";
    const std::string svg = chart_of(record);
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, HasSubstr("&lt;/text&gt;&lt;script&gt;&amp;"));
    EXPECT_THAT(svg, HasSubstr("A &lt;b&gt; &amp; \"c\""));
    EXPECT_THAT(svg, AllOf(Not(HasSubstr(std::string(100, 'x'))), HasSubstr("xxx...")));
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("\x01")), Not(HasSubstr("\xEF\xBF\xBE"))));
}

TEST(RecordToSvg, StaysOfASize) {
    Record record = testing::sample_record();
    const CaseResult one = record.run.results[0];
    for (int i = 0; i < 500; ++i) record.run.results.push_back(one);
    const std::string svg = chart_of(record);
    EXPECT_THAT(svg, HasSubstr("the first 200 of 503 cases"));
    EXPECT_EQ(count_of(svg, "F1 mirror f32 1024x512"), 200 - 2);
}

TEST(RecordToSvg, TakesAnyTimes) {
    for (const double ms : {1e-300, 1e-9, 1.0, 1e12, 1e300}) {
        Record record = testing::sample_record();
        for (auto& r : record.run.results) {
            r.latency.p5 = r.latency.p50 = r.latency.p95 = ms;
            r.ratio_to_copy = ms;
        }
        for (const auto chart : {RecordChart::latency, RecordChart::ratio_to_copy}) {
            const std::string svg = chart_of(record, chart);
            EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf")))) << ms;
            EXPECT_LT(svg.size(), 20'000U) << ms;
        }
    }
}

TEST(Svg, WritesNumbersOneWay) {
    Svg svg(10, 20.25, "t", "d");
    svg.line(-0.01, 0.04, 1.25, 100, "#000");
    EXPECT_THAT(svg.document(), HasSubstr(R"(<line x1="0" y1="0" x2="1.2" y2="100" stroke="#000")"));
    EXPECT_THAT(svg.document(), HasSubstr(R"(width="10" height="20.2")"));
}

}  // namespace
}  // namespace workbench
