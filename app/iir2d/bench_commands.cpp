// SPDX-License-Identifier: MIT
// bench, parity and verify: figures, and whether they can be believed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/matrix_options.h"
#include "app/iir2d/options.h"
#include "core/benchmark/benchmark.h"
#include "core/duel/duel_record.h"
#include "core/evidence/protocol.h"
#include "core/record/record.h"
#include "core/support/counted.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

// Of a table's first column.
int key_width(const workbench::BenchmarkMatrix& matrix) {
    std::size_t width = 56;
    if (const auto cases = workbench::expand(matrix)) {
        for (const auto& what : *cases) width = std::max(width, what.key.size());
    }
    return static_cast<int>(width);
}

void print_row(const workbench::CaseResult& result, int width) {
    if (result.failure) {
        std::printf("%-*s FAILED: %s\n", width, shown(result.what.key).c_str(),
                    shown(*result.failure).c_str());
        return;
    }
    const auto& l = result.latency;
    const std::string throttle = workbench::throttled_by(result);
    std::printf("%-*s %10.4f %10.4f %8.2fx %10.1f %8.2f %10.2e%s%s\n", width, shown(result.what.key).c_str(),
                l.p50, l.p95, result.ratio_to_copy, result.throughput_mpix_per_s_p50,
                result.throughput_gb_per_s_p50, result.parity.value_or(workbench::Parity{}).max_abs_error,
                throttle.empty() ? "" : "  throttled: ", throttle.c_str());
    if (!result.inconclusive.empty() && throttle.empty())
        std::printf("    inconclusive: %s\n", shown(result.inconclusive).c_str());
}

Result<int> failures_of(const std::vector<workbench::CaseResult>& results) {
    const auto failed =
        std::ranges::count_if(results, [](const workbench::CaseResult& r) { return r.failure.has_value(); });
    if (failed == 0) return 0;
    const auto first =
        std::ranges::find_if(results, [](const workbench::CaseResult& r) { return r.failure.has_value(); });
    return fail(ErrorKind::check_failed,
                std::to_string(failed) + " of " + workbench::counted(results.size(), "case") +
                    " failed; the first: " + first->what.key + ": " + *first->failure);
}

struct BenchArguments {
    MatrixOptions matrix;
    std::string out_csv;
    std::string out_json;
    std::string out_md;
    std::string record;
    std::string sign;
    std::string protocol;
    bool samples = false;

    // The named matrix, on the device that was asked for.
    Result<workbench::BenchmarkMatrix> by_protocol() const {
        IIR2D_TRY(auto m, workbench::matrix_of_protocol(protocol));
        IIR2D_TRY(m.threads, matrix.device.thread_count());
        IIR2D_RETURN_IF_ERROR(matrix.device.choose());
        m.device = matrix.device.device;
        IIR2D_RETURN_IF_ERROR(matrix.pin_config(m));
        return m;
    }

    Result<void> write(const workbench::Record& full, const std::optional<workbench::SigningKey>& key) const {
        const std::pair<const std::string&, std::string (*)(const workbench::Record&)> outputs[] = {
            {out_json, workbench::record_to_json},
            {out_csv, workbench::record_to_csv},
            {out_md, workbench::record_to_markdown}};
        for (const auto& [path, text] : outputs) {
            if (path.empty()) continue;
            IIR2D_RETURN_IF_ERROR(workbench::write_file_atomically(path, text(full)));
        }
        if (!record.empty()) return workbench::write_record(full, record, key);
        return {};
    }

    bool writes_files() const {
        return !out_csv.empty() || !out_json.empty() || !out_md.empty() || !record.empty();
    }

