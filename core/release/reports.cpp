// SPDX-License-Identifier: MIT
#include "core/release/reports.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/release/state.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"

namespace workbench {

namespace {

using nlohmann::json;

constexpr std::size_t most_tests = 1'000'000'000;

std::unexpected<Error> wrong(const std::string& what) {
    return fail(ErrorKind::bad_input, what);
}

constexpr std::string_view blanks = " \t\r\n";

// One tag of XML, with its attributes as they stand.
struct Tag {
    std::string_view name;
    std::map<std::string_view, std::string_view> attributes;
    bool closes = false;         // </name>
    bool closes_itself = false;  // <name/>

    std::string attribute(std::string_view key) const {
        const auto found = attributes.find(key);
        return found == attributes.end() ? std::string() : std::string(found->second);
    }
};

std::string_view without_leading_blanks(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

// name="value" or name='value', each after white space and once, white space round the '=' allowed.
Result<void> read_attributes(std::string_view text, Tag& tag) {
    const auto malformed = [&tag] {
        return wrong("the attributes of <" + printable_utf8(tag.name.substr(0, 100)) + "> are malformed");
    };
    for (;;) {
        const auto rest = without_leading_blanks(text);
        if (rest.empty()) return {};
        if (rest.size() == text.size()) return malformed();
        const auto name = rest.substr(0, rest.find_first_of(" \t\r\n=\"'"));
        text = without_leading_blanks(rest.substr(name.size()));
        if (name.empty() || !text.starts_with('=')) return malformed();
        text = without_leading_blanks(text.substr(1));
        if (!text.starts_with('"') && !text.starts_with('\'')) return malformed();
        const auto end = text.find(text[0], 1);
        if (end == std::string_view::npos) return malformed();
        if (!tag.attributes.emplace(name, text.substr(1, end - 1)).second) return malformed();
        text.remove_prefix(end + 1);
    }
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
        const auto name_end = std::min(inside.find_first_of(" \t\r\n=\"'"), inside.size());
        tag.name = inside.substr(0, name_end);
        if (tag.name.empty()) return wrong("a tag has no name");
        if (auto good = read_attributes(inside.substr(name_end), tag); !good)
            return std::unexpected(good.error());
        return true;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

// An open element; of a suite, what it says of itself and what its tests said.
struct Element {
    std::string_view name;
    std::optional<std::size_t> stated;  // failures and errors
    std::size_t failed = 0;
};

Result<std::optional<std::size_t>> stated_failures(const Tag& tag) {
    std::optional<std::size_t> total;
    for (const char* key : {"failures", "errors"}) {
        if (!tag.attributes.contains(key)) continue;
        const std::string text = tag.attribute(key);
        std::size_t count = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (code != std::errc{} || end != text.data() + text.size() || count > most_tests)
            return wrong(std::string(key) + "=\"" + printable_utf8(text.substr(0, 100)) + "\" is no count");
        total = total.value_or(0) + count;
    }
    return total;
}

class Collector {
  public:
    Result<TestReport> run(std::string_view xml) {
        Tags tags(xml);
        for (Tag tag;;) {
            const auto more = tags.next(tag);
            if (!more) return std::unexpected(more.error());
            if (!*more) break;
            auto taken = tag.closes ? close(tag) : open(tag);
            if (!taken) return std::unexpected(taken.error());
        }
        if (!m_open.empty() || !m_seen_root) return wrong("it is no JUnit report, or it was cut short");
        return std::move(m_report);
    }

  private:
    bool in_a_test() const { return std::ranges::find(m_open, "testcase", &Element::name) != m_open.end(); }

    Result<void> open(const Tag& tag) {
        const bool suite = tag.name == "testsuites" || tag.name == "testsuite";
        if (m_open.empty() && (m_seen_root || !suite))
            return wrong("it is no JUnit report: it must be one <testsuites> or <testsuite>");
        m_seen_root = true;
        if (m_open.size() > 32) return wrong("it nests more than 32 levels deep");
        Element element{.name = tag.name, .stated = {}};
        if (suite) {
            const auto stated = stated_failures(tag);
            if (!stated) return std::unexpected(stated.error());
            element.stated = *stated;
        } else if (tag.name == "testcase") {
            if (in_a_test()) return wrong("a testcase is in another");
            m_name = tag.attribute("name");
            const std::string status = tag.attribute("status");
            constexpr std::string_view known[] = {"", "run", "fail", "notrun", "disabled"};
            if (std::ranges::find(known, status) == std::end(known))
                return wrong("the status \"" + printable_utf8(status.substr(0, 100)) + "\" is not known");
            m_failed = status == "fail";
            m_skipped = status == "notrun" || status == "disabled";
        } else if (tag.name == "failure" || tag.name == "error") {
            if (!in_a_test()) {
                m_report.failures.emplace_back("a suite as a whole");
                ++m_open.back().failed;
            }
            m_failed = true;
        } else if (tag.name == "skipped") {
            m_skipped = true;
        }
        m_open.push_back(element);
        return tag.closes_itself ? close(tag) : Result<void>();
    }

    Result<void> close(const Tag& tag) {
        if (m_open.empty() || m_open.back().name != tag.name)
            return wrong("</" + printable_utf8(tag.name.substr(0, 100)) + "> closes nothing");
        Element element = m_open.back();
        m_open.pop_back();
        if (tag.name == "testcase") {
            ++m_report.tests;
            if (m_failed) {
                m_report.failures.push_back(printable_utf8(m_name));
                ++element.failed;
            } else if (m_skipped) {
                ++m_report.skipped;
            }
        }
        if (element.stated && *element.stated != element.failed) {
            return wrong("a <" + printable_utf8(tag.name) + "> says that " + std::to_string(*element.stated) +
                         " failed, its tests that " + std::to_string(element.failed) + " did");
        }
        if (!m_open.empty()) m_open.back().failed += element.failed;
        return {};
    }

    TestReport m_report;
    std::vector<Element> m_open;
    std::string m_name;
    bool m_failed = false, m_skipped = false, m_seen_root = false;
};

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
    return Collector().run(xml);
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
