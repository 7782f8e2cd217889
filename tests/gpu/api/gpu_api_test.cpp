// SPDX-License-Identifier: MIT
// The public interface on a GPU, unchanged, over the stand-in driver: plans on host memory, plans on device
// memory, the C interface, and what they say when the driver fails. CTest puts the stand-in on the library
// path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "iir2d/iir2d_core.h"
#include "kernels/device/cuda/context.h"
#include "tests/gpu/fake_cuda/counts.h"
#include "tests/kernels/iir/iir_testing.h"
#include "tests/kernels/pool/pool_testing.h"

namespace {

using namespace iir2d;
using iir_test::count_of;
using iir_test::max_abs_difference;
using iir_test::random_plane;
using iir_test::run_reference;

class GpuApi : public ::testing::Test {
  protected:
    void SetUp() override {
        scenario("devices=2");  // as the other tests of the process: a driver counts its GPUs once
        const auto gpu = Device::cuda(0);
        ASSERT_TRUE(gpu) << gpu.error().message;
        m_gpu = *gpu;
        m_context = *cuda::Context::get(0);
    }
    static void scenario(const std::string& text) { ASSERT_EQ(setenv("FAKE_CUDA", text.c_str(), 1), 0); }

    std::optional<Device> m_gpu;
    std::shared_ptr<cuda::Context> m_context;
};

constexpr double bound(Precision precision) {
    return precision == Precision::f32 ? 1e-5 : precision == Precision::mixed ? 1e-6 : 1e-12;
}

// Host views with gaps, apart and in place; the gaps are left alone.
template <class S>
void run_on_host(const Device& gpu, const FilterDesc& desc) {
    const auto plan = FilterPlan::make(gpu, desc);
    ASSERT_TRUE(plan) << plan.error().message;
    const auto x = random_plane(count_of(desc.shape), 4);
    const auto expected = run_reference(desc, x);
    const std::int64_t row = desc.shape.w + 3;
    const std::int64_t plane = desc.shape.h * row + 7;
    const auto at = [&](std::size_t i) {
        const auto w = static_cast<std::size_t>(desc.shape.w);
        const auto area = w * static_cast<std::size_t>(desc.shape.h);
        return i / area * static_cast<std::size_t>(plane) + i % area / w * static_cast<std::size_t>(row) +
               i % w;
    };
    const auto size = static_cast<std::size_t>(plane * desc.shape.n * desc.shape.c);
    for (const bool in_place : {false, true}) {
        std::vector<S> in(size, S(-7));
        for (std::size_t i = 0; i < x.size(); ++i) in[at(i)] = static_cast<S>(x[i]);
        std::vector<S> apart(size, S(-7));
        std::vector<S>& out = in_place ? in : apart;
        const auto element = storage_type(desc.precision);
        RunTimes times;
        const auto done = plan->run({in.data(), element, desc.shape, row, plane},
                                    {out.data(), element, desc.shape, row, plane}, {.times = &times});
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_EQ(times.uploaded_bytes, static_cast<std::int64_t>(x.size() * sizeof(S)));
        EXPECT_EQ(times.downloaded_bytes, times.uploaded_bytes);
        std::vector<double> y;
        for (std::size_t i = 0; i < x.size(); ++i) {
            y.push_back(static_cast<double>(out[at(i)]));
            out[at(i)] = S(-7);
        }
        EXPECT_LE(max_abs_difference(y, expected), bound(desc.precision)) << iir_test::describe(desc);
        EXPECT_TRUE(std::ranges::all_of(out, [](S v) { return v == S(-7); })) << "a gap was written";
    }
}

TEST_F(GpuApi, EveryFilterRunsOnHostMemory) {
    for (const char* queued : {"queued=0", "queued=1"}) {
        scenario(queued);
        for (int id = 1; id <= std::ssize(filter_table()); ++id) {
            for (const Precision precision : iir_test::all_precisions) {
                const FilterDesc desc{.shape = {.n = 2, .c = 2, .h = 21, .w = 37},
                                      .filter = {.id = id},
                                      .precision = precision};
                if (precision == Precision::f64) {
                    run_on_host<double>(*m_gpu, desc);
                } else {
                    run_on_host<float>(*m_gpu, desc);
                }
            }
        }
    }
}

TEST_F(GpuApi, APlanNamesItsKernelsAndArchitecture) {
    const auto plan = FilterPlan::make(*m_gpu, {.shape = {.h = 64, .w = 9000}, .filter = {.id = 6}});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->kernel().backend, Backend::cuda);
    EXPECT_EQ(plan->kernel().architecture, "sm_90");
    EXPECT_EQ(plan->kernel().variant, "iir_rows_f32_order2_x1_warmup iir_columns_f32_order2_x1_carry");
    EXPECT_EQ(plan->workspace_bytes(), 64U * 9000U * 4U);
    const auto tiles = FilterPlan::make(*m_gpu, {.shape = {.h = 64, .w = 9000}, .filter = {.id = 4}});
    ASSERT_TRUE(tiles);
    EXPECT_EQ(tiles->kernel().name, "iir_tiles");
    EXPECT_EQ(tiles->kernel().variant, "iir_tiles_f32_order2_x2_64x64");
    const auto large = FilterPlan::make(*m_gpu, {.shape = {.h = 4096, .w = 4096}, .filter = {.id = 4}});
    ASSERT_TRUE(large);
    EXPECT_EQ(large->kernel().variant, "iir_tiles_f32_order2_x2_128x128");
}

