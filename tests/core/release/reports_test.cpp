// SPDX-License-Identifier: MIT
#include "core/release/reports.h"

#include <gmock/gmock.h>

namespace workbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"x\" tests=\"2\">\n";

TEST(TestReport, IsReadAsCtestWritesIt) {
    const auto report =
        read_test_report(head +
                         "<testcase name=\"A.one\" classname=\"A.one\" time=\"0.01\" status=\"run\">\n"
                         "<system-out>a &lt; b &amp;&amp; <![CDATA[<failure>]]></system-out>\n</testcase>\n"
                         "<testcase name=\"A.two\" status=\"run\"/>\n<!-- <failure/> -->\n"
                         "<testcase name=\"A.three\" status=\"disabled\"><skipped message=\"a > "
                         "b\"/></testcase></testsuite>\n");
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->tests, 3U);
    EXPECT_EQ(report->skipped, 1U);
    EXPECT_TRUE(report->green());
}

TEST(TestReport, KnowsFailures) {
    for (const std::string& body : {std::string("<testcase name=\"A\" status=\"fail\"/>"),
                                    std::string("<testcase name=\"A\"><failure message=\"x\"/></testcase>"),
                                    std::string("<testcase name=\"A\"><error/></testcase>")}) {
        const auto report = read_test_report(head + body + "<testcase name=\"B\"/></testsuite>");
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_THAT(report->failures, ElementsAre("A"));
        EXPECT_FALSE(report->green());
    }
    const auto whole =
        read_test_report("<testsuites><testsuite><error/><testcase name=\"B\"/></testsuite></testsuites>");
    EXPECT_FALSE(whole->green());
    EXPECT_FALSE(read_test_report("<testsuite></testsuite>")->green()) << "no test at all";
    EXPECT_FALSE(
        read_test_report("<testsuite><testcase name=\"a\"><skipped/></testcase></testsuite>")->green());
}

TEST(TestReport, ReadsAttributesHoweverTheyAreWritten) {
    for (const char* status : {"status='fail'", "status = \"fail\"", "status\n=\t'fail'"}) {
        const auto report = read_test_report(head + "<testcase name='a \"b\"' " + status + "/></testsuite>");
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_THAT(report->failures, ElementsAre("a \"b\"")) << status;
    }
    for (const char* attributes : {"status=fail", "status", "status=", "name=\"a\"status=\"fail\"", "=\"x\"",
                                   "status=\"run\" status='fail'", "status=\"failed\"", "status \"fail\""}) {
        EXPECT_FALSE(read_test_report(head + "<testcase " + attributes + "/></testsuite>")) << attributes;
    }
}

TEST(TestReport, HoldsASuiteToWhatItSays) {
    const auto read = [](const std::string& attributes, bool failed) {
        return read_test_report(
            "<testsuites><testsuite " + attributes + "><testcase name=\"A\"/><testcase name=\"B\">" +
            (failed ? "<failure/><failure/>" : "") + "</testcase></testsuite></testsuites>");
    };
    EXPECT_TRUE(read("failures=\"0\" errors='0'", false)->green());
    EXPECT_FALSE(read("failures=\"1\"", true)->green());
    EXPECT_FALSE(read("failures=\"0\" errors=\"1\"", true)->green());
    EXPECT_THAT(read("failures=\"1\"", false).error().message,
                HasSubstr("says that 1 failed, its tests that 0 did"));
    for (const char* attributes : {"failures='2'", "errors=\"1\" failures=\"1\"", "failures=\"0\""})
        EXPECT_FALSE(read(attributes, true)) << attributes;
    for (const char* attributes :
         {"failures=\"\"", "failures=\"-1\"", "errors=\"0x1\"", "errors=\"99999999999999999999\""})
        EXPECT_FALSE(read(attributes, false)) << attributes;
    EXPECT_FALSE(read_test_report(
        "<testsuites failures=\"1\"><testsuite><testcase name=\"A\"/></testsuite></testsuites>"));
}

TEST(TestReport, RefusesWhatIsNone) {
    for (const std::string& text :
         {std::string(), std::string("all green"), std::string("<html></html>"), head,
          head + "<testcase name=\"A\">", head + "</wrong></testsuite>", head + "<testcase name=\"A",
          std::string("<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite/>"), head + "<!-- </testsuite>",
          head + "<testcase name=\"A\"><testcase name=\"B\"/></testcase></testsuite>",
          std::string("<testsuite/><testsuite/>"), head + "</testsuite><testsuite>"}) {
        EXPECT_FALSE(read_test_report(text)) << text;
    }
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<testsuite>";
    EXPECT_THAT(read_test_report(deep).error().message, HasSubstr("32 levels"));
}

TEST(Reports, AreReadStrictly) {
    EXPECT_EQ(read_parity_report(R"({"cases":[{"case":"a","passed":true}]})")->cases, 1U);
    EXPECT_THAT(read_parity_report(R"({"cases":[{"case":"a","passed":false}]})")->failures, ElementsAre("a"));
    EXPECT_FALSE(read_parity_report(R"({"cases":[{"case":"a","passed":1}]})"));
    EXPECT_FALSE(read_parity_report("[]"));
    EXPECT_THAT(*read_issues(R"({"issues":[{"id":"7","priority":"P1","open":true,"title":"t"}]})"),
                SizeIs(1));
    EXPECT_THAT(
        read_issues(R"({"issues":[{"id":"7","priority":"high","open":true,"title":"t"}]})").error().message,
        HasSubstr("not one of P0"));
    EXPECT_FALSE(read_issues(R"({"issues":[{"id":"7","priority":"P1","title":"t"}]})"));
    const std::string a(64, 'a'), b(64, 'b');
    const auto builds = [](const std::string& x, const std::string& y, const std::string& reason) {
        return R"({"builds":[{"library_sha256":")" + x + R"(","built_utc":"1"},{"library_sha256":")" + y +
               R"(","built_utc":"2"}],"reason":)" + reason + "}";
    };
    EXPECT_THAT(read_rebuild(builds(a, b, "\"why\""))->hashes, ElementsAre(a, b));
    EXPECT_EQ(read_rebuild(builds(a, a, "null"))->reason, "");
    EXPECT_FALSE(read_rebuild(builds(a, "b", "null")));
    EXPECT_FALSE(read_rebuild(R"({"builds":[],"reason":null})"));
    EXPECT_TRUE(
        read_security_review(R"({"reviewer":"r","date":"2025-02-28","accepted":true,"findings":[]})"));
    EXPECT_FALSE(
        read_security_review(R"({"reviewer":"r","date":"2025-02-30","accepted":true,"findings":[]})"));
    EXPECT_FALSE(
        read_security_review(R"({"reviewer":"","date":"2025-02-28","accepted":true,"findings":[]})"));
    EXPECT_FALSE(read_security_review(std::string(100'000, '[')));
}

}  // namespace
}  // namespace workbench
