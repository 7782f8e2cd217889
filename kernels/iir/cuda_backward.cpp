// SPDX-License-Identifier: MIT
#include "kernels/iir/cuda_backward.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/convert/cuda.h"
#include "kernels/device/cuda/run.h"
#include "kernels/support/describe.h"
#include "kernels/support/view.h"

namespace iir2d::iir {

namespace {

// All planes, those of an image, or one.
Shape shape_at_once(const Shape& shape, bool one_filter, std::int64_t most_elements) {
    const std::int64_t most = most_elements / (shape.h * shape.w);
    if (one_filter && shape.n * shape.c <= most) return shape;
    return {1, one_filter && shape.c <= most ? shape.c : 1, shape.h, shape.w};
}

std::unexpected<Error> too_large(const Shape& shape) {
    return std::unexpected(Error{ErrorCode::workspace_error, "the gradient of planes of shape " +
                                                                 support::describe(shape) +
                                                                 " needs more memory than can be counted"});
}

// The planes at once that begin with plane `first`.
ConstTensorView part_of(const ConstTensorView& view, const Shape& at_once, std::int64_t first) {
    if (at_once.n * at_once.c == view.shape.n * view.shape.c) return view;
    return at_once.c == view.shape.c ? support::image_of(view, first / view.shape.c)
                                     : support::plane_of(view, first);
}

// Returns whether filters have the same stages of as many sections: then their plans have the same buffers.
bool have_same_structure(const FilterData& a, const FilterData& b) {
    const auto equal = [](const Stage& one, const Stage& other) {
        return one.kind == other.kind && one.sections.size() == other.sections.size() &&
               one.causal.size() == other.causal.size() && one.anticausal.size() == other.anticausal.size();
    };
    return std::ranges::equal(a.horizontal.stages, b.horizontal.stages, equal) &&
           std::ranges::equal(a.vertical.stages, b.vertical.stages, equal);
}

Result<GpuGradient> gradient_of_plane(const GpuGradientJob& job, std::size_t plane) {
    FilterDesc desc = job.at_once;
    desc.filter = job.specs[plane];
    return make_gpu_gradient(desc, (*job.filters)[plane]);
}

}  // namespace

std::size_t GpuGradientJob::values() const {
    return std::max<std::size_t>(specs.size(), 1) * static_cast<std::size_t>(first.parameters);
}

Result<GpuGradientJob> make_gpu_gradient_job(const FilterDesc& desc, const Filters& filters,
                                             std::span<const FilterSpec> specs, std::int64_t most) {
    const Shape& shape = desc.shape;
    // So that no sum of buffers overflows: 2^48 elements are a million times what any GPU holds.
    constexpr std::int64_t countable = std::int64_t{1} << 48;
    const std::int64_t planes = shape.n * shape.c;
    if (planes > countable || shape.h > countable / shape.w) return too_large(shape);
    GpuGradientJob job{.shape = shape, .at_once = desc, .filters = &filters, .specs = specs, .first = {}};
    job.at_once.shape = shape_at_once(shape, specs.empty(), most);
    if (!specs.empty()) job.at_once.filter = specs.front();
    auto first = make_gpu_gradient(job.at_once, filters.front());
    if (!first) return std::unexpected(first.error());
    job.first = std::move(*first);
    job.buffers_bytes = job.first.workspace_bytes();
    std::vector<const FilterData*> planned{&filters.front()};
    for (std::size_t plane = 1; plane < specs.size(); ++plane) {
        const auto is_like = [&](const FilterData* known) {
            return have_same_structure(*known, filters[plane]);
        };
        if (std::ranges::any_of(planned, is_like)) continue;
        planned.push_back(&filters[plane]);
        const auto gradient = gradient_of_plane(job, plane);
        if (!gradient) return std::unexpected(gradient.error());
        job.buffers_bytes = std::max(job.buffers_bytes, gradient->workspace_bytes());
    }
    const bool adds_up = specs.empty() && planes > 1;
    job.workspace_bytes = job.buffers_bytes;
    if (adds_up) job.workspace_bytes += static_cast<std::size_t>(planes) * job.values() * sizeof(double);
    return job;
}

Result<void> enqueue_gradient(const GpuGradientJob& job, const ConstTensorView& x, const ConstTensorView& dy,
                              cuda::DevicePointer dp, cuda::DevicePointer workspace,
                              const cuda::LaunchOne& launch_one) {
    Result<void> result;
    const auto launch = [&](const GpuLaunch& one) {
        result = launch_one(cuda::Launch{.kernel = one.kernel,
                                         .grid = {one.blocks, 1, 1},
                                         .block = {one.threads, 1, 1},
                                         .shared_bytes = one.shared_bytes,
                                         .parameters = one.parameters});
        return result.has_value();
    };
    const std::int64_t planes = job.shape.n * job.shape.c;
    const bool adds_up = job.specs.empty() && planes > 1;
    const cuda::DevicePointer of_planes = adds_up ? workspace + job.buffers_bytes : dp;
    const auto bytes = static_cast<std::uint64_t>(job.first.parameters) * sizeof(double);
    const Shape& at_once = job.at_once.shape;
    const auto run = [&](const GpuGradient& gradient, std::int64_t p) -> Result<void> {
        const std::pair<const ConstTensorView&, int> inputs[] = {{x, GpuGradient::x}, {dy, GpuGradient::dy}};
        for (const auto& [view, buffer] : inputs) {
            const auto address = workspace + static_cast<std::uint64_t>(buffer) * gradient.buffer_bytes();
            auto done =
                convert::enqueue_planes(part_of(view, at_once, p),
                                        support::dense_view(address, ElementType::f64, at_once), launch_one);
            if (!done) return done;
        }
        for_each_launch(gradient, workspace, of_planes + static_cast<std::uint64_t>(p) * bytes, launch);
        return result;
    };
    for (std::int64_t p = 0; p < planes; p += job.first.planes()) {
        if (p == 0 || job.specs.empty()) {
            if (auto done = run(job.first, p); !done) return done;
            continue;
        }
        const auto gradient = gradient_of_plane(job, static_cast<std::size_t>(p));
        if (!gradient) return std::unexpected(gradient.error());
        if (auto done = run(*gradient, p); !done) return done;
    }
    if (adds_up) launch_sum(of_planes, planes, job.first.parameters, dp, launch);
    return result;
}

Result<void> run_backward_cuda(int device_index, const FilterDesc& desc, const Filters& filters,
                               const GradientViews& views, std::span<double> dp, const RunControl& control) {
    auto run = cuda::Run::begin(device_index, control);
    if (!run) return std::unexpected(run.error());
    const cuda::HostPlanes gradients = cuda::host_planes(views.dy);
    const auto dy = run->allocate(gradients.dense_bytes());
    if (!dy) return std::unexpected(dy.error());
    const auto x = run->allocate(dp.empty() ? 0 : gradients.dense_bytes());
    if (!x) return std::unexpected(x.error());
    const auto dp_there = run->allocate(dp.size_bytes());
    if (!dp_there) return std::unexpected(dp_there.error());

    std::size_t workspace_bytes = 0;
    GpuGradientJob gradient;
    if (!dp.empty()) {
        auto job = make_gpu_gradient_job(desc, filters, {});
        if (!job) return std::unexpected(job.error());
        gradient = std::move(*job);
        workspace_bytes = gradient.workspace_bytes;
    }
    const GpuJob adjoint = make_gpu_adjoint_job(desc, filters);
    if (views.dx.data != nullptr) workspace_bytes = std::max(workspace_bytes, adjoint.workspace_bytes);
    const auto workspace = run->allocate(workspace_bytes);
    if (!workspace) return std::unexpected(workspace.error());

    if (auto done = run->upload(gradients, dy->get(), {0.0, dp.empty() ? 0.5 : 0.25}); !done) return done;
    if (!dp.empty()) {
        if (auto done = run->upload(cuda::host_planes(views.x), x->get(), {0.25, 0.25}); !done) return done;
    }
    if (auto done = run->begin_work(); !done) return done;
    const cuda::LaunchOne launch = cuda::launch_in(run->context(), run->stream());
    const TensorView dense = support::dense_view(dy->get(), views.dy.type, desc.shape);
    // The parameters first: dx takes the place of dy.
    if (!dp.empty()) {
        auto done = enqueue_gradient(gradient, support::dense_view(x->get(), views.dy.type, desc.shape),
                                     dense, dp_there->get(), workspace->get(), launch);
        if (!done) return done;
    }
    if (views.dx.data != nullptr) {
        if (auto done = enqueue(adjoint, dense, dense, workspace->get(), launch); !done) return done;
    }
    if (auto done = run->end_work(); !done) return done;
    if (views.dx.data != nullptr) {
        if (auto done = run->download(dy->get(), cuda::host_planes(views.dx), {0.5, 0.4}); !done) return done;
    }
    if (!dp.empty()) {
        const Shape values{.h = 1, .w = static_cast<std::int64_t>(dp.size())};
        const cuda::HostPlanes to{dp.data(), ElementType::f64, values, support::dense_strides(values)};
        if (auto done = run->download(dp_there->get(), to, {0.9, 0.1}); !done) return done;
    }
    return run->finish();
}

}  // namespace iir2d::iir
