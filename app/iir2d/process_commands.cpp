// SPDX-License-Identifier: MIT
// filter, run and batch: a recipe, given in one way or another, applied to files.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/iir2d/files.h"
#include "app/iir2d/options.h"
#include "core/batch/process.h"
#include "core/image/image_io.h"
#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

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
        IIR2D_TRY(const auto id, parse_filter_id("--filter", filter_id));
        workbench::FilterOperation filter{.filter_id = id, .normalise_gain = normalise_gain};
        IIR2D_TRY(const auto border_mode, parse_border(border));
        IIR2D_TRY(const auto constant, parse_number("--border-const", border_const));
        IIR2D_TRY(const auto precision_mode, parse_precision(precision));
        IIR2D_TRY(const auto start_mode, parse_start(start));
        for (const std::string& text : parameters) {
            const auto equals = text.find('=');
            if (equals == std::string::npos || equals == 0) {
                return fail(ErrorKind::bad_argument,
                            "--param \"" + text + "\" is not of the form name=value");
            }
            IIR2D_TRY(const auto value,
                      parse_number("--param " + text.substr(0, equals), text.substr(equals + 1)));
            if (!filter.parameters.emplace(text.substr(0, equals), value).second) {
                return fail(ErrorKind::bad_argument,
                            "--param " + text.substr(0, equals) + " is given more than once");
            }
        }
        filter.border = border_mode;
        filter.border_const = constant;
        filter.precision = precision_mode;
        filter.start = start_mode;
        return filter;
    }
};

std::string filter_footer() {
    std::string text = "Filters and their parameters (range, default):\n";
    for (const iir2d::FilterRow& row : iir2d::filter_table()) {
        text += fmt::format("  {}  {}\n", row.id, row.name);
        for (const iir2d::FilterParameter& p : row.parameters)
            text += fmt::format("       {:<12} {:g} to {:g}{}{}, default {:g}\n", p.name, p.minimum,
                                p.maximum, p.unit.empty() ? "" : " ", p.unit, p.default_value);
    }
    return text;
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
        outlive_readers();
        interruption.give_time(std::chrono::seconds(5));
        IIR2D_TRY(auto loaded, workbench::load_recipe(recipe));
        loaded.keep_alpha = loaded.keep_alpha || out.keep_alpha;
        IIR2D_TRY(const auto type, out.type());
        IIR2D_TRY(const auto job_count, parse_integer("--jobs", jobs, 1, 1024));
        IIR2D_TRY(const auto choice, device.choose());
        workbench::BatchOptions options{.inputs = {inputs.begin(), inputs.end()},
                                        .output_directory = out_dir,
                                        .recipe = std::move(loaded),
                                        .type = type,
                                        .jobs = static_cast<int>(job_count),
                                        .resume = resume};
        Progress progress(interruption.token(), quiet);
        std::optional<workbench::Error> first_failure;
        const auto report = workbench::run_batch(
            options, choice.device, progress.control(), [&](const workbench::BatchItem& item) {
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
            return fail(ErrorKind::cancelled,
                        fmt::format("interrupted after {} of {} images; --resume continues",
                                    report->items.size(), inputs.size()));
        }
        if (first_failure) {
            return fail(first_failure->kind,
                        fmt::format("{} of {} images failed; the first: {}", count(Outcome::failed),
                                    inputs.size(), first_failure->message));
        }
        return 0;
    }
};

}  // namespace

void add_filter_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("filter", "Run one recursive filter on an image");
    auto arguments = std::make_shared<FilterArguments>();
    arguments->files.add_to(*command);
    arguments->files.device.add_config_to(*command);
    command->add_option("--filter", arguments->filter_id, "A filter's number (below)")->required();
    command->add_option("--border", arguments->border, "The border: clamp, mirror, wrap or constant")
        ->capture_default_str();
    command
        ->add_option("--border-const", arguments->border_const,
                     "Value outside the image with --border constant")
        ->capture_default_str();
    command->add_option("--precision", arguments->precision, "The precision: f32, mixed or f64")
        ->capture_default_str();
    command->add_option("--param", arguments->parameters, "A parameter as name=value; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--start", arguments->start, "How a line begins: truncated or steady (docs/filters.md)")
        ->capture_default_str();
    command->add_flag("--normalise-gain,--normalize-gain", arguments->normalise_gain,
                      "Divide by the filter's gain at frequency zero");
    command->footer(filter_footer());
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) -> Result<int> {
            IIR2D_TRY(auto filter, arguments->operation());
            return arguments->files.process({.operations = {{.what = std::move(filter)}}}, interruption);
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
            IIR2D_TRY(auto recipe, workbench::load_recipe(arguments->recipe));
            return arguments->files.process(std::move(recipe), interruption);
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
