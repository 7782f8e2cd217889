// SPDX-License-Identifier: MIT
#include "core/inspect/toolchain.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/compile/run_ptx.h"
#include "core/support/try.h"
#include "core/synth/expect.h"
#include "core/synth/print.h"
#include "iir2d/gpu_module.h"

namespace workbench::inspect {

namespace {

// Of a launch in a data set: 65,536 steps of a thread, in 8 warps, are far below. What somebody wrote has the
// time of its limit.
constexpr std::uint64_t most_instructions = std::uint64_t{1} << 24;

std::vector<compile::Argument> given(const synth::Tree& tree, const std::vector<synth::Argument>& set) {
    std::vector<compile::Argument> made;
    for (std::size_t k = 0; k < set.size(); ++k) {
        const synth::Symbol& symbol = tree.symbols[tree.kernel.parameters[k]];
        made.push_back({synth::bytes_of(set[k]), synth::is_array_parameter(symbol.kind),
                        synth::is_written(symbol.kind)});
    }
    return made;
}

void take_outputs(const synth::Tree& tree, const std::vector<std::vector<std::byte>>& outputs,
                  std::vector<synth::Argument>& set) {
    std::size_t next = 0;
    for (std::size_t k = 0; k < set.size() && next < outputs.size(); ++k) {
        if (synth::is_written(tree.symbols[tree.kernel.parameters[k]].kind))
            synth::take_bytes(set[k], outputs[next++].data());
    }
}

// Asks to stop as soon as a limit is over: at its deadline from a thread of its own.
class StopAtLimit {
  public:
    explicit StopAtLimit(const TimeLimit& limit) : m_relay(limit.stop, [this] { m_source.request_stop(); }) {
        if (!limit.has_deadline()) return;
        m_clock = std::jthread([this, deadline = limit.deadline](const std::stop_token& done) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            if (!std::condition_variable_any().wait_until(lock, done, deadline,
                                                          [&] { return done.stop_requested(); }))
                m_source.request_stop();
        });
    }
    std::stop_token token() const { return m_source.get_token(); }

  private:
    std::stop_source m_source;
    std::stop_callback<std::function<void()>> m_relay;
    std::jthread m_clock;
};

class CompilerProcess : public synth::Toolchain {
  public:
    explicit CompilerProcess(TimeLimit limit, std::optional<iir2d::Device> gpu = {})
        : m_limit(std::move(limit)), m_gpu(gpu) {
        m_compiler.set_deadline(m_limit.deadline);
    }

    Result<std::vector<synth::KernelText>> compile(const synth::Target& target,
                                                   const std::vector<synth::KernelSource>& sources) override {
        std::vector<compile::Source> wanted;
        for (const synth::KernelSource& source : sources) {
            // What the prelude has is in each of them. The compiler process does the same for the host's.
            std::string text = target.takes_cuda
                                   ? "namespace of_" + source.name + " {\n" + source.text + "}\n"
                                   : source.text;
            wanted.push_back(
                {std::move(text), source.name + (target.takes_cuda ? ".cu" : ".cpp"), {source.name}});
        }
        auto compiled = m_compiler.compile(target.name, wanted, {}, m_limit.stop);
        if (!compiled) return failed(compiled.error());
        std::vector<synth::KernelText> made;
        for (compile::Compiled& one : *compiled) {
            using End = compile::Compiled::End;
            if (one.end == End::made && one.kernels.size() == 1)
                made.push_back({std::move(one.kernels[0].text), "", false});
            else
                made.push_back(
                    {"", one.message.empty() ? "no text" : one.message, one.end == End::compiler_died});
        }
        return made;
    }

    Result<std::vector<std::string>> run(const synth::Target& target,
                                         std::vector<synth::Execution>& runs) override {
        return target.is_host ? run_host(runs) : run_ptx(runs);
    }

    Result<std::vector<std::string>> run_on_gpu(const synth::Target& target,
                                                std::vector<synth::Execution>& runs,
                                                synth::DriverCompiles how) override {
        if (!m_gpu) return synth::Toolchain::run_on_gpu(target, runs, how);
        std::vector<std::string> made;
        for (synth::Execution& one : runs) {
            const auto done = run_one_on_gpu(*m_gpu, one, how);
            made.push_back(done ? "" : done.error().message);
        }
        return made;
    }

