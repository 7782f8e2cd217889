// SPDX-License-Identifier: MIT
// Every option and positional argument of every command, given an empty value.
#include <algorithm>
#include <sstream>

#include "tests/app/cli_folder.h"

namespace {

using app_test::expect_failure;
using app_test::iir2d;
using Words = std::vector<std::string>;

// What a command's help lists.
struct Help {
    std::vector<std::string> commands;
    std::vector<std::string> positionals;
    std::vector<std::string> options;  // that take a value
    std::vector<std::string> flags;
};

Help help_of(Words command) {
    command.emplace_back("--help");
    Help help;
    std::istringstream text(iir2d(command).out);
    std::string section;
    for (std::string line; std::getline(text, line);) {
        if (line.ends_with(':') && !line.starts_with(' ')) section = line;
        // Entries are indented by two; what goes on in a next line by more.
        if (!line.starts_with("  ") || line.starts_with("   ")) continue;
        std::istringstream entry(line);
        std::string name;
        std::string type;
        entry >> name >> type;
        if (section == "Subcommands:") help.commands.push_back(name);
        if (section == "Positionals:") help.positionals.push_back(name);
        if (section != "Options:") continue;
        const bool takes_value = type.starts_with("TEXT") || type.starts_with("LIST");
        std::istringstream spellings(name);
        for (std::string one; std::getline(spellings, one, ',');) {
            if (one.starts_with("--")) (takes_value ? help.options : help.flags).push_back(one);
        }
    }
    return help;
}

void refused(Words command, const Words& more, const std::string& name) {
    command.insert(command.end(), more.begin(), more.end());
    SCOPED_TRACE(::testing::PrintToString(command));
    expect_failure(iir2d(command), 2, name + " has an empty value");
}

// Every option and positional argument of a command and of those below it. How many there were.
int walk(const Words& command) {
    const Help help = help_of(command);
    int values = 0;
    for (const std::string& name : help.commands) {
        Words below = command;
        below.push_back(name);
        values += walk(below);
    }
    if (!help.commands.empty()) return values;
    for (const std::string& option : help.options) refused(command, {option, ""}, option);
    // One rule for all, with and without a value.
    refused(command, {help.flags.front() + "="}, help.flags.front());
    Words before;
    for (const std::string& positional : help.positionals) {
        Words arguments = before;
        arguments.emplace_back("");
        refused(command, arguments, positional);
        before.emplace_back("x");
    }
    return values + static_cast<int>(help.options.size() + help.positionals.size());
}

struct Command {
    const char* name;
    int values;  // that its help lists at least
};
void PrintTo(const Command& command, std::ostream* out) {
    *out << command.name;
}
constexpr Command tested_commands[] = {
    {"filter", 12},         {"pool", 18},   {"run", 7},      {"batch", 7},    {"info", 2},
    {"compare", 3},         {"devices", 0}, {"bench", 32},   {"parity", 19},  {"verify", 2},
    {"compare-records", 6}, {"key", 2},     {"history", 10}, {"release", 35}, {"reproduce", 7},
    {"duel", 30},           {"ptx", 9},     {"solve", 59},   {"synth", 26},   {"tune", 24},
    {"completion", 1},      {"man", 0}};

class EmptyValues : public ::testing::TestWithParam<Command> {};
INSTANTIATE_TEST_SUITE_P(Commands, EmptyValues, ::testing::ValuesIn(tested_commands));

TEST_P(EmptyValues, AreRefusedByEveryOption) {
    EXPECT_GE(walk({GetParam().name}), GetParam().values) << "the help was not understood";
}

TEST(EmptyValue, OfEveryCommandAreTested) {
    Words tested;
    for (const Command& command : tested_commands) tested.emplace_back(command.name);
    EXPECT_THAT(help_of({}).commands, ::testing::UnorderedElementsAreArray(tested));
}

TEST(EmptyValue, IsRefusedBesideOthers) {
    expect_failure(iir2d({"verify", "x", "--signer", ""}), 2, "--signer has an empty value");
    expect_failure(iir2d({"compare", "a", "b", "--tolerance="}), 2, "--tolerance has an empty value");
    expect_failure(iir2d({"batch", "r.json", "a.png", "", "--out-dir", "o"}), 2, "IN has an empty value");
    expect_failure(iir2d({"filter", "a", "b", "--filter", "1", "--param", "alpha=1", "--param", ""}), 2,
                   "--param has an empty value");
    expect_failure(iir2d({"bench", "--filter_ids="}), 2, "--filter-ids has an empty value");
    expect_failure(iir2d({"devices", ""}), 2, "an empty argument was not expected");
    expect_failure(iir2d({"release", "new", "r", "--stage", "rc", "--commit", std::string(40, 'a'), "--role",
                          "qa-engineer="}),
                   2, "is not ROLE=KEY");
}

}  // namespace
