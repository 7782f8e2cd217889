// SPDX-License-Identifier: MIT
#include "core/worker/channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

namespace workbench::worker {
namespace {

using Progress = Channel::Progress;
using ::testing::HasSubstr;

TEST(Channel, TheOtherSidesEndIsClosed) {
    auto ends = connected_sockets();
    ASSERT_TRUE(ends);
    Channel channel(std::move(ends->first), 100, Channel::Handles::refused);
    Channel::Arrived arrived;
    EXPECT_EQ(channel.read(arrived), Progress::waiting);
    ends->second.close();
    EXPECT_EQ(channel.read(arrived), Progress::closed);
    channel.begin_write(FrameKind::request, {.payload = "text"});
    EXPECT_EQ(channel.write(), Progress::closed);
    EXPECT_EQ(channel.fault(), "");
}

// What is wrong on this side is not taken for the end of the other one.
TEST(Channel, AnErrorOfTheSystemSaysWhich) {
    Channel channel(FileHandle(open("/dev/null", O_RDWR)), 100, Channel::Handles::refused);
    Channel::Arrived arrived;
    EXPECT_EQ(channel.read(arrived), Progress::failed);
    EXPECT_THAT(channel.fault(), HasSubstr("could not be received: Socket operation on non-socket"));
    channel.begin_write(FrameKind::request, {.payload = "text"});
    EXPECT_EQ(channel.write(), Progress::failed);
    EXPECT_THAT(channel.fault(), HasSubstr("could not be sent"));
}

TEST(Channel, AHandleThatIsNotOpenCannotBeSent) {
    auto ends = connected_sockets();
    ASSERT_TRUE(ends);
    Channel channel(std::move(ends->first), 100, Channel::Handles::refused);
    Frame frame{.payload = "text"};
    frame.handles.emplace_back(12345);
    channel.begin_write(FrameKind::request, std::move(frame));
    EXPECT_EQ(channel.write(), Progress::failed);
    EXPECT_THAT(channel.fault(), HasSubstr("Bad file descriptor"));
}

}  // namespace
}  // namespace workbench::worker
