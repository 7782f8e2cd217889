// SPDX-License-Identifier: MIT
#include "kernels/iir/gpu_gradient_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/iir/analysis.h"
#include "kernels/iir/axis_gradient.h"
#include "kernels/iir/border.h"
#include "kernels/iir/dual_filter.h"
#include "kernels/iir/gpu_axis.h"

namespace iir2d::iir {

namespace {

constexpr std::int64_t block_elements = gpu_gradient_warps * gpu::warp_lanes * gpu_gradient_steps;
constexpr unsigned block_threads = gpu_gradient_warps * gpu::warp_lanes;

std::int64_t blocks_of(std::int64_t elements) {
    return elements / block_elements + (elements % block_elements != 0 ? 1 : 0);
}
std::int64_t groups_of(std::int64_t lines) {
    return lines / gpu::warp_lanes + (lines % gpu::warp_lanes != 0 ? 1 : 0);
}

// A number with its derivatives with respect to each parameter.
struct Constant {
    double value = 0.0;
    std::vector<double> derivatives;

    // Of the constant behind something of this gain.
    template <class Part>
    Constant behind(const Part& part, const std::vector<const Part*>& changes) const {
        Constant result = *this;
        const double gain = dc_gain(part);
        result.value *= gain;
        for (std::size_t p = 0; p < derivatives.size(); ++p)
            result.derivatives[p] = derivatives[p] * gain + value * dc_gain_derivative(part, *changes[p]);
        return result;
    }
};

// One section's way over the lines, as in axis_gradient.h.
struct Way {
    const GradientAxis::Part* part;
    bool reversed;
    int u;
    int y;
    Constant constant;
};

class Maker {
  public:
    Maker(const FilterDesc& desc, GpuGradient& gradient) : m_desc(desc), m_gradient(gradient) {}

    int take() {
        if (m_free.empty()) return m_gradient.buffers++;
        const int buffer = m_free.back();
        m_free.pop_back();
        return buffer;
    }
    // What has come from outside stays.
    void give(int buffer) {
        if (buffer > GpuGradient::dy) m_free.push_back(buffer);
    }

    void run(GpuFilter filter, int from, int to, int scratch = -1) {
        m_gradient.steps.push_back({std::move(filter), from, to, scratch, std::nullopt});
    }

    // All of an axis; `output` is where its output is already, or -1. Returns where the gradient of its input
    // is, if that is wanted. Takes g.
    int axis(const GradientAxis& axis, bool rows, int input, int output, int g, Constant outside,
             bool wants_input) {
        m_rows = rows;
        struct StageWays {
            std::vector<Way> sections, causal, anticausal;
        };
        std::vector<StageWays> ways;
        int line = input;
        for (const GradientAxis::StageParts& parts : axis.stages) {
            StageWays& stage = ways.emplace_back();
            const bool last = &parts == &axis.stages.back();
            const bool is_sum = parts.stage->kind == Stage::Kind::sum;
            if (is_sum) {
                stage.causal = forward(parts.causal, line, false, outside, -1);
                stage.anticausal = forward(parts.anticausal, line, true, outside, -1);
            } else {
                stage.sections = forward(parts.sections, line, parts.stage->kind == Stage::Kind::anticausal,
                                         outside, last ? output : -1);
                line = stage.sections.back().y;
            }
            if (m_desc.start == Start::steady) outside = outside.behind(*parts.stage, parts.derivatives);
        }
        for (std::size_t i = ways.size(); i-- > 0;) {
            const bool wanted = i > 0 || wants_input;
            const StageWays& stage = ways[i];
            int out = -1;
            if (stage.causal.empty()) {
                out = back(stage.sections, g, -1, wanted);
            } else {
                const int causal = back(stage.causal, g, -1, wanted);
                out = back(stage.anticausal, g, causal, wanted);
                give(causal);
            }
            give(g);
            g = out;
        }
        return g;
    }

  private:
    std::vector<Way> forward(const std::vector<GradientAxis::Part>& parts, int line, bool reversed,
                             Constant outside, int output) {
        std::vector<Way> ways;
        for (const GradientAxis::Part& part : parts) {
            const bool there = output >= 0 && &part == &parts.back();
            const int y = there ? output : take();
            if (!there) {
                run(make_gpu_section(m_desc, m_rows, reversed, *part.section, outside.value), line, y);
            }
            ways.push_back({&part, reversed, line, y, outside});
            line = y;
            if (m_desc.start == Start::steady) outside = outside.behind(*part.section, part.derivatives);
        }
        return ways;
    }

    // Keeps g, gives the sections' outputs back.
    int back(const std::vector<Way>& ways, const int g, int add, bool wants_input) {
        int upstream = g;
        for (std::size_t i = ways.size(); i-- > 0;) {
            const int out = i > 0 || wants_input ? take() : -1;
            section(ways[i], upstream, out, i == 0 ? add : -1);
            give(ways[i].y);
            if (upstream != g) give(upstream);
            upstream = out;
        }
        return upstream;
    }

