// SPDX-License-Identifier: MIT
#include "core/benchmark/runner.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/benchmark/utc_time.h"
#include "core/support/try.h"

namespace workbench {

namespace {

using Clock = std::chrono::steady_clock;

// Before each measurement, for a thread pool's idle workers to stop spinning: they would otherwise take the
// processors from whatever is measured next.
constexpr auto settling_time = std::chrono::microseconds(300);
// What part of a case's progress its parity is.
constexpr double parity_share = 0.3;

std::unexpected<Error> cancelled() {
    return fail(ErrorKind::cancelled, "the benchmark was cancelled");
}

// Calls `measure`, which returns milliseconds, and marks the sample when the process was preempted meanwhile.
template <class Measure>
Result<TimedSample> sample(const CaseSettings& settings, Measure measure) {
    const PreemptionScope scope = settings.preemption;
    if (settings.evict) settings.evict();
    std::this_thread::sleep_for(settling_time);
    const auto before = involuntary_switches(scope);
    const Result<double> latency = measure();
    if (!latency) return std::unexpected(latency.error());
    const auto after = involuntary_switches(scope);
    return TimedSample{*latency, before && after && *after > *before};
}

Result<double> timed_compute(Workload& workload, const TaskControl& control) {
    workload.prepare();
    const auto start = Clock::now();
    const Result<void> done = workload.compute(control.stop);
    const auto end = Clock::now();
    if (!done) return std::unexpected(done.error());
    if (workload.gpu_time) return workload.gpu_time->compute_ms;
    return std::chrono::duration<double, std::milli>(end - start).count();
}

Result<void> time_case(CaseResult& result, Workload& workload, const CaseSettings& settings, CopyProbe& probe,
                       const TaskControl& control) {
    const Traffic traffic = workload.traffic();
    const auto output_size = static_cast<std::size_t>(traffic.written);
    // The input itself where that is all that is read.
    std::span<const std::byte> input = workload.input->pixels->bytes();
    std::vector<std::byte> other_input;
    if (input.size() != traffic.read) {
        other_input.resize(static_cast<std::size_t>(traffic.read));
        input = other_input;
    }
    std::vector<std::byte> scratch(std::max(input.size(), output_size));
    const auto copy_target = std::span(scratch).first(output_size);
    const auto memcpy_target = std::span(scratch).first(input.size());

    std::vector<double> transfers;
    const auto time_copy = [&]() -> Result<double> {
        if (workload.gpu) return copy_on_gpu(*workload.gpu, input.size(), output_size);
        return probe.copy(input, copy_target);
    };

    std::optional<GpuWatch> watch;
    if (settings.gpu_state) watch.emplace(settings.gpu_state).sample();

    const int total = settings.warmup + (settings.stopping ? settings.stopping->most : settings.iterations);
    auto last_report = Clock::now();
    auto first_timed = last_report;
    std::vector<double> taken;  // the samples so far, for the rule
    for (int i = 0; i < total; ++i) {
        if (i == settings.warmup) first_timed = Clock::now();
        if (control.cancelled()) return cancelled();
        const bool warming = i < settings.warmup;
        const auto now = Clock::now();
        if (now - last_report > std::chrono::milliseconds(50) || i == 0 || i == settings.warmup) {
            last_report = now;
            control.report(parity_share + (1 - parity_share) * i / total,
                           warming ? "warming up" : "measuring " + result.what.label);
        }
        IIR2D_TRY(const auto own, sample(settings, [&] { return timed_compute(workload, control); }));
        if (watch) watch->sample_when_due();  // the nearest to the work that is not during it
        IIR2D_TRY(const auto copy, sample(settings, time_copy));
        const auto plain =
            sample(settings, [&] { return Result<double>(probe.plain_memcpy(input, memcpy_target)); });
        if (warming) continue;
        if (workload.gpu_time)
            transfers.push_back(workload.gpu_time->upload_ms + workload.gpu_time->download_ms);
        result.samples.push_back(own);
        result.copy_samples.push_back(copy);
        result.memcpy_samples.push_back(*plain);
        if (!settings.stopping) continue;
        taken.push_back(own.latency_ms);
        const std::chrono::duration<double> so_far = Clock::now() - first_timed;
        if (const auto reason = stop_reason(*settings.stopping, taken, so_far.count())) {
            result.stop_reason = *reason;
            break;
        }
    }
    if (watch) {
        watch->sample();
        result.gpu = watch->states();
    }
    workload.finish();
    if (pixel_hash(workload.output) != result.output_sha256) {
        return fail(ErrorKind::check_failed,
                    "the result changed from one run to the next: it is not reproducible");
    }
    result.bytes_moved = traffic.read + traffic.written;
    static_cast<TimingFigures&>(result) = figures_of(result);
    result.inconclusive = inconclusive_reason(preempted_count(result.samples), result.samples.size(),
                                              settings.most_disturbed, throttled_by(result));
    if (!transfers.empty()) result.transfer_ms_p50 = percentile(transfers, 50);
    return {};
}

// What an error makes of a case: nothing when cancelled, else a case with a failure and no samples.
Result<CaseResult> failed(CaseResult result, const Error& error) {
    if (error.kind == ErrorKind::cancelled) return std::unexpected(error);
    result.failure = error.message;
    result.samples.clear();
    result.copy_samples.clear();
    result.memcpy_samples.clear();
    result.gpu = Fact<GpuStates>::absent(error.message);
    return result;
}

Result<void> check_parity(CaseResult& result, Workload& workload, const TaskControl& control) {
    const std::string what = "checking " + result.what.label;
    control.report(0, what);
    workload.prepare();
    IIR2D_RETURN_IF_ERROR(workload.compute(control.stop));
    workload.finish();
    const int channels = workload.input->pixels->channels();
    if (workload.output.channels() != channels) {
        return fail(ErrorKind::check_failed, "the result has " + std::to_string(workload.output.channels()) +
                                                 " channels instead of " + std::to_string(channels));
    }
    ParityCheck check;
    for (int channel = 0; channel < channels; ++channel) {
        if (control.cancelled()) return cancelled();
        IIR2D_TRY(const auto judgement, workload.judge(channel, control));
        check.add_channel(workload.output, channel, *judgement.reference, judgement.tolerance);
        control.report(parity_share * (channel + 1) / channels, what);
    }
    result.parity = check.parity();
    result.output_sha256 = pixel_hash(workload.output);
    if (auto failure = parity_failure(*result.parity)) {
        return fail(ErrorKind::check_failed, "parity: " + *failure);
    }
    return {};
}

CaseResult started(const Workload& workload) {
    CaseResult result;
    result.what = workload.what;
    result.started_utc = utc_now();
    result.kernel = workload.kernel;
    result.input_sha256 = workload.input->sha256;
    result.gpu.reason = "the case ran on the CPU";
    return result;
}

}  // namespace

Result<CaseResult> check_case_parity(Workload& workload, const TaskControl& control) {
    CaseResult result = started(workload);
    try {
        if (auto good = check_parity(result, workload, control); !good) return failed(result, good.error());
    } catch (const std::bad_alloc&) {
        return failed(result, {ErrorKind::device_failure, "there is not enough memory for the reference"});
    }
    return result;
}

Result<CaseResult> run_case(Workload& workload, const CaseSettings& settings, CopyProbe& probe,
                            const TaskControl& control) {
    auto result = check_case_parity(workload, control);
    if (!result || result->failure) return result;
    try {
        if (auto done = time_case(*result, workload, settings, probe, control); !done) {
            return failed(std::move(*result), done.error());
        }
    } catch (const std::bad_alloc&) {
        return failed(std::move(*result),
                      {ErrorKind::device_failure, "there is not enough memory for the copy"});
    }
    return result;
}

}  // namespace workbench
