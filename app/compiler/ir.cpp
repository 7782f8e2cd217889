// SPDX-License-Identifier: MIT
// From the module of a whole program to the IR, or the PTX, of each kernel alone.
#include "app/compiler/ir.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>
#if LLVM_VERSION_MAJOR >= 17
#include <llvm/TargetParser/Triple.h>
#else
#include <llvm/ADT/Triple.h>
#endif

#include <algorithm>
#include <map>
#include <set>

#include "core/compile/ptx_text.h"
#include "core/support/try.h"

namespace app {

namespace {

using workbench::ErrorKind;
using workbench::fail;
using workbench::Result;

#if LLVM_VERSION_MAJOR >= 18
constexpr auto optimise_code = llvm::CodeGenOptLevel::Default;
constexpr auto assembly_file = llvm::CodeGenFileType::AssemblyFile;
#else
constexpr auto optimise_code = llvm::CodeGenOpt::Default;
constexpr auto assembly_file = llvm::CGFT_AssemblyFile;
#endif

Result<std::unique_ptr<llvm::TargetMachine>> machine_of(const ClangTask& task) {
    static const bool is_ready = [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
        return true;
    }();
    static_cast<void>(is_ready);
    const std::string triple = task.is_device ? "nvptx64-nvidia-cuda" : "x86_64-pc-linux-gnu";
    const std::string processor = task.is_device ? "sm_" + std::to_string(task.sm) : "x86-64-v2";
    const std::string features = !task.is_device ? "" : task.sm >= 89 ? "+ptx78" : "+ptx74";
    std::string why;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, why);
    if (target == nullptr)
        return fail(ErrorKind::device_failure, "LLVM has no target " + triple + ": " + why);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple, processor, features, options, llvm::Reloc::PIC_, std::nullopt, optimise_code));
}

// Everything that a kernel needs: itself, what it names, what that names.
std::set<const llvm::GlobalValue*> reached_from(const llvm::Function& kernel) {
    std::set<const llvm::GlobalValue*> reached;
    std::set<const llvm::Constant*> seen;
    std::vector<const llvm::Constant*> open{&kernel};
    const auto look_at = [&](const llvm::Value* value) {
        if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
            constant != nullptr && seen.insert(constant).second)
            open.push_back(constant);
    };
    seen.insert(&kernel);
    while (!open.empty()) {
        const llvm::Constant* constant = open.back();
        open.pop_back();
        if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant)) reached.insert(global);
        for (const llvm::Use& operand : constant->operands()) look_at(operand.get());
        if (const auto* function = llvm::dyn_cast<llvm::Function>(constant)) {
            for (const llvm::BasicBlock& block : *function) {
                for (const llvm::Instruction& instruction : block) {
                    for (const llvm::Use& operand : instruction.operands()) look_at(operand.get());
                }
            }
        }
    }
    return reached;
}

// Where the text of inline assembly stood in the program.
void drop_places_of_assembly(llvm::Module& module) {
    for (llvm::Function& function : module) {
        for (llvm::BasicBlock& block : function) {
            for (llvm::Instruction& instruction : block) instruction.setMetadata("srcloc", nullptr);
        }
    }
}

// Whether metadata that names kernels names this one.
bool names(const llvm::MDNode& node, const llvm::Function& kernel) {
    const auto* value = node.getNumOperands() == 0
                            ? nullptr
                            : llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node.getOperand(0).get());
    return value != nullptr && value->getValue() == &kernel;
}

// The name of a helper without its source's namespace, "iir2d_k07::clamp(float)" as "clamp".
std::string plain_name(const std::string& mangled) {
    std::string name = llvm::demangle(mangled);
    name = name.substr(0, name.find('('));
    const std::size_t at = name.rfind("::");
    return at == std::string::npos ? name : name.substr(at + 2);
}

// LLVM's own is spelled otherwise in each version.
bool starts_with(llvm::StringRef text, std::string_view beginning) {
    return std::string_view(text.data(), text.size()).starts_with(beginning);
}

// Names that depend on where the source stood in the program are made anew.
void rename_locals(llvm::Module& module, const std::string& space) {
    int texts = 0;
    for (llvm::GlobalVariable& variable : module.globals()) {
        if (variable.hasPrivateLinkage() && starts_with(variable.getName(), ".str"))
            variable.setName(".text." + std::to_string(texts++));
    }
    const auto rename = [&](llvm::GlobalValue& value) {
        if (value.getName().contains(space) && value.hasLocalLinkage())
            value.setName(plain_name(value.getName().str()));
    };
    for (llvm::GlobalVariable& variable : module.globals()) rename(variable);
    for (llvm::Function& function : module) rename(function);
}