struct DevicePlane {
    DevicePlane(cuda::Context& context, std::size_t bytes) : m_context(context), m_bytes(bytes) {
        auto made = context.allocate(bytes, nullptr);
        if (!made) throw std::runtime_error(made.error().message);
        m_buffer = std::move(*made);
    }
    void* get() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(m_buffer.get())); }
    template <class S>
    void put(const std::vector<S>& values) {
        ASSERT_TRUE(m_context.upload(nullptr, m_buffer.get(), values.data(), m_bytes));
    }
    template <class S>
    std::vector<S> values() {
        std::vector<S> out(m_bytes / sizeof(S));
        EXPECT_TRUE(m_context.download(nullptr, out.data(), m_buffer.get(), m_bytes));
        EXPECT_TRUE(m_context.synchronize(nullptr));
        return out;
    }

  private:
    cuda::Context& m_context;
    std::size_t m_bytes;
    cuda::DeviceBuffer m_buffer;
};

TEST_F(GpuApi, EnqueueFiltersDeviceMemory) {
    for (const int id : {1, 6}) {
        const FilterDesc desc{.shape = {.h = 70, .w = 90}, .filter = {.id = id}};
        const auto plan = FilterPlan::make(*m_gpu, desc);
        ASSERT_TRUE(plan);
        const auto x = random_plane(count_of(desc.shape), 8);
        DevicePlane in(*m_context, x.size() * sizeof(float));
        DevicePlane out(*m_context, x.size() * sizeof(float));
        DevicePlane workspace(*m_context, std::max<std::size_t>(plan->workspace_bytes(), 16));
        in.put(std::vector<float>(x.begin(), x.end()));
        const ConstTensorView from{in.get(), ElementType::f32, desc.shape};
        for (DevicePlane* target : {&out, &in}) {
            const TensorView to{target->get(), ElementType::f32, desc.shape};
            const auto done = plan->enqueue(from, to, workspace.get(), nullptr);
            ASSERT_TRUE(done) << done.error().message;
            const auto y = target->values<float>();
            EXPECT_LE(max_abs_difference({y.begin(), y.end()}, run_reference(desc, x)), 1e-5);
        }
    }
}

