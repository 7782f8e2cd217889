// SPDX-License-Identifier: MIT
#include "ui/tour/tour_duel.h"

#include <array>
#include <cmath>

#include "core/benchmark/synthetic.h"
#include "core/support/try.h"

namespace workbench {
namespace {

struct MadeCase {
    double ratio;   // of the new build's time to the base's
    double spread;  // of both, relative; of whole launches
    const char* failure;
    const char* difference;
};

// In the order of the matrix below.
constexpr std::array made_cases = {
    MadeCase{1.003, 0.012, nullptr, nullptr},
    MadeCase{1.081, 0.03, nullptr, nullptr},
    MadeCase{0.938, 0.02, nullptr, nullptr},
    MadeCase{1.02, 0.09, nullptr, nullptr},
    MadeCase{1, 0, "new: the library has no iir2d_pool_forward_cpu", nullptr},
    MadeCase{1, 0, nullptr, "new: one sample of 65536 differs from the base's by 0.25, 1.2e-05 is allowed"}};

LibraryFile madeSide(const char* path, char digit, const std::string& commit) {
    return {.given = path,
            .path = path,
            .sha256 = std::string(64, digit),
            .version = "1.2.0",
            .fingerprint = "iir2d 1.2.0, commit " + commit + ", GNU 12.2.0"};
}

std::vector<DuelLaunch> madeLaunches(const MadeCase& made, int count, std::uint64_t& draw) {
    const auto noise = [&draw](double spread) {
        return std::exp(spread * (static_cast<double>(splitmix64(9, draw++) >> 11) * 0x1p-53 - 0.5));
    };
    std::vector<DuelLaunch> launches;
    for (int i = 0; i < count; ++i) {
        DuelLaunch launch{.alignment = 64 * i, .processors = {i % 2}, .rounds = {}};
        const double layout = noise(made.spread);
        for (const char* order : {"BNCK", "KCNB", "NKBC", "CBKN"}) {
            const double pace = 0.42 * noise(0.2);  // of the machine: the same for all
            launch.rounds.push_back({.order = order,
                                     .ms = {pace * noise(0.01), pace * made.ratio * layout * noise(0.01),
                                            pace * noise(0.008), 0.17 * pace * noise(0.01)},
                                     .preempted = {false, i == 3, false, false}});
        }
        launches.push_back(std::move(launch));
    }
    return launches;
}

DuelOutputs sameBits() {
    return {.equal_bits = true,
            .bound = 1.2e-5,
            .base_sha256 = std::string(64, 'e'),
            .now_sha256 = std::string(64, 'e')};
}

}  // namespace

Result<DuelRecord> everyVerdict() {
    DuelRecord record;
    record.environment = capture_environment(1);
    Duel& duel = record.duel;
    BenchmarkMatrix& matrix = duel.settings.matrix;
    matrix.sizes = {{512, 512}};
    matrix.filter_ids = {1, 4, 8};
    matrix.precisions = {iir2d::Precision::f32};
    matrix.pools = {PoolOperation{.op = iir2d::PoolOp::max, .window = {2, 2}},
                    PoolOperation{.op = iir2d::PoolOp::avg, .window = {2, 2}},
                    PoolOperation{.op = iir2d::PoolOp::max, .window = {3, 3}}};
    matrix.device = "cpu";
    matrix.threads = 1;
    duel.settings.launches = 12;
    duel.settings.rule.most_pairs = 48;
    duel.base = madeSide("/opt/iir2d-1.1/lib/libiir2d.so.1.1", 'a', "8f3c2b7d90a1");
    duel.now = madeSide("/home/me/iir2d/build/kernels/libiir2d.so.1.2", 'b', "d9b111bcc4e2");
    duel.threads = 1;
    duel.started_utc = "2026-11-22T10:00:00Z";
    duel.finished_utc = "2026-11-22T10:01:12Z";
    IIR2D_TRY(const auto cases, expand(matrix));
    duel.case_total = static_cast<std::int64_t>(cases.size());
    std::uint64_t draw = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const MadeCase& made = made_cases[i % made_cases.size()];
        DuelCase c{.what = cases[i], .started_utc = duel.started_utc};
        c.seconds = 4.2 + static_cast<double>(i);
        if (made.failure != nullptr || made.difference != nullptr) {
            c.verdict = made.failure != nullptr ? DuelVerdict::failed : DuelVerdict::wrong;
            c.reason = made.failure != nullptr ? made.failure : made.difference;
            if (made.difference != nullptr) {
                c.outputs = sameBits();
                c.outputs->equal_bits = false;
                c.outputs->max_abs_error = 0.25;
                c.outputs->max_ulp = 2'097'152;
                c.outputs->now_sha256 = std::string(64, 'f');
            }
        } else {
            c.launches = madeLaunches(made, duel.settings.launches, draw);
            c.outputs = sameBits();
            DuelRule rule = duel.settings.rule;
            rule.seed = splitmix64(rule.seed, i);
            // All pairs that there may be: the only look is the last.
            c.looks = {DuelJudge(rule).look(ratios_of(c.launches, Participant::now),
                                            ratios_of(c.launches, Participant::control), 1.0)};
            DuelLook& look = c.looks.front();
            if (look.verdict == DuelVerdict::undecided) {
                look.verdict = DuelVerdict::ambiguous;
                look.reason += " after the most pairs, 48";
                c.reason = look.reason;
            }
            c.verdict = look.verdict;
        }
        duel.cases.push_back(std::move(c));
    }
    record.command_line =
        duel_command_line(duel.settings, duel.base.path.string(), duel.now.path.string(), {});
    return duel_record_from_json(duel_record_to_json(record));
}

}  // namespace workbench
