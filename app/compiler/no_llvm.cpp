// SPDX-License-Identifier: MIT
// In place of Clang and LLVM, in a build without them.
#include <memory>

#include "app/compiler/ir.h"

namespace app {

namespace {

std::unexpected<workbench::Error> not_there() {
    return workbench::fail(workbench::ErrorKind::device_failure, "this build has no Clang (IIR2D_LLVM)");
}

}  // namespace

std::string clang_version() {
    return {};
}

workbench::Result<std::vector<std::vector<IrText>>> compile_with_clang(std::span<const ClangSource>,
                                                                       const ClangTask&) {
    return not_there();
}

std::vector<workbench::Result<void>> run_host_ir(std::span<HostTask> tasks) {
    return std::vector<workbench::Result<void>>(tasks.size(), not_there());
}

}  // namespace app
