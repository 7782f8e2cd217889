// SPDX-License-Identifier: MIT
#include "ui/benchmark/matrix_choices.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "iir2d/filter.h"

namespace workbench {
namespace {

struct ChoicesWords {
    Q_DECLARE_TR_FUNCTIONS(MatrixChoices)
};

bool hasWork(const Recipe& recipe) {
    return std::ranges::any_of(recipe.operations, &Operation::enabled);
}

std::vector<MatrixProblem> problemsOf(const MatrixChoices& choices, const MatrixContext& context) {
    std::vector<MatrixProblem> problems;
    const auto add = [&problems](MatrixField field, const QString& text) {
        problems.push_back({field, text});
    };
    if (choices.source == MatrixChoices::Source::image) {
        if (!context.image) {
            add(MatrixField::sizes,
                ChoicesWords::tr("No image is open: open one, or measure on synthetic planes."));
        }
    } else if (const auto custom = parseSizes(choices.customSizes); !custom) {
        add(MatrixField::sizes, custom.error());
    } else if (choices.sizes.empty() && custom->empty()) {
        add(MatrixField::sizes, ChoicesWords::tr("Choose at least one size, or type one such as 1920x1080."));
    }
    if (choices.recipe && !hasWork(context.recipe)) {
        add(MatrixField::recipe, ChoicesWords::tr("The recipe has no operation that is switched on."));
    }
    if (choices.filterIds.empty() && choices.pools.ops.empty() && !choices.recipe) {
        add(MatrixField::work,
            ChoicesWords::tr("Choose at least one filter, pooling operation or the recipe."));
    }
    if (!choices.pools.ops.empty() && choices.pools.elements.empty()) {
        add(MatrixField::pools, ChoicesWords::tr("Pooling needs at least one type of samples."));
    }
    if (!choices.pools.ops.empty() && choices.pools.passes.empty()) {
        add(MatrixField::pools, ChoicesWords::tr("Pooling needs at least one pass."));
    }
    if (!choices.filterIds.empty() && choices.borders.empty()) {
        add(MatrixField::borders, ChoicesWords::tr("Filters need at least one border."));
    }
    if (!choices.filterIds.empty() && choices.precisions.empty()) {
        add(MatrixField::precisions, ChoicesWords::tr("Filters need at least one precision."));
    }
    return problems;
}

BenchmarkMatrix matrixOf(const MatrixChoices& choices, const MatrixContext& context) {
    BenchmarkMatrix matrix;
    matrix.sizes = choices.sizes;
    if (const auto custom = parseSizes(choices.customSizes)) {
        for (const BenchmarkSize& size : *custom) {
            if (std::ranges::find(matrix.sizes, size) == matrix.sizes.end()) matrix.sizes.push_back(size);
        }
    }
    if (choices.source == MatrixChoices::Source::image) matrix.image = context.image;
    matrix.filter_ids = choices.filterIds;
    matrix.borders = choices.borders;
    matrix.precisions = choices.precisions;
    const PoolChoices& pools = choices.pools;
    for (const iir2d::PoolOp op : pools.ops) {
        PoolOperation pool{.op = op};
        if (is_adaptive(op)) {
            pool.output = {pools.output, pools.output};
        } else {
            pool.window = {pools.window, pools.window};
            if (pools.stride > 0) pool.stride = iir2d::Extent{pools.stride, pools.stride};
        }
        matrix.pools.push_back(pool);
    }
    matrix.pool_elements = pools.elements;
    matrix.pool_passes = pools.passes;
    if (choices.recipe) matrix.recipe = context.recipe;
    matrix.device = choices.device.toStdString();
    matrix.threads = choices.threads;
    matrix.warmup = choices.warmup;
    matrix.iterations = choices.iterations;
    return matrix;
}

QString sentence(const std::string& message) {
    QString text = QString::fromStdString(message);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

}  // namespace

std::expected<std::vector<BenchmarkSize>, QString> parseSizes(const QString& text) {
    static const QRegularExpression separator(QStringLiteral("[,;]"));
    static const QRegularExpression form(QStringLiteral("^(\\d{1,9})\\s*[x×X*]\\s*(\\d{1,9})$"));
    std::vector<BenchmarkSize> sizes;
    const QStringList parts = text.split(separator, Qt::SkipEmptyParts);
    for (const QString& part : parts) {
        const QString trimmed = part.trimmed();
        if (trimmed.isEmpty()) continue;
        const auto match = form.match(trimmed);
        if (!match.hasMatch()) {
            return std::unexpected(
                ChoicesWords::tr("“%1” is not a size: write width x height, such as 1920x1080.")
                    .arg(trimmed));
        }
        const BenchmarkSize size{match.captured(1).toLongLong(), match.captured(2).toLongLong()};
        if (size.width < 1 || size.height < 1) {
            return std::unexpected(
                ChoicesWords::tr("“%1” has no pixels: width and height are at least 1.").arg(trimmed));
        }
        if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
    }
    return sizes;
}

std::expected<ChosenMatrix, std::vector<MatrixProblem>> toMatrix(const MatrixChoices& choices,
                                                                 const MatrixContext& context) {
    if (auto problems = problemsOf(choices, context); !problems.empty()) {
        return std::unexpected(std::move(problems));
    }
    ChosenMatrix chosen{.matrix = matrixOf(choices, context)};
    const auto cases = expand(chosen.matrix);
    if (!cases) {
        return std::unexpected(
            std::vector<MatrixProblem>{{MatrixField::run, sentence(cases.error().message)}});
    }
    chosen.cases = cases->size();
    chosen.seconds = estimated_seconds(chosen.matrix);
    return chosen;
}

MatrixChoices applied(MatrixPreset preset, MatrixChoices choices) {
    const MatrixChoices standard;
    choices.customSizes.clear();
    choices.sizes = standard.sizes;
    choices.filterIds = standard.filterIds;
    choices.pools = standard.pools;
    choices.borders = standard.borders;
    choices.precisions = standard.precisions;
    choices.warmup = standard.warmup;
    choices.iterations = standard.iterations;
    switch (preset) {
        case MatrixPreset::smoke:
            choices.sizes = {{512, 512}};
            choices.precisions = {iir2d::Precision::f32};
            choices.warmup = 2;
            choices.iterations = 10;
            break;
        case MatrixPreset::standard:
            break;
        case MatrixPreset::full:
            choices.filterIds.clear();
            for (const iir2d::FilterRow& row : iir2d::filter_table()) choices.filterIds.push_back(row.id);
            choices.pools.ops.assign(offered_pools.begin(), offered_pools.end());
            choices.pools.elements = {iir2d::ElementType::f32, iir2d::ElementType::f64,
                                      iir2d::ElementType::f16, iir2d::ElementType::bf16};
            choices.pools.passes = {PoolPass::forward, PoolPass::backward};
            choices.precisions = {iir2d::Precision::f32, iir2d::Precision::mixed, iir2d::Precision::f64};
            choices.borders = {iir2d::Border::clamp, iir2d::Border::mirror, iir2d::Border::wrap,
                               iir2d::Border::constant};
            choices.sizes = {{512, 512}, {1024, 1024}, {2048, 2048}};
            break;
    }
    return choices;
}

QString durationText(double seconds) {
    if (seconds < 1.0) return ChoicesWords::tr("less than 1 s");
    if (seconds < 90.0) return ChoicesWords::tr("about %1 s").arg(qRound(seconds));
    if (seconds < 90.0 * 60.0) return ChoicesWords::tr("about %1 min").arg(qRound(seconds / 60.0));
    return ChoicesWords::tr("about %1 h").arg(seconds / 3600.0, 0, 'f', 1);
}

}  // namespace workbench
