// SPDX-License-Identifier: MIT
// Makes a job's launches on the host's arrays: by the kernels' source, or by their PTX with every check.
#pragma once

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/gpu/ptx/ptx_kernels_testing.h"

namespace ptx_kernels_test {

enum class By { source, text };

class Launcher {
  public:
    // With a kernel that another text has, what is found in it is counted and fails nothing.
    Launcher(By by, std::uint64_t seed, const Replaced* replaced = nullptr)
        : m_by(by), m_seed(seed), m_replaced(replaced) {}

    // Lets kernels reach an array, which holds values, or which nobody has written yet. Returns its address.
    template <class T>
    std::uint64_t give(std::vector<T>& values, bool written = true) {
        const auto address = reinterpret_cast<std::uintptr_t>(values.data());
        if (!values.empty()) m_memory.attach(address, std::as_writable_bytes(std::span(values)), written);
        return values.empty() ? 0 : address;
    }
    void mark_written(std::uint64_t address, std::size_t bytes) { m_memory.mark_written(address, bytes); }

    bool launch(const char* kernel, unsigned blocks, unsigned threads, unsigned shared_bytes,
                const void* parameters) {
        m_kernels.insert(kernel);
        if (m_by == By::source) {
            run_product_kernel(kernel, {{blocks, 1, 1}, {threads, 1, 1}, shared_bytes}, parameters,
                               {.seed = m_seed});
            return true;
        }
        const bool is_replaced = m_replaced != nullptr && m_replaced->kernel == kernel;
        const ptx::Module& text = is_replaced ? *m_replaced->module : kernels();
        const auto* const entry = text.entry(kernel);
        if (entry == nullptr) throw std::runtime_error("the text has no " + std::string(kernel));
        const auto outcome =
            ptx::run(text,
                     {.kernel = kernel,
                      .grid = {blocks, 1, 1},
                      .block = {threads, 1, 1},
                      .shared_bytes = shared_bytes,
                      .parameters = {static_cast<const std::byte*>(parameters), entry->parameter_bytes},
                      .seed = m_seed,
                      .budget = is_replaced ? m_replaced->budget : ptx::Launch{}.budget},
                     m_memory);
        if (!outcome) throw std::runtime_error(outcome.error().message);
        m_lanes += outcome->counts.lane_instructions;
        m_warp_instructions += outcome->counts.warp_instructions;
        m_findings += outcome->findings_total;
        if (m_findings != 0 && m_replaced == nullptr) ADD_FAILURE() << outcome->findings.front().message;
        return outcome->is_complete;
    }

    const std::set<std::string>& kernels_run() const { return m_kernels; }
    std::uint64_t lanes() const { return m_lanes; }
    std::uint64_t warp_instructions() const { return m_warp_instructions; }
    std::uint64_t findings_total() const { return m_findings; }

  private:
    By m_by;
    std::uint64_t m_seed;
    const Replaced* m_replaced;
    ptx::Memory m_memory;
    std::set<std::string> m_kernels;
    std::uint64_t m_lanes = 0;
    std::uint64_t m_warp_instructions = 0;
    std::uint64_t m_findings = 0;
};

// The kernels of the product whose names begin so.
inline std::set<std::string> kernels_named(std::string_view beginning) {
    std::set<std::string> names;
    for (const auto& entry : gpu_test::kernel_entries())
        if (std::string_view(entry.name).starts_with(beginning)) names.insert(entry.name);
    return names;
}

}  // namespace ptx_kernels_test
