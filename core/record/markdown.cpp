// SPDX-License-Identifier: MIT
// The report of a record for a person.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/record/claims.h"
#include "core/record/record.h"
#include "core/support/canonical_json.h"
#include "core/support/counted.h"
#include "core/support/listed.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

// Formats a number; what is not finite is a dash.
std::string figure(double value) {
    return std::isfinite(value) ? brief_number(value) : "-";
}
// Formats a figure that divides by a time.
std::string ratio_figure(double value) {
    return value > 0 ? figure(value) : "-";
}

std::string plain_text(const std::string& value) {
    return value;
}
std::string plain_text(double value) {
    return canonical_number(value);
}
std::string plain_text(int value) {
    return std::to_string(value);
}

// Returns what `text` makes of the value, or why there is none.
template <class T, class Text>
std::string fact_text(const Fact<T>& f, Text text) {
    return f ? text(*f) : "not available: " + markdown_escaped(f.reason);
}
template <class T>
std::string fact_text(const Fact<T>& f) {
    return fact_text(f, [](const T& value) { return markdown_escaped(plain_text(value)); });
}

std::string gibibytes(const Fact<std::uint64_t>& bytes) {
    return fact_text(
        bytes, [](std::uint64_t n) { return brief_number(static_cast<double>(n) / (1 << 30)) + " GiB"; });
}

std::string gpus(const Environment& e) {
    if (e.gpus.empty()) return "not available: " + markdown_escaped(e.gpu_reason);
    return joined(e.gpus, ", ", [](const auto& gpu) { return markdown_escaped(gpu.name); });
}

std::string input_text(const BenchmarkMatrix& matrix) {
    if (!matrix.image_identity)
        return "synthetic planes, uniform in [0, 1), seed " + std::to_string(matrix.seed);
    const ImageIdentity& image = *matrix.image_identity;
    return markdown_escaped(image.path) + ", " + std::to_string(image.width) + "x" +
           std::to_string(image.height) + ", " +
           counted(static_cast<std::uint64_t>(image.channels), "channel") + ", SHA-256 of the pixels " +
           image.pixel_sha256;
}

std::string environment_table(const Record& record) {
    const Environment& e = record.environment;
    const BenchmarkRun& run = record.run;
    std::string out = "| | |\n| --- | --- |\n";
    const auto line = [&out](const char* name, const std::string& value) {
        out += markdown_row({name, value});
    };
    line("Device", markdown_escaped(run.device.id) + ": " + markdown_escaped(run.device.name) + " (" +
                       markdown_escaped(run.device_reason) + ")");
    line("Threads", std::to_string(run.threads));
    line("GPU", gpus(e));
    line("Host", fact_text(e.host));
    line("System", markdown_escaped(e.os) + ", " + markdown_escaped(e.kernel));
    line("Processor", fact_text(e.cpu_model));
    line("Cores", std::to_string(e.logical_cores) + " logical; physical: " + fact_text(e.physical_cores));
    line("Governor", fact_text(e.governor));
    line("Load before", fact_text(e.load_before));
    line("Load after", fact_text(e.load_after));
    line("Memory", gibibytes(e.memory_total_bytes) + "; free before: " + gibibytes(e.memory_available_bytes));
    line("Version", markdown_escaped(e.version) + ", commit " + fact_text(e.commit) +
                        (e.dirty.value == true ? ", with uncommitted changes" : ""));
    line("Compiler", markdown_escaped(e.compiler) + ", " + markdown_escaped(e.build_type) + ", " +
                         markdown_escaped(e.compile_flags));
    line("Library", fact_text(e.library_path) + ", SHA-256 " + fact_text(e.library_sha256));
    line("Input", input_text(run.matrix));
    return out;
}

std::string case_table(const Record& record) {
    std::string out =
        "| Case | p50 ms | p95 ms | min ms | max ms | copy ms | times copy | Mpix/s | GB/s | preempted |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (const CaseResult& one : record.run.results) {
        const std::string name = markdown_escaped(one.what.key) +
                                 (throttled_by(one).empty() ? "" : " (throttled)") + conclusive_mark(one);
        if (one.samples.empty()) {
            out += markdown_row({name, "not timed", "-", "-", "-", "-", "-", "-", "-", "-"});
            continue;
        }
        const SampleStatistics& l = one.latency;
        out += markdown_row(
            {name, figure(l.p50), figure(l.p95), figure(l.min), figure(l.max), figure(one.copy_latency.p50),
             ratio_figure(one.ratio_to_copy), ratio_figure(one.throughput_mpix_per_s_p50),
             ratio_figure(one.throughput_gb_per_s_p50),
             std::to_string(preempted_count(one.samples)) + " of " + std::to_string(one.samples.size())});
    }
    return out;
}

