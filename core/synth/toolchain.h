// SPDX-License-Identifier: MIT
// Defines what a data set is made with: compilers of kernels, and runners of what they give.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/support/error.h"
#include "core/synth/interpret.h"

namespace workbench::synth {

struct Target {
    std::string name;        // "ptx-nvrtc:sm_90"
    bool takes_cuda = true;  // else the host's source
    bool is_host = false;    // what it gives must have the interpreter's bits; else it must lie in the bounds
    std::string level;       // what running it is called: V2, V3; empty: it is not run
    std::string compiler;    // its name
    std::string version;
    std::string flags;
};
// Returns what a target's name says of it: "llvm-host-o0", "ptx-nvrtc:sm_90", "cubin:sm_80".
inline Target target_named(std::string name) {
    const bool is_host = name.starts_with("llvm-host"), is_ptx = name.starts_with("ptx-");
    return {.name = std::move(name),
            .takes_cuda = !is_host,
            .is_host = is_host,
            .level = is_host  ? "V2"
                     : is_ptx ? "V3"
                              : ""};
}

struct KernelSource {
    std::string name;  // of the kernel
    std::string text;  // stands alone; of several, names of the prelude are the same (join_sources)
};
struct KernelText {
    std::string text;
    std::string error;  // empty: there is a text
    bool has_died = false;
};

struct Execution {
    const Tree* tree = nullptr;
    const std::string* text = nullptr;
    std::vector<std::vector<Argument>> sets;  // inputs; outputs afterwards
    bool has_died = false;                    // afterwards: the process that ran it did
};

// What an assembler says of a text.
struct Assembly {
    std::string error;  // empty: it takes it
    bool has_died = false;
};

// How a GPU's driver compiles the PTX that it runs.
enum class DriverCompiles { as_usual, without_optimisation };

// Compiles and runs kernels. For one thread at a time. An error ends the whole run; an error of one kernel is
// in its element.
class Toolchain {
  public:
    Toolchain() = default;
    virtual ~Toolchain() = default;
    Toolchain(const Toolchain&) = delete;
    Toolchain& operator=(const Toolchain&) = delete;

    // Compiles at most 50 kernels, each as it would be alone.
    virtual Result<std::vector<KernelText>> compile(const Target& target,
                                                    const std::vector<KernelSource>& sources) = 0;
    // Runs each on each of its sets. Returns what was found, such as a race; empty where nothing was.
    virtual Result<std::vector<std::string>> run(const Target& target, std::vector<Execution>& runs) = 0;
    // Runs likewise on a GPU (V4).
    virtual Result<std::vector<std::string>> run_on_gpu(const Target& target, std::vector<Execution>& runs,
                                                        DriverCompiles how) {
        static_cast<void>(runs);
        static_cast<void>(how);
        return fail(ErrorKind::device_failure, "there is no GPU here for " + target.name);
    }
    // Assembles PTX (V1).
    virtual Result<std::vector<Assembly>> assemble(const Target& target,
                                                   const std::vector<const std::string*>& texts) {
        static_cast<void>(texts);
        return fail(ErrorKind::device_failure, "PTX for " + target.name + " cannot be assembled here");
    }
};

using MakeToolchain = std::function<Result<std::unique_ptr<Toolchain>>()>;

}  // namespace workbench::synth
