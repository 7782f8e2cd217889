// SPDX-License-Identifier: MIT
#include "tests/gpu/fake_cuda/ptx_kernels.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

#include "core/ptx/ptx.h"
#include "tests/gpu/fake_cuda/ptx_counts.h"
#include "tests/gpu/fake_cuda/scenario.h"

namespace fake {

namespace {

using namespace workbench;  // NOLINT: the executor's names

std::string text_named() {
    const std::string named = fake_cuda::setting("kernels", "source");
    return named == "source" ? "" : named;
}

ptx::Memory& memory() {
    static auto* const held = new ptx::Memory;  // outlives whoever calls at exit
    return *held;
}

// The text that the scenario names now, read once; null where it cannot be read.
const ptx::Module* module_named(const std::string& path) {
    static auto* const read = new std::map<std::string, std::unique_ptr<ptx::Module>>;
    const auto found = read->find(path);
    if (found != read->end()) return found->second.get();
    // A folder opens too, and then reading it throws.
    std::ifstream file;
    if (std::filesystem::is_regular_file(path)) file.open(path, std::ios::binary);
    if (!file.is_open())
        std::fprintf(stderr, "stand-in driver: %s is no file that can be read\n", path.c_str());
    auto module = ptx::Module::parse({std::istreambuf_iterator<char>(file), {}});
    if (!module)
        std::fprintf(stderr, "stand-in driver: %s: %s\n", path.c_str(), module.error().message.c_str());
    auto& made = (*read)[path];
    if (module) made = std::make_unique<ptx::Module>(*module);
    return made.get();
}

void run_kernel(const ptx::Module& module, const std::string& kernel, const gpu_test::LaunchShape& shape,
                unsigned shared_limit, std::span<const std::byte> parameters, std::uint64_t seed) {
    // A warp of the filters takes some ten instructions for each sample of its lines: beyond a million of
    // each warp, it is a loop without an end.
    const std::uint64_t warps = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2] *
                                ((shape.block[0] * shape.block[1] * shape.block[2] + 31) / 32);
    const ptx::Launch launch{
        .kernel = kernel,
        .grid = {shape.grid[0], shape.grid[1], shape.grid[2]},
        .block = {shape.block[0], shape.block[1], shape.block[2]},
        .shared_bytes = shape.shared_bytes,
        .parameters = parameters,
        .seed = seed,
        .budget = 100'000'000 + 1'000'000 * warps,
        .checks = fake_cuda::setting("checks", "all") == "bounds" ? ptx::Checks::bounds : ptx::Checks::all,
        .shared_limit = shared_limit};
    const auto outcome = ptx::run(module, launch, memory());
    if (!outcome) throw std::runtime_error(outcome.error().message);
    if (const std::string counts = fake_cuda::setting("counts", ""); !counts.empty()) {
        std::ofstream file(counts, std::ios::app);
        file << counts_line(launch, outcome->counts) << '\n';
    }
    if (outcome->findings_total != 0)
        throw std::runtime_error(outcome->findings.front().message + " (" +
                                 std::to_string(outcome->findings_total) + " findings)");
}

}  // namespace

bool runs_ptx() {
    return !text_named().empty();
}

bool ptx_has(const std::string& kernel) {
    const ptx::Module* const module = module_named(text_named());
    return module != nullptr && module->entry(kernel) != nullptr;
}

void run_ptx(const std::string& kernel, const gpu_test::LaunchShape& shape, unsigned shared_limit,
             std::span<const std::byte> parameters, std::uint64_t seed) {
    const ptx::Module* const module = module_named(text_named());
    if (module == nullptr || module->entry(kernel) == nullptr)
        throw std::runtime_error("the text has no such kernel");
    run_kernel(*module, kernel, shape, shared_limit, parameters.first(module->entry(kernel)->parameter_bytes),
               seed);
}

struct GivenModule {
    ptx::Module module;
    std::map<std::string, std::unique_ptr<GivenKernel>> kernels;
};
struct GivenKernel {
    ptx::Module module;
    std::string name;
};

namespace {
std::set<const void*>& given_kernels() {
    static auto* const held = new std::set<const void*>;
    return *held;
}
}  // namespace

GivenModule* give_module(const std::string& text, std::string& log) {
    auto module = ptx::Module::parse(text);
    if (!module) {
        log = module.error().message;
        return nullptr;
    }
    if (!module->refused().empty()) {
        const auto& first = module->refused().front();
        log = "line " + std::to_string(first.line) + ": " + first.name + " is not executed here";
        return nullptr;
    }
    return new GivenModule{*module, {}};
}
void take_module(GivenModule* module) {
    for (const auto& [name, kernel] : module->kernels) given_kernels().erase(kernel.get());
    delete module;
}
GivenKernel* kernel_of(GivenModule* module, const std::string& name) {
    if (module->module.entry(name) == nullptr) return nullptr;
    auto& kernel = module->kernels[name];
    if (!kernel) {
        kernel = std::make_unique<GivenKernel>(GivenKernel{module->module, name});
        given_kernels().insert(kernel.get());
    }
    return kernel.get();
}
const GivenKernel* given_kernel(const void* handle) {
    return given_kernels().contains(handle) ? static_cast<const GivenKernel*>(handle) : nullptr;
}
std::size_t parameter_bytes(const GivenKernel& kernel) {
    return kernel.module.entry(kernel.name)->parameter_bytes;
}
const std::string& name_of(const GivenKernel& kernel) {
    return kernel.name;
}
void run_given(const GivenKernel& kernel, const gpu_test::LaunchShape& shape, unsigned shared_limit,
               std::span<const std::byte> parameters, std::uint64_t seed) {
    run_kernel(kernel.module, kernel.name, shape, shared_limit, parameters, seed);
}

void ptx_attach(std::uintptr_t address, std::span<std::byte> bytes) {
    memory().attach(address, bytes, false);
}
void ptx_detach(std::uintptr_t address) {
    memory().detach(address);
}
void ptx_written(std::uintptr_t address, std::size_t bytes) {
    memory().mark_written(address, bytes);
}

}  // namespace fake
