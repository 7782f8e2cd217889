// SPDX-License-Identifier: MIT
// A visit of a problem: its configs timed in rounds, against static.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/benchmark/copy_probe.h"
#include "core/support/error.h"
#include "core/support/task.h"
#include "core/tune/data.h"
#include "core/tune/problem.h"
#include "iir2d/config.h"
#include "iir2d/device.h"

namespace workbench::tune {

struct VisitSettings {
    Objective objective = Objective::both;
    int rounds_least = 5;
    int rounds_most = 25;
    double most_seconds = 10;      // of rounds
    std::uint64_t input_seed = 1;  // of the planes
    std::uint64_t seed = 1;        // of orders and intervals
    // Says that static's output of that input was found right before; else, and where this is empty, the
    // double reference judges it. Both as SHA-256.
    std::function<bool(const std::string& input, const std::string& output)> is_proved = {};
};

// Checks that every config's bytes are static's (on a GPU, of one that changes bits: that they are within the
// bound) and times it, in rounds; each has one sample of the copy, of
// static twice and of every config that is left, in an order drawn from the seed. `configs` begins with
// static. Machine, build and contention are left to the caller. Errors are `cancelled` and what is wrong with
// the problem itself; what is wrong with a config is in its measurement.
Result<Visit> visit(const Problem& problem, const std::vector<iir2d::Config>& configs,
                    const iir2d::Device& device, const VisitSettings& settings, CopyProbe& probe,
                    const TaskControl& control = {});

// Holds a problem's planes and plans while it is visited; tests put something else in their place.
class Subject {
  public:
    virtual ~Subject() = default;
    // Makes ready what runs by a config, as the number of those made before; bad_argument: it is not valid.
    virtual Result<std::size_t> prepare(const iir2d::Config& config) = 0;
    virtual Result<void> run(std::size_t which, const std::stop_token& stop) = 0;
    virtual std::span<std::byte> output() = 0;
    virtual std::span<const std::byte> input() = 0;
    virtual Traffic traffic() = 0;
    virtual Result<void> judge(const TaskControl& control) = 0;  // the latest output
    // Returns whether a config's bytes may differ from static's, within the bound.
    virtual bool may_differ(const iir2d::Config&) const { return false; }
    // Milliseconds of the latest run by the clock of a device that has one, and of a copy there.
    virtual std::optional<double> device_ms() const { return std::nullopt; }
    virtual Result<std::optional<double>> device_copy_ms() { return std::optional<double>(); }
};
Result<Visit> visit(Subject& subject, const std::vector<iir2d::Config>& configs,
                    const VisitSettings& settings, CopyProbe& probe, const TaskControl& control = {});

}  // namespace workbench::tune
