// SPDX-License-Identifier: MIT
// filter, pool, run and batch: a recipe, given in one way or another, applied to files.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/iir2d/options.h"
#include "core/batch/process.h"
#include "core/image/image_io.h"
#include "core/recipe/indices.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

struct Files {
    std::string input;
    std::string output;
    bool quiet = false;
    PageOption page;
    DeviceOptions device;
    OutputOptions out;

    void add_to(CLI::App& command) {
        command.add_option("IN", input, "The image to read: anything OpenImageIO reads")->required();
        command.add_option("OUT", output, "The image to write; its extension chooses the format")->required();
        page.add_to(command);
        device.add_to(command);
        out.add_to(command);
        add_quiet(command, quiet);
    }

    Result<int> process(workbench::Recipe recipe, const Interruption& interruption) const {
        const auto type = out.type();
        if (!type) return std::unexpected(type.error());
        const auto index = page.index();
        if (!index) return std::unexpected(index.error());
        const auto choice = device.choose();
        if (!choice) return std::unexpected(choice.error());
        recipe.keep_alpha = recipe.keep_alpha || out.keep_alpha;

        Progress progress(interruption.token(), quiet);
        const workbench::ProcessJob job{.input = input,
                                        .output = output,
                                        .recipe = std::move(recipe),
                                        .type = *type,
                                        .image_index = *index};
        const auto report = workbench::process_file(job, choice->device, progress.control());
        progress.clear();
        if (!report) return std::unexpected(report.error());
        for (const auto& sentence : report->notes) note(sentence, quiet);
        return 0;
    }
};

struct FilterArguments {
    Files files;
    std::string filter_id;
    std::string border = "mirror";
    std::string border_const = "0";
    std::string precision = "f32";
    std::string start = "truncated";
    std::vector<std::string> parameters;
    bool normalise_gain = false;

    Result<workbench::FilterOperation> operation() const {
        const auto id = parse_integer("--filter", filter_id, 1, 8);
        if (!id) return std::unexpected(id.error());
        workbench::FilterOperation filter{.filter_id = static_cast<int>(*id),
                                          .normalise_gain = normalise_gain};
        const auto border_mode = parse_border(border);
        if (!border_mode) return std::unexpected(border_mode.error());
        const auto constant = parse_number("--border-const", border_const);
        if (!constant) return std::unexpected(constant.error());
        const auto precision_mode = parse_precision(precision);
        if (!precision_mode) return std::unexpected(precision_mode.error());
        const auto start_mode = parse_start(start);
        if (!start_mode) return std::unexpected(start_mode.error());
        for (const std::string& text : parameters) {
            const auto equals = text.find('=');
            if (equals == std::string::npos || equals == 0) {
                return fail(ErrorKind::bad_argument,
                            "--param \"" + text + "\" is not of the form name=value");
            }
            const auto value = parse_number("--param " + text.substr(0, equals), text.substr(equals + 1));
            if (!value) return std::unexpected(value.error());
            if (!filter.parameters.emplace(text.substr(0, equals), *value).second) {
                return fail(ErrorKind::bad_argument,
                            "--param " + text.substr(0, equals) + " is given more than once");
            }
        }
        filter.border = *border_mode;
        filter.border_const = *constant;
        filter.precision = *precision_mode;
        filter.start = *start_mode;
        return filter;
    }
};

std::string filter_footer() {
    std::string text = "Filters and their parameters (range, default):\n";
    for (const iir2d::FilterRow& row : iir2d::filter_table()) {
        text += "  " + std::to_string(row.id) + "  " + std::string(row.name) + "\n";
        for (const iir2d::FilterParameter& p : row.parameters) {
            char line[160];
            std::snprintf(line, sizeof(line), "       %-12.*s %g to %g%s%.*s, default %g\n",
                          static_cast<int>(p.name.size()), p.name.data(), p.minimum, p.maximum,
                          p.unit.empty() ? "" : " ", static_cast<int>(p.unit.size()), p.unit.data(),
                          p.default_value);
            text += line;
        }
    }
    return text;
}

struct PoolArguments {
    Files files;
    std::string op;
    std::string window;
    std::string stride;
    std::string padding = "0x0";
    std::string dilation = "1x1";
    bool ceil_mode = false;
    std::string p = "2";
    bool count_include_pad = false;
    std::string divisor;
    std::string output_size;
    std::string dtype = "f32";
    std::string indices;
    std::string backward;
    std::string grad_out;

