// SPDX-License-Identifier: MIT
// The configs of a filter on the CPU: what is valid, and what each knob comes to.
#pragma once

#include <cstdint>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/iir/cpu.h"
#include "kernels/tune/features.h"
#include "kernels/tune/space.h"

namespace iir2d::iir {

// Returns what models read of a filter; `job` is that of its first one, `data` that filter.
tune::Facts facts_of(const FilterDesc& desc, const CpuJob& job, const FilterData& data, int threads);

class FilterConfigs {
  public:
    // `job` is that of the descriptor's first filter. plane_by_plane: cpu_planes.h gives each plane a run of
    // its own, because of the filters or of the elements.
    FilterConfigs(const FilterDesc& desc, const CpuJob& job, bool plane_by_plane, int threads);

    Result<void> check(const Config& config) const;
    // Precondition: check() lets it through.
    Config resolve(const Config& config) const;
    std::vector<Config> candidates() const;

  private:
    int threads_of_all(const Config& config) const;

    std::int64_t m_width;
    std::int64_t m_planes;
    std::int64_t m_samples;  // of a plane
    int m_threads;
    bool m_plane_by_plane;
    bool m_f64;
    bool m_bands;   // not rows alone
    bool m_strips;  // something is left for them
    bool m_past;    // static's stores
};

}  // namespace iir2d::iir
