// SPDX-License-Identifier: MIT
// From the form's choices to a matrix, without a widget.
#include "ui/benchmark/matrix_choices.h"

#include <gmock/gmock.h>

namespace workbench {
namespace {

using ::testing::ElementsAre;

std::vector<MatrixField> fieldsOf(const MatrixChoices& choices, const MatrixContext& context = {}) {
    const auto matrix = toMatrix(choices, context);
    std::vector<MatrixField> fields;
    if (!matrix) {
        for (const MatrixProblem& problem : matrix.error()) {
            EXPECT_FALSE(problem.text.isEmpty());
            fields.push_back(problem.field);
        }
    }
    return fields;
}

ImagePtr smallImage() {
    auto image = std::make_shared<Image>();
    image->pixels = PlanarImage(20, 10, 3, iir2d::ElementType::f32);
    return image;
}

TEST(ParseSizes, ReadsWhatPeopleWrite) {
    const auto sizes = parseSizes(QStringLiteral("1920x1080, 640 × 480;7X5,, 1920x1080 "));
    ASSERT_TRUE(sizes);
    EXPECT_THAT(*sizes, ElementsAre(BenchmarkSize{1920, 1080}, BenchmarkSize{640, 480}, BenchmarkSize{7, 5}));
    EXPECT_TRUE(parseSizes(QString())->empty());
    EXPECT_TRUE(parseSizes(QStringLiteral(" , "))->empty());
}

TEST(ParseSizes, NamesWhatItCannotRead) {
    for (const char* wrong : {"12", "12x", "x12", "12x13x14", "-1x5", "1.5x2", "a×b", "12345678901x1"}) {
        const auto sizes = parseSizes(QString::fromUtf8(wrong));
        ASSERT_FALSE(sizes) << wrong;
        EXPECT_TRUE(sizes.error().contains(QString::fromUtf8(wrong))) << sizes.error().toStdString();
    }
    ASSERT_FALSE(parseSizes(QStringLiteral("0x5")));
    EXPECT_TRUE(parseSizes(QStringLiteral("0x5")).error().contains(QStringLiteral("no pixels")));
}

TEST(ToMatrix, DefaultsAreTheStandardMatrix) {
    const auto chosen = toMatrix(MatrixChoices{}, {});
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->cases, 18U);  // 3 sizes, 3 filters, 2 precisions
    EXPECT_GT(chosen->seconds, 0.0);
    EXPECT_DOUBLE_EQ(chosen->seconds, estimated_seconds(chosen->matrix));
    EXPECT_EQ(chosen->matrix.iterations, 50);
    EXPECT_EQ(chosen->matrix.warmup, 10);
    EXPECT_EQ(chosen->matrix.device, "auto");
    EXPECT_FALSE(chosen->matrix.image);
    EXPECT_FALSE(chosen->matrix.recipe);
}

TEST(ToMatrix, CarriesEveryChoice) {
    MatrixChoices c;
    c.sizes = {{512, 512}};
    c.customSizes = QStringLiteral("30x20, 512x512");
    c.filterIds = {2, 5};
    c.pools.ops = {iir2d::PoolOp::lp};
    c.pools.window = 3;
    c.borders = {iir2d::Border::wrap};
    c.precisions = {iir2d::Precision::f64};
    c.device = QStringLiteral("cpu");
    c.threads = 1;
    c.warmup = 0;
    c.iterations = 7;
    const auto chosen = toMatrix(c, {});
    ASSERT_TRUE(chosen);
    const BenchmarkMatrix& m = chosen->matrix;
    EXPECT_THAT(m.sizes, ElementsAre(BenchmarkSize{512, 512}, BenchmarkSize{30, 20}));
    EXPECT_THAT(m.filter_ids, ElementsAre(2, 5));
    ASSERT_EQ(m.pools.size(), 1U);
    EXPECT_EQ(m.pools[0].op, iir2d::PoolOp::lp);
    EXPECT_EQ(m.pools[0].window, (iir2d::Extent{3, 3}));
    EXPECT_THAT(m.borders, ElementsAre(iir2d::Border::wrap));
    EXPECT_THAT(m.precisions, ElementsAre(iir2d::Precision::f64));
    EXPECT_EQ(m.device, "cpu");
    EXPECT_EQ(m.threads, 1);
    EXPECT_EQ(m.warmup, 0);
    EXPECT_EQ(m.iterations, 7);
    EXPECT_EQ(chosen->cases, 6U);
}

TEST(ToMatrix, CarriesEveryChoiceOfPooling) {
    MatrixChoices c;
    c.sizes = {{512, 512}};
    c.filterIds = {};
    c.pools = {.ops = {iir2d::PoolOp::avg, iir2d::PoolOp::adaptive_max},
               .window = 3,
               .stride = 2,
               .output = 9,
               .elements = {iir2d::ElementType::f16, iir2d::ElementType::bf16},
               .passes = {PoolPass::forward, PoolPass::backward}};
    const auto chosen = toMatrix(c, {});
    ASSERT_TRUE(chosen);
    const BenchmarkMatrix& m = chosen->matrix;
    EXPECT_EQ(chosen->cases, 8U);
    ASSERT_EQ(m.pools.size(), 2U);
    EXPECT_EQ(m.pools[0].window, (iir2d::Extent{3, 3}));
    EXPECT_EQ(m.pools[0].stride, (iir2d::Extent{2, 2}));
    EXPECT_EQ(m.pools[1], (PoolOperation{.op = iir2d::PoolOp::adaptive_max, .output = {9, 9}}));
    EXPECT_EQ(m.pool_elements, c.pools.elements);
    EXPECT_EQ(m.pool_passes, c.pools.passes);

    c.pools.elements = {};
    c.pools.passes = {};
    EXPECT_THAT(fieldsOf(c), ElementsAre(MatrixField::pools, MatrixField::pools));
    c.pools.ops = {};  // then neither matters
    EXPECT_THAT(fieldsOf(c), ElementsAre(MatrixField::work));
}

TEST(ToMatrix, RunsOnTheOpenImageAndRecipe) {
    MatrixChoices c;
    c.source = MatrixChoices::Source::image;
    c.customSizes = QStringLiteral("nonsense");  // of the other source: does not matter
    c.filterIds = {};
    c.recipe = true;
    const MatrixContext context{.image = smallImage(),
                                .recipe = {.operations = {{.what = FilterOperation{}}}}};
    const auto chosen = toMatrix(c, context);
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->cases, 1U);
    EXPECT_EQ(chosen->matrix.image, context.image);
    ASSERT_TRUE(chosen->matrix.recipe);
    EXPECT_EQ(*chosen->matrix.recipe, context.recipe);
}

