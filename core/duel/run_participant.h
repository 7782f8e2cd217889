// SPDX-License-Identifier: MIT
// The worker's side of a duel.
#pragma once

namespace workbench::duel {

// Runs `iir2d-worker duel INDEX BYTES PARENT`: one participant, until the program ends it. Returns the exit
// code. The process that runs it must not have loaded libiir2d itself: the one to be timed would take its
// symbols.
int run_participant(int argc, char** argv);

}  // namespace workbench::duel
