// SPDX-License-Identifier: MIT
#include "core/compile/ptx_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "core/support/try.h"

namespace workbench::compile {

namespace {

bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// The end of the word, or of the number, at `at`.
std::size_t end_of_word(std::string_view text, std::size_t at) {
    while (at < text.size() && (begins_word(text[at]) || is_digit(text[at]))) ++at;
    return at;
}

// Calls `word` for each word outside of quotes, with what lies before it.
template <class Other, class Word>
void walk(std::string_view text, Other other, Word word) {
    std::size_t at = 0;
    std::size_t from = 0;
    while (at < text.size()) {
        if (text[at] == '"') {
            at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
        } else if (begins_word(text[at])) {
            other(text.substr(from, at - from));
            from = end_of_word(text, at);
            word(text.substr(at, from - at));
            at = from;
        } else if (is_digit(text[at])) {
            at = end_of_word(text, at);
        } else {
            ++at;
        }
    }
    other(text.substr(from));
}

// Comments, trailing blanks and empty lines are gone.
Result<std::string> without_comments(std::string_view text) {
    std::string made;
    made.reserve(text.size());
    const auto end_line = [&] {
        while (!made.empty() && (made.back() == ' ' || made.back() == '\t' || made.back() == '\r'))
            made.pop_back();
        if (!made.empty() && made.back() != '\n') made += '\n';
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("//")) {
            at = std::min(text.find('\n', at), text.size()) - 1;
        } else if (rest.starts_with("/*")) {
            const std::size_t end = text.find("*/", at + 2);
            if (end == std::string_view::npos)
                return fail(ErrorKind::bad_input, "a comment of the PTX has no end");
            at = end + 1;
        } else if (text[at] == '"') {
            const std::size_t end = text.find('"', at + 1);
            if (end == std::string_view::npos)
                return fail(ErrorKind::bad_input, "a text of the PTX has no end");
            made.append(text.substr(at, end + 1 - at));
            at = end;
        } else if (text[at] == '\n') {
            end_line();
        } else {
            made += text[at];
        }
    }
    end_line();
    return made;
}

bool is_directive(std::string_view part, std::string_view name) {
    return part.starts_with(name) && (part.size() == name.size() || is_blank(part[name.size()]));
}

// Directives that end with their line.
bool ends_with_line(std::string_view part) {
    static constexpr std::array<std::string_view, 5> names{".version", ".target", ".address_size", ".file",
                                                           ".loc"};
    return std::ranges::any_of(names, [&](std::string_view name) { return is_directive(part, name); });
}

// The end of the part at `at`: behind its line, its `;`, or the brace that ends its body.
std::size_t end_of_part(std::string_view text, std::size_t at) {
    if (ends_with_line(text.substr(at))) return std::min(text.find('\n', at), text.size());
    int depth = 0;
    bool is_value = false;  // of a variable: its braces are followed by a `;`
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') at = std::min(text.find('"', at + 1), text.size() - 1);
        if (c == '=' && depth == 0) is_value = true;
        if (c == '{') ++depth;
        if (c == '}' && --depth == 0 && !is_value) return at + 1;
        if (c == ';' && depth == 0) return at + 1;
    }
    return std::string_view::npos;
}

// The name that a part declares: of a function the word before its parameters, of a variable the last word
// before its extent, value or end.
std::string name_of(std::string_view part, bool is_function) {
    std::size_t at = 0;
    std::string name;
    int parentheses = 0;
    const auto is_over = [&] {
        return part[at] == '{' || part[at] == ';' || (!is_function && (part[at] == '[' || part[at] == '='));
    };
    while (at < part.size() && !is_over()) {
        if (part[at] == '(') {
            if (is_function && !name.empty()) return name;  // of `.func (result) name (`, the second
            ++parentheses;
        }
        if (part[at] == ')') --parentheses;
        if (begins_word(part[at]) && (at == 0 || part[at - 1] != '.')) {
            const std::size_t end = end_of_word(part, at);
            if (parentheses == 0) name = part.substr(at, end - at);
            at = end;
        } else if (part[at] == '.') {
            at = end_of_word(part, at + 1);
        } else if (is_digit(part[at])) {
            at = end_of_word(part, at);
        } else {
            ++at;
        }
    }
    return name;
}

bool mentions_directive(std::string_view part, std::string_view directive) {
    const std::string_view head = part.substr(0, part.find_first_of("({;=["));
    return head.find(directive) != std::string_view::npos;
}

// Whether another program may name it, or the source did: such a name stays.
bool is_linked(std::string_view part) {
    static constexpr std::array<std::string_view, 6> directives{".entry", ".func",   ".visible",
                                                                ".weak",  ".extern", ".common"};
    return std::ranges::any_of(
        directives, [&](std::string_view directive) { return mentions_directive(part, directive); });
}

// A word whose number counts through the program.
struct Counted {
    std::string_view prefix = {};  // empty: the word is not counted
    std::string_view number = {};  // empty of a text that was alone
    std::string_view rest = {};
};

