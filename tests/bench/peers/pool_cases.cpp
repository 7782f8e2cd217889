// SPDX-License-Identifier: MIT
// Pooling beside other libraries: every sample of theirs beside one of ours and one of moving what the pass
// has to, so that a machine that drifts drifts for all three. Results that differ from ours are no figures.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "iir2d/device.h"
#include "iir2d/plan.h"
#include "tests/bench/peers/pool_peer.h"
#include "tests/bench/registration.h"
#include "tests/bench/samples.h"
#include "tests/bench/team.h"

namespace bench {

namespace {

using namespace iir2d;

constexpr auto f32 = ElementType::f32;

class OurJob final : public PoolPeerJob {
  public:
    OurJob(const PoolSpec& spec, PoolData& data, int threads)
        : m_backward(spec.backward), m_data(data), m_plan(plan_of(spec, threads)) {
        const bool wants_places =
            spec.kind == PoolKind::max_with_places || (spec.backward && is_max(m_plan.desc().op));
        if (wants_places) m_places.resize(spec.outputs());
        if (spec.backward) forward();
    }
    void run() override {
        if (!m_backward) return forward();
        check(m_plan.backward(x(), y(), {m_data.dy.data(), f32, m_plan.output_shape()},
                              {m_data.dx.data(), f32, m_plan.desc().shape}, m_places));
    }

  private:
    static PoolPlan plan_of(const PoolSpec& spec, int threads) {
        const auto cpu = Device::cpu(threads);
        if (!cpu) throw std::runtime_error(cpu.error().message);
        auto plan = PoolPlan::make(*cpu, {.op = spec.kind == PoolKind::avg   ? PoolOp::avg
                                                : spec.kind == PoolKind::lp2 ? PoolOp::lp
                                                                             : PoolOp::max,
                                          .shape = {spec.n, spec.c, spec.h, spec.w},
                                          .window = {spec.window, spec.window},
                                          .stride = Extent{spec.stride, spec.stride}});
        if (!plan) throw std::runtime_error(plan.error().message);
        return std::move(*plan);
    }
    static void check(const Result<void>& result) {
        if (!result) throw std::runtime_error(result.error().message);
    }
    ConstTensorView x() const { return {m_data.x.data(), f32, m_plan.desc().shape}; }
    TensorView y() const { return {m_data.y.data(), f32, m_plan.output_shape()}; }
    void forward() { check(m_plan.forward(x(), y(), m_places)); }

    bool m_backward;
    PoolData& m_data;
    PoolPlan m_plan;
    std::vector<std::int64_t> m_places;
};

// Memory of what the pass reads and writes, in floats; the places of maxima are 64 bits each.
struct Moved {
    Buffer<float> read;
    Buffer<float> written;
    Buffer<float> places;
    static std::size_t reads(const PoolSpec& spec) {
        if (!spec.backward) return spec.inputs();
        if (spec.kind == PoolKind::avg) return spec.outputs();
        return spec.kind == PoolKind::lp2 ? spec.inputs() + 2 * spec.outputs() : 3 * spec.outputs();
    }
    explicit Moved(const PoolSpec& spec)
        : read(reads(spec), true),
          written(spec.backward ? spec.inputs() : spec.outputs(), false),
          places(!spec.backward && spec.kind == PoolKind::max_with_places ? 2 * spec.outputs() : 0, false) {}
};

// Relative to what both are of.
double largest_difference(const Buffer<float>& a, const Buffer<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.count(); ++i) {
        const double scale = std::max(
            {1e-6, std::abs(static_cast<double>(a.data()[i])), std::abs(static_cast<double>(b.data()[i]))});
        largest = std::max(
            largest, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])) / scale);
    }
    return largest;
}

