// SPDX-License-Identifier: MIT
#include "core/synth/edits.h"

#include <algorithm>
#include <array>
#include <utility>

namespace workbench::synth {

namespace {

struct Swap {
    std::string_view from;
    std::string_view to;
};

constexpr Swap operators[] = {{"+", "-"},
                              {"-", "+"},
                              {"*", "+"},
                              {"/", "*"},
                              {"%", "/"},
                              {"&", "|"},
                              {"|", "^"},
                              {"^", "&"},
                              {"&&", "||"},
                              {"||", "&&"},
                              {"<<", ">>"},
                              {">>", "<<"},
                              {"+=", "-="},
                              {"-=", "+="},
                              {"*=", "+="},
                              {"fminf", "fmaxf"},
                              {"fmaxf", "fminf"},
                              {"fmin", "fmax"},
                              {"fmax", "fmin"},
                              {"min", "max"},
                              {"max", "min"},
                              {"sinf", "cosf"},
                              {"cosf", "sinf"},
                              {"sin", "cos"},
                              {"cos", "sin"},
                              {"expf", "exp2f"},
                              {"exp", "exp2"},
                              {"logf", "log2f"},
                              {"log", "log2"},
                              {"floorf", "ceilf"},
                              {"ceilf", "truncf"},
                              {"tanhf", "sinf"},
                              {"tanh", "sin"},
                              {"sqrtf", "cbrtf"},
                              {"sqrt", "cbrt"},
                              {"atomicMax", "atomicMin"},
                              {"atomicMin", "atomicMax"},
                              {"atomicAnd", "atomicOr"},
                              {"atomicOr", "atomicXor"},
                              {"atomicXor", "atomicAnd"},
                              {"__any_sync", "__all_sync"},
                              {"__all_sync", "__any_sync"}};
constexpr Swap comparisons[] = {{"<", "<="}, {"<=", "<"},  {">", ">="},
                                {">=", ">"}, {"==", "!="}, {"!=", "=="}};
constexpr Swap opcodes[] = {{"add.", "sub."},
                            {"sub.", "add."},
                            {"mul.rn.", "add.rn."},
                            {"mul.lo.", "mul.hi."},
                            {"div.rn.", "mul.rn."},
                            {"min.", "max."},
                            {"max.", "min."},
                            {"and.b", "or.b"},
                            {"or.b", "xor.b"},
                            {"xor.b", "and.b"},
                            {"setp.ge.", "setp.lt."},
                            {"setp.lt.", "setp.ge."},
                            {"setp.gt.", "setp.le."},
                            {"setp.le.", "setp.gt."},
                            {"setp.eq.", "setp.ne."},
                            {"setp.ne.", "setp.eq."},
                            {"abs.", "neg."},
                            {"neg.", "abs."},
                            {"rem.", "div."},
                            {"shl.b", "xor.b"},
                            {"fma.rn.", "fma.rz."},
                            {"mad.lo.", "mad.hi."},
                            {"st.global.", "ld.global."}};

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

struct Word {
    std::size_t at = 0;
    std::string_view text;
    bool is_name() const { return is_word(text[0]) && !is_digit(text[0]); }
    bool is_number() const { return is_digit(text[0]); }
    std::size_t end() const { return at + text.size(); }
};

std::vector<Word> words_in(std::string_view source) {
    constexpr std::string_view doubles[] = {"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                            "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
    std::vector<Word> made;
    for (std::size_t at = 0; at < source.size();) {
        const std::string_view rest = source.substr(at);
        if (rest.starts_with("//")) {
            at = std::min(source.size(), source.find('\n', at));
            continue;
        }
        std::size_t length = 1;
        if (is_digit(rest[0])) {
            while (length < rest.size() &&
                   (is_word(rest[length]) || rest[length] == '.' ||
                    ((rest[length] == '-' || rest[length] == '+') && rest[length - 1] == 'e')))
                ++length;
        } else if (is_word(rest[0])) {
            while (length < rest.size() && is_word(rest[length])) ++length;
        } else {
            for (const std::string_view one : doubles) {
                if (rest.starts_with(one)) {
                    length = one.size();
                    break;
                }
            }
        }
        if (rest[0] != ' ' && rest[0] != '\n') made.push_back({at, rest.substr(0, length)});
        at += length;
    }
    return made;
}

template <std::size_t N>
void swap_tokens(const std::vector<Word>& words, const Swap (&table)[N], std::vector<Edit>& made) {
    for (const Word& word : words) {
        for (const Swap& one : table) {
            if (word.text == one.from) made.push_back({word.at, word.text.size(), std::string(one.to)});
        }
    }
}

// The same number with another digit.
std::string other_number(std::string_view number) {
    std::string made(number);
    const std::size_t from = made.starts_with("0x") ? 2 : 0;
    if (from < made.size() && is_digit(made[from]))
        made[from] = made[from] == '9' ? '1' : static_cast<char>(made[from] + 1);
    return made;
}

void swap_operands(const std::vector<Word>& words, std::vector<Edit>& made) {
    constexpr std::string_view ordered[] = {"-", "/", "%", "<", "<=", ">", ">=", "<<", ">>"};
    for (std::size_t k = 1; k + 2 < words.size(); ++k) {
        const Word &left = words[k - 1], &op = words[k], &right = words[k + 1];
        const auto is_operand = [](const Word& one) { return one.is_name() || one.is_number(); };
        if (std::ranges::find(ordered, op.text) == std::end(ordered) || !is_operand(left) ||
            !is_operand(right) || words[k + 2].text == "(" || words[k + 2].text == "[")
            continue;
        made.push_back({left.at, right.end() - left.at,
                        std::string(right.text) + " " + std::string(op.text) + " " + std::string(left.text)});
    }
}

// Pairs of brackets: where they open and close.
std::vector<std::pair<std::size_t, std::size_t>> pairs_of(const std::vector<Word>& words, char open,
                                                          char close) {
    std::vector<std::pair<std::size_t, std::size_t>> made;
    std::vector<std::size_t> opened;
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (words[k].text[0] == open) opened.push_back(k);
        if (words[k].text[0] != close || opened.empty()) continue;
        made.emplace_back(opened.back(), k);
        opened.pop_back();
    }
    return made;
}

void change_indices(std::string_view source, const std::vector<Word>& words, std::vector<Edit>& made) {
    for (const auto& [open, close] : pairs_of(words, '[', ']')) {
        const std::size_t from = words[open].end(), length = words[close].at - from;
        const std::string inside(source.substr(from, length));
        made.push_back({from, length, "(" + inside + " + 1) % n"});
        if (inside != "0") made.push_back({from, length, "0"});
    }
}

void drop_parentheses(std::string_view source, const std::vector<Word>& words, std::vector<Edit>& made) {
    for (const auto& [open, close] : pairs_of(words, '(', ')')) {
        if (open == 0 || words[open - 1].is_name()) continue;
        const std::size_t from = words[open].at, to = words[close].end();
        made.push_back({from, to - from, std::string(source.substr(from + 1, to - from - 2))});
    }
}

template <class Line>
void each_line(std::string_view text, Line line) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.size(), text.find('\n', at));
        line(at, text.substr(at, end - at));
        at = end + 1;
    }
}

