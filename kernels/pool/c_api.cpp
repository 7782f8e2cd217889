// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "iir2d/iir2d_pool.h"
#include "iir2d/iir2d_tune.h"
#include "iir2d/plan.h"
#include "iir2d/try.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/cuda.h"
#include "kernels/pool/geometry.h"
#include "kernels/pool/plan_checks.h"
#include "kernels/support/c_call.h"
#include "kernels/support/c_poll.h"
#include "kernels/support/c_struct.h"
#include "kernels/support/c_tensor.h"
#include "kernels/support/parallel.h"
#include "kernels/tune/c_config.h"

namespace {

using namespace iir2d;
using support::c_call;
using support::CTensor;
using support::null_pointer;

// Bytes of the first version of the struct: a shorter one was never in a header.
constexpr std::size_t first_size = offsetof(IIR2D_PoolParams, count_include_pad) + sizeof(std::int32_t);

std::unexpected<Error> unknown(const char* name, std::int32_t value, int last) {
    return std::unexpected(Error{
        ErrorCode::invalid_argument,
        std::string(name) + " " + std::to_string(value) + " is unknown: use 0 to " + std::to_string(last)});
}

PoolDesc desc_of(const IIR2D_PoolParams& p) {
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
    return pool::read_fields(desc);
}

struct Job {
    PoolDesc desc;
    pool::PoolGeometry geometry;
    CTensor x, y, dy, dx;
    int threads = 0;
    support::Poll::Function poll = nullptr;
    void* user = nullptr;
};

Result<IIR2D_PoolParams> known_fields(const IIR2D_PoolParams* params) {
    return support::known_fields<IIR2D_PoolParams>(params, first_size, "IIR2D_PoolParams");
}

CTensor tensor(const char* name, ElementType element, const Shape& shape, const std::int64_t (&strides)[3]) {
    return {name, element, shape, {strides[0], strides[1], strides[2]}};
}

// The job, or what is wrong with the fields.
Result<Job> make_job(const IIR2D_PoolParams& p) {
    if (p.op < IIR2D_POOL_MAX || p.op > IIR2D_POOL_ADAPTIVE_AVG) return unknown("op", p.op, 4);
    if (p.element < IIR2D_ELEMENT_F32 || p.element > IIR2D_ELEMENT_BF16)
        return unknown("element", p.element, 3);
    IIR2D_RETURN_IF_ERROR(support::check_flag("ceil_mode", p.ceil_mode));
    IIR2D_RETURN_IF_ERROR(support::check_flag("count_include_pad", p.count_include_pad));
    const PoolDesc desc = desc_of(p);
    const auto geometry = pool::make_geometry(desc);
    if (!geometry) return std::unexpected(geometry.error());
    const Shape& input = geometry->input;
    const Shape& output = geometry->output;
    Job job{.desc = desc,
            .geometry = *geometry,
            .x = tensor("x", desc.element, input, p.x_stride),
            .y = tensor("y", desc.element, output, p.y_stride),
            .dy = tensor("dy", desc.element, output, p.dy_stride),
            .dx = tensor("dx", desc.element, input, p.dx_stride),
            .threads = p.threads,
            .poll = p.poll,
            .user = p.user};
    IIR2D_RETURN_IF_ERROR(support::check_threads(p.threads));
    return job;
}

Result<void> check_strides(const CTensor& read, const CTensor& written) {
    if (auto good = support::check_c_strides(read, support::Use::read); !good) return good;
    return support::check_c_strides(written, support::Use::written);
}

// The job of a forward pass.
Result<Job> read_forward(const void* x, const void* y, const IIR2D_PoolParams* params) {
    if (x == nullptr) return null_pointer("x");
    if (y == nullptr) return null_pointer("y");
    if (params == nullptr) return null_pointer("params");
    const auto known = known_fields(params);
    if (!known) return std::unexpected(known.error());
    auto job = make_job(*known);
    if (!job) return job;
    IIR2D_RETURN_IF_ERROR(check_strides(job->x, job->y));
    return job;
}

// The pointers that a backward pass gets, whichever way it runs.
struct Pointers {
    const void* x;
    const void* y;
    const void* dy;
    void* dx;
    const std::int64_t* argmax;
};

// Which pointers may be null depends on the op alone; an op that there is not reads none.
Result<void> check_pointers(const Pointers& given, std::int32_t op, bool finds_argmax) {
    const auto reads = pool::backward_reads(static_cast<PoolOp>(op));
    const bool lacks_argmax = reads.argmax && given.argmax == nullptr;
    if (lacks_argmax && !finds_argmax) return null_pointer("argmax");
    if (reads.x && given.x == nullptr) return null_pointer("x");
    if (lacks_argmax && given.x == nullptr) {
        return std::unexpected(
            Error{ErrorCode::null_pointer, "x is null, and so is argmax: max reads one of them"});
    }
    if (reads.y && given.y == nullptr) return null_pointer("y");
    return {};
}

// The job of a backward pass: what the op reads must be there before any other field is looked at.
Result<Job> read_backward(const Pointers& given, const IIR2D_PoolParams* params, bool finds_argmax) {
    if (given.dy == nullptr) return null_pointer("dy");
    if (given.dx == nullptr) return null_pointer("dx");
    if (params == nullptr) return null_pointer("params");
    const auto known = known_fields(params);
    if (!known) return std::unexpected(known.error());
    IIR2D_RETURN_IF_ERROR(check_pointers(given, known->op, finds_argmax));
    auto job = make_job(*known);
    if (!job) return job;
    // Strides of what is not read say nothing.
    const auto reads = pool::backward_reads(job->desc.op);
    const std::pair<bool, const CTensor*> read[] = {
        {reads.x || (reads.argmax && given.argmax == nullptr), &job->x}, {reads.y, &job->y}};
    for (const auto& [wanted, tensor] : read) {
        if (!wanted) continue;
        IIR2D_RETURN_IF_ERROR(support::check_c_strides(*tensor, support::Use::read));
    }
    IIR2D_RETURN_IF_ERROR(check_strides(job->dy, job->dx));
    return job;
}

// By a config, for what is used of the plan; a null one is none.
Result<PoolPlan> plan_on_cpu(const Job& job, PoolUse use, const Config* config) {
    const auto device = Device::cpu(job.threads);
    if (!device) return std::unexpected(device.error());
    if (config == nullptr) return PoolPlan::make(*device, job.desc);
    IIR2D_RETURN_IF_ERROR(check_config(*device, job.desc, use, *config));
    // A backward pass without places of maxima finds them by a forward pass, on as many threads.
    return use == PoolUse::backward ? PoolPlan::make(*device, job.desc, {.threads = config->threads}, *config)
                                    : PoolPlan::make(*device, job.desc, *config, {});
}

Result<void> check_argmax(const Job& job, const auto& data, const std::int64_t* argmax) {
    return pool::check_argmax(job.desc, data, pool::places(argmax, job.geometry.output));
}

Result<void> pool_on_cpu(const Job& job, const void* x, void* y, std::int64_t* argmax, const Config* config) {
    const auto plan =
        plan_on_cpu(job, argmax != nullptr ? PoolUse::forward_with_places : PoolUse::forward, config);
    if (!plan) return std::unexpected(plan.error());
    support::Poll poll(job.poll, job.user);
    const auto run = [&](const RunControl& control) {
        return plan->forward(job.x.at(x), job.y.at(y), pool::places(argmax, job.geometry.output), control);
    };
    if (job.poll == nullptr) return run({});
    // Before the function is called for the first time, all has been checked.
    const auto views = pool::check_forward(job.desc, job.geometry, job.x.at(x), job.y.at(y));
    if (!views) return std::unexpected(views.error());
    if (auto good = check_argmax(job, *views, argmax); !good) return good;
    return poll.during("pooling", run);
}

Result<void> pool_on_gpu(const Job& job, const void* x, void* y, const std::int64_t* argmax, void* stream) {
    const auto views = pool::check_forward(job.desc, job.geometry, job.x.at(x), job.y.at(y));
    if (!views) return std::unexpected(views.error());
    if (auto good = check_argmax(job, *views, argmax); !good) return good;
    const auto handle = static_cast<cuda::StreamHandle>(stream);
    return cuda::in_context_of(handle, reinterpret_cast<std::uintptr_t>(x), [&] {
        return pool::enqueue(pool::make_gpu_pooling(job.desc, job.geometry), views->x, views->y, argmax,
                             cuda::launch_in_current_context(handle));
    });
}

// The arrays that a backward pass reads, checked.
Result<pool::Backward> check_backward(const Job& job, const Pointers& given, bool finds_argmax) {
    auto reads = pool::backward_reads(job.desc.op);
    reads.x = reads.x || (reads.argmax && finds_argmax && given.argmax == nullptr);
    auto data = pool::check_backward(job.desc, job.geometry, reads, job.x.at(given.x), job.y.at(given.y),
                                     job.dy.at(given.dy), job.dx.at(given.dx));
    if (!data) return data;
    IIR2D_RETURN_IF_ERROR(check_argmax(job, *data, given.argmax));
    data->argmax = given.argmax;
    return data;
}

Result<void> pool_backward_on_cpu(const Job& job, const Pointers& given, const Config* config) {
    const auto plan = plan_on_cpu(job, PoolUse::backward, config);
    if (!plan) return std::unexpected(plan.error());
    support::Poll poll(job.poll, job.user);
    const auto run = [&](const RunControl& control) {
        return plan->backward(job.x.at(given.x), job.y.at(given.y), job.dy.at(given.dy), job.dx.at(given.dx),
                              pool::places(given.argmax, job.geometry.output), control);
    };
    if (job.poll == nullptr) return run({});
    IIR2D_RETURN_IF_ERROR(check_backward(job, given, true));
    return poll.during("the backward pass", run);
}

Result<void> pool_backward_on_gpu(const Job& job, const Pointers& given, void* stream) {
    const auto data = check_backward(job, given, false);
    if (!data) return std::unexpected(data.error());
    const auto handle = static_cast<cuda::StreamHandle>(stream);
    return cuda::in_context_of(handle, reinterpret_cast<std::uintptr_t>(given.dy), [&] {
        return pool::enqueue_backward(pool::make_gpu_pooling(job.desc, job.geometry), *data,
                                      cuda::launch_in_current_context(handle));
    });
}

}  // namespace

