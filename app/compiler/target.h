// SPDX-License-Identifier: MIT
// Targets by name: who makes them, for what, with which flags, and whether they can be had here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/compile/target.h"
#include "core/support/error.h"

namespace app {

struct Target {
    enum class Maker { nvrtc, nvjitlink, clang } maker = Maker::nvrtc;
    std::string name;
    int sm = 0;            // of a GPU
    int optimisation = 0;  // of the host
    bool makes_ptx = false;
};

// device_failure: there is no such target, or what makes it is not there; the sentence says which.
workbench::Result<Target> find_target(const std::string& name);
std::vector<workbench::compile::TargetState> target_states();
// Returns the file that device code by Clang is linked with; empty where there is none.
std::string libdevice_file();

}  // namespace app