void drop_statements(std::string_view source, std::vector<Edit>& made) {
    constexpr std::string_view kept[] = {"int ", "unsigned ", "long ", "float", "double ", "bool ",
                                         "mat",  "return",    "if ",   "for ",  "while ",  "__shared__ "};
    each_line(source, [&](std::size_t at, std::string_view line) {
        const std::size_t from = line.find_first_not_of(' ');
        if (from == std::string_view::npos || from == 0 || !line.ends_with(';')) return;
        const std::string_view statement = line.substr(from);
        if (std::ranges::none_of(kept, [&](std::string_view word) { return statement.starts_with(word); }))
            made.push_back({at, line.size() + 1, ""});
    });
}

// ---- PTX

// The instruction of a line, behind its predicate; empty: it has none.
std::string_view instruction_of(std::string_view line) {
    std::size_t from = line.find_first_not_of(" \t");
    if (from == std::string_view::npos || !line.ends_with(';')) return {};
    if (line[from] == '@') {
        from = line.find_first_of(" \t", from);
        from = from == std::string_view::npos ? from : line.find_first_not_of(" \t", from);
    }
    if (from == std::string_view::npos || line[from] < 'a' || line[from] > 'z') return {};
    return line.substr(from);
}

void change_registers(std::size_t at, std::string_view instruction, std::vector<Edit>& made) {
    // Behind the first comma are sources; of a store, all.
    std::size_t from = instruction.starts_with("st.") ? 0 : instruction.find(',');
    for (from = instruction.find('%', from); from < instruction.size();
         from = instruction.find('%', from + 1)) {
        std::size_t digits = from + 1;
        while (digits < instruction.size() && instruction[digits] >= 'a' && instruction[digits] <= 'z')
            ++digits;
        std::size_t end = digits;
        while (end < instruction.size() && is_digit(instruction[end])) ++end;
        if (end == digits || end - digits > 6) continue;
        const int number = std::stoi(std::string(instruction.substr(digits, end - digits)));
        made.push_back({at + digits, end - digits, std::to_string(number > 1 ? number - 1 : number + 1)});
    }
}

