// SPDX-License-Identifier: MIT
#include "core/inspect/generate_report.h"

#include <cmath>

#include "core/support/counted.h"

namespace workbench::inspect {

double GenerateReport::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
}

GenerateReport::State GenerateReport::state(const synth::GenerateProgress& made) {
    State state{.fraction = static_cast<double>(made.kernels) / static_cast<double>(m_count),
                .seconds = seconds(),
                .text = counted(made.kernels, "kernel") + ", "};
    if (!m_before) m_before = Before{made.kernels, made.pairs, state.seconds};
    std::uint64_t rejected = 0;
    for (const auto& [reason, count] : made.rejected) rejected += count;
    state.text += std::to_string(rejected) + " rejected";
    const double since = state.seconds - m_before->seconds;
    const auto kernels = static_cast<double>(made.kernels - m_before->kernels);
    if (!(since > 0 && kernels > 0)) return state;
    state.pairs_per_second = static_cast<double>(made.pairs - m_before->pairs) / since;
    const double left = static_cast<double>(m_count - made.kernels) * since / kernels;
    state.text += ", " + std::to_string(std::llround(state.pairs_per_second)) + " pairs/s, " +
                  std::to_string(std::llround(left)) + " s left";
    return state;
}

}  // namespace workbench::inspect