    void section(const Way& way, int g, int out, int add) {
        const GradientAxis::Part& part = *way.part;
        const Section& s = *part.section;
        const Shape& shape = m_desc.shape;
        const std::int64_t n = m_rows ? shape.w : shape.h;
        const int l = take();
        GpuGradientStep step{make_gpu_costate(m_desc, m_rows, way.reversed, s), g, l, -1,
                             GpuSectionGradient{}};
        GpuSectionGradient& own = *step.section;
        own.u = way.u;
        own.y = way.y;
        own.g = g;
        own.l = l;
        own.out = out;
        own.add = add;

        GpuGradientSection taps{};
        std::ranges::copy(s.b, taps.b);
        std::ranges::copy(s.a, taps.a);
        if (const Section* direction = part.direction()) {
            std::ranges::copy(direction->b, taps.change_b);
            std::ranges::copy(direction->a, taps.change_a);
            taps.directed = 1;
        }

        own.products.elements = shape.h * shape.w;
        own.products.width = shape.w;
        own.products.length = n;
        own.products.blocks = blocks_of(own.products.elements);
        own.products.rows = m_rows ? 1 : 0;
        own.products.reversed = way.reversed ? 1 : 0;
        own.products.section = taps;

        const GpuFilter forward = make_gpu_section(m_desc, m_rows, way.reversed, s, way.constant.value);
        own.ends.axis = forward.stages.front().axis;
        own.ends.axis.passes[1] = step.run.stages.front().axis.passes[0];
        own.ends.section = taps;
        own.ends.has_out = out >= 0 ? 1 : 0;
        if (m_desc.start == Start::steady && m_desc.border == Border::mirror) {
            const std::int64_t memory = memory_length(s, 0x1p-64);
            own.ends.image_steps = std::min(n, memory);
            own.ends.image_before = std::min(2 * n, own.ends.image_steps + memory);
        }

        own.of_plane.products_blocks = own.products.blocks;
        own.of_plane.ends_blocks = own.ends.axis.groups;
        own.of_plane.parameters = m_gradient.parameters;
        own.of_plane.directed = taps.directed;
        own.of_plane.first = std::exchange(m_is_first, false) ? 1 : 0;
        for (std::size_t p = 0; p < part.derivatives.size(); ++p) {
            const Section& d = *part.derivatives[p];
            double* weight = own.of_plane.weight[p];
            std::ranges::copy(d.b, weight);
            std::ranges::copy(d.a, weight + 3);
            std::ranges::copy(d.start_b, weight + 5);
            weight[gpu_gradient_of_gain] = dc_gain_derivative(s, d);
            weight[gpu_gradient_of_constant] = way.constant.derivatives[p];
            weight[gpu_gradient_directed] = std::cmp_equal(p, part.only) ? 1.0 : 0.0;
        }
        m_gradient.steps.push_back(std::move(step));
        give(l);
    }

    const FilterDesc& m_desc;
    GpuGradient& m_gradient;
    bool m_rows = false;
    bool m_is_first = true;
    std::vector<int> m_free;
};

std::vector<const AxisFilter*> axes_of(const std::vector<FilterData>& filters, AxisFilter FilterData::*part) {
    std::vector<const AxisFilter*> axes;
    axes.reserve(filters.size());
    for (const FilterData& filter : filters) axes.push_back(&(filter.*part));
    return axes;
}

bool has_sum(const AxisFilter& axis) {
    return axis.stages.back().kind == Stage::Kind::sum;
}

template <class Parameters>
bool launch_blocks(const char* kernel, std::int64_t blocks, unsigned threads, std::size_t shared_bytes,
                   Parameters& parameters, std::int64_t& first_block, const MakeGpuLaunch& launch) {
    const GpuLaunch one{kernel, 0, threads, static_cast<unsigned>(shared_bytes), &parameters};
    return iir::launch_blocks(one, blocks, first_block, launch);
}

}  // namespace

std::size_t GpuGradient::buffer_bytes() const {
    return static_cast<std::size_t>(planes() * shape.h * shape.w) * sizeof(double);
}

std::size_t GpuGradient::products_bytes() const {
    return static_cast<std::size_t>(planes() * blocks_of(shape.h * shape.w)) * gpu_products * sizeof(double);
}

std::size_t GpuGradient::ends_bytes() const {
    return static_cast<std::size_t>(planes() * groups_of(std::max(shape.h, shape.w))) * gpu_gradient_sums *
           sizeof(double);
}

Result<GpuGradient> make_gpu_gradient(const FilterDesc& given, const FilterData& data) {
    const auto derivatives = filter_derivatives(given.filter);
    if (!derivatives) return std::unexpected(derivatives.error());
    FilterDesc desc{.shape = given.shape,
                    .filter = {},
                    .border = given.border,
                    .border_const = given.border == Border::constant ? given.border_const : 0.0,
                    .precision = Precision::f64,
                    .start = given.start};
    const std::size_t count = derivatives->size();
    for (const AxisFilter* axis : {&data.horizontal, &data.vertical}) {
        for (const Stage& stage : axis->stages) {
            if (stage.kind == Stage::Kind::sum && &stage != &axis->stages.back()) {
                return std::unexpected(Error{ErrorCode::invalid_argument,
                                             "the gradient of a filter with a stage behind a sum is not "
                                             "computed on a GPU"});
            }
        }
    }
    if (count > gpu_most_parameters) {
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     "the gradient of more than " + std::to_string(gpu_most_parameters) +
                                         " parameters is not computed on a GPU"});
    }
    const GradientAxis rows(data.horizontal, axes_of(*derivatives, &FilterData::horizontal), false);
    const GradientAxis columns(data.vertical, axes_of(*derivatives, &FilterData::vertical), false);
    GpuGradient gradient;
    gradient.shape = desc.shape;
    gradient.parameters = static_cast<int>(count);
    Maker maker(desc, gradient);

    const Constant across{desc.border_const, std::vector<double>(count)};
    Constant down = across;
    if (desc.start == Start::steady) {
        down.value *= dc_gain(data.horizontal);
        for (std::size_t p = 0; p < count; ++p)
            down.derivatives[p] =
                desc.border_const * dc_gain_derivative(data.horizontal, (*derivatives)[p].horizontal);
    }
    const int between = maker.take();
    const int scratch = maker.take();
    maker.run(make_gpu_rows(desc, data.horizontal), GpuGradient::x, between, scratch);
    maker.give(scratch);
    const int back = maker.axis(columns, false, between, -1, GpuGradient::dy, down, true);
    const bool sum = has_sum(data.horizontal);
    if (sum) maker.give(between);
    maker.axis(rows, true, GpuGradient::x, sum ? -1 : between, back, across, false);
    return gradient;
}

