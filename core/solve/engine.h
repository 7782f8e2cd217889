// SPDX-License-Identifier: MIT
// Runs the solvers' kernels. All engines give the same bits: the kernels' operations are exact, nothing is
// contracted, and sums have one order.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "core/solve/kernels.h"
#include "core/solve/names.h"
#include "core/support/error.h"

namespace workbench::solve {

enum class EngineKind : std::uint8_t { compiled, interpreter, llvm, ptx };
template <>
inline constexpr std::array<std::string_view, 4> names_of<EngineKind>{"compiled", "interpreter", "llvm",
                                                                      "ptx"};

// An argument of a launch: an array, which lives until it ends, or a number. Arrays of one launch do not
// overlap where one is written.
struct Value {
    void* data = nullptr;  // of an array
    std::size_t bytes = 0;
    bool is_array = false;
    bool is_written = false;
    bool is_whole = false;  // i32, else f64
    double number = 0;
    std::int32_t whole = 0;

    // NOLINTBEGIN(google-explicit-constructor): what a launch is given
    Value(std::span<const double> array)
        : data(const_cast<double*>(array.data())), bytes(array.size_bytes()), is_array(true) {}
    Value(std::span<const std::int32_t> array)
        : data(const_cast<std::int32_t*>(array.data())),
          bytes(array.size_bytes()),
          is_array(true),
          is_whole(true) {}
    Value(const std::vector<double>& array) : Value(std::span(array)) {}
    Value(const std::vector<std::int32_t>& array) : Value(std::span(array)) {}
    Value(double value) : number(value) {}
    Value(std::int32_t value) : is_whole(true), whole(value) {}
    // NOLINTEND(google-explicit-constructor)
    static Value out(std::span<double> array) {
        Value made{std::span<const double>(array)};
        made.is_written = true;
        return made;
    }
};

class Engine {
  public:
    Engine() = default;
    virtual ~Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    virtual EngineKind kind() const = 0;
    // Runs n threads of a kernel, which have returned when it does. The values are the kernel's parameters in
    // order, but for n and m. For one thread at a time.
    virtual Result<void> run(std::string_view kernel, std::initializer_list<Value> values, std::int32_t n,
                             std::int32_t m) = 0;
};

// Returns the printed kernels, on so many threads, at least 1; results do not depend on how many.
std::unique_ptr<Engine> make_compiled_engine(int threads);
// Returns the interpreter, on the trees that it is given.
std::unique_ptr<Engine> make_interpreter_engine(Trees trees = tree_of);
// Makes an engine. device_failure: there is no compiler for it here.
Result<std::unique_ptr<Engine>> make_engine(EngineKind kind, int threads, const std::stop_token& stop);

}  // namespace workbench::solve
