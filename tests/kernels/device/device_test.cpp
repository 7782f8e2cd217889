// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "iir2d/device.h"

namespace {

using namespace iir2d;
using ::testing::HasSubstr;

TEST(Device, AutoIsNeverAnErrorAndSaysWhy) {
    const auto choice = choose_device("auto");
    ASSERT_TRUE(choice);
    EXPECT_FALSE(choice->reason.empty());
    if (choice->device.backend() == Backend::cpu) {
        EXPECT_THAT(choice->reason, HasSubstr("GPU"));
    }
}

TEST(Device, CpuTakesTheThreadsItIsGiven) {
    EXPECT_EQ(choose_device("cpu", 1)->device.threads(), 1);
    EXPECT_GE(choose_device("cpu")->device.threads(), 1);
    EXPECT_EQ(choose_device("cpu")->device.id(), "cpu");
    EXPECT_FALSE(choose_device("cpu")->device.name().empty());
    for (const int threads : {-1, 1025}) {
        EXPECT_THAT(Device::cpu(threads).error().message, HasSubstr(std::to_string(threads)));
    }
}

TEST(Device, UnknownNamesAreRefused) {
    for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "CPU"}) {
        const auto choice = choose_device(name);
        ASSERT_FALSE(choice) << name;
        EXPECT_EQ(choice.error().code, ErrorCode::invalid_argument) << name;
    }
}

TEST(Device, EveryPropertyHasAValueOrAReason) {
    const auto devices = list_devices();
    ASSERT_GE(devices.size(), 2u);
    EXPECT_EQ(devices[0].id, "cpu");
    EXPECT_TRUE(devices[0].usable);
    bool cuda = false;
    for (const DeviceInfo& device : devices) {
        cuda = cuda || device.backend == Backend::cuda;
        EXPECT_NE(device.usable, !device.why_not.empty()) << device.id;
        for (const DeviceProperty& property : device.properties) {
            EXPECT_NE(property.value.has_value(), !property.reason.empty()) << property.key;
        }
    }
    EXPECT_TRUE(cuda);
}

TEST(Device, CudaSaysWhyItCannotBeUsed) {
    for (const DeviceInfo& device : list_devices()) {
        if (device.backend == Backend::cuda && device.usable) GTEST_SKIP() << "this machine has a usable GPU";
    }
    for (const char* name : {"cuda", "cuda:0", "cuda:12"}) {
        const auto choice = choose_device(name);
        ASSERT_FALSE(choice);
        EXPECT_EQ(choice.error().code, ErrorCode::cuda_error);
        EXPECT_THAT(choice.error().message, HasSubstr(name));
    }
}

}  // namespace
