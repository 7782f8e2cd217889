// SPDX-License-Identifier: MIT
#include "kernels/iir/gpu_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "iir2d/config.h"
#include "kernels/iir/analysis.h"
#include "kernels/iir/border.h"
#include "kernels/iir/gpu_axis.h"
#include "kernels/iir/gpu_matrix.h"
#include "kernels/iir/pass_end.h"
#include "kernels/iir/passes.h"

namespace iir2d::iir {

namespace {

// As silence(), of transposed sections, whose state is their last two costates.
Matrix silence_of_costates(const std::vector<Section>& sections) {
    Matrix m{};
    std::array<double, state_size> input{};
    for (std::size_t k = 0; k < sections.size(); ++k) {
        const Section& s = sections[k];
        const int l1 = 2 * static_cast<int>(k);
        for (int j = 0; j < state_size; ++j) {
            const auto column = static_cast<std::size_t>(j);
            const double of_l1 = j == l1 ? 1.0 : 0.0;
            const double of_l2 = j == l1 + 1 ? 1.0 : 0.0;
            at(m, l1, j) = input[column] + s.a[0] * of_l1 + s.a[1] * of_l2;
            at(m, l1 + 1, j) = of_l1;
            input[column] = s.b[0] * at(m, l1, j) + s.b[1] * of_l1 + s.b[2] * of_l2;
        }
    }
    return m;
}

double largest(const Matrix& m) {
    double result = 0.0;
    for (const double v : m) result = std::max(result, std::abs(v));
    return result;
}

// How far back a state may be guessed at: what is left of a wrong guess is below the rounding of the results.
double forgotten(Precision precision) {
    switch (precision) {
        case Precision::f32:
            return 0x1p-26;
        case Precision::mixed:
            return 0x1p-34;
        case Precision::f64:
            break;
    }
    return 0x1p-54;
}

// The warm-up that forgets, in whole tiles, if it is at most half a segment: beyond that, reading a segment
// twice for its exact carry is worth what it costs. -1 where there is none.
std::int64_t warmup_length(const Matrix& m, std::int64_t segment, Precision precision) {
    const Matrix tile = power(m, gpu_tile);
    Matrix left = tile;
    for (std::int64_t length = gpu_tile; length <= segment / 2; length += gpu_tile) {
        if (largest(left) <= forgotten(precision)) return length;
        left = multiply(left, tile);
    }
    return -1;
}

// The steady start under a periodic border: a run over the memory of the section, or over one whole period
// that is then closed, (I - M^period)^-1.
void set_history(GpuPass& pass, const Section& s, std::int64_t n, Border border) {
    const std::int64_t period = border == Border::mirror ? 2 * n : n;
    pass.history_steps = std::min(period, memory_length(s, 0x1p-64));
    if (pass.history_steps != period) return;
    const Matrix m = power(silence({s}), period);
    const double determinant = (1 - at(m, 0, 0)) * (1 - at(m, 1, 1)) - at(m, 0, 1) * at(m, 1, 0);
    pass.close_period = 1;
    pass.closing[0] = (1 - at(m, 1, 1)) / determinant;
    pass.closing[1] = at(m, 0, 1) / determinant;
    pass.closing[2] = at(m, 1, 0) / determinant;
    pass.closing[3] = (1 - at(m, 0, 0)) / determinant;
}

// By how much rounding scales the taps of a section, to keep its gain.
double kept_gain(const Section& exact, const Section& step) {
    return (1.0 - step.a[0] - step.a[1]) / (1.0 - exact.a[0] - exact.a[1]);
}

// Sets what a transposed pass under a steady start and a periodic border begins with, from
// start_state.cpp's periodic_costate(), and how it ends. The costates of the sweep are those of rounded
// feedback, with taps scaled to keep the gain.
void set_periodic_costate(GpuPass& pass, const Section& s, const Section& step, std::int64_t n,
                          Border border) {
    const std::int64_t period = border == Border::mirror ? 2 * n : n;
    const std::int64_t memory = memory_length(s, 0x1p-64);
    pass.history_steps = std::min(n, memory);
    Matrix companion{};
    at(companion, 0, 0) = s.a[0];
    at(companion, 0, 1) = s.a[1];
    at(companion, 1, 0) = 1.0;
    Matrix closed = power(companion, 0);
    if (period <= memory) {
        const Matrix m = power(companion, period);
        const double determinant = (1 - at(m, 0, 0)) * (1 - at(m, 1, 1)) - at(m, 0, 1) * at(m, 1, 0);
        at(closed, 0, 0) = (1 - at(m, 1, 1)) / determinant;
        at(closed, 0, 1) = at(m, 0, 1) / determinant;
        at(closed, 1, 0) = at(m, 1, 0) / determinant;
        at(closed, 1, 1) = (1 - at(m, 0, 0)) / determinant;
    }
    const Matrix through = multiply(power(companion, period - n), closed);
    for (int i = 0; i < 4; ++i) pass.closing[i] = at(through, i / 2, i % 2) / kept_gain(s, step);
    pass.image_steps = border == Border::mirror ? std::min(n, memory) : 0;
}

// Sets what the end of any other transposed pass adds. Nothing of it is rounded, as nothing is in the
// filter's own start.
void set_end(GpuPass& pass, const std::vector<Section>& sections, std::int64_t n, const FilterDesc& desc) {
    if (desc.border == Border::constant) return;
    const std::size_t count = 2 * sections.size();
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<double> costates(count);
        costates[k] = 1.0;
        const EndAdditions additions = additions_of_costates(sections, costates, n, desc.border, desc.start);
        // The same places, in the same order, for every k.
        std::size_t i = 0;
        for (const auto& [place, weight] : additions) {
            pass.end_index[i] = n - 1 - place;
            pass.end_weight[i++][k] = weight;
        }
        pass.end_count = static_cast<int>(i);
    }
}

// No pass with more sections than a kernel takes. A cascade may be cut anywhere: what is between two passes
// is a line, with borders as every section's input line has them.
std::vector<Pass> cut_to_size(const std::vector<Pass>& passes, Start start) {
    std::vector<Pass> cut;
    for (const Pass& whole : passes) {
        double constant = whole.constant;
        for (std::size_t k = 0; k < whole.sections.size(); k += gpu_sections) {
            const std::size_t end = std::min(whole.sections.size(), k + gpu_sections);
            Pass part = whole;
            part.sections.assign(whole.sections.begin() + static_cast<std::ptrdiff_t>(k),
                                 whole.sections.begin() + static_cast<std::ptrdiff_t>(end));
            part.constant = constant;
            part.from_scratch = k == 0 ? whole.from_scratch : whole.to_scratch;
            part.add_scratch = whole.add_scratch && end == whole.sections.size();
            if (start == Start::steady) constant *= dc_gain(part.sections);
            cut.push_back(std::move(part));
        }
    }
    return cut;
}

struct AxisMaker {
    const FilterDesc& desc;
    bool rows;
    bool transposed;
    GpuFilter& filter;
    GpuWays ways = {};

