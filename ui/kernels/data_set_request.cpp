// SPDX-License-Identifier: MIT
#include "ui/kernels/data_set_request.h"

#include <algorithm>
#include <thread>

#include "core/inspect/toolchain.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/shell.h"
#include "core/support/try.h"
#include "core/synth/data_set_files.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

bool areAlike(const std::map<synth::Category, double>& weights) {
    return std::ranges::all_of(weights,
                               [&](const auto& one) { return one.second == weights.begin()->second; });
}

}  // namespace

synth::GenerateOptions optionsOf(const DataSetRequest& request) {
    synth::GenerateOptions options{.folder = toPath(request.folder),
                                   .count = request.count,
                                   .seed = request.seed,
                                   .jobs = std::max(1U, std::thread::hardware_concurrency()),
                                   .resume = request.resume};
    for (const auto& [category, weight] : request.weights) options.categories.push_back(category);
    if (!areAlike(request.weights)) options.weights = request.weights;
    options.judge.backward = request.backward;
    if (!request.levels.isEmpty()) {
        options.judge.levels.clear();
        for (const QString& level : request.levels) options.judge.levels.push_back(level.toStdString());
    }
    return options;
}

Result<synth::GenerateOptions> completeOptions(const DataSetRequest& request, const std::stop_token& stop) {
    synth::GenerateOptions options = optionsOf(request);
    std::vector<std::string> names;
    for (const QString& target : request.targets) names.push_back(target.toStdString());
    if (request.resume) {
        IIR2D_TRY(const synth::RunFacts run, synth::read_run(options.folder));
        options.count = run.count;
        options.seed = run.seed;
        options.shard = run.shard;
        options.judge.backward = run.backward;
        options.judge.levels = run.levels;
        options.categories.clear();
        options.weights.clear();
        for (const auto& [category, quota] : run.quotas) {
            options.categories.push_back(category);
            options.weights[category] = static_cast<double>(quota);
        }
        names.clear();
        for (const synth::Target& target : run.targets) names.push_back(target.name);
    }
    IIR2D_TRY(inspect::ChosenTargets chosen, inspect::choose_targets(names, stop));
    if (options.judge.has_level("V1")) IIR2D_RETURN_IF_ERROR(inspect::check_assembler(chosen));
    options.judge.targets = std::move(chosen.targets);
    options.unavailable = std::move(chosen.stored_unavailable);
    return options;
}

QString commandLine(const DataSetRequest& request) {
    std::string made = "iir2d synth generate --out " + shell_quoted(request.folder.toStdString()) +
                       " --count " + std::to_string(request.count) + " --seed " +
                       std::to_string(request.seed);
    const auto name = [](const auto& one) { return std::string(synth::name_of(one.first)); };
    if (!request.weights.empty()) made += " --categories " + joined(request.weights, ",", name);
    if (!areAlike(request.weights))
        made += " --weights " + joined(request.weights, ",", [&](const auto& one) {
                    return name(one) + "=" + format_number(one.second);
                });
    if (!request.targets.isEmpty())
        made += " --targets " + shell_quoted(request.targets.join(QLatin1Char(',')).toStdString());
    if (!request.levels.isEmpty()) made += " --levels " + request.levels.join(QLatin1Char(',')).toStdString();
    if (request.backward) made += " --backward";
    if (request.resume) made += " --resume";
    return toText(made);
}

}  // namespace workbench
