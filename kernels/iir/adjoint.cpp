// SPDX-License-Identifier: MIT
#include "kernels/iir/adjoint.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernels/iir/pass_end.h"
#include "kernels/iir/passes.h"

namespace iir2d::iir {

namespace {

std::vector<CpuPass> adjoint_passes(const AxisFilter& axis, const FilterDesc& desc, std::int64_t n) {
    const bool in_float = desc.precision == Precision::f32;
    std::vector<CpuPass> passes;
    for (Pass& pass : make_passes(transposed(axis), desc.border, desc.start, 0.0)) {
        std::vector<TransposedSection> sections;
        std::vector<Section> swept;
        for (const Section& s : pass.sections) {
            sections.push_back(transposed_section(s, desc.border, desc.start, in_float));
            std::ranges::copy(sections.back().swept(), std::back_inserter(swept));
        }
        pass.sections = std::move(swept);
        PassStart start = PassStart::of_transposed(pass, n, desc.border, desc.start);
        passes.push_back({std::move(pass), std::move(start), {sections, n, desc.border, desc.start}});
    }
    return passes;
}

}  // namespace

CpuJob make_adjoint_job(const FilterDesc& desc, const FilterData& data, int threads) {
    CpuJob job{.horizontal = adjoint_passes(data.horizontal, desc, desc.shape.w),
               .vertical = adjoint_passes(data.vertical, desc, desc.shape.h),
               .precision = desc.precision,
               .threads = threads};
    // So that the first pass of the columns goes along with the rows.
    job.upside_down = job.vertical.front().pass.reversed;
    if (job.upside_down) {
        for (CpuPass& p : job.vertical) p.pass.reversed = !p.pass.reversed;
    }
    choose_schedule(job, desc.shape);
    return job;
}

}  // namespace iir2d::iir
