// SPDX-License-Identifier: MIT
#include "kernels/tune/features.h"

#include <array>
#include <cmath>
#include <string>

#include "iir2d/tune_model.h"
#include "kernels/tune/machine.h"
#include "kernels/tune/question.h"

namespace iir2d {

namespace tune {
namespace {

constexpr std::array<std::string_view, purpose_count> purposes{"iir-cpu", "pool-cpu", "pool-backward-cpu",
                                                               "iir-cuda", "pool-cuda"};

constexpr std::size_t common_count = 12;
constexpr std::size_t iir_count = 9;
constexpr std::size_t pool_count = 13;
constexpr std::size_t config_count = 10;
constexpr std::size_t gpu_config_count = 6;

constexpr std::array<std::string_view, common_count> common_names{
    "ln_samples", "ln_planes", "ln_width", "ln_height", "ln_out",  "bytes_in",
    "bytes_sums", "ln_in_l2",  "ln_in_l3", "ln_out_l3", "rows_4k", "threads_most"};
constexpr std::array<std::string_view, iir_count> iir_names{"passes_x",   "passes_y", "sections_x",
                                                            "sections_y", "terms_x",  "terms_y",
                                                            "beside",     "ln_reach", "periodic"};
constexpr std::array<std::string_view, pool_count> pool_names{
    "window_x",  "window_y", "stride_x", "stride_y", "dilation_x", "dilation_y", "overlap_x",
    "overlap_y", "folds_x",  "folds_y",  "formula",  "gathered",   "places"};
constexpr std::array<std::string_view, config_count> config_names{
    "c_threads", "ln_per_thread", "c_past",  "c_planes", "ln_part",
    "ln_strip",  "c_way_x",       "c_way_y", "ln_task",  "tasks_per_thread"};

constexpr std::array<std::string_view, gpu_config_count> gpu_config_names{"c_block", "c_steps", "c_pairs",
                                                                          "c_graph", "c_warps", "c_carry"};

template <std::size_t Count, std::size_t Configs>
constexpr auto joined(const std::array<std::string_view, Count>& own,
                      const std::array<std::string_view, Configs>& config) {
    std::array<std::string_view, common_count + Count + Configs> all{};
    std::size_t at = 0;
    for (const std::string_view name : common_names) all[at++] = name;
    for (const std::string_view name : own) all[at++] = name;
    for (const std::string_view name : config) all[at++] = name;
    return all;
}
constexpr auto all_iir_names = joined(iir_names, config_names);
constexpr auto all_pool_names = joined(pool_names, config_names);
constexpr auto all_gpu_iir_names = joined(iir_names, gpu_config_names);
constexpr auto all_gpu_pool_names = joined(pool_names, gpu_config_names);

float logarithm(double value) {
    return static_cast<float>(std::log(value));
}

// Of a knob without a meaning: -1.
float logarithm_or_none(std::int32_t value) {
    return value == 0 ? -1.0F : logarithm(value);
}

float number(auto value) {
    return static_cast<float>(value);
}

void add(const IirFacts& f, std::vector<float>& row) {
    row.insert(row.end(), {number(f.passes_x), number(f.passes_y), number(f.sections_x), number(f.sections_y),
                           number(f.terms_x), number(f.terms_y), number(f.beside),
                           logarithm(static_cast<double>(f.reach)), number(f.periodic)});
}

void add(const PoolFacts& f, std::vector<float>& row) {
    row.insert(row.end(), {number(f.x.window), number(f.y.window), number(f.x.stride), number(f.y.stride),
                           number(f.x.dilation), number(f.y.dilation), number(f.x.window / f.x.stride),
                           number(f.y.window / f.y.stride), number(f.x.folds), number(f.y.folds),
                           number(f.formula), number(f.gathered), number(f.places)});
}

}  // namespace

std::string_view name_of(Purpose purpose) {
    return purposes[static_cast<std::size_t>(purpose)];
}

bool is_of_gpu(Purpose purpose) {
    return purpose == Purpose::iir_cuda || purpose == Purpose::pool_cuda;
}

Result<std::vector<float>> features_of(const Facts& f) {
    const Caches sizes = is_of_gpu(f.purpose) ? Caches{f.gpu_cache, f.gpu_cache} : caches();
    if (sizes.l2 <= 0 || sizes.l3 <= 0) {
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     std::string("wrong_features: the system does not say how large ") +
                                         (sizes.l2 <= 0 ? "L2" : "L3") + " is"});
    }
    const double in_bytes = f.samples() * f.bytes_in;
    const double out_bytes = static_cast<double>(f.out) * f.bytes_in;
    std::vector<float> row;
    row.reserve(common_count + pool_count + config_count);
    row = {logarithm(f.samples()),
           logarithm(static_cast<double>(f.planes)),
           logarithm(static_cast<double>(f.width)),
           logarithm(static_cast<double>(f.height)),
           logarithm(static_cast<double>(f.out)),
           number(f.bytes_in),
           number(f.bytes_sums),
           logarithm(in_bytes / static_cast<double>(sizes.l2)),
           logarithm(in_bytes / static_cast<double>(sizes.l3)),
           logarithm(out_bytes / static_cast<double>(sizes.l3)),
           number(f.width * f.bytes_in % 4096 == 0),
           number(f.threads)};
    std::visit([&](const auto& operation) { add(operation, row); }, f.operation);
    return row;
}

