// SPDX-License-Identifier: MIT
// One case, from its parity to its figures. run_benchmark() calls this for each case; tests call it with
// workloads of their own.
#pragma once

#include <functional>
#include <optional>

#include "core/benchmark/benchmark.h"
#include "core/benchmark/copy_probe.h"
#include "core/benchmark/gpu_watch.h"
#include "core/benchmark/preemption.h"
#include "core/benchmark/workload.h"
#include "core/support/error.h"
#include "core/support/task.h"

namespace workbench {

struct CaseSettings {
    int warmup = 10;
    int iterations = 50;
    std::optional<StoppingRule> stopping = {};  // instead of `iterations`
    std::function<void()> evict = {};           // empties the caches; called before everything that is timed
    double most_disturbed = 0.5;                // see BenchmarkMatrix
    PreemptionScope preemption = PreemptionScope::process;
    GpuWatch::Source gpu_state = {};  // of the GPU that computes; empty: none does
};

// Computes once and judges every channel. The only error is `cancelled`: whatever else goes wrong is the
// case's failure.
Result<CaseResult> check_case_parity(Workload& workload, const TaskControl& control);

// Does the same, then warms up and times it when it agreed. Each iteration runs the workload, the copy and
// the memcpy in turn, so that all three see the same machine.
Result<CaseResult> run_case(Workload& workload, const CaseSettings& settings, CopyProbe& probe,
                            const TaskControl& control);

}  // namespace workbench
