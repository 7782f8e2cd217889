// SPDX-License-Identifier: MIT
#include "tests/gpu/fake_cuda/ptx_kernels.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
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
    std::ifstream file(path, std::ios::binary);
    auto module = ptx::Module::parse({std::istreambuf_iterator<char>(file), {}});
    if (!module)
        std::fprintf(stderr, "stand-in driver: %s: %s\n", path.c_str(), module.error().message.c_str());
    auto& made = (*read)[path];
    if (module) made = std::make_unique<ptx::Module>(*module);
    return made.get();
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
    ptx::Launch launch{
        .kernel = kernel,
        .grid = {shape.grid[0], shape.grid[1], shape.grid[2]},
        .block = {shape.block[0], shape.block[1], shape.block[2]},
        .shared_bytes = shape.shared_bytes,
        .parameters = parameters.first(module->entry(kernel)->parameter_bytes),
        .seed = seed,
        .budget = 1'000'000'000'000ULL,
        .checks = fake_cuda::setting("checks", "all") == "bounds" ? ptx::Checks::bounds : ptx::Checks::all,
        .shared_limit = shared_limit};
    const auto outcome = ptx::run(*module, launch, memory());
    if (!outcome) throw std::runtime_error(outcome.error().message);
    if (const std::string counts = fake_cuda::setting("counts", ""); !counts.empty()) {
        std::ofstream file(counts, std::ios::app);
        file << counts_line(launch, outcome->counts) << '\n';
    }
    if (outcome->findings_total != 0)
        throw std::runtime_error(outcome->findings.front().message + " (" +
                                 std::to_string(outcome->findings_total) + " findings)");
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
