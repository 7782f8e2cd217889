// SPDX-License-Identifier: MIT
// A compiler with a fault, and data sets that are made with it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/inspect/toolchain.h"
#include "core/support/try.h"
#include "core/synth/data_set.h"

namespace workbench::testing {

// The compilers there are, but that one kernel, and all whose names begin with its name, is compiled with one
// instruction in place of another. The kernel is the first that has it.
class FaultyCompiler : public synth::Toolchain {
  public:
    FaultyCompiler(std::unique_ptr<synth::Toolchain> real, std::string* kernel)
        : m_real(std::move(real)), m_kernel(kernel) {}

    Result<std::vector<synth::KernelText>> compile(const synth::Target& target,
                                                   const std::vector<synth::KernelSource>& sources) override {
        IIR2D_TRY(auto made, m_real->compile(target, sources));
        for (std::size_t k = 0; k < made.size() && target.level == "V3"; ++k) {
            const std::string from = "add.rn.f32", to = "sub.rn.f32";
            const std::size_t at = made[k].text.find(from);
            if (at == std::string::npos) continue;
            if (m_kernel->empty()) *m_kernel = sources[k].name;
            if (sources[k].name.starts_with(*m_kernel)) made[k].text.replace(at, from.size(), to);
        }
        return made;
    }
    Result<std::vector<std::string>> run(const synth::Target& target,
                                         std::vector<synth::Execution>& runs) override {
        return m_real->run(target, runs);
    }

  private:
    std::unique_ptr<synth::Toolchain> m_real;
    std::string* m_kernel;
};

// Makes a data set of arithmetic for one target with such a compiler. `kernel` is the one at fault.
inline Result<synth::GenerateProgress> makeFaultySet(const std::filesystem::path& folder,
                                                     const std::string& target, std::string& kernel) {
    IIR2D_TRY(inspect::ChosenTargets chosen, inspect::choose_targets({target}, {}));
    synth::GenerateOptions options{.folder = folder, .count = 8, .categories = {synth::Category::arithmetic}};
    options.judge.targets = std::move(chosen.targets);
    return synth::generate_data_set(options, [&kernel]() -> Result<std::unique_ptr<synth::Toolchain>> {
        IIR2D_TRY(auto real, inspect::make_toolchain());
        return std::make_unique<FaultyCompiler>(std::move(real), &kernel);
    });
}

}  // namespace workbench::testing