void run_case(benchmark::State& state, const PoolPeer& peer, const PoolSpec& spec, int threads) try {
    constexpr double allowed = 1e-5;
    name_counters(state, peer_counters);
    PoolData data(spec);
    PoolData our_data(spec);
    const auto job = peer.make(spec, data, threads);
    OurJob ours(spec, our_data, threads);
    Moved moved(spec);
    Team team(threads);
    Samples works;
    Samples own;
    Samples moves;
    const auto round = [&](Samples& work, Samples& our, Samples& move) {
        const double seconds = work.take([&] { return seconds_of([&] { job->run(); }); });
        // OpenMP's idle threads spin longer than ours.
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        our.take([&] { return seconds_of([&] { ours.run(); }); });
        move.take([&] { return read_and_write(team, moved.read, moved.written, moved.places); });
        return seconds;
    };
    Samples cold[3];
    round(cold[0], cold[1], cold[2]);
    job->finish();
    const double difference =
        spec.backward ? largest_difference(data.dx, our_data.dx) : largest_difference(data.y, our_data.y);
    if (!(difference <= allowed)) return state.SkipWithError("the result is not ours");
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(round(works, own, moves));
    state.counters["max_error"] = difference;
    if (!has_samples(state, std::min({works.kept(), own.kept(), moves.kept()}))) return;
    state.counters["p50_ms"] = works.median() * 1e3;
    state.counters["copy_ms"] = moves.median() * 1e3;
    state.counters["x_copy"] = works.median() / moves.median();
    state.counters["iir2d_ms"] = own.median() * 1e3;
    state.counters["x_iir2d"] = works.median() / own.median();
} catch (const std::exception& error) {
    state.SkipWithError(error.what());
}

std::vector<PoolPeer> all_peers() {
    std::vector<PoolPeer> all{iir2d_pool_peer()};
#if defined(IIR2D_PEER_ONEDNN)
    std::ranges::move(onednn_pool_peers(), std::back_inserter(all));
#endif
#if defined(IIR2D_PEER_TORCH)
    all.push_back(torch_pool_peer());
#endif
    return all;
}

std::string kind_text(const PoolSpec& spec) {
    constexpr const char* names[] = {"max", "max with places", "avg", "lp2"};
    return std::string("pool ") + names[static_cast<std::size_t>(spec.kind)] + " " +
           std::to_string(spec.window) + "x" + std::to_string(spec.window) + " stride 2" +
           (spec.backward ? " backward" : "");
}

}  // namespace

PoolPeer iir2d_pool_peer() {
    return {std::string("iir2d ") + IIR2D_PEER_VERSION,
            [](const PoolSpec& spec) -> std::string { return spec.backward ? "backward" : "forward"; },
            [](const PoolSpec& spec, PoolData& data, int threads) -> std::unique_ptr<PoolPeerJob> {
                return std::make_unique<OurJob>(spec, data, threads);
            }};
}

void add_pool_cases(int most_threads) {
    const PoolSpec plane{.h = 4096, .w = 4096};
    const PoolSpec network{.n = 8, .c = 64, .h = 112, .w = 112};
    for (const auto& [where, shape] :
         {std::pair{"1x1x4096x4096", plane}, std::pair{"8x64x112x112", network}}) {
        for (const PoolKind kind : {PoolKind::max, PoolKind::max_with_places, PoolKind::avg, PoolKind::lp2}) {
            for (const bool backward : {false, true}) {
                if (backward && kind == PoolKind::max_with_places) continue;  // as of max, which reads them
                for (const std::int64_t window : {2, 3}) {
                    for (const int threads : {1, 2}) {
                        if (threads > most_threads) continue;
                        PoolSpec spec = shape;
                        spec.kind = kind;
                        spec.backward = backward;
                        spec.window = window;
                        for (const PoolPeer& peer : all_peers()) {
                            const std::string what = peer.what(spec);
                            if (what.empty()) continue;
                            add_case(kind_text(spec) + "/" + peer.library + "/" + what + "/" + where +
                                         threads_part(threads),
                                     [peer, spec, threads](benchmark::State& state) {
                                         run_case(state, peer, spec, threads);
                                     });
                        }
                    }
                }
            }
        }
    }
}

}  // namespace bench
