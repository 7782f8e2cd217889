// SPDX-License-Identifier: MIT
// Pooling on the CPU against copying. `bytes_per_second` counts one read of the input and one write of the
// output (for the copy too), so a pooling's figure over the copy's is the fraction of the memory's speed that
// it reaches.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "iir2d/device.h"
#include "iir2d/plan.h"

namespace {

using iir2d::Extent;
using iir2d::PoolDesc;
using iir2d::PoolOp;
using iir2d::PoolPlan;

constexpr auto f32 = iir2d::ElementType::f32;

std::vector<float> noise(std::int64_t count) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<float> value(0.0F, 1.0F);
    std::vector<float> x(static_cast<std::size_t>(count));
    for (float& v : x) v = value(generator);
    return x;
}

std::int64_t elements(const iir2d::Shape& s) {
    return s.n * s.c * s.h * s.w;
}

void copy_plane(benchmark::State& state) {
    const std::int64_t side = state.range(0);
    const std::vector<float> x = noise(side * side);
    std::vector<float> y(x.size());
    for ([[maybe_unused]] auto _ : state) {
        std::memcpy(y.data(), x.data(), x.size() * sizeof(float));
        benchmark::DoNotOptimize(y.data());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * side * side * 8);
}

void pool(benchmark::State& state, const PoolDesc& desc, bool with_argmax) {
    const auto threads = static_cast<int>(state.range(0));
    const auto device = iir2d::Device::cpu(threads);
    const auto plan = PoolPlan::make(*device, desc);
    if (!plan) return state.SkipWithError(plan.error().message.c_str());
    const std::int64_t inputs = elements(desc.shape);
    const std::int64_t outputs = elements(plan->output_shape());
    const std::vector<float> x = noise(inputs);
    std::vector<float> y(static_cast<std::size_t>(outputs));
    std::vector<std::int64_t> argmax(with_argmax ? y.size() : 0);
    for ([[maybe_unused]] auto _ : state) {
        const auto done =
            plan->forward({x.data(), f32, desc.shape}, {y.data(), f32, plan->output_shape()}, argmax);
        if (!done) return state.SkipWithError(done.error().message.c_str());
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * (inputs + outputs) * 4 +
                            state.iterations() * static_cast<std::int64_t>(argmax.size()) * 8);
}

struct Case {
    std::string name;
    PoolDesc desc;
    bool with_argmax = false;
};

std::vector<Case> cases() {
    const iir2d::Shape plane{1, 1, 4096, 4096};
    const iir2d::Shape network{8, 64, 112, 112};
    std::vector<Case> all;
    for (const auto& [where, shape] : {std::pair{"4096x4096", plane}, std::pair{"8x64x112x112", network}}) {
        for (const PoolOp op : {PoolOp::max, PoolOp::avg, PoolOp::lp}) {
            const std::string name = std::string(iir2d::name_of(op)) + "/" + where + "/";
            all.push_back({name + "2x2", {.op = op, .shape = shape}});
            all.push_back(
                {name + "3x3_stride2", {.op = op, .shape = shape, .window = {3, 3}, .stride = Extent{2, 2}}});
        }
        all.push_back({std::string("max/") + where + "/2x2_argmax", {.shape = shape}, true});
    }
    for (const PoolOp op : {PoolOp::max, PoolOp::avg}) {
        all.push_back({std::string(iir2d::name_of(op)) + "/4096x4096/31x31_stride1",
                       {.op = op, .shape = plane, .window = {31, 31}, .stride = Extent{1, 1}}});
    }
    all.push_back({"lp3/4096x4096/2x2", {.op = PoolOp::lp, .shape = plane, .p = 3.0}});
    return all;
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::RegisterBenchmark("copy/4096x4096", copy_plane)->Arg(4096)->Unit(benchmark::kMillisecond);
    const int most = iir2d::Device::cpu()->threads();
    for (const Case& c : cases()) {
        auto* registered = benchmark::RegisterBenchmark(
            c.name.c_str(), [c](benchmark::State& state) { pool(state, c.desc, c.with_argmax); });
        registered->ArgName("threads")->Arg(1)->UseRealTime()->Unit(benchmark::kMillisecond);
        if (most > 1) registered->Arg(most);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
