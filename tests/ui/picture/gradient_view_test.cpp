// SPDX-License-Identifier: MIT
#include "ui/picture/gradient_view.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QCoreApplication>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "tests/ui/patience.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/view_bar.h"
#include "ui/session/session.h"
#include "ui/widgets/message_bar.h"

namespace workbench {
namespace {

class GradientViewTest : public ::testing::Test {
  protected:
    void SetUp() override {
        page.resize(500, 400);
        page.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
        QSignalSpy opened(&session, &Session::imageChanged);
        session.openImage(
            QString::fromStdString((resource_directory() / "samples" / "astronaut.png").string()));
        ASSERT_TRUE(opened.count() > 0 || opened.wait(patience_ms));
        session.resetRecipe(
            {.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::avg, .window = {2, 3}}}}});
        page.view().zoomTo(50.0);
        // Over some pixel of the picture.
        QTest::mouseMove(&page.view(), {200, 150});
        ASSERT_TRUE(QTest::qWaitFor([&] { return page.view().probedPixel().has_value(); }, patience_ms));
    }

    Session session;
    ImagePage page{session};
};

TEST_F(GradientViewTest, PaintsTheWindowOfThePixelUnderTheCursor) {
    EXPECT_TRUE(page.view().gradientMarks().empty()) << "off unless asked for";
    const QImage before = page.view().grab().toImage();
    page.viewBar().gradientAction()->trigger();
    ASSERT_EQ(page.view().gradientMarks().size(), 6U);
    const QPoint probe = *page.view().probedPixel();
    QRectF window;
    for (const GradientMark& mark : page.view().gradientMarks()) {
        EXPECT_NEAR(mark.weight, 1.0 / 6.0, 1e-6);
        window = window.united(mark.area);
    }
    EXPECT_EQ(window.size(), QSizeF(3, 2));
    EXPECT_TRUE(window.contains(QPointF(probe) + QPointF(0.5, 0.5)));
    EXPECT_NE(page.view().grab().toImage(), before);
    // It follows the cursor and the recipe, and goes when switched off.
    const auto first = page.view().gradientMarks();
    QTest::mouseMove(&page.view(), {400, 300});
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.view().gradientMarks() != first; }, patience_ms));
    session.resetRecipe(
        {.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::max, .window = {4, 4}}}}});
    EXPECT_EQ(page.view().gradientMarks().size(), 16U);
    double sum = 0;
    for (const GradientMark& mark : page.view().gradientMarks()) sum += mark.weight;
    EXPECT_NEAR(sum, 1.0, 1e-9) << "each channel has one maximum";
    page.viewBar().gradientAction()->trigger();
    EXPECT_TRUE(page.view().gradientMarks().empty());
}

TEST_F(GradientViewTest, SaysWhyThereIsNothingToSee) {
    page.viewBar().gradientAction()->trigger();
    session.resetRecipe({.operations = {{.what = FilterOperation{}}}});
    EXPECT_TRUE(page.view().gradientMarks().empty());
    EXPECT_TRUE(page.gradientView().reason().contains(QStringLiteral("No pooling operation")));
    session.resetRecipe(
        {.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::avg, .window = {2, 3}}}}});
    EXPECT_TRUE(page.gradientView().reason().isEmpty());
    EXPECT_EQ(page.view().gradientMarks().size(), 6U);
    session.resetRecipe({.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::adaptive_avg}}}});
    EXPECT_TRUE(page.gradientView().reason().contains(QStringLiteral("more than can be shown apart")));
}

// With operations before it, a pooling reads what they leave: here a quarter of the picture.
TEST_F(GradientViewTest, FollowsTheSelectedPoolingInARecipe) {
    page.viewBar().gradientAction()->trigger();
    const Operation filter{.what = FilterOperation{.filter_id = 6}};
    const Operation halves{.what = PoolOperation{.op = iir2d::PoolOp::avg, .window = {2, 2}}};
    const Operation lp{.what = PoolOperation{.op = iir2d::PoolOp::lp, .window = {3, 3}}};
    session.resetRecipe({.operations = {filter, halves, lp, filter}});
    PoolInput& input = page.gradientView().input();
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return input.input()->pixels.width() == session.image()->pixels.width() / 2; }, patience_ms));
    EXPECT_EQ(page.view().gradientMarks().size(), 9U);
    EXPECT_EQ(input.operationName().toStdString(), "3. Lp pooling");
    QRectF window;
    for (const GradientMark& mark : page.view().gradientMarks()) window = window.united(mark.area);
    EXPECT_EQ(window.size(), QSizeF(6, 6)) << "samples of half the size, in the picture's pixels";
    EXPECT_TRUE(window.adjusted(-3, -3, 3, 3).contains(QPointF(*page.view().probedPixel())));
    // The numbers are those of what enters: the filtered and halved picture.
    const auto before = apply({.operations = {filter, halves}}, *session.image(), *iir2d::Device::cpu(1));
    ASSERT_TRUE(before);
    EXPECT_EQ(pixel_hash(input.input()->pixels), pixel_hash(before->pixels));

    input.setSelected(1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.view().gradientMarks().size() == 4; }, patience_ms));
    EXPECT_EQ(input.operationName().toStdString(), "2. Average pooling");
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return input.input()->pixels.width() == session.image()->pixels.width(); }, patience_ms));
    input.setSelected(0);  // does not pool: the last one that does
    EXPECT_EQ(input.operationName().toStdString(), "3. Lp pooling");
    page.viewBar().gradientAction()->trigger();
    EXPECT_FALSE(input.input()) << "nobody looks: the memory is free";
}

