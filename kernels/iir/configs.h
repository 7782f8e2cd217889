// SPDX-License-Identifier: MIT
// The configs of a filter on the CPU: what is valid, what each knob comes to, what a model reads of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/error.h"
#include "iir2d/plan.h"
#include "kernels/iir/cpu.h"
#include "kernels/iir/cpu_planes.h"
#include "kernels/iir/cuda.h"
#include "kernels/tune/machine.h"
#include "kernels/tune/question.h"
#include "kernels/tune/space.h"

namespace iir2d::iir {

// Returns the alignment in bytes that a plane's first row needs for non-temporal stores: that of two samples,
// since columns are taken in pairs.
inline std::int64_t first_row_multiple(const TensorView& y) {
    return 2 * static_cast<std::int64_t>(element_size(y.type));
}

class FilterConfigs final : public tune::Question {
  public:
    // Lists the configs of a filter on the CPU. `job` is that of the descriptor's first filter, `data`; all
    // three must outlive it. plane_by_plane: cpu_planes.h gives each plane a run of its own, because of the
    // filters or of the elements.
    FilterConfigs(const FilterDesc& desc, const CpuJob& job, const FilterData& data, bool plane_by_plane,
                  int threads);

    tune::Purpose purpose() const override { return tune::Purpose::iir_cpu; }
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
    int threads_of_all(const Config& config) const;

    const FilterDesc& m_desc;
    const CpuJob& m_job;
    const FilterData& m_data;
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

// The configs of a filter on a GPU.
class GpuFilterConfigs final : public tune::GpuQuestion {
  public:
    // Lists the configs of a filter on a GPU. `job` is static's, `filters` are the descriptor's; all must
    // outlive it.
    GpuFilterConfigs(const FilterDesc& desc, const Filters& filters, const GpuJob& job, tune::GpuHost host);

    tune::Purpose purpose() const override { return tune::Purpose::iir_cuda; }
    std::string key() const override;
    tune::Facts facts() const override;
    std::vector<Config> candidates(bool other_bits) const override;
    Result<void> check(const Config& config) const override;
    Result<void> check_knob(const Config& config, const tune::Knob& knob) const;
    Config resolve(const Config& config) const override;

  private:
    bool warms_up(std::int32_t warps) const;

    const FilterDesc& m_desc;
    const Filters& m_filters;
    const GpuJob& m_job;
    CpuJob m_passes;  // as the CPU has them: keys and features name them
    mutable std::map<std::int32_t, bool> m_warms_up;
};

// Filters x into y as forward_planes(), of a descriptor that check_desc() accepted, by the choice for it, on
// as many threads as were `asked` for, 0 for all; by static on one where more would save nothing. Of the C
// interface, whose calls make no plan.
Result<void> forward_by_choice(const FilterDesc& desc, const Filters& filters, int asked,
                               const ConstTensorView& x, const TensorView& y, const RunControl& control);

}  // namespace iir2d::iir
