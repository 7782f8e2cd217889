// SPDX-License-Identifier: MIT
// PTX of one's own on a device, over the stand-in driver.
#include "iir2d/gpu_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"

namespace {

using namespace iir2d;
using testing::HasSubstr;

// x[i] *= s for i < n.
const std::string scale = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 s, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [x];
    ld.param.f32 %f1, [s];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd2, %rd1;
    mul.wide.s32 %rd3, %r5, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd4], %f3;
DONE:
    ret;
}
)";

struct Parameters {
    std::uint64_t x;
    float s;
    std::uint32_t n;
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(this, 1)); }
};

class GpuModuleTest : public stand_in::StandInTest {
  protected:
    static GpuMemory memory_of(const std::vector<float>& values) {
        auto made = GpuMemory::make(gpu(), values.size() * sizeof(float));
        EXPECT_TRUE(made) << made.error().message;
        EXPECT_TRUE(made->upload(std::as_bytes(std::span(values))));
        return *std::move(made);
    }
    static Result<void> run(const GpuModule& module, const GpuMemory& memory, std::uint32_t n) {
        const Parameters parameters{memory.address(), 2.5F, n};
        return module.launch(
            {.kernel = "scale", .grid = {3, 1, 1}, .block = {64, 1, 1}, .parameters = parameters.bytes()});
    }
};

TEST_P(GpuModuleTest, RunsAKernelByItsName) {
    const auto module = GpuModule::load(gpu(), scale);
    ASSERT_TRUE(module) << module.error().message;
    std::vector<float> x(150);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 40.0F;
    const GpuMemory memory = memory_of(x);
    EXPECT_EQ(memory.address() % 256, 0U);
    ASSERT_TRUE(run(*module, memory, 149));
    std::vector<float> made(x.size());
    ASSERT_TRUE(memory.download(std::as_writable_bytes(std::span(made))));
    for (std::size_t i = 0; i < 149; ++i) ASSERT_EQ(made[i], x[i] * 2.5F) << i;
    EXPECT_EQ(made[149], x[149]);
    // A second module of the same text stands beside it, and one goes without the other.
    {
        const auto other = GpuModule::load(gpu(), scale);
        ASSERT_TRUE(other);
        ASSERT_TRUE(run(*other, memory, 1));
    }
    ASSERT_TRUE(run(*module, memory, 1));
    ASSERT_TRUE(memory.download(std::as_writable_bytes(std::span(made))));
    EXPECT_EQ(made[0], x[0] * 2.5F * 2.5F * 2.5F);
}

// A driver whose optimiser takes an ordered comparison with NaN for true, as real ones do of |x| >= 0.
TEST_P(GpuModuleTest, IsCompiledAtTheLevelThatIsAskedFor) {
    // x[0] = x[0] >= 0 ? 1 : 2.
    const std::string compare =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry compare(.param .u64 x)\n{\n"
        ".reg .pred %p<2>;\n.reg .f32 %f<3>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [x];\n"
        "cvta.to.global.u64 %rd2, %rd1;\nld.global.f32 %f1, [%rd2];\nsetp.ge.f32 %p1, %f1, 0f00000000;\n"
        "selp.f32 %f2, 0f3F800000, 0f40000000, %p1;\nst.global.f32 [%rd2], %f2;\nret;\n}\n";
    const auto result = [&](const Result<GpuModule>& module) {
        EXPECT_TRUE(module) << module.error().message;
        std::vector<float> x{std::numeric_limits<float>::quiet_NaN()};
        const GpuMemory memory = memory_of(x);
        const std::uint64_t address = memory.address();
        EXPECT_TRUE(
            module->launch({.kernel = "compare", .parameters = std::as_bytes(std::span(&address, 1))}));
        EXPECT_TRUE(memory.download(std::as_writable_bytes(std::span(x))));
        return x[0];
    };
    for (const unsigned level : {0U, 4U}) EXPECT_EQ(result(GpuModule::load(gpu(), compare, level)), 2.0F);
    scenario(std::string(GetParam()) + ",folds_nan=1");
    EXPECT_EQ(result(GpuModule::load(gpu(), compare)), 1.0F);
    for (const unsigned level : {1U, 4U}) EXPECT_EQ(result(GpuModule::load(gpu(), compare, level)), 1.0F);
    EXPECT_EQ(result(GpuModule::load(gpu(), compare, 0)), 2.0F);
    const auto none = GpuModule::load(gpu(), compare, 5);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(none.error().message, HasSubstr("0 to 4, not 5"));
    // Of a text that is refused the log is there at a level too.
    EXPECT_THAT(GpuModule::load(gpu(), "x", 0).error().message, HasSubstr("line 1"));
}

TEST_P(GpuModuleTest, MemoryIsCopiedWhole) {
    auto memory = GpuMemory::make(gpu(), 12);
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->bytes(), 12U);
    std::vector<std::byte> short_of(11);
    EXPECT_THAT(memory->upload(short_of).error().message, HasSubstr("12 bytes"));
    EXPECT_THAT(memory->download(short_of).error().message, HasSubstr("12 bytes"));
    auto none = GpuMemory::make(gpu(), 0);
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->upload({}));
    EXPECT_THAT(GpuMemory::make(*Device::cpu(), 4).error().message, HasSubstr("is no GPU"));
    EXPECT_THAT(GpuModule::load(*Device::cpu(), scale).error().message, HasSubstr("is no GPU"));
}

TEST_P(GpuModuleTest, AnErrorHasWhatTheDriverSays) {
    std::string damaged = scale;
    damaged.replace(damaged.find("mul.wide"), 8, "mul.tall");
    const auto refused = GpuModule::load(gpu(), damaged);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("CUDA_ERROR_INVALID_PTX"));
    EXPECT_THAT(refused.error().message, HasSubstr("line 20"));

    const auto module = GpuModule::load(gpu(), scale);
    ASSERT_TRUE(module);
    const GpuMemory memory = memory_of(std::vector<float>(8));
    const Parameters parameters{memory.address(), 1, 8};
    const auto unknown = module->launch({.kernel = "scales", .parameters = parameters.bytes()});
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, HasSubstr("\"scales\""));
    EXPECT_FALSE(module->launch({.kernel = "scale", .parameters = parameters.bytes().first(12)}));
    // Beyond its array: a fault, after which the device is made anew.
    EXPECT_FALSE(run(*module, memory, 9));
    EXPECT_FALSE(run(*module, memory, 1));
}

INSTANTIATE_TEST_SUITE_P(StandIn, GpuModuleTest, stand_in::at_once_and_queued(), stand_in::name_of_run);

}  // namespace
