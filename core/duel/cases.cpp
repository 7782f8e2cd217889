// SPDX-License-Identifier: MIT
#include "core/duel/cases.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/benchmark/parity.h"
#include "core/benchmark/synthetic.h"
#include "core/image/element_planes.h"
#include "core/support/files.h"
#include "core/support/try.h"
#include "iir2d/convert.h"

namespace workbench::duel {

namespace {

std::vector<std::byte> bytes_of(iir2d::ElementType element, const PlanarImage& image) {
    const SourcePlanes planes(element, image);
    const auto count = static_cast<std::size_t>(image.plane_size()) * iir2d::element_size(element);
    const auto* first = static_cast<const std::byte*>(planes.view().data);
    return {first, first + count};
}

// The C interface's enumerations have the values of the C++ ones.
static_assert(static_cast<int>(iir2d::Border::clamp) == IIR2D_BORDER_CLAMP);
static_assert(static_cast<int>(iir2d::Border::mirror) == IIR2D_BORDER_MIRROR);
static_assert(static_cast<int>(iir2d::Border::wrap) == IIR2D_BORDER_WRAP);
static_assert(static_cast<int>(iir2d::Border::constant) == IIR2D_BORDER_CONSTANT);
static_assert(static_cast<int>(iir2d::Precision::f32) == IIR2D_PRECISION_F32);
static_assert(static_cast<int>(iir2d::Precision::mixed) == IIR2D_PRECISION_MIXED);
static_assert(static_cast<int>(iir2d::Precision::f64) == IIR2D_PRECISION_F64);
static_assert(static_cast<int>(iir2d::ElementType::f32) == IIR2D_ELEMENT_F32);
static_assert(static_cast<int>(iir2d::ElementType::f64) == IIR2D_ELEMENT_F64);
static_assert(static_cast<int>(iir2d::ElementType::f16) == IIR2D_ELEMENT_F16);
static_assert(static_cast<int>(iir2d::ElementType::bf16) == IIR2D_ELEMENT_BF16);
static_assert(static_cast<int>(iir2d::PoolOp::max) == IIR2D_POOL_MAX);
static_assert(static_cast<int>(iir2d::PoolOp::avg) == IIR2D_POOL_AVG);
static_assert(static_cast<int>(iir2d::PoolOp::lp) == IIR2D_POOL_LP);
static_assert(static_cast<int>(iir2d::PoolOp::adaptive_max) == IIR2D_POOL_ADAPTIVE_MAX);
static_assert(static_cast<int>(iir2d::PoolOp::adaptive_avg) == IIR2D_POOL_ADAPTIVE_AVG);

PreparedCase prepare_filter(const BenchmarkCase& what, const PlanarImage& pixels) {
    const FilterCase& filter = *what.filter();
    PreparedCase p;
    p.element = filter.precision == iir2d::Precision::f64 ? iir2d::ElementType::f64 : iir2d::ElementType::f32;
    p.input = bytes_of(p.element, pixels);
    p.output_bytes = p.input.size();
    p.output_width = what.width;
    p.output_height = what.height;
    p.call.kind = CallKind::filter;
    p.call.filter = {.width = static_cast<int>(what.width),
                     .height = static_cast<int>(what.height),
                     .filter_id = filter.filter_id,
                     .border_mode = static_cast<int>(filter.border),
                     .border_const = 0,
                     .precision = static_cast<int>(filter.precision)};
    return p;
}

IIR2D_PoolParams pool_params(const BenchmarkCase& what) {
    const PoolCase& c = *what.pool();
    const PoolOperation& o = c.pool;
    IIR2D_PoolParams p{};
    p.size = sizeof p;
    p.op = static_cast<std::int32_t>(o.op);
    p.element = static_cast<std::int32_t>(c.element);
    p.n = 1;
    p.c = 1;
    p.height = what.height;
    p.width = what.width;
    if (is_adaptive(o.op)) {
        p.output_h = o.output.h;
        p.output_w = o.output.w;
        return p;
    }
    p.window_h = o.window.h;
    p.window_w = o.window.w;
    if (o.stride) {
        p.stride_h = o.stride->h;
        p.stride_w = o.stride->w;
    }
    p.padding_h = o.padding.h;
    p.padding_w = o.padding.w;
    p.dilation_h = o.dilation.h;
    p.dilation_w = o.dilation.w;
    p.ceil_mode = o.ceil_mode ? 1 : 0;
    if (o.op == iir2d::PoolOp::lp) p.p = o.p;
    if (o.op == iir2d::PoolOp::avg) {
        p.count_include_pad = o.count_include_pad ? 1 : 0;
        p.divisor_override = o.divisor_override.value_or(0);
    }
    return p;
}

Result<void> ok(int status) {
    if (status == IIR2D_STATUS_OK) return {};
    return fail(ErrorKind::bad_argument, iir2d_last_error());
}

Result<PreparedCase> prepare_pool(const BenchmarkCase& what, const BenchmarkInput& input) {
    PreparedCase p;
    p.element = what.pool()->element;
    p.input = bytes_of(p.element, *input.pixels);
    p.call.pool = pool_params(what);
    std::int64_t height = 0;
    std::int64_t width = 0;
    IIR2D_RETURN_IF_ERROR(ok(iir2d_pool_output_size(&p.call.pool, &height, &width)));
    const auto bytes = [&p](std::int64_t h, std::int64_t w) {
        return static_cast<std::size_t>(h * w) * iir2d::element_size(p.element);
    };
    if (what.pool()->pass == PoolPass::forward) {
        p.call.kind = CallKind::pool_forward;
        p.output_height = height;
        p.output_width = width;
        p.output_bytes = bytes(height, width);
        return p;
    }
    p.call.kind = CallKind::pool_backward;
    p.output_height = what.height;
    p.output_width = what.width;
    p.output_bytes = bytes(what.height, what.width);
    p.upstream = bytes_of(
        p.element,
        rounded(synthetic_plane(width, height, image_type(p.element), input.upstream_seed), p.element));
    const bool is_max = iir2d::is_max(what.pool()->pool.op);
    if (is_max || what.pool()->pool.op == iir2d::PoolOp::lp) {
        p.pooled.resize(bytes(height, width));
        if (is_max) p.argmax.resize(static_cast<std::size_t>(height * width) * sizeof(std::int64_t));
        IIR2D_RETURN_IF_ERROR(ok(iir2d_pool_forward_cpu(
            p.input.data(), p.pooled.data(),
            is_max ? reinterpret_cast<std::int64_t*>(p.argmax.data()) : nullptr, &p.call.pool)));
        if (is_max) p.pooled = {};  // which its backward pass does not read
    }
    return p;
}

PlanarImage image_of(const PreparedCase& p, std::span<const std::byte> bytes) {
    auto image = PlanarImage::uninitialised(p.output_width, p.output_height, 1, image_type(p.element));
    const auto view = image.view();
    iir2d::convert_elements(bytes.data(), p.element, view.data, view.type,
                            static_cast<std::size_t>(p.output_width * p.output_height));
    return image;
}

}  // namespace

Result<PreparedCase> prepare_case(const BenchmarkCase& what, const BenchmarkInputPtr& input) {
    if (what.recipe() != nullptr) {
        return fail(ErrorKind::bad_argument,
                    "a recipe is not one call of the C interface: duel its filters and its pooling");
    }
    auto prepared = what.pool() != nullptr ? prepare_pool(what, *input)
                                           : Result<PreparedCase>(prepare_filter(what, *input->pixels));
    if (prepared) {
        const auto plane = plane_as_double(*input->pixels, 0);
        prepared->magnitude = std::max(1.0, largest_magnitude(plane));
    }
    return prepared;
}

Result<DuelOutputs> compare_outputs(const PreparedCase& prepared, const BenchmarkCase& what,
                                    std::span<const std::byte> base, std::span<const std::byte> now,
                                    std::string& why_wrong) {
    DuelOutputs outputs;
    outputs.base_sha256 = sha256_hex(base);
    outputs.now_sha256 = sha256_hex(now);
    // Each side may be off by the contract's bound, so the two may be twice as far apart.
    outputs.bound = 2 * parity_bound(what);
    outputs.bound_is_relative = what.pool() != nullptr;
    outputs.equal_bits = outputs.base_sha256 == outputs.now_sha256;
    if (outputs.equal_bits) return outputs;
    const PlanarImage now_image = image_of(prepared, now);
    const auto reference = plane_as_double(image_of(prepared, base), 0);
    Tolerance tolerance;
    if (outputs.bound_is_relative) {
        tolerance.relative = outputs.bound;
        tolerance.floor = 1e-30;
    } else {
        tolerance.absolute = outputs.bound * prepared.magnitude;
    }
    ParityCheck check;
    check.add_channel(now_image, 0, reference, tolerance);
    const Parity parity = check.parity();
    outputs.max_abs_error = parity.max_abs_error;
    outputs.max_ulp = parity.max_ulp;
    outputs.bound = outputs.bound_is_relative ? outputs.bound : tolerance.absolute;
    if (const auto failure = parity_failure(parity)) {
        why_wrong = *failure;
        if (const auto at = why_wrong.find("from the reference"); at != std::string::npos)
            why_wrong.replace(at, 18, "from the base's");
    }
    return outputs;
}

}  // namespace workbench::duel
