// SPDX-License-Identifier: MIT
#include "ui/picture/image_view.h"

#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/ui/own_time.h"
#include "tests/ui/patience.h"
#include "tests/ui/picture/view_testing.h"

namespace workbench {
namespace {

using testing::gradient;

class ImageViewTest : public ::testing::Test {
  protected:
    void SetUp() override {
        view.resize(400, 300);
        view.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
    }
    void open(std::int64_t w, std::int64_t h) {
        source = std::make_shared<const Image>(gradient(w, h, 0.0F));
        view.setSource(source);
        view.setResult(std::make_shared<const Image>(gradient(w, h, 1.0F)), QSize(int(w), int(h)));
    }
    QImage shown() {
        EXPECT_TRUE(QTest::qWaitFor(
            [&] {
                view.repaint();
                return view.isSettled();
            },
            patience_ms));
        return view.grab().toImage();
    }
    void wheel(QPointF at, int notches) {
        QWheelEvent event(at, view.mapToGlobal(at), QPoint(), QPoint(0, 120 * notches), Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&view, &event);
    }

    ImageView view;
    ImagePtr source;
};

TEST_F(ImageViewTest, WheelZoomsAtTheCursor) {
    open(2000, 1500);
    view.actualSize();
    const QPointF cursor(123, 77);
    const QPointF before = view.transform().toImage(cursor);
    wheel(cursor, 3);
    EXPECT_NEAR(view.transform().zoom(), 2.0, 1e-9);
    EXPECT_NEAR(view.transform().toImage(cursor).x(), before.x(), 0.5);
    EXPECT_NEAR(view.transform().toImage(cursor).y(), before.y(), 0.5);
    wheel(cursor, -3);
    EXPECT_NEAR(view.transform().zoom(), 1.0, 1e-9);
    EXPECT_NEAR(view.transform().toImage(cursor).x(), before.x(), 1.0);
}

TEST_F(ImageViewTest, DragPans) {
    open(2000, 1500);
    view.actualSize();
    const QPointF before = view.transform().topLeft();
    QTest::mousePress(&view, Qt::LeftButton, {}, {200, 150});
    QTest::mouseMove(&view, {170, 160});
    QTest::mouseRelease(&view, Qt::LeftButton, {}, {170, 160});
    EXPECT_EQ(view.transform().topLeft(), before + QPointF(30, -10));
}

TEST_F(ImageViewTest, KeysPan) {
    open(2000, 1500);
    view.actualSize();
    const QPointF before = view.transform().topLeft();
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(view.transform().topLeft(), before + QPointF(64, 64));
    QTest::keyClick(&view, Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(view.transform().topLeft(), before + QPointF(64 - 320, 64));
}

TEST_F(ImageViewTest, DoubleClickTogglesFitAndActualSize) {
    open(2000, 1500);
    EXPECT_TRUE(view.transform().isFitted());
    QTest::mouseDClick(&view, Qt::LeftButton, {}, {100, 100});
    EXPECT_DOUBLE_EQ(view.transform().zoom(), 1.0);
    QTest::mouseDClick(&view, Qt::LeftButton, {}, {100, 100});
    EXPECT_TRUE(view.transform().isFitted());
}

TEST_F(ImageViewTest, SplitShowsTheSourceOnItsLeftAndFollowsTheMouse) {
    open(400, 300);
    view.setSplit(true);
    QImage picture = shown();
    EXPECT_EQ(qBlue(picture.pixel(100, 20)), 0) << "left: the source";
    EXPECT_EQ(qBlue(picture.pixel(300, 20)), 255) << "right: the result";
    QTest::mousePress(&view, Qt::LeftButton, {}, {200, 100});
    QTest::mouseMove(&view, {320, 100});
    QTest::mouseRelease(&view, Qt::LeftButton, {}, {320, 100});
    EXPECT_DOUBLE_EQ(view.splitPosition(), 0.8);
    picture = shown();
    EXPECT_EQ(qBlue(picture.pixel(300, 20)), 0);
    EXPECT_EQ(qBlue(picture.pixel(360, 20)), 255);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Left, Qt::ControlModifier);
    EXPECT_NEAR(view.splitPosition(), 0.78, 1e-9);
}

TEST_F(ImageViewTest, SpaceDragsThePictureOverTheSplit) {
    open(2000, 1500);
    view.actualSize();
    view.setSplit(true);
    const QPointF before = view.transform().topLeft();
    QTest::keyPress(&view, Qt::Key_Space);
    QTest::mousePress(&view, Qt::LeftButton, {}, {200, 100});
    QTest::mouseMove(&view, {210, 100});
    QTest::mouseRelease(&view, Qt::LeftButton, {}, {210, 100});
    QTest::keyRelease(&view, Qt::Key_Space);
    EXPECT_DOUBLE_EQ(view.splitPosition(), 0.5);
    EXPECT_EQ(view.transform().topLeft(), before - QPointF(10, 0));
}

TEST_F(ImageViewTest, HoldingOShowsTheOriginal) {
    open(400, 300);
    view.setFocus();
    EXPECT_EQ(qBlue(shown().pixel(300, 20)), 255);
    QTest::keyPress(&view, Qt::Key_O);
    EXPECT_TRUE(view.showsOriginal());
    EXPECT_EQ(qBlue(shown().pixel(300, 20)), 0);
    QTest::keyRelease(&view, Qt::Key_O);
    EXPECT_FALSE(view.showsOriginal());
    EXPECT_EQ(qBlue(shown().pixel(300, 20)), 255);
}

TEST_F(ImageViewTest, LosingTheFocusEndsWhatKeysHold) {
    open(400, 300);
    view.setFocus();
    QTest::keyPress(&view, Qt::Key_O);
    view.clearFocus();
    EXPECT_FALSE(view.showsOriginal());
}

TEST_F(ImageViewTest, ReadsThePixelUnderTheMouse) {
    open(400, 300);
    QSignalSpy changed(&view, &ImageView::probeChanged);
    QTest::mouseMove(&view, {31, 12});
    ASSERT_TRUE(view.probedPixel());
    EXPECT_EQ(*view.probedPixel(), QPoint(31, 12));
    EXPECT_GE(changed.count(), 1);
    view.zoomTo(4.0);
    QTest::mouseMove(&view, {200, 150});
    EXPECT_EQ(*view.probedPixel(), QPoint(200, 150)) << "the middle stays where it is";
}

TEST_F(ImageViewTest, ThePixelGridIsDrawnBetweenPixelsFarIn) {
    open(40, 30);
    view.zoomTo(20.0);
    const QImage with = shown();
    view.setPixelGrid(false);
    const QImage without = shown();
    EXPECT_NE(with, without);
    // Inside a pixel nothing is drawn.
    const QPoint inside = view.transform().toView(QPointF(20.5, 15.5)).toPoint() + QPoint(3, 3);
    EXPECT_EQ(with.pixel(inside), without.pixel(inside));
    view.zoomTo(4.0);
    view.setPixelGrid(true);
    const QImage far = shown();
    view.setPixelGrid(false);
    EXPECT_EQ(far, shown()) << "not drawn below 800 %";
}

// A pooled result covers the area of its source, also when the axes shrink differently.
TEST_F(ImageViewTest, ASmallerResultCoversTheSource) {
    source = std::make_shared<const Image>(gradient(400, 300, 0.0F));
    view.setSource(source);
    view.setResult(std::make_shared<const Image>(gradient(100, 150, 1.0F)), QSize(100, 150));
    const QImage picture = shown();
    for (const QPoint at : {QPoint(3, 3), QPoint(396, 3), QPoint(3, 296), QPoint(396, 290)}) {
        EXPECT_EQ(qBlue(picture.pixel(at)), 255) << at.x() << "," << at.y();
    }
    EXPECT_NEAR(qRed(picture.pixel(300, 100)), qRed(view.grab().toImage().pixel(300, 100)), 0);
    EXPECT_NEAR(qRed(picture.pixel(300, 100)), 300 * 255 / 400, 4);
    EXPECT_NEAR(qGreen(picture.pixel(300, 100)), 100 * 255 / 300, 4);
}

TEST_F(ImageViewTest, AnotherSizeIsFittedTheSameSizeKeepsTheView) {
    open(2000, 1500);
    view.zoomTo(3.0);
    open(2000, 1500);
    EXPECT_DOUBLE_EQ(view.transform().zoom(), 3.0) << "the next page at the same place";
    open(1000, 700);
    EXPECT_TRUE(view.transform().isFitted());
}

TEST_F(ImageViewTest, ExposureBrightens) {
    open(400, 300);
    const int before = qRed(shown().pixel(100, 100));
    view.setDisplayOptions({.exposure_stops = 1.0});
    EXPECT_NEAR(qRed(shown().pixel(100, 100)), 2 * before, 3);
}

TEST_F(ImageViewTest, AnEmptyViewTakesEverything) {
    view.setSource(nullptr);
    view.zoomIn();
    view.zoomOut();
    view.fit();
    view.setSplit(true);
    wheel({10, 10}, 1);
    QTest::mouseClick(&view, Qt::LeftButton, {}, {5, 5});
    QTest::keyClick(&view, Qt::Key_Left);
    EXPECT_FALSE(view.probedPixel());
    EXPECT_FALSE(view.grab().isNull());
}

// A large picture is drawn in the background: asking for it, and panning it, takes no time.
TEST_F(ImageViewTest, DrawingALargePictureDoesNotBlock) {
    view.resize(1600, 1000);
    open(5000, 4000);
    double longest = 0;
    for (int i = 0; i < 40; ++i) {
        const double before = ownMilliseconds();
        view.zoomTo(0.2 + i * 0.05);
        view.repaint();
        longest = std::max(longest, ownMilliseconds() - before);
        QTest::qWait(1);
    }
    EXPECT_LT(longest, 400) << "ms; generous, for a sanitizer";
    shown();
}

}  // namespace
}  // namespace workbench
