// SPDX-License-Identifier: MIT
// The worker program: a table of roles. A participant of a duel is a process of its own and no fork: its
// memory is laid out anew each time.
#include <string_view>
#include <vector>

#include "app/worker/images_role.h"
#include "core/duel/run_participant.h"
#include "core/worker/serve.h"

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "duel") return workbench::duel::run_participant(argc, argv);
    const std::vector<workbench::worker::Role> roles{app::images_role()};
    return workbench::worker::run_worker(roles, argc, argv);
}
