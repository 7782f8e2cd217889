// SPDX-License-Identifier: MIT
#include "kernels/iir/configs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "iir2d/tune.h"
#include "iir2d/tune_model.h"
#include "kernels/iir/coefficients.h"
#include "kernels/iir/cpu_rows.h"
#include "kernels/iir/plan_checks.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/guard.h"
#include "kernels/tune/choose.h"
#include "kernels/tune/space.h"

namespace iir2d {

namespace iir {

namespace {

constexpr std::int32_t least_part = 32;
constexpr std::int32_t least_strip = 64;
constexpr std::int32_t most_strip = 4096;

std::int32_t in_steps(std::int64_t value, std::int32_t step) {
    return static_cast<std::int32_t>((value + step - 1) / step * step);
}

bool takes_past_stores(const CpuJob& job, std::int64_t samples) {
    return with_types(job.precision, [&]<class S, class A>() {
        return worth_non_temporal<S>(swept_passes<A>(job.horizontal), swept_passes<A>(job.vertical),
                                     job.downward, job.caches, samples);
    });
}

}  // namespace

FilterConfigs::FilterConfigs(const FilterDesc& desc, const CpuJob& job, const FilterData& data,
                             bool plane_by_plane, int threads)
    : m_desc(desc),
      m_job(job),
      m_data(data),
      m_width(desc.shape.w),
      m_planes(desc.shape.n * desc.shape.c),
      m_samples(desc.shape.w * desc.shape.h),
      m_threads(threads),
      m_plane_by_plane(plane_by_plane),
      m_f64(job.precision == Precision::f64),
      m_bands(!job.rows_alone),
      m_strips(job.rows_alone || has_strips(job)),
      m_past(m_bands && takes_past_stores(job, m_samples)) {}

int FilterConfigs::threads_of_all(const Config& config) const {
    return threads_of(config, m_threads, m_planes * m_samples);
}

Result<void> FilterConfigs::check(const Config& config) const {
    return tune::check_each(*this, config);
}

Result<void> FilterConfigs::check_knob(const Config& config, const tune::Knob& knob) const {
    constexpr const char* no_bands = "rows as few and long as these are filtered alone, not in bands";
    const std::int32_t value = config.*knob.value;
    if (&knob == &tune::knob_threads) return tune::check_multiple(config, knob, 1, 1, m_threads);
    if (&knob == &tune::knob_stores || &knob == &tune::knob_share) {
        if (value < 0 || value > 2) return tune::refused(knob, value, "there is no such value");
        if (&knob == &tune::knob_stores)
            return m_bands ? Result<void>() : tune::check_unset(config, knob, no_bands);
        if (m_planes == 1) return tune::check_unset(config, knob, "there is only one plane");
        if (threads_of_all(config) == 1) return tune::check_unset(config, knob, "there is only one thread");
        return {};
    }
    if (&knob == &tune::knob_part) {
        if (!m_bands) return tune::check_unset(config, knob, no_bands);
        return tune::check_multiple(config, knob, least_part, least_part, most_part);
    }
    if (&knob == &tune::knob_strip) {
        if (!m_strips) return tune::check_unset(config, knob, "no pass is left for strips of columns");
        return tune::check_multiple(config, knob, least_strip, least_strip, most_strip);
    }
    return tune::check_unset(config, knob,
                             &knob == &tune::knob_way ? "way is of max pooling" : "task is of pooling");
}

Config FilterConfigs::resolve(const Config& config) const {
    Config made;
    made.threads = threads_of_all(config);
    const bool planes = m_planes > 1 && deals_planes(config, made.threads, m_planes, m_samples);
    // Planes that are filtered one after the other have as many threads as one of them is worth.
    if (m_plane_by_plane && !planes) made.threads = threads_of(config, m_threads, m_samples);
    if (m_planes > 1 && made.threads > 1) made.share = planes ? share_planes : share_rows;
    if (m_bands) {
        const std::int32_t by_rule = m_past ? stores_past : stores_through;
        made.stores = config.stores != 0 && !m_f64 ? config.stores : by_rule;
        const std::int64_t part = columns_of_part(config, m_width, planes ? 1 : made.threads);
        made.part = in_steps(std::min(part, m_width), least_part);
    }
    if (m_strips) {
        const int threads = planes ? 1 : made.threads;
        made.strip = in_steps(std::min(strip_width(config, m_width, threads), m_width), least_strip);
    }
    return made;
}

std::vector<Config> FilterConfigs::candidates(bool /*other_bits*/) const {
    return tune::candidates_of(*this, {.threads = m_threads});
}

namespace {

// The samples after which a response has faded to the precision of f32, up to the next power of two: a slider
// step hardly ever changes it.
std::int64_t reach_of(const FilterData& data) {
    const double pole = std::max(pole_radius(data.horizontal), pole_radius(data.vertical));
    if (!(pole > 0)) return 1;
    constexpr double longest = 1 << 20;
    const double samples = pole < 1 ? std::log(0x1p-24) / std::log(pole) : longest;
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::ceil(std::clamp(samples, 1.0, longest)))));
}

