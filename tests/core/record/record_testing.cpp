// SPDX-License-Identifier: MIT
#include "tests/core/record/record_testing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "core/support/canonical_json.h"
#include "core/support/files.h"

namespace workbench::testing {

namespace {

std::string hash_of(char digit) {
    return std::string(64, digit);
}

std::vector<TimedSample> samples_of(const std::vector<double>& ms, std::size_t preempted) {
    std::vector<TimedSample> samples;
    for (const double v : ms) samples.push_back({v, samples.size() == preempted});
    return samples;
}

void fill_figures(CaseResult& r, const std::vector<double>& ms, const std::vector<double>& copies,
                  const std::vector<double>& plain, std::uint64_t bytes) {
    r.samples = samples_of(ms, 1);
    r.copy_samples = samples_of(copies, 9);
    r.memcpy_samples = samples_of(plain, 9);
    r.bytes_moved = bytes;
    static_cast<TimingFigures&>(r) = figures_of(r);
}

CaseResult filter_case() {
    CaseResult r;
    r.what = {.key = "filter:1 border:mirror precision:f32 size:1024x512",
              .label = "F1 mirror f32 1024x512",
              .width = 1024,
              .height = 512,
              .operation = FilterCase{}};
    r.started_utc = "2025-03-09T17:05:01Z";
    r.kernel = {.name = "iir_lines", .variant = "two_pass", .architecture = "x86-64-v3"};
    r.parity = Parity{.passed = true,
                      .max_abs_error = 1.5e-7,
                      .mean_abs_error = 2.5e-8,
                      .max_ulp = 3,
                      .bound = 1e-5,
                      .max_relative_error = 4e-7,
                      .worst_error = 1.5e-7,
                      .worst_x = 17,
                      .worst_y = 4};
    r.input_sha256 = hash_of('a');
    r.output_sha256 = hash_of('b');
    r.gpu.reason = "the case ran on the CPU";
    fill_figures(r, {0.5, 0.75, 0.25}, {0.125, 0.25, 0.25}, {0.5, 0.375, 0.4375}, 1024U * 512 * 8);
    return r;
}

CaseResult pool_case() {
    CaseResult r;
    r.what = {.key = "pool:avg window:2x2 stride:2x2 size:1024x512",
              .label = "avg 2x2 1024x512",
              .width = 1024,
              .height = 512,
              .operation = PoolCase{{.op = iir2d::PoolOp::avg}}};
    r.started_utc = "2025-03-09T17:05:02Z";
    r.kernel = {.name = "pool_rows", .variant = "avg", .architecture = "x86-64-v3"};
    r.parity = Parity{.passed = true, .max_abs_error = 5e-8, .bound = 2e-6, .bound_is_relative = true};
    r.input_sha256 = hash_of('a');
    r.output_sha256 = hash_of('c');
    r.gpu.reason = "the case ran on the CPU";
    fill_figures(r, {1, 2, 3}, {1, 1, 1}, {2, 2, 2}, 1024U * 512 * 5);
    return r;
}

CaseResult failed_case() {
    CaseResult r;
    r.what = {.key = "pool:max window:2x2 stride:2x2 size:1024x512",
              .label = "max 2x2 1024x512",
              .width = 1024,
              .height = 512,
              .operation = PoolCase{{.op = iir2d::PoolOp::max}}};
    r.started_utc = "2025-03-09T17:05:03Z";
    r.kernel = {.name = "pool_rows", .variant = "max", .architecture = "x86-64-v3"};
    r.parity = Parity{.max_abs_error = 0.5, .mean_abs_error = 0.1, .worst_error = 0.5};
    r.input_sha256 = hash_of('d');
    r.output_sha256 = hash_of('e');
    r.failure = "parity: the result differs from the reference by 0.5 at column 0, row 0, channel 0";
    r.gpu.reason = *r.failure;
    return r;
}

Environment sample_environment() {
    Environment e;
    e.host = {"bench,host \"two\"", {}};
    e.os = "Debian GNU/Linux 12 (bookworm)";
    e.kernel = "Linux 6.1.0-18-amd64";
    e.platform = "Linux-6.1.0-18-amd64-x86_64";
    e.cpu_model = {"A Processor | with a bar", {}};
    e.logical_cores = 8;
    e.physical_cores = {4, {}};
    e.governor.reason = "no processor has a readable cpufreq/scaling_governor, as in most virtual machines";
    e.load_before = {0.25, {}};
    e.load_after = {1.5, {}};
    e.memory_total_bytes = {std::uint64_t{16} << 30, {}};
    e.memory_available_bytes = {std::uint64_t{12} << 30, {}};
    e.compiler = "GNU 12.2.0";
    e.compile_flags = "-O3 -DNDEBUG";
    e.build_type = "Release";
    e.version = "1.1.0";
    e.commit = {"0123456789abcdef0123456789abcdef01234567", {}};
    e.dirty = {false, {}};
    e.build_fingerprint = "iir2d 1.1.0, commit " + *e.commit.value + ", GNU 12.2.0, Release, Linux-x86_64";
    e.library_path = {"/usr/lib/libiir2d.so.1", {}};
    e.library_sha256 = {hash_of('f'), {}};
    e.threads = 2;
    e.gpu_reason = "the driver library libcuda.so.1 is not installed";
    return e;
}

}  // namespace

Record sample_record() {
    Record record;
    BenchmarkRun& run = record.run;
    run.matrix.sizes = {{1024, 512}};
    run.matrix.filter_ids = {1};
    run.matrix.borders = {iir2d::Border::mirror};
    run.matrix.precisions = {iir2d::Precision::f32};
    run.matrix.pools = {{.op = iir2d::PoolOp::avg}, {.op = iir2d::PoolOp::max}};
    run.matrix.device = "cpu";
    run.matrix.threads = 2;
    run.matrix.warmup = 1;
    run.matrix.iterations = 3;
    run.device = {.id = "cpu", .name = "A Processor", .usable = true};
    run.device.properties = {
        {.key = "threads", .label = "Threads", .value = "8", .unit = "", .reason = ""},
        {.key = "l3", .label = "L3 cache", .value = {}, .unit = "B", .reason = "not listed"}};
    run.device_reason = "it was asked for";
    run.threads = 2;
    run.started_utc = "2025-03-09T17:05:00Z";
    run.finished_utc = "2025-03-09T17:05:04Z";
    run.copy_method = "non-temporal stores (SSE2)";
    run.preemption_counter = "getrusage(RUSAGE_SELF)";
    run.case_total = 3;
    run.results = {filter_case(), pool_case(), failed_case()};
    record.environment = sample_environment();
    record.command_line = bench_command_line(run.matrix, "", "");
    record.record_id = record_id_of(record);
    return record;
}

Record sample_gpu_record() {
    Record record = sample_record();
    BenchmarkRun& run = record.run;
    run.matrix.device = "cuda:0";
    run.device = {
        .id = "cuda:0", .name = "A GPU", .backend = iir2d::Backend::cuda, .usable = true, .properties = {}};
    run.device_reason = "this GPU was asked for";
    run.clock = "CUDA events, without transfers";
    run.transfers = "not in the latency";
    for (CaseResult& r : run.results) r.kernel.backend = iir2d::Backend::cuda;
    record.command_line = bench_command_line(run.matrix, "", "");
    run.results[0].inconclusive = "the GPU's clocks were held back: power cap, thermal, software";
    run.results[0].transfer_ms_p50 = 0.25;
    run.results[1].transfer_ms_p50 = 0.5;
    run.results[0].gpu = GpuStates{.samples = 4,
                                   .sm_clock_mhz = course_of({1980, 1755, 1410, 1605}),
                                   .temperature_c = course_of({41, 42, 44, 43}),
                                   .power_w = course_of({72.5, 310.25, 305, 301.75}),
                                   .throttle_reasons = 0x25U};
    const std::string why = "NVML has no value for this GPU";
    run.results[1].gpu = GpuStates{.samples = 2,
                                   .sm_clock_mhz = {std::nullopt, why},
                                   .temperature_c = course_of({40, 40}),
                                   .power_w = {std::nullopt, why},
                                   .throttle_reasons = {std::nullopt, why}};
    record.record_id = record_id_of(record);
    return record;
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "iir2d-record-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
    m_path = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::filesystem::path& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    EXPECT_TRUE(file) << path;
}

std::string problems_of(const std::filesystem::path& path) {
    const auto verification = verify_record(path);
    if (!verification) return "error: " + verification.error().message;
    std::string all;
    for (const auto& problem : verification->problems) all += problem + "\n";
    return all;
}

Record reread(const Record& record) {
    auto read = record_from_json(record_to_json(record));
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : Record{};
}

std::string sealed(nlohmann::json record) {
    if (record.is_object()) record["content_sha256"] = canonical_sha256_without(record, "content_sha256");
    return canonical_json(record);
}

void refresh_sums(const std::filesystem::path& directory) {
    std::string sums;
    for (const char* name :
         {"latency.svg", "ratio.svg", "record.csv", "record.json", "record.md", "statement.json"}) {
        if (!std::filesystem::exists(directory / name)) continue;
        const std::string text = read_text(directory / name);
        sums += sha256_hex(std::as_bytes(std::span(text))) + "  " + name + "\n";
    }
    write_text(directory / "SHA256SUMS", sums);
}

}  // namespace workbench::testing
