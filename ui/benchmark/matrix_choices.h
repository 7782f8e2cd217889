// SPDX-License-Identifier: MIT
// Holds what is chosen in the benchmark form, and makes a BenchmarkMatrix of it without a widget. Pure.
#pragma once

#include <QString>
#include <array>
#include <expected>
#include <vector>

#include "core/benchmark/benchmark.h"

namespace workbench {

// Holds the choices for pooling. Every operation is run in every element type and pass.
struct PoolChoices {
    std::vector<iir2d::PoolOp> ops;
    int window = 2;  // square
    int stride = 0;  // 0: the window
    int output = 7;  // of adaptive operations: square
    std::vector<iir2d::ElementType> elements = {iir2d::ElementType::f32};
    std::vector<PoolPass> passes = {PoolPass::forward};
    friend bool operator==(const PoolChoices&, const PoolChoices&) = default;
};

struct MatrixChoices {
    enum class Source { synthetic, image };

    Source source = Source::synthetic;
    std::vector<BenchmarkSize> sizes = {{512, 512}, {1024, 1024}, {2048, 2048}};
    QString customSizes;  // "1920x1080, 640x480", beside `sizes`
    std::vector<int> filterIds = {1, 4, 8};
    PoolChoices pools;
    bool recipe = false;
    std::vector<iir2d::Border> borders = {iir2d::Border::mirror};
    std::vector<iir2d::Precision> precisions = {iir2d::Precision::f32, iir2d::Precision::mixed};
    QString device = QStringLiteral("auto");
    int threads = 0;  // 0: all
    int warmup = 10;
    int iterations = 50;
    friend bool operator==(const MatrixChoices&, const MatrixChoices&) = default;
};

inline constexpr std::array offered_sizes = {512, 1024, 2048, 4096};
inline constexpr std::array offered_pools = {iir2d::PoolOp::max, iir2d::PoolOp::avg, iir2d::PoolOp::lp,
                                             iir2d::PoolOp::adaptive_max, iir2d::PoolOp::adaptive_avg};

// The image and recipe that the form is about to run, from the session.
struct MatrixContext {
    ImagePtr image;
    Recipe recipe;
};

// The part of the form that a problem is shown at.
enum class MatrixField { sizes, work, pools, recipe, borders, precisions, device, run };

struct MatrixProblem {
    MatrixField field = MatrixField::run;
    QString text;
};

// Reads "1920x1080, 640 × 480": commas or semicolons between; an empty text is no size.
std::expected<std::vector<BenchmarkSize>, QString> parseSizes(const QString& text);

// The matrix and its number of cases, or every problem that there is. Validates through core.
struct ChosenMatrix {
    BenchmarkMatrix matrix;
    std::size_t cases = 0;
    double seconds = 0;  // estimated
};
std::expected<ChosenMatrix, std::vector<MatrixProblem>> toMatrix(const MatrixChoices& choices,
                                                                 const MatrixContext& context);

// Returns the choices with what a preset puts in place of everything but source, recipe, device and threads.
enum class MatrixPreset { smoke, standard, full };
MatrixChoices applied(MatrixPreset preset, MatrixChoices choices);

// Returns "about 20 s", "about 3 min".
QString durationText(double seconds);

}  // namespace workbench