Counted counted(std::string_view word) {
    static constexpr std::array<std::string_view, 8> prefixes{
        "$L__BB", "$L_brx_", "$L__tmp", "__local_depot", "prototype_", "__unnamed_", "$str$", "_$_str_$_"};
    if (word == "$str") return {.prefix = "$str$"};
    if (word == "_$_str") return {.prefix = "_$_str_$_"};
    for (const std::string_view prefix : prefixes) {
        if (!word.starts_with(prefix) || word.size() == prefix.size() || !is_digit(word[prefix.size()]))
            continue;
        std::size_t end = prefix.size();
        while (end < word.size() && is_digit(word[end])) ++end;
        return {.prefix = prefix,
                .number = word.substr(prefix.size(), end - prefix.size()),
                .rest = word.substr(end)};
    }
    return {};
}

// Gives counted words new numbers, in the order of their first appearance in a cut, but for names that stay.
class Renumbering {
  public:
    explicit Renumbering(std::set<std::string_view> staying) : m_staying(std::move(staying)) {}
    std::string of(std::string_view word) {
        const auto [prefix, number, rest] = counted(word);
        if (prefix.empty() || m_staying.contains(word)) return std::string(word);
        auto& [next, numbers] = m_numbers[prefix];
        const auto [at, is_new] = numbers.try_emplace(std::string(number), next);
        if (is_new) {
            while (m_staying.contains(std::string(prefix) + std::to_string(next))) ++next;
            at->second = next++;
        }
        return std::string(prefix) + std::to_string(at->second) + std::string(rest);
    }

  private:
    std::set<std::string_view> m_staying;
    std::map<std::string_view, std::pair<std::size_t, std::map<std::string, std::size_t>>> m_numbers;
};

// The words of a function's body that may name other parts: neither opcodes and directives nor labels and
// what the body itself declares.
std::set<std::string_view> names_in_body(std::string_view body) {
    static constexpr std::array<std::string_view, 4> declaring{".reg", ".param", ".local", ".shared"};
    static constexpr const char* blanks = " \t\r\n";
    std::set<std::string_view> made;
    std::set<std::string_view> own;
    bool is_start = true;  // of a statement
    bool declares = false;
    for (std::size_t at = 0; at < body.size();) {
        const std::string_view rest = body.substr(at);
        const char c = body[at];
        if (is_blank(c)) {
            ++at;
        } else if (c == '.' && is_start && ends_with_line(rest)) {
            at = std::min(body.find('\n', at), body.size());
        } else if (c == '.') {
            if (is_start)
                declares = std::ranges::any_of(
                    declaring, [&](std::string_view directive) { return is_directive(rest, directive); });
            is_start = false;
            at = end_of_word(body, at + 1);
        } else if (c == '@' && is_start) {  // a predicate, then the opcode
            at = end_of_word(body, std::min(body.find_first_not_of("@! \t", at), body.size()));
        } else if (begins_word(c)) {
            const std::size_t end = end_of_word(body, at);
            const std::string_view word = body.substr(at, end - at);
            const std::size_t next = std::min(body.find_first_not_of(blanks, end), body.size() - 1);
            const bool is_label = is_start && body[next] == ':';
            if (is_label || declares)
                own.insert(word);
            else if (!is_start && !body.substr(0, at).ends_with("::"))
                made.insert(word);
            is_start = is_label;
            at = is_label ? next + 1 : end;
        } else {
            const bool is_block = (c == '{' || c == '}') && is_start;
            is_start = c == ';' || is_block;
            if (c == ';') declares = false;
            if (c == '"') at = std::min(body.find('"', at + 1), body.size() - 1);
            at = is_digit(c) ? end_of_word(body, at) : at + 1;
        }
    }
    for (const std::string_view word : own) made.erase(word);
    return made;
}

// The words of a part that may name other parts.
std::set<std::string_view> names_in(std::string_view part, bool is_function) {
    if (is_function) return names_in_body(part.substr(std::min(part.find('{'), part.size())));
    std::set<std::string_view> made;
    walk(
        part, [](std::string_view) {},
        [&](std::string_view word) {
            const auto at = static_cast<std::size_t>(word.data() - part.data());
            const bool is_operator = part.substr(at + word.size()).starts_with('(');  // generic(name)
            if (!is_operator && (at == 0 || part[at - 1] != '.')) made.insert(word);
        });
    return made;
}

// The first two numbers of a line; 0 where there are fewer.
std::array<int, 2> numbers_of(std::string_view line) {
    std::array<int, 2> made{};
    std::size_t at = 0;
    for (int& number : made) {
        at = line.find_first_of("0123456789", at);
        if (at == std::string_view::npos) break;
        const auto* end = std::from_chars(line.data() + at, line.data() + line.size(), number).ptr;
        at = static_cast<std::size_t>(end - line.data());
    }
    return made;
}

