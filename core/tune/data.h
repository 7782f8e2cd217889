// SPDX-License-Identifier: MIT
// Holds what was measured: visits of problems, configs and their samples. Plain values, as the database has
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "core/tune/machine.h"

namespace workbench::tune {

// Says what a config is judged by: the call, the call and one read of what it wrote, or the worse of the two.
enum class Objective { both, op, use };
Result<Objective> objective_from_name(std::string_view name);
std::string_view name_of(Objective objective);

// Beside configs, a visit times these.
inline constexpr std::string_view copy_text = "copy";
inline constexpr std::string_view static_text = "static";
inline constexpr std::string_view second_static_text = "static#2";  // the same again: the noise floor

struct Sample {
    int round = 1;
    int calls = 1;  // that the times are means of
    double op_ms = 0;
    double use_ms = 0;
    bool marked = false;  // the process was preempted meanwhile
    friend bool operator==(const Sample&, const Sample&) = default;
};

// Figures of a config's samples. Logarithms are of its time over static's.
struct Figures {
    double op_ms_min = 0;
    double op_ms_p50 = 0;
    double op_ms_mad = 0;
    double use_ms_p50 = 0;
    double ln_op = 0;
    double ln_use = 0;
    double ln_low = 0;  // 95 % interval of the one of the two that counts
    double ln_high = 0;
    friend bool operator==(const Figures&, const Figures&) = default;
};

// Says how a config's measurement ended. `pruned` was stopped early, its estimate stays. The last three were
// not timed, `reason` says why.
enum class Status { ok, pruned, invalid, wrong, failed };
std::string_view name_of(Status status);
std::optional<Status> status_from_name(std::string_view name);

struct Measurement {
    std::string config;  // text_of(), or one of the three above
    Status status = Status::ok;
    std::string reason;
    std::vector<Sample> samples;
    std::optional<Figures> figures;  // absent where nothing was timed

    std::size_t marked() const;
    friend bool operator==(const Measurement&, const Measurement&) = default;
};

// Says how a visit ended. `unstable`: too few rounds were undisturbed, and all count. `contended`: threads
// ran slower side by side than they do on this machine when it is quiet. `wrong`: a result was wrong.
enum class VisitState { ok, unstable, contended, wrong };
std::string_view name_of(VisitState state);
std::optional<VisitState> visit_state_from_name(std::string_view name);

struct Visit {
    std::string machine;  // ids
    std::string build;
    std::string started_utc;
    std::uint64_t seed = 0;
    int rounds = 0;
    double parallel_ratio = 1;
    std::optional<double> load1;
    VisitState state = VisitState::ok;
    std::string input_sha256;
    std::string output_sha256;
    std::vector<Measurement> measurements;

    const Measurement* of(std::string_view config) const;
    friend bool operator==(const Visit&, const Visit&) = default;
};

struct MeasuredProblem {
    std::string spec;
    std::string key;
    std::string purpose;
    std::string family;
    std::string set;
    std::string source;
    std::vector<Visit> visits;
};

struct Measurements {
    std::vector<std::pair<std::string, std::string>> meta;
    std::vector<Identity> machines;
    std::vector<Identity> builds;
    std::vector<MeasuredProblem> problems;
};

}  // namespace workbench::tune
