// SPDX-License-Identifier: MIT
// A duel that never ends, to be killed by a test: it prints a line once its workers are at work.
#include <cstdio>

#include "tests/core/duel/duel_testing.h"

int main() {
    using namespace workbench;
    DuelSettings settings = quick_settings();
    settings.longest_call_seconds = 600;
    std::puts("started");
    std::fflush(stdout);
    return run_duel(settings, library(planted("hang")), library(planted("plain"))) ? 0 : 1;
}
