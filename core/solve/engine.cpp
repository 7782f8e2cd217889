// SPDX-License-Identifier: MIT
#include "core/solve/engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/synth/interpret.h"

#if defined(IIR2D_HAS_SYNTH)
#include "core/solve/compiler_engine.h"
#endif

namespace workbench::solve {

namespace {

constexpr std::size_t most_values = 24;

// Below this many elements a launch takes less time than waking the other threads.
constexpr std::int64_t worth_dividing = 32768;

// Threads that run parts of a launch, and wait in between.
class ThreadTeam {
  public:
    explicit ThreadTeam(int threads) {
        for (int k = 1; k < threads; ++k) m_threads.emplace_back([this, k] { work(k); });
    }
    ~ThreadTeam() {
        m_ends = true;
        m_round.fetch_add(1, std::memory_order_release);
        m_round.notify_all();
    }
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    int size() const { return static_cast<int>(m_threads.size()) + 1; }

    void run(void (*kernel)(void* const*, int, int), void* const* arguments, std::int32_t n) {
        m_kernel = kernel;
        m_arguments = arguments;
        m_n = n;
        m_busy.store(static_cast<int>(m_threads.size()), std::memory_order_relaxed);
        m_round.fetch_add(1, std::memory_order_release);
        m_round.notify_all();
        part(0);
        for (int left = m_busy.load(std::memory_order_acquire); left != 0;
             left = m_busy.load(std::memory_order_acquire))
            m_busy.wait(left, std::memory_order_acquire);
    }

  private:
    void part(int k) const {
        const auto at = [&](std::int64_t edge) {
            return static_cast<int>(edge * m_n / static_cast<std::int64_t>(size()));
        };
        m_kernel(m_arguments, at(k), at(k + 1));
    }
    void work(int k) {
        for (unsigned seen = 0;; ++seen) {
            m_round.wait(seen, std::memory_order_acquire);
            if (m_ends) return;
            part(k);
            if (m_busy.fetch_sub(1, std::memory_order_acq_rel) == 1) m_busy.notify_one();
        }
    }

    void (*m_kernel)(void* const*, int, int) = nullptr;
    void* const* m_arguments = nullptr;
    std::int32_t m_n = 0;
    std::atomic<unsigned> m_round{0};
    std::atomic<int> m_busy{0};
    std::atomic<bool> m_ends{false};
    std::vector<std::jthread> m_threads;
};

class CompiledEngine : public Engine {
  public:
    explicit CompiledEngine(int threads) : m_team(std::max(threads, 1)) {
        for (const CompiledKernel& kernel : compiled_kernels()) m_kernels.emplace(kernel.name, &kernel);
    }
    EngineKind kind() const override { return EngineKind::compiled; }

    Result<void> run(std::string_view kernel, std::initializer_list<Value> values, std::int32_t n,
                     std::int32_t m) override {
        const auto found = m_kernels.find(kernel);
        if (found == m_kernels.end() || values.size() + 2 > most_values)
            return fail(ErrorKind::device_failure, "kernels.gen.cpp has no " + std::string(kernel));
        std::array<Value, most_values> kept = copy(values);
        std::array<void*, most_values> arguments{};
        for (std::size_t k = 0; k < values.size(); ++k) {
            Value& value = kept[k];
            arguments[k] = value.is_array   ? value.data
                           : value.is_whole ? static_cast<void*>(&value.whole)
                                            : static_cast<void*>(&value.number);
        }
        arguments[values.size()] = &n;
        arguments[values.size() + 1] = &m;
        const CompiledKernel& one = *found->second;
        const std::int64_t work = std::int64_t{n} * std::max(m, 1);
        if (!one.is_divisible || m_team.size() == 1 || n < m_team.size() || work < worth_dividing)
            one.run(arguments.data(), 0, n);
        else
            m_team.run(one.run, arguments.data(), n);
        return {};
    }

  private:
    static std::array<Value, most_values> copy(std::initializer_list<Value> values) {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            const auto* at = values.begin();
            return std::array<Value, most_values>{(K < values.size() ? at[K] : Value(0.0))...};
        }
        (std::make_index_sequence<most_values>());
    }

    ThreadTeam m_team;
    std::unordered_map<std::string_view, const CompiledKernel*> m_kernels;
};

class InterpreterEngine : public Engine {
  public:
    explicit InterpreterEngine(Trees trees) : m_trees(std::move(trees)) {}
    EngineKind kind() const override { return EngineKind::interpreter; }

    Result<void> run(std::string_view kernel, std::initializer_list<Value> values, std::int32_t n,
                     std::int32_t m) override {
        const synth::Tree& tree = m_trees(kernel);
        std::vector<synth::Argument> arguments;
        for (const Value& value : values) arguments.push_back(argument_of(value));
        for (const std::int32_t extent : {n, m})
            arguments.push_back({.type = synth::Type::i32, .slots = {static_cast<std::uint32_t>(extent)}});
        const synth::Interpreted made = synth::interpret(
            tree, arguments, {.mode = synth::Mode::values, .most_steps = std::uint64_t{1} << 48});
        if (!made.error.empty())
            return fail(ErrorKind::device_failure, std::string(kernel) + ": " + made.error);
        std::size_t k = 0;
        for (const Value& value : values) {
            const synth::Argument& argument = arguments[k++];
            if (!value.is_written) continue;
            auto* const to = static_cast<double*>(value.data);
            for (std::size_t at = 0; at < argument.slots.size(); ++at)
                to[at] = std::bit_cast<double>(argument.slots[at]);
        }
        return {};
    }

  private:
    static synth::Argument argument_of(const Value& value) {
        synth::Argument made{.type = value.is_whole ? synth::Type::i32 : synth::Type::f64};
        if (!value.is_array) {
            made.slots = {value.is_whole ? static_cast<std::uint32_t>(value.whole)
                                         : std::bit_cast<std::uint64_t>(value.number)};
        } else if (value.is_whole) {
            const std::span numbers_given(static_cast<const std::int32_t*>(value.data),
                                          value.bytes / sizeof(std::int32_t));
            for (const std::int32_t one : numbers_given)
                made.slots.push_back(static_cast<std::uint32_t>(one));
        } else {
            made.slots.resize(value.bytes / sizeof(double));
            if (value.bytes != 0) std::memcpy(made.slots.data(), value.data, value.bytes);
        }
        return made;
    }

    Trees m_trees;
};

}  // namespace

std::unique_ptr<Engine> make_compiled_engine(int threads) {
    return std::make_unique<CompiledEngine>(threads);
}

std::unique_ptr<Engine> make_interpreter_engine(Trees trees) {
    return std::make_unique<InterpreterEngine>(std::move(trees));
}

Result<std::unique_ptr<Engine>> make_engine(EngineKind kind, int threads,
                                            [[maybe_unused]] const std::stop_token& stop) {
    if (kind == EngineKind::compiled) return make_compiled_engine(threads);
    if (kind == EngineKind::interpreter) return make_interpreter_engine();
#if defined(IIR2D_HAS_SYNTH)
    return make_compiler_engine(kind, stop);
#else
    return fail(ErrorKind::device_failure, "the engine " + std::string(name_of(kind)) +
                                               " needs the compiler process, which this build has not");
#endif
}

}  // namespace workbench::solve