    Result<std::vector<synth::Assembly>> assemble(const synth::Target& target,
                                                  const std::vector<const std::string*>& texts) override {
        int sm = 0;
        const std::string_view number = std::string_view(target.name).substr(target.name.find('_') + 1);
        std::from_chars(number.data(), number.data() + number.size(), sm);
        std::vector<synth::Assembly> made;
        for (const std::string* text : texts) {
            const auto compiled = m_compiler.assemble(*text, sm, m_limit.stop);
            if (!compiled) return failed(compiled.error());
            using End = compile::Compiled::End;
            made.push_back({.error = compiled->end == End::made  ? ""
                                     : compiled->message.empty() ? "it cannot be assembled"
                                                                 : compiled->message,
                            .has_died = compiled->end == End::compiler_died});
        }
        return made;
    }

  private:
    // Tells what ends the run. What is late by the caller's deadline is the fault of the source.
    std::unexpected<Error> failed(Error error) const {
        if (m_limit.has_deadline() && m_compiler.was_late()) error.kind = ErrorKind::bad_input;
        return std::unexpected(std::move(error));
    }

    Result<std::vector<std::string>> run_host(std::vector<synth::Execution>& runs) {
        std::vector<compile::HostRun> wanted;
        for (const synth::Execution& one : runs) {
            compile::HostRun run{*one.text, one.tree->kernel.name, {}};
            for (const auto& set : one.sets) run.sets.push_back(given(*one.tree, set));
            wanted.push_back(std::move(run));
        }
        const auto results = m_compiler.run_host(wanted, m_limit.stop);
        if (!results) return failed(results.error());
        std::vector<std::string> made;
        for (std::size_t k = 0; k < runs.size(); ++k) {
            const compile::HostResult& one = (*results)[k];
            made.push_back(one.error);
            runs[k].has_died = one.has_died;
            for (std::size_t set = 0; set < one.outputs.size(); ++set)
                take_outputs(*runs[k].tree, one.outputs[set], runs[k].sets[set]);
        }
        return made;
    }

    Result<std::vector<std::string>> run_ptx(std::vector<synth::Execution>& runs) const {
        const StopAtLimit stopping(m_limit);
        std::vector<std::string> made;
        for (synth::Execution& one : runs) {
            IIR2D_TRY(std::string said, run_one(one, stopping.token()));
            made.push_back(std::move(said));
        }
        return made;
    }

    Result<std::string> run_one(synth::Execution& one, const std::stop_token& stop) const {
        const auto module = ptx::Module::parse(*one.text);
        if (!module) return module.error().message;
        for (auto& set : one.sets) {
            const auto arguments = given(*one.tree, set);
            const auto result =
                compile::run_ptx(*module,
                                 {.kernel = one.tree->kernel.name,
                                  .grid = {synth::launch_blocks, 1, 1},
                                  .block = {synth::block_threads, 1, 1},
                                  .budget = m_limit.has_deadline() ? ptx::Launch{}.budget : most_instructions,
                                  .stop = stop},
                                 arguments);
            IIR2D_RETURN_IF_ERROR(m_limit.check());
            if (!result) return result.error().message;
            if (result->outcome.findings_total) return result->outcome.findings[0].message;
            take_outputs(*one.tree, result->outputs, set);
        }
        return "";
    }

