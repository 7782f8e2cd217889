// SPDX-License-Identifier: MIT
#include "core/tune/prepared.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/benchmark/copy_probe.h"
#include "core/benchmark/parity.h"
#include "core/benchmark/synthetic.h"
#include "core/image/element_planes.h"
#include "core/support/counted.h"
#include "core/support/memory.h"
#include "core/support/try.h"
#include "iir2d/convert.h"
#include "iir2d/reference.h"

namespace workbench::tune {

namespace {

constexpr std::size_t alignment = 64;

std::size_t count_of(const iir2d::Shape& shape) {
    return static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w);
}

// Planes of a type, made of seeds that are two apart.
AlignedBytes synthetic_planes(const iir2d::Shape& shape, iir2d::ElementType type, std::uint64_t seed) {
    const std::size_t samples = static_cast<std::size_t>(shape.h * shape.w);
    const std::size_t size = iir2d::element_size(type);
    AlignedBytes made(count_of(shape) * size);
    for (std::int64_t p = 0; p < shape.n * shape.c; ++p) {
        const PlanarImage plane =
            synthetic_plane(shape.w, shape.h, image_type(type), seed + 2 * static_cast<std::uint64_t>(p));
        iir2d::convert_elements(plane.view().data, plane.type(),
                                made.bytes().data() + static_cast<std::size_t>(p) * samples * size, type,
                                samples);
    }
    return made;
}

// The traffic of a filter, or of pooling with or without places.
Result<Traffic> traffic_of_problem(const Problem& problem, const iir2d::Shape& result) {
    const std::size_t size = iir2d::element_size(element_of(problem));
    if (problem.filter() != nullptr) {
        const std::uint64_t bytes = count_of(problem.shape()) * size;
        return Traffic{bytes, bytes};
    }
    IIR2D_TRY(auto traffic, pool_traffic(*problem.pool(), problem.shape(), problem.element, problem.pass));
    if (problem.places) traffic.written += count_of(result) * sizeof(std::int64_t);
    return traffic;
}

// What a visit holds at its peak: planes and gradients, the output, static's, the copy's two, and of one
// plane doubles for the reference.
Result<void> check_memory(const Problem& problem) {
    const auto planes = static_cast<double>(problem.width) * static_cast<double>(problem.height) *
                        static_cast<double>(problem.planes);
    const double element = static_cast<double>(iir2d::element_size(element_of(problem)));
    const double places = problem.places ? 3 * planes * sizeof(std::int64_t) : 0;
    const double needed =
        6 * planes * element + places + 5 * planes / static_cast<double>(problem.planes) * 8;
    const auto available = available_memory_bytes();
    if (!available || needed <= 0.75 * static_cast<double>(*available)) return {};
    return fail(ErrorKind::device_failure, "it needs " + mebibytes(static_cast<std::uint64_t>(needed)) +
                                               " of memory, and " + mebibytes(*available) + " are available");
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size) : m_block(memory_block(size + alignment)), m_size(size) {
    void* first = m_block.get();
    std::size_t room = size + alignment;
    m_first = static_cast<std::byte*>(std::align(alignment, size, first, room));
}

Result<std::unique_ptr<PreparedProblem>> PreparedProblem::make(const Problem& problem,
                                                               const iir2d::Device& device,
                                                               std::uint64_t seed) {
    IIR2D_RETURN_IF_ERROR(check_memory(problem));
    std::unique_ptr<PreparedProblem> made(new PreparedProblem(problem, device));
    try {
        IIR2D_RETURN_IF_ERROR(made->fill(seed));
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::device_failure, "there is not enough memory for it");
    }
    return made;
}