TEST_F(GradientViewTest, SumsAPaintedGradient) {
    session.resetRecipe(
        {.operations = {{.what = PoolOperation{
                             .op = iir2d::PoolOp::avg, .window = {2, 2}, .stride = iir2d::Extent{1, 1}}}}});
    QSignalSpy changed(&page.gradientView(), &GradientView::paintedChanged);
    QTest::mouseClick(&page.view(), Qt::LeftButton, Qt::ControlModifier, {200, 150});
    EXPECT_TRUE(page.gradientView().painted().empty()) << "strokes paint only while the gradient is shown";
    page.viewBar().gradientAction()->trigger();
    QTest::mouseClick(&page.view(), Qt::LeftButton, Qt::ControlModifier, {200, 150});
    ASSERT_EQ(page.gradientView().painted().size(), 1U);
    EXPECT_EQ(changed.size(), 1);
    const QPointF at = page.view().transform().topLeft();
    QTest::mouseClick(&page.view(), Qt::LeftButton, Qt::ControlModifier, {250, 150});
    ASSERT_EQ(page.gradientView().painted().size(), 2U);
    EXPECT_EQ(page.view().transform().topLeft(), at) << "a stroke does not pan";
    EXPECT_EQ(page.view().gradientPicture().painted.size(), 2U);
    // Two windows of 2 x 2 that share two samples.
    ASSERT_EQ(page.view().gradientMarks().size(), 6U);
    double largest = 0;
    double sum = 0;
    for (const GradientMark& mark : page.view().gradientMarks()) {
        largest = std::max(largest, mark.weight);
        sum += mark.weight;
    }
    EXPECT_NEAR(largest, 0.5, 1e-9);
    EXPECT_NEAR(sum, 2.0, 1e-9);
    EXPECT_TRUE(page.view().gradientPicture().caption.contains(QStringLiteral("2 painted")));
    EXPECT_TRUE(page.view().accessibleDescription().contains(page.view().gradientPicture().caption));
    // The cursor no longer matters, the parameters do.
    const GradientPicture before = page.view().gradientPicture();
    QTest::mouseMove(&page.view(), {100, 100});
    EXPECT_EQ(page.view().gradientPicture(), before);
    session.resetRecipe(
        {.operations = {{.what = PoolOperation{
                             .op = iir2d::PoolOp::avg, .window = {3, 3}, .stride = iir2d::Extent{1, 1}}}}});
    EXPECT_EQ(page.view().gradientMarks().size(), 12U);
    session.resetRecipe(
        {.operations = {{.what = PoolOperation{
                             .op = iir2d::PoolOp::avg, .window = {2, 2}, .stride = iir2d::Extent{1, 1}}}}});
    // The same again takes it away; with Shift it turns round.
    QTest::mouseClick(&page.view(), Qt::LeftButton, Qt::ControlModifier, {250, 150});
    EXPECT_EQ(page.gradientView().painted().size(), 1U);
    QTest::mouseClick(&page.view(), Qt::LeftButton, Qt::ControlModifier | Qt::ShiftModifier, {200, 150});
    ASSERT_EQ(page.gradientView().painted().size(), 1U);
    EXPECT_EQ(page.gradientView().painted()[0].gradient, -1.0);
    for (const GradientMark& mark : page.view().gradientMarks()) EXPECT_LT(mark.weight, 0.0);
    page.viewBar().clearPaintedAction()->trigger();
    EXPECT_TRUE(page.gradientView().painted().empty());
    EXPECT_EQ(page.view().gradientMarks().size(), 4U) << "the pixel under the cursor again";
}

