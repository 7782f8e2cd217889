// SPDX-License-Identifier: MIT
// Engines over the compiler process: host IR that it compiles to memory, and PTX by NVRTC that core/ptx runs.
// For small sizes: every launch copies its arrays.
#pragma once

#include <memory>
#include <stop_token>

#include "core/solve/engine.h"

namespace workbench::solve {

// Makes an engine that has kernels compiled. Precondition: llvm or ptx. device_failure: the compiler is not
// there, and why.
Result<std::unique_ptr<Engine>> make_compiler_engine(EngineKind kind, const std::stop_token& stop);

}  // namespace workbench::solve
