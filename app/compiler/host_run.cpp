// SPDX-License-Identifier: MIT
// Host IR, compiled to memory and called.
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <cstring>
#include <memory>
#include <set>

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
constexpr const char* caller_name = "iir2d_call";

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
    llvm::orc::JITTargetMachineBuilder machine{llvm::Triple("x86_64-pc-linux-gnu")};
    machine.setCPU("x86-64-v2");
    machine.setCodeGenOptLevel(compile_quickly);
    machine.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    auto made = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(machine)).create();
    if (!made)
        return fail(ErrorKind::device_failure, "the JIT cannot be made: " + words_of(made.takeError()));
    jit = std::move(*made);
    return jit.get();
}

// Adds a function that takes the addresses of the kernel's arguments, loads each and calls it.
void add_caller(llvm::Module& module, llvm::Function& kernel) {
    llvm::IRBuilder<> builder(module.getContext());
    auto* type = llvm::FunctionType::get(builder.getVoidTy(),
                                         {llvm::PointerType::getUnqual(module.getContext())}, false);
    auto* caller = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, caller_name, module);
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

}  // namespace

Result<void> run_host_ir(const std::string& text, const std::string& kernel,
                         std::span<std::vector<HostArgument>> sets) {
    IIR2D_TRY(llvm::orc::LLJIT* const jit, the_jit());
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(text, diagnostic, *context);
    std::string why;
    llvm::raw_string_ostream words(why);
    if (!module) {
        diagnostic.print("IR", words, false);
        return fail(ErrorKind::bad_input, words.str());
    }
    if (llvm::verifyModule(*module, &words)) return fail(ErrorKind::bad_input, words.str());
    llvm::Function* function = module->getFunction(kernel);
    if (function == nullptr || function->isDeclaration())
        return fail(ErrorKind::bad_input, "the IR has no function \"" + kernel + "\"");
    for (const llvm::Function& other : *module) {
        if (other.isDeclaration() && !other.isIntrinsic() && !may_be_called(other.getName().str()))
            return fail(ErrorKind::bad_input, "the IR calls " + other.getName().str() + ", which it may not");
    }
    IIR2D_RETURN_IF_ERROR(check_calls(*module));
    IIR2D_RETURN_IF_ERROR(check_arguments(*function, sets));
    module->setDataLayout(jit->getDataLayout());
    add_caller(*module, *function);

    static int count = 0;
    auto library = jit->createJITDylib("kernel" + std::to_string(count++));
    if (!library) return fail(ErrorKind::device_failure, words_of(library.takeError()));
    const auto allowed = [jit](const llvm::orc::SymbolStringPtr& name) {
        static_cast<void>(jit);
        return may_be_called((*name).str());
    };
    auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit->getDataLayout().getGlobalPrefix(), allowed);
    if (!symbols) return fail(ErrorKind::device_failure, words_of(symbols.takeError()));
    library->addGenerator(std::move(*symbols));
    const auto run = [&]() -> Result<void> {
        if (auto error = jit->addIRModule(*library,
                                          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
            return fail(ErrorKind::bad_input, words_of(std::move(error)));
        auto address = jit->lookup(*library, caller_name);
        if (!address) return fail(ErrorKind::bad_input, words_of(address.takeError()));
        auto* caller = address->toPtr<void (*)(void**)>();
        for (auto& set : sets) {
            IIR2D_RETURN_IF_ERROR(call_on(caller, set));
        }
        return {};
    };
    auto result = run();
    llvm::consumeError(jit->getExecutionSession().removeJITDylib(*library));
    return result;
}

}  // namespace app
