// SPDX-License-Identifier: MIT
// bench, parity and verify: figures, and whether they can be believed.
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/options.h"
#include "app/iir2d/pool_options.h"
#include "core/benchmark/benchmark.h"
#include "core/evidence/protocol.h"
#include "core/image/image_io.h"
#include "core/record/record.h"
#include "core/support/files.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

struct MatrixArguments {
    std::vector<std::string> sizes;
    std::vector<std::string> filter_ids;
    std::vector<std::string> borders;
    std::vector<std::string> precisions;
    std::vector<std::string> pool_ops;
    std::vector<std::string> pool_dtypes;
    std::vector<std::string> pool_passes;
    PoolOptions pool{.window = "2x2"};
    std::string recipe;
    std::string image;
    std::string warmup = "10";
    std::string iterations = "50";
    std::string until;  // empty: a fixed number of iterations
    std::string min_iterations = "20";
    std::string max_iterations = "1000";
    std::string max_seconds = "60";
    std::string most_disturbed = "50%";
    bool cold = false;
    std::string seed = "1";
    bool quiet = false;
    bool json = false;
    DeviceOptions device;

    void add_to(CLI::App& command) {
        const auto list = [&command](const char* name, std::vector<std::string>& values, const char* help) {
            command.add_option(name, values, help)->type_name("LIST");
        };
        list("--sizes", sizes, "WIDTHxHEIGHT, with commas between (default: 1024x1024,2048x2048)");
        list("--filter-ids", filter_ids, "Filters 1 to 8 (default: 1,4,8)");
        list("--border-modes", borders, "clamp, mirror, wrap, constant (default: mirror)");
        list("--precisions", precisions, "f32, mixed, f64 (default: f32,mixed)");
        list("--pool-ops", pool_ops,
             "max, avg, lp, adaptive-max, adaptive-avg; without --filter-ids pooling is all that runs");
        list("--pool-dtypes", pool_dtypes, "What pooling stores: f32, f64, f16, bf16 (default: f32)");
        list("--pool-passes", pool_passes, "forward, backward (default: forward)");
        pool.add_to(command, "HEIGHTxWIDTH of the pooling operations that are not adaptive");
        command.add_option("--recipe", recipe, "Run this recipe instead of single operations");
        command.add_option("--image", image, "Run on this image instead of made ones");
        command.add_option("--seed", seed, "Of the made images")->capture_default_str();
        device.add_to(command);
        command.add_flag("--json", json, "Print the result as JSON");
        add_quiet(command, quiet);
    }

    Result<workbench::BenchmarkMatrix> matrix(const workbench::TaskControl& control) const {
        workbench::BenchmarkMatrix m;
        m.device = device.device;
        const auto threads = device.thread_count();
        if (!threads) return std::unexpected(threads.error());
        m.threads = *threads;
        const auto whole = [](auto& value, const char* option, const std::string& text, std::int64_t least,
                              std::int64_t most) -> Result<void> {
            const auto number = parse_integer(option, text, least, most);
            if (!number) return std::unexpected(number.error());
            value = static_cast<std::remove_reference_t<decltype(value)>>(*number);
            return {};
        };
        if (auto done = whole(m.warmup, "--warmup", warmup, 0, 1'000'000); !done)
            return std::unexpected(done.error());
        if (auto done = whole(m.iterations, "--iters", iterations, 1, 1'000'000); !done)
            return std::unexpected(done.error());
        if (auto done = fill_stopping(m); !done) return std::unexpected(done.error());
        if (auto done = whole(m.seed, "--seed", seed, 0, std::numeric_limits<std::int64_t>::max()); !done)
            return std::unexpected(done.error());
        // A wrong device is said before an image is read.
        if (const auto choice = device.choose(); !choice) return std::unexpected(choice.error());
        if (auto done = fill(m.sizes, sizes, [](const std::string& t) { return parse_size("--sizes", t); });
            !done) {
            return std::unexpected(done.error());
        }
        const auto filter_id = [](const std::string& t) -> Result<int> {
            const auto id = parse_integer("--filter-ids", t);
            if (!id) return std::unexpected(id.error());
            if (*id < 1 || *id > 8) {
                return fail(ErrorKind::bad_argument,
                            "--filter-ids " + t + " is out of range: filters are 1 to 8");
            }
            return static_cast<int>(*id);
        };
        if (auto done = fill(m.filter_ids, filter_ids, filter_id); !done)
            return std::unexpected(done.error());
        if (auto done = fill(m.borders, borders, parse_border); !done) return std::unexpected(done.error());
        if (auto done = fill(m.precisions, precisions, parse_precision); !done)
            return std::unexpected(done.error());
        if (auto done = fill_pools(m); !done) return std::unexpected(done.error());
        if (!pool_ops.empty() && filter_ids.empty()) m.filter_ids.clear();
        if (!recipe.empty()) {
            auto loaded = workbench::load_recipe(recipe);
            if (!loaded) return std::unexpected(loaded.error());
            m.recipe = std::move(*loaded);
            if (filter_ids.empty()) m.filter_ids.clear();
        }
        if (!image.empty()) {
            auto read = workbench::read_image(image, {.keep_double = true}, control);
            if (!read) return std::unexpected(read.error());
            m.image = std::make_shared<const workbench::Image>(std::move(*read));
        }
        return m;
    }

