// SPDX-License-Identifier: MIT
// Runs an IIR job's launches by the kernels' PTX, on memory of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/ptx/ptx.h"
#include "tests/gpu/iir/gpu_iir_testing.h"

namespace ptx_kernels_test {

using namespace iir2d;
using namespace gpu_iir_test;
namespace ptx = workbench::ptx;

// The text that the build kept of the compilation of the fat binary, or the one that the environment names.
inline const std::string& kernels_text() {
    static const std::string text = [] {
        const char* const named = std::getenv("IIR2D_GPU_KERNELS_PTX");
        std::ifstream file(named != nullptr ? named : IIR2D_GPU_KERNELS_PTX, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    return text;
}

inline const ptx::Module& kernels() {
    static const ptx::Module module = [] {
        auto read = ptx::Module::parse(kernels_text());
        if (!read) throw std::runtime_error(read.error().message);
        return *read;
    }();
    return module;
}

struct PtxOutcome {
    std::vector<double> y;
    std::vector<ptx::Finding> findings;
    std::uint64_t findings_total = 0;
    std::uint64_t lanes = 0;
    std::uint64_t warp_instructions = 0;
};

// A kernel that another text has, and how long it may run.
struct Replaced {
    std::string_view kernel;
    const ptx::Module* module = nullptr;
    std::uint64_t budget = 0;
};

// As run_as() of gpu_iir_testing.h, for dense planes. With a kernel in `only`, its launches alone: columns
// then find x where rows would have left their results.
template <class S>
PtxOutcome run_ptx_as(const ptx::Module& module, const FilterDesc& desc, const std::vector<double>& x,
                      const Run& run, const Replaced* replaced, std::string_view only) {
    const auto filters = iir::filters_of(desc);
    if (!filters) throw std::runtime_error(filters.error().message);
    const auto filter = run.adjoint ? iir::make_gpu_adjoint(desc, filters->front())
                                    : iir::make_gpu_filter_by(desc, filters->front(), run.ways);
    ptx::Memory memory;
    std::vector<S> values(x.begin(), x.end());
    const std::uint64_t bytes = values.size() * sizeof(S);
    const std::uint64_t in = memory.allocate(bytes);
    std::memcpy(memory.bytes(in, bytes).data(), values.data(), bytes);
    memory.mark_written(in, bytes);
    const std::uint64_t out = run.in_place ? in : memory.allocate(bytes);
    if (only.starts_with("iir_columns") && !run.in_place) {
        std::memcpy(memory.bytes(out, bytes).data(), values.data(), bytes);
        memory.mark_written(out, bytes);
    }
    const std::uint64_t workspace = filter.workspace_bytes == 0 ? 0 : memory.allocate(filter.workspace_bytes);
    const Shape& s = desc.shape;
    PtxOutcome made;
    iir::for_each_launch(
        filter, iir::GpuPlanes{in, s.w, s.h * s.w}, iir::GpuPlanes{out, s.w, s.h * s.w}, workspace,
        [&](const iir::GpuLaunch& launch) {
            if (!only.empty() && only != launch.kernel) return true;
            const bool is_replaced = replaced != nullptr && replaced->kernel == launch.kernel;
            const ptx::Module& text = is_replaced ? *replaced->module : module;
            const auto* const entry = text.entry(launch.kernel);
            if (entry == nullptr) throw std::runtime_error("the text has no " + std::string(launch.kernel));
            const auto outcome = ptx::run(
                text,
                {.kernel = std::string(launch.kernel),
                 .grid = {launch.blocks, 1, 1},
                 .block = {launch.threads, 1, 1},
                 .shared_bytes = launch.shared_bytes,
                 .parameters = {static_cast<const std::byte*>(launch.parameters), entry->parameter_bytes},
                 .seed = run.seed,
                 .budget = is_replaced ? replaced->budget : ptx::Launch{}.budget},
                memory);
            if (!outcome) throw std::runtime_error(outcome.error().message);
            made.findings.insert(made.findings.end(), outcome->findings.begin(), outcome->findings.end());
            made.findings_total += outcome->findings_total;
            made.lanes += outcome->counts.lane_instructions;
            made.warp_instructions += outcome->counts.warp_instructions;
            return outcome->is_complete;
        });
    std::memcpy(values.data(), memory.bytes(out, bytes).data(), bytes);
    made.y.assign(values.begin(), values.end());
    return made;
}

inline PtxOutcome run_ptx(const ptx::Module& module, const FilterDesc& desc, const std::vector<double>& x,
                          const Run& run = {}, const Replaced* replaced = nullptr,
                          std::string_view only = {}) {
    return desc.precision == Precision::f64 ? run_ptx_as<double>(module, desc, x, run, replaced, only)
                                            : run_ptx_as<float>(module, desc, x, run, replaced, only);
}

}  // namespace ptx_kernels_test
