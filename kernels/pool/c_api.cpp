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
#include "kernels/pool/plan_checks.h"
#include "kernels/support/c_status.h"
#include "kernels/support/guard.h"

namespace {

using namespace iir2d;
using support::guarded;
using support::no_memory;
using support::status_of;

// Bytes of the first version of the struct: a shorter one was never in a header.
constexpr std::size_t first_size = offsetof(IIR2D_PoolParams, count_include_pad) + sizeof(std::int32_t);
// More than any version will have: what is behind it is not the struct's, whatever its first field holds.
constexpr std::size_t largest_size = 4096;

// The caller's struct in the library's length; nothing where its size is none, or where a field is set that
// it has and the library lacks. Of memory, only the size is read before it is known, and then that much.
std::optional<IIR2D_PoolParams> known_fields(const void* given) {
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size);
    if (size < first_size || size > largest_size) return std::nullopt;
    IIR2D_PoolParams known{};
    std::memcpy(&known, given, std::min(size, sizeof known));
    const auto* bytes = static_cast<const unsigned char*>(given);
    const bool rest_is_zero = size <= sizeof known || std::all_of(bytes + sizeof known, bytes + size,
                                                                  [](unsigned char b) { return b == 0; });
    return rest_is_zero ? std::optional(known) : std::nullopt;
}

bool is_flag(std::int32_t value) {
    return value == 0 || value == 1;
}

struct Job {
    PoolDesc desc;
    pool::PoolGeometry geometry;
};

// OK and the job, or the status of what is wrong with the fields.
int make_job(const IIR2D_PoolParams& p, Job& job) {
    if (p.op < IIR2D_POOL_MAX || p.op > IIR2D_POOL_ADAPTIVE_AVG || p.element < IIR2D_ELEMENT_F32 ||
        p.element > IIR2D_ELEMENT_BF16 || !is_flag(p.ceil_mode) || !is_flag(p.count_include_pad))
        return IIR2D_STATUS_INVALID_ARGUMENT;
    PoolDesc desc{.op = static_cast<PoolOp>(p.op),
                  .shape = {p.n, p.c, p.height, p.width},
                  .window = {p.window_h, p.window_w},
                  .padding = {p.padding_h, p.padding_w},
                  .ceil_mode = p.ceil_mode != 0,
                  .p = p.p,
                  .count_include_pad = p.count_include_pad != 0,
                  .output = {p.output_h, p.output_w},
                  .element = static_cast<ElementType>(p.element)};
    if (p.stride_h != 0 || p.stride_w != 0) desc.stride = Extent{p.stride_h, p.stride_w};
    if (p.dilation_h != 0 || p.dilation_w != 0) desc.dilation = {p.dilation_h, p.dilation_w};
    if (p.divisor_override != 0) desc.divisor_override = p.divisor_override;
    job.desc = pool::read_fields(desc);
    auto geometry = pool::make_geometry(job.desc);
    if (!geometry) return status_of(geometry.error().code);
    job.geometry = *geometry;
    return IIR2D_STATUS_OK;
}

// The pointers that a pass gets, whichever way it runs.
struct Pointers {
    const void* x;
    const void* y;
    const void* dy;
    const void* dx;
    const std::int64_t* argmax;
};

// Which pointers may be null depends on the op alone; an op that there is not reads none.
bool lacks_pointer(const Pointers& given, std::int32_t op, bool finds_argmax) {
    const auto reads = pool::backward_reads(static_cast<PoolOp>(op));
    const bool lacks_argmax = reads.argmax && given.argmax == nullptr;
    if (lacks_argmax && !finds_argmax) return true;
    const bool reads_x = reads.x || lacks_argmax;
    return (reads_x && given.x == nullptr) || (reads.y && given.y == nullptr);
}

// The job of a forward pass or of the output's size.
int read(const IIR2D_PoolParams* params, Job& job) {
    const auto known = known_fields(params);
    return known ? make_job(*known, job) : static_cast<int>(IIR2D_STATUS_INVALID_ARGUMENT);
}

// That of a backward pass: what the op reads must be there before any other field is looked at.
int read_backward(const IIR2D_PoolParams* params, const Pointers& given, bool finds_argmax, Job& job) {
    if (params == nullptr || given.dy == nullptr || given.dx == nullptr) return IIR2D_STATUS_NULL_POINTER;
    const auto known = known_fields(params);
    if (!known) return IIR2D_STATUS_INVALID_ARGUMENT;
    if (lacks_pointer(given, known->op, finds_argmax)) return IIR2D_STATUS_NULL_POINTER;
    return make_job(*known, job);
}

Result<PoolPlan> plan_on_cpu(const Job& job) {
    const auto device = Device::cpu();
    if (!device) return std::unexpected(device.error());
    return PoolPlan::make(*device, job.desc);
}

std::size_t elements(const Shape& shape) {
    return static_cast<std::size_t>(shape.n * shape.c * shape.h * shape.w);
}

// Takes views whose strides are resolved; those that are not read have no address.
pool::GpuPlanes planes(const ConstTensorView& view) {
    return {reinterpret_cast<std::uintptr_t>(view.data), view.row_stride, view.plane_stride};
}