  private:
    Result<void> fill_stopping(workbench::BenchmarkMatrix& m) const {
        m.cold_cache = cold;
        const auto disturbed = parse_part("--most-disturbed", most_disturbed);
        if (!disturbed) return std::unexpected(disturbed.error());
        if (!(*disturbed >= 0 && *disturbed <= 1))
            return fail(ErrorKind::bad_argument,
                        "--most-disturbed " + most_disturbed + " is out of range: give 0% to 100%");
        m.most_disturbed = *disturbed;
        if (until.empty()) return {};
        const auto precision = parse_part("--until", until);
        if (!precision) return std::unexpected(precision.error());
        const auto fewest = parse_integer("--min-iters", min_iterations, 5, 1'000'000);
        if (!fewest) return std::unexpected(fewest.error());
        const auto largest = parse_integer("--max-iters", max_iterations, *fewest, 1'000'000);
        if (!largest) return std::unexpected(largest.error());
        const auto seconds = parse_number("--max-seconds", max_seconds);
        if (!seconds) return std::unexpected(seconds.error());
        m.stopping = workbench::StoppingRule{.precision = *precision,
                                             .least = static_cast<int>(*fewest),
                                             .most = static_cast<int>(*largest),
                                             .most_seconds = *seconds};
        if (const auto wrong = workbench::wrong_with(*m.stopping); !wrong.empty())
            return fail(ErrorKind::bad_argument, "--until: " + wrong);
        m.iterations = m.stopping->most;
        return {};
    }

    template <class T, class Parse>
    static Result<void> fill(std::vector<T>& values, const std::vector<std::string>& texts, Parse parse) {
        if (texts.empty()) return {};
        values.clear();
        for (const std::string& text : split_list(texts)) {
            auto value = parse(text);
            if (!value) return std::unexpected(value.error());
            values.push_back(std::move(*value));
        }
        return {};
    }

