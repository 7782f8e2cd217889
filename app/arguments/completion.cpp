// SPDX-License-Identifier: MIT
#include "app/arguments/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/support/shell.h"

namespace app {

namespace {

using workbench::shell_quoted;

// Calls `visit` with every command and its path, "iir2d release new", those above before those below.
void for_each_command(const CommandNode& command, const std::string& path,
                      const std::function<void(const CommandNode&, const std::string&)>& visit) {
    visit(command, path);
    for (const CommandNode& sub : command.commands) for_each_command(sub, path + " " + sub.name, visit);
}

std::string words_of(const std::vector<CommandNode>& commands) {
    std::string words;
    for (const CommandNode& command : commands) words += (words.empty() ? "" : " ") + command.name;
    return words;
}

std::string options_of(const CommandNode& command) {
    std::string words;
    for (const OptionNode& option : command.options) {
        if (!option.positional)
            words += (words.empty() ? "" : " ") + fmt::format("{}", fmt::join(option.names, " "));
    }
    return words;
}

std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

// Of what begins a description: enough beside a word in a list.
std::string short_of(const std::string& description) {
    return one_line(description.substr(0, description.find('\n')));
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (text.substr(at).starts_with(what)) {
            out += by;
            at += what.size();
        } else {
            out += text[at++];
        }
    }
    return out;
}

std::string function_name(const std::string& path) {
    return "_" + replaced(replaced(path, "-", "_"), " ", "__");
}

// Within [...] and between colons of what zsh's _arguments takes.
std::string zsh_text(const std::string& text) {
    std::string out = replaced(short_of(text), "\\", "\\\\");
    for (const char* c : {"[", "]", ":"}) out = replaced(out, c, std::string("\\") + c);
    return out;
}

std::string zsh_value(const OptionNode& option) {
    const std::string action =
        option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
    return zsh_text(option.positional ? option.names.front() : option.value) + ":" + action;
}

void add_zsh_option(std::string& text, const OptionNode& option) {
    for (const std::string& name : option.names) {
        std::string spec = (option.repeated ? "*" : "") + name;
        if (!option.value.empty() && name.starts_with("--")) spec += "=";
        spec += "[" + zsh_text(option.description) + "]";
        if (!option.value.empty()) spec += ":" + zsh_value(option);
        text += " \\\n        " + shell_quoted(spec);
    }
}

void add_zsh_function(std::string& text, const CommandNode& command, const std::string& path) {
    text += "\n" + function_name(path) + "() {\n";
    if (!command.commands.empty())
        text += "    local context state state_descr line\n    typeset -A opt_args\n";
    text += command.commands.empty() ? "    _arguments" : "    _arguments -C";
    int position = 0;
    for (const OptionNode& option : command.options) {
        if (!option.positional) {
            add_zsh_option(text, option);
        } else {
            const std::string place = option.repeated ? "*" : std::to_string(++position);
            text += " \\\n        " + shell_quoted(place + ":" + zsh_value(option));
        }
    }
    if (command.commands.empty()) {
        text += "\n}\n";
        return;
    }
    text +=
        " \\\n        '1:command:->command' '*::argument:->argument'\n    case $state in\n    command)\n"
        "        local -a commands=(";
    for (const CommandNode& sub : command.commands)
        text +=
            "\n            " + shell_quoted(sub.name + ":" + replaced(short_of(sub.description), ":", "\\:"));
    text +=
        "\n        )\n        _describe command commands\n        ;;\n    argument)\n        case $line[1] "
        "in\n";
    for (const CommandNode& sub : command.commands)
        text += "        " + sub.name + ") " + function_name(path + " " + sub.name) + " ;;\n";
    text += "        esac\n        ;;\n    esac\n}\n";
}

// In single quotes of fish.
std::string fish_quoted(std::string_view text) {
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

// The condition that exactly the commands of `path` were given, the program's name left out.
std::string fish_condition(const CommandNode& command, const std::string& path) {
    std::string condition;
    for (std::size_t begin = path.find(' '); begin != std::string::npos;) {
        const std::size_t end = path.find(' ', begin + 1);
        condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
                     path.substr(begin + 1, end - begin - 1);
        begin = end;
    }
    if (command.commands.empty()) return condition;
    return condition + (condition.empty() ? "" : "; and ") + "not __fish_seen_subcommand_from " +
           words_of(command.commands);
}

void add_fish_option(std::string& text, const std::string& start, const OptionNode& option) {
    text += start;
    for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.choices.empty()) {
        text += " -x -a " + fish_quoted(fmt::format("{}", fmt::join(option.choices, " ")));
    } else if (!option.value.empty()) {
        text += " -r";
    }
    text += " -d " + fish_quoted(short_of(option.description)) + "\n";
}

constexpr std::string_view made = "# Made by the program from its own options; do not edit.\n";

}  // namespace

std::string bash_completion(const CommandNode& program) {
    std::string steps;
    std::string words;
    std::string values;
    for_each_command(program, program.name, [&](const CommandNode& command, const std::string& path) {
        for (const CommandNode& sub : command.commands)
            steps += fmt::format("        \"{0} {1}\") path=\"{0} {1}\" ;;\n", path, sub.name);
        words += fmt::format("    \"{}\")\n        options=\"{}\"\n        commands=\"{}\"\n        ;;\n",
                             path, options_of(command), words_of(command.commands));
        for (const OptionNode& option : command.options) {
            if (option.positional || option.value.empty()) continue;
            for (const std::string& name : option.names)
                values += fmt::format(
                    "    \"{} {}\")\n        mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$current\")\n"
                    "        return\n        ;;\n",
                    path, name, fmt::join(option.choices, " "));
        }
    });
    const std::string function = function_name(program.name);
    return std::string(made) + function +
           "() {\n    local current=${COMP_WORDS[COMP_CWORD]} path=" + program.name +
           " options= commands= i\n    COMPREPLY=()\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        case \"$path ${COMP_WORDS[i]}\" in\n" +
           steps + "        esac\n    done\n    case \"$path ${COMP_WORDS[COMP_CWORD - 1]}\" in\n" + values +
           "    esac\n    case $path in\n" + words +
           "    esac\n    if [[ $current == -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
           "    else\n        mapfile -t COMPREPLY < <(compgen -W \"$commands\" -- \"$current\")\n    fi\n}\n"
           "complete -o bashdefault -o default -F " +
           function + " " + program.name + "\n";
}

std::string zsh_completion(const CommandNode& program) {
    std::string text = "#compdef " + program.name + "\n" + std::string(made);
    for_each_command(program, program.name, [&](const CommandNode& command, const std::string& path) {
        add_zsh_function(text, command, path);
    });
    return text + "\n" + function_name(program.name) + " \"$@\"\n";
}

std::string fish_completion(const CommandNode& program) {
    std::string text(made);
    for_each_command(program, program.name, [&](const CommandNode& command, const std::string& path) {
        const std::string condition = fish_condition(command, path);
        const std::string start =
            "complete -c " + program.name + (condition.empty() ? "" : " -n " + fish_quoted(condition));
        for (const CommandNode& sub : command.commands)
            text += start + " -f -a " + sub.name + " -d " + fish_quoted(short_of(sub.description)) + "\n";
        for (const OptionNode& option : command.options) {
            if (!option.positional) add_fish_option(text, start, option);
        }
    });
    return text;
}

}  // namespace app
