// SPDX-License-Identifier: MIT
// Tests of plans and tensors over the stand-in driver, once with work done at once and once with work that
// waits in its stream.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "iir2d/device_tensor.h"
#include "tests/kernels/iir/iir_testing.h"

namespace stand_in {

class StandInTest : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override { scenario(GetParam()); }
    static void scenario(const std::string& text) { ASSERT_EQ(setenv("FAKE_CUDA", text.c_str(), 1), 0); }
    static iir2d::Device gpu() { return *iir2d::Device::cuda(0); }

    template <class S>
    static iir2d::ConstTensorView view(const std::vector<S>& values, const iir2d::Shape& shape) {
        return {values.data(), sizeof(S) == 8 ? iir2d::ElementType::f64 : iir2d::ElementType::f32, shape};
    }
    template <class S>
    static std::vector<S> values(const iir2d::DeviceTensor& tensor) {
        std::vector<S> out(tensor.bytes() / sizeof(S));
        const auto done = tensor.download({out.data(), tensor.type(), tensor.shape()});
        EXPECT_TRUE(done) << done.error().message;
        return out;
    }
    static std::vector<float> random_floats(const iir2d::Shape& shape, unsigned seed = 3) {
        const auto plane = iir_test::random_plane(iir_test::count_of(shape), seed);
        return {plane.begin(), plane.end()};
    }
};

inline auto at_once_and_queued() {
    return ::testing::Values("devices=2,queued=0", "devices=2,queued=1");
}
inline std::string name_of_run(const ::testing::TestParamInfo<const char*>& given) {
    return given.index == 0 ? "AtOnce" : "Queued";
}

}  // namespace stand_in
