// SPDX-License-Identifier: MIT
#include "core/benchmark/pool_workload.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/benchmark/synthetic.h"
#include "core/image/element_planes.h"
#include "core/recipe/seen.h"
#include "core/support/try.h"
#include "iir2d/reference.h"

namespace workbench {

namespace {

class PoolWorkload : public Workload {
  public:
    PoolWorkload(BenchmarkCase a_case, BenchmarkInputPtr an_input, iir2d::PoolPlan plan, Traffic a_traffic,
                 const iir2d::Shape& result)
        : Workload(std::move(a_case), std::move(an_input)),
          m_plan(std::move(plan)),
          m_traffic(a_traffic),
          m_x(what.pool()->element, *input->pixels),
          m_result(what.pool()->element, result, output) {
        kernel = what.pool()->pass == PoolPass::backward ? m_plan.backward_kernel() : m_plan.kernel();
    }

    Traffic traffic() const override { return m_traffic; }
    void finish() override { m_result.finish(); }

  protected:
    Result<void> ran(const iir2d::Result<void>& done, const iir2d::RunTimes& times) {
        IIR2D_RETURN_IF_ERROR(from_kernel(done));
        if (m_plan.kernel().backend == iir2d::Backend::cuda) gpu_time = times;
        return {};
    }
    // On doubles, as the reference takes it.
    iir2d::PoolDesc reference_desc() const {
        return pool_desc(what.pool()->pool, m_plan.desc().shape, iir2d::ElementType::f64);
    }
    // `floor`: what a value's error is measured by where the value itself is smaller.
    Tolerance tolerance(double floor) const {
        return {.relative = pool_bound(what.pool()->pool, what.pool()->element, what.pool()->pass),
                .floor = std::max(floor, least_normal(what.pool()->element)),
                .stored = what.pool()->element};
    }

    iir2d::PoolPlan m_plan;
    Traffic m_traffic;
    SourcePlanes m_x;
    ResultPlanes m_result;
};

class ForwardWorkload final : public PoolWorkload {
  public:
    using PoolWorkload::PoolWorkload;

    Result<void> compute(const std::stop_token& stop) override {
        iir2d::RunTimes times;
        return ran(m_plan.forward(m_x.view(), m_result.view(), {}, {.stop = stop, .times = &times}), times);
    }

    Result<Judgement> judge(int channel, const TaskControl& control) override {
        const std::vector<double> plane = plane_as_double(*input->pixels, channel);
        // Where signs mix, a sum may cancel: its rounding is then relative to what was summed.
        double floor = 0;
        if (std::ranges::any_of(plane, [](double v) { return v < 0; })) {
            IIR2D_TRY(const auto step, error_step({.what = what.pool()->pool}, what.pool()->element));
            floor = step.gain * largest_magnitude(plane);
        }
        auto reference = std::make_shared<std::vector<double>>(static_cast<std::size_t>(output.plane_size()));
        IIR2D_RETURN_IF_ERROR(from_kernel(
            iir2d::reference::pool(reference_desc(), plane, *reference, {}, {.stop = control.stop})));
        return Judgement{std::move(reference), tolerance(floor)};
    }
};

class BackwardWorkload final : public PoolWorkload {
  public:
    BackwardWorkload(BenchmarkCase a_case, BenchmarkInputPtr an_input, const iir2d::PoolPlan& plan,
                     Traffic a_traffic, PlanarImage upstream)
        : PoolWorkload(std::move(a_case), std::move(an_input), plan, a_traffic, plan.desc().shape),
          m_upstream(std::move(upstream)),
          m_dy(what.pool()->element, m_upstream) {}

    // What the pass reads beside the gradient.
    Result<void> run_forward() {
        const bool maximum = is_max(what.pool()->pool.op);
        if (!maximum && what.pool()->pool.op != iir2d::PoolOp::lp) return {};
        PlanarImage pooled;
        ResultPlanes y(what.pool()->element, m_plan.output_shape(), pooled);
        if (maximum) m_argmax.resize(static_cast<std::size_t>(pooled.plane_size()));
        IIR2D_RETURN_IF_ERROR(from_kernel(m_plan.forward(m_x.view(), y.view(), m_argmax)));
        y.finish();
        if (maximum) return {};
        m_pooled = std::move(pooled);
        m_y.emplace(what.pool()->element, m_pooled);
        return {};
    }

    Result<void> compute(const std::stop_token& stop) override {
        iir2d::RunTimes times;
        const iir2d::ConstTensorView y = m_y ? m_y->view() : iir2d::ConstTensorView();
        return ran(m_plan.backward(m_x.view(), y, m_dy.view(), m_result.view(), m_argmax,
                                   {.stop = stop, .times = &times}),
                   times);
    }

    Result<Judgement> judge(int channel, const TaskControl& control) override {
        const std::vector<double> x = plane_as_double(*input->pixels, channel);
        const std::vector<double> dy = plane_as_double(m_upstream, channel);
        std::vector<double> y;
        if (m_y) y = plane_as_double(m_pooled, channel);
        auto reference = std::make_shared<std::vector<double>>(x.size());
        IIR2D_RETURN_IF_ERROR(from_kernel(
            iir2d::reference::pool_backward(reference_desc(), x, y, dy, *reference, {.stop = control.stop})));
        // The gradients above are not negative and those of one sample have its sign: no sum cancels.
        return Judgement{std::move(reference), tolerance(0)};
    }

  private:
    PlanarImage m_upstream;
    SourcePlanes m_dy;
    PlanarImage m_pooled;  // of lp
    std::optional<SourcePlanes> m_y;
    std::vector<std::int64_t> m_argmax;  // of max
};

}  // namespace

Result<std::unique_ptr<Workload>> make_pool_workload(const BenchmarkCase& what, BenchmarkInputPtr input,
                                                     const iir2d::Device& device,
                                                     const std::optional<iir2d::Config>& config) {
    const iir2d::Shape shape = input->pixels->view().shape;
    const iir2d::PoolDesc desc = pool_desc(what.pool()->pool, shape, what.pool()->element);
    const bool backward = what.pool()->pass == PoolPass::backward;
    SeenOperations::of_process().note({.operation = what.pool()->pool,
                                       .element = what.pool()->element,
                                       .shape = shape,
                                       .backward = backward});
    IIR2D_TRY(auto plan, from_kernel(!config    ? iir2d::PoolPlan::make(device, desc, options_of_benchmarks())
                                     : backward ? iir2d::PoolPlan::make(device, desc, {}, *config)
                                                : iir2d::PoolPlan::make(device, desc, *config, {})));
    IIR2D_TRY(const auto traffic,
              pool_traffic(what.pool()->pool, shape, what.pool()->element, what.pool()->pass));
    const iir2d::Shape result = plan.output_shape();
    if (what.pool()->pass == PoolPass::forward) {
        return std::make_unique<ForwardWorkload>(what, std::move(input), std::move(plan), traffic, result);
    }
    PlanarImage upstream =
        rounded(synthetic_plane(result.w, result.h, image_type(what.pool()->element), input->upstream_seed),
                what.pool()->element);
    auto workload = std::make_unique<BackwardWorkload>(what, std::move(input), std::move(plan), traffic,
                                                       std::move(upstream));
    IIR2D_RETURN_IF_ERROR(workload->run_forward());
    return workload;
}

}  // namespace workbench