    Result<void> fill_pools(workbench::BenchmarkMatrix& m) const {
        const auto operation = [this](const std::string& t) -> Result<workbench::PoolOperation> {
            const auto op = parse_pool_op(t);
            if (!op) return std::unexpected(op.error());
            return pool.operation(*op);
        };
        const auto element = [](const std::string& t) { return parse_element("--pool-dtypes", t); };
        const auto pass = [](const std::string& t) { return workbench::pool_pass_from_name(t); };
        if (auto done = fill(m.pools, pool_ops, operation); !done) return done;
        if (auto done = fill(m.pool_elements, pool_dtypes, element); !done) return done;
        if (auto done = fill(m.pool_passes, pool_passes, pass); !done) return done;
        const bool adaptive =
            std::ranges::any_of(m.pools, [](const workbench::PoolOperation& o) { return is_adaptive(o.op); });
        if (!pool.output_size.empty() && !adaptive) {
            return fail(ErrorKind::bad_argument,
                        "--output goes with adaptive-max and adaptive-avg in --pool-ops only");
        }
        for (const auto& [option, given] :
             {std::pair{"--pool-dtypes", &pool_dtypes}, std::pair{"--pool-passes", &pool_passes}}) {
            if (!given->empty() && pool_ops.empty())
                return fail(ErrorKind::bad_argument, std::string(option) + " goes with --pool-ops only");
        }
        return {};
    }
};

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
        std::printf("%-*s FAILED: %s\n", width, result.what.key.c_str(), result.failure->c_str());
        return;
    }
    const auto& l = result.latency;
    const std::string throttle = workbench::throttled_by(result);
    std::printf("%-*s %10.4f %10.4f %8.2fx %10.1f %8.2f %10.2e%s%s\n", width, result.what.key.c_str(), l.p50,
                l.p95, result.ratio_to_copy, result.throughput_mpix_per_s_p50, result.throughput_gb_per_s_p50,
                result.parity.max_abs_error, throttle.empty() ? "" : "  throttled: ", throttle.c_str());
    if (!result.inconclusive.empty() && throttle.empty())
        std::printf("    inconclusive: %s\n", result.inconclusive.c_str());
}

Result<int> failures_of(const std::vector<workbench::CaseResult>& results) {
    const auto failed =
        std::ranges::count_if(results, [](const workbench::CaseResult& r) { return r.failure.has_value(); });
    if (failed == 0) return 0;
    const auto first =
        std::ranges::find_if(results, [](const workbench::CaseResult& r) { return r.failure.has_value(); });
    return fail(ErrorKind::check_failed, std::to_string(failed) + " of " + std::to_string(results.size()) +
                                             " cases failed; the first: " + first->what.key + ": " +
                                             *first->failure);
}

struct BenchArguments {
    MatrixArguments matrix;
    std::string out_csv;
    std::string out_json;
    std::string out_md;
    std::string record;
    std::string sign;
    std::string protocol;
    bool samples = false;

    // Refuses outputs that cannot be written before minutes are spent on what goes into them.
    Result<void> check_outputs() const {
        namespace fs = std::filesystem;
        std::error_code error;
        const std::array outputs{&out_csv, &out_json, &out_md, &record};
        for (const std::string* output : outputs) {
            const std::string& path = *output;
            if (path.empty()) continue;
            const fs::path parent = fs::absolute(path, error).parent_path();
            if (!fs::is_directory(parent, error)) {
                return fail(ErrorKind::unwritable_output, "\"" + path +
                                                              "\" cannot be written: the folder \"" +
                                                              parent.string() + "\" does not exist");
            }
            if (output != &record && fs::is_directory(path, error)) {
                return fail(ErrorKind::unwritable_output,
                            "\"" + path + "\" cannot be written: it names a folder");
            }
            const auto same = [&path](const std::string* other) { return *other == path; };
            if (std::ranges::count_if(outputs, same) > 1) {
                return fail(ErrorKind::bad_argument, "two outputs are both named \"" + path + "\"");
            }
        }
        if (!record.empty() && fs::exists(record, error)) {
            return fail(ErrorKind::unwritable_output,
                        "the record \"" + record + "\" already exists: name a new directory");
        }
        return {};
    }

    // The named matrix, on the device that was asked for.
    Result<workbench::BenchmarkMatrix> by_protocol() const {
        auto m = workbench::matrix_of_protocol(protocol);
        if (!m) return m;
        const auto threads = matrix.device.thread_count();
        if (!threads) return std::unexpected(threads.error());
        if (const auto choice = matrix.device.choose(); !choice) return std::unexpected(choice.error());
        m->device = matrix.device.device;
        m->threads = *threads;
        return m;
    }

