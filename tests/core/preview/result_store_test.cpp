// SPDX-License-Identifier: MIT
#include "core/preview/result_store.h"

#include <gtest/gtest.h>

#include <thread>

namespace workbench {
namespace {

constexpr iir2d::Shape shape{1, 2, 30, 40};

TEST(ResultStore, LendsWhatCameBackWhenItFits) {
    int returned = 0;
    const auto store = std::make_shared<ResultStore>([&] { ++returned; });
    PlanarImage image = store->take(shape, iir2d::ElementType::f32);
    EXPECT_EQ(std::as_const(image).view().shape, shape);
    const auto* data = image.bytes().data();
    store->give_back(std::move(image));
    EXPECT_EQ(returned, 1);
    EXPECT_EQ(store->take(shape, iir2d::ElementType::f32).bytes().data(), data);
}

TEST(ResultStore, OtherSizesAndTypesAreNew) {
    const auto store = std::make_shared<ResultStore>([] {});
    store->give_back(store->take(shape, iir2d::ElementType::f32));
    const PlanarImage image = store->take(shape, iir2d::ElementType::f64);
    EXPECT_EQ(image.type(), iir2d::ElementType::f64);
    EXPECT_EQ(image.view().shape, shape);
}

TEST(ResultStore, APublishedImageComesBackWhenTheLastHolderLetsGo) {
    int returned = 0;
    const auto store = std::make_shared<ResultStore>([&] { ++returned; });
    auto image = store->publish({.pixels = store->take(shape, iir2d::ElementType::f32)});
    const auto* data = image->pixels.bytes().data();
    auto other = image;
    image = nullptr;
    EXPECT_EQ(returned, 0);
    std::jthread([other = std::move(other)]() mutable { other = nullptr; }).join();
    EXPECT_EQ(returned, 1);
    EXPECT_EQ(store->take(shape, iir2d::ElementType::f32).bytes().data(), data);
}

TEST(ResultStore, APublishedImageOutlivesTheStoresUse) {
    int returned = 0;
    std::shared_ptr<const Image> image;
    {
        const auto store = std::make_shared<ResultStore>([&] { ++returned; });
        image = store->publish({.pixels = PlanarImage(4, 3, 1, iir2d::ElementType::f32)});
        store->close();
    }
    EXPECT_EQ(image->pixels.at(3, 2, 0), 0.0);
    image = nullptr;
    EXPECT_EQ(returned, 0);
}

}  // namespace
}  // namespace workbench
