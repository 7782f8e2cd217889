// SPDX-License-Identifier: MIT
// The worker program: a table of roles. A participant of a duel is a process of its own and no fork: its
// memory is laid out anew each time. A step of a revision's build is watched by a process of its own, which
// ends it when the program does.
#include <string_view>
#include <vector>

#include "app/worker/images_role.h"
#include "core/duel/build_step.h"
#include "core/duel/run_participant.h"
#include "core/worker/serve.h"

int main(int argc, char** argv) {
    const std::string_view role = argc > 1 ? argv[1] : "";
    if (role == "duel") return workbench::duel::run_participant(argc, argv);
    if (role == "build-step") return workbench::duel::run_build_step(argc, argv);
    const std::vector<workbench::worker::Role> roles{app::images_role()};
    return workbench::worker::run_worker(roles, argc, argv);
}
