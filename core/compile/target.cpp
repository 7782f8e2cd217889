// SPDX-License-Identifier: MIT
#include "core/compile/target.h"

namespace workbench::compile {

const std::vector<std::string>& all_targets() {
    static const std::vector<std::string> all = [] {
        const std::vector<std::string> processors{"75", "80", "86", "89", "90", "100", "120"};
        std::vector<std::string> made;
        for (const char* maker : {"ptx-nvrtc", "cubin"}) {
            for (const std::string& sm : processors) made.push_back(std::string(maker) + ":sm_" + sm);
        }
        made.insert(made.end(), {"llvm-host-o0", "llvm-host-o2", "llvm-nvptx"});
        // Clang 16 knows no later ones.
        for (const std::string& sm : processors) {
            if (sm.size() == 2) made.push_back("ptx-clang:sm_" + sm);
        }
        return made;
    }();
    return all;
}

bool takes_cuda(std::string_view target) {
    return !target.starts_with("llvm-host");
}

bool makes_ptx(std::string_view target) {
    return target.starts_with("ptx-");
}

std::vector<std::string> default_targets() {
    return {"ptx-nvrtc:sm_90", "llvm-host-o0", "llvm-host-o2"};
}

}  // namespace workbench::compile
