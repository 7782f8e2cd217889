// SPDX-License-Identifier: MIT
// The configs of pooling on the CPU: what is valid, and what each knob comes to.
#pragma once

#include <vector>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/pool/cpu.h"
#include "kernels/pool/geometry.h"
#include "kernels/tune/features.h"

namespace iir2d::pool {

// Returns what models read of a pooling; `kernel` is static's.
tune::Facts facts_of(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel, PoolUse use,
                     int threads);

class PoolConfigs {
  public:
    // The descriptor and its geometry must outlive it; `kernel` is static's.
    PoolConfigs(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel, PoolUse use,
                int threads);

    Result<void> check(const Config& config) const;
    // Precondition: check() lets it through.
    Config resolve(const Config& config) const;
    std::vector<Config> candidates() const;

  private:
    bool gathers() const;
    bool has_stores() const;
    Result<void> check_way(std::int32_t way) const;
    std::int32_t way_of_kernel(const CpuKernel& kernel) const;

    const PoolDesc& m_desc;
    const PoolGeometry& m_geometry;
    CpuKernel m_kernel;
    PoolUse m_use;
    int m_threads;
};

}  // namespace iir2d::pool
