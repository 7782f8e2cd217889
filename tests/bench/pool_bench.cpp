// SPDX-License-Identifier: MIT
// Pooling on the CPU. Every sample of a pooling is taken beside one of its yardstick, a read of its input and
// a write of its output on as many threads, so that a machine that drifts drifts for both; the counters are
// medians and ratios of medians. docs/pooling.md says how to run it and read it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#if defined(IIR2D_BENCH_OPENCV)
#include <opencv2/imgproc.hpp>
#endif

#include "iir2d/convert.h"
#include "iir2d/device.h"
#include "iir2d/plan.h"
#include "tests/bench/registration.h"
#include "tests/bench/samples.h"
#include "tests/bench/team.h"
#include "tests/bench/yardsticks.h"

namespace {

using bench::Buffer;
using bench::Samples;
using bench::seconds_of;
using bench::Team;
using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::PoolPlan;

constexpr auto f32 = iir2d::ElementType::f32;

struct Case {
    std::string name;
    PoolDesc desc;
    bool with_argmax = false;
    bool against_opencv = false;
};

std::size_t elements(const iir2d::Shape& s) {
    return static_cast<std::size_t>(s.n * s.c * s.h * s.w);
}

#if defined(IIR2D_BENCH_OPENCV)
// The mean of 2 x 2 as OpenCV has it. Its wrapper takes no constant data; it is not written.
void resize_by_half(const PoolDesc& desc, Buffer<float>& x, Buffer<float>& y) {
    const auto h = static_cast<int>(desc.shape.h);
    const auto w = static_cast<int>(desc.shape.w);
    const cv::Mat from(h, w, CV_32F, x.data());
    cv::Mat to(h / 2, w / 2, CV_32F, y.data());
    cv::resize(from, to, to.size(), 0, 0, cv::INTER_AREA);
}
#endif

// Room for elements of any type, in floats.
std::size_t room(std::size_t count, iir2d::ElementType type) {
    return (count * iir2d::element_size(type) + sizeof(float) - 1) / sizeof(float);
}

void run_case(benchmark::State& state, const Case& c, int threads) {
    const auto plan = PoolPlan::make(*iir2d::Device::cpu(threads), c.desc);
    if (!plan) return state.SkipWithError(plan.error().message.c_str());
    const auto type = c.desc.element;
    const std::size_t count = elements(c.desc.shape);
    Buffer<float> x(room(count, type), type == f32);
    if (type != f32) {
        const Buffer<float> noise(count, true);
        iir2d::convert_elements(noise.data(), f32, x.data(), type, count);
    }
    Buffer<float> y(room(elements(plan->output_shape()), type), false);
    Buffer<float> compared(y.count(), false);
    std::vector<std::int64_t> argmax(c.with_argmax ? y.count() : 0);
    Buffer<float> indices(2 * argmax.size(), false);
    Team team(threads);

    Samples pooling;
    Samples moving;
    Samples opencv;
    const auto round = [&](Samples& p, Samples& m, [[maybe_unused]] Samples& o) -> double {
        const double seconds = p.take([&] {
            return seconds_of([&] {
                const auto done = plan->forward({x.data(), type, c.desc.shape},
                                                {y.data(), type, plan->output_shape()}, argmax);
                if (!done) state.SkipWithError(done.error().message.c_str());
            });
        });
        m.take([&] { return bench::read_and_write(team, x, compared, indices); });
#if defined(IIR2D_BENCH_OPENCV)
        if (c.against_opencv) {
            cv::setNumThreads(threads);
            o.take([&] { return seconds_of([&] { resize_by_half(c.desc, x, compared); }); });
        }
#endif
        return seconds;
    };
    Samples cold[3];  // the first round warms caches, pages and threads
    round(cold[0], cold[1], cold[2]);
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(round(pooling, moving, opencv));

    if (!bench::has_samples(state, std::min(pooling.kept(), moving.kept()))) return;
    const double middle = pooling.median();
    state.counters["p50_ms"] = middle * 1e3;
    state.counters["x_move"] = middle / moving.median();
    state.counters["move_ms"] = moving.median() * 1e3;
    if (opencv.kept() >= bench::least_samples) {
        state.counters["opencv_ms"] = opencv.median() * 1e3;
        state.counters["x_opencv"] = middle / opencv.median();
    }
}

std::vector<Case> cases() {
    const iir2d::Shape plane{1, 1, 4096, 4096};
    const iir2d::Shape network{8, 64, 112, 112};
    const Extent one{1, 1};
    std::vector<Case> all;
    for (const auto& [where, shape] : {std::pair{"4096x4096", plane}, std::pair{"8x64x112x112", network}}) {
        for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
            const std::string name = std::string(iir2d::name_of(op)) + "/" + where + "/";
            all.push_back(
                {name + "2x2", {.op = op, .shape = shape}, false, op == PoolOp::avg && shape == plane});
            all.push_back(
                {name + "3x3_stride2", {.op = op, .shape = shape, .window = {3, 3}, .stride = Extent{2, 2}}});
        }
        all.push_back({std::string("max/") + where + "/2x2_argmax", {.shape = shape}, true});
    }
    for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
        const std::string name = std::string(iir2d::name_of(op)) + "/4096x4096/";
        for (const std::int64_t window : {3, 5, 31, 65}) {
            const std::string size = std::to_string(window) + "x" + std::to_string(window);
            all.push_back({name + size + "_stride1",
                           {.op = op, .shape = plane, .window = {window, window}, .stride = one}});
        }
        all.push_back({name + "64x64", {.op = op, .shape = plane, .window = {64, 64}}});
        all.push_back({name + "4x4", {.op = op, .shape = plane, .window = {4, 4}}});
    }
    for (const auto& [p, name] : {std::pair{1.0, "lp_p1"}, std::pair{1.5, "lp_p1.5"}, std::pair{3.0, "lp_p3"},
                                  std::pair{1e8, "lp_p1e8"}}) {
        all.push_back({name + std::string("/4096x4096/2x2"), {.op = PoolOp::lp, .shape = plane, .p = p}});
    }
    for (const auto element : {iir2d::ElementType::f64, iir2d::ElementType::f16, iir2d::ElementType::bf16}) {
        for (const PoolOp op : {PoolOp::max, PoolOp::avg}) {
            const std::string name =
                std::string(iir2d::name_of(op)) + "_" + std::string(iir2d::name_of(element)) + "/4096x4096/";
            all.push_back({name + "2x2", {.op = op, .shape = plane, .element = element}});
            all.push_back({name + "3x3_stride1",
                           {.op = op, .shape = plane, .window = {3, 3}, .stride = one, .element = element}});
        }
    }
    all.push_back(
        {"max/4096x4096/65x65_stride1_argmax", {.shape = plane, .window = {65, 65}, .stride = one}, true});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    for (const Case& c : cases()) {
        for (const int threads : {1, 2}) {
            if (threads > iir2d::Device::cpu()->threads()) continue;
            bench::add_case(c.name + bench::threads_part(threads),
                            [c, threads](benchmark::State& state) { run_case(state, c, threads); });
        }
    }
    return bench::run_cases(argc, argv);
}