// What is only declared comes last, by name: elsewhere it stands where the program first named it.
void sort_declarations(llvm::Module& module) {
    std::vector<llvm::Function*> declared;
    for (llvm::Function& function : module) {
        if (function.isDeclaration()) declared.push_back(&function);
    }
    std::ranges::sort(declared, {}, [](const llvm::Function* function) { return function->getName().str(); });
    for (llvm::Function* function : declared) {
        function->removeFromParent();
        module.getFunctionList().push_back(function);
    }
}

void copy_metadata(const llvm::GlobalObject& from, llvm::GlobalObject& to, llvm::ValueToValueMapTy& map) {
    llvm::SmallVector<std::pair<unsigned, llvm::MDNode*>, 1> all;
    from.getAllMetadata(all);
    for (const auto& [kind, node] : all) to.addMetadata(kind, *llvm::MapMetadata(node, map));
}

void copy_comdat(const llvm::GlobalObject& from, llvm::GlobalObject& to) {
    const llvm::Comdat* comdat = from.getComdat();
    if (comdat == nullptr) return;
    llvm::Comdat* made = to.getParent()->getOrInsertComdat(comdat->getName());
    made->setSelectionKind(comdat->getSelectionKind());
    to.setComdat(made);
}

void copy_body(const llvm::Function& from, llvm::Function& to, llvm::ValueToValueMapTy& map) {
    auto* argument = to.arg_begin();
    for (const llvm::Argument& one : from.args()) {
        argument->setName(one.getName());
        map[&one] = argument++;
    }
    llvm::SmallVector<llvm::ReturnInst*, 8> returns;
    llvm::CloneFunctionInto(&to, &from, map, llvm::CloneFunctionChangeType::ClonedModule, returns);
    if (from.hasPersonalityFn()) to.setPersonalityFn(llvm::MapValue(from.getPersonalityFn(), map));
    copy_comdat(from, to);
}

// Named metadata that the text keeps: of what names kernels, what names this one.
void copy_named_metadata(const llvm::Module& from, const llvm::Function& kernel, llvm::Module& to,
                         llvm::ValueToValueMapTy& map) {
    for (const llvm::NamedMDNode& node : from.named_metadata()) {
        const bool names_kernels = node.getName() == "nvvm.annotations";
        if (!names_kernels && node.getName() != "llvm.module.flags" &&
            !starts_with(node.getName(), "llvm.dbg"))
            continue;
        llvm::NamedMDNode* made = to.getOrInsertNamedMetadata(node.getName());
        for (const llvm::MDNode* one : node.operands()) {
            if (!names_kernels || names(*one, kernel)) made->addOperand(llvm::MapMetadata(one, map));
        }
    }
}

using Reached = std::set<const llvm::GlobalValue*>;

// Declares in a module what is reached of a program, in its order.
void declare_reached(const llvm::Module& program, const Reached& reached, llvm::Module& made,
                     llvm::ValueToValueMapTy& map) {
    for (const llvm::GlobalVariable& one : program.globals()) {
        if (!reached.contains(&one)) continue;
        auto* variable = new llvm::GlobalVariable(  // NOLINT: the module's
            made, one.getValueType(), one.isConstant(), one.getLinkage(), nullptr, one.getName(), nullptr,
            one.getThreadLocalMode(), one.getType()->getAddressSpace());
        variable->copyAttributesFrom(&one);
        map[&one] = variable;
    }
    for (const llvm::Function& one : program) {
        if (!reached.contains(&one)) continue;
        llvm::Function* function = llvm::Function::Create(one.getFunctionType(), one.getLinkage(),
                                                          one.getAddressSpace(), one.getName(), &made);
        function->copyAttributesFrom(&one);
        map[&one] = function;
    }
    for (const llvm::GlobalAlias& one : program.aliases()) {
        if (!reached.contains(&one)) continue;
        auto* alias = llvm::GlobalAlias::create(one.getValueType(), one.getType()->getAddressSpace(),
                                                one.getLinkage(), one.getName(), &made);
        alias->copyAttributesFrom(&one);
        map[&one] = alias;
    }
}

