// SPDX-License-Identifier: MIT
// Compilers, in a process of their own (iir2d-compiler): sources in, IR of each kernel out, host IR run. A
// process that crashes costs what it was given and a start; nothing that it does can stop the program.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/compile/argument.h"
#include "core/compile/target.h"
#include "core/support/error.h"

namespace workbench::compile {

struct Source {
    std::string text;
    std::string name = "kernels.cu";   // in messages
    std::vector<std::string> kernels;  // whose texts are wanted; none: all
};

struct KernelText {
    std::string kernel;
    std::string text;                        // PTX, LLVM IR, or base64 of a cubin
    std::vector<std::pair<int, int>> lines;  // [line of the text, line of the source]; of with_lines
};

// Holds the result of one source: its kernels' texts, or why there are none.
struct Compiled {
    enum class End { made, compiler_error, compiler_died } end = End::made;
    std::vector<KernelText> kernels;
    std::string message;  // the compiler's, or how its process ended
};

struct CompileOptions {
    std::vector<std::string> include_folders = {};
    std::vector<std::string> definitions = {};  // NAME or NAME=VALUE
    bool with_lines = false;                    // the text may be another one than without
    bool is_minimal = true;  // NVRTC without printf, textures and the like, which takes less time
    std::chrono::milliseconds patience = std::chrono::seconds(600);
};

struct HostRun {
    std::string text;  // LLVM IR as stored
    std::string kernel;
    std::vector<std::vector<Argument>> sets;
};
struct HostResult {
    std::vector<std::vector<std::vector<std::byte>>>
        outputs;            // by set, of arguments that are outputs, in order
    std::string error;      // empty: it ran
    bool has_died = false;  // the process did
};

// Runs one compiler process, started when it is first needed and again after it ended. For one thread at a
// time: one a job. Errors are `cancelled`, or device_failure for what ends a command: no program, a target
// that is not available, a time limit.
class Compiler {
  public:
    Compiler();
    ~Compiler();
    Compiler(Compiler&&) noexcept;
    Compiler& operator=(Compiler&&) noexcept;

    // Returns the state of every target, in a fixed order. Without the program all of them are unavailable,
    // and say why.
    Result<std::vector<TargetState>> targets(const std::stop_token& stop = {});

    // Compiles sources as one program, of which each kernel's text is cut: at most 50, whose functions have
    // different names. A program that does not compile, or whose compiler dies, is halved until the source at
    // fault stands alone.
    Result<std::vector<Compiled>> compile(const std::string& target, std::span<const Source> sources,
                                          const CompileOptions& options = {},
                                          const std::stop_token& stop = {});

    // Assembles PTX for a GPU (V1). compiler_error: the assembler refuses it.
    Result<Compiled> assemble(const std::string& ptx, int sm, const std::stop_token& stop = {});

    // Reads host IR back, compiles it to memory and calls it (V2).
    Result<std::vector<HostResult>> run_host(std::span<const HostRun> runs, const std::stop_token& stop = {});

    // Sets when all that is asked from now on has to be done, whatever its own limit is. What is not is late.
    void set_deadline(std::chrono::steady_clock::time_point deadline);

    // Returns whether what failed last did so for a time limit: it is the source's fault, other failures are
    // not.
    bool was_late() const;

    // Returns the process's id, where it runs; for tests.
    std::optional<int> process_id() const;

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace workbench::compile
