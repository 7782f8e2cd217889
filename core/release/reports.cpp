// SPDX-License-Identifier: MIT
#include "core/release/reports.h"

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "core/record/record_json.h"
#include "core/release/state.h"
#include "core/support/text.h"

namespace workbench {

namespace {

using nlohmann::json;

std::unexpected<Error> wrong(const std::string& what) {
    return fail(ErrorKind::bad_input, what);
}

// One tag of XML: its name, and its attributes as they stand.
struct Tag {
    std::string_view name;
    std::string_view attributes;
    bool closes = false;         // </name>
    bool closes_itself = false;  // <name/>
};

std::string attribute_of(const Tag& tag, std::string_view name) {
    for (std::size_t at = tag.attributes.find(name); at != std::string_view::npos;
         at = tag.attributes.find(name, at + 1)) {
        const auto end = at + name.size();
        const bool starts = at > 0 && (tag.attributes[at - 1] == ' ' || tag.attributes[at - 1] == '\n' ||
                                       tag.attributes[at - 1] == '\t');
        if (!starts || tag.attributes.substr(end, 2) != "=\"") continue;
        const auto quote = tag.attributes.find('"', end + 2);
        return std::string(tag.attributes.substr(end + 2, quote - end - 2));
    }
    return {};
}

// Walks the tags of an XML text; text between them is left out.
class Tags {
  public:
    explicit Tags(std::string_view text) : m_text(text) {}

    // False at the end.
    Result<bool> next(Tag& tag) {
        for (;;) {
            const auto open = m_text.find('<', m_at);
            if (open == std::string_view::npos) return false;
            m_at = open + 1;
            const auto rest = m_text.substr(m_at);
            if (rest.starts_with("!--")) {
                if (!skip_past("-->")) return wrong("a comment does not end");
            } else if (rest.starts_with("![CDATA[")) {
                if (!skip_past("]]>")) return wrong("a CDATA section does not end");
            } else if (rest.starts_with("!")) {
                return wrong("it has a document type declaration, which no test report needs");
            } else if (rest.starts_with("?")) {
                if (!skip_past("?>")) return wrong("a processing instruction does not end");
            } else {
                return read(tag);
            }
        }
    }

  private:
    bool skip_past(std::string_view end) {
        const auto found = m_text.find(end, m_at);
        if (found == std::string_view::npos) return false;
        m_at = found + end.size();
        return true;
    }

