// SPDX-License-Identifier: MIT
// The report of a record for a person, made from its JSON alone.
#include <algorithm>
#include <exception>
#include <string>

#include "core/record/claims.h"
#include "core/record/derived.h"
#include "core/record/record.h"
#include "core/record/record_json.h"
#include "core/support/markdown.h"

namespace workbench {

namespace {

using nlohmann::json;

// A number, or a fact that holds one; absent is a dash.
std::string figure(const json& value) {
    if (value.is_object()) return figure(value_of(value));
    return value.is_number() ? brief_number(value.get<double>()) : "-";
}

std::string fact_text(const json& f) {
    const json& value = value_of(f);
    if (value.is_null()) return "not available: " + markdown_escaped(cell_text(f.at("reason")));
    return markdown_escaped(cell_text(value));
}

std::string line(std::string_view name, const std::string& value) {
    return "| " + std::string(name) + " | " + value + " |\n";
}

std::string bytes_fact(const json& f) {
    if (value_of(f).is_null()) return fact_text(f);
    return brief_number(value_of(f).get<double>() / (1 << 30)) + " GiB";
}

std::string gpus(const json& f) {
    if (value_of(f).is_null()) return fact_text(f);
    std::string names;
    for (const json& gpu : value_of(f)) {
        names += (names.empty() ? "" : ", ") + markdown_escaped(cell_text(gpu.at("name")));
    }
    return names;
}

std::string input_text(const json& matrix) {
    const json& image = value_of(matrix.at("image"));
    if (image.is_null()) {
        return "synthetic planes, uniform in [0, 1), seed " + cell_text(matrix.at("seed"));
    }
    return markdown_escaped(cell_text(image.at("path"))) + ", " + cell_text(image.at("width")) + "x" +
           cell_text(image.at("height")) + ", " + cell_text(image.at("channels")) +
           " channels, SHA-256 of the pixels " + cell_text(image.at("pixel_sha256"));
}

std::string environment_table(const json& record) {
    const json& e = record.at("environment");
    const json& device = record.at("device");
    const auto text = [&](const char* key) { return markdown_escaped(cell_text(e.at(key))); };
    std::string out = "| | |\n| --- | --- |\n";
    out += line("Device", markdown_escaped(cell_text(device.at("id"))) + ": " +
                              markdown_escaped(cell_text(device.at("name"))) + " (" +
                              markdown_escaped(cell_text(device.at("reason"))) + ")");
    out += line("Threads", cell_text(device.at("threads")));
    out += line("GPU", gpus(e.at("gpus")));
    out += line("Host", fact_text(e.at("host")));
    out += line("System", text("os") + ", " + text("kernel"));
    out += line("Processor", fact_text(e.at("cpu_model")));
    out += line("Cores", text("logical_cores") + " logical; physical: " + fact_text(e.at("physical_cores")));
    out += line("Governor", fact_text(e.at("governor")));
    out += line("Load before", fact_text(e.at("load_before")));
    out += line("Load after", fact_text(e.at("load_after")));
    out += line("Memory", bytes_fact(e.at("memory_total_bytes")) +
                              "; free before: " + bytes_fact(e.at("memory_available_bytes")));
    out += line("Version", text("version") + ", commit " + fact_text(e.at("commit")) +
                               (value_of(e.at("dirty")) == true ? ", with uncommitted changes" : ""));
    out += line("Compiler", text("compiler") + ", " + text("build_type") + ", " + text("compile_flags"));
    out +=
        line("Library", fact_text(e.at("library_path")) + ", SHA-256 " + fact_text(e.at("library_sha256")));
    out += line("Input", input_text(record.at("matrix")));
    return out;
}

std::string case_table(const json& record) {
    std::string out =
        "| Case | p50 ms | p95 ms | min ms | max ms | copy ms | times copy | Mpix/s | GB/s | preempted |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (const json& one : record.at("cases")) {
        const json& t = value_of(one.at("timing"));
        const std::string throttled = markdown_escaped(throttled_by(one));
        out += "| " + markdown_escaped(cell_text(one.at("key"))) + (throttled.empty() ? "" : " (throttled)") +
               conclusive_mark(one) + " | ";
        if (t.is_null()) {
            out += "not timed | - | - | - | - | - | - | - | - |\n";
            continue;
        }
        const json& l = t.at("latency_ms");
        out += figure(l.at("p50")) + " | " + figure(l.at("p95")) + " | " + figure(l.at("min")) + " | " +
               figure(l.at("max")) + " | " + figure(t.at("copy_ms").at("p50")) + " | " +
               figure(t.at("ratio_to_copy")) + " | " + figure(t.at("throughput_mpix_per_s_p50")) + " | " +
               figure(t.at("throughput_gb_per_s_p50")) + " | " + std::to_string(t.at("preempted").size()) +
               " of " + std::to_string(t.at("samples_ms").size()) + " |\n";
    }
    return out;
}

std::string parity_table(const json& record) {
    std::string out =
        "| Case | verdict | max abs error | mean abs error | max ULP | allowed |\n"
        "| --- | --- | ---: | ---: | ---: | ---: |\n";
    for (const json& one : record.at("cases")) {
        const json& p = value_of(one.at("parity"));
        out += "| " + markdown_escaped(cell_text(one.at("key"))) + " | ";
        if (p.is_null()) {
            out += "not judged | - | - | - | - |\n";
            continue;
        }
        out += std::string(p.at("passed") == true ? "agrees" : "DIFFERS") + " | " +
               figure(p.at("max_abs_error")) + " | " + figure(p.at("mean_abs_error")) + " | " +
               cell_text(p.at("max_ulp")) + " | " + figure(p.at("bound")) +
               (p.at("bound_is_relative") == true ? " relative" : "") + " |\n";
    }
    return out;
}

std::string failures(const json& record) {
    std::string out;
    for (const json& one : record.at("cases")) {
        const json& timing = one.at("timing");
        if (value_of(timing).is_null()) {
            out += "- " + markdown_escaped(cell_text(one.at("key"))) + ": " +
                   markdown_escaped(cell_text(timing.at("reason"))) + "\n";
        }
    }
    return out.empty() ? out : "\n## Cases that were not timed\n\n" + out;
}

// "1410 MHz", or why there is no figure.
std::string gpu_figure(const json& state, const char* key, const char* figure_key, const std::string& unit) {
    const json& f = state.at(key);
    return value_of(f).is_null() ? fact_text(f) : cell_text(value_of(f).at(figure_key)) + unit;
}

std::string gpu_line(const json& state) {
    std::string out = "SM clock ";
    const json& clock = state.at("sm_clock_mhz");
    if (value_of(clock).is_null()) {
        out += fact_text(clock);
    } else {
        out += cell_text(value_of(clock).at("min")) + " to " + cell_text(value_of(clock).at("max")) +
               " MHz, median " + cell_text(value_of(clock).at("median")) + " MHz";
    }
    out += "; highest temperature " + gpu_figure(state, "temperature_c", "max", " °C");
    out += "; median power " + gpu_figure(state, "power_w", "median", " W");
    out += "; clocks held back by ";
    const json& reasons = state.at("throttle_reasons");
    std::string words;
    if (value_of(reasons).is_null()) words = fact_text(reasons);
    for (const json& word : value_of(reasons))
        words += (words.empty() ? "" : ", ") + markdown_escaped(cell_text(word));
    return out + (words.empty() ? "nothing" : words) + "; " + cell_text(state.at("samples")) + " samples";
}

// One line a case that was timed on a GPU.
std::string gpu_states(const json& record) {
    std::string out;
    if (record.at("device").at("backend") != "cuda") return out;
    for (const json& one : record.at("cases")) {
        if (value_of(one.at("timing")).is_null()) continue;
        const json& state = one.at("gpu_state");
        out += "- " + markdown_escaped(cell_text(one.at("key"))) + ": " +
               (value_of(state).is_null() ? fact_text(state) : gpu_line(value_of(state))) + "\n";
    }
    if (out.empty()) return out;
    return "\n## The GPU meanwhile\n\nSampled between the timed runs, never during one. A case is throttled "
           "when "
           "anything but idleness held the clocks back.\n\n" +
           out;
}

std::string preemption_note(const json& record) {
    const json& counter = record.at("measurement").at("preemption_counter");
    if (value_of(counter).is_null())
        return "Preemption was not observed: " + markdown_escaped(cell_text(counter.at("reason"))) + ".";
    std::size_t preempted = 0;
    std::size_t samples = 0;
    for (const json& one : record.at("cases")) {
        const json& t = value_of(one.at("timing"));
        if (t.is_null()) continue;
        preempted += t.at("preempted").size();
        samples += t.at("samples_ms").size();
    }
    return "The process was preempted during " + std::to_string(preempted) + " of " +
           std::to_string(samples) + " samples (" + markdown_escaped(cell_text(value_of(counter))) +
           "); these are marked in the JSON and kept in every figure.";
}

// How keys of pooling are read.
std::string pooling_note(const json& record) {
    const auto pools = [](const json& one) { return one.at("operation").contains("pass"); };
    if (std::ranges::none_of(record.at("cases"), pools)) return {};
    return "\nPooling is of f32 and forward unless its key has a dtype or pass. A backward pass moves the "
           "gradient of the "
           "pooled plane, what it needs besides (max: the places of the maxima, lp: the plane before and "
           "after) "
           "and the gradient of the plane before.\n";
}

std::string timed_runs(const json& matrix) {
    const bool fixed = value_of(matrix.at("stopping")).is_null();
    return (fixed ? "" : "at most ") + cell_text(matrix.at("iterations"));
}

std::string report(const json& record) {
    const auto cases = record.at("cases").size();
    std::string out = "# Benchmark record\n\n";
    out += "Measured from " + cell_text(record.at("started_utc")) + " to " +
           cell_text(record.at("finished_utc")) + ": " + std::to_string(cases) + " of " +
           cell_text(record.at("case_total")) + " cases";
    out += record.at("cancelled") == true ? ", then cancelled.\n" : ".\n";
    out += "\n## Figures\n\n" + case_table(record);
    out += "\n\"copy ms\" is the median time to move the same bytes on the same threads in the same run (" +
           markdown_escaped(cell_text(record.at("measurement").at("copy_method"))) +
           "); \"times copy\" is p50 over that, and the figure to compare between machines. Warm-up runs of "
           "each case: " +
           cell_text(record.at("matrix").at("warmup")) + "; timed runs: " + timed_runs(record.at("matrix")) +
           ". " + preemption_note(record) + "\n";
    out += pooling_note(record);
    out += gpu_states(record);
    out += failures(record);
    out += "\n## Agreement with the double-precision reference\n\n" + parity_table(record);
    out += claims_sections(record);
    out += "\n## Environment\n\n" + environment_table(record);
    out += "\n## Again\n\n" + markdown_code_block(cell_text(record.at("command_line")));
    out += "\nThis report is made from record.json; `iir2d verify` on the directory checks all of it.\n";
    return out;
}

}  // namespace

Result<std::string> markdown_of(const json& record) {
    try {
        return report(record);
    } catch (const std::exception& error) {
        return fail(ErrorKind::bad_input,
                    std::string("the record cannot be written as Markdown: ") + error.what());
    }
}

}  // namespace workbench