// The file of this very name, else the only one whose path ends so; 0: none.
int number_of_file(const std::vector<std::pair<int, std::string>>& files, std::string_view wanted) {
    const std::string end = "/" + std::string(wanted);
    std::set<int> ending;
    for (const auto& [number, name] : files) {
        if (name == wanted) return number;
        if (name.ends_with(end)) ending.insert(number);
    }
    return ending.size() == 1 ? *ending.begin() : 0;
}

// Labels that only line information uses.
bool is_line_label(std::string_view line) {
    return line.starts_with("$L__func_begin") || line.starts_with("$L__func_end") ||
           line.starts_with("$L__tmp");
}

}  // namespace

Result<PtxProgram> PtxProgram::parse(std::string_view source) {
    IIR2D_TRY(const std::string text, without_comments(source));
    PtxProgram made;
    std::set<std::string, std::less<>> names;
    for (std::size_t at = 0;;) {
        while (at < text.size() && is_blank(text[at])) ++at;
        if (at == text.size()) break;
        const std::size_t end = end_of_part(text, at);
        if (end == std::string::npos) return fail(ErrorKind::bad_input, "a part of the PTX has no end");
        Part part;
        part.text = text.substr(at, end - at);
        at = end;
        const std::string_view view = part.text;
        if (view == ";") {  // behind the braces of a declaration
            continue;
        }
        if (is_directive(view, ".file")) {
            const std::size_t quote = view.find('"');
            if (quote != std::string_view::npos)
                made.m_files.emplace_back(numbers_of(view)[0],
                                          std::string(view.substr(quote + 1, view.rfind('"') - quote - 1)));
            continue;
        }
        if (is_directive(view, ".section") || is_directive(view, ".loc")) continue;
        // What line information adds.
        if (const std::size_t debug = view.find(", debug");
            debug != std::string_view::npos && is_directive(view, ".target")) {
            part.text.resize(debug);
            made.m_parts.push_back(std::move(part));
            continue;
        }
        if (!ends_with_line(view)) {
            part.is_kernel = mentions_directive(view, ".entry");
            part.is_function = part.is_kernel || mentions_directive(view, ".func");
            part.is_linked = is_linked(view);
            part.name = name_of(view, part.is_function);
        }
        if (part.is_kernel && view.ends_with('}')) made.m_kernels.push_back(part.name);
        if (!part.name.empty()) names.insert(part.name);
        made.m_parts.push_back(std::move(part));
    }
    for (Part& part : made.m_parts) {
        for (const std::string_view word : names_in(part.text, part.is_function)) {
            if (names.contains(word)) part.names.emplace_back(word);
        }
    }
    return made;
}

Result<PtxCut> PtxProgram::cut(std::string_view kernel, std::string_view file) const {
    std::multimap<std::string_view, const Part*> by_name;
    for (const Part& part : m_parts) by_name.emplace(part.name, &part);
    if (std::ranges::find(m_kernels, kernel) == m_kernels.end())
        return fail(ErrorKind::bad_argument, "the program has no kernel \"" + std::string(kernel) + "\"");
    std::set<std::string_view> wanted;
    std::vector<std::string_view> open{kernel};
    while (!open.empty()) {
        const std::string_view name = open.back();
        open.pop_back();
        if (!wanted.insert(name).second) continue;
        for (auto [at, end] = by_name.equal_range(name); at != end; ++at)
            open.insert(open.end(), at->second->names.begin(), at->second->names.end());
    }
    const int own_file = number_of_file(m_files, file);
    std::set<std::string_view> staying;
    for (const Part& part : m_parts) {
        if (part.is_linked && wanted.contains(part.name)) staying.insert(part.name);
    }

    PtxCut made;
    Renumbering renumbering(std::move(staying));
    int line_number = 0;
    for (const Part& part : m_parts) {
        if (!part.name.empty() && !wanted.contains(part.name)) continue;
        std::string renamed;
        walk(
            part.text, [&](std::string_view other) { renamed += other; },
            [&](std::string_view word) {
                renamed += is_line_label(word) ? std::string(word) : renumbering.of(word);
            });
        renamed += '\n';
        int current = 0;  // line of the source
        for (std::size_t at = 0; at < renamed.size();) {
            const std::size_t end = renamed.find('\n', at);
            const std::string_view line = std::string_view(renamed).substr(at, end - at);
            at = end + 1;
            const std::string_view trimmed =
                line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
            if (is_directive(trimmed, ".loc")) {
                const auto [number, source_line] = numbers_of(trimmed);
                current = number == own_file && own_file != 0 ? source_line : 0;
            } else if (!trimmed.empty() && !is_line_label(trimmed)) {
                made.text += line;
                made.text += '\n';
                ++line_number;
                if (current > 0 && trimmed.ends_with(';') && trimmed[0] != '.')
                    made.lines.emplace_back(line_number, current);
            }
        }
    }
    return made;
}

}  // namespace workbench::compile