void change_immediates(std::size_t at, std::string_view instruction, std::vector<Edit>& made) {
    for (std::size_t k = 1; k < instruction.size(); ++k) {
        const char before = instruction[k - 1];
        if (!is_digit(instruction[k]) || (before != ' ' && before != '+' && before != '-' && before != '\t'))
            continue;
        std::size_t end = k;
        while (end < instruction.size() && is_word(instruction[end])) ++end;
        std::string number(instruction.substr(k, end - k));
        if (number.starts_with("0f") || number.starts_with("0d")) {
            number.back() = number.back() == '0' ? '1' : '0';
            // And one that is far off.
            std::string far = number;
            far[3] = far[3] == '0' ? '1' : '0';
            made.push_back({at + k, end - k, far});
        } else if (std::ranges::all_of(number, is_digit)) {
            number.back() = number.back() == '9' ? '1' : static_cast<char>(number.back() + 1);
        } else {
            continue;
        }
        made.push_back({at + k, end - k, number});
    }
}

}  // namespace

std::vector<Edit> source_edits(std::string_view kind, std::string_view source) {
    const std::vector<Word> words = words_in(source);
    std::vector<Edit> made;
    if (kind == "operator") swap_tokens(words, operators, made);
    if (kind == "comparison") swap_tokens(words, comparisons, made);
    if (kind == "operand order") swap_operands(words, made);
    if (kind == "index") change_indices(source, words, made);
    if (kind == "parentheses") drop_parentheses(source, words, made);
    if (kind == "statement") drop_statements(source, made);
    if (kind == "literal") {
        for (const Word& word : words) {
            if (word.is_number()) made.push_back({word.at, word.text.size(), other_number(word.text)});
        }
    }
    return made;
}

std::vector<Edit> ptx_edits(std::string_view kind, std::string_view ptx) {
    std::vector<Edit> made;
    each_line(ptx, [&](std::size_t at, std::string_view line) {
        const std::string_view instruction = instruction_of(line);
        if (instruction.empty()) return;
        const std::size_t from = at + line.size() - instruction.size();
        if (kind == "predicate") {
            const std::size_t mark = line.find('@');
            if (mark == std::string_view::npos) return;
            const bool is_negative = line.substr(mark).starts_with("@!");
            made.push_back(
                {at + mark, is_negative ? std::size_t{2} : std::size_t{1}, is_negative ? "@" : "@!"});
        } else if (kind == "barrier") {
            if (instruction.starts_with("bar.") || instruction.starts_with("barrier."))
                made.push_back({at, line.size() + 1, ""});
        } else if (kind == "opcode") {
            for (const Swap& one : opcodes) {
                if (!instruction.starts_with(one.from)) continue;
                made.push_back({from, one.from.size(), std::string(one.to)});
                break;
            }
        } else if (kind == "register") {
            change_registers(from, instruction, made);
        } else if (kind == "immediate") {
            change_immediates(from, instruction, made);
        }
    });
    return made;
}

}  // namespace workbench::synth
