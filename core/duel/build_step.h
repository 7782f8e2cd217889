// SPDX-License-Identifier: MIT
#pragma once

namespace workbench::duel {

// Runs a program for the one that started this process, `iir2d-worker build-step PARENT PROGRAM
// [ARGUMENT]...`, and returns its exit code; 127 where it cannot be started. Ends it, and every process that
// it started, whatever group they are in, when this process is asked to end (SIGTERM) or its parent has
// ended.
int run_build_step(int argc, char** argv);

}  // namespace workbench::duel