// Whether an axis has a pass against the samples' order.
bool goes_back(const AxisFilter& axis) {
    return std::ranges::any_of(axis.stages,
                               [](const Stage& stage) { return stage.kind != Stage::Kind::causal; });
}

void count(const std::vector<CpuPass>& passes, int& number, int& sections, int& terms, int& beside) {
    number = static_cast<int>(passes.size());
    for (const CpuPass& p : passes) {
        sections += static_cast<int>(p.pass.sections.size());
        for (const Section& section : p.pass.sections) terms += section_step<double>(section).terms;
        if (p.pass.to_scratch || p.pass.add_scratch) ++beside;
    }
}

// ">1s,<1a": direction, the terms of each section, and whether a pass writes aside or adds what is there.
std::string text_of(const std::vector<CpuPass>& passes) {
    std::string text;
    for (const CpuPass& p : passes) {
        if (!text.empty()) text += ',';
        text += p.pass.reversed ? '<' : '>';
        for (const Section& section : p.pass.sections)
            text += std::to_string(section_step<double>(section).terms);
        if (p.pass.to_scratch) text += 's';
        if (p.pass.add_scratch) text += 'a';
    }
    return text.empty() ? "none" : text;
}

std::string_view name_of(Downward downward) {
    switch (downward) {
        case Downward::filter:
            return "filter";
        case Downward::advance:
            return "advance";
        case Downward::none:
            break;
    }
    return "none";
}

}  // namespace

std::string FilterConfigs::beginning_of_key() const {
    return "iir rows:" + text_of(m_job.horizontal) + " columns:" + text_of(m_job.vertical) +
           " down:" + std::string(name_of(m_job.downward)) +
           " precision:" + std::string(iir2d::name_of(m_desc.precision)) + tune::size_in_key(m_desc.shape);
}

std::string FilterConfigs::key() const {
    return beginning_of_key() + tune::end_of_key(m_threads, *support::cpu_target());
}

tune::Facts FilterConfigs::facts() const {
    const FilterDesc& desc = m_desc;
    tune::IirFacts f{.reach = reach_of(m_data),
                     .periodic = desc.border == Border::wrap,
                     .both_ways = goes_back(m_data.horizontal) || goes_back(m_data.vertical)};
    count(m_job.horizontal, f.passes_x, f.sections_x, f.terms_x, f.beside);
    count(m_job.vertical, f.passes_y, f.sections_y, f.terms_y, f.beside);
    const std::int64_t planes = desc.shape.n * desc.shape.c;
    return {.purpose = tune::Purpose::iir_cpu,
            .width = desc.shape.w,
            .height = desc.shape.h,
            .planes = planes,
            .out = desc.shape.w * desc.shape.h * planes,
            .bytes_in = static_cast<int>(element_size(element_of(desc))),
            .bytes_sums = desc.precision == Precision::f32 ? 4 : 8,
            .threads = m_threads,
            .operation = f};
}

GpuFilterConfigs::GpuFilterConfigs(const FilterDesc& desc, const Filters& filters, const GpuJob& job,
                                   tune::GpuHost host)
    : GpuQuestion(std::move(host)),
      m_desc(desc),
      m_filters(filters),
      m_job(job),
      m_passes(make_cpu_job(desc, filters.front(), 1)) {}

std::string GpuFilterConfigs::key() const {
    return key_of(FilterConfigs(m_desc, m_passes, m_filters.front(), false, 1).beginning_of_key());
}

tune::Facts GpuFilterConfigs::facts() const {
    return on_gpu(FilterConfigs(m_desc, m_passes, m_filters.front(), false, 1).facts());
}

// Whether a pass makes its state from the samples before a segment, of lines that as many warps share.
bool GpuFilterConfigs::warms_up(std::int32_t warps) const {
    const auto found = m_warms_up.find(warps);
    if (found != m_warms_up.end()) return found->second;
    const GpuJob job = warps == 0 ? m_job : make_gpu_job(m_desc, m_filters, {.warps = warps});
    const bool does = std::ranges::any_of(job.filters, [](const GpuFilter& filter) {
        return std::ranges::any_of(filter.stages, [](const GpuStage& stage) {
            const std::span passes(stage.axis.passes, static_cast<std::size_t>(stage.axis.pass_count));
            return std::ranges::any_of(passes, [](const GpuPass& pass) { return pass.warmup >= 0; });
        });
    });
    m_warms_up.emplace(warps, does);
    return does;
}

Result<void> GpuFilterConfigs::check(const Config& config) const {
    return tune::check_each(*this, config, true);
}

