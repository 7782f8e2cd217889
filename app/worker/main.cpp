// SPDX-License-Identifier: MIT
// The worker program: a table of roles.
#include <vector>

#include "app/worker/images_role.h"
#include "core/worker/serve.h"

int main(int argc, char** argv) {
    const std::vector<workbench::worker::Role> roles{app::images_role()};
    return workbench::worker::run_worker(roles, argc, argv);
}