    Result<int> run(const Interruption& interruption) const {
        if (writes_files()) outlive_readers();
        interruption.give_time(std::chrono::seconds(30));
        IIR2D_TRY(const auto signing, signing_key(record, sign));
        IIR2D_RETURN_IF_ERROR(check_outputs({out_csv, out_json, out_md}, record));
        Progress progress(interruption.token(), matrix.quiet);
        IIR2D_TRY(auto m, protocol.empty() ? matrix.matrix(progress.control()) : by_protocol());
        const bool table = !matrix.json && !matrix.quiet;
        const int width = key_width(m);
        const auto print_header = [width] {
            std::printf("%-*s %10s %10s %9s %10s %8s %10s\n", width, "case", "p50 ms", "p95 ms", "vs copy",
                        "Mpix/s", "GB/s", "max error");
        };
        bool headed = false;
        const auto print_result = [&](const workbench::CaseResult& result) {
            progress.clear();
            if (!table) return;
            // With the first row: a matrix that is refused prints nothing on standard output.
            if (!std::exchange(headed, true)) print_header();
            print_row(result, width);
            if (samples) {
                for (const auto& sample : result.samples) {
                    std::printf("    %.6f ms%s\n", sample.latency_ms, sample.preempted ? "  preempted" : "");
                }
            }
            std::fflush(stdout);
        };
        const auto measured =
            workbench::measure_record(m, matrix.image, matrix.recipe, progress.control(), print_result);
        progress.clear();
        if (!measured) return std::unexpected(measured.error());
        IIR2D_RETURN_IF_ERROR(write(*measured, signing));
        if (matrix.json) print_text(workbench::record_to_json(*measured));
        if (!record.empty()) note("record written to " + record, matrix.quiet);
        const workbench::BenchmarkRun& run = measured->run;
        if (run.cancelled) {
            return fail(ErrorKind::cancelled,
                        "interrupted after " + std::to_string(run.results.size()) + " of " +
                            workbench::counted(static_cast<std::uint64_t>(run.case_total), "case") +
                            "; the complete ones were kept");
        }
        return failures_of(run.results);
    }
};

Result<int> run_parity_command(const MatrixOptions& arguments, const Interruption& interruption) {
    Progress progress(interruption.token(), arguments.quiet);
    IIR2D_TRY(auto m, arguments.matrix(progress.control()));
    const int width = key_width(m);
    const auto results =
        workbench::run_parity(m, progress.control(), [&](const workbench::CaseResult& result) {
            progress.clear();
            if (arguments.json || arguments.quiet) return;
            const auto p = result.parity.value_or(workbench::Parity{});
            std::printf("%-*s %s  max abs %.3e  mean %.3e  max ulp %lld  bound %.1e\n", width,
                        shown(result.what.key).c_str(), result.failure ? "FAIL" : "ok  ", p.max_abs_error,
                        p.mean_abs_error, static_cast<long long>(p.max_ulp), p.bound);
            std::fflush(stdout);
        });
    progress.clear();
    if (!results) return std::unexpected(results.error());
    if (arguments.json) {
        Json json = Json::array();
        for (const auto& result : *results) {
            const auto p = result.parity.value_or(workbench::Parity{});
            json.push_back(
                {{"case", result.what.key},
                 {"passed", !result.failure.has_value()},
                 {"failure", result.failure ? Json(*result.failure) : Json()},
                 {"max_abs_error", number_or_null(p.max_abs_error)},
                 {"mean_abs_error", number_or_null(p.mean_abs_error)},
                 {"max_ulp", p.max_ulp},
                 {"bound", p.bound},
                 {"worst_pixel", {{"x", p.worst_x}, {"y", p.worst_y}, {"channel", p.worst_channel}}}});
        }
        print_json({{"cases", json}});
    }
    return failures_of(*results);
}