Result<void> PreparedProblem::fill(std::uint64_t seed) {
    m_element = tune::element_of(m_problem);
    IIR2D_TRY(const auto plan, this->plan({}));
    m_result = std::visit([](const auto& p) { return p.output_shape(); }, plan);
    IIR2D_TRY(m_traffic, traffic_of_problem(m_problem, m_result));
    const std::size_t size = iir2d::element_size(m_element);
    const bool backward = m_problem.pass == PoolPass::backward;
    m_input = synthetic_planes(m_problem.shape(), m_element, seed);
    const std::size_t places = m_problem.places ? count_of(m_result) * sizeof(std::int64_t) : 0;
    // Places are 8 bytes each and begin at a multiple of them.
    const std::size_t samples = count_of(backward ? m_problem.shape() : m_result) * size;
    m_output = AlignedBytes((places != 0 ? (samples + 7) / 8 * 8 : samples) + places);
    return backward ? fill_backward(seed) : Result<void>{};
}

// What the pass reads beside the gradient.
Result<void> PreparedProblem::fill_backward(std::uint64_t seed) {
    m_upstream = synthetic_planes(m_result, m_element, seed + 1);
    const bool maximum = is_max(m_problem.pool()->op);
    if (!maximum && m_problem.pool()->op != iir2d::PoolOp::lp) return {};
    AlignedBytes pooled(count_of(m_result) * iir2d::element_size(m_element));
    if (maximum) m_argmax.resize(count_of(m_result));
    IIR2D_TRY(const auto plan, this->plan({}));
    IIR2D_RETURN_IF_ERROR(from_kernel(std::get<iir2d::PoolPlan>(plan).forward(
        {m_input.bytes().data(), m_element, m_problem.shape()},
        {.data = pooled.bytes().data(), .type = m_element, .shape = m_result}, m_argmax)));
    if (!maximum) m_pooled = std::move(pooled);
    return {};
}

Result<Plan> PreparedProblem::plan(const iir2d::Config& config) const {
    if (m_problem.filter() != nullptr) {
        IIR2D_TRY(auto made,
                  from_kernel(iir2d::FilterPlan::make(m_device, filter_desc_of(m_problem), config)));
        return made;
    }
    const bool backward = m_problem.pass == PoolPass::backward;
    IIR2D_TRY(auto made, from_kernel(iir2d::PoolPlan::make(m_device, pool_desc_of(m_problem),
                                                           backward ? iir2d::Config{} : config,
                                                           backward ? config : iir2d::Config{})));
    return made;
}

std::span<std::int64_t> PreparedProblem::places() const {
    if (!m_problem.places) return {};
    const std::size_t count = count_of(m_result);
    return {reinterpret_cast<std::int64_t*>(m_output.bytes().last(count * sizeof(std::int64_t)).data()),
            count};
}

Result<void> PreparedProblem::run(const Plan& plan, const std::stop_token& stop) {
    const iir2d::ConstTensorView x(m_input.bytes().data(), m_element, m_problem.shape());
    const iir2d::RunControl control{.stop = stop, .times = is_on_gpu() ? &m_times : nullptr};
    if (const auto* filter = std::get_if<iir2d::FilterPlan>(&plan)) {
        return from_kernel(
            filter->run(x, {.data = m_output.bytes().data(), .type = m_element, .shape = m_result}, control));
    }
    const auto& pool = std::get<iir2d::PoolPlan>(plan);
    if (m_problem.pass == PoolPass::forward) {
        return from_kernel(pool.forward(
            x, {.data = m_output.bytes().data(), .type = m_element, .shape = m_result}, places(), control));
    }
    const iir2d::ConstTensorView dy(m_upstream.bytes().data(), m_element, m_result);
    iir2d::ConstTensorView y;
    if (!m_pooled.bytes().empty()) y = {m_pooled.bytes().data(), m_element, m_result};
    return from_kernel(pool.backward(
        x, y, dy, {.data = m_output.bytes().data(), .type = m_element, .shape = m_problem.shape()}, m_argmax,
        control));
}

std::optional<double> PreparedProblem::device_ms() const {
    if (!is_on_gpu()) return std::nullopt;
    return m_times.compute_ms;
}

