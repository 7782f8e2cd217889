// SPDX-License-Identifier: MIT
#include "kernels/pool/configs.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "iir2d/tune.h"
#include "iir2d/tune_model.h"
#include "kernels/pool/backward.h"
#include "kernels/pool/cpu_windows.h"
#include "kernels/support/cpu_target.h"
#include "kernels/support/guard.h"
#include "kernels/tune/choose.h"
#include "kernels/tune/space.h"

namespace iir2d {

namespace pool {

namespace {

constexpr std::int32_t least_task = 1 << 10;
constexpr std::int32_t most_task = 1 << 30;

Result<void> check_task(const Config& config) {
    const std::int32_t task = config.task;
    if (task == 0) return {};
    if (task >= least_task && task <= most_task && std::has_single_bit(static_cast<std::uint32_t>(task)))
        return {};
    return tune::refused(tune::knob_task, task, "task is a power of two from 2^10 to 2^30");
}

// Returns why an axis cannot be folded in that way; empty where it can.
std::string objection(const AxisWindows& axis, FoldWay way, Along along, PoolUse use) {
    const std::string window = std::to_string(axis.window) + (along == Along::x ? " along x" : " along y");
    switch (way) {
        case FoldWay::sequence:
            return {};
        case FoldWay::parts:
            if (axis.window < 3) return "parts are of windows of at least 3, this one has " + window;
            break;
        case FoldWay::climb:
            if (use == PoolUse::forward_with_places) return "places of maxima are not found by a climb";
            if (axis.window < 9) return "a climb is of windows of at least 9, this one has " + window;
            if (along == Along::x && axis.dilation != 1) return "a climb along x is of dilation 1";
            break;
    }
    if (has_much_padding(axis)) return "rows with their padding would be much longer than the input's";
    return {};
}

std::int32_t fold_number(AxisWay way) {
    return way == AxisWay::in_parts ? 1 : way == AxisWay::doubling ? 2 : 0;
}

}  // namespace

PoolConfigs::PoolConfigs(const PoolDesc& desc, const PoolGeometry& geometry, const CpuKernel& kernel,
                         PoolUse use, int threads)
    : m_desc(desc), m_geometry(geometry), m_kernel(kernel), m_use(use), m_threads(threads) {}

bool PoolConfigs::gathers() const {
    return m_use != PoolUse::backward && m_kernel.gathered;
}

bool PoolConfigs::has_stores() const {
    return m_use == PoolUse::backward
               ? backward_chooses_stores(m_desc, m_geometry)
               : !gathers() && chooses_stores(m_desc, m_kernel, m_use == PoolUse::forward_with_places);
}

Result<void> PoolConfigs::check_way(std::int32_t way) const {
    if (way == 0) return {};
    const auto refused = [&](const std::string& why) { return tune::refused(tune::knob_way, way, why); };
    if (way < way_windows || way > way_of(FoldWay::climb, FoldWay::climb))
        return refused("there is no such way");
    if (m_use == PoolUse::backward || m_desc.op != PoolOp::max)
        return refused("way is of max pooling, forward");
    if (gathers()) return refused("these windows are pooled one by one");
    if (way == way_windows) {
        if (m_kernel.small_windows) return {};
        return refused(
            "windows are of f32, of at most 3 rows and 2 or 3 neighbouring columns, at stride 1 or 2 along "
            "x");
    }
    if (m_kernel.along_x == AxisWay::one_by_one)
        return refused("windows that lie so far apart along x are folded one by one");
    const std::int32_t folds = way - way_of(FoldWay::sequence, FoldWay::sequence);
    std::string why = objection(m_geometry.y, static_cast<FoldWay>(folds / 3), Along::y, m_use);
    if (why.empty()) why = objection(m_geometry.x, static_cast<FoldWay>(folds % 3), Along::x, m_use);
    if (!why.empty()) return refused(why);
    return {};
}

Result<void> PoolConfigs::check(const Config& config) const {
    return tune::check_each(*this, config);
}

Result<void> PoolConfigs::check_knob(const Config& config, const tune::Knob& knob) const {
    if (&knob == &tune::knob_threads) return tune::check_multiple(config, knob, 1, 1, m_threads);
    if (&knob == &tune::knob_stores) {
        if (config.stores != 0 && config.stores != stores_through && config.stores != stores_past)
            return tune::refused(knob, config.stores, "stores is through or past");
        if (config.stores == 0 || has_stores()) return {};
        return tune::check_unset(config, knob, "these outputs are stored in one way only");
    }
    if (&knob == &tune::knob_way) return check_way(config.way);
    if (&knob == &tune::knob_task) {
        if (gathers()) return tune::check_unset(config, knob, "these windows are pooled one by one");
        return check_task(config);
    }
    return tune::check_unset(config, knob, "share, part and strip are of filters");
}

std::int32_t PoolConfigs::way_of_kernel(const CpuKernel& kernel) const {
    if (kernel.small_windows) return way_windows;
    const bool pairs = m_use == PoolUse::forward_with_places;
    const AxisWay along_y = pairs ? kernel.pairs_along_y : kernel.along_y;
    const AxisWay along_x = pairs ? kernel.pairs_along_x : kernel.along_x;
    if (along_x == AxisWay::one_by_one) return 0;
    return way_of(static_cast<FoldWay>(fold_number(along_y)), static_cast<FoldWay>(fold_number(along_x)));
}

Config PoolConfigs::resolve(const Config& config) const {
    Config made;
    const bool backward = m_use == PoolUse::backward;
    made.threads = threads_of(config, m_threads, m_desc, m_geometry, m_use);
    if (gathers()) return made;
    made.task = static_cast<std::int32_t>(backward ? backward_task_elements(config) : task_elements(config));
    if (!backward && m_desc.op == PoolOp::max) made.way = folding(config.way).way;
    if (!has_stores()) return made;
    made.stores = config.stores;
    if (made.stores != 0) return made;
    const bool past = backward ? backward_uses_non_temporal_stores(m_geometry) : folding(config.way).past;
    made.stores = past ? stores_past : stores_through;
    return made;
}

const PoolConfigs::Folding& PoolConfigs::folding(std::int32_t way) const {
    std::optional<Folding>& known = m_foldings[static_cast<std::size_t>(way)];
    if (!known) {
        const CpuKernel kernel = choose_cpu_kernel(m_desc, m_geometry, {.way = way});
        known = Folding{way_of_kernel(kernel), uses_non_temporal_stores(m_geometry, kernel)};
    }
    return *known;
}

std::vector<Config> PoolConfigs::candidates(bool /*other_bits*/) const {
    return tune::candidates_of(*this, {.threads = m_threads});
}

namespace {

tune::PoolAxisFacts facts_of_axis(const AxisWindows& axis, AxisWay way) {
    const int folds = way == AxisWay::one_by_one ? 3 : fold_number(way);
    if (!axis.adaptive) {
        return {static_cast<double>(axis.window), static_cast<double>(axis.stride), axis.dilation, folds};
    }
    const std::int64_t largest = (axis.in + axis.out - 1) / axis.out;
    return {static_cast<double>(largest), static_cast<double>(axis.in) / static_cast<double>(axis.out), 1,
            folds};
}

std::string_view name_of(Formula formula) {
    switch (formula) {
        case Formula::max:
            return "max";
        case Formula::max_magnitude:
            return "max_magnitude";
        case Formula::avg:
            return "avg";
        case Formula::lp1:
            return "lp1";
        case Formula::lp2:
            return "lp2";
        case Formula::lp3:
            return "lp3";
        case Formula::power:
            break;
    }
    return "power";
}

std::string pair_text(std::int64_t y, std::int64_t x) {
    return std::to_string(y) + "x" + std::to_string(x);
}

std::string windows_text(const PoolGeometry& g) {
    if (g.y.adaptive) return " window:adaptive";
    return " window:" + pair_text(g.y.window, g.x.window) + " stride:" + pair_text(g.y.stride, g.x.stride) +
           " padding:" + pair_text(g.y.padding, g.x.padding) +
           " dilation:" + pair_text(g.y.dilation, g.x.dilation);
}

}  // namespace

tune::Purpose PoolConfigs::purpose() const {
    return m_use == PoolUse::backward ? tune::Purpose::pool_backward_cpu : tune::Purpose::pool_cpu;
}

// What is computed of each window; a kernel that gathers has no formula of its own, and elements of 16 bits
// are raised to 3 as to any power.
Formula PoolConfigs::formula() const {
    if (m_desc.op == PoolOp::lp && m_desc.p == 3) return Formula::lp3;
    if (!m_kernel.gathered) return m_kernel.formula;
    if (is_max(m_desc.op)) return Formula::max;
    if (m_desc.op != PoolOp::lp) return Formula::avg;
    return m_desc.p == 1 ? Formula::lp1 : m_desc.p == 2 ? Formula::lp2 : Formula::power;
}

std::string PoolConfigs::key() const {
    return beginning_of_key() + tune::end_of_key(m_threads, *support::cpu_target());
}

std::string PoolConfigs::beginning_of_key() const {
    const bool backward = m_use == PoolUse::backward;
    const ElementType sums = backward ? backward_accumulator(m_desc, m_geometry) : m_kernel.accumulator;
    return "pool formula:" + std::string(name_of(formula())) + windows_text(m_geometry) +
           " out:" + pair_text(m_geometry.y.out, m_geometry.x.out) + tune::size_in_key(m_geometry.input) +
           " dtype:" + std::string(iir2d::name_of(m_desc.element)) +
           " pass:" + (backward ? "backward" : "forward") +
           " places:" + (m_use == PoolUse::forward_with_places ? "1" : "0") +
           " sums:" + std::string(iir2d::name_of(sums));
}

tune::Facts PoolConfigs::facts() const {
    const bool backward = m_use == PoolUse::backward;
    const bool places = m_use == PoolUse::forward_with_places;
    const ElementType sums = backward ? backward_accumulator(m_desc, m_geometry) : m_kernel.accumulator;
    const bool gathered = backward ? !scatters_in_vectors(m_desc, m_geometry) : m_kernel.gathered;
    return {.purpose = backward ? tune::Purpose::pool_backward_cpu : tune::Purpose::pool_cpu,
            .width = m_geometry.input.w,
            .height = m_geometry.input.h,
            .planes = m_geometry.planes(),
            .out = m_geometry.output.w * m_geometry.output.h * m_geometry.planes(),
            .bytes_in = static_cast<int>(element_size(m_desc.element)),
            .bytes_sums = static_cast<int>(element_size(sums)),
            .threads = m_threads,
            .operation = tune::PoolFacts{
                .x = facts_of_axis(m_geometry.x, places ? m_kernel.pairs_along_x : m_kernel.along_x),
                .y = facts_of_axis(m_geometry.y, places ? m_kernel.pairs_along_y : m_kernel.along_y),
                .formula = static_cast<int>(formula()),
                .gathered = gathered,
                .places = places,
                .maximum = is_max(m_desc.op)}};
}

GpuPoolConfigs::GpuPoolConfigs(const PoolDesc& desc, const PoolGeometry& geometry, const GpuPooling& pooling,
                               PoolUse use, tune::GpuHost host)
    : GpuQuestion(std::move(host)),
      m_desc(desc),
      m_geometry(geometry),
      m_pooling(pooling),
      m_use(use),
      m_formula(choose_cpu_kernel(desc, geometry)) {}

std::string GpuPoolConfigs::key() const {
    return key_of(PoolConfigs(m_desc, m_geometry, m_formula, m_use, 1).beginning_of_key());
}

tune::Facts GpuPoolConfigs::facts() const {
    return on_gpu(PoolConfigs(m_desc, m_geometry, m_formula, m_use, 1).facts());
}

Result<void> GpuPoolConfigs::check(const Config& config) const {
    return tune::check_each(*this, config, true);
}

Result<void> GpuPoolConfigs::check_knob(const Config& config, const tune::Knob& knob) const {
    const std::int32_t value = config.*knob.value;
    if (value == 0) return {};
    if (&knob == &tune::knob_block) {
        constexpr std::int32_t least = 64;
        constexpr auto most = static_cast<std::int32_t>(most_gpu_threads);
        if (value >= least && value <= most && std::has_single_bit(static_cast<std::uint32_t>(value)))
            return {};
        return tune::refused(knob, value, "block is 64, 128 or 256");
    }
    if (&knob == &tune::knob_steps) return tune::check_multiple(config, knob, 1, 1, 64);
    if (&knob == &tune::knob_pairs) {
        if (value != pairs_off && value != pairs_on) return tune::refused(knob, value, "pairs is off or on");
        if (has_pairs()) return {};
        return tune::refused(knob, value, "pairs are of windows of 2x2 side by side, in f32, forward");
    }
    return tune::check_unset(config, knob, "graph, warps and carry are of filters");
}

Config GpuPoolConfigs::resolve(const Config& config) const {
    Config made{.block = config.block != 0 ? config.block : static_cast<std::int32_t>(most_gpu_threads),
                .steps = config.steps != 0 ? config.steps : static_cast<std::int32_t>(gpu_steps)};
    if (has_pairs()) made.pairs = config.pairs != 0 ? config.pairs : pairs_on;
    // No warp has more steps than a row has, of which there are 32 or 64 outputs each.
    const bool backward = m_use == PoolUse::backward;
    const std::int64_t width = backward ? m_geometry.input.w : m_geometry.output.w;
    const std::int64_t of_a_step = made.pairs == pairs_on ? 64 : 32;
    made.steps = static_cast<std::int32_t>(
        std::min<std::int64_t>(made.steps, std::max<std::int64_t>(1, (width + of_a_step - 1) / of_a_step)));
    return made;
}

std::vector<Config> GpuPoolConfigs::candidates(bool other_bits) const {
    return tune::candidates_of(*this, {.on_gpu = true, .other_bits = other_bits});
}

namespace {

// Calls use(configs), which gives a Result, with the configs of a pooling on a device.
template <class T>
Result<T> with_configs(const Device& device, const PoolDesc& given, PoolUse use, const auto& call) {
    return support::guarded_result("the pooling's configs", [&]() -> Result<T> {
        const PoolDesc desc = read_fields(given);
        const auto geometry = make_geometry(desc);
        if (!geometry) return std::unexpected(geometry.error());
        if (device.backend() == Backend::cuda) {
            auto host = tune::gpu_host(device);
            if (!host) return std::unexpected(host.error());
            const GpuPooling pooling = make_gpu_pooling(desc, *geometry);
            const GpuPoolConfigs configs(desc, *geometry, pooling, use, std::move(*host));
            return call(static_cast<const tune::Question&>(configs));
        }
        if (const auto target = support::cpu_target(); !target) return std::unexpected(target.error());
        const CpuKernel kernel = choose_cpu_kernel(desc, *geometry);
        const PoolConfigs configs(desc, *geometry, kernel, use, device.threads());
        return call(static_cast<const tune::Question&>(configs));
    });
}

}  // namespace
}  // namespace pool

Result<std::string> problem_key(const Device& device, const PoolDesc& desc, PoolUse use) {
    return pool::with_configs<std::string>(
        device, desc, use, [](const auto& configs) -> Result<std::string> { return configs.key(); });
}

Result<void> check_config(const Device& device, const PoolDesc& desc, PoolUse use, const Config& config) {
    return pool::with_configs<void>(device, desc, use,
                                    [&](const auto& configs) { return configs.check(config); });
}

Result<Config> resolved(const Device& device, const PoolDesc& desc, PoolUse use, const Config& config) {
    if (auto good = check_config(device, desc, use, config); !good) return std::unexpected(good.error());
    return pool::with_configs<Config>(
        device, desc, use, [&](const auto& configs) -> Result<Config> { return configs.resolve(config); });
}

Result<std::vector<Config>> candidates(const Device& device, const PoolDesc& desc, PoolUse use,
                                       bool other_bits) {
    return pool::with_configs<std::vector<Config>>(
        device, desc, use,
        [&](const auto& configs) -> Result<std::vector<Config>> { return configs.candidates(other_bits); });
}

Result<std::vector<float>> features(const Device& device, const PoolDesc& desc, PoolUse use,
                                    const Config& config) {
    return pool::with_configs<std::vector<float>>(
        device, desc, use, [&](const auto& configs) { return tune::features_of(configs, config); });
}

Result<Explanation> explain(const Device& device, const PoolDesc& desc, PoolUse use,
                            const TuneOptions& options) {
    return pool::with_configs<Explanation>(
        device, desc, use,
        [&](const auto& configs) -> Result<Explanation> { return tune::explain(configs, options); });
}

}  // namespace iir2d
