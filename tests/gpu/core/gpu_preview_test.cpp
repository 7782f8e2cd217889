// SPDX-License-Identifier: MIT
// The preview on a GPU over the stand-in driver: a change of parameters uploads nothing, and device memory is
// held for as long as there is a use for it.
#include "core/preview/preview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "tests/core/recipe/recipe_testing.h"
#include "tests/gpu/fake_cuda/counts.h"

namespace workbench {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::int64_t width = 160;
constexpr std::int64_t height = 90;
constexpr std::int64_t image_bytes = width * height * 3 * 4;

ImagePtr image(std::int64_t seed) {
    Image image{.pixels = random_image(width, height, 3)};
    image.pixels.plane_f32(0)[0] = static_cast<float>(seed);
    image.info.width = width;
    image.info.height = height;
    return std::make_shared<const Image>(std::move(image));
}

Recipe blur(double sigma) {
    return {.operations = {filter(6, {{"sigma", sigma}}), pool(iir2d::PoolOp::avg, {2, 2})}};
}

void scenario(const std::string& text) {
    ASSERT_EQ(setenv("FAKE_CUDA", text.c_str(), 1), 0);
}

class Frames {
  public:
    PreviewEngine::Callbacks callbacks() {
        return {.frame =
                    [this](PreviewFrame frame) {
                        const std::lock_guard lock(m_mutex);
                        m_frames.push_back(std::move(frame));
                        m_changed.notify_all();
                    },
                .status =
                    [this](const PreviewStatus& status) {
                        const std::lock_guard lock(m_mutex);
                        if (status.error) m_error = status.error->message;
                        m_changed.notify_all();
                    }};
    }
    // The frames up to the next exact one, and forgets them.
    std::vector<PreviewFrame> next() {
        std::unique_lock lock(m_mutex);
        const bool came = m_changed.wait_for(lock, 60s, [this] {
            return !m_frames.empty() && m_frames.back().quality == PreviewQuality::exact;
        });
        EXPECT_TRUE(came) << m_error;
        return std::exchange(m_frames, {});
    }
    std::string next_error() {
        std::unique_lock lock(m_mutex);
        EXPECT_TRUE(m_changed.wait_for(lock, 60s, [this] { return !m_error.empty(); }));
        m_frames.clear();
        return std::exchange(m_error, {});
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<PreviewFrame> m_frames;
    std::string m_error;
};

class GpuPreview : public ::testing::Test {
  protected:
    void SetUp() override {
        scenario("queued=1,devices=2");
        const auto made = iir2d::Device::cuda(0);
        ASSERT_TRUE(made) << made.error().message;
        m_gpu = *made;
        m_engine.emplace(m_frames.callbacks());
        m_engine->set_device(*m_gpu);
        m_engine->set_proxy_limit(64, 64);
        m_engine->set_source(image(1));
    }
    // What its proxy and its exact frame uploaded.
    std::pair<std::int64_t, std::int64_t> uploaded(const std::vector<PreviewFrame>& frames) const {
        if (frames.size() != 2) {
            ADD_FAILURE() << frames.size() << " frames";
            return {-1, -1};
        }
        EXPECT_EQ(frames.front().quality, PreviewQuality::proxy);
        const auto bytes = [](const PreviewFrame& frame) {
            return frame.gpu_time ? frame.gpu_time->uploaded_bytes : -1;
        };
        return {bytes(frames.front()), bytes(frames.back())};
    }

    Frames m_frames;
    std::optional<iir2d::Device> m_gpu;
    std::optional<PreviewEngine> m_engine;
};

using Uploaded = std::pair<std::int64_t, std::int64_t>;

TEST_F(GpuPreview, AChangeOfParametersUploadsNothing) {
    m_engine->submit(blur(2));
    const Uploaded first = uploaded(m_frames.next());
    EXPECT_GT(first.first, 0);
    EXPECT_LT(first.first, image_bytes);
    EXPECT_EQ(first.second, image_bytes);
    const auto before = fake_cuda::counts();
    for (const double sigma : {2.5, 3.0, 3.5}) {
        m_engine->submit(blur(sigma));
        const auto frames = m_frames.next();
        EXPECT_EQ(uploaded(frames), (Uploaded{0, 0})) << sigma;
        const auto expected = apply(blur(sigma), image(1)->pixels, -1, cpu());
        ASSERT_TRUE(expected);
        EXPECT_LT(rms_difference(frames.back().result->pixels, *expected), 1e-5);
    }
    EXPECT_EQ(fake_cuda::counts().uploaded_bytes, before.uploaded_bytes);
    EXPECT_GT(fake_cuda::counts().downloaded_bytes, before.downloaded_bytes);
    EXPECT_EQ(fake_cuda::counts().held_bytes, before.held_bytes) << "what each change made has gone";
}

TEST_F(GpuPreview, AnotherImageDisplayOrGpuIsUploaded) {
    m_engine->submit(blur(2));
    const Uploaded first = uploaded(m_frames.next());
    m_engine->set_source(image(2));
    EXPECT_EQ(uploaded(m_frames.next()), first);
    m_engine->set_proxy_limit(100, 100);
    m_engine->submit(blur(3));
    const Uploaded larger = uploaded(m_frames.next());
    EXPECT_GT(larger.first, first.first);
    EXPECT_EQ(larger.second, 0);
    m_engine->set_device(*iir2d::Device::cuda(1));
    EXPECT_EQ(uploaded(m_frames.next()), (Uploaded{larger.first, image_bytes}));
    m_engine->submit(blur(4));
    EXPECT_EQ(uploaded(m_frames.next()), (Uploaded{0, 0}));
}

TEST_F(GpuPreview, TheCpuGivesTheMemoryBack) {
    m_engine->submit(blur(2));
    const Uploaded first = uploaded(m_frames.next());
    EXPECT_EQ(fake_cuda::counts().held_bytes, first.first + first.second);
    m_engine->set_device(cpu());
    EXPECT_EQ(uploaded(m_frames.next()), (Uploaded{-1, -1})) << "no GPU took part";
    EXPECT_EQ(fake_cuda::counts().held_bytes, 0);
    m_engine->set_device(*m_gpu);
    EXPECT_EQ(uploaded(m_frames.next()), first);
    m_engine.reset();
    EXPECT_EQ(fake_cuda::counts().held_bytes, 0);
}

TEST_F(GpuPreview, ALostGpuIsToldAndTakenAgainWithAnUpload) {
    m_engine->submit(blur(2));
    const Uploaded first = uploaded(m_frames.next());
    scenario("queued=1,devices=2,launch=" + std::to_string(fake_cuda::counts().launches + 1));
    m_engine->submit(blur(3));
    EXPECT_THAT(m_frames.next_error(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    scenario("queued=1,devices=2");
    m_engine->set_device(*m_gpu);
    EXPECT_EQ(uploaded(m_frames.next()), first);
    m_engine->submit(blur(4));
    EXPECT_EQ(uploaded(m_frames.next()), (Uploaded{0, 0}));
}

}  // namespace
}  // namespace workbench
