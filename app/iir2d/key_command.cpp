// SPDX-License-Identifier: MIT
// key: the keys that records and releases are signed with.
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "core/support/signing.h"
#include "core/support/try.h"

namespace app {

namespace {

Result<int> run_new(const std::string& path, bool quiet) {
    outlive_readers();
    IIR2D_TRY(const auto key, workbench::SigningKey::generate());
    IIR2D_RETURN_IF_ERROR(key.save(path));
    std::printf("%s\n", key.public_key().hex().c_str());
    note("the private key is in " + path + ", for you alone; give " + path + ".pub to others", quiet);
    return 0;
}

// Prints the public key of a private key's file, or of a public one's.
Result<int> print_public_key(const std::string& path) {
    auto shown = workbench::load_public_key(path);
    if (!shown) {
        IIR2D_TRY(const auto key, workbench::SigningKey::load(path));
        shown = key.public_key();
    }
    std::printf("%s\n", shown->hex().c_str());
    return 0;
}

}  // namespace

void add_key_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("key", "Make and show keys that sign records and releases (Ed25519)");
    command->require_subcommand(1);
    auto path = std::make_shared<std::string>();
    auto quiet = std::make_shared<bool>(false);
    CLI::App* make = command->add_subcommand("new", "Make a key: FILE for you alone, FILE.pub for others");
    make->add_option("FILE", *path, "The new private key")->required();
    add_quiet(*make, *quiet);
    make->callback([path, quiet, &chosen] {
        chosen = [path, quiet](const Interruption&) { return run_new(*path, *quiet); };
    });
    CLI::App* show = command->add_subcommand("show", "Print the public key of a key file, as 64 hex digits");
    show->add_option("FILE", *path, "A private or a public key")->required();
    show->callback(
        [path, &chosen] { chosen = [path](const Interruption&) { return print_public_key(*path); }; });
}

}  // namespace app
