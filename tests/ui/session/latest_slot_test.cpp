// SPDX-License-Identifier: MIT
#include "ui/session/latest_slot.h"

#include <gmock/gmock.h>

#include <QTest>
#include <thread>
#include <vector>

#include "tests/ui/patience.h"

namespace workbench {
namespace {

TEST(LatestSlot, DeliversTheNewestOnce) {
    QObject receiver;
    std::vector<int> delivered;
    LatestSlot<int> slot(&receiver, [&](int value) { delivered.push_back(value); });
    std::jthread([&] {
        for (int i = 1; i <= 1000; ++i) slot.put(i);
    }).join();
    EXPECT_TRUE(delivered.empty()) << "nothing may run in the caller's thread";
    EXPECT_TRUE(QTest::qWaitFor([&] { return !delivered.empty(); }, patience_ms));
    EXPECT_THAT(delivered, ::testing::ElementsAre(1000));
}

TEST(LatestSlot, DeliversAgainAfterADelivery) {
    QObject receiver;
    std::vector<int> delivered;
    LatestSlot<int> slot(&receiver, [&](int value) { delivered.push_back(value); });
    slot.put(1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return delivered.size() == 1; }, patience_ms));
    slot.put(2);
    EXPECT_TRUE(QTest::qWaitFor([&] { return delivered.size() == 2; }, patience_ms));
    EXPECT_THAT(delivered, ::testing::ElementsAre(1, 2));
}

TEST(LatestSlot, DeliversInTheReceiversThread) {
    QObject receiver;
    std::thread::id seen;
    LatestSlot<int> slot(&receiver, [&](int) { seen = std::this_thread::get_id(); });
    std::jthread([&] { slot.put(1); }).join();
    EXPECT_TRUE(QTest::qWaitFor([&] { return seen != std::thread::id(); }, patience_ms));
    EXPECT_EQ(seen, std::this_thread::get_id());
}

}  // namespace
}  // namespace workbench
