// SPDX-License-Identifier: MIT
// JUnit's XML, which may come from a stranger.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>

#include "core/release/reports.h"
#include "core/support/escaped.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace {

constexpr int most_levels = 32;
// Each takes at most 64 bytes in pugixml's tree.
constexpr std::int64_t most_tags_and_attributes = std::int64_t{1} << 22;

std::unexpected<Error> bad_report(const std::string& what) {
    return fail(ErrorKind::bad_input, what);
}

// Returns where what began at `from` is over: behind its end, or behind the text.
std::size_t behind(std::string_view text, std::string_view end, std::size_t from) {
    const auto at = text.find(end, from);
    return at == std::string_view::npos ? text.size() : at + end.size();
}

// Counts a tag that begins at `at`, which becomes its end, and its attributes.
std::int64_t count_in_tag(std::string_view text, std::size_t& at) {
    std::int64_t count = 1;
    char quote = '\0';
    for (; at < text.size() && (quote != '\0' || text[at] != '>'); ++at) {
        const char c = text[at];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '=') {
            ++count;
        }
    }
    return count;
}

// Says what is wrong before a tree is made of it; empty: nothing. What tests print, as text or CDATA, does
// not count.
std::string problem_before_parsing(std::string_view text) {
    if (text.find('\0') != std::string_view::npos) return "it has a null byte, after which XML is not read";
    std::int64_t count = 0;
    for (auto at = text.find('<'); at < text.size(); at = text.find('<', at)) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("<![CDATA[")) {
            at = behind(text, "]]>", at + 9);
        } else if (rest.starts_with("<!--")) {
            at = behind(text, "-->", at + 4);
        } else if (rest.starts_with("<?")) {
            at = behind(text, "?>", at + 2);
        } else if (rest.starts_with("<!")) {
            return "it has a document type declaration, which no test report needs";
        } else {
            count += count_in_tag(text, at);
        }
    }
    if (count <= most_tags_and_attributes) return {};
    return "it has more than " + std::to_string(most_tags_and_attributes) +
           " tags and attributes, which is the most that is read";
}

// Adds the two where they are given; nothing where neither is.
Result<std::optional<std::size_t>> stated_failures(const pugi::xml_node& suite) {
    std::optional<std::size_t> total;
    for (const char* key : {"failures", "errors"}) {
        const pugi::xml_attribute attribute = suite.attribute(key);
        if (!attribute) continue;
        const std::string_view text = attribute.value();
        std::uint32_t count = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (code != std::errc{} || end != text.data() + text.size())
            return bad_report(std::string(key) + "=\"" + escaped(text, 60) + "\" is not a count");
        total = total.value_or(0) + count;
    }
    return total;
}

class JunitReader {
  public:
    Result<TestReport> read(const pugi::xml_document& document) {
        const pugi::xml_node root = document.document_element();
        for (const pugi::xml_node& node : document) {
            if (node.type() == pugi::node_element && node != root)
                return bad_report("it must be one <testsuites> or <testsuite>, and has more after it");
        }
        if (!is_suite(root)) {
            return bad_report("it is not a JUnit report, which is one <testsuites> or <testsuite>: it is <" +
                              escaped(root.name(), 60) + ">");
        }
        IIR2D_RETURN_IF_ERROR(read_element(root, 1, nullptr));
        return std::move(m_report);
    }

  private:
    struct Test {
        bool failed = false;
        bool skipped = false;
    };

    static bool is_suite(const pugi::xml_node& node) {
        const std::string_view name = node.name();
        return name == "testsuites" || name == "testsuite";
    }

    // Returns how many tests failed in it. `test` is the one that it is in, or null.
    Result<std::size_t> read_element(const pugi::xml_node& node, int level, Test* test) {
        if (level > most_levels)
            return bad_report("it is nested more than " + std::to_string(most_levels) + " levels deep");
        IIR2D_RETURN_IF_ERROR(check_attributes(node));
        const std::string_view name = node.name();
        if (name == "testcase")
            return test == nullptr ? read_test(node, level) : bad_report("a test is in another");
        std::size_t failed = 0;
        if (name == "failure" || name == "error") {
            if (test != nullptr) {
                test->failed = true;
            } else {
                m_report.failures.emplace_back("a suite as a whole");
                ++failed;
            }
        } else if (name == "skipped" && test != nullptr) {
            test->skipped = true;
        }
        IIR2D_TRY(const auto inside, read_children(node, level, test));
        failed += inside;
        if (!is_suite(node)) return failed;
        IIR2D_TRY(const auto stated, stated_failures(node));
        if (stated && *stated != failed) {
            return bad_report("a <" + std::string(name) + "> says that " + std::to_string(*stated) +
                              " failed, its tests that " + std::to_string(failed) + " did");
        }
        return failed;
    }

    Result<std::size_t> read_children(const pugi::xml_node& node, int level, Test* test) {
        std::size_t failed = 0;
        for (const pugi::xml_node& child : node) {
            if (child.type() != pugi::node_element) continue;
            IIR2D_TRY(const auto inside, read_element(child, level + 1, test));
            failed += inside;
        }
        return failed;
    }

    Result<std::size_t> read_test(const pugi::xml_node& node, int level) {
        const std::string_view status = node.attribute("status").value();
        constexpr std::string_view known[] = {"", "run", "fail", "notrun", "disabled"};
        if (std::ranges::find(known, status) == std::end(known))
            return bad_report("the status \"" + escaped(status, 60) + "\" of a test is not known");
        Test test{.failed = status == "fail", .skipped = status == "notrun" || status == "disabled"};
        IIR2D_RETURN_IF_ERROR(read_children(node, level, &test));
        ++m_report.tests;
        if (test.failed) {
            m_report.failures.push_back(printable_utf8(node.attribute("name").value()));
        } else if (test.skipped) {
            ++m_report.skipped;
        }
        return test.failed ? 1 : 0;
    }

    // XML has each attribute once; pugixml takes the first of several.
    static Result<void> check_attributes(const pugi::xml_node& node) {
        std::set<std::string_view> names;
        for (const pugi::xml_attribute& attribute : node.attributes()) {
            if (!names.insert(attribute.name()).second)
                return bad_report("a <" + escaped(node.name(), 60) + "> has the attribute \"" +
                                  escaped(attribute.name(), 60) + "\" twice");
        }
        return {};
    }

    TestReport m_report;
};

}  // namespace

Result<TestReport> read_test_report(std::string_view xml) {
    if (auto problem = problem_before_parsing(xml); !problem.empty()) return bad_report(problem);
    constexpr unsigned options = pugi::parse_default & ~pugi::parse_cdata;  // which only output has
    pugi::xml_document document;
    const auto parsed = document.load_buffer(xml.data(), xml.size(), options, pugi::encoding_utf8);
    if (!parsed) {
        const auto end = xml.begin() + std::clamp<std::ptrdiff_t>(parsed.offset, 0, std::ssize(xml));
        return bad_report("it is not a whole JUnit report: line " +
                          std::to_string(std::count(xml.begin(), end, '\n') + 1) + ": " +
                          parsed.description());
    }
    return JunitReader().read(document);
}

}  // namespace workbench
