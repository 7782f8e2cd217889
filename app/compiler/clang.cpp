// SPDX-License-Identifier: MIT
// The front end: C++ and CUDA C++ to an LLVM module that nothing has optimised yet.
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

#include "app/compiler/ir.h"
#include "app/compiler/prelude.h"

namespace app {

namespace {

constexpr const char* program_name = "/iir2d/program";
constexpr const char* include_folder = "/iir2d/include";

std::vector<std::string> arguments_of(const ClangTask& task) {
    std::vector<std::string> made{"-emit-llvm",
                                  task.optimisation == 0 ? "-O0" : "-O2",
                                  "-disable-llvm-passes",
                                  "-std=c++17",
                                  "-ffp-contract=off",
                                  "-fno-builtin",
                                  "-fdeclspec",
                                  "-fgnuc-version=4.2.1",
                                  "-mconstructor-aliases",
                                  "-mframe-pointer=none",
                                  "-nostdsysteminc",
                                  "-nobuiltininc",
                                  "-internal-isystem",
                                  include_folder,
                                  "-ferror-limit",
                                  "20",
                                  "-fmessage-length=0"};
    const auto add = [&](std::initializer_list<std::string> more) { made.insert(made.end(), more); };
    if (task.with_lines) add({"-debug-info-kind=line-tables-only", "-dwarf-version=4"});
    if (task.is_device) {
        add({"-triple", "nvptx64-nvidia-cuda", "-aux-triple", "x86_64-pc-linux-gnu", "-fcuda-is-device", "-x",
             "cuda", "-target-cpu", "sm_" + std::to_string(task.sm), "-target-feature",
             task.sm >= 89 ? "+ptx78" : "+ptx74", "-mlink-builtin-bitcode", task.libdevice, "-include",
             std::string(include_folder) + "/cuda_prelude.h"});
    } else {
        add({"-triple", "x86_64-pc-linux-gnu", "-target-cpu", "x86-64-v2", "-mrelocation-model", "pic",
             "-pic-level", "2", "-x", "c++"});
    }
    made.insert(made.end(), task.options.begin(), task.options.end());
    made.emplace_back(program_name);
    return made;
}

}  // namespace

std::string clang_version() {
    return CLANG_VERSION_STRING;
}

std::unique_ptr<llvm::Module> parse_program(llvm::LLVMContext& context, const std::string& program,
                                            const ClangTask& task, std::string& log) {
    llvm::raw_string_ostream out(log);
    llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
    options->ShowColors = false;
    options->ShowCarets = false;
    options->ShowPresumedLoc = true;  // by #line
    llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics(new clang::DiagnosticsEngine(
        new clang::DiagnosticIDs, options, new clang::TextDiagnosticPrinter(out, options.get())));

    const std::vector<std::string> words = arguments_of(task);
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, *diagnostics)) return nullptr;

    // The program and our own headers lie over the files of the machine.
    llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory(new llvm::vfs::InMemoryFileSystem);
    memory->addFile(program_name, 0, llvm::MemoryBuffer::getMemBuffer(program, program_name));
    memory->addFile(std::string(include_folder) + "/math.h", 0,
                    llvm::MemoryBuffer::getMemBuffer(host_math_header));
    memory->addFile(std::string(include_folder) + "/cuda_prelude.h", 0,
                    llvm::MemoryBuffer::getMemBuffer(cuda_prelude));
    llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> files(
        new llvm::vfs::OverlayFileSystem(llvm::vfs::getRealFileSystem()));
    files->pushOverlay(memory);

    clang::CompilerInstance compiler;
    compiler.setInvocation(std::move(invocation));
    compiler.setDiagnostics(diagnostics.get());
    compiler.createFileManager(files);
    clang::EmitLLVMOnlyAction action(&context);
    if (!compiler.ExecuteAction(action)) return nullptr;
    return action.takeModule();
}

}  // namespace app
