// SPDX-License-Identifier: MIT
// Names the targets of compilation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace workbench::compile {

// Describes a target: "ptx-nvrtc:sm_90", "cubin:sm_90", "llvm-host-o0", "llvm-host-o2", "llvm-nvptx" or
// "ptx-clang:sm_90".
struct TargetState {
    std::string target;
    bool is_available = false;
    std::string version;        // of the compiler: "NVRTC 13.0", "Clang 16.0.6"; empty where there is none
    std::string path;           // of its library, where it is opened at run time
    std::string flags;          // that it is given, for manifests
    std::string reason;         // why it is not available
    std::string stored_reason;  // the same for manifests: without what the loader says, which has paths
};

// Returns whether the target takes the CUDA source; else it takes the host's.
bool takes_cuda(std::string_view target);
bool makes_ptx(std::string_view target);
// Returns every target, in a fixed order.
const std::vector<std::string>& all_targets();
// Returns the targets that a data set is made with when none is named; those of them that are available are
// used.
std::vector<std::string> default_targets();

}  // namespace workbench::compile
