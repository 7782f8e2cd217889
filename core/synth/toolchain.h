// SPDX-License-Identifier: MIT
// What a data set is made with: compilers of kernels, and what runs the texts that they give.
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
};

// For one thread at a time. An error ends the run that asks; what is wrong with one kernel is in its element.
class Toolchain {
  public:
    Toolchain() = default;
    virtual ~Toolchain() = default;
    Toolchain(const Toolchain&) = delete;
    Toolchain& operator=(const Toolchain&) = delete;

    // At most 50 kernels, each compiled as it would be alone.
    virtual Result<std::vector<KernelText>> compile(const Target& target,
                                                    const std::vector<KernelSource>& sources) = 0;
    // Runs each on each of its sets. Returns what was found, such as a race; empty where nothing was.
    virtual Result<std::vector<std::string>> run(const Target& target, std::vector<Execution>& runs) = 0;
};

using MakeToolchain = std::function<Result<std::unique_ptr<Toolchain>>()>;

}  // namespace workbench::synth
