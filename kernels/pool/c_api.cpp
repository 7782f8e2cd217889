// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "iir2d/iir2d_pool.h"
#include "iir2d/plan.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/cuda.h"
#include "kernels/pool/geometry.h"
#include "kernels/support/c_status.h"

namespace {

using namespace iir2d;
using support::status_of;

// Of the first version of the struct: a shorter one was never in a header.
constexpr std::size_t first_size = offsetof(IIR2D_PoolParams, count_include_pad) + sizeof(std::int32_t);

// The caller's struct in the library's length; nothing where a field that it has and the library lacks is
// set.
std::optional<IIR2D_PoolParams> known_fields(const IIR2D_PoolParams& given) {
    IIR2D_PoolParams known{};
    if (given.size < first_size) return std::nullopt;
    std::memcpy(&known, &given, std::min(given.size, sizeof known));
    const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
    const bool rest_is_zero =
        given.size <= sizeof known ||
        std::all_of(bytes + sizeof known, bytes + given.size, [](unsigned char byte) { return byte == 0; });
    return rest_is_zero ? std::optional(known) : std::nullopt;
}

bool is_flag(std::int32_t value) {
    return value == 0 || value == 1;
}

struct Job {
    PoolDesc desc;
    pool::PoolGeometry geometry;
};

// OK and the job, or the status of what is wrong with the parameters.
int read(const IIR2D_PoolParams& params, Job& job) {
    const auto known = known_fields(params);
    if (!known || known->op < IIR2D_POOL_MAX || known->op > IIR2D_POOL_ADAPTIVE_AVG ||
        known->element < IIR2D_ELEMENT_F32 || known->element > IIR2D_ELEMENT_BF16 ||
        !is_flag(known->ceil_mode) || !is_flag(known->count_include_pad))
        return IIR2D_STATUS_INVALID_ARGUMENT;
    const auto& p = *known;
    job.desc = {.op = static_cast<PoolOp>(p.op),
                .shape = {p.n, p.c, p.height, p.width},
                .window = {p.window_h, p.window_w},
                .padding = {p.padding_h, p.padding_w},
                .ceil_mode = p.ceil_mode != 0,
                .p = p.p,
                .count_include_pad = p.count_include_pad != 0,
                .output = {p.output_h, p.output_w},
                .element = static_cast<ElementType>(p.element)};
    if (p.stride_h != 0 || p.stride_w != 0) job.desc.stride = Extent{p.stride_h, p.stride_w};
    if (p.dilation_h != 0 || p.dilation_w != 0) job.desc.dilation = {p.dilation_h, p.dilation_w};
    if (p.divisor_override != 0) job.desc.divisor_override = p.divisor_override;
    auto geometry = pool::make_geometry(job.desc);
    if (!geometry) return status_of(geometry.error().code);
    job.geometry = *geometry;
    return IIR2D_STATUS_OK;
}

// Null pointers come first, and which of them may be null depends on the op alone.
std::optional<PoolOp> op_of(const IIR2D_PoolParams* params) {
    if (params == nullptr) return std::nullopt;
    return static_cast<PoolOp>(params->op);
}

bool lacks_pointer(const void* x, const void* y, const void* dy, const void* dx, bool has_argmax, PoolOp op) {
    const auto reads = pool::backward_reads(op);
    const bool reads_x = reads.x || (reads.argmax && !has_argmax);
    return dy == nullptr || dx == nullptr || (reads_x && x == nullptr) || (reads.y && y == nullptr);
}

Result<PoolPlan> plan_on_cpu(const Job& job) {
    const auto device = Device::cpu();
    if (!device) return std::unexpected(device.error());
    return PoolPlan::make(*device, job.desc);
}

pool::GpuPlanes dense(const void* data, const Shape& shape) {
    return {reinterpret_cast<std::uintptr_t>(data), shape.w, shape.h * shape.w};
}

std::span<const std::int64_t> argmax_span(const std::int64_t* argmax, const Shape& output) {
    if (argmax == nullptr) return {};
    return {argmax, static_cast<std::size_t>(output.n * output.c * output.h * output.w)};
}

}  // namespace