// Gives what was declared its values and bodies.
void define_reached(const llvm::Module& program, const Reached& reached, llvm::ValueToValueMapTy& map) {
    for (const llvm::GlobalVariable& one : program.globals()) {
        if (!reached.contains(&one)) continue;
        auto* variable = llvm::cast<llvm::GlobalVariable>(map[&one]);
        copy_metadata(one, *variable, map);
        if (one.hasInitializer()) variable->setInitializer(llvm::MapValue(one.getInitializer(), map));
        copy_comdat(one, *variable);
    }
    for (const llvm::Function& one : program) {
        if (!reached.contains(&one)) continue;
        auto* function = llvm::cast<llvm::Function>(map[&one]);
        if (one.isDeclaration())
            copy_metadata(one, *function, map);
        else
            copy_body(one, *function, map);
    }
    for (const llvm::GlobalAlias& one : program.aliases()) {
        if (reached.contains(&one))
            llvm::cast<llvm::GlobalAlias>(map[&one])->setAliasee(llvm::MapValue(one.getAliasee(), map));
    }
}

// Clones what a kernel needs into a module of its own. llvm::CloneModule() would declare all that the program
// has, each time.
std::unique_ptr<llvm::Module> alone(const llvm::Module& program, const llvm::Function& kernel,
                                    const std::string& space) {
    const Reached reached = reached_from(kernel);
    auto made = std::make_unique<llvm::Module>(program.getModuleIdentifier(), program.getContext());
    made->setSourceFileName("");
    made->setDataLayout(program.getDataLayout());
    made->setTargetTriple(program.getTargetTriple());
    made->setModuleInlineAsm(program.getModuleInlineAsm());
    llvm::ValueToValueMapTy map;
    declare_reached(program, reached, *made, map);
    define_reached(program, reached, map);
    copy_named_metadata(program, kernel, *made, map);
    drop_places_of_assembly(*made);
    rename_locals(*made, space);
    sort_declarations(*made);
    return made;
}

// Optimises modules one after the other; what passes ask is registered once for all.
class Optimiser {
  public:
    Optimiser(llvm::TargetMachine& machine, int level)
        : m_level(level), m_builder(&machine, tuning_of(level)) {
        m_builder.registerModuleAnalyses(m_modules);
        m_builder.registerCGSCCAnalyses(m_graphs);
        m_builder.registerFunctionAnalyses(m_functions);
        m_builder.registerLoopAnalyses(m_loops);
        m_builder.crossRegisterProxies(m_loops, m_functions, m_graphs, m_modules);
    }
    void run(llvm::Module& module) {
        // Made anew for each module: the inliner moves its passes out when it runs.
        auto passes = m_level == 0 ? m_builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                                   : m_builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
        passes.run(module, m_modules);
        // What is known of one module is not asked of the next, which may lie at its address.
        m_modules.clear();
        m_graphs.clear();
        m_functions.clear();
        m_loops.clear();
    }

  private:
    static llvm::PipelineTuningOptions tuning_of(int level) {
        llvm::PipelineTuningOptions tuning;
        tuning.SLPVectorization = level > 0;
        return tuning;
    }

    int m_level;
    llvm::PassBuilder m_builder;
    llvm::LoopAnalysisManager m_loops;
    llvm::FunctionAnalysisManager m_functions;
    llvm::CGSCCAnalysisManager m_graphs;
    llvm::ModuleAnalysisManager m_modules;
};

// Notes on which line of the text each instruction is printed that has a line of the source.
class Lines : public llvm::AssemblyAnnotationWriter {
  public:
    void emitInstructionAnnot(const llvm::Instruction* instruction,
                              llvm::formatted_raw_ostream& out) override {
        out.flush();
        const auto at = m_source.find(instruction);
        if (at != m_source.end()) made.emplace_back(static_cast<int>(out.getLine()) + 1, at->second);
    }
    // Reads the lines of the source, then takes them away: the text is to be the one without them.
    void take(llvm::Module& module, const std::string& file) {
        for (const llvm::Function& function : module) {
            for (const llvm::BasicBlock& block : function) {
                for (const llvm::Instruction& instruction : block) {
                    const llvm::DebugLoc& where = instruction.getDebugLoc();
                    if (where && where.getLine() != 0 && where->getFilename() == file)
                        m_source.emplace(&instruction, static_cast<int>(where.getLine()));
                }
            }
        }
        if (llvm::StripDebugInfo(module)) drop_debug_flags(module);
    }
    std::vector<std::pair<int, int>> made;

  private:
    // The versions of the line information, which is gone.
    static void drop_debug_flags(llvm::Module& module) {
        llvm::NamedMDNode* all = module.getModuleFlagsMetadata();
        if (all == nullptr) return;
        std::vector<llvm::MDNode*> kept;
        for (llvm::MDNode* node : all->operands()) {
            const auto* name = llvm::dyn_cast<llvm::MDString>(node->getOperand(1).get());
            if (name == nullptr ||
                (name->getString() != "Dwarf Version" && name->getString() != "Debug Info Version"))
                kept.push_back(node);
        }
        all->clearOperands();
        for (llvm::MDNode* node : kept) all->addOperand(node);
    }