    // Options that the contract names and this version does not have: said before anything is read.
    Result<void> supported(iir2d::PoolOp kind) const {
        if (kind == iir2d::PoolOp::adaptive_max || kind == iir2d::PoolOp::adaptive_avg ||
            !output_size.empty()) {
            return fail(
                ErrorKind::bad_argument,
                "adaptive pooling (--op " + op + ", --output) is not in this version: use max, avg or lp");
        }
        if (dtype != "f32" && dtype != "f64" && dtype != "f16" && dtype != "bf16") {
            return fail(ErrorKind::bad_argument,
                        "--dtype \"" + dtype + "\" is not one of f32, f64, f16, bf16");
        }
        if (dtype != "f32") {
            return fail(ErrorKind::bad_argument, "--dtype " + dtype + " is not in this version: use f32");
        }
        if (!backward.empty() || !grad_out.empty()) {
            return fail(ErrorKind::bad_argument,
                        "the backward pass (--backward, --grad-out) is not in this version");
        }
        if (!indices.empty() && kind != iir2d::PoolOp::max) {
            return fail(ErrorKind::bad_argument, "--indices goes with --op max only, not with " + op);
        }
        if (window.empty()) return fail(ErrorKind::bad_argument, "--window is required");
        return {};
    }

    Result<void> check_indices() const {
        if (indices.empty()) return {};
        std::error_code error;
        if (indices == files.output || std::filesystem::equivalent(indices, files.output, error)) {
            return fail(ErrorKind::bad_argument, "--indices and OUT are both \"" + indices + "\"");
        }
        if (auto possible = workbench::check_output(indices); !possible) return possible;
        const auto holds = workbench::writable_types(indices);
        if (!holds) return std::unexpected(holds.error());
        if (std::ranges::count(*holds, workbench::SampleType::f32) == 0 || indices.ends_with(".hdr")) {
            return fail(
                ErrorKind::unwritable_output,
                "\"" + indices + "\" could not be written: its format cannot hold indices: use .tif or .exr");
        }
        return {};
    }

    // Options of other operations are accepted, so that one command line serves several.
    void say_what_is_ignored() const {
        const auto ignored = [this](const char* option) {
            note(std::string(option) + " has no effect with --op " + op, files.quiet);
        };
        if (files.out.keep_alpha) note("--keep-alpha has no effect on pooling", files.quiet);
        if (op != "avg" && count_include_pad) ignored("--count-include-pad");
        if (op != "avg" && !divisor.empty()) ignored("--divisor");
        if (op != "lp" && p != "2") ignored("--p");
    }

    Result<workbench::PoolOperation> operation() const {
        const auto kind = parse_pool_op(op);
        if (!kind) return std::unexpected(kind.error());
        if (auto possible = supported(*kind); !possible) return std::unexpected(possible.error());
        workbench::PoolOperation pool{
            .op = *kind, .ceil_mode = ceil_mode, .count_include_pad = count_include_pad};
        struct Field {
            const char* option;
            const std::string& text;
            iir2d::Extent& value;
        };
        iir2d::Extent stride_value;
        for (const Field& field :
             {Field{"--window", window, pool.window}, Field{"--padding", padding, pool.padding},
              Field{"--dilation", dilation, pool.dilation},
              Field{"--stride", stride.empty() ? window : stride, stride_value}}) {
            const auto extent = parse_extent(field.option, field.text);
            if (!extent) return std::unexpected(extent.error());
            field.value = *extent;
        }
        if (!stride.empty()) pool.stride = stride_value;
        const auto power = parse_number("--p", p);
        if (!power) return std::unexpected(power.error());
        if (!(*power > 0 && std::isfinite(*power))) {
            return fail(ErrorKind::bad_argument,
                        "--p " + p + " is out of range: give a finite number above 0");
        }
        pool.p = *power;
        if (!divisor.empty()) {
            const auto value = parse_integer("--divisor", divisor);
            if (!value) return std::unexpected(value.error());
            pool.divisor_override = *value;
        }
        return pool;
    }
};

