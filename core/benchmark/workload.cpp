// SPDX-License-Identifier: MIT
#include "core/benchmark/workload.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "core/benchmark/pool_workload.h"
#include "core/benchmark/synthetic.h"
#include "core/image/element_planes.h"
#include "core/recipe/seen.h"
#include "core/support/try.h"
#include "iir2d/reference.h"

namespace workbench {

namespace {

// References above this are made again for each case rather than held while it is timed.
constexpr std::size_t largest_cached_reference = std::size_t{1} << 24;

iir2d::Shape shape_of(const PlanarImage& image) {
    return {1, image.channels(), image.height(), image.width()};
}

// One operation of a recipe on one double plane, in the reference. `plane` and `shape` become its result.
Result<void> reference_step(const Operation& operation, std::vector<double>& plane, iir2d::Shape& shape,
                            const TaskControl& control) {
    std::vector<double> result;
    if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) {
        result.resize(plane.size());
        if (auto done = from_kernel(
                iir2d::reference::filter(filter_desc(*filter, shape), plane, result, {.stop = control.stop}));
            !done) {
            return done;
        }
    } else {
        const auto desc = pool_desc(std::get<PoolOperation>(operation.what), shape, iir2d::ElementType::f64);
        IIR2D_TRY(const auto size, from_kernel(iir2d::reference::pool_output_shape(desc)));
        result.resize(static_cast<std::size_t>(size.h * size.w));
        IIR2D_RETURN_IF_ERROR(
            from_kernel(iir2d::reference::pool(desc, plane, result, {}, {.stop = control.stop})));
        shape = {1, 1, size.h, size.w};
    }
    plane = std::move(result);
    return {};
}

class FilterWorkload final : public Workload {
  public:
    FilterWorkload(BenchmarkCase a_case, BenchmarkInputPtr an_input, iir2d::FilterPlan plan,
                   Operation operation, ErrorStep error, ReferenceCache& cache)
        : Workload(std::move(a_case), std::move(an_input)),
          m_plan(std::move(plan)),
          m_operation(std::move(operation)),
          m_error(error),
          m_cache(cache) {
        const PlanarImage& x = *input->pixels;
        output = PlanarImage(x.width(), x.height(), 1, x.type());
        kernel = m_plan.kernel();
    }

    Result<void> compute(const std::stop_token& stop) override {
        iir2d::RunTimes times;
        const auto done =
            from_kernel(m_plan.run(input->pixels->view(), output.view(), {.stop = stop, .times = &times}));
        if (m_plan.kernel().backend == iir2d::Backend::cuda) gpu_time = times;
        return done;
    }

    Result<Judgement> judge(int channel, const TaskControl& control) override {
        const PlanarImage& x = *input->pixels;
        std::vector<double> plane = plane_as_double(x, channel);
        const Tolerance tolerance{.absolute = m_error.own * std::max(1.0, largest_magnitude(plane))};
        // The same values in f32 and f64 storage have one reference; synthetic planes are such.
        const std::string key = std::to_string(what.filter()->filter_id) + ' ' +
                                std::string(iir2d::name_of(what.filter()->border)) + ' ' + input->values_key;
        if (m_cache.key == key) return Judgement{m_cache.reference, tolerance};
        iir2d::Shape shape{1, 1, x.height(), x.width()};
        if (auto done = reference_step(m_operation, plane, shape, control); !done) {
            return std::unexpected(done.error());
        }
        auto reference = std::make_shared<const std::vector<double>>(std::move(plane));
        m_cache = {};
        if (reference->size() <= largest_cached_reference) m_cache = {key, reference};
        return Judgement{reference, tolerance};
    }

  private:
    iir2d::FilterPlan m_plan;
    Operation m_operation;
    ErrorStep m_error;
    ReferenceCache& m_cache;
};

class RecipeWorkload final : public Workload {
  public:
    RecipeWorkload(BenchmarkCase a_case, BenchmarkInputPtr an_input, iir2d::Device device,
                   std::vector<Operation> operations, std::vector<ErrorStep> errors)
        : Workload(std::move(a_case), std::move(an_input)),
          m_device(device),
          m_operations(std::move(operations)),
          m_errors(std::move(errors)) {}

    void prepare() override { output = {}; }

    Result<void> compute(const std::stop_token& stop) override {
        ApplyWork work;
        auto result =
            apply(*what.recipe(), *input->pixels, input->alpha_channel, m_device, {.stop = stop}, work);
        if (!result) return std::unexpected(result.error());
        gpu_time = work.gpu_time;
        output = std::move(*result);
        return {};
    }