    std::int64_t length() const { return rows ? desc.shape.w : desc.shape.h; }
    std::int64_t lines() const { return rows ? desc.shape.h : desc.shape.w; }

    // Passes of one launch have as many sections and run in a block of the same kernel.
    void add(const std::vector<Pass>& passes) {
        bool line_is_output = !filter.stages.empty();
        for (std::size_t first = 0; first < passes.size();) {
            std::size_t end = first + 1;
            while (end < passes.size() && end - first < gpu_passes &&
                   passes[end].sections.size() == passes[first].sections.size()) {
                ++end;
            }
            add_stage({passes.data() + first, end - first}, line_is_output);
            first = end;
        }
    }

    void add_stage(std::span<const Pass> passes, bool& line_is_output) {
        const bool single = desc.precision == Precision::f32;
        const std::int64_t n = length();
        // Enough samples for a warp to be worth one, in whole tiles.
        constexpr std::int64_t least_segment = 2 * gpu_tile;
        const std::int64_t most_warps = ways.warps != 0 ? ways.warps : most_gpu_warps(desc.precision);
        const std::int64_t wanted = std::clamp<std::int64_t>(n / least_segment, 1, most_warps);
        const std::int64_t tiles = (n / wanted + (n % wanted != 0 ? 1 : 0) + gpu_tile - 1) / gpu_tile;
        const std::int64_t segment = tiles * gpu_tile;
        const std::int64_t warps = n / segment + (n % segment != 0 ? 1 : 0);

        GpuStage stage;
        bool second_order = false;
        for (const Pass& pass : passes) {
            second_order = second_order || std::ranges::any_of(pass.sections, is_second_order);
        }
        stage.kernel = std::string(rows ? "iir_rows_" : "iir_columns_") + (transposed ? "adjoint_" : "") +
                       std::string(name_of(desc.precision)) + "_order" + (second_order ? "2" : "1") + "_x" +
                       std::to_string(passes.front().sections.size());
        stage.threads = static_cast<unsigned>(warps * gpu::warp_lanes);
        stage.shared_bytes =
            static_cast<unsigned>(warps * (rows ? (single ? GpuShared<float, true>::bytes_per_warp
                                                          : GpuShared<double, true>::bytes_per_warp)
                                                : GpuShared<double, false>::bytes_per_warp));
        GpuAxis& axis = stage.axis;
        axis.length = n;
        axis.lines = lines();
        axis.groups = axis.lines / gpu::warp_lanes + (axis.lines % gpu::warp_lanes != 0 ? 1 : 0);
        axis.segment = segment;
        for (std::int64_t i = 0; i < 4; ++i) axis.before[i] = border_index(-1 - i, n, desc.border);
        axis.border = static_cast<int>(desc.border);
        axis.steady = desc.start == Start::steady ? 1 : 0;
        axis.pass_count = static_cast<int>(passes.size());
        for (std::size_t i = 0; i < passes.size(); ++i) {
            axis.passes[i] = pass_parameters(passes[i], segment);
            GpuStage::Places& places = stage.places[i];
            const GpuWhere line = line_is_output ? GpuWhere::y : GpuWhere::x;
            places.in = passes[i].from_scratch ? GpuWhere::scratch : line;
            places.out = passes[i].to_scratch ? GpuWhere::scratch : GpuWhere::y;
            places.add = passes[i].add_scratch ? GpuWhere::scratch : GpuWhere::none;
            line_is_output = line_is_output || !passes[i].to_scratch;
            if (passes[i].to_scratch) {
                const Shape& s = desc.shape;
                filter.scratch_elements = s.n * s.c * s.h * s.w;
            }
        }
        filter.stages.push_back(std::move(stage));
    }