TEST_F(GradientViewTest, PaintsStrokesAndByKeyboard) {
    page.viewBar().gradientAction()->trigger();
    QTest::mousePress(&page.view(), Qt::LeftButton, Qt::ControlModifier, {100, 100});
    QMouseEvent move(QEvent::MouseMove, QPointF(400, 100), page.view().mapToGlobal(QPointF(400, 100)),
                     Qt::NoButton, Qt::LeftButton, Qt::ControlModifier);
    QCoreApplication::sendEvent(&page.view(), &move);
    QTest::mouseRelease(&page.view(), Qt::LeftButton, Qt::ControlModifier, {400, 100});
    EXPECT_GE(page.gradientView().painted().size(), 2U) << "all between the two events";
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return page.view().gradientPicture().painted.size() == page.gradientView().painted().size(); },
        patience_ms));
    const std::size_t strokes = page.gradientView().painted().size();
    const iir2d::Shape pooled = *validate(session.recipe(), session.image()->pixels.view().shape);
    EXPECT_LT(std::int64_t(strokes), pooled.w);

    page.viewBar().clearPaintedAction()->trigger();
    page.viewBar().gradientAction()->trigger();
    page.viewBar().paintAction()->trigger();
    EXPECT_TRUE(page.gradientView().isShown()) << "painting shows what it paints";
    EXPECT_EQ(page.gradientView().painted().size(), 1U);
    page.viewBar().paintNegativeAction()->trigger();
    EXPECT_EQ(page.gradientView().painted()[0].gradient, -1.0);
    page.viewBar().paintNegativeAction()->trigger();
    EXPECT_TRUE(page.gradientView().painted().empty());
    // Another picture has none of this one's.
    page.viewBar().paintAction()->trigger();
    QSignalSpy opened(&session, &Session::imageChanged);
    session.openImage(QString::fromStdString((resource_directory() / "samples" / "rocket.jpg").string()));
    ASSERT_TRUE(opened.wait(patience_ms));
    EXPECT_FALSE(page.gradientView().hasPainted());
}

TEST_F(GradientViewTest, MarksWhatAMaximumTakesAtAnyZoom) {
    session.resetRecipe({.operations = {{.what = PoolOperation{}}}});
    const QImage plain = page.view().grab().toImage();
    page.viewBar().argmaxAction()->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.view().argmax() != nullptr; }, patience_ms));
    const auto argmax = page.view().argmax();
    EXPECT_EQ(argmax->width(), session.image()->pixels.width());
    EXPECT_NEAR(argmax->share(), 0.25, 1e-6) << "one of four, in every channel";
    for (const double zoom : {50.0, 3.0, 1.0, 0.25}) {
        page.view().zoomTo(zoom);
        const QImage marked = page.view().grab().toImage();
        page.view().setArgmax(nullptr, {});
        EXPECT_NE(page.view().grab().toImage(), marked) << zoom;
        page.view().setArgmax(argmax, QStringLiteral("x"));
    }
    session.resetRecipe({.operations = {{.what = PoolOperation{.window = {4, 4}}}}});
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.view().argmax() && page.view().argmax()->share() < 0.1; },
                                patience_ms));
    session.resetRecipe({.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::avg}}}});
    EXPECT_FALSE(page.view().argmax());
    EXPECT_TRUE(page.gradientView().reason().contains(QStringLiteral("choose a maximum")));
    page.viewBar().argmaxAction()->trigger();
    EXPECT_TRUE(page.gradientView().reason().isEmpty());
}

TEST_F(GradientViewTest, ShowsTheInputInPlaceOfTheOriginal) {
    const Operation dark{.what = PoolOperation{.op = iir2d::PoolOp::avg, .divisor_override = 100}};
    session.resetRecipe({.operations = {dark, {.what = PoolOperation{}}}});
    page.view().showOriginal(true);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.view().isSettled(); }, patience_ms));
    page.viewBar().argmaxAction()->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.view().argmax() != nullptr; }, patience_ms));
    // Far from the argmax's caption and the mark.
    const auto brightness = [this] {
        page.view().setArgmax(nullptr, {});
        EXPECT_TRUE(QTest::qWaitFor(
            [&] {
                page.view().grab();
                return page.view().isSettled();
            },
            patience_ms));
        const QImage picture = page.view().grab().toImage();
        int sum = 0;
        for (int x = 100; x < 400; ++x) sum += qGray(picture.pixel(x, 200));
        return sum;
    };
    const int input = brightness();
    page.viewBar().argmaxAction()->trigger();
    const int source = brightness();
    EXPECT_LT(input, source / 2);
}

}  // namespace
}  // namespace workbench
