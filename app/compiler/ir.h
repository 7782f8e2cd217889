// SPDX-License-Identifier: MIT
// Clang and LLVM as functions: sources to the IR of each kernel, IR to PTX, host IR compiled to memory and
// called. Only ir.cpp, host_run.cpp and clang.cpp include LLVM's headers, and only where the build has them
// (IIR2D_LLVM).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/support/error.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace app {

struct ClangSource {
    std::string text;
    std::string name;
    std::vector<std::string> kernels;  // none: all that can be called from outside
};

struct ClangTask {
    bool is_device = false;
    int optimisation = 0;    // 0 or 2
    int sm = 0;              // of a device
    std::string libdevice;   // of a device: the file
    bool makes_ptx = false;  // PTX instead of IR
    bool with_lines = false;
    std::vector<std::string> options;  // -I and -D, as the compiler takes them
};

struct IrText {
    std::string kernel;
    std::string text;
    std::vector<std::pair<int, int>> lines;
};

std::string clang_version();  // "16.0.6"; empty where the build has none

// Compiles sources as one program and returns each source's kernels, each cloned into a module of its own
// before anything is optimised. An error is bad_input and is the compiler's log.
workbench::Result<std::vector<std::vector<IrText>>> compile_with_clang(std::span<const ClangSource> sources,
                                                                       const ClangTask& task);

// Within the program, source k lies in this namespace, so that helpers of two sources may have one name.
std::string namespace_of_source(std::size_t k);

// Makes a module of the program; null, with what the compiler says in `log`, where it does not compile.
std::unique_ptr<llvm::Module> parse_program(llvm::LLVMContext& context, const std::string& program,
                                            const ClangTask& task, std::string& log);

struct HostArgument {
    std::vector<std::byte> bytes;
    bool is_array = false;
    bool is_output = false;
};
struct HostTask {
    std::string text;  // IR
    std::string kernel;
    std::vector<std::vector<HostArgument>> sets;
};
// Compiles texts to memory, together, and calls the kernel of each once for each of its sets; the bytes of
// arrays are left as it left them. Only mathematical functions of the C library can be reached from it.
std::vector<workbench::Result<void>> run_host_ir(std::span<HostTask> tasks);

}  // namespace app