Result<void> GpuFilterConfigs::check_knob(const Config& config, const tune::Knob& knob) const {
    const std::int32_t value = config.*knob.value;
    if (value == 0) return {};
    if (&knob == &tune::knob_graph) {
        if (value == graph_off || value == graph_on) return {};
        return tune::refused(knob, value, "graph is off or on");
    }
    if (&knob != &tune::knob_warps && &knob != &tune::knob_carry)
        return tune::check_unset(config, knob, "block, steps and pairs are of pooling");
    if (m_job.filters.front().stages.empty())
        return tune::check_unset(config, knob, "this filter runs in tiles, not in segments of lines");
    if (&knob == &tune::knob_warps) {
        const std::int32_t most = most_gpu_warps(m_desc.precision);
        if (value > 0 && value <= most && std::has_single_bit(static_cast<std::uint32_t>(value))) return {};
        return tune::refused(knob, value, "warps is a power of two from 1 to " + std::to_string(most));
    }
    if (value == carry_exact) return {};
    if (value != carry_warmup) return tune::refused(knob, value, "carry is warmup or exact");
    if (warms_up(config.warps)) return {};
    return tune::refused(knob, value, "no pass of this filter forgets within half a segment");
}

Config GpuFilterConfigs::resolve(const Config& config) const {
    Config made{.graph = config.graph != 0 ? config.graph : graph_on};
    if (m_job.filters.front().stages.empty()) return made;
    made.warps = config.warps != 0 ? config.warps : most_gpu_warps(m_desc.precision);
    made.carry = config.carry != 0 ? config.carry : warms_up(config.warps) ? carry_warmup : carry_exact;
    return made;
}

std::vector<Config> GpuFilterConfigs::candidates(bool other_bits) const {
    return tune::candidates_of(*this, {.on_gpu = true, .other_bits = other_bits});
}

Result<void> forward_by_choice(const FilterDesc& desc, const Filters& filters, int asked,
                               const ConstTensorView& x, const TensorView& y, const RunControl& control) {
    const auto by_static = tune::static_at_once(tune::Purpose::iir_cpu);
    const auto threads = threads_for(desc.shape, asked, !by_static);
    if (!threads) return std::unexpected(threads.error());
    if (by_static) {
        tune::count(*by_static);
        return forward_planes({desc, filters, *threads}, x, y, control);
    }
    const FilterData& first = filters.front();
    const CpuJob job = make_cpu_job(desc, first, *threads);
    const bool whole = filters.size() == 1 && element_of(desc) == storage_type(desc.precision);
    const auto made = tune::choose({}, FilterConfigs(desc, job, first, !whole, *threads));
    if (!made) return std::unexpected(made.error());
    tune::count_veto(made->choice.config, y, first_row_multiple(y));
    return tune::watched(made->turn, made->choice.config, [&](const Config& config) {
        return [&, config] { return forward_planes({desc, filters, *threads, config}, x, y, control); };
    });
}

namespace {

// Calls use(configs), which gives a Result, with the configs of a filter on a device.
template <class T>
Result<T> with_configs(const Device& device, const FilterDesc& desc, const auto& use) {
    return support::guarded_result("the filter's configs", [&]() -> Result<T> {
        const auto filters = check_desc(desc);
        if (!filters) return std::unexpected(filters.error());
        if (device.backend() == Backend::cuda) {
            auto host = tune::gpu_host(device);
            if (!host) return std::unexpected(host.error());
            const GpuJob job = make_gpu_job(desc, *filters);
            const GpuFilterConfigs configs(desc, *filters, job, std::move(*host));
            return use(static_cast<const tune::Question&>(configs));
        }
        if (const auto target = support::cpu_target(); !target) return std::unexpected(target.error());
        const bool whole = filters->size() == 1 && element_of(desc) == storage_type(desc.precision);
        const CpuJob job = make_cpu_job(desc, filters->front(), device.threads());
        const FilterConfigs configs(desc, job, filters->front(), !whole, device.threads());
        return use(static_cast<const tune::Question&>(configs));
    });
}

}  // namespace
}  // namespace iir

Result<std::string> problem_key(const Device& device, const FilterDesc& desc) {
    return iir::with_configs<std::string>(
        device, desc, [](const auto& configs) -> Result<std::string> { return configs.key(); });
}

Result<void> check_config(const Device& device, const FilterDesc& desc, const Config& config) {
    return iir::with_configs<void>(device, desc, [&](const auto& configs) { return configs.check(config); });
}

Result<Config> resolved(const Device& device, const FilterDesc& desc, const Config& config) {
    if (auto good = check_config(device, desc, config); !good) return std::unexpected(good.error());
    return iir::with_configs<Config>(
        device, desc, [&](const auto& configs) -> Result<Config> { return configs.resolve(config); });
}

Result<std::vector<Config>> candidates(const Device& device, const FilterDesc& desc, bool other_bits) {
    return iir::with_configs<std::vector<Config>>(
        device, desc,
        [&](const auto& configs) -> Result<std::vector<Config>> { return configs.candidates(other_bits); });
}

Result<std::vector<float>> features(const Device& device, const FilterDesc& desc, const Config& config) {
    return iir::with_configs<std::vector<float>>(
        device, desc, [&](const auto& configs) { return tune::features_of(configs, config); });
}

Result<Explanation> explain(const Device& device, const FilterDesc& desc, const TuneOptions& options) {
    return iir::with_configs<Explanation>(device, desc, [&](const auto& configs) -> Result<Explanation> {
        return tune::explain(configs, options);
    });
}

}  // namespace iir2d