    GpuPass pass_parameters(const Pass& pass, std::int64_t segment) const {
        GpuPass p{};
        p.constant = pass.constant;
        p.reversed = pass.reversed ? 1 : 0;
        std::vector<Section> steps;
        for (std::size_t k = 0; k < pass.sections.size(); ++k) {
            p.sections[k] = section_parameters(pass.sections[k], desc.precision);
            steps.push_back(stepped(pass.sections[k], desc.precision));
        }
        const Matrix m = transposed ? silence_of_costates(steps) : silence(steps);
        p.warmup = ways.carry == carry_exact ? -1 : warmup_length(m, segment, desc.precision);
        std::ranges::copy(power(m, segment), p.carry);
        const bool periodic = desc.start == Start::steady && is_periodic(desc.border);
        if (transposed && periodic) {
            set_periodic_costate(p, pass.sections.front(), steps.front(), length(), desc.border);
        } else if (transposed) {
            set_end(p, pass.sections, length(), desc);
        } else if (periodic) {
            set_history(p, pass.sections.front(), length(), desc.border);
        }
        return p;
    }
};

std::size_t scratch_bytes(const GpuFilter& filter, Precision precision) {
    return static_cast<std::size_t>(filter.scratch_elements) * element_size(storage_type(precision));
}

}  // namespace

std::int32_t most_gpu_warps(Precision precision) {
    return precision == Precision::f32 ? 16 : 8;
}

GpuFilter make_gpu_filter(const FilterDesc& desc, const FilterData& data) {
    return make_gpu_filter_by(desc, data, {});
}

