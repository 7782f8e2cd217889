// SPDX-License-Identifier: MIT
// An IIR job, a filter or its adjoint, as launches: a pure function of the filter, the border and the shape,
// so that it is tested without a GPU. Nothing here knows of the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "iir2d/plan.h"
#include "kernels/iir/gpu_parameters.h"
#include "kernels/iir/gpu_tile_plan.h"

namespace iir2d::iir {

// Names the planes that a pass reads or writes; none where there is nothing to add.
enum class GpuWhere : std::uint8_t { none, x, y, scratch };

// One launch without its addresses.
struct GpuStage {
    struct Places {
        GpuWhere in = GpuWhere::none;
        GpuWhere out = GpuWhere::none;
        GpuWhere add = GpuWhere::none;
    };
    std::string kernel;
    unsigned threads = 0;
    unsigned shared_bytes = 0;
    GpuAxis axis = {};
    Places places[gpu_passes] = {};
};

struct GpuFilter {
    std::vector<GpuTiling> tilings;  // then there are no stages
    std::vector<GpuStage> stages;
    std::int64_t planes = 1;
    std::int64_t scratch_elements = 0;  // of a pass that keeps its result aside: all planes, dense
    std::size_t workspace_bytes = 0;
};

// Holds how stages cut lines into segments, as the knobs of a Config; 0 is the library's rule. Of tiles:
// whether they are those of large planes whatever the planes, for tests.
struct GpuWays {
    std::int32_t warps = 0;
    std::int32_t carry = 0;
    bool large_tiles = false;
};

GpuFilter make_gpu_filter(const FilterDesc& desc, const FilterData& data);
GpuFilter make_gpu_filter_by(const FilterDesc& desc, const FilterData& data, const GpuWays& ways);

// Returns the most warps that share a line by the rule.
std::int32_t most_gpu_warps(Precision precision);

// Makes the transposed filter, of the columns first; desc.border_const is not read.
GpuFilter make_gpu_adjoint(const FilterDesc& desc, const FilterData& data);

// Parts of a filter, for the gradient of its parameters. Rows alone; or one section alone along the rows or
// the columns, in its own direction or `reversed`, of which `constant` is what its input line reads outside;
// or its costate l[i] = g[i] + a1 l[i+1] + a2 l[i+2], from g.
GpuFilter make_gpu_rows(const FilterDesc& desc, const AxisFilter& horizontal);
GpuFilter make_gpu_section(const FilterDesc& desc, bool rows, bool reversed, const Section& section,
                           double constant);
GpuFilter make_gpu_costate(const FilterDesc& desc, bool rows, bool reversed, const Section& section);

// Calls `launch` for the launches in order, with addresses: more than one per stage only where a grid could
// not count the blocks. `y` may be `x`. Stops where `launch` returns false. Allocates nothing.
void for_each_launch(const GpuFilter& filter, const GpuPlanes& x, const GpuPlanes& y, std::uint64_t workspace,
                     const MakeGpuLaunch& launch);

}  // namespace iir2d::iir
