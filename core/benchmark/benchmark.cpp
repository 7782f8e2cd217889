// SPDX-License-Identifier: MIT
#include "core/benchmark/benchmark.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core/benchmark/cache_eviction.h"
#include "core/benchmark/copy_probe.h"
#include "core/benchmark/preemption.h"
#include "core/benchmark/runner.h"
#include "core/benchmark/utc_time.h"
#include "core/benchmark/workload.h"
#include "core/support/counted.h"
#include "core/support/try.h"

namespace workbench {

namespace {

struct Prepared {
    std::vector<BenchmarkCase> cases;
    iir2d::DeviceChoice choice;
};

Result<Prepared> prepare(const BenchmarkMatrix& matrix) {
    IIR2D_TRY(auto cases, expand(matrix));
    IIR2D_TRY(auto choice, from_kernel(iir2d::choose_device(matrix.device, matrix.threads)));
    return Prepared{std::move(cases), std::move(choice)};
}

iir2d::DeviceInfo info_of(const iir2d::Device& device) {
    const auto devices = iir2d::list_devices();
    const auto found = std::ranges::find(devices, device.id(), &iir2d::DeviceInfo::id);
    if (found != devices.end()) return *found;
    return {.id = device.id(), .name = device.name(), .backend = device.backend(), .usable = true};
}

// Cases weigh as their samples do: a progress bar then moves evenly enough.
class Weights {
  public:
    explicit Weights(const std::vector<BenchmarkCase>& cases) {
        for (const auto& what : cases) m_total += weight(what);
    }
    // Progress within one case as progress of the whole.
    TaskControl within(const BenchmarkCase& what, const TaskControl& whole) {
        const double from = m_done / m_total;
        const double width = weight(what) / m_total;
        m_done += weight(what);
        return {.stop = whole.stop,
                .progress = [from, width, &whole](double fraction, std::string_view text) {
                    whole.report(from + width * fraction, text);
                }};
    }

  private:
    static double weight(const BenchmarkCase& what) {
        // A small case still takes the time of its pauses.
        return static_cast<double>(what.width) * static_cast<double>(what.height) * what.channels + 1e5;
    }
    double m_total = 0;
    double m_done = 0;
};

CaseResult unstarted(const BenchmarkCase& what, std::string failure) {
    CaseResult result;
    result.what = what;
    result.started_utc = utc_now();
    result.gpu.reason = failure;
    result.failure = std::move(failure);
    return result;
}

// Makes each case ready and gives it to `run`; stops at the first that was cancelled. A case that cannot be
// made is a result with a failure. True when every case was reached.
template <class Run>
bool for_each_case(const BenchmarkMatrix& matrix, const Prepared& prepared, const TaskControl& control,
                   Run run, std::vector<CaseResult>& results,
                   const std::function<void(const CaseResult&)>& on_result) {
    InputSource inputs(matrix);
    ReferenceCache references;
    Weights weights(prepared.cases);
    for (const BenchmarkCase& what : prepared.cases) {
        if (control.cancelled()) return false;
        const TaskControl part = weights.within(what, control);
        part.report(0, "preparing " + what.label);
        Result<CaseResult> result;
        try {
            const auto pinned = std::ranges::find(matrix.configs, what.key, &CaseConfig::key);
            std::optional<iir2d::Config> config;
            if (pinned != matrix.configs.end()) config = pinned->config;
            auto workload =
                make_workload(what, inputs.input_of(what), prepared.choice.device, references, config);
            result = workload ? run(**workload, part) : unstarted(what, workload.error().message);
        } catch (const std::bad_alloc&) {
            result = unstarted(what, "there is not enough memory for the planes of this case");
        }
        if (!result) return false;
        results.push_back(std::move(*result));
        if (on_result) on_result(results.back());
    }
    control.report(1, "done");
    return true;
}

std::unexpected<Error> nothing_complete() {
    return fail(ErrorKind::cancelled,
                "the benchmark was cancelled before its first case was complete: there is nothing to keep");
}

}  // namespace

void keep_identity_of_image(BenchmarkMatrix& matrix) {
    if (!matrix.image) return;
    const PlanarImage& pixels = matrix.image->pixels;
    matrix.sizes = {{pixels.width(), pixels.height()}};
    matrix.image_identity = ImageIdentity{.path = matrix.image->info.path.string(),
                                          .format = matrix.image->info.format,
                                          .width = pixels.width(),
                                          .height = pixels.height(),
                                          .channels = pixels.channels(),
                                          .type = pixels.type(),
                                          .pixel_sha256 = pixel_hash(pixels)};
    matrix.image.reset();
}

Result<BenchmarkRun> run_benchmark(const BenchmarkMatrix& matrix, const TaskControl& control,
                                   const std::function<void(const CaseResult&)>& on_result) {
    IIR2D_TRY(const auto prepared, prepare(matrix));
    const iir2d::Device& device = prepared.choice.device;

    BenchmarkRun run;
    run.matrix = matrix;
    keep_identity_of_image(run.matrix);
    run.device = info_of(device);
    run.device_reason = prepared.choice.reason;
    run.threads = device.threads();
    run.started_utc = utc_now();
    run.case_total = static_cast<std::int64_t>(prepared.cases.size());
    run.copy_method = copy_method(device.backend());
    // With one thread only the caller computes, and only its own preemption matters.
    CaseSettings settings{
        .warmup = matrix.warmup,
        .iterations = matrix.iterations,
        .stopping = matrix.stopping,
        .most_disturbed = matrix.most_disturbed,
        .preemption = run.threads == 1 ? PreemptionScope::thread : PreemptionScope::process};
    if (device.backend() == iir2d::Backend::cuda) {
        run.clock = "CUDA events, without transfers";
        run.transfers = "not in the latency";
        settings.gpu_state = [&device] { return iir2d::sample_device(device); };
    }
    run.preemption_counter = preemption_counter(settings.preemption);

    std::optional<CacheEviction> eviction;
    if (matrix.cold_cache && device.backend() == iir2d::Backend::cpu) {
        eviction.emplace();
        settings.evict = [&eviction] { eviction->evict(); };
    }

    std::optional<CopyProbe> made;  // of the host
    try {
        made.emplace(run.threads);
    } catch (const std::exception&) {
        return fail(ErrorKind::device_failure, "the system has no room for " + std::to_string(run.threads) +
                                                   " threads that copy: give fewer with --threads");
    }
    CopyProbe& probe = *made;
    const auto one = [&](Workload& workload, const TaskControl& part) {
        return run_case(workload, settings, probe, part);
    };
    run.cancelled = !for_each_case(matrix, prepared, control, one, run.results, on_result);
    if (run.results.empty()) return nothing_complete();
    run.finished_utc = utc_now();
    return run;
}

Result<std::vector<CaseResult>> run_parity(const BenchmarkMatrix& matrix, const TaskControl& control,
                                           const std::function<void(const CaseResult&)>& on_result) {
    IIR2D_TRY(const auto prepared, prepare(matrix));
    std::vector<CaseResult> results;
    // Unlike figures, a verdict on part of the matrix is none.
    if (!for_each_case(matrix, prepared, control, check_case_parity, results, on_result)) {
        return fail(ErrorKind::cancelled, "the parity check was cancelled after " +
                                              std::to_string(results.size()) + " of " +
                                              counted(prepared.cases.size(), "case"));
    }
    return results;
}

}  // namespace workbench