TEST_F(GpuApi, EnqueueRefusesWhatItCannotDo) {
    const FilterDesc desc{.shape = {.h = 8, .w = 8}, .filter = {.id = 6}};
    std::vector<float> x(64);
    std::vector<float> y(64);
    const ConstTensorView from{x.data(), ElementType::f32, desc.shape};
    const TensorView to{y.data(), ElementType::f32, desc.shape};
    const auto plan = FilterPlan::make(*m_gpu, desc);
    ASSERT_TRUE(plan);
    const auto without = plan->enqueue(from, to, nullptr, nullptr);
    ASSERT_FALSE(without);
    EXPECT_EQ(without.error().code, ErrorCode::workspace_error);
    EXPECT_EQ(without.error().message, "workspace is null: the plan needs 256 bytes of device memory");
    const auto on_cpu = FilterPlan::make(*Device::cpu(), desc)->enqueue(from, to, nullptr, nullptr);
    ASSERT_FALSE(on_cpu);
    EXPECT_EQ(on_cpu.error().message, "device cpu: only a plan for a GPU is enqueued, use run");
    const auto pool = PoolPlan::make(*Device::cpu(), {.shape = desc.shape});
    const TensorView small{y.data(), ElementType::f32, pool->output_shape()};
    EXPECT_FALSE(pool->enqueue(from, small, nullptr, nullptr));
}

TEST_F(GpuApi, PoolingRunsOnHostAndOnDeviceMemory) {
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        for (const Extent window : {Extent{2, 2}, Extent{3, 5}}) {
            const PoolDesc desc{.op = op, .shape = {2, 3, 33, 70}, .window = window, .stride = Extent{2, 2}};
            const auto x = pool_testing::uniform(pool_testing::elements(desc.shape), -1.0F, 1.0F, 3);
            const auto expected = pool_testing::run(desc, x);
            const auto plan = PoolPlan::make(*m_gpu, desc);
            ASSERT_TRUE(plan) << plan.error().message;
            const ConstTensorView from{x.data(), ElementType::f32, desc.shape};
            pool_testing::Pooled got{std::vector<float>(expected.y.size()),
                                     std::vector<std::int64_t>(expected.argmax.size())};
            const auto done =
                plan->forward(from, {got.y.data(), ElementType::f32, plan->output_shape()}, got.argmax);
            ASSERT_TRUE(done) << done.error().message;
            EXPECT_TRUE(pool_testing::same_bits(got.y, expected.y)) << plan->kernel().variant;
            EXPECT_EQ(got.argmax, expected.argmax);

            DevicePlane in(*m_context, x.size() * sizeof(float));
            DevicePlane out(*m_context, got.y.size() * sizeof(float));
            in.put(x);
            const auto queued =
                plan->enqueue({in.get(), ElementType::f32, desc.shape},
                              {out.get(), ElementType::f32, plan->output_shape()}, nullptr, nullptr);
            ASSERT_TRUE(queued) << queued.error().message;
            EXPECT_TRUE(pool_testing::same_bits(out.values<float>(), expected.y)) << plan->kernel().variant;
        }
    }
}