std::string parity_table(const Record& record) {
    std::string out =
        "| Case | verdict | max abs error | mean abs error | max ULP | allowed |\n"
        "| --- | --- | ---: | ---: | ---: | ---: |\n";
    for (const CaseResult& one : record.run.results) {
        const std::string name = markdown_escaped(one.what.key);
        if (!one.parity) {
            out += markdown_row({name, "not judged", "-", "-", "-", "-"});
            continue;
        }
        const Parity& p = *one.parity;
        out += markdown_row({name, p.passed ? "agrees" : "DIFFERS", figure(p.max_abs_error),
                             figure(p.mean_abs_error), std::to_string(p.max_ulp),
                             figure(p.bound) + (p.bound_is_relative ? " relative" : "")});
    }
    return out;
}

std::string failures(const Record& record) {
    std::string out;
    for (const CaseResult& one : record.run.results) {
        if (!one.samples.empty()) continue;
        out += "- " + markdown_escaped(one.what.key) + ": " +
               markdown_escaped(one.failure.value_or("it has no samples")) + "\n";
    }
    return out.empty() ? out : "\n## Cases that were not timed\n\n" + out;
}

std::string gpu_line(const GpuStates& gpu) {
    std::string out = "SM clock " + fact_text(gpu.sm_clock_mhz, [](const GpuCourse& c) {
                          return plain_text(c.min) + " to " + plain_text(c.max) + " MHz, median " +
                                 plain_text(c.median) + " MHz";
                      });
    out += "; highest temperature " +
           fact_text(gpu.temperature_c, [](const GpuCourse& c) { return plain_text(c.max) + " °C"; });
    out += "; median power " +
           fact_text(gpu.power_w, [](const GpuCourse& c) { return plain_text(c.median) + " W"; });
    out += "; clocks held back by " + fact_text(gpu.throttle_reasons, [](std::uint64_t reasons) {
               const auto words = joined(iir2d::throttle_words(reasons), ", ", markdown_escaped);
               return words.empty() ? "nothing" : words;
           });
    return out + "; " + counted(static_cast<std::uint64_t>(gpu.samples), "sample");
}

// Writes one line a case that was timed on a GPU.
std::string gpu_states(const Record& record) {
    std::string out;
    if (record.run.device.backend != iir2d::Backend::cuda) return out;
    for (const CaseResult& one : record.run.results) {
        if (!one.samples.empty())
            out += "- " + markdown_escaped(one.what.key) + ": " + fact_text(one.gpu, gpu_line) + "\n";
    }
    if (out.empty()) return out;
    return "\n## The GPU meanwhile\n\nSampled between the timed runs, never during one. A case is throttled "
           "when anything but idleness held the clocks back.\n\n" +
           out;
}

std::string preemption_note(const BenchmarkRun& run) {
    if (run.preemption_counter.empty())
        return "Preemption was not observed: this system does not count involuntary context switches.";
    std::size_t preempted = 0;
    std::size_t samples = 0;
    for (const CaseResult& one : run.results) {
        preempted += preempted_count(one.samples);
        samples += one.samples.size();
    }
    return "The process was preempted during " + std::to_string(preempted) + " of " +
           counted(samples, "sample") + " (" + markdown_escaped(run.preemption_counter) +
           "); these are marked in the JSON and kept in every figure.";
}

// Explains how keys of pooling are read.
std::string pooling_note(const Record& record) {
    const auto pools = [](const CaseResult& one) { return one.what.pool() != nullptr; };
    if (std::ranges::none_of(record.run.results, pools)) return {};
    return "\nPooling is of f32 and forward unless its key has a dtype or pass. A backward pass moves the "
           "gradient of the pooled plane, what it needs besides (max: the places of the maxima, lp: the "
           "plane "
           "before and after) and the gradient of the plane before.\n";
}

}  // namespace

std::string record_to_markdown(const Record& record) {
    const BenchmarkRun& run = record.run;
    const BenchmarkMatrix& matrix = run.matrix;
    std::string out = "# Benchmark record\n\n";
    out += "Measured from " + run.started_utc + " to " + run.finished_utc + ": " +
           std::to_string(run.results.size()) + " of " +
           counted(static_cast<std::uint64_t>(run.case_total), "case");
    out += run.cancelled ? ", then cancelled.\n" : ".\n";
    out += "\n## Figures\n\n" + case_table(record);
    out += "\n\"copy ms\" is the median time to move the same bytes on the same threads in the same run (" +
           markdown_escaped(run.copy_method) +
           "); \"times copy\" is p50 over that, and the figure to compare between machines. Warm-up runs of "
           "each case: " +
           std::to_string(matrix.warmup) + "; timed runs: " + (matrix.stopping ? "at most " : "") +
           std::to_string(matrix.iterations) + ". " + preemption_note(run) + "\n";
    out += pooling_note(record);
    out += gpu_states(record);
    out += failures(record);
    out += "\n## Agreement with the double-precision reference\n\n" + parity_table(record);
    out += claims_sections(record);
    out += "\n## Environment\n\n" + environment_table(record);
    out += "\n## Again\n\n" + markdown_code_block(record.command_line);
    out += "\nThis report is made from record.json; `iir2d verify` on the directory checks all of it.\n";
    return out;
}

}  // namespace workbench
