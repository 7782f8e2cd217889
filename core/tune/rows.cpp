// SPDX-License-Identifier: MIT
#include "core/tune/rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/try.h"
#include "core/tune/machine.h"
#include "core/tune/problem.h"
#include "iir2d/config.h"
#include "iir2d/plan.h"

namespace workbench::tune {

namespace {

// "... threads:2" at the end of a key.
std::optional<int> threads_of(std::string_view key) {
    constexpr std::string_view word = " threads:";
    const auto at = key.rfind(word);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view text = key.substr(at + word.size());
    int threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc{} || end != text.data() + text.size() || threads < 1) return std::nullopt;
    return threads;
}

Result<std::vector<float>> features_here(const Problem& problem, const iir2d::Device& device,
                                         const iir2d::Config& config) {
    if (problem.filter() != nullptr)
        return from_kernel(iir2d::features(device, filter_desc_of(problem), config));
    return from_kernel(iir2d::features(device, pool_desc_of(problem), use_of(problem), config));
}

// Samples of all planes that come out.
Result<std::int64_t> samples_out(const Problem& problem, const iir2d::Device& device) {
    const auto count = [](const iir2d::Shape& shape) { return shape.n * shape.c * shape.h * shape.w; };
    if (problem.filter() != nullptr) return count(problem.shape());
    IIR2D_TRY(const auto plan, from_kernel(iir2d::PoolPlan::make(device, pool_desc_of(problem))));
    return count(plan.output_shape());
}

// The features that are of the caches, and what they are of another machine.
struct CacheFeatures {
    std::array<std::pair<std::string_view, float>, 3> values;
};
Result<CacheFeatures> cache_features(const Problem& problem, const iir2d::Device& device,
                                     const CacheSizes& caches) {
    const auto element = static_cast<double>(iir2d::element_size(element_of(problem)));
    const iir2d::Shape shape = problem.shape();
    const double in = static_cast<double>(shape.w) * static_cast<double>(shape.h) *
                      static_cast<double>(problem.planes) * element;
    IIR2D_TRY(const auto out_samples, samples_out(problem, device));
    const double out = static_cast<double>(out_samples) * element;
    const auto over = [](double bytes, std::int64_t size) {
        return static_cast<float>(std::log(bytes / static_cast<double>(size)));
    };
    return CacheFeatures{{{{"ln_in_l2", over(in, caches.l2)},
                           {"ln_in_l3", over(in, caches.l3)},
                           {"ln_out_l3", over(out, caches.l3)}}}};
}

std::size_t knobs_in(const std::string& config) {
    return config == static_text ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(config, ' '));
}

void add_row(TrainingRows& rows, std::span<const float> values, double target, double weight,
             std::size_t problem) {
    rows.features = values.size();
    rows.values.insert(rows.values.end(), values.begin(), values.end());
    rows.targets.push_back(static_cast<float>(target));
    rows.weights.push_back(static_cast<float>(weight));
    rows.problems.push_back(problem);
}

}  // namespace

FeatureReader::FeatureReader(const Measurements& all) {
    for (const Identity& machine : all.machines) m_machines[machine.id] = machine.json;
}

Result<std::vector<float>> FeatureReader::rows(const MeasuredProblem& problem,
                                               const std::vector<std::string>& configs) const {
    const auto wrong = [&](const std::string& why) {
        return fail(ErrorKind::bad_argument, problem.spec + ": " + why);
    };
    IIR2D_TRY(const auto what, problem_from_spec(problem.spec));
    const auto threads = threads_of(problem.key);
    if (!threads) return wrong("its key has no threads");
    const bool on_gpu = backend_of(problem.key) == iir2d::Backend::cuda;
    IIR2D_TRY(const auto device, from_kernel(on_gpu ? iir2d::Device::cuda(0) : iir2d::Device::cpu(*threads)));
    if (!on_gpu && device.threads() != *threads)
        return wrong("it was measured with " + counted(static_cast<std::uint64_t>(*threads), "thread") +
                     ", and there are " + std::to_string(device.threads()) + " here");
    const auto machine =
        problem.visits.empty() ? m_machines.end() : m_machines.find(problem.visits.front().machine);
    if (machine == m_machines.end()) return wrong("the machine that it was measured on is not described");
    const CacheSizes caches = cache_sizes_of(machine->second);
    if (caches.l2 <= 0 || caches.l3 <= 0) return wrong("the machine's caches are not known");
    IIR2D_TRY(const auto of_caches, cache_features(what, device, caches));
    const auto names = iir2d::feature_names(problem.purpose);
    std::vector<float> all;
    all.reserve(configs.size() * names.size());
    for (const std::string& text : configs) {
        IIR2D_TRY(const auto config, from_kernel(iir2d::config_from_text(text)));
        auto row = features_here(what, device, config);
        if (!row) return wrong(row.error().message);
        for (const auto& [name, value] : of_caches.values)
            (*row)[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())] = value;
        all.insert(all.end(), row->begin(), row->end());
    }
    return all;
}