TEST_F(GpuApi, TheCInterfaceUsesTheCallersContextAndStream) {
    const auto x = random_plane(40 * 50, 2);
    DevicePlane in(*m_context, x.size() * sizeof(float));
    DevicePlane out(*m_context, x.size() * sizeof(float));
    in.put(std::vector<float>(x.begin(), x.end()));
    IIR2D_Params params{.width = 50,
                        .height = 40,
                        .filter_id = 6,
                        .border_mode = IIR2D_BORDER_MIRROR,
                        .border_const = 0,
                        .precision = IIR2D_PRECISION_F32};
    // No context is current on this thread.
    EXPECT_EQ(iir2d_forward_cuda(in.get(), out.get(), &params), IIR2D_STATUS_CUDA_ERROR);
    const cuda::Driver& driver = **cuda::driver();
    cuda::ContextHandle context = nullptr;
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&context, 0), cuda::success);
    ASSERT_EQ(driver.cuCtxPushCurrent(context), cuda::success);
    const auto stream = m_context->make_stream();
    ASSERT_TRUE(stream);
    for (const int id : {1, 6}) {
        params.filter_id = id;
        const FilterDesc desc{.shape = {.h = 40, .w = 50}, .filter = {.id = id}};
        const auto expected = run_reference(desc, x);
        EXPECT_EQ(iir2d_forward_cuda(in.get(), out.get(), &params), IIR2D_STATUS_OK);
        auto y = out.values<float>();
        EXPECT_LE(max_abs_difference({y.begin(), y.end()}, expected), 1e-5);
        out.put(std::vector<float>(x.size()));
        EXPECT_EQ(iir2d_forward_cuda_stream(in.get(), out.get(), &params, stream->get()), IIR2D_STATUS_OK);
        ASSERT_TRUE(m_context->synchronize(stream->get()));
        y = out.values<float>();
        EXPECT_LE(max_abs_difference({y.begin(), y.end()}, expected), 1e-5);
    }
    params.filter_id = 99;
    EXPECT_EQ(iir2d_forward_cuda(in.get(), out.get(), &params), IIR2D_STATUS_INVALID_FILTER_ID);
    cuda::ContextHandle popped = nullptr;
    EXPECT_EQ(driver.cuCtxPopCurrent(&popped), cuda::success);
}

TEST_F(GpuApi, ARunStopsWhenAsked) {
    const FilterDesc desc{.shape = {.h = 30, .w = 30}};
    const auto plan = FilterPlan::make(*m_gpu, desc);
    ASSERT_TRUE(plan);
    std::vector<float> x(900);
    std::stop_source stop;
    // After the upload, before the download.
    const RunControl control{.stop = stop.get_token(), .progress = [&](double) { stop.request_stop(); }};
    const auto done = plan->run({x.data(), ElementType::f32, desc.shape},
                                {x.data(), ElementType::f32, desc.shape}, control);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::cancelled);
}

// What the kernels were compiled by and for, and what the compiler says of itself where this build called it.
TEST(GpuBuild, TheFingerprintTellsTheToolkitAndTheArchitectures) {
    const std::string line = iir2d_build_fingerprint();
    const std::string nvcc = IIR2D_TEST_NVCC;
    std::string version = IIR2D_TEST_TOOLKIT;
    if (!nvcc.empty()) {
        FILE* pipe = popen((nvcc + " --version").c_str(), "r");
        ASSERT_NE(pipe, nullptr);
        std::string said;
        for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
        ASSERT_EQ(pclose(pipe), 0);
        const std::string before = "release ";
        const auto at = said.find(before);
        ASSERT_NE(at, std::string::npos) << said;
        version = said.substr(at + before.size(), said.find(',', at) - at - before.size());
    }
    EXPECT_THAT(line, ::testing::HasSubstr(", CUDA toolkit " + version +
                                           ", architectures " IIR2D_TEST_ARCHITECTURES));
}

// Last: it loses the device for the others of its process.
TEST_F(GpuApi, ZFailuresOfTheDriverAreSentences) {
    const FilterDesc desc{.shape = {.h = 30, .w = 30}};
    const auto plan = FilterPlan::make(*m_gpu, desc);
    ASSERT_TRUE(plan);
    std::vector<float> x(900);
    const auto run = [&] {
        return plan->run({x.data(), ElementType::f32, desc.shape}, {x.data(), ElementType::f32, desc.shape});
    };
    ASSERT_TRUE(run());
    scenario("launch=" + std::to_string(fake_cuda::counts().launches + 10));
    for (int i = 0; i < 20; ++i) {
        if (const auto done = run(); !done) {
            EXPECT_EQ(done.error().code, ErrorCode::cuda_error);
            ASSERT_TRUE(done.error().driver);
            EXPECT_EQ(done.error().driver->name, "CUDA_ERROR_ILLEGAL_ADDRESS") << done.error().message;
            scenario("launch=0");
            EXPECT_TRUE(run()) << "the device is reset and tried again";
            return;
        }
    }
    FAIL() << "no launch failed";
}

}  // namespace