void for_each_launch(const GpuGradient& gradient, std::uint64_t workspace, std::uint64_t of_planes,
                     const MakeGpuLaunch& launch) {
    const Shape& shape = gradient.shape;
    const std::uint64_t products_sums = workspace + gradient.all_buffers_bytes();
    const std::uint64_t ends_sums = products_sums + gradient.products_bytes();
    const auto address = [&](int buffer) -> std::uint64_t {
        return buffer < 0 ? 0 : workspace + static_cast<std::uint64_t>(buffer) * gradient.buffer_bytes();
    };
    const auto planes = [&](int buffer) { return GpuPlanes{address(buffer), shape.w, shape.w * shape.h}; };
    bool go_on = true;
    for (const GpuGradientStep& step : gradient.steps) {
        for_each_launch(step.run, planes(step.from), planes(step.to), address(step.scratch),
                        [&](const GpuLaunch& one) {
                            go_on = launch(one);
                            return go_on;
                        });
        if (!go_on) return;
        if (!step.section) continue;
        const GpuSectionGradient& own = *step.section;

        GpuProducts products = own.products;
        products.u = address(own.u);
        products.y = address(own.y);
        products.l = address(own.l);
        products.out = address(own.out);
        products.add = address(own.add);
        products.sums = products_sums;
        constexpr std::size_t lanes_bytes = block_threads * sizeof(double);
        if (!launch_blocks("iir_gradient_products", gradient.planes() * products.blocks, block_threads,
                           lanes_bytes + gpu_gradient_warps * gpu_products * sizeof(double), products,
                           products.first_block, launch))
            return;

        const bool rows = products.rows != 0;
        GpuEnds ends = own.ends;
        ends.axis.passes[0].in = planes(own.u);
        ends.axis.passes[0].out = planes(own.out < 0 ? own.u : own.out);
        ends.axis.passes[0].add = {};
        ends.axis.passes[1].in = planes(own.g);
        ends.axis.passes[1].out = planes(own.l);
        ends.axis.passes[1].add = {};
        ends.y = planes(own.y);
        ends.l = planes(own.l);
        ends.sums = ends_sums;
        if (!launch_blocks(rows ? "iir_gradient_ends_rows" : "iir_gradient_ends_columns",
                           gradient.planes() * ends.axis.groups, gpu::warp_lanes,
                           GpuShared<double, true>::bytes_per_warp, ends, ends.axis.first_block, launch))
            return;

        GpuGradientOfPlane of_plane = own.of_plane;
        of_plane.products = products_sums;
        of_plane.ends = ends_sums;
        of_plane.gradient = of_planes;
        if (!launch_blocks("iir_gradient_of_plane", gradient.planes(), block_threads,
                           lanes_bytes + gpu::warp_lanes * sizeof(double), of_plane, of_plane.first_block,
                           launch))
            return;
    }
}

void launch_sum(std::uint64_t of_planes, std::int64_t planes, int parameters, std::uint64_t gradient,
                const MakeGpuLaunch& launch) {
    const GpuGradientSum sum{of_planes, gradient, planes, parameters};
    launch({"iir_gradient_sum", 1, gpu::warp_lanes, 0, &sum});
}

}  // namespace iir2d::iir