    Result<bool> read(Tag& tag) {
        std::size_t end = m_at;
        char quote = 0;  // inside an attribute's value a '>' is none
        for (; end < m_text.size() && (quote != 0 || m_text[end] != '>'); ++end) {
            const char c = m_text[end];
            if (quote != 0) {
                if (c == quote) quote = 0;
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == '<') {
                return wrong("a tag has a '<' in it");
            }
        }
        if (end >= m_text.size()) return wrong("a tag does not end");
        std::string_view inside = m_text.substr(m_at, end - m_at);
        m_at = end + 1;
        tag = {};
        if (inside.starts_with('/')) {
            tag.closes = true;
            inside.remove_prefix(1);
        }
        if (inside.ends_with('/')) {
            tag.closes_itself = true;
            inside.remove_suffix(1);
        }
        const auto name_end = std::min(inside.find_first_of(" \t\r\n"), inside.size());
        tag.name = inside.substr(0, name_end);
        tag.attributes = inside.substr(name_end);
        if (tag.name.empty()) return wrong("a tag has no name");
        return true;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

Result<TestReport> collect(std::string_view xml) {
    TestReport report;
    std::vector<std::string_view> open;
    std::string name;
    bool failed = false, skipped = false, seen_root = false;
    const auto finish = [&] {
        ++report.tests;
        if (failed) report.failures.push_back(printable_utf8(name));
        if (skipped && !failed) ++report.skipped;
    };
    Tags tags(xml);
    for (Tag tag;;) {
        const auto more = tags.next(tag);
        if (!more) return std::unexpected(more.error());
        if (!*more) break;
        if (tag.closes) {
            if (open.empty() || open.back() != tag.name)
                return wrong("</" + printable_utf8(tag.name.substr(0, 100)) + "> closes nothing");
            open.pop_back();
            if (tag.name == "testcase") finish();
            continue;
        }
        if (open.empty() && (seen_root || (tag.name != "testsuites" && tag.name != "testsuite")))
            return wrong("it is no JUnit report: it must be one <testsuites> or <testsuite>");
        seen_root = true;
        if (open.size() > 32) return wrong("it nests more than 32 levels deep");
        if (tag.name == "testcase") {
            if (std::ranges::find(open, "testcase") != open.end()) return wrong("a testcase is in another");
            name = attribute_of(tag, "name");
            const std::string status = attribute_of(tag, "status");
            failed = status == "fail";
            skipped = status == "notrun" || status == "disabled";
            if (tag.closes_itself) finish();
        } else if (tag.name == "failure" || tag.name == "error") {
            if (std::ranges::find(open, "testcase") == open.end()) {
                report.failures.emplace_back("a suite as a whole");
            }
            failed = true;
        } else if (tag.name == "skipped") {
            skipped = true;
        }
        if (!tag.closes_itself) open.push_back(tag.name);
    }
    if (!open.empty() || !seen_root) return wrong("it is no JUnit report, or it was cut short");
    return report;
}

// Calls `read` on the parsed text; whatever it throws is bad_input.
template <class T, class Read>
Result<T> from_json(std::string_view text, const char* what, Read read) {
    const auto parsed = parse_strictly(text);
    if (!parsed) return std::unexpected(parsed.error());
    try {
        return read(*parsed);
    } catch (const std::exception&) {
        return wrong(std::string("it is not ") + what);
    }
}

Result<std::vector<Issue>> issues_of(const json& list) {
    std::vector<Issue> issues;
    for (const json& one : list) {
        Issue issue{printable_utf8(one.at("id").get<std::string>()), one.at("priority").get<std::string>(),
                    one.at("open").get<bool>(), printable_utf8(one.at("title").get<std::string>())};
        constexpr std::string_view known[] = {"P0", "P1", "P2", "P3"};
        if (issue.id.empty() || std::ranges::find(known, issue.priority) == std::end(known)) {
            return wrong("the issue \"" + issue.id + "\" has the priority \"" +
                         printable_utf8(issue.priority.substr(0, 20)) + "\", not one of P0, P1, P2, P3");
        }
        issues.push_back(std::move(issue));
    }
    return issues;
}

bool is_hash(const std::string& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<TestReport> read_test_report(std::string_view xml) {
    return collect(xml);
}

Result<ParityReport> read_parity_report(std::string_view text) {
    return from_json<ParityReport>(text, "what iir2d parity --json prints", [](const json& j) {
        ParityReport report;
        for (const json& one : j.at("cases")) {
            ++report.cases;
            if (!one.at("passed").get<bool>())
                report.failures.push_back(printable_utf8(one.at("case").get<std::string>()));
        }
        return report;
    });
}

Result<std::vector<Issue>> read_issues(std::string_view text) {
    return from_json<std::vector<Issue>>(text, "a list of issues",
                                         [](const json& j) { return issues_of(j.at("issues")); });
}

Result<Rebuild> read_rebuild(std::string_view text) {
    return from_json<Rebuild>(text, "a report of two builds", [](const json& j) -> Result<Rebuild> {
        Rebuild rebuild;
        for (const json& one : j.at("builds")) {
            rebuild.hashes.push_back(one.at("library_sha256").get<std::string>());
            static_cast<void>(one.at("built_utc").get<std::string>());
            if (!is_hash(rebuild.hashes.back())) return wrong("a library_sha256 is no SHA-256");
        }
        if (rebuild.hashes.size() < 2) return wrong("it has fewer than two builds");
        if (!j.at("reason").is_null()) rebuild.reason = printable_utf8(j.at("reason").get<std::string>());
        return rebuild;
    });
}

Result<SecurityReview> read_security_review(std::string_view text) {
    return from_json<SecurityReview>(text, "a security review", [](const json& j) -> Result<SecurityReview> {
        auto findings = issues_of(j.at("findings"));
        if (!findings) return std::unexpected(findings.error());
        if (!is_date(j.at("date").get<std::string>())) return wrong("its date is none");
        SecurityReview review{printable_utf8(j.at("reviewer").get<std::string>()),
                              j.at("accepted").get<bool>(), std::move(*findings)};
        if (review.reviewer.empty()) return wrong("it names no reviewer");
        return review;
    });
}

}  // namespace workbench