// `signer` empty: signed by anyone or by no one.
Result<int> run_verify(const std::string& path, const std::string& signer, bool quiet) {
    std::optional<workbench::PublicKey> wanted;
    if (!signer.empty()) {
        IIR2D_TRY(wanted, workbench::public_key_from(signer));
    }
    IIR2D_TRY(auto verification, workbench::is_duel_record(path) ? workbench::verify_duel_record(path)
                                                                 : workbench::verify_record(path));
    if (wanted && verification.signer != *wanted) {
        verification.problems.push_back(verification.signer
                                            ? "it is signed by " + verification.signer->hex() + ", not by " +
                                                  wanted->hex()
                                            : "it has no good signature by " + wanted->hex());
    }
    if (!quiet) {
        for (const auto& good : verification.checked) std::printf("ok       %s\n", good.c_str());
        for (const auto& problem : verification.problems) std::printf("problem  %s\n", problem.c_str());
        if (verification.more_problems > 0)
            std::printf("problem  and %zu more, which are not listed\n", verification.more_problems);
        for (const auto& text : verification.notes) std::printf("note     %s\n", text.c_str());
    }
    constexpr std::size_t longest = 4096;
    const std::string name = workbench::escaped(path, longest);
    if (!verification.problems.empty()) {
        const auto count = verification.problems.size() + verification.more_problems;
        return fail(ErrorKind::check_failed, "the record \"" + name + "\" is not accepted: " +
                                                 verification.problems[0] + workbench::and_more(count));
    }
    if (!quiet) {
        const std::string& id = verification.record_id;
        if (verification.notes.empty()) {
            std::printf(
                "accepted %s, record_id %s, %s\n", name.c_str(), id.c_str(),
                verification.signer ? ("signed by " + verification.signer->hex()).c_str() : "not signed");
        } else {
            std::printf("agrees with itself: %s, record_id %s, not signed\n", name.c_str(), id.c_str());
        }
    }
    return 0;
}

}  // namespace

void add_bench_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("bench", "Measure latencies; each case is checked against the reference first");
    auto arguments = std::make_shared<BenchArguments>();
    auto said_by_a_protocol = arguments->matrix.add_what_to(*command);
    for (CLI::Option* option : arguments->matrix.add_how_to(*command)) said_by_a_protocol.push_back(option);
    arguments->matrix.add_shared_to(*command);
    CLI::Option* protocol =
        command->add_option("--protocol", arguments->protocol,
                            "standard, smoke, or a protocol file: the whole matrix and how it is measured");
    for (CLI::Option* option : said_by_a_protocol) protocol->excludes(option);
    command->add_option("--out-csv", arguments->out_csv, "Write one row for each case to this CSV file");
    command->add_option("--out-json", arguments->out_json, "Write the full result to this JSON file");
    command->add_option("--out-md", arguments->out_md, "Write a report");
    command->add_option("--record", arguments->record, "Write a whole record into this new directory");
    command->add_option("--sign", arguments->sign, "Sign the record with this private key (iir2d key new)");
    command->add_flag("--samples", arguments->samples, "Print every timed sample, in ms");
    command->callback([arguments, &chosen] {
        std::string& record = arguments->record;
        while (record.size() > 1 && record.ends_with('/')) record.pop_back();
        chosen = [arguments](const Interruption& interruption) { return arguments->run(interruption); };
    });
}

void add_parity_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "parity", "Check every case against the double-precision reference; exit code 5 on a failure");
    auto arguments = std::make_shared<MatrixOptions>();
    arguments->add_what_to(*command);
    arguments->add_shared_to(*command);
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) {
            return run_parity_command(*arguments, interruption);
        };
    });
}

void add_verify_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("verify", "Check a record's hashes, schema and figures");
    auto path = std::make_shared<std::string>();
    auto signer = std::make_shared<std::string>();
    auto quiet = std::make_shared<bool>(false);
    command->add_option("RECORD", *path, "A record directory, or its record.json")->required();
    command->add_option("--signer", *signer,
                        "Accept only this key's signature: 64 hex digits, or a public key file");
    add_quiet(*command, *quiet);
    command->callback([path, signer, quiet, &chosen] {
        chosen = [path, signer, quiet](const Interruption&) { return run_verify(*path, *signer, *quiet); };
    });
}

}  // namespace app