extern "C" {

int iir2d_pool_output_size(const IIR2D_PoolParams* params, int64_t* height, int64_t* width) {
    if (params == nullptr || height == nullptr || width == nullptr) return IIR2D_STATUS_NULL_POINTER;
    Job job;
    if (const int status = read(*params, job); status != IIR2D_STATUS_OK) return status;
    *height = job.geometry.output.h;
    *width = job.geometry.output.w;
    return IIR2D_STATUS_OK;
}

int iir2d_pool_forward_cpu(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params) try {
    if (x == nullptr || y == nullptr || params == nullptr) return IIR2D_STATUS_NULL_POINTER;
    Job job;
    if (const int status = read(*params, job); status != IIR2D_STATUS_OK) return status;
    const auto plan = plan_on_cpu(job);
    if (!plan) return status_of(plan.error().code);
    const Shape& output = job.geometry.output;
    std::span<std::int64_t> indices;
    if (argmax != nullptr) indices = {argmax, argmax_span(argmax, output).size()};
    return status_of(
        plan->forward({x, job.desc.element, job.desc.shape}, {y, job.desc.element, output}, indices));
} catch (...) {
    return IIR2D_STATUS_WORKSPACE_ERROR;  // no memory: nothing may unwind into C
}

int iir2d_pool_forward_cuda(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params,
                            void* stream) try {
    if (x == nullptr || y == nullptr || params == nullptr) return IIR2D_STATUS_NULL_POINTER;
    Job job;
    if (const int status = read(*params, job); status != IIR2D_STATUS_OK) return status;
    if (argmax != nullptr && !is_max(job.desc.op)) return IIR2D_STATUS_INVALID_ARGUMENT;
    return status_of(pool::enqueue_on_current_context(
        static_cast<cuda::StreamHandle>(stream), pool::make_gpu_pooling(job.desc, job.geometry),
        dense(x, job.geometry.input), dense(y, job.geometry.output),
        reinterpret_cast<std::uintptr_t>(argmax)));
} catch (...) {
    return IIR2D_STATUS_WORKSPACE_ERROR;
}

int iir2d_pool_backward_cpu(const void* x, const void* y, const void* dy, void* dx, const int64_t* argmax,
                            const IIR2D_PoolParams* params) try {
    const auto op = op_of(params);
    if (!op || lacks_pointer(x, y, dy, dx, argmax != nullptr, *op)) return IIR2D_STATUS_NULL_POINTER;
    Job job;
    if (const int status = read(*params, job); status != IIR2D_STATUS_OK) return status;
    const auto plan = plan_on_cpu(job);
    if (!plan) return status_of(plan.error().code);
    const ElementType element = job.desc.element;
    const Shape& output = job.geometry.output;
    return status_of(plan->backward({x, element, job.desc.shape}, {y, element, output}, {dy, element, output},
                                    {dx, element, job.desc.shape}, argmax_span(argmax, output)));
} catch (...) {
    return IIR2D_STATUS_WORKSPACE_ERROR;
}

int iir2d_pool_backward_cuda(const void* x, const void* y, const void* dy, void* dx, const int64_t* argmax,
                             const IIR2D_PoolParams* params, void* stream) try {
    const auto op = op_of(params);
    if (!op || lacks_pointer(x, y, dy, dx, argmax != nullptr, *op)) return IIR2D_STATUS_NULL_POINTER;
    if (is_max(*op) && argmax == nullptr) return IIR2D_STATUS_NULL_POINTER;
    Job job;
    if (const int status = read(*params, job); status != IIR2D_STATUS_OK) return status;
    if (argmax != nullptr && !is_max(job.desc.op)) return IIR2D_STATUS_INVALID_ARGUMENT;
    const auto reads = pool::backward_reads(job.desc.op);
    const Shape& output = job.geometry.output;
    return status_of(pool::enqueue_backward_on_current_context(
        static_cast<cuda::StreamHandle>(stream), pool::make_gpu_pooling(job.desc, job.geometry),
        {.x = dense(reads.x ? x : nullptr, job.geometry.input),
         .y = dense(reads.y ? y : nullptr, output),
         .dy = dense(dy, output),
         .dx = dense(dx, job.geometry.input),
         .argmax = reinterpret_cast<std::uintptr_t>(argmax)}));
} catch (...) {
    return IIR2D_STATUS_WORKSPACE_ERROR;
}

}  // extern "C"