    // Arrays lie each in memory of its own, which a kernel of the data set does not leave.
    static iir2d::Result<void> run_one_on_gpu(const iir2d::Device& gpu, synth::Execution& one,
                                              synth::DriverCompiles how) {
        const auto refused = [](std::string what) {
            return std::unexpected(iir2d::Error{iir2d::ErrorCode::invalid_argument, std::move(what)});
        };
        const std::string& kernel = one.tree->kernel.name;
        const auto text = ptx::Module::parse(*one.text);
        if (!text) return refused(text.error().message);
        const ptx::EntryInfo* const entry = text->entry(kernel);
        if (entry == nullptr) return refused("the PTX has no kernel \"" + kernel + "\"");
        const auto module = how == synth::DriverCompiles::as_usual
                                ? iir2d::GpuModule::load(gpu, *one.text)
                                : iir2d::GpuModule::load(gpu, *one.text, 0);
        if (!module) return std::unexpected(module.error());
        for (auto& set : one.sets) {
            const auto arguments = given(*one.tree, set);
            if (entry->parameters.size() != arguments.size())
                return refused(kernel + " has other parameters");
            std::vector<std::byte> parameters(entry->parameter_bytes);
            std::vector<iir2d::GpuMemory> arrays;
            for (std::size_t k = 0; k < arguments.size(); ++k) {
                const compile::Argument& argument = arguments[k];
                const ptx::ParameterInfo& parameter = entry->parameters[k];
                std::uint64_t address = 0;
                const void* value = argument.bytes.data();
                if (argument.is_array) {
                    auto memory = iir2d::GpuMemory::make(gpu, argument.bytes.size());
                    if (!memory) return std::unexpected(memory.error());
                    if (auto done = memory->upload(argument.bytes); !done) return done;
                    address = memory->address();
                    arrays.push_back(*std::move(memory));
                    value = &address;
                }
                if (parameter.bytes != (argument.is_array ? sizeof address : argument.bytes.size()))
                    return refused(kernel + " has a parameter of another size");
                std::memcpy(parameters.data() + parameter.offset, value, parameter.bytes);
            }
            if (auto done = module->launch({.kernel = kernel,
                                            .grid = {synth::launch_blocks, 1, 1},
                                            .block = {synth::block_threads, 1, 1},
                                            .parameters = parameters});
                !done)
                return done;
            std::vector<std::vector<std::byte>> outputs;
            for (std::size_t k = 0, array = 0; k < arguments.size(); ++k) {
                if (!arguments[k].is_array) continue;
                const iir2d::GpuMemory& memory = arrays[array++];
                if (!arguments[k].is_output) continue;
                outputs.emplace_back(memory.bytes());
                if (auto done = memory.download(outputs.back()); !done) return done;
            }
            take_outputs(*one.tree, outputs, set);
        }
        return {};
    }

    compile::Compiler m_compiler;
    TimeLimit m_limit;
    std::optional<iir2d::Device> m_gpu;
};

}  // namespace

synth::Target data_set_target(const compile::TargetState& state) {
    synth::Target made = synth::target_named(state.target);
    made.compiler = state.version.substr(0, state.version.find(' '));
    made.version = state.version.substr(state.version.find(' ') + 1);
    made.flags = state.flags;
    return made;
}

Result<ChosenTargets> choose_targets(const std::vector<std::string>& named, const std::stop_token& stop) {
    ChosenTargets made;
    compile::Compiler compiler;
    IIR2D_TRY(made.states, compiler.targets(stop));
    for (const std::string& name : named.empty() ? compile::default_targets() : named) {
        const auto state = std::ranges::find(made.states, name, &compile::TargetState::target);
        if (state == made.states.end()) return fail(ErrorKind::bad_argument, "there is no target " + name);
        if (std::ranges::find(made.targets, name, &synth::Target::name) != made.targets.end()) continue;
        if (state->is_available) {
            made.targets.push_back(data_set_target(*state));
            continue;
        }
        if (!named.empty())
            return fail(ErrorKind::device_failure, name + " is not available: " + state->reason);
        made.unavailable.push_back(name + ": " + state->reason);
        made.stored_unavailable.push_back(name + ": " + state->stored_reason);
    }
    if (made.targets.empty())
        return fail(ErrorKind::device_failure, "there is no compiler: " + made.unavailable.front());
    return made;
}

Result<void> check_assembler(const ChosenTargets& chosen) {
    const bool is_missing = std::ranges::any_of(chosen.targets, [&](const synth::Target& target) {
        if (target.level != "V3") return false;
        const std::string cubin = "cubin" + target.name.substr(target.name.find(':'));
        const auto state = std::ranges::find(chosen.states, cubin, &compile::TargetState::target);
        return state == chosen.states.end() || !state->is_available;
    });
    if (is_missing) return fail(ErrorKind::device_failure, "V1 needs nvJitLink, which is not here");
    return {};
}

Result<std::unique_ptr<synth::Toolchain>> make_toolchain(const TimeLimit& limit) {
    return std::make_unique<CompilerProcess>(limit);
}

synth::MakeToolchain toolchains_until(const std::stop_token& stop) {
    return [stop] { return make_toolchain({stop}); };
}

synth::MakeToolchain toolchain_with(iir2d::Device gpu, const std::stop_token& stop) {
    return [gpu, stop]() -> Result<std::unique_ptr<synth::Toolchain>> {
        return std::make_unique<CompilerProcess>(TimeLimit{stop}, gpu);
    };
}

}  // namespace workbench::inspect
