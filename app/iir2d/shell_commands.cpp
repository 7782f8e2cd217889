// SPDX-License-Identifier: MIT
// completion and man: what shells and man show of this program, from the parser itself.
#include <memory>

#include "app/arguments/completion.h"
#include "app/arguments/man_page.h"
#include "app/iir2d/options.h"
#include "core/support/package.h"

namespace app {

void add_completion_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("completion", "Print what a shell needs to complete this program's arguments");
    auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->callback([&parser, shell, &chosen] {
        chosen = [&parser, shell](const Interruption&) -> Result<int> {
            const CommandNode tree = tree_of(parser);
            print_text(*shell == "bash"  ? bash_completion(tree)
                       : *shell == "zsh" ? zsh_completion(tree)
                                         : fish_completion(tree));
            return 0;
        };
    });
}

void add_man_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("man", "Print this program's page of the manual, for man -l");
    command->callback([&parser, &chosen] {
        chosen = [&parser](const Interruption&) -> Result<int> {
            print_text(man_page(tree_of(parser), workbench::library_version(), "iir2d-workbench(1)"));
            return 0;
        };
    });
}

}  // namespace app
