// SPDX-License-Identifier: MIT
// Host IR, compiled to memory and called.
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "app/compiler/ir.h"
#include "core/support/try.h"

namespace app {

namespace {

using workbench::ErrorKind;
using workbench::fail;
using workbench::Result;

#if LLVM_VERSION_MAJOR >= 18
constexpr auto compile_quickly = llvm::CodeGenOptLevel::None;
#else
constexpr auto compile_quickly = llvm::CodeGenOpt::None;
#endif
constexpr const char* triple = "x86_64-pc-linux-gnu";

std::string caller_name(std::size_t task) {
    return "iir2d_call_" + std::to_string(task);
}

// What stored IR may call of this process: mathematics, and what LLVM makes of copies.
bool may_be_called(const std::string& name) {
    static const std::set<std::string> names{
        "sin",       "cos",   "tan",   "asin",      "acos",     "atan",      "sinh",   "cosh",  "tanh",
        "asinh",     "acosh", "atanh", "exp",       "exp2",     "expm1",     "log",    "log2",  "log10",
        "log1p",     "sqrt",  "cbrt",  "erf",       "erfc",     "tgamma",    "lgamma", "floor", "ceil",
        "trunc",     "round", "rint",  "nearbyint", "fabs",     "pow",       "atan2",  "hypot", "fmod",
        "remainder", "fmin",  "fmax",  "fdim",      "copysign", "nextafter", "fma",    "ldexp"};
    if (name == "memcpy" || name == "memset" || name == "memmove") return true;
    return names.contains(name) || (name.ends_with('f') && names.contains(name.substr(0, name.size() - 1)));
}

std::string words_of(llvm::Error error) {
    return llvm::toString(std::move(error));
}

Result<llvm::orc::LLJIT*> the_jit() {
    static std::unique_ptr<llvm::orc::LLJIT> jit;
    if (jit) return jit.get();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    llvm::orc::JITTargetMachineBuilder machine{llvm::Triple(triple)};
    machine.setCPU("x86-64-v2");
    machine.setCodeGenOptLevel(compile_quickly);
    machine.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    // Without this a platform is built for each library that runs its constructors: what is run has none.
    auto made = llvm::orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(std::move(machine))
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .create();
    if (!made)
        return fail(ErrorKind::device_failure, "the JIT cannot be made: " + words_of(made.takeError()));
    jit = std::move(*made);
    return jit.get();
}

// Adds a function that takes the addresses of the kernel's arguments, loads each and calls it.
void add_caller(llvm::Module& module, llvm::Function& kernel, const std::string& name) {
    llvm::IRBuilder<> builder(module.getContext());
    auto* type = llvm::FunctionType::get(builder.getVoidTy(),
                                         {llvm::PointerType::getUnqual(module.getContext())}, false);
    auto* caller = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
    builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", caller));
    std::vector<llvm::Value*> arguments;
    auto* pointer = llvm::PointerType::getUnqual(module.getContext());
    for (const llvm::Argument& argument : kernel.args()) {
        auto* slot = builder.CreateConstGEP1_64(pointer, caller->getArg(0), argument.getArgNo());
        auto* address = builder.CreateLoad(pointer, slot);
        arguments.push_back(argument.getType()->isPointerTy()
                                ? static_cast<llvm::Value*>(address)
                                : builder.CreateLoad(argument.getType(), address));
    }
    llvm::CallInst* call = builder.CreateCall(&kernel, arguments);
    call->setAttributes(kernel.getAttributes());  // how narrow scalars are passed
    builder.CreateRetVoid();
}

// Nothing but functions by their name: addresses and assembly would go round `may_be_called`.
Result<void> check_calls(const llvm::Module& module) {
    if (!module.getModuleInlineAsm().empty())
        return fail(ErrorKind::bad_input, "the IR has assembly, which it may not");
    for (const llvm::Function& function : module) {
        for (const llvm::BasicBlock& block : function) {
            for (const llvm::Instruction& instruction : block) {
                const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
                if (call != nullptr && !llvm::isa<llvm::Function>(call->getCalledOperand()))
                    return fail(ErrorKind::bad_input,
                                "the IR calls assembly or an address, which it may not");
            }
        }
    }
    return {};
}

Result<void> check_arguments(const llvm::Function& kernel, std::span<const std::vector<HostArgument>> sets) {
    const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
    for (const auto& set : sets) {
        if (set.size() != kernel.arg_size())
            return fail(ErrorKind::bad_argument, "the kernel has " + std::to_string(kernel.arg_size()) +
                                                     " parameters, not " + std::to_string(set.size()));
        for (std::size_t k = 0; k < set.size(); ++k) {
            llvm::Type* type = kernel.getArg(static_cast<unsigned>(k))->getType();
            const bool fits = set[k].is_array
                                  ? type->isPointerTy()
                                  : (type->isIntegerTy() || type->isFloatTy() || type->isDoubleTy()) &&
                                        set[k].bytes.size() == layout.getTypeStoreSize(type).getFixedValue();
            if (!fits)
                return fail(ErrorKind::bad_argument,
                            "argument " + std::to_string(k) + " does not fit its parameter");
        }
    }
    return {};
}

// Calls it on copies with room around them, where what it writes beyond an array is seen.
Result<void> call_on(void (*caller)(void**), std::vector<HostArgument>& set) {
    constexpr std::size_t room = 4096;
    constexpr std::byte mark{0xA5};
    std::vector<std::vector<std::byte>> copies;
    std::vector<void*> addresses;
    for (const HostArgument& argument : set) {
        auto& copy = copies.emplace_back(argument.bytes.size() + 2 * room, mark);
        if (!argument.bytes.empty())
            std::memcpy(copy.data() + room, argument.bytes.data(), argument.bytes.size());
        addresses.push_back(copy.data() + room);
    }
    caller(addresses.data());
    for (std::size_t k = 0; k < set.size(); ++k) {
        const auto& copy = copies[k];
        const std::size_t size = set[k].bytes.size();
        for (std::size_t at = 0; at < room; ++at) {
            if (copy[at] != mark || copy[room + size + at] != mark)
                return fail(ErrorKind::bad_input, "it writes beyond argument " + std::to_string(k));
        }
        if (set[k].is_array && size != 0) std::memcpy(set[k].bytes.data(), copy.data() + room, size);
    }
    return {};
}

// Hides what the module defines but its caller, so that modules whose functions have the same names can be
// linked.
void hide_all_but(llvm::Module& module, const std::string& caller) {
    for (llvm::GlobalValue& value : module.global_values()) {
        const llvm::StringRef name = value.getName();
        if (value.isDeclaration() || name == caller || name.take_front(5) == "llvm.") continue;
        if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
        value.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
}

// Reads the text of one task, with its caller.
Result<std::unique_ptr<llvm::Module>> read_task(const HostTask& task, const std::string& caller,
                                                const llvm::DataLayout& layout, llvm::LLVMContext& context) {
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(task.text, diagnostic, context);
    std::string why;
    llvm::raw_string_ostream words(why);
    if (!module) {
        diagnostic.print("IR", words, false);
        return fail(ErrorKind::bad_input, words.str());
    }
    if (llvm::verifyModule(*module, &words)) return fail(ErrorKind::bad_input, words.str());
    llvm::Function* function = module->getFunction(task.kernel);
    if (function == nullptr || function->isDeclaration())
        return fail(ErrorKind::bad_input, "the IR has no function \"" + task.kernel + "\"");
    for (const llvm::Function& other : *module) {
        if (other.isDeclaration() && !other.isIntrinsic() && !may_be_called(other.getName().str()))
            return fail(ErrorKind::bad_input, "the IR calls " + other.getName().str() + ", which it may not");
    }
    if (module->getNamedValue(caller) != nullptr)
        return fail(ErrorKind::bad_input,
                    "the IR has a symbol \"" + caller + "\", which is the name of its caller");
    IIR2D_RETURN_IF_ERROR(check_calls(*module));
    IIR2D_RETURN_IF_ERROR(check_arguments(*function, task.sets));
    module->setDataLayout(layout);
    module->setTargetTriple(triple);
    add_caller(*module, *function, caller);
    hide_all_but(*module, caller);
    return module;
}

// A library of the JIT, which goes with what is compiled in it.
class Library {
  public:
    static Result<Library> make(llvm::orc::LLJIT& jit) {
        static int count = 0;
        auto made = jit.createJITDylib("kernels" + std::to_string(count++));
        if (!made) return fail(ErrorKind::device_failure, words_of(made.takeError()));
        Library library(jit, *made);
        auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            jit.getDataLayout().getGlobalPrefix(),
            [](const llvm::orc::SymbolStringPtr& name) { return may_be_called((*name).str()); });
        if (!symbols) return fail(ErrorKind::device_failure, words_of(symbols.takeError()));
        made->addGenerator(std::move(*symbols));
        return library;
    }
    ~Library() {
        if (m_library != nullptr) llvm::consumeError(m_jit->getExecutionSession().removeJITDylib(*m_library));
    }
    Library(Library&& other) noexcept
        : m_jit(other.m_jit), m_library(std::exchange(other.m_library, nullptr)) {}
    Library& operator=(Library&&) = delete;

    Result<void> add(llvm::orc::ThreadSafeModule module) {
        if (auto error = m_jit->addIRModule(*m_library, std::move(module)))
            return fail(ErrorKind::bad_input, words_of(std::move(error)));
        return {};
    }
    Result<void (*)(void**)> find(const std::string& name) {
        auto address = m_jit->lookup(*m_library, name);
        if (!address) return fail(ErrorKind::bad_input, words_of(address.takeError()));
        return address->toPtr<void (*)(void**)>();
    }

  private:
    Library(llvm::orc::LLJIT& jit, llvm::orc::JITDylib& library) : m_jit(&jit), m_library(&library) {}
    llvm::orc::LLJIT* m_jit;
    llvm::orc::JITDylib* m_library;
};

// One module of the tasks that can be read; the others have their error in `results`.
Result<llvm::orc::ThreadSafeModule> link_tasks(std::span<const HostTask> tasks,
                                               std::span<Result<void>> results,
                                               const llvm::DataLayout& layout) {
    auto context = std::make_unique<llvm::LLVMContext>();
    auto program = std::make_unique<llvm::Module>("kernels", *context);
    program->setDataLayout(layout);
    program->setTargetTriple(triple);
    {
        llvm::Linker linker(*program);  // it ends before the module goes to the JIT
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            auto module = read_task(tasks[k], caller_name(k), layout, *context);
            results[k] = module ? Result<void>() : std::unexpected(module.error());
            if (module && linker.linkInModule(*std::move(module)))
                return fail(ErrorKind::bad_input, "the IR cannot be linked");
        }
    }
    return llvm::orc::ThreadSafeModule(std::move(program), std::move(context));
}

// Compiles tasks together and runs them. An error concerns all of them: nothing was called.
Result<void> run_together(std::span<HostTask> tasks, std::span<Result<void>> results) {
    IIR2D_TRY(llvm::orc::LLJIT* const jit, the_jit());
    IIR2D_TRY(auto program, link_tasks(tasks, results, jit->getDataLayout()));
    IIR2D_TRY(Library library, Library::make(*jit));
    IIR2D_RETURN_IF_ERROR(library.add(std::move(program)));
    std::vector<void (*)(void**)> callers(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        if (!results[k]) continue;
        IIR2D_TRY(callers[k], library.find(caller_name(k)));
    }
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        for (auto& set : tasks[k].sets) {
            if (results[k]) results[k] = call_on(callers[k], set);
        }
    }
    return {};
}

}  // namespace

std::vector<Result<void>> run_host_ir(std::span<HostTask> tasks) {
    std::vector<Result<void>> results(tasks.size());
    if (run_together(tasks, results)) return results;
    // One that the code generator refuses would be every one's error.
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        if (auto done = run_together(tasks.subspan(k, 1), std::span(results).subspan(k, 1)); !done)
            results[k] = done;
    }
    return results;
}

}  // namespace app
