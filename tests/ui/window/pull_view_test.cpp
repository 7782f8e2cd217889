// SPDX-License-Identifier: MIT
#include "ui/window/pull_view.h"

#include <gmock/gmock.h>

#include <QAction>
#include <QSignalSpy>
#include <QTest>

#include "core/recipe/recipe.h"
#include "core/support/files.h"
#include "ui/session/session.h"
#include "ui/window/image_page.h"
#include "ui/window/image_view.h"
#include "ui/window/message_bar.h"
#include "ui/window/view_bar.h"

namespace workbench {
namespace {

class PullViewTest : public ::testing::Test {
  protected:
    void SetUp() override {
        page.resize(500, 400);
        page.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
        QSignalSpy opened(&session, &Session::imageChanged);
        session.openImage(
            QString::fromStdString((resource_directory() / "samples" / "astronaut.png").string()));
        ASSERT_TRUE(opened.count() > 0 || opened.wait(20000));
        session.resetRecipe(
            {.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::avg, .window = {2, 3}}}}});
        page.view().zoomTo(50.0);
        // Over some pixel of the picture.
        QTest::mouseMove(&page.view(), {200, 150});
        ASSERT_TRUE(QTest::qWaitFor([&] { return page.view().probedPixel().has_value(); }));
    }

    Session session;
    ImagePage page{session};
};

TEST_F(PullViewTest, PaintsTheWindowOfThePixelUnderTheCursor) {
    EXPECT_TRUE(page.view().pulls().empty()) << "off unless asked for";
    const QImage before = page.view().grab().toImage();
    page.viewBar().pullsAction()->trigger();
    ASSERT_EQ(page.view().pulls().size(), 6U);
    const QPoint probe = *page.view().probedPixel();
    QRectF window;
    for (const PullMark& mark : page.view().pulls()) {
        EXPECT_NEAR(mark.weight, 1.0 / 6.0, 1e-6);
        window = window.united(mark.area);
    }
    EXPECT_EQ(window.size(), QSizeF(3, 2));
    EXPECT_TRUE(window.contains(QPointF(probe) + QPointF(0.5, 0.5)));
    EXPECT_NE(page.view().grab().toImage(), before);
    // It follows the cursor and the recipe, and goes when switched off.
    const auto first = page.view().pulls();
    QTest::mouseMove(&page.view(), {400, 300});
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.view().pulls() != first; }));
    session.resetRecipe(
        {.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::max, .window = {4, 4}}}}});
    EXPECT_EQ(page.view().pulls().size(), 16U);
    double sum = 0;
    for (const PullMark& mark : page.view().pulls()) sum += mark.weight;
    EXPECT_NEAR(sum, 1.0, 1e-9) << "each channel has one maximum";
    page.viewBar().pullsAction()->trigger();
    EXPECT_TRUE(page.view().pulls().empty());
}

TEST_F(PullViewTest, SaysWhyThereIsNothingToSee) {
    page.viewBar().pullsAction()->trigger();
    Recipe two = session.recipe();
    two.operations.push_back({.what = FilterOperation{}});
    session.resetRecipe(two);
    EXPECT_TRUE(page.view().pulls().empty());
    EXPECT_TRUE(page.pullView().reason().contains(QStringLiteral("switch the others off")));
    two.operations[1].enabled = false;
    session.resetRecipe(two);
    EXPECT_TRUE(page.pullView().reason().isEmpty());
    EXPECT_EQ(page.view().pulls().size(), 6U);
    session.resetRecipe({.operations = {{.what = PoolOperation{.op = iir2d::PoolOp::adaptive_avg}}}});
    EXPECT_TRUE(page.pullView().reason().contains(QStringLiteral("more than can be shown apart")));
}

}  // namespace
}  // namespace workbench
