// SPDX-License-Identifier: MIT
#include "ui/widgets/slider_scale.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>

#include "iir2d/filter.h"

namespace workbench {
namespace {

const SliderScale sigma_scale{0.3, 100, 0.1};
const SliderScale alpha{0, 0.999, 0.01};
const SliderScale coefficient{-4, 4, 0.01};

TEST(SliderScale, PicksTheKindThatSuitsTheRange) {
    EXPECT_EQ(sigma_scale.kind(), SliderScale::Kind::logarithmic);
    EXPECT_EQ(alpha.kind(), SliderScale::Kind::towards_one);
    EXPECT_EQ(coefficient.kind(), SliderScale::Kind::linear);
    EXPECT_EQ(SliderScale(0, 1, 0.01).kind(), SliderScale::Kind::linear);
}

TEST(SliderScale, EveryPositionComesBackFromItsValue) {
    for (const SliderScale& scale : {sigma_scale, alpha, coefficient, SliderScale(0, 1, 0.01),
                                     SliderScale(0.25, 16, 0.1), SliderScale(-1e6, 1e6, 0.01)}) {
        for (int p = 0; p <= scale.lastPosition(); ++p) {
            ASSERT_EQ(scale.positionOf(scale.valueAt(p)), p) << scale.valueAt(p);
        }
    }
}

TEST(SliderScale, ValuesGrowWithPositionsAndMeetTheEnds) {
    for (const SliderScale& scale : {sigma_scale, alpha, coefficient}) {
        for (int p = 1; p <= scale.lastPosition(); ++p) {
            ASSERT_GT(scale.valueAt(p), scale.valueAt(p - 1));
        }
    }
    EXPECT_EQ(sigma_scale.valueAt(0), 0.3);
    EXPECT_EQ(sigma_scale.valueAt(sigma_scale.lastPosition()), 100);
    EXPECT_EQ(alpha.valueAt(0), 0);
    EXPECT_EQ(alpha.valueAt(alpha.lastPosition()), 0.999);
}

TEST(SliderScale, GivesTheUsefulPartOfTheRangeMostOfTheSlider) {
    // Alpha from 0.9 up, where smoothing takes off, has two thirds; sigma up to 10 more than half.
    EXPECT_LT(alpha.positionOf(0.9), alpha.lastPosition() * 0.34);
    EXPECT_GT(sigma_scale.positionOf(10), sigma_scale.lastPosition() * 0.55);
}

TEST(SliderScale, LinearPositionsAreTheStepsOfTheSpinBox) {
    EXPECT_EQ(coefficient.lastPosition(), 800);
    EXPECT_EQ(coefficient.valueAt(400), 0);
    EXPECT_FALSE(std::signbit(coefficient.valueAt(400)));
    EXPECT_EQ(coefficient.valueAt(430), 0.3);
    EXPECT_EQ(coefficient.valueAt(390), -0.1);
}

TEST(SliderScale, ValuesHaveNoMoreDigitsThanPositionsCanTell) {
    // Below 1, positions are at least 0.0017 apart: four decimals say it all.
    for (int p = 1; p < sigma_scale.lastPosition(); ++p) {
        const double scaled = sigma_scale.valueAt(p) * 1e4;
        ASSERT_NEAR(scaled, std::round(scaled), 1e-6) << sigma_scale.valueAt(p);
    }
}

TEST(SliderScale, TakesWhatIsOutsideToTheEnds) {
    EXPECT_EQ(sigma_scale.positionOf(0), 0);
    EXPECT_EQ(sigma_scale.positionOf(-5), 0);
    EXPECT_EQ(sigma_scale.positionOf(1e9), sigma_scale.lastPosition());
    EXPECT_EQ(alpha.positionOf(1), alpha.lastPosition());
    EXPECT_EQ(alpha.positionOf(std::numeric_limits<double>::quiet_NaN()), 0);
    EXPECT_EQ(alpha.positionOf(std::numeric_limits<double>::infinity()), alpha.lastPosition());
    EXPECT_EQ(sigma_scale.valueAt(-1), 0.3);
    EXPECT_EQ(sigma_scale.valueAt(100000), 100);
}

TEST(SliderScale, StepsAreFinerWhereTheScaleIsDenser) {
    EXPECT_DOUBLE_EQ(sigma_scale.stepAt(2, true), 0.1);
    EXPECT_DOUBLE_EQ(sigma_scale.stepAt(50, true), 1);
    EXPECT_DOUBLE_EQ(sigma_scale.stepAt(10, true), 1);
    EXPECT_DOUBLE_EQ(sigma_scale.stepAt(10, false), 0.1);
    EXPECT_DOUBLE_EQ(alpha.stepAt(0.85, true), 0.01);
    EXPECT_DOUBLE_EQ(alpha.stepAt(0.99, true), 0.001);
    EXPECT_DOUBLE_EQ(alpha.stepAt(0.999, false), 0.001);
    EXPECT_DOUBLE_EQ(coefficient.stepAt(0.3, true), 0.01);
}

TEST(SliderScale, SurvivesDegenerateRanges) {
    const SliderScale point(2, 2, 0);
    EXPECT_EQ(point.valueAt(0), 2);
    EXPECT_EQ(point.valueAt(point.lastPosition()), 2);
    EXPECT_EQ(point.positionOf(2), 0);
    const SliderScale reversed(3, 1, 0.1);
    EXPECT_EQ(reversed.valueAt(0), 3);
}

TEST(SliderScale, EveryParameterOfEveryFilterReachesItsDefault) {
    for (const iir2d::FilterRow& row : iir2d::filter_table()) {
        for (const iir2d::FilterParameter& p : row.parameters) {
            const SliderScale scale(p.minimum, p.maximum, p.step);
            const double near = scale.valueAt(scale.positionOf(p.default_value));
            EXPECT_NEAR(near, p.default_value, 0.01 * std::max(1.0, std::abs(p.default_value)))
                << row.key << ' ' << p.name;
        }
    }
}

}  // namespace
}  // namespace workbench
