// SPDX-License-Identifier: MIT
// Where settings and history are: in the user's home, or nowhere.
#include <gtest/gtest.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "core/support/files.h"

namespace workbench {
namespace {

namespace fs = std::filesystem;

// In a process of its own, whose variables and user are not ours.
bool holds_in_child(const std::function<bool()>& claim) {
    const pid_t child = fork();
    if (child == 0) {
        unsetenv("IIR2D_CONFIG_DIR");
        unsetenv("XDG_CONFIG_HOME");
        unsetenv("HOME");
        _exit(claim() ? 0 : 1);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ConfigDirectory, FollowsTheVariables) {
    EXPECT_TRUE(holds_in_child([] {
        setenv("HOME", "/home/someone", 1);
        return config_directory() == "/home/someone/.config/iir2d-workbench" && has_config_directory();
    }));
    EXPECT_TRUE(holds_in_child([] {
        setenv("XDG_CONFIG_HOME", "/etc/xdg", 1);
        return config_directory() == "/etc/xdg/iir2d-workbench";
    }));
    EXPECT_TRUE(holds_in_child([] {
        setenv("IIR2D_CONFIG_DIR", "here", 1);
        return config_directory() == "here" && has_config_directory();
    }));
}

TEST(ConfigDirectory, WithoutHomeIsTheListedOne) {
    const passwd* entry = getpwuid(getuid());
    if (entry == nullptr) GTEST_SKIP() << "this user is not in the system's list";
    const fs::path expected = fs::path(entry->pw_dir) / ".config" / "iir2d-workbench";
    EXPECT_TRUE(holds_in_child([&] { return config_directory() == expected; }));
    EXPECT_TRUE(holds_in_child([&] {
        setenv("HOME", "", 1);
        setenv("XDG_CONFIG_HOME", "relative", 1);
        return config_directory() == expected;
    }));
}

TEST(ConfigDirectory, OfWhoHasNoHomeIsNowhere) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become a user who is not in the system's list";
    EXPECT_TRUE(holds_in_child([] {
        if (setuid(1'234'567'890) != 0) return false;
        return !has_config_directory() && config_directory() == "/nonexistent/iir2d-workbench";
    }));
}

}  // namespace
}  // namespace workbench
