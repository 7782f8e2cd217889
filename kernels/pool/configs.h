// SPDX-License-Identifier: MIT
// The configs of pooling on the CPU: what is valid, what each knob comes to, what a model reads of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/pool/cpu.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/gpu_plan.h"
#include "kernels/tune/machine.h"
#include "kernels/tune/question.h"
#include "kernels/tune/space.h"

namespace iir2d::pool {

class PoolConfigs final : public tune::Question {
  public:
    // Lists the configs of a pooling on the CPU. The descriptor and its geometry must outlive it; `kernel` is
    // static's.
    PoolConfigs(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel, PoolUse use,
                int threads);

    tune::Purpose purpose() const override;
    std::string key() const override;
    tune::Facts facts() const override;
    std::vector<Config> candidates(bool other_bits = false) const override;
    Result<void> check(const Config& config) const override;
    // Checks one knob, by the config's threads.
    Result<void> check_knob(const Config& config, const tune::Knob& knob) const;
    Config resolve(const Config& config) const override;
    // Returns the key up to the device.
    std::string beginning_of_key() const;

  private:
    bool gathers() const;
    Formula formula() const;
    bool has_stores() const;
    Result<void> check_way(std::int32_t way) const;
    std::int32_t way_of_kernel(const CpuKernel& kernel) const;
    // Holds the loops that a way stands for.
    struct Folding {
        std::int32_t way = 0;
        bool past = false;  // static's stores with it
    };
    const Folding& folding(std::int32_t way) const;

    const PoolDesc& m_desc;
    const PoolGeometry& m_geometry;
    CpuKernel m_kernel;
    PoolUse m_use;
    int m_threads;
    // Found when they are asked for: a list of candidates asks for each many times.
    mutable std::array<std::optional<Folding>, way_of(FoldWay::climb, FoldWay::climb) + 1> m_foldings;
};

// The configs of pooling on a GPU.
class GpuPoolConfigs final : public tune::GpuQuestion {
  public:
    // Lists the configs of a pooling on a GPU. The descriptor, its geometry and static's pooling must outlive
    // it.
    GpuPoolConfigs(const PoolDesc& desc, const PoolGeometry& geometry, const GpuPooling& pooling, PoolUse use,
                   tune::GpuHost host);

    tune::Purpose purpose() const override { return tune::Purpose::pool_cuda; }
    std::string key() const override;
    tune::Facts facts() const override;
    std::vector<Config> candidates(bool other_bits) const override;
    Result<void> check(const Config& config) const override;
    Result<void> check_knob(const Config& config, const tune::Knob& knob) const;
    Config resolve(const Config& config) const override;
    bool has_models() const override { return m_use != PoolUse::backward; }

  private:
    bool has_pairs() const { return m_use == PoolUse::forward && !m_pooling.two_by_two_kernel.empty(); }

    const PoolDesc& m_desc;
    const PoolGeometry& m_geometry;
    const GpuPooling& m_pooling;
    PoolUse m_use;
    CpuKernel m_formula;  // as the CPU has it: keys and features name it
};

}  // namespace iir2d::pool
