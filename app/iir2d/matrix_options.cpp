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
#include "core/support/try.h"

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
    IIR2D_TRY(const auto number, parse_integer(option, text, least, most));
    value = static_cast<T>(number);
    return {};
}

// Leaves the defaults where nothing is given.
template <class T, class Parse>
Result<void> fill(std::vector<T>& values, const std::vector<std::string>& texts, Parse parse) {
    if (texts.empty()) return {};
    values.clear();
    for (const std::string& text : split_list(texts)) {
        IIR2D_TRY(auto value, parse(text));
        values.push_back(std::move(value));
    }
    return {};
}

}  // namespace

std::vector<CLI::Option*> MatrixOptions::add_what_to(CLI::App& command) {
    const std::size_t first = command.get_options().size();
    const auto list = [&command](const char* name, std::vector<std::string>& values, const char* help) {
        command.add_option(name, values, help)->type_name("LIST");
    };
    list("--sizes", sizes, "Sizes as WIDTHxHEIGHT, separated by commas (default: 1024x1024,2048x2048)");
    list("--filter-ids", filter_ids, "Filters by number (default: 1,4,8)");
    list("--border-modes", borders, "Borders: clamp, mirror, wrap, constant (default: mirror)");
    list("--precisions", precisions, "Precisions: f32, mixed, f64 (default: f32,mixed)");
    list("--pool-ops", pool_ops,
         "Pooling operations: max, avg, lp, adaptive-max, adaptive-avg; without --filter-ids no filter runs");
    const std::size_t first_of_pooling = command.get_options().size();
    list("--pool-dtypes", pool_dtypes, "Element types of pooling: f32, f64, f16, bf16 (default: f32)");
    list("--pool-passes", pool_passes, "Passes of pooling: forward, backward (default: forward)");
    pool.add_to(command, "The window as HEIGHTxWIDTH, of pooling operations that are not adaptive");
    for (CLI::Option* option : options_from(command, first_of_pooling))
        option->needs(command.get_option("--pool-ops"));
    command.add_option("--recipe", recipe, "Run this recipe instead of single operations");
    command.add_option("--image", image, "Run on this image instead of synthetic planes");
    command.add_option("--seed", seed, "Seed of the synthetic planes")->capture_default_str();
    return options_from(command, first);
}

std::vector<CLI::Option*> MatrixOptions::add_how_to(CLI::App& command) {
    const std::size_t first = command.get_options().size();
    command.add_option("--warmup", warmup, "Untimed iterations before the timed ones")->capture_default_str();
    command.add_option("--iters", iterations, "Timed iterations")->capture_default_str();
    command.add_option("--until", until,
                       "In place of --iters: measure until the 95 % confidence interval of the median is "
                       "within this, as 1%");
    command.add_option("--min-iters", min_iterations, "With --until: least timed iterations")
        ->capture_default_str();
    command.add_option("--max-iters", max_iterations, "With --until: most timed iterations")
        ->capture_default_str();
    command.add_option("--max-seconds", max_seconds, "With --until: most seconds for each case")
        ->capture_default_str();
    command.add_flag("--cold", cold, "Empty the host's caches before each timed run on the CPU");
    command
        .add_option("--most-disturbed", most_disturbed,
                    "Share of preempted samples above which a case is inconclusive")
        ->capture_default_str();
    return options_from(command, first);
}

void MatrixOptions::add_shared_to(CLI::App& command) {
    device.add_to(command);
    device.add_config_to(command);
    command.add_flag("--json", json, "Print the result as JSON");
    add_quiet(command, quiet);
}

Result<workbench::BenchmarkMatrix> MatrixOptions::matrix(const workbench::TaskControl& control) const {
    workbench::BenchmarkMatrix m;
    m.device = device.device;
    IIR2D_TRY(m.threads, device.thread_count());
    IIR2D_RETURN_IF_ERROR(fill_counts(m));
    // A wrong device is said before an image is read.
    IIR2D_RETURN_IF_ERROR(device.choose());
    IIR2D_RETURN_IF_ERROR(fill_cases(m));
    if (!recipe.empty()) {
        IIR2D_TRY(m.recipe, workbench::load_recipe(recipe));
        if (filter_ids.empty()) m.filter_ids.clear();
    }
    if (!image.empty()) {
        IIR2D_TRY(auto read, workbench::read_image(image, {.keep_double = true}, control));
        m.image = std::make_shared<const workbench::Image>(std::move(read));
    }
    IIR2D_RETURN_IF_ERROR(pin_config(m));
    return m;
}

