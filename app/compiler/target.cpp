// SPDX-License-Identifier: MIT
#include "app/compiler/target.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "app/compiler/ir.h"
#include "app/compiler/nvidia.h"

namespace app {

namespace {

using workbench::ErrorKind;
using workbench::fail;
using workbench::Result;
using workbench::compile::TargetState;

constexpr int default_sm = 90;

Target parse(const std::string& name) {
    const std::size_t colon = name.find(":sm_");
    Target made{.maker = Target::Maker::nvrtc, .name = name, .sm = 0, .optimisation = 0, .makes_ptx = false};
    if (colon != std::string::npos) {
        const char* end = name.data() + name.size();
        std::from_chars(name.data() + colon + 4, end, made.sm);
    }
    const std::string maker = name.substr(0, colon);
    if (maker == "ptx-nvrtc") made.makes_ptx = true;
    if (maker == "cubin") made.maker = Target::Maker::nvjitlink;
    if (maker.starts_with("llvm-") || maker == "ptx-clang") made.maker = Target::Maker::clang;
    if (maker == "ptx-clang") made.makes_ptx = true;
    if (maker == "llvm-nvptx") made.sm = default_sm;
    if (maker == "llvm-host-o2" || maker == "llvm-nvptx" || maker == "ptx-clang") made.optimisation = 2;
    return made;
}

std::string flags_of(const Target& target) {
    const std::string sm = std::to_string(target.sm);
    switch (target.maker) {
        case Target::Maker::nvrtc:
            return "--gpu-architecture=compute_" + sm + " --std=c++17 --fmad=false --minimal";
        case Target::Maker::nvjitlink:
            return "-arch=sm_" + sm;
        case Target::Maker::clang:
            break;
    }
    const std::string common = "-std=c++17 -ffp-contract=off -fno-builtin -fno-math-errno ";
    if (target.sm != 0) return common + "-O2 -x cuda --cuda-device-only --cuda-gpu-arch=sm_" + sm;
    return common + (target.optimisation == 0 ? "-O0" : "-O2") +
           " --target=x86_64-pc-linux-gnu -march=x86-64-v2 -fPIC";
}

TargetState state_of(const std::string& name, const Target& target) {
    TargetState state{.target = name,
                      .is_available = false,
                      .version = {},
                      .path = {},
                      .flags = flags_of(target),
                      .reason = {},
                      .stored_reason = {}};
    const auto refuse = [&](const std::string& why, const std::string& stored) {
        state.reason = why;
        state.stored_reason = stored;
        state.version.clear();
        state.path.clear();
        return state;
    };
    if (target.maker == Target::Maker::clang) {
        const auto has_no = [&](const char* what) { return refuse(what, what); };
        if (clang_version().empty()) return has_no("this build has no Clang (IIR2D_LLVM)");
        state.version = "Clang " + clang_version();
        if (target.sm != 0) {
            state.path = libdevice_file();
            if (state.path.empty()) return has_no("libdevice.10.bc is not found in a CUDA toolkit");
        }
    } else {
        const auto compiler = nvrtc();
        if (!compiler) return refuse(compiler.error().reason, compiler.error().stored_reason);
        state.version = "NVRTC " + compiler->version;
        state.path = compiler->path;
        if (target.maker == Target::Maker::nvjitlink) {
            const auto linker = nvjitlink();
            if (!linker) return refuse(linker.error().reason, linker.error().stored_reason);
            state.version = "nvJitLink " + linker->version;
            state.path = linker->path;
        }
    }
    state.is_available = true;
    return state;
}

}  // namespace

std::string libdevice_file() {
    const std::filesystem::path file =
        std::filesystem::path(toolkit_folder()) / "nvvm" / "libdevice" / "libdevice.10.bc";
    std::error_code error;
    return std::filesystem::exists(file, error) ? file.string() : std::string();
}

Result<Target> find_target(const std::string& name) {
    const auto& all = workbench::compile::all_targets();
    if (std::ranges::find(all, name) == all.end())
        return fail(ErrorKind::device_failure, "there is no target \"" + name + "\"");
    Target target = parse(name);
    const TargetState state = state_of(name, target);
    if (!state.is_available)
        return fail(ErrorKind::device_failure, "the target " + name + " is not available: " + state.reason);
    return target;
}

std::vector<TargetState> target_states() {
    std::vector<TargetState> made;
    for (const std::string& name : workbench::compile::all_targets())
        made.push_back(state_of(name, parse(name)));
    return made;
}

}  // namespace app
