// SPDX-License-Identifier: MIT
#include "core/worker/payload.h"

#include <gmock/gmock.h>

namespace workbench::worker {
namespace {

TEST(Payload, IsReadAsItWasWritten) {
    const std::string bytes = PayloadWriter()
                                  .put(std::uint8_t{7})
                                  .put(std::int64_t{-5})
                                  .put(0.1)
                                  .put(std::string_view("a\0b", 3))
                                  .put("")
                                  .take();
    PayloadReader reader(bytes);
    EXPECT_TRUE(reader.boolean());
    EXPECT_EQ(reader.number<std::int64_t>(), -5);
    EXPECT_EQ(reader.number<double>(), 0.1);
    EXPECT_FALSE(reader.complete());
    EXPECT_EQ(reader.text(), std::string("a\0b", 3));
    EXPECT_EQ(reader.text(), "");
    EXPECT_TRUE(reader.complete());
}

TEST(Payload, EveryCutIsNoticed) {
    const std::string bytes = PayloadWriter().put(std::uint32_t{1}).put("text").put(2.0).take();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        PayloadReader reader(std::string_view(bytes).substr(0, size));
        reader.number<std::uint32_t>();
        reader.text();
        reader.number<double>();
        EXPECT_FALSE(reader.ok()) << size;
    }
}

TEST(Payload, LengthsAreNotBelieved) {
    const std::string claims = PayloadWriter().put(~std::uint64_t{0}).take();
    PayloadReader text(claims);
    EXPECT_EQ(text.text(), "");
    EXPECT_FALSE(text.ok());
    PayloadReader list(claims);
    EXPECT_EQ(list.count(1), 0U);
    EXPECT_FALSE(list.ok());
    const std::string three = PayloadWriter().put(std::uint64_t{3}).put(std::uint16_t{1}).put(1.0).take();
    PayloadReader fits(three);
    EXPECT_EQ(fits.count(3), 3U);
    PayloadReader does_not(three);
    EXPECT_EQ(does_not.count(4), 0U);
    EXPECT_FALSE(does_not.ok());
    const std::string four = PayloadWriter().put("four").take();
    PayloadReader limited(four);
    EXPECT_EQ(limited.text(3), "");
    EXPECT_FALSE(limited.ok());
}

}  // namespace
}  // namespace workbench::worker
