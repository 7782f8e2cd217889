// SPDX-License-Identifier: MIT
#include "app/iir2d/matrix_options.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "app/iir2d/evidence.h"
#include "core/image/image_io.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

std::vector<CLI::Option*> options_from(CLI::App& command, std::size_t first) {
    const auto all = command.get_options();
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.end()};
}

template <class T>
Result<void> whole(T& value, const char* option, const std::string& text, std::int64_t least,
                   std::int64_t most) {
    const auto number = parse_integer(option, text, least, most);
    if (!number) return std::unexpected(number.error());
    value = static_cast<T>(*number);
    return {};
}

// Leaves the defaults where nothing is given.
template <class T, class Parse>
Result<void> fill(std::vector<T>& values, const std::vector<std::string>& texts, Parse parse) {
    if (texts.empty()) return {};
    values.clear();
    for (const std::string& text : split_list(texts)) {
        auto value = parse(text);
        if (!value) return std::unexpected(value.error());
        values.push_back(std::move(*value));
    }
    return {};
}

Result<int> parse_filter_id(const std::string& text) {
    const auto id = parse_integer("--filter-ids", text);
    if (!id) return std::unexpected(id.error());
    if (*id < 1 || *id > 8) {
        return fail(ErrorKind::bad_argument, "--filter-ids " + text + " is out of range: filters are 1 to 8");
    }
    return static_cast<int>(*id);
}

}  // namespace

std::vector<CLI::Option*> MatrixOptions::add_what_to(CLI::App& command) {
    const std::size_t first = command.get_options().size();
    const auto list = [&command](const char* name, std::vector<std::string>& values, const char* help) {
        command.add_option(name, values, help)->type_name("LIST");
    };
    list("--sizes", sizes, "WIDTHxHEIGHT, with commas between (default: 1024x1024,2048x2048)");
    list("--filter-ids", filter_ids, "Filters 1 to 8 (default: 1,4,8)");
    list("--border-modes", borders, "clamp, mirror, wrap, constant (default: mirror)");
    list("--precisions", precisions, "f32, mixed, f64 (default: f32,mixed)");
    list("--pool-ops", pool_ops,
         "max, avg, lp, adaptive-max, adaptive-avg; without --filter-ids pooling is all that runs");
    const std::size_t first_of_pooling = command.get_options().size();
    list("--pool-dtypes", pool_dtypes, "What pooling stores: f32, f64, f16, bf16 (default: f32)");
    list("--pool-passes", pool_passes, "forward, backward (default: forward)");
    pool.add_to(command, "HEIGHTxWIDTH of the pooling operations that are not adaptive");
    for (CLI::Option* option : options_from(command, first_of_pooling))
        option->needs(command.get_option("--pool-ops"));
    command.add_option("--recipe", recipe, "Run this recipe instead of single operations");
    command.add_option("--image", image, "Run on this image instead of made ones");
    command.add_option("--seed", seed, "Of the made images")->capture_default_str();
    return options_from(command, first);
}

std::vector<CLI::Option*> MatrixOptions::add_how_to(CLI::App& command) {
    const std::size_t first = command.get_options().size();
    command.add_option("--warmup", warmup, "Untimed iterations before the timed ones")->capture_default_str();
    command.add_option("--iters", iterations, "Timed iterations")->capture_default_str();
    command.add_option("--until", until,
                       "Instead of --iters: until the 95 % interval of the median is within this, as 1%");
    command.add_option("--min-iters", min_iterations, "With --until: at least so many")
        ->capture_default_str();
    command.add_option("--max-iters", max_iterations, "With --until: at most so many")->capture_default_str();
    command.add_option("--max-seconds", max_seconds, "With --until: at most so long a case")
        ->capture_default_str();
    command.add_flag("--cold", cold, "Empty the host's caches before each timed run on the CPU");
    command
        .add_option("--most-disturbed", most_disturbed,
                    "The part of preempted samples above which a case is inconclusive")
        ->capture_default_str();
    return options_from(command, first);
}

void MatrixOptions::add_shared_to(CLI::App& command) {
    device.add_to(command);
    command.add_flag("--json", json, "Print the result as JSON");
    add_quiet(command, quiet);
}

Result<workbench::BenchmarkMatrix> MatrixOptions::matrix(const workbench::TaskControl& control) const {
    workbench::BenchmarkMatrix m;
    m.device = device.device;
    const auto threads = device.thread_count();
    if (!threads) return std::unexpected(threads.error());
    m.threads = *threads;
    if (auto done = fill_counts(m); !done) return std::unexpected(done.error());
    // A wrong device is said before an image is read.
    if (const auto choice = device.choose(); !choice) return std::unexpected(choice.error());
    if (auto done = fill_cases(m); !done) return std::unexpected(done.error());
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

Result<void> MatrixOptions::fill_cases(workbench::BenchmarkMatrix& m) const {
    const auto size = [](const std::string& t) { return parse_size("--sizes", t); };
    if (auto done = fill(m.sizes, sizes, size); !done) return done;
    if (auto done = fill(m.filter_ids, filter_ids, parse_filter_id); !done) return done;
    if (auto done = fill(m.borders, borders, parse_border); !done) return done;
    if (auto done = fill(m.precisions, precisions, parse_precision); !done) return done;
    if (!pool_ops.empty() && filter_ids.empty()) m.filter_ids.clear();
    return fill_pools(m);
}

Result<void> MatrixOptions::fill_pools(workbench::BenchmarkMatrix& m) const {
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
    return {};
}

Result<void> MatrixOptions::fill_counts(workbench::BenchmarkMatrix& m) const {
    if (auto done = whole(m.warmup, "--warmup", warmup, 0, 1'000'000); !done) return done;
    if (auto done = whole(m.iterations, "--iters", iterations, 1, 1'000'000); !done) return done;
    if (auto done = fill_stopping(m); !done) return done;
    return whole(m.seed, "--seed", seed, 0, std::numeric_limits<std::int64_t>::max());
}

Result<void> MatrixOptions::fill_stopping(workbench::BenchmarkMatrix& m) const {
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

}  // namespace app
