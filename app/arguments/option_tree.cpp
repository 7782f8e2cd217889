// SPDX-License-Identifier: MIT
#include "app/arguments/option_tree.h"

#include <algorithm>

namespace app {

namespace {

// "--page" with CLI::IsMember({"a", "b"}) has the type name "TEXT:{a,b}".
std::vector<std::string> choices_in(std::string& type) {
    const auto open = type.find(":{");
    if (open == std::string::npos || !type.ends_with('}')) return {};
    std::vector<std::string> choices;
    const std::string list = type.substr(open + 2, type.size() - open - 3);
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find(',', begin), list.size());
        choices.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    type.erase(open);
    return choices;
}

OptionNode node_of(const CLI::Option& option) {
    OptionNode node;
    node.positional = option.get_positional();
    for (const std::string& name : option.get_snames()) node.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) node.names.push_back("--" + name);
    if (node.names.empty()) node.names.push_back(option.get_name(true));
    node.description = option.get_description();
    if (option.get_items_expected_max() > 0) {
        node.value = option.get_type_name();
        node.choices = choices_in(node.value);
        if (const auto check = node.value.find(':'); check != std::string::npos) node.value.erase(check);
        if (node.value.empty()) node.value = "VALUE";
        node.default_text = option.get_default_str();
        node.repeated = option.get_expected_max() > 1 || option.get_items_expected_max() > 1;
    }
    node.required = option.get_required();
    return node;
}

}  // namespace

CommandNode tree_of(const CLI::App& parser) {
    CommandNode node{
        .name = parser.get_name(), .description = parser.get_description(), .options = {}, .commands = {}};
    for (const CLI::Option* option : parser.get_options()) {
        if (!option->get_group().empty()) node.options.push_back(node_of(*option));
    }
    for (const CLI::App* command : parser.get_subcommands({})) {
        if (!command->get_group().empty()) node.commands.push_back(tree_of(*command));
    }
    return node;
}

std::string usage_of(const OptionNode& option) {
    std::string text = option.positional ? option.names.front() : option.value;
    if (option.repeated) text += "...";
    return text;
}

}  // namespace app
