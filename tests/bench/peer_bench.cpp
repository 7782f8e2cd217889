// SPDX-License-Identifier: MIT
// Our kernels and other libraries on the same plane in the same run: each sample beside one of a copy past
// the caches, on as many threads; for smoothers also how far each is from a Gaussian. What is compared with
// what, and how to run it: docs/measuring-kernels.md.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/gaussian.h"
#include "tests/bench/peers/peer.h"
#include "tests/bench/peers/pool_peer.h"
#include "tests/bench/registration.h"
#include "tests/bench/samples.h"
#include "tests/bench/team.h"

namespace {

using bench::Peer;
using bench::Plane;
using bench::Samples;

// The size at which smoothers are compared with a Gaussian, which is convolved in double.
constexpr std::int64_t size_for_errors = 1024;

std::vector<Peer> all_peers() {
    std::vector<Peer> all = bench::iir2d_peers();
    const auto append = [&](std::vector<Peer> peers) { std::ranges::move(peers, std::back_inserter(all)); };
#if defined(IIR2D_PEER_OPENCV)
    append(bench::opencv_peers());
#endif
#if defined(IIR2D_PEER_CIMG)
    append(bench::cimg_peers());
#endif
#if defined(IIR2D_PEER_ITK)
    append(bench::itk_peers());
#endif
#if defined(IIR2D_PEER_VIPS)
    append(bench::vips_peers());
#endif
    std::ranges::stable_sort(all, {}, &Peer::group);
    return all;
}

void report_error(benchmark::State& state, const Peer& peer, bench::PeerJob& job, const Plane<float>& x) {
    static std::map<double, std::vector<double>> gaussians;
    auto& expected = gaussians[peer.sigma];
    if (expected.empty()) expected = bench::gaussian(x, peer.sigma);
    Plane<float> y(static_cast<std::int64_t>(x.size()), false);
    job.fetch(y);
    const auto error = bench::difference_inside(y, expected, peer.sigma);
    state.counters["max_error"] = error.largest;
    state.counters["rms_error"] = error.root_mean_square;
}

void run_case(benchmark::State& state, const Peer& peer, std::int64_t size, int threads) try {
    bench::name_counters(state, bench::peer_counters);
    const Plane<float> x(size, true);
    Plane<float> copied(size, false);
    bench::Team team(threads);
    const auto job = peer.make(x, threads);
    Samples works;
    Samples copies;
    const auto round = [&](Samples& work, Samples& copy) {
        job->prepare();
        const double seconds = work.take([&] { return bench::seconds_of([&] { job->run(); }); });
        copy.take([&] { return bench::stream_copy(team, x, copied); });
        return seconds;
    };
    Samples cold[2];
    round(cold[0], cold[1]);
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(round(works, copies));
    if (peer.sigma > 0 && size == size_for_errors && threads == 1) report_error(state, peer, *job, x);
    if (!bench::has_samples(state, std::min(works.kept(), copies.kept()))) return;
    state.counters["p50_ms"] = works.median() * 1e3;
    state.counters["copy_ms"] = copies.median() * 1e3;
    state.counters["x_copy"] = works.median() / copies.median();
} catch (const std::exception& error) {
    state.SkipWithError(error.what());
}

}  // namespace

int main(int argc, char** argv) {
    const int most_threads = static_cast<int>(std::thread::hardware_concurrency());
    for (const std::int64_t size : {1024, 4096}) {
        for (const int threads : {1, 2}) {
            if (threads > most_threads) continue;
            for (const Peer& peer : all_peers()) {
                bench::add_case(
                    peer.group + "/" + peer.library + "/" + peer.what + "/" + std::to_string(size) +
                        bench::threads_part(threads),
                    [peer, size, threads](benchmark::State& state) { run_case(state, peer, size, threads); });
            }
        }
    }
    bench::add_pool_cases(most_threads);
    return bench::run_cases(argc, argv);
}