namespace {

// "on" and "exact" are the second of two values.
float second_of_two(std::int32_t value) {
    return value == 0 ? -1.0F : number(value == 2);
}

float number_or_none(std::int32_t value) {
    return value == 0 ? -1.0F : number(value);
}

}  // namespace

void add_config(const Facts& facts, const Config& resolved, std::vector<float>& row) {
    if (is_of_gpu(facts.purpose)) {
        row.insert(row.end(), {number_or_none(resolved.block), number_or_none(resolved.steps),
                               second_of_two(resolved.pairs), second_of_two(resolved.graph),
                               number_or_none(resolved.warps), second_of_two(resolved.carry)});
        return;
    }
    constexpr std::int32_t first_fold = way_of(FoldWay::sequence, FoldWay::sequence);
    const double threads = resolved.threads;
    // 3 is both axes at once, by windows.
    const auto way = [&](std::int32_t fold) {
        return resolved.way == 0 ? -1.0F : resolved.way == way_windows ? 3.0F : number(fold);
    };
    const std::int32_t folds = resolved.way - first_fold;
    row.insert(row.end(), {number(resolved.threads), logarithm(facts.samples() / threads),
                           resolved.stores == 0 ? -1.0F : number(resolved.stores == stores_past),
                           resolved.share == 0 ? -1.0F : number(resolved.share == share_planes),
                           logarithm_or_none(resolved.part), logarithm_or_none(resolved.strip),
                           way(folds % 3), way(folds / 3), logarithm_or_none(resolved.task),
                           resolved.task == 0 ? -1.0F : number(facts.samples() / resolved.task / threads)});
}

Result<std::vector<float>> features_of(const Question& question, const Config& config) {
    if (auto good = question.check(config); !good) return std::unexpected(good.error());
    const Facts facts = question.facts();
    auto row = features_of(facts);
    if (row) add_config(facts, question.resolve(config), *row);
    return row;
}

std::string family_of(const Facts& facts) {
    const auto* pool = std::get_if<PoolFacts>(&facts.operation);
    const char* const kind = pool == nullptr
                                 ? std::get<IirFacts>(facts.operation).both_ways ? "both ways" : "causal"
                             : pool->maximum ? "max"
                                             : "sums";
    const double samples = facts.samples();
    const char* const size = samples <= 0x1p16 ? "to 2^16" : samples <= 0x1p20 ? "to 2^20" : "above 2^20";
    return std::string(name_of(facts.purpose)) + ", " + kind + ", " + size + ", " +
           (facts.planes == 1 ? "one plane" : "several planes");
}

}  // namespace tune

std::span<const std::string_view> model_purposes() {
    return tune::purposes;
}

std::span<const std::string_view> model_purposes(Backend backend) {
    constexpr auto of_cpu = static_cast<std::size_t>(tune::Purpose::iir_cuda);
    const std::span all(tune::purposes);
    return backend == Backend::cpu ? all.first(of_cpu) : all.subspan(of_cpu);
}

std::span<const std::string_view> feature_names(std::string_view purpose) {
    if (purpose == tune::purposes[0]) return tune::all_iir_names;
    if (purpose == tune::purposes[1] || purpose == tune::purposes[2]) return tune::all_pool_names;
    if (purpose == tune::purposes[3]) return tune::all_gpu_iir_names;
    if (purpose == tune::purposes[4]) return tune::all_gpu_pool_names;
    return {};
}

}  // namespace iir2d
