// SPDX-License-Identifier: MIT
// Kernels of a PTX text, for the stand-in driver: FAKE_CUDA=kernels=FILE.ptx.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tests/gpu/executor/executor.h"

namespace fake {

// Whether the scenario names a text; otherwise the kernels' source runs.
bool runs_ptx();
// Whether the text can be read and has the kernel; says on stderr why not.
bool ptx_has(const std::string& kernel);

// Runs a launch to its end. A finding, and whatever a GPU refuses, throws std::runtime_error with its
// sentence.
void run_ptx(const std::string& kernel, const gpu_test::LaunchShape& shape, unsigned shared_limit,
             std::span<const std::byte> parameters, std::uint64_t seed);

// Texts that a program gives itself. A module is null where the text is refused, and `log` says why; a kernel
// is null where the text has none of that name.
struct GivenModule;
struct GivenKernel;
GivenModule* give_module(const std::string& text, std::string& log);
void take_module(GivenModule* module);
GivenKernel* kernel_of(GivenModule* module, const std::string& name);
// Whether what a launch names is a kernel of such a text; null: it is one of the product's.
const GivenKernel* given_kernel(const void* handle);
std::size_t parameter_bytes(const GivenKernel& kernel);
const std::string& name_of(const GivenKernel& kernel);
void run_given(const GivenKernel& kernel, const gpu_test::LaunchShape& shape, unsigned shared_limit,
               std::span<const std::byte> parameters, std::uint64_t seed);

// Device memory as kernels of a text reach it.
void ptx_attach(std::uintptr_t address, std::span<std::byte> bytes);
void ptx_detach(std::uintptr_t address);
void ptx_written(std::uintptr_t address, std::size_t bytes);

}  // namespace fake
