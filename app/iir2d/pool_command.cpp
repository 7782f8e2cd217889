// SPDX-License-Identifier: MIT
// pool: one pooling operation, with what a recipe does not have.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/iir2d/files.h"
#include "core/image/image_io.h"
#include "core/recipe/pool_passes.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

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

    Result<void> check_combination(iir2d::PoolOp kind) const {
        const bool adaptive = is_adaptive(kind);
        if (adaptive && output_size.empty())
            return fail(ErrorKind::bad_argument, "--output is required with --op " + op);
        if (!adaptive && !output_size.empty())
            return fail(ErrorKind::bad_argument, "--output goes with an adaptive --op only, not with " + op);
        if (!adaptive && window.empty()) return fail(ErrorKind::bad_argument, "--window is required");
        if (!indices.empty() && !is_max(kind)) {
            return fail(ErrorKind::bad_argument,
                        "--indices goes with --op max and adaptive-max only, not with " + op);
        }
        if (backward.empty() != grad_out.empty()) {
            return fail(ErrorKind::bad_argument,
                        backward.empty() ? "--grad-out needs --backward, the upstream gradient"
                                         : "--backward needs --grad-out, where the gradient goes");
        }
        return {};
    }

    Result<iir2d::ElementType> element() const {
        using enum iir2d::ElementType;
        for (const auto type : {f32, f64, f16, bf16}) {
            if (dtype == name_of(type)) return type;
        }
        return fail(ErrorKind::bad_argument, "--dtype \"" + dtype + "\" is not one of f32, f64, f16, bf16");
    }

    // Whether more is asked for than a recipe does.
    bool beyond_recipe() const { return dtype != "f32" || !indices.empty() || !backward.empty(); }

    // Of files that numbers go to, not shades: other files than OUT and each other, of formats that hold
    // them.
    Result<void> check_number_files() const {
        std::vector<std::pair<const char*, const std::string*>> taken{{"OUT", &files.output}};
        for (const auto& [option, path] :
             {std::pair{"--indices", &indices}, std::pair{"--grad-out", &grad_out}}) {
            if (path->empty()) continue;
            for (const auto& [other, other_path] : taken) {
                std::error_code error;
                if (*path == *other_path || std::filesystem::equivalent(*path, *other_path, error)) {
                    return fail(ErrorKind::bad_argument,
                                std::string(option) + " and " + other + " are both \"" + *path + "\"");
                }
            }
            taken.emplace_back(option, path);
            if (auto possible = workbench::check_output(*path); !possible) return possible;
            const auto holds = workbench::writable_types(*path);
            if (!holds) return std::unexpected(holds.error());
            if (std::ranges::count(*holds, workbench::SampleType::f32) == 0 || path->ends_with(".hdr")) {
                return fail(ErrorKind::unwritable_output,
                            "\"" + *path + "\" could not be written: its format cannot hold " +
                                (path == &indices ? "indices" : "gradients") + ": use .tif or .exr");
            }
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
        if (output_size.empty()) return;
        for (const auto& [option, given] :
             {std::pair{"--window", !window.empty()}, std::pair{"--stride", !stride.empty()},
              std::pair{"--padding", padding != "0x0"}, std::pair{"--dilation", dilation != "1x1"},
              std::pair{"--ceil-mode", ceil_mode}}) {
            if (given) ignored(option);
        }
    }

    Result<workbench::PoolOperation> operation() const {
        const auto kind = parse_pool_op(op);
        if (!kind) return std::unexpected(kind.error());
        if (auto possible = check_combination(*kind); !possible) return std::unexpected(possible.error());
        if (const auto type = element(); !type) return std::unexpected(type.error());
        workbench::PoolOperation pool{
            .op = *kind, .ceil_mode = ceil_mode, .count_include_pad = count_include_pad};
        struct Field {
            const char* option;
            const std::string& text;
            iir2d::Extent& value;
        };
        if (is_adaptive(*kind)) {
            const auto size = parse_extent("--output", output_size);
            if (!size) return std::unexpected(size.error());
            pool.output = *size;
            return pool;
        }
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

// float32 while that holds every index exactly, because OpenImageIO reads it back in more cases than float64.
Result<workbench::SampleType> index_type(const PoolArguments& arguments, std::int64_t plane_size) {
    using enum workbench::SampleType;
    constexpr std::int64_t exact_in_f32 = std::int64_t{1} << 24;
    const auto wanted = plane_size <= exact_in_f32 ? f32 : f64;
    const auto holds = workbench::writable_types(arguments.indices);
    if (!holds) return std::unexpected(holds.error());
    if (std::ranges::count(*holds, wanted) == 0) {
        return fail(ErrorKind::unwritable_output, "\"" + arguments.indices +
                                                      "\" could not be written: its format does not hold the "
                                                      "indices of so large an image exactly: use .tif");
    }
    return wanted;
}

// Pooling with what a recipe does not have: an element type, indices, a gradient. Everything is computed
// before anything is written.
Result<int> run_passes(const PoolArguments& arguments, const workbench::PoolOperation& pool,
                       const Interruption& interruption) {
    const auto type = arguments.files.out.type();
    if (!type) return std::unexpected(type.error());
    const auto index = arguments.files.page.index();
    if (!index) return std::unexpected(index.error());
    const auto choice = arguments.files.device.choose();
    if (!choice) return std::unexpected(choice.error());
    if (auto possible = workbench::check_output(arguments.files.output); !possible)
        return std::unexpected(possible.error());
    Progress progress(interruption.token(), arguments.files.quiet);
    const auto control = progress.control();
    workbench::PoolPassesWanted wanted{.element = *arguments.element(),
                                       .indices = !arguments.indices.empty()};
    const bool keep_double = wanted.element == iir2d::ElementType::f64;
    auto image = workbench::read_image(arguments.files.input,
                                       {.image_index = *index, .keep_double = keep_double}, control);
    if (!image) return std::unexpected(image.error());
    std::optional<workbench::Image> upstream;
    if (!arguments.backward.empty()) {
        auto read = workbench::read_image(arguments.backward, {.keep_double = keep_double}, control);
        if (!read) return std::unexpected(read.error());
        upstream = std::move(*read);
        wanted.upstream = &upstream->pixels;
    }
    const auto plane_size = image->pixels.plane_size();
    const auto indices_as = wanted.indices ? index_type(arguments, plane_size) : workbench::SampleType::f32;
    if (!indices_as) return std::unexpected(indices_as.error());
    auto passes = workbench::pool_passes(pool, *image, wanted, choice->device, control);
    if (!passes) return std::unexpected(passes.error());
    struct Output {
        const workbench::Image* image;
        const std::string& path;
        std::optional<workbench::SampleType> type;
    };
    const auto pointer = [](const auto& optional) { return optional ? &*optional : nullptr; };
    // A gradient's doubles are kept where its file can.
    std::optional<workbench::SampleType> gradient_as = workbench::SampleType::f32;
    if (keep_double) gradient_as = workbench::SampleType::f64;
    for (const Output& output : {Output{&passes->pooled, arguments.files.output, *type},
                                 Output{pointer(passes->indices), arguments.indices, *indices_as},
                                 Output{pointer(passes->gradient), arguments.grad_out, gradient_as}}) {
        if (output.image == nullptr) continue;
        const auto report =
            workbench::write_image(*output.image, output.path, {.type = output.type}, control);
        progress.clear();
        if (!report) return std::unexpected(report.error());
        for (const auto& sentence : report->notes) note(sentence, arguments.files.quiet);
    }
    return 0;
}

}  // namespace

void add_pool_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("pool", "Pool an image");
    auto arguments = std::make_shared<PoolArguments>();
    arguments->files.add_to(*command);
    command->add_option("--op", arguments->op, "max, avg, lp, adaptive-max or adaptive-avg")->required();
    command->add_option("--window", arguments->window,
                        "HEIGHTxWIDTH in pixels, or one number for both; required but of adaptive ops");
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
                        "HEIGHTxWIDTH of the result, in pixels; required of adaptive ops");
    command
        ->add_option("--dtype", arguments->dtype,
                     "What samples are rounded to and pooled in: f32, f64, f16 or bf16")
        ->capture_default_str();
    command->add_option(
        "--indices", arguments->indices,
        "max, adaptive-max: also write the argmax planes, as numbers, to this file (.tif or .exr)");
    command->add_option(
        "--backward", arguments->backward,
        "Also run the backward pass: an image of OUT's size, the gradient with respect to OUT");
    command->add_option("--grad-out", arguments->grad_out,
                        "Where --backward writes the gradient with respect to IN, as numbers (.tif or .exr)");
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) -> Result<int> {
            auto pool = arguments->operation();
            if (!pool) return std::unexpected(pool.error());
            if (auto possible = arguments->check_number_files(); !possible)
                return std::unexpected(possible.error());
            arguments->say_what_is_ignored();
            if (arguments->beyond_recipe()) return run_passes(*arguments, *pool, interruption);
            return arguments->files.process({.operations = {{.what = *pool}}}, interruption);
        };
    });
}

}  // namespace app