    // Before minutes are spent on what it signs.
    Result<std::optional<workbench::SigningKey>> key() const {
        if (sign.empty()) return std::nullopt;
        if (record.empty())
            return fail(ErrorKind::bad_argument, "--sign needs --record: a record is what is signed");
        auto loaded = workbench::SigningKey::load(sign);
        if (!loaded) return std::unexpected(loaded.error());
        return std::move(*loaded);
    }

    Result<void> write(const workbench::Record& full, const std::optional<workbench::SigningKey>& key) const {
        const std::string json = workbench::record_to_json(full);
        if (!out_json.empty()) {
            if (auto done = workbench::write_file_atomically(out_json, json); !done) return done;
        }
        if (!out_csv.empty()) {
            const auto csv = workbench::record_to_csv(json);
            if (!csv) return std::unexpected(csv.error());
            if (auto done = workbench::write_file_atomically(out_csv, *csv); !done) return done;
        }
        if (!out_md.empty()) {
            const auto markdown = workbench::record_to_markdown(json);
            if (!markdown) return std::unexpected(markdown.error());
            if (auto done = workbench::write_file_atomically(out_md, *markdown); !done) return done;
        }
        if (!record.empty()) return workbench::write_record(full, record, key);
        return {};
    }

    Result<int> run(const Interruption& interruption) const {
        const auto signing = key();
        if (!signing) return std::unexpected(signing.error());
        if (auto possible = check_outputs(); !possible) return std::unexpected(possible.error());
        Progress progress(interruption.token(), matrix.quiet);
        auto m = protocol.empty() ? matrix.matrix(progress.control()) : by_protocol();
        if (!m) return std::unexpected(m.error());
        workbench::Record full;
        full.environment = workbench::capture_environment(m->threads);
        full.command_line = workbench::bench_command_line(*m, matrix.image, matrix.recipe);
        const bool table = !matrix.json && !matrix.quiet;
        const int width = key_width(*m);
        const auto print_header = [width] {
            std::printf("%-*s %10s %10s %9s %10s %8s %10s\n", width, "case", "p50 ms", "p95 ms", "vs copy",
                        "Mpix/s", "GB/s", "max error");
        };
        bool headed = false;
        auto run = workbench::run_benchmark(*m, progress.control(), [&](const workbench::CaseResult& result) {
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
        });
        progress.clear();
        if (!run) return std::unexpected(run.error());
        workbench::finish_environment(full.environment);
        full.environment.threads = run->threads;
        full.run = std::move(*run);
        if (auto written = write(full, *signing); !written) return std::unexpected(written.error());
        if (matrix.json) std::fputs((workbench::record_to_json(full)).c_str(), stdout);
        if (!record.empty()) note("record written to " + record, matrix.quiet);
        if (full.run.cancelled) {
            return fail(ErrorKind::cancelled, "interrupted after " + std::to_string(full.run.results.size()) +
                                                  " of " + std::to_string(full.run.case_total) +
                                                  " cases; these were kept");
        }
        return failures_of(full.run.results);
    }
};