    Result<Judgement> judge(int channel, const TaskControl& control) override {
        std::vector<double> plane = plane_as_double(*input->pixels, channel);
        iir2d::Shape shape{1, 1, input->pixels->height(), input->pixels->width()};
        Tolerance tolerance;
        for (std::size_t i = 0; i < m_operations.size(); ++i) {
            const Operation& operation = m_operations[i];
            const auto* filter = std::get_if<FilterOperation>(&operation.what);
            if (filter && what.recipe()->keep_alpha && channel == input->alpha_channel) continue;
            double scale = std::max(1.0, largest_magnitude(plane));
            if (filter && filter->border == iir2d::Border::constant) {
                scale = std::max(scale, std::abs(filter->border_const));
            }
            if (auto done = reference_step(operation, plane, shape, control); !done) {
                return std::unexpected(done.error());
            }
            if (m_errors[i].own_is_relative) scale = std::max(scale, largest_magnitude(plane));
            tolerance.absolute = tolerance.absolute * m_errors[i].gain + m_errors[i].own * scale;
        }
        return Judgement{std::make_shared<const std::vector<double>>(std::move(plane)), tolerance};
    }

  private:
    iir2d::Device m_device;
    std::vector<Operation> m_operations;  // the enabled ones
    std::vector<ErrorStep> m_errors;      // of each
};

// The planes that a recipe computes in are f64 from the first operation that asks for it.
class ElementTracker {
  public:
    explicit ElementTracker(iir2d::ElementType first) : m_element(first) {}
    iir2d::ElementType before(const Operation& operation) {
        const auto* filter = std::get_if<FilterOperation>(&operation.what);
        if (filter && filter->precision == iir2d::Precision::f64) m_element = iir2d::ElementType::f64;
        return m_element;
    }

  private:
    iir2d::ElementType m_element;
};

Result<iir2d::KernelIdentity> kernel_of(const Operation& operation, iir2d::Shape shape,
                                        const iir2d::Device& device) {
    if (const auto* filter = std::get_if<FilterOperation>(&operation.what)) {
        IIR2D_TRY(const auto plan, from_kernel(iir2d::FilterPlan::make(device, filter_desc(*filter, shape))));
        return plan.kernel();
    }
    IIR2D_TRY(const auto plan,
              from_kernel(iir2d::PoolPlan::make(device, pool_desc(std::get<PoolOperation>(operation.what),
                                                                  shape, iir2d::ElementType::f32))));
    return plan.kernel();
}

Result<std::unique_ptr<Workload>> make_recipe_workload(const BenchmarkCase& what, BenchmarkInputPtr input,
                                                       const iir2d::Device& device) {
    std::vector<Operation> operations;
    std::vector<ErrorStep> errors;
    ElementTracker elements(input->pixels->type());
    std::optional<iir2d::KernelIdentity> first;
    for (const Operation& operation : what.recipe()->operations) {
        if (!operation.enabled) continue;
        const iir2d::ElementType element = elements.before(operation);
        IIR2D_TRY(const auto error, error_step(operation, element));
        if (!first) {
            IIR2D_TRY(first, kernel_of(operation, shape_of(*input->pixels), device));
        }
        operations.push_back(operation);
        errors.push_back(error);
    }
    auto workload = std::make_unique<RecipeWorkload>(what, std::move(input), device, std::move(operations),
                                                     std::move(errors));
    if (first) workload->kernel = *first;
    return workload;
}

// A double plane that float holds exactly has the key of that float plane.
std::string values_key(const BenchmarkInput& input) {
    if (input.pixels->type() != iir2d::ElementType::f64) return input.sha256;
    for (int c = 0; c < input.pixels->channels(); ++c) {
        const bool exact = std::ranges::all_of(input.pixels->plane_f64(c), [](double v) {
            return static_cast<double>(static_cast<float>(v)) == v;
        });
        if (!exact) return input.sha256;
    }
    return pixel_hash(input.pixels->converted(iir2d::ElementType::f32));
}

PlanarImage first_channel(const PlanarImage& image, iir2d::ElementType type) {
    PlanarImage plane(image.width(), image.height(), 1, type);
    const auto copy_to = [&](auto target) {
        using T = typename decltype(target)::value_type;
        const auto cast = [](auto v) { return static_cast<T>(v); };
        if (image.type() == iir2d::ElementType::f64) {
            std::ranges::transform(image.plane_f64(0), target.begin(), cast);
        } else {
            std::ranges::transform(image.plane_f32(0), target.begin(), cast);
        }
    };
    if (type == iir2d::ElementType::f64) {
        copy_to(plane.plane_f64(0));
    } else {
        copy_to(plane.plane_f32(0));
    }
    return plane;
}

}  // namespace