TEST(ToMatrix, SaysEveryProblemWhereItIs) {
    MatrixChoices c;
    c.sizes = {};
    c.borders = {};
    c.precisions = {};
    EXPECT_THAT(fieldsOf(c), ElementsAre(MatrixField::sizes, MatrixField::borders, MatrixField::precisions));
    c.filterIds = {};  // borders and precisions are the filters'
    EXPECT_THAT(fieldsOf(c), ElementsAre(MatrixField::sizes, MatrixField::work));

    MatrixChoices onImage;
    onImage.source = MatrixChoices::Source::image;
    EXPECT_THAT(fieldsOf(onImage), ElementsAre(MatrixField::sizes));
    MatrixChoices recipe;
    recipe.recipe = true;
    EXPECT_THAT(fieldsOf(recipe), ElementsAre(MatrixField::recipe));
    MatrixChoices typo;
    typo.customSizes = QStringLiteral("12y13");
    EXPECT_THAT(fieldsOf(typo), ElementsAre(MatrixField::sizes));
}

TEST(ToMatrix, PassesOnWhatCoreRefuses) {
    MatrixChoices huge;
    huge.customSizes = QStringLiteral("900000x900000");  // no machine has the memory
    EXPECT_THAT(fieldsOf(huge), ElementsAre(MatrixField::run));
    MatrixChoices window;
    window.source = MatrixChoices::Source::image;
    window.filterIds = {};
    window.pools.ops = {iir2d::PoolOp::max};
    window.pools.window = 64;  // larger than the image
    EXPECT_THAT(fieldsOf(window, {.image = smallImage()}), ElementsAre(MatrixField::run));
}

TEST(Presets, LeaveSourceRecipeAndDeviceAlone) {
    MatrixChoices c;
    c.source = MatrixChoices::Source::image;
    c.recipe = true;
    c.device = QStringLiteral("cpu");
    c.threads = 2;
    for (const auto preset : {MatrixPreset::smoke, MatrixPreset::standard, MatrixPreset::full}) {
        const MatrixChoices next = applied(preset, c);
        EXPECT_EQ(next.source, c.source);
        EXPECT_TRUE(next.recipe);
        EXPECT_EQ(next.device, c.device);
        EXPECT_EQ(next.threads, 2);
    }
    EXPECT_EQ(applied(MatrixPreset::standard, MatrixChoices{}), MatrixChoices{});
    const auto smoke = toMatrix(applied(MatrixPreset::smoke, {}), {});
    const auto full = toMatrix(applied(MatrixPreset::full, {}), {});
    ASSERT_TRUE(smoke);
    ASSERT_TRUE(full);
    EXPECT_EQ(smoke->cases, 3U);
    EXPECT_EQ(full->cases, 3U * (8 * 4 * 3 + 5 * 4 * 2));
    EXPECT_LT(smoke->seconds, 5.0);
}

TEST(DurationText, FitsItsLength) {
    EXPECT_EQ(durationText(0.2).toStdString(), "less than 1 s");
    EXPECT_EQ(durationText(21.4).toStdString(), "about 21 s");
    EXPECT_EQ(durationText(600).toStdString(), "about 10 min");
    EXPECT_EQ(durationText(9000).toStdString(), "about 2.5 h");
}

}  // namespace
}  // namespace workbench
