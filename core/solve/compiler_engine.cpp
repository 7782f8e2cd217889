// SPDX-License-Identifier: MIT
#include "core/solve/compiler_engine.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/compile/compiler.h"
#include "core/compile/run_ptx.h"
#include "core/ptx/ptx.h"
#include "core/support/try.h"
#include "core/synth/print.h"

namespace workbench::solve {

namespace {

template <class T>
void add_number(std::vector<compile::Argument>& to, T value) {
    compile::Argument made;
    made.bytes.resize(sizeof value);
    std::memcpy(made.bytes.data(), &value, sizeof value);
    to.push_back(std::move(made));
}

std::vector<compile::Argument> arguments_of(std::span<const Value> values, std::int32_t n, std::int32_t m) {
    std::vector<compile::Argument> made;
    for (const Value& value : values) {
        if (value.is_array) {
            compile::Argument argument{.is_array = true, .is_output = value.is_written};
            argument.bytes.resize(value.bytes);
            if (value.bytes != 0) std::memcpy(argument.bytes.data(), value.data, value.bytes);
            made.push_back(std::move(argument));
        } else if (value.is_whole) {
            add_number(made, value.whole);
        } else {
            add_number(made, value.number);
        }
    }
    add_number(made, n);
    add_number(made, m);
    return made;
}

class CompilerEngine : public Engine {
  public:
    CompilerEngine(EngineKind kind, compile::Compiler compiler, std::string target, std::stop_token stop)
        : m_kind(kind),
          m_compiler(std::move(compiler)),
          m_target(std::move(target)),
          m_stop(std::move(stop)) {}
    EngineKind kind() const override { return m_kind; }

    Result<void> run(std::string_view kernel, std::initializer_list<Value> values, std::int32_t n,
                     std::int32_t m) override {
        IIR2D_TRY(const Text* const text, text_of(kernel));
        const auto arguments = arguments_of(values, n, m);
        std::vector<std::vector<std::byte>> outputs;
        if (m_kind == EngineKind::ptx) {
            const compile::PtxRun how{
                .kernel = std::string(kernel),
                .grid = {static_cast<std::uint32_t>((n + synth::block_threads - 1) / synth::block_threads), 1,
                         1},
                .block = {synth::block_threads, 1, 1}};
            IIR2D_TRY(auto made, compile::run_ptx(*text->module, how, arguments));
            if (made.outcome.findings_total != 0)
                return fail(ErrorKind::device_failure, made.outcome.findings[0].message);
            outputs = std::move(made.outputs);
        } else {
            const compile::HostRun how{text->host, std::string(kernel), {arguments}};
            IIR2D_TRY(auto made, m_compiler.run_host(std::span(&how, 1), m_stop));
            if (!made[0].error.empty()) return fail(ErrorKind::device_failure, made[0].error);
            outputs = std::move(made[0].outputs[0]);
        }
        std::size_t next = 0;
        for (const Value& value : values) {
            if (!value.is_written) continue;
            const auto& bytes = outputs[next++];
            if (!bytes.empty()) std::memcpy(value.data, bytes.data(), bytes.size());
        }
        return {};
    }

  private:
    struct Text {
        std::string host;
        std::optional<ptx::Module> module;
    };

    // Compiled when it is first needed.
    Result<const Text*> text_of(std::string_view kernel) {
        const auto found = m_texts.find(kernel);
        if (found != m_texts.end()) return &found->second;
        const synth::Tree& tree = tree_of(kernel);
        const std::string name(kernel);
        const bool cuda = compile::takes_cuda(m_target);
        const compile::Source source{.text = cuda ? print_cuda(tree) : print_cpp(tree),
                                     .name = name + (cuda ? ".cu" : ".cpp"),
                                     .kernels = {name}};
        IIR2D_TRY(const auto compiled, m_compiler.compile(m_target, std::span(&source, 1), {}, m_stop));
        if (compiled[0].end != compile::Compiled::End::made || compiled[0].kernels.size() != 1)
            return fail(ErrorKind::device_failure, m_target + ": " + name + ": " + compiled[0].message);
        Text made;
        if (m_kind == EngineKind::ptx) {
            IIR2D_TRY(made.module, ptx::Module::parse(compiled[0].kernels[0].text));
        } else {
            made.host = compiled[0].kernels[0].text;
        }
        return &m_texts.emplace(name, std::move(made)).first->second;
    }

    EngineKind m_kind;
    compile::Compiler m_compiler;
    std::string m_target;
    std::stop_token m_stop;
    std::map<std::string, Text, std::less<>> m_texts;
};

}  // namespace

Result<std::unique_ptr<Engine>> make_compiler_engine(EngineKind kind, const std::stop_token& stop) {
    compile::Compiler compiler;
    IIR2D_TRY(const auto targets, compiler.targets(stop));
    const std::string_view wanted = kind == EngineKind::ptx ? "ptx-nvrtc:sm_90" : "llvm-host-o2";
    for (const compile::TargetState& one : targets) {
        if (one.target != wanted) continue;
        if (!one.is_available)
            return fail(ErrorKind::device_failure, "--engine " + std::string(name_of(kind)) + ": " +
                                                       one.target + " is not available: " + one.reason);
        return std::make_unique<CompilerEngine>(kind, std::move(compiler), one.target, stop);
    }
    return fail(ErrorKind::device_failure,
                "--engine " + std::string(name_of(kind)) + ": there is no target " + std::string(wanted));
}

}  // namespace workbench::solve