std::vector<double> plane_as_double(const PlanarImage& image, int channel) {
    std::vector<double> plane(static_cast<std::size_t>(image.plane_size()));
    if (image.type() == iir2d::ElementType::f64) {
        std::ranges::copy(image.plane_f64(channel), plane.begin());
    } else {
        std::ranges::copy(image.plane_f32(channel), plane.begin());
    }
    return plane;
}

BenchmarkInputPtr InputSource::input_of(const BenchmarkCase& what) {
    const auto type = what.pool()     ? what.pool()->element
                      : what.filter() ? storage_type(what.filter()->precision)
                                      : iir2d::ElementType::f32;
    const bool whole_image = what.recipe() != nullptr && m_matrix.image;
    const std::string key = (whole_image ? "whole " : std::string(iir2d::name_of(type)) + ' ') +
                            std::to_string(what.width) + 'x' + std::to_string(what.height);
    if (m_input && m_key == key) return m_input;
    m_input.reset();  // before the next one takes its memory
    auto input = std::make_shared<BenchmarkInput>();
    if (whole_image) {
        input->pixels = std::shared_ptr<const PlanarImage>(m_matrix.image, &m_matrix.image->pixels);
        input->alpha_channel = m_matrix.image->info.alpha_channel;
    } else {
        input->pixels = std::make_shared<const PlanarImage>(rounded(
            m_matrix.image ? first_channel(m_matrix.image->pixels, image_type(type))
                           : synthetic_plane(what.width, what.height, image_type(type), m_matrix.seed),
            type));
    }
    input->upstream_seed = m_matrix.seed + 1;
    input->sha256 = pixel_hash(*input->pixels);
    input->values_key = values_key(*input);
    m_key = key;
    m_input = std::move(input);
    return m_input;
}

namespace {

Operation operation_of(const FilterCase& filter) {
    return {.what = FilterOperation{
                .filter_id = filter.filter_id, .border = filter.border, .precision = filter.precision}};
}

Result<std::unique_ptr<Workload>> make_filter_workload(const BenchmarkCase& what, BenchmarkInputPtr input,
                                                       const iir2d::Device& device, ReferenceCache& cache,
                                                       const std::optional<iir2d::Config>& config) {
    const iir2d::Shape shape = shape_of(*input->pixels);
    const FilterCase& filter = *what.filter();
    const Operation operation = operation_of(filter);
    IIR2D_TRY(const auto error, error_step(operation, storage_type(filter.precision)));
    const iir2d::FilterDesc desc = filter_desc(std::get<FilterOperation>(operation.what), shape);
    IIR2D_TRY(auto plan,
              from_kernel(config ? iir2d::FilterPlan::make(device, desc, *config)
                                 : iir2d::FilterPlan::make(device, desc, options_of_benchmarks())));
    SeenOperations::of_process().note({.operation = std::get<FilterOperation>(operation.what),
                                       .element = storage_type(filter.precision),
                                       .shape = shape});
    return std::make_unique<FilterWorkload>(what, std::move(input), std::move(plan), operation, error, cache);
}

}  // namespace

Result<void> check_case_config(const BenchmarkCase& what, const iir2d::Device& device,
                               const iir2d::Config& config) {
    if (what.recipe()) return fail(ErrorKind::bad_argument, "a recipe is not executed by one config");
    const iir2d::Shape shape{1, what.channels, what.height, what.width};
    if (const PoolCase* pool = what.pool()) {
        const auto use =
            pool->pass == PoolPass::backward ? iir2d::PoolUse::backward : iir2d::PoolUse::forward;
        return from_kernel(
            iir2d::check_config(device, pool_desc(pool->pool, shape, pool->element), use, config));
    }
    const Operation operation = operation_of(*what.filter());
    return from_kernel(
        iir2d::check_config(device, filter_desc(std::get<FilterOperation>(operation.what), shape), config));
}

Result<std::unique_ptr<Workload>> make_workload(const BenchmarkCase& what, BenchmarkInputPtr input,
                                                const iir2d::Device& device, ReferenceCache& cache,
                                                const std::optional<iir2d::Config>& config) {
    auto workload = what.recipe() ? make_recipe_workload(what, std::move(input), device)
                    : what.pool() ? make_pool_workload(what, std::move(input), device, config)
                                  : make_filter_workload(what, std::move(input), device, cache, config);
    if (workload && device.backend() == iir2d::Backend::cuda) (*workload)->gpu = device;
    return workload;
}

}  // namespace workbench