extern "C" {

int iir2d_pool_output_size(const IIR2D_PoolParams* params, int64_t* height, int64_t* width) {
    return c_call([&]() -> Result<void> {
        if (params == nullptr) return null_pointer("params");
        if (height == nullptr) return null_pointer("height");
        if (width == nullptr) return null_pointer("width");
        const auto known = known_fields(params);
        if (!known) return std::unexpected(known.error());
        const auto job = make_job(*known);
        if (!job) return std::unexpected(job.error());
        *height = job->geometry.output.h;
        *width = job->geometry.output.w;
        return {};
    });
}

int iir2d_pool_forward_cpu(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params) {
    return c_call([&]() -> Result<void> {
        const auto job = read_forward(x, y, params);
        if (!job) return std::unexpected(job.error());
        return pool_on_cpu(*job, x, y, argmax, nullptr);
    });
}

int iir2d_pool_forward_cpu_with(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params,
                                const IIR2D_Config* config) {
    return c_call([&]() -> Result<void> {
        if (config == nullptr) return null_pointer("config");
        const auto job = read_forward(x, y, params);
        if (!job) return std::unexpected(job.error());
        const auto known = tune::read_config(config);
        if (!known) return std::unexpected(known.error());
        return pool_on_cpu(*job, x, y, argmax, &*known);
    });
}

int iir2d_pool_forward_cuda(const void* x, void* y, int64_t* argmax, const IIR2D_PoolParams* params,
                            void* stream) {
    return c_call([&]() -> Result<void> {
        const auto job = read_forward(x, y, params);
        if (!job) return std::unexpected(job.error());
        return pool_on_gpu(*job, x, y, argmax, stream);
    });
}

int iir2d_pool_backward_cpu(const void* x, const void* y, const void* dy, void* dx, const int64_t* argmax,
                            const IIR2D_PoolParams* params) {
    return c_call([&]() -> Result<void> {
        const Pointers given{x, y, dy, dx, argmax};
        const auto job = read_backward(given, params, true);
        if (!job) return std::unexpected(job.error());
        return pool_backward_on_cpu(*job, given, nullptr);
    });
}

int iir2d_pool_backward_cpu_with(const void* x, const void* y, const void* dy, void* dx,
                                 const int64_t* argmax, const IIR2D_PoolParams* params,
                                 const IIR2D_Config* config) {
    return c_call([&]() -> Result<void> {
        if (config == nullptr) return null_pointer("config");
        const Pointers given{x, y, dy, dx, argmax};
        const auto job = read_backward(given, params, true);
        if (!job) return std::unexpected(job.error());
        const auto known = tune::read_config(config);
        if (!known) return std::unexpected(known.error());
        return pool_backward_on_cpu(*job, given, &*known);
    });
}

int iir2d_pool_backward_cuda(const void* x, const void* y, const void* dy, void* dx, const int64_t* argmax,
                             const IIR2D_PoolParams* params, void* stream) {
    return c_call([&]() -> Result<void> {
        const Pointers given{x, y, dy, dx, argmax};
        const auto job = read_backward(given, params, false);
        if (!job) return std::unexpected(job.error());
        return pool_backward_on_gpu(*job, given, stream);
    });
}

}  // extern "C"