// The argmax planes beside the pooled image: numbers, not shades. float32 while that holds every index
// exactly, because OpenImageIO reads it back in more cases than float64.
Result<int> write_indices(const PoolArguments& arguments, const workbench::PoolOperation& pool,
                          const Interruption& interruption) {
    const auto choice = arguments.files.device.choose();
    if (!choice) return std::unexpected(choice.error());
    Progress progress(interruption.token(), arguments.files.quiet);
    const auto control = progress.control();
    const auto index = arguments.files.page.index();
    if (!index) return std::unexpected(index.error());
    auto image = workbench::read_image(arguments.files.input, {.image_index = *index}, control);
    if (!image) return std::unexpected(image.error());
    auto planes = workbench::max_indices(pool, *image, choice->device, control);
    if (!planes) return std::unexpected(planes.error());
    using enum workbench::SampleType;
    constexpr std::int64_t exact_in_f32 = std::int64_t{1} << 24;
    const auto wanted = image->pixels.plane_size() <= exact_in_f32 ? f32 : f64;
    const auto holds = workbench::writable_types(arguments.indices);
    if (!holds) return std::unexpected(holds.error());
    if (std::ranges::count(*holds, wanted) == 0) {
        return fail(ErrorKind::unwritable_output, "\"" + arguments.indices +
                                                      "\" could not be written: its format does not hold the "
                                                      "indices of so large an image exactly: use .tif");
    }
    const auto report = workbench::write_image(*planes, arguments.indices, {.type = wanted}, control);
    if (!report) return std::unexpected(report.error());
    return 0;
}

struct RunArguments {
    Files files;
    std::string recipe;
};

struct BatchArguments {
    std::string recipe;
    std::vector<std::string> inputs;
    std::string out_dir;
    std::string jobs = "1";
    bool resume = false;
    bool quiet = false;
    DeviceOptions device;
    OutputOptions out;

    Result<int> run(const Interruption& interruption) const {
        auto loaded = workbench::load_recipe(recipe);
        if (!loaded) return std::unexpected(loaded.error());
        loaded->keep_alpha = loaded->keep_alpha || out.keep_alpha;
        const auto type = out.type();
        if (!type) return std::unexpected(type.error());
        const auto job_count = parse_integer("--jobs", jobs, 1, 1024);
        if (!job_count) return std::unexpected(job_count.error());
        const auto choice = device.choose();
        if (!choice) return std::unexpected(choice.error());
        workbench::BatchOptions options{.inputs = {inputs.begin(), inputs.end()},
                                        .output_directory = out_dir,
                                        .recipe = std::move(*loaded),
                                        .type = *type,
                                        .jobs = static_cast<int>(*job_count),
                                        .resume = resume};
        Progress progress(interruption.token(), quiet);
        std::optional<workbench::Error> first_failure;
        const auto report = workbench::run_batch(
            options, choice->device, progress.control(), [&](const workbench::BatchItem& item) {
                for (const auto& sentence : item.notes) note(item.input.string() + ": " + sentence, quiet);
                if (item.error) {
                    note(item.input.string() + ": " + item.error->message, false);
                    if (!first_failure) first_failure = item.error;
                }
            });
        progress.clear();
        if (!report) return std::unexpected(report.error());

        using Outcome = workbench::BatchItem::Outcome;
        const auto count = [&](Outcome outcome) {
            return std::ranges::count(report->items, outcome, &workbench::BatchItem::outcome);
        };
        if (!quiet) {
            std::printf("%td written, %td already done, %td failed, %zu of %zu\n", count(Outcome::done),
                        count(Outcome::skipped), count(Outcome::failed), report->items.size(), inputs.size());
        }
        if (report->cancelled) {
            return fail(ErrorKind::cancelled, "interrupted after " + std::to_string(report->items.size()) +
                                                  " of " + std::to_string(inputs.size()) +
                                                  " images; --resume continues");
        }
        if (first_failure) {
            return fail(first_failure->kind, std::to_string(count(Outcome::failed)) + " of " +
                                                 std::to_string(inputs.size()) +
                                                 " images failed; the first: " + first_failure->message);
        }
        return 0;
    }
};

}  // namespace