Result<int> run_parity_command(const MatrixArguments& arguments, const Interruption& interruption) {
    Progress progress(interruption.token(), arguments.quiet);
    auto m = arguments.matrix(progress.control());
    if (!m) return std::unexpected(m.error());
    const int width = key_width(*m);
    const auto results =
        workbench::run_parity(*m, progress.control(), [&](const workbench::CaseResult& result) {
            progress.clear();
            if (arguments.json || arguments.quiet) return;
            std::printf("%-*s %s  max abs %.3e  mean %.3e  max ulp %lld  bound %.1e\n", width,
                        result.what.key.c_str(), result.failure ? "FAIL" : "ok  ",
                        result.parity.max_abs_error, result.parity.mean_abs_error,
                        static_cast<long long>(result.parity.max_ulp), result.parity.bound);
            std::fflush(stdout);
        });
    progress.clear();
    if (!results) return std::unexpected(results.error());
    if (arguments.json) {
        Json json = Json::array();
        for (const auto& result : *results) {
            const auto& p = result.parity;
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
        const auto key = workbench::public_key_from(signer);
        if (!key) return std::unexpected(key.error());
        wanted = *key;
    }
    auto verification = workbench::verify_record(path);
    if (!verification) return std::unexpected(verification.error());
    if (wanted && verification->signer != *wanted) {
        verification->problems.push_back(verification->signer
                                             ? "it is signed by " + verification->signer->hex() +
                                                   ", not by " + wanted->hex()
                                             : "it has no good signature by " + wanted->hex());
    }
    if (!quiet) {
        for (const auto& good : verification->checked) std::printf("ok       %s\n", good.c_str());
        for (const auto& problem : verification->problems) std::printf("problem  %s\n", problem.c_str());
    }
    if (!verification->problems.empty()) {
        const auto more = verification->problems.size() - 1;
        return fail(ErrorKind::check_failed,
                    "the record \"" + path + "\" is not accepted: " + verification->problems[0] +
                        (more > 0 ? " (and " + std::to_string(more) + " more)" : ""));
    }
    if (!quiet) {
        std::printf(
            "accepted %s, record_id %s, %s\n", path.c_str(), verification->record_id.c_str(),
            verification->signer ? ("signed by " + verification->signer->hex()).c_str() : "not signed");
    }
    return 0;
}

}  // namespace

namespace {

// A protocol says all that the matrix options say: one or the other.
void add_protocol(CLI::App& command, std::string& protocol) {
    CLI::Option* option =
        command.add_option("--protocol", protocol,
                           "standard, smoke, or a protocol file: the whole matrix and how it is measured");
    for (const char* name : {"--sizes", "--filter-ids", "--border-modes", "--precisions", "--pool-ops",
                             "--recipe", "--image", "--seed", "--warmup", "--iters", "--until", "--min-iters",
                             "--max-iters", "--max-seconds", "--cold", "--most-disturbed"}) {
        option->excludes(command.get_option(name));
    }
}

}  // namespace

void add_bench_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("bench", "Measure latencies; each case is checked against the reference first");
    auto arguments = std::make_shared<BenchArguments>();
    arguments->matrix.add_to(*command);
    command->add_option("--warmup", arguments->matrix.warmup, "Untimed iterations before the timed ones")
        ->capture_default_str();
    command->add_option("--iters", arguments->matrix.iterations, "Timed iterations")->capture_default_str();
    command->add_option("--until", arguments->matrix.until,
                        "Instead of --iters: until the 95 % interval of the median is within this, as 1%");
    command->add_option("--min-iters", arguments->matrix.min_iterations, "With --until: at least so many")
        ->capture_default_str();
    command->add_option("--max-iters", arguments->matrix.max_iterations, "With --until: at most so many")
        ->capture_default_str();
    command
        ->add_option("--max-seconds", arguments->matrix.max_seconds, "With --until: at most so long a case")
        ->capture_default_str();
    command->add_flag("--cold", arguments->matrix.cold,
                      "Empty the host's caches before each timed run on the CPU");
    command
        ->add_option("--most-disturbed", arguments->matrix.most_disturbed,
                     "The part of preempted samples above which a case is inconclusive")
        ->capture_default_str();
    add_protocol(*command, arguments->protocol);
    command->add_option("--out-csv", arguments->out_csv, "Write one row a case");
    command->add_option("--out-json", arguments->out_json, "Write the full result");
    command->add_option("--out-md", arguments->out_md, "Write a report");
    command->add_option("--record", arguments->record, "Write a whole record into this new directory");
    command->add_option("--sign", arguments->sign, "Sign the record with this private key (iir2d key new)");
    command->add_flag("--samples", arguments->samples, "Print every timed sample, ms");
    command->callback([arguments, &chosen] {
        std::string& record = arguments->record;
        while (record.size() > 1 && record.ends_with('/')) record.pop_back();
        chosen = [arguments](const Interruption& interruption) { return arguments->run(interruption); };
    });
}

void add_parity_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "parity", "Check every case against the double-precision reference; exit code 5 on a failure");
    auto arguments = std::make_shared<MatrixArguments>();
    arguments->add_to(*command);
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