GpuFilter make_gpu_filter_by(const FilterDesc& desc, const FilterData& data, const GpuWays& ways) {
    GpuFilter filter;
    filter.planes = desc.shape.n * desc.shape.c;
    double below = desc.border_const;
    if (desc.start == Start::steady) below *= dc_gain(data.horizontal);
    const auto rows =
        cut_to_size(make_passes(data.horizontal, desc.border, desc.start, desc.border_const), desc.start);
    const auto columns = cut_to_size(make_passes(data.vertical, desc.border, desc.start, below), desc.start);
    filter.tilings = make_gpu_tilings(desc, rows, columns, ways.large_tiles);
    for (const GpuTiling& tiling : filter.tilings)
        filter.workspace_bytes = std::max(filter.workspace_bytes, tiling.workspace_bytes);
    if (!filter.tilings.empty()) return filter;
    AxisMaker{desc, true, false, filter, ways}.add(rows);
    AxisMaker{desc, false, false, filter, ways}.add(columns);
    filter.workspace_bytes = scratch_bytes(filter, desc.precision);
    return filter;
}

GpuFilter make_gpu_adjoint(const FilterDesc& desc, const FilterData& data) {
    GpuFilter filter;
    filter.planes = desc.shape.n * desc.shape.c;
    for (const bool rows : {false, true}) {
        const AxisFilter axis = transposed(rows ? data.horizontal : data.vertical);
        AxisMaker{desc, rows, true, filter}.add(
            cut_to_size(make_passes(axis, desc.border, desc.start, 0.0), desc.start));
    }
    filter.workspace_bytes = scratch_bytes(filter, desc.precision);
    return filter;
}

GpuFilter make_gpu_rows(const FilterDesc& desc, const AxisFilter& horizontal) {
    GpuFilter filter;
    filter.planes = desc.shape.n * desc.shape.c;
    AxisMaker{desc, true, false, filter}.add(
        cut_to_size(make_passes(horizontal, desc.border, desc.start, desc.border_const), desc.start));
    filter.workspace_bytes = scratch_bytes(filter, desc.precision);
    return filter;
}

GpuFilter make_gpu_section(const FilterDesc& desc, bool rows, bool reversed, const Section& section,
                           double constant) {
    GpuFilter filter;
    filter.planes = desc.shape.n * desc.shape.c;
    AxisMaker{desc, rows, false, filter}.add(
        {Pass{.reversed = reversed, .sections = {section}, .constant = constant}});
    return filter;
}

GpuFilter make_gpu_costate(const FilterDesc& desc, bool rows, bool reversed, const Section& section) {
    GpuFilter filter;
    filter.planes = desc.shape.n * desc.shape.c;
    Section feedback = section;
    feedback.b = {1.0, 0.0, 0.0};
    AxisMaker{desc, rows, true, filter}.add({Pass{.reversed = !reversed, .sections = {feedback}}});
    GpuPass& pass = filter.stages.front().axis.passes[0];
    pass.end_count = 0;
    pass.image_steps = 0;
    return filter;
}

void for_each_launch(const GpuFilter& filter, const GpuPlanes& x, const GpuPlanes& y, std::uint64_t workspace,
                     const MakeGpuLaunch& launch) {
    for (std::size_t i = 0; i < filter.tilings.size(); ++i) {
        if (!for_each_launch(filter.tilings[i], filter.planes, i == 0 ? x : y, y, workspace, launch)) return;
    }
    for (const GpuStage& stage : filter.stages) {
        GpuAxis axis = stage.axis;
        const bool rows = stage.kernel.starts_with("iir_rows");
        const std::int64_t width = rows ? axis.length : axis.lines;
        const std::int64_t height = rows ? axis.lines : axis.length;
        const GpuPlanes scratch{workspace, width, width * height};
        const auto planes_at = [&](GpuWhere where) -> GpuPlanes {
            switch (where) {
                case GpuWhere::x:
                    return x;
                case GpuWhere::y:
                    return y;
                case GpuWhere::scratch:
                    return scratch;
                case GpuWhere::none:
                    break;
            }
            return {};
        };
        for (int i = 0; i < axis.pass_count; ++i) {
            axis.passes[i].in = planes_at(stage.places[i].in);
            axis.passes[i].out = planes_at(stage.places[i].out);
            axis.passes[i].add = planes_at(stage.places[i].add);
        }
        const GpuLaunch one{.kernel = stage.kernel.c_str(),
                            .blocks = 0,
                            .threads = stage.threads,
                            .shared_bytes = stage.shared_bytes,
                            .parameters = &axis};
        if (!launch_blocks(one, filter.planes * axis.groups, axis.first_block, launch)) return;
    }
}

}  // namespace iir2d::iir