int pool_on_cpu(const Job& job, const void* x, void* y, std::int64_t* argmax) {
    const auto plan = plan_on_cpu(job);
    if (!plan) return status_of(plan.error().code);
    const PoolDesc& desc = job.desc;
    const Shape& output = job.geometry.output;
    std::span<std::int64_t> places;
    if (argmax != nullptr) places = {argmax, elements(output)};
    return status_of(plan->forward({x, desc.element, desc.shape}, {y, desc.element, output}, places));
}

int pool_on_gpu(const Job& job, const void* x, void* y, const std::int64_t* argmax, void* stream) {
    const PoolDesc& desc = job.desc;
    const auto views = pool::check_forward(desc, job.geometry, {x, desc.element, desc.shape},
                                           {y, desc.element, job.geometry.output});
    if (!views) return status_of(views.error().code);
    if (const auto good = pool::check_argmax(desc, argmax); !good) return status_of(good);
    return status_of(pool::enqueue_on_current_context(
        static_cast<cuda::StreamHandle>(stream), pool::make_gpu_pooling(desc, job.geometry), planes(views->x),
        planes(views->y), reinterpret_cast<std::uintptr_t>(argmax)));
}

int pool_backward_on_cpu(const Job& job, const Pointers& given, void* dx) {
    const auto plan = plan_on_cpu(job);
    if (!plan) return status_of(plan.error().code);
    const PoolDesc& desc = job.desc;
    const Shape& output = job.geometry.output;
    std::span<const std::int64_t> places;
    if (given.argmax != nullptr) places = {given.argmax, elements(output)};
    return status_of(plan->backward({given.x, desc.element, desc.shape}, {given.y, desc.element, output},
                                    {given.dy, desc.element, output}, {dx, desc.element, desc.shape},
                                    places));
}

int pool_backward_on_gpu(const Job& job, const Pointers& given, void* dx, void* stream) {
    const PoolDesc& desc = job.desc;
    const Shape& output = job.geometry.output;
    const auto data = pool::check_backward(
        desc, job.geometry, pool::backward_reads(desc.op), {given.x, desc.element, desc.shape},
        {given.y, desc.element, output}, {given.dy, desc.element, output}, {dx, desc.element, desc.shape});
    if (!data) return status_of(data.error().code);
    if (const auto good = pool::check_argmax(desc, given.argmax); !good) return status_of(good);
    return status_of(pool::enqueue_backward_on_current_context(
        static_cast<cuda::StreamHandle>(stream), pool::make_gpu_pooling(desc, job.geometry),
        {.x = planes(data->x),
         .y = planes(data->y),
         .dy = planes(data->dy),
         .dx = planes(data->dx),
         .argmax = reinterpret_cast<std::uintptr_t>(given.argmax)}));
}

}  // namespace

extern "C" {

int iir2d_pool_output_size(const IIR2D_PoolParams* params, int64_t* height, int64_t* width) {
    return guarded(no_memory, [&]() -> int {
        if (params == nullptr || height == nullptr || width == nullptr) return IIR2D_STATUS_NULL_POINTER;
        Job job;
        if (const int status = read(params, job); status != IIR2D_STATUS_OK) return status;
        *height = job.geometry.output.h;
        *width = job.geometry.output.w;
        return IIR2D_STATUS_OK;
    });
}

int iir2d_pool_forward_cpu(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params) {
    return guarded(no_memory, [&]() -> int {
        if (x == nullptr || y == nullptr || params == nullptr) return IIR2D_STATUS_NULL_POINTER;
        Job job;
        const int status = read(params, job);
        return status == IIR2D_STATUS_OK ? pool_on_cpu(job, x, y, argmax) : status;
    });
}

int iir2d_pool_forward_cuda(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params,
                            void* stream) {
    return guarded(no_memory, [&]() -> int {
        if (x == nullptr || y == nullptr || params == nullptr) return IIR2D_STATUS_NULL_POINTER;
        Job job;
        const int status = read(params, job);
        return status == IIR2D_STATUS_OK ? pool_on_gpu(job, x, y, argmax, stream) : status;
    });
}

int iir2d_pool_backward_cpu(const void* x, const void* y, const void* dy, void* dx, const int64_t* argmax,
                            const IIR2D_PoolParams* params) {
    return guarded(no_memory, [&]() -> int {
        const Pointers given{x, y, dy, dx, argmax};
        Job job;
        const int status = read_backward(params, given, true, job);
        return status == IIR2D_STATUS_OK ? pool_backward_on_cpu(job, given, dx) : status;
    });
}

int iir2d_pool_backward_cuda(const void* x, const void* y, const void* dy, void* dx, const int64_t* argmax,
                             const IIR2D_PoolParams* params, void* stream) {
    return guarded(no_memory, [&]() -> int {
        const Pointers given{x, y, dy, dx, argmax};
        Job job;
        const int status = read_backward(params, given, false, job);
        return status == IIR2D_STATUS_OK ? pool_backward_on_gpu(job, given, dx, stream) : status;
    });
}

}  // extern "C"
