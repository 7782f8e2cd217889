// SPDX-License-Identifier: MIT
#include "app/arguments/man_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace app {

namespace {

// Text as roff takes it: no line is a request, and a hyphen is one.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string upper(std::string text) {
    for (char& c : text) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

std::string without_period(std::string text) {
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string bold(std::string_view text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + roff(text) + "\\fR";
}

std::string heading_of(const OptionNode& option) {
    std::string heading;
    for (const std::string& name : option.names) {
        if (!heading.empty()) heading += ", ";
        heading += option.positional ? italic(name) : bold(name);
    }
    if (!option.positional && !option.value.empty()) heading += " " + italic(usage_of(option));
    if (option.positional && option.repeated) heading += "...";
    return heading;
}

void add_options(std::string& page, const CommandNode& command) {
    for (const OptionNode& option : command.options) {
        page += ".TP\n" + heading_of(option) + "\n";
        std::string text = option.description;
        if (!option.choices.empty() && text.find(option.choices.front()) == std::string::npos)
            text += fmt::format(" (one of {})", fmt::join(option.choices, ", "));
        if (!option.default_text.empty()) text += " (default: " + option.default_text + ")";
        page += (text.empty() ? "\\&" : roff(text)) + "\n";
    }
}

std::string synopsis_of(const CommandNode& command, const std::string& path) {
    std::string line = bold(path);
    for (const OptionNode& option : command.options) {
        if (!option.positional) continue;
        const std::string text = italic(option.names.front()) + (option.repeated ? "..." : "");
        line += option.required ? " " + text : " [" + text + "]";
    }
    if (!command.commands.empty()) line += " " + italic("COMMAND");
    return line + " [" + italic("OPTION") + "]...";
}

void add_commands(std::string& page, const CommandNode& command, const std::string& path) {
    for (const CommandNode& sub : command.commands) {
        const std::string name = path + " " + sub.name;
        page += ".SS " + synopsis_of(sub, name) + "\n" + roff(sub.description) + "\n";
        add_options(page, sub);
        add_commands(page, sub, name);
    }
}

}  // namespace

std::string man_page(const CommandNode& program, std::string_view version, std::string_view see_also) {
    const auto first = std::min(program.description.find('\n'), program.description.size());
    const std::string summary = without_period(program.description.substr(0, first));
    const std::string rest =
        first == program.description.size() ? std::string() : program.description.substr(first + 1);
    constexpr std::string_view codes = "Exit codes: ";

    std::string page = ".\\\" Made by the program from its own options; do not edit.\n";
    page += fmt::format(".TH {} 1 \"\" \"{} {}\" \"IIR2D Workbench\"\n", roff(upper(program.name)),
                        roff(program.name), version);
    page += ".SH NAME\n" + roff(program.name) + " \\- " + roff(summary) + "\n";
    page += ".SH SYNOPSIS\n" + synopsis_of(program, program.name) + "\n";
    if (!rest.empty() && !rest.starts_with(codes)) page += ".SH DESCRIPTION\n" + roff(rest) + "\n";
    page += ".SH OPTIONS\n";
    add_options(page, program);
    if (!program.commands.empty()) {
        page += ".SH COMMANDS\n";
        add_commands(page, program, program.name);
    }
    if (rest.starts_with(codes)) page += ".SH EXIT STATUS\n" + roff(rest.substr(codes.size())) + "\n";
    page += ".SH SEE ALSO\n" + roff(see_also) + "\n";
    return page;
}

}  // namespace app