TrainingRows TrainingRows::of(const std::vector<bool>& which) const {
    TrainingRows some;
    some.features = features;
    for (std::size_t i = 0; i < count(); ++i) {
        if (which[problems[i]])
            add_row(some, std::span(values).subspan(i * features, features), targets[i], weights[i],
                    problems[i]);
    }
    return some;
}

Result<TrainingData> training_data(const Measurements& all, std::string_view purpose,
                                   const HeadroomOptions& options) {
    if (std::ranges::find(iir2d::model_purposes(), purpose) == iir2d::model_purposes().end())
        return fail(ErrorKind::bad_argument,
                    "purpose \"" + escaped(purpose) +
                        "\": use iir-cpu, pool-cpu, pool-backward-cpu, iir-cuda or pool-cuda");
    const FeatureReader reader(all);
    TrainingData data;
    for (const MeasuredProblem& problem : all.problems) {
        if (problem.purpose != purpose || (!options.set.empty() && problem.set != options.set)) continue;
        auto logs = logs_of(problem, options);
        if (!logs) {
            ++data.not_measured;
            continue;
        }
        if (logs->is_unstable) {
            ++data.unstable;
            continue;
        }
        std::vector<std::string> configs;
        double best = 0;
        for (const ConfigLogs& config : logs->configs) {
            configs.push_back(config.config);
            best = std::min(best, config.y);
        }
        IIR2D_TRY(const auto rows, reader.rows(problem, configs));
        const std::size_t width = rows.size() / configs.size();
        const std::size_t number = data.problems.size();
        for (std::size_t i = 0; i < configs.size(); ++i) {
            const double y = logs->configs[i].y;
            add_row(data.gain, std::span(rows).subspan(i * width, width), y,
                    std::exp(-4 * std::min(1.0, y - best)), number);
        }
        if (const auto level = level_of(problem, options))
            add_row(data.level, std::span(rows).first(width), *level, 1, number);
        data.problems.push_back(&problem);
        data.logs.push_back(std::move(*logs));
    }
    if (data.problems.empty())
        return fail(ErrorKind::bad_argument, "there is no problem of " + std::string(purpose) +
                                                 " to learn from: " + std::to_string(data.unstable) +
                                                 " are unstable and " + std::to_string(data.not_measured) +
                                                 " have no visit that counts; collect on a quiet machine");
    return data;
}

Ranker ranker_of(iir2d::TreeModel model, const Measurements& all, double threshold) {
    auto reader = std::make_shared<const FeatureReader>(all);
    return [model = std::move(model), reader, threshold](
               const MeasuredProblem& problem, const std::vector<std::string>& configs) -> Result<Ranking> {
        IIR2D_TRY(const auto rows, reader->rows(problem, configs));
        const std::size_t width = rows.size() / configs.size();
        std::vector<float> gains(configs.size());
        iir2d::predict(model.gain, rows, width, gains);
        gains.front() = 0;  // static's own
        float level = 0;
        iir2d::predict(model.level, std::span(rows).first(width), width, std::span(&level, 1));
        std::vector<std::size_t> order(configs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t i) {
            return std::tuple(gains[i], knobs_in(configs[i]), std::string_view(configs[i]));
        });
        const float best = gains[order.front()];
        Ranking ranking{.order = {},
                        .decision = std::string(static_text),
                        .gains = std::vector<double>(gains.begin(), gains.end()),
                        .level = level};
        for (const std::size_t i : order)
            if (std::exp(static_cast<double>(gains[i]) - static_cast<double>(best)) <= threshold)
                ranking.order.push_back(configs[i]);
        if (model.margin && -best >= *model.margin) ranking.decision = ranking.order.front();
        return ranking;
    };
}

}  // namespace workbench::tune
