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

TEST(TestReport, FindsFailuresHoweverTheyAreSaid) {
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

TEST(TestReport, RefusesWhatIsNotOneWholeReport) {
    for (const std::string& text :
         {std::string(), std::string("all green"), std::string("<html></html>"), head,
          head + "<testcase name=\"A\">", head + "</wrong></testsuite>", head + "<testcase name=\"A",
          std::string("<!DOCTYPE x [<!ENTITY a \"b\">]><testsuite/>"), head + "<!-- </testsuite>",
          head + "<testcase name=\"A\"><testcase name=\"B\"/></testcase></testsuite>",
          std::string("<testsuite/><testsuite/>"), head + "</testsuite><testsuite>"}) {
        EXPECT_FALSE(read_test_report(text)) << text;
    }
    EXPECT_EQ(read_test_report("<html></html>").error().message,
              "it is not a JUnit report, which is one <testsuites> or <testsuite>: it is <html>");
    EXPECT_EQ(read_test_report(head + "<testcase name=\"A\">").error().message,
              "it is not a whole JUnit report: line 3: Start-end tags mismatch");
}

TEST(TestReport, RefusesDeepNesting) {
    std::string open, close;
    for (int i = 0; i < 100'000; ++i) {
        open += "<testsuite>";
        close += "</testsuite>";
    }
    EXPECT_FALSE(read_test_report(open));
    EXPECT_EQ(read_test_report(open + close).error().message, "it is nested more than 32 levels deep");
}

TEST(TestReport, ExpandsNoEntityOfItsOwn) {
    std::string bomb = "<!DOCTYPE x [<!ENTITY a0 \"aaaaaaaaaa\">";
    for (int i = 1; i < 10; ++i) {
        const std::string inner = "&a" + std::to_string(i - 1) + ";";
        bomb += "<!ENTITY a" + std::to_string(i) + " \"" + inner + inner + inner + inner + "\">";
    }
    bomb += "]><testsuite><testcase name=\"&a9;\"/></testsuite>";
    EXPECT_EQ(read_test_report(bomb).error().message,
              "it has a document type declaration, which no test report needs");
    EXPECT_FALSE(read_test_report("<testsuite><!DOCTYPE x><testcase name=\"A\"/></testsuite>"));
    const auto unknown =
        read_test_report("<testsuite><testcase name=\"&a9;\"><failure/></testcase></testsuite>");
    ASSERT_TRUE(unknown);
    EXPECT_THAT(unknown->failures, ElementsAre("&a9;"));
}

TEST(TestReport, ReadsTheEntitiesOfXml) {
    const auto report = read_test_report(
        "<testsuite><testcase name=\"a &lt; b &#x26; &quot;c&quot;\" status=\"f&#97;il\"/></testsuite>");
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->failures, ElementsAre("a < b & \"c\""));
}

TEST(TestReport, ReadsAllOfTheTextOrNothing) {
    const std::string green = "<testsuite><testcase name=\"A\"/></testsuite>";
    ASSERT_TRUE(read_test_report(green));
    EXPECT_THAT(
        read_test_report(green + std::string(1, '\0') + "<testsuite><error/></testsuite>").error().message,
        HasSubstr("it has a null byte"));
    EXPECT_FALSE(read_test_report(green + "<testcase status=\"fail\"/>"));
    EXPECT_FALSE(read_test_report(green + green));
}

TEST(TestReport, RefusesMoreTagsAndAttributesThanOneCanHold) {
    std::string many = "<testsuite>";
    for (int i = 0; i < 2'200'000; ++i) many += "<a/>";
    EXPECT_TRUE(read_test_report(many + "</testsuite>"));
    for (int i = 0; i < 2'200'000; ++i) many += "<a/>";
    EXPECT_EQ(read_test_report(many + "</testsuite>").error().message,
              "it has more than 4194304 tags and attributes, which is the most that is read");
}

TEST(TestReport, DoesNotCountWhatTestsPrint) {
    const std::string marks(std::size_t{1} << 22, '=');
    const auto with = [](const std::string& inside) {
        return read_test_report("<testsuite><testcase name=\"A\">" + inside + "</testcase></testsuite>");
    };
    std::string tags;
    for (int i = 0; i < 2'200'000; ++i) tags += "<a/>";
    for (const std::string& inside :
         {"<system-out>==" + marks + "</system-out>", "<system-out><![CDATA[==" + marks + "]]></system-out>",
          "<!-- " + tags + tags + "-->", "<skipped message=\"==" + marks + "\"/>",
          "<system-out><![CDATA[" + tags + tags + "]]></system-out>"}) {
        const auto report = with(inside);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->tests, 1U);
    }
    // Nothing that looks like such an end hides tags.
    for (const std::string start : {"<!--><![CDATA[ -->", "<?x <![CDATA[ ?>", "<?x \" ?>", "<b c='\"'/>"})
        EXPECT_EQ(with(start + tags + tags + "]]>").error().message,
                  "it has more than 4194304 tags and attributes, which is the most that is read")
            << start;
}

TEST(TestReport, RefusesAnAttributeThatIsGivenTwice) {
    EXPECT_EQ(
        read_test_report("<testsuite><testcase status=\"run\" status=\"fail\"/></testsuite>").error().message,
        "a <testcase> has the attribute \"status\" twice");
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
    EXPECT_EQ(read_security_review(R"({"reviewer":"r","date":"2025-02-30","accepted":true,"findings":[]})")
                  .error()
                  .message,
              "its date \"2025-02-30\" is not a date: write YYYY-MM-DD");
    EXPECT_FALSE(
        read_security_review(R"({"reviewer":"","date":"2025-02-28","accepted":true,"findings":[]})"));
    EXPECT_FALSE(read_security_review(std::string(100'000, '[')));
}

}  // namespace
}  // namespace workbench