    std::map<const llvm::Instruction*, int> m_source;
};

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

IrText printed(llvm::Module& module, const std::string& space, const std::string& file) {
    IrText made;
    Lines lines;
    lines.take(module, file);
    {
        llvm::raw_string_ostream text(made.text);
        module.print(text, &lines);
    }
    made.lines = std::move(lines.made);
    int gone = 0;
    while (made.text.starts_with("; ModuleID") || made.text.starts_with("\n")) {
        made.text.erase(0, made.text.find('\n') + 1);
        ++gone;
    }
    for (auto& [line, source] : made.lines) line -= gone;
    // Types of the source keep its namespace, which is where it stood in the program.
    replace_all(made.text, space + "::", "");
    replace_all(made.text, space, namespace_of_source(0));
    return made;
}

Result<IrText> ptx_of(llvm::Module& module, llvm::TargetMachine& machine, const std::string& kernel,
                      const std::string& file) {
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream out(text);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, out, nullptr, assembly_file))
        return fail(ErrorKind::device_failure, "LLVM cannot write PTX");
    passes.run(module);
    IIR2D_TRY(const auto program,
              workbench::compile::PtxProgram::parse(std::string_view(text.data(), text.size())));
    IIR2D_TRY(auto cut, program.cut(kernel, file));
    return IrText{.kernel = kernel, .text = std::move(cut.text), .lines = std::move(cut.lines)};
}

bool is_kernel(const llvm::Function& function, bool is_device) {
    if (function.isDeclaration() || function.hasLocalLinkage()) return false;
    if (!is_device) return !function.hasLinkOnceLinkage();
    const llvm::NamedMDNode* all = function.getParent()->getNamedMetadata("nvvm.annotations");
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) return true;
    if (all == nullptr) return false;
    for (const llvm::MDNode* node : all->operands()) {
        const auto* value = node->getNumOperands() < 2
                                ? nullptr
                                : llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node->getOperand(0).get());
        const auto* what =
            value == nullptr ? nullptr : llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(1).get());
        if (value != nullptr && value->getValue() == &function && what != nullptr &&
            what->getString() == "kernel")
            return true;
    }
    return false;
}

std::string joined_program(std::span<const ClangSource> sources, const ClangTask& task) {
    std::string made;
    if (!task.is_device) made += "#include <math.h>\n";
    for (std::size_t k = 0; k < sources.size(); ++k) {
        made += task.is_device ? "" : "namespace " + namespace_of_source(k) + " {\n";
        made += "#line 1 \"" + sources[k].name + "\"\n" + sources[k].text;
        made += task.is_device ? "\n" : "\n}\n";
    }
    return made;
}

Result<IrText> text_of(const llvm::Module& program, const llvm::Function& kernel, const ClangSource& source,
                       std::size_t k, const ClangTask& task, llvm::TargetMachine& machine,
                       Optimiser& optimiser) {
    const std::string space = namespace_of_source(k);
    const auto module = alone(program, kernel, space);
    optimiser.run(*module);
    if (task.makes_ptx) return ptx_of(*module, machine, kernel.getName().str(), source.name);
    IrText made = printed(*module, space, source.name);
    made.kernel = kernel.getName().str();
    return made;
}

}  // namespace

std::string namespace_of_source(std::size_t k) {
    return "iir2d_k" + std::string(k < 10 ? "0" : "") + std::to_string(k);
}

Result<std::vector<std::vector<IrText>>> compile_with_clang(std::span<const ClangSource> sources,
                                                            const ClangTask& task) {
    IIR2D_TRY(const auto machine, machine_of(task));
    llvm::LLVMContext context;
    std::string log;
    const auto program = parse_program(context, joined_program(sources, task), task, log);
    if (!program) return fail(ErrorKind::bad_input, log.empty() ? "the source does not compile" : log);
    std::vector<std::vector<IrText>> made(sources.size());
    Optimiser optimiser(*machine, task.optimisation);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        std::vector<std::string> kernels = sources[k].kernels;
        if (kernels.empty()) {
            for (const llvm::Function& function : *program) {
                if (is_kernel(function, task.is_device)) kernels.push_back(function.getName().str());
            }
        }
        for (const std::string& name : kernels) {
            const llvm::Function* kernel = program->getFunction(name);
            if (kernel == nullptr || !is_kernel(*kernel, task.is_device))
                return fail(ErrorKind::bad_input, "the source has no kernel \"" + name + "\"");
            IIR2D_TRY(IrText text, text_of(*program, *kernel, sources[k], k, task, *machine, optimiser));
            made[k].push_back(std::move(text));
        }
    }
    return made;
}

}  // namespace app