Result<void> MatrixOptions::pin_config(workbench::BenchmarkMatrix& m) const {
    IIR2D_TRY(const auto config, device.pinned());
    if (!config) return {};
    IIR2D_TRY(const auto choice, device.choose());
    IIR2D_TRY(const auto cases, workbench::expand(m));
    for (const workbench::BenchmarkCase& what : cases) {
        if (auto good = workbench::check_case_config(what, choice.device, *config); !good)
            return fail(good.error().kind, "--config, " + what.key + ": " + good.error().message);
        m.configs.push_back({what.key, *config});
    }
    return {};
}

Result<void> MatrixOptions::fill_cases(workbench::BenchmarkMatrix& m) const {
    const auto size = [](const std::string& t) { return parse_size("--sizes", t); };
    IIR2D_RETURN_IF_ERROR(fill(m.sizes, sizes, size));
    const auto filter_id = [](const std::string& t) { return parse_filter_id("--filter-ids", t); };
    IIR2D_RETURN_IF_ERROR(fill(m.filter_ids, filter_ids, filter_id));
    IIR2D_RETURN_IF_ERROR(fill(m.borders, borders, parse_border));
    IIR2D_RETURN_IF_ERROR(fill(m.precisions, precisions, parse_precision));
    if (!pool_ops.empty() && filter_ids.empty()) m.filter_ids.clear();
    return fill_pools(m);
}

Result<void> MatrixOptions::fill_pools(workbench::BenchmarkMatrix& m) const {
    const auto operation = [this](const std::string& t) -> Result<workbench::PoolOperation> {
        IIR2D_TRY(const auto op, parse_pool_op(t));
        return pool.operation(op);
    };
    const auto element = [](const std::string& t) { return parse_element("--pool-dtypes", t); };
    const auto pass = [](const std::string& t) { return workbench::pool_pass_from_name(t); };
    IIR2D_RETURN_IF_ERROR(fill(m.pools, pool_ops, operation));
    IIR2D_RETURN_IF_ERROR(fill(m.pool_elements, pool_dtypes, element));
    IIR2D_RETURN_IF_ERROR(fill(m.pool_passes, pool_passes, pass));
    const bool adaptive =
        std::ranges::any_of(m.pools, [](const workbench::PoolOperation& o) { return is_adaptive(o.op); });
    if (!pool.output_size.empty() && !adaptive) {
        return fail(ErrorKind::bad_argument,
                    "--output goes with adaptive-max and adaptive-avg in --pool-ops only");
    }
    return {};
}

Result<void> MatrixOptions::fill_counts(workbench::BenchmarkMatrix& m) const {
    IIR2D_RETURN_IF_ERROR(whole(m.warmup, "--warmup", warmup, 0, 1'000'000));
    IIR2D_RETURN_IF_ERROR(whole(m.iterations, "--iters", iterations, 1, 1'000'000));
    IIR2D_RETURN_IF_ERROR(fill_stopping(m));
    return whole(m.seed, "--seed", seed, 0, std::numeric_limits<std::int64_t>::max());
}

Result<void> MatrixOptions::fill_stopping(workbench::BenchmarkMatrix& m) const {
    m.cold_cache = cold;
    IIR2D_TRY(const auto disturbed, parse_part("--most-disturbed", most_disturbed));
    if (!(disturbed >= 0 && disturbed <= 1))
        return fail(ErrorKind::bad_argument,
                    "--most-disturbed " + most_disturbed + " is out of range: give 0% to 100%");
    m.most_disturbed = disturbed;
    if (until.empty()) return {};
    IIR2D_TRY(const auto precision, parse_part("--until", until));
    IIR2D_TRY(const auto fewest, parse_integer("--min-iters", min_iterations, 5, 1'000'000));
    IIR2D_TRY(const auto largest, parse_integer("--max-iters", max_iterations, fewest, 1'000'000));
    IIR2D_TRY(const auto seconds, parse_number("--max-seconds", max_seconds));
    m.stopping = workbench::StoppingRule{.precision = precision,
                                         .least = static_cast<int>(fewest),
                                         .most = static_cast<int>(largest),
                                         .most_seconds = seconds};
    if (const auto wrong = workbench::wrong_with(*m.stopping); !wrong.empty())
        return fail(ErrorKind::bad_argument, "--until: " + wrong);
    m.iterations = m.stopping->most;
    return {};
}

}  // namespace app
