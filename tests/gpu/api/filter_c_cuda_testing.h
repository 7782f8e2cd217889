// SPDX-License-Identifier: MIT
// What the tests of iir2d_filter.h on device memory share: calls with the workspace that the library asks
// for.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "iir2d/convert.h"
#include "iir2d/iir2d_filter.h"
#include "kernels/device/cuda/context.h"
#include "tests/gpu/api/stand_in_testing.h"
#include "tests/gpu/fake_cuda/counts.h"
#include "tests/kernels/iir/filter_c_testing.h"

namespace filter_c_testing {

class FilterOnDevice : public stand_in::StandInTest {
  protected:
    void SetUp() override {
        StandInTest::SetUp();
        context = *cuda::Context::get(0);
        stream = *context->make_stream();
    }

    template <class T>
    cuda::DeviceBuffer upload(const std::vector<T>& values) {
        const std::size_t bytes = values.size() * sizeof(T);
        auto buffer = *context->allocate(bytes, stream.get());
        EXPECT_TRUE(context->upload(stream.get(), buffer.get(), values.data(), bytes));
        EXPECT_TRUE(context->synchronize(stream.get()));
        return buffer;
    }
    // By the C interface, too.
    template <class T>
    std::vector<T> download(const cuda::DeviceBuffer& buffer, std::size_t count) {
        std::vector<T> values(count);
        EXPECT_EQ(iir2d_copy_to_host_cuda(values.data(), address(buffer), count * sizeof(T), stream.get()),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
        return values;
    }
    static void* address(const cuda::DeviceBuffer& buffer) {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(buffer.get()));
    }

    // Of the size that the library asks for.
    struct Workspace {
        std::size_t bytes = 0;
        cuda::DeviceBuffer buffer = {};
        void* at() const { return bytes > 0 ? address(buffer) : nullptr; }
    };
    Workspace workspace(const IIR2D_FilterParams& p, bool backward = false, bool gradients = false) {
        Workspace w;
        EXPECT_EQ(iir2d_filter_workspace_cuda(&p, backward ? 1 : 0, gradients ? 1 : 0, &w.bytes),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
        w.buffer = *context->allocate(std::max<std::size_t>(w.bytes, 16), stream.get());
        return w;
    }

    void forward(const IIR2D_FilterParams& p, const cuda::DeviceBuffer& x, const cuda::DeviceBuffer& y,
                 const Workspace& w) {
        EXPECT_EQ(iir2d_filter_forward_cuda(address(x), address(y), &p, w.at(), w.bytes, stream.get()),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
    }

    // Filters `memory` into as much of it.
    template <class T>
    std::vector<T> filter(const IIR2D_FilterParams& p, const std::vector<T>& memory, T gap) {
        const auto in = upload(memory);
        const auto out = upload(std::vector<T>(memory.size(), gap));
        forward(p, in, out, workspace(p));
        return download<T>(out, memory.size());
    }

    // Gives the adjoint of `memory`, likewise.
    template <class T>
    std::vector<T> adjoint(const IIR2D_FilterParams& p, const std::vector<T>& memory, T gap) {
        const auto in = upload(memory);
        const auto out = upload(std::vector<T>(memory.size(), gap));
        const Workspace w = workspace(p, true);
        EXPECT_EQ(iir2d_filter_backward_cuda(nullptr, address(in), address(out), nullptr, &p, w.at(), w.bytes,
                                             stream.get()),
                  IIR2D_STATUS_OK)
            << iir2d_last_error();
        return download<T>(out, memory.size());
    }

    std::shared_ptr<cuda::Context> context;
    cuda::Stream stream;
};

// Returns where sample i of dense planes lies with other distances between images, channels and rows.
inline std::size_t place(const Shape& s, const std::int64_t (&strides)[3], std::int64_t i) {
    const std::int64_t plane = i / (s.h * s.w);
    return static_cast<std::size_t>(plane / s.c * strides[0] + plane % s.c * strides[1] +
                                    i % (s.h * s.w) / s.w * strides[2] + i % s.w);
}

// Sixteen-bit elements, and what they are as floats.
struct Narrowed {
    std::vector<std::uint16_t> elements;
    std::vector<float> as_floats;
};
inline std::vector<std::uint16_t> narrowed(const std::vector<float>& values, ElementType element) {
    std::vector<std::uint16_t> result(values.size());
    convert_elements(values.data(), ElementType::f32, result.data(), element, values.size());
    return result;
}
inline Narrowed rounded_to(ElementType element, const std::vector<float>& values) {
    Narrowed result{narrowed(values, element), std::vector<float>(values.size())};
    convert_elements(result.elements.data(), element, result.as_floats.data(), ElementType::f32,
                     values.size());
    return result;
}

template <class T>
std::vector<T> part_of(const std::vector<T>& values, std::int64_t first, std::int64_t count) {
    return {values.begin() + first, values.begin() + first + count};
}

}  // namespace filter_c_testing
