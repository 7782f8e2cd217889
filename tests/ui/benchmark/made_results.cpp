// SPDX-License-Identifier: MIT
#include "tests/ui/benchmark/made_results.h"

namespace workbench {

namespace {

BenchmarkCase caseOf(int filterId, std::int64_t side, iir2d::Precision precision) {
    BenchmarkMatrix matrix;
    matrix.sizes = {{side, side}};
    matrix.filter_ids = {filterId};
    matrix.precisions = {precision};
    return expand(matrix)->front();
}

}  // namespace

CaseResult madeCase(int filterId, std::int64_t side, iir2d::Precision precision,
                    const std::vector<double>& latencies, int preemptedEvery) {
    CaseResult r;
    r.what = caseOf(filterId, side, precision);
    r.started_utc = "2026-01-02T03:04:05Z";
    r.kernel = {.name = "iir_lines", .variant = "two_pass"};
    r.parity = Parity{.passed = true, .max_abs_error = 1.5e-7, .bound = 1e-5};
    for (std::size_t i = 0; i < latencies.size(); ++i) {
        const bool preempted = preemptedEvery > 0 && int(i + 1) % preemptedEvery == 0;
        r.samples.push_back({latencies[i], preempted});
    }
    r.latency = summarise(latencies);
    r.copy_latency = summarise(std::vector<double>{0.5});
    r.ratio_to_copy = r.latency.p50 / 0.5;
    const double pixels = double(side) * double(side);
    r.bytes_moved = std::uint64_t(side) * std::uint64_t(side) * 8;
    r.throughput_mpix_per_s_p50 = pixels / r.latency.p50 / 1e3;
    r.throughput_gb_per_s_p50 = pixels * 8 / r.latency.p50 / 1e6;
    return r;
}

CaseResult madePool(const PoolOperation& pool, iir2d::ElementType element, PoolPass pass) {
    CaseResult r = madeCase(1, 512, iir2d::Precision::f32, {1.0});
    BenchmarkMatrix matrix;
    matrix.sizes = {{512, 512}};
    matrix.filter_ids = {};
    matrix.pools = {pool};
    matrix.pool_elements = {element};
    matrix.pool_passes = {pass};
    r.what = expand(matrix)->front();
    r.parity = Parity{.passed = true, .bound = parity_bound(r.what)};
    r.output_sha256 = std::string(64, 'a');
    return r;
}

CaseResult failedCase(int filterId, std::int64_t side, const std::string& why) {
    CaseResult r;
    r.what = caseOf(filterId, side, iir2d::Precision::f32);
    r.failure = why;
    return r;
}

}  // namespace workbench
