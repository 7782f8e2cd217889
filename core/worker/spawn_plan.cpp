// SPDX-License-Identifier: MIT
#include "core/worker/spawn_plan.h"

#include <signal.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX has it without a header

namespace workbench {

SpawnPlan::SpawnPlan() {
    ::posix_spawn_file_actions_init(&m_actions);
    ::posix_spawnattr_init(&m_attributes);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&m_attributes, &none);
    ::posix_spawnattr_setsigdefault(&m_attributes, &all);
    ::posix_spawnattr_setpgroup(&m_attributes, 0);
    ::posix_spawnattr_setflags(&m_attributes,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

SpawnPlan::~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&m_actions);
    ::posix_spawnattr_destroy(&m_attributes);
}

void SpawnPlan::open(int descriptor, const std::string& path, int flags) {
    constexpr mode_t for_this_user = 0600;
    ::posix_spawn_file_actions_addopen(&m_actions, descriptor, path.c_str(), flags, for_this_user);
}

void SpawnPlan::pass(int own, int descriptor) {
    ::posix_spawn_file_actions_adddup2(&m_actions, own, descriptor);
}

void SpawnPlan::close_from(int first) {
    ::posix_spawn_file_actions_addclosefrom_np(&m_actions, first);
}

int SpawnPlan::run(int& process, std::vector<std::string> words, std::vector<std::string> more) const {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
    for (std::string& variable : more) variables.push_back(variable.data());
    variables.push_back(nullptr);
    return ::posix_spawnp(&process, arguments.front(), &m_actions, &m_attributes, arguments.data(),
                          variables.data());
}

}  // namespace workbench