Result<std::optional<double>> PreparedProblem::device_copy_ms() const {
    if (!is_on_gpu()) return std::optional<double>();
    IIR2D_TRY(const double ms, copy_on_gpu(m_device, static_cast<std::size_t>(m_traffic.read),
                                           static_cast<std::size_t>(m_traffic.written)));
    return std::optional(ms);
}

std::vector<double> PreparedProblem::plane_of(const AlignedBytes& bytes, const iir2d::Shape& shape,
                                              std::int64_t p) const {
    std::vector<double> plane(static_cast<std::size_t>(shape.h * shape.w));
    const std::byte* const first =
        bytes.bytes().data() + static_cast<std::size_t>(p) * plane.size() * iir2d::element_size(m_element);
    iir2d::convert_elements(first, m_element, plane.data(), iir2d::ElementType::f64, plane.size());
    return plane;
}

Result<void> PreparedProblem::judge(const TaskControl& control) const {
    const std::int64_t planes = m_problem.planes;
    try {
        for (std::int64_t p = 0; p < planes; ++p) {
            if (control.cancelled()) return fail(ErrorKind::cancelled, "the check was cancelled");
            IIR2D_RETURN_IF_ERROR(judge_plane(p, control));
        }
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::device_failure, "there is not enough memory for the reference");
    }
    return {};
}

Result<void> PreparedProblem::judge_plane(std::int64_t plane, const TaskControl& control) const {
    const iir2d::RunControl run{.stop = control.stop};
    const iir2d::Shape one{1, 1, m_problem.height, m_problem.width};
    const std::vector<double> x = plane_of(m_input, m_problem.shape(), plane);
    const bool backward = m_problem.pass == PoolPass::backward;
    const iir2d::Shape result = backward ? one : iir2d::Shape{1, 1, m_result.h, m_result.w};
    std::vector<double> reference(count_of(result));
    Tolerance tolerance;
    if (m_problem.filter() != nullptr) {
        IIR2D_TRY(const auto step, error_step({.what = *m_problem.filter()}, m_element));
        tolerance.absolute = step.own * std::max(1.0, largest_magnitude(x));
        IIR2D_RETURN_IF_ERROR(
            from_kernel(iir2d::reference::filter(filter_desc(*m_problem.filter(), one), x, reference, run)));
    } else {
        const PoolOperation& pool = *m_problem.pool();
        const iir2d::PoolDesc desc = pool_desc(pool, one, iir2d::ElementType::f64);
        // Neither samples nor gradients are negative: no sum cancels.
        tolerance = {.relative = pool_bound(pool, m_element, m_problem.pass),
                     .floor = least_normal(m_element),
                     .stored = m_element};
        if (backward) {
            std::vector<double> y;
            if (!m_pooled.bytes().empty()) y = plane_of(m_pooled, m_result, plane);
            const std::vector<double> dy = plane_of(m_upstream, m_result, plane);
            IIR2D_RETURN_IF_ERROR(
                from_kernel(iir2d::reference::pool_backward(desc, x, y, dy, reference, run)));
        } else {
            std::vector<std::int64_t> expected(m_problem.places ? reference.size() : 0);
            IIR2D_RETURN_IF_ERROR(from_kernel(iir2d::reference::pool(desc, x, reference, expected, run)));
            const auto found = places().subspan(
                m_problem.places ? static_cast<std::size_t>(plane) * reference.size() : 0, expected.size());
            if (!std::ranges::equal(found, expected))
                return fail(ErrorKind::check_failed, "static's places are not the reference's");
        }
    }
    PlanarImage image(result.w, result.h, 1, image_type(m_element));
    const std::size_t bytes = reference.size() * iir2d::element_size(m_element);
    iir2d::convert_elements(m_output.bytes().data() + static_cast<std::size_t>(plane) * bytes, m_element,
                            image.view().data, image.type(), reference.size());
    ParityCheck check;
    check.add_channel(image, 0, reference, tolerance);
    if (const auto failure = parity_failure(check.parity()))
        return fail(ErrorKind::check_failed, "static's result is not the reference's: " + *failure);
    return {};
}

}  // namespace workbench::tune
