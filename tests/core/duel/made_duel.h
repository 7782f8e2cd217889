// SPDX-License-Identifier: MIT
// Settings of small duels, and records of duels that nobody measured.
#pragma once

#include <cstdint>
#include <string>

#include "core/benchmark/synthetic.h"
#include "core/duel/duel.h"
#include "core/duel/duel_record.h"

namespace workbench {

// One small case, and little patience.
inline DuelSettings quick_settings() {
    DuelSettings s;
    s.matrix.sizes = {{96, 80}};
    s.matrix.filter_ids = {1};
    s.matrix.precisions = {iir2d::Precision::f32};
    s.matrix.device = "cpu";
    s.matrix.threads = 1;
    s.launches = 2;
    s.rule.least_pairs = 4;
    s.rule.most_pairs = 16;
    s.longest_call_seconds = 10;
    return s;
}

// A duel as it would have been measured: the new build takes `ratio` of the base's time, give or take 1 %.
inline DuelRecord made_record(double ratio, const std::string& base_commit, const std::string& now_commit,
                              const BenchmarkMatrix& matrix = quick_settings().matrix,
                              double margin = DuelRule{}.margin) {
    DuelRecord record;
    record.environment = capture_environment(1);
    Duel& duel = record.duel;
    duel.settings = quick_settings();
    duel.settings.matrix = matrix;
    duel.settings.launches = 8;
    duel.settings.rule.margin = margin;
    duel.settings.rule.most_pairs = 400;
    const auto side = [](const std::string& commit, char digit) {
        return LibraryFile{.given = "lib",
                           .path = "/somewhere/libiir2d.so",
                           .sha256 = std::string(64, digit),
                           .version = "1.2.0",
                           .fingerprint = "iir2d 1.2.0, commit " + commit + ", GNU 12.2.0"};
    };
    duel.base = side(base_commit, 'a');
    duel.now = side(now_commit, 'b');
    duel.started_utc = "2026-11-22T10:00:00Z";
    duel.finished_utc = "2026-11-22T10:01:00Z";
    const auto cases = *expand(duel.settings.matrix);
    duel.case_total = static_cast<std::int64_t>(cases.size());
    std::uint64_t draw = 0;
    const auto noise = [&draw] {
        return 1 + 0.01 * (static_cast<double>(splitmix64(9, draw++) >> 11) * 0x1p-53 - 0.5);
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        DuelCase c{.what = cases[i], .started_utc = duel.started_utc};
        for (int launch = 0; launch < 8; ++launch) {
            DuelLaunch one{.alignment = 64 * launch, .processors = {0}, .rounds = {}};
            for (const char* order : {"BNCK", "KCNB", "NKBC", "CBKN"}) {
                one.rounds.push_back({.order = order,
                                      .ms = {noise(), ratio * noise(), noise(), 0.5 * noise()},
                                      .preempted = {false, launch == 3, false, false}});
            }
            c.launches.push_back(one);
        }
        DuelRule rule = duel.settings.rule;
        rule.seed = splitmix64(rule.seed, i);
        c.looks = {DuelJudge(rule).look(ratios_of(c.launches, Participant::now),
                                        ratios_of(c.launches, Participant::control), 0.2)};
        c.verdict = c.looks[0].verdict;
        c.outputs = DuelOutputs{.equal_bits = true,
                                .bound = 1e-5,
                                .base_sha256 = std::string(64, 'e'),
                                .now_sha256 = std::string(64, 'e')};
        c.seconds = 1.5;
        duel.cases.push_back(std::move(c));
    }
    record.command_line =
        duel_command_line(duel.settings, duel.base.path.string(), duel.now.path.string(), {});
    return *duel_record_from_json(duel_record_to_json(record));
}

}  // namespace workbench