void add_filter_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("filter", "Run one recursive filter on an image");
    auto arguments = std::make_shared<FilterArguments>();
    arguments->files.add_to(*command);
    command->add_option("--filter", arguments->filter_id, "Filter 1 to 8 (below)")->required();
    command->add_option("--border", arguments->border, "clamp, mirror, wrap or constant")
        ->capture_default_str();
    command
        ->add_option("--border-const", arguments->border_const,
                     "Value outside the image with --border constant")
        ->capture_default_str();
    command->add_option("--precision", arguments->precision, "f32, mixed or f64")->capture_default_str();
    command->add_option("--param", arguments->parameters, "A parameter as name=value; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--start", arguments->start, "truncated or steady")->capture_default_str();
    command->add_flag("--normalise-gain,--normalize-gain", arguments->normalise_gain,
                      "Divide by the filter's gain at frequency zero");
    command->footer(filter_footer());
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) -> Result<int> {
            auto filter = arguments->operation();
            if (!filter) return std::unexpected(filter.error());
            return arguments->files.process({.operations = {{.what = std::move(*filter)}}}, interruption);
        };
    });
}

void add_pool_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("pool", "Pool an image");
    auto arguments = std::make_shared<PoolArguments>();
    arguments->files.add_to(*command);
    command->add_option("--op", arguments->op, "max, avg or lp")->required();
    command->add_option("--window", arguments->window,
                        "HEIGHTxWIDTH in pixels, or one number for both; required");
    command->add_option("--stride", arguments->stride, "HEIGHTxWIDTH in pixels (default: the window)");
    command->add_option("--padding", arguments->padding, "HEIGHTxWIDTH in pixels, at most half the window")
        ->capture_default_str();
    command->add_option("--dilation", arguments->dilation, "HEIGHTxWIDTH")->capture_default_str();
    command->add_flag("--ceil-mode", arguments->ceil_mode, "Keep a last window that overhangs the image");
    command->add_option("--p", arguments->p, "Exponent of lp, above 0")->capture_default_str();
    command->add_flag("--count-include-pad", arguments->count_include_pad,
                      "avg: padding counts in the divisor");
    command->add_option("--divisor", arguments->divisor, "avg: divide by this instead of the window's size");
    command->add_option("--output", arguments->output_size,
                        "HEIGHTxWIDTH of an adaptive op (not in this version)");
    command->add_option("--dtype", arguments->dtype, "Element type: f32")->capture_default_str();
    command->add_option("--indices", arguments->indices,
                        "max: also write the argmax planes, as numbers, to this file (.tif or .exr)");
    command->add_option("--backward", arguments->backward, "Upstream gradient image (not in this version)");
    command->add_option("--grad-out", arguments->grad_out,
                        "Where to write the gradient (not in this version)");
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) -> Result<int> {
            auto pool = arguments->operation();
            if (!pool) return std::unexpected(pool.error());
            if (auto possible = arguments->check_indices(); !possible)
                return std::unexpected(possible.error());
            arguments->say_what_is_ignored();
            const auto done = arguments->files.process({.operations = {{.what = *pool}}}, interruption);
            if (!done || arguments->indices.empty()) return done;
            return write_indices(*arguments, *pool, interruption);
        };
    });
}

void add_run_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("run", "Run a saved recipe on an image");
    auto arguments = std::make_shared<RunArguments>();
    command->add_option("RECIPE", arguments->recipe, "A recipe saved by the workbench (JSON)")->required();
    arguments->files.add_to(*command);
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) -> Result<int> {
            auto recipe = workbench::load_recipe(arguments->recipe);
            if (!recipe) return std::unexpected(recipe.error());
            return arguments->files.process(std::move(*recipe), interruption);
        };
    });
}

void add_batch_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("batch", "Run a saved recipe on many images");
    auto arguments = std::make_shared<BatchArguments>();
    command->add_option("RECIPE", arguments->recipe, "A recipe saved by the workbench (JSON)")->required();
    command->add_option("IN", arguments->inputs, "The images to read")->required();
    command
        ->add_option("--out-dir", arguments->out_dir,
                     "Where the results go, under the inputs' names; made when missing")
        ->required();
    command->add_option("--jobs", arguments->jobs, "Images at once, at least 1")->capture_default_str();
    command->add_flag("--resume", arguments->resume,
                      "Skip what an earlier run finished and nothing has changed since");
    arguments->device.add_to(*command);
    arguments->out.add_to(*command);
    add_quiet(*command, arguments->quiet);
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) { return arguments->run(interruption); };
    });
}

}  // namespace app
