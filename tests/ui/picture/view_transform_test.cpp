// SPDX-License-Identifier: MIT
#include "ui/picture/view_transform.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace workbench {
namespace {

ViewTransform make(QSize view, QSize image) {
    ViewTransform transform;
    transform.setViewSize(view);
    transform.setImageSize(image);
    transform.fit();
    return transform;
}

TEST(ViewTransform, FitsALargeImageWhole) {
    const auto transform = make({800, 600}, {4000, 1000});
    EXPECT_DOUBLE_EQ(transform.zoom(), 0.2);
    const QRectF shown = transform.imageInView();
    EXPECT_NEAR(shown.left(), 0, 0.5);
    EXPECT_NEAR(shown.width(), 800, 1e-9);
    EXPECT_NEAR(shown.top(), 200, 0.5);
}

TEST(ViewTransform, EnlargesASmallImageByAWholeFactor) {
    EXPECT_DOUBLE_EQ(make({800, 600}, {512, 512}).zoom(), 1.0);
    EXPECT_DOUBLE_EQ(make({1100, 1100}, {512, 512}).zoom(), 2.0);
    EXPECT_DOUBLE_EQ(make({800, 600}, {1, 1}).zoom(), ViewTransform::maximumZoom);
}

TEST(ViewTransform, StaysFittedWhenTheViewGrows) {
    auto transform = make({400, 300}, {1000, 1000});
    transform.setViewSize({500, 500});
    EXPECT_TRUE(transform.isFitted());
    EXPECT_DOUBLE_EQ(transform.zoom(), 0.5);
}

TEST(ViewTransform, KeepsTheMiddleWhenTheViewGrowsAndIsNotFitted) {
    auto transform = make({400, 300}, {4000, 4000});
    transform.zoomTo(2.0, {200, 150});
    const QPointF middle = transform.toImage({200, 150});
    transform.setViewSize({600, 500});
    EXPECT_NEAR(transform.toImage({300, 250}).x(), middle.x(), 0.5);
    EXPECT_NEAR(transform.toImage({300, 250}).y(), middle.y(), 0.5);
}

// Zooming at a point on the image leaves that point under the cursor, to half a screen pixel.
TEST(ViewTransform, ZoomKeepsThePointUnderTheCursor) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (int i = 0; i < 500; ++i) {
        auto transform = make({803, 611}, {3000, 2000});
        transform.zoomTo(0.3 + 8.0 * unit(random), {400, 300});
        const QRectF shown = transform.imageInView() & QRectF(0, 0, 803, 611);
        const QPointF anchor(shown.left() + unit(random) * shown.width(),
                             shown.top() + unit(random) * shown.height());
        const QPointF before = transform.toImage(anchor);
        transform.zoomTo(0.3 + 20.0 * unit(random), anchor);
        const QPointF after = transform.toView(before);
        // Where the image is smaller than the view, staying visible may win at the far edge.
        const bool isHeld = transform.imageInView().width() > 803 && transform.imageInView().height() > 611;
        if (!isHeld) continue;
        EXPECT_NEAR(after.x(), anchor.x(), 0.5001);
        EXPECT_NEAR(after.y(), anchor.y(), 0.5001);
    }
}

TEST(ViewTransform, PanByWholePixelsIsExact) {
    auto transform = make({800, 600}, {3000, 2000});
    transform.zoomTo(1.7, {400, 300});
    const QPointF before = transform.imageInView().topLeft();
    transform.panBy({-13, 29});
    EXPECT_NEAR(transform.imageInView().left(), before.x() - 13, 1e-6);
    EXPECT_NEAR(transform.imageInView().top(), before.y() + 29, 1e-6);
}

TEST(ViewTransform, NeverLosesTheImage) {
    for (const QSize image : {QSize(1, 1), QSize(30, 4000), QSize(3000, 2000)}) {
        auto transform = make({800, 600}, image);
        transform.zoomTo(3.0, {400, 300});
        for (const QPointF far : {QPointF(1e7, 0), QPointF(-1e7, 0), QPointF(0, 1e7), QPointF(0, -1e7)}) {
            transform.panBy(far);
            const QRectF visible = transform.imageInView() & QRectF(0, 0, 800, 600);
            EXPECT_GE(visible.width(), std::min(ViewTransform::keptVisible, image.width() * 3.0) - 1.0);
            EXPECT_GE(visible.height(), std::min(ViewTransform::keptVisible, image.height() * 3.0) - 1.0);
        }
    }
}

TEST(ViewTransform, StepsThroughTheUsualZoomsAndStopsAtTheEnds) {
    auto transform = make({800, 600}, {3000, 2000});
    transform.zoomTo(1.0, {0, 0});
    transform.step(true, {0, 0});
    EXPECT_DOUBLE_EQ(transform.zoom(), 1.5);
    transform.step(false, {0, 0});
    EXPECT_DOUBLE_EQ(transform.zoom(), 1.0);
    for (int i = 0; i < 50; ++i) transform.step(true, {0, 0});
    EXPECT_DOUBLE_EQ(transform.zoom(), ViewTransform::maximumZoom);
    for (int i = 0; i < 50; ++i) transform.step(false, {0, 0});
    EXPECT_DOUBLE_EQ(transform.zoom(), transform.minimumZoom());
}

TEST(ViewTransform, SurvivesEmptySizes) {
    auto transform = make({0, 0}, {0, 0});
    EXPECT_GT(transform.zoom(), 0.0);
    EXPECT_TRUE(std::isfinite(transform.topLeft().x()));
}

}  // namespace
}  // namespace workbench
