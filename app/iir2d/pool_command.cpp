// SPDX-License-Identifier: MIT
// pool: one pooling operation, with what a recipe does not have.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/iir2d/files.h"
#include "app/iir2d/pool_options.h"
#include "core/batch/process.h"
#include "core/image/image_io.h"
#include "core/image/memory_need.h"
#include "core/image/reading_notes.h"
#include "core/recipe/pool_passes.h"
#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

struct PoolArguments {
    Files files;
    std::string op;
    PoolOptions pool;
    std::string dtype = "f32";
    std::string indices;
    std::string backward;
    std::string grad_out;

    Result<void> check_combination(iir2d::PoolOp kind) const {
        const bool adaptive = is_adaptive(kind);
        if (!adaptive && !pool.output_size.empty())
            return fail(ErrorKind::bad_argument, "--output goes with an adaptive --op only, not with " + op);
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

    Result<iir2d::ElementType> element() const { return parse_element("--dtype", dtype); }

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
            IIR2D_RETURN_IF_ERROR(workbench::check_output(*path));
            IIR2D_TRY(const auto holds, workbench::writable_types(*path));
            if (std::ranges::count(holds, workbench::SampleType::f32) == 0 || path->ends_with(".hdr")) {
                return fail(ErrorKind::unwritable_output,
                            "\"" + *path + "\" could not be written: its format cannot hold " +
                                (path == &indices ? "indices" : "gradients") + ": use .tif or .exr");
            }
        }
        return {};
    }

    // Options of other operations are accepted, so that one command line serves several.
    void say_what_is_ignored(iir2d::PoolOp kind) const {
        if (files.out.keep_alpha) note("--keep-alpha has no effect on pooling", files.quiet);
        for (const std::string& option : pool.ignored_by(kind))
            note(option + " has no effect with --op " + op, files.quiet);
    }

    Result<workbench::PoolOperation> operation() const {
        IIR2D_TRY(const auto kind, parse_pool_op(op));
        IIR2D_RETURN_IF_ERROR(check_combination(kind));
        IIR2D_RETURN_IF_ERROR(element());
        return pool.operation(kind);
    }
};

// float32 while that holds every index exactly, because OpenImageIO reads it back in more cases than float64.
Result<workbench::SampleType> index_type(const PoolArguments& arguments, std::int64_t plane_size) {
    using enum workbench::SampleType;
    constexpr std::int64_t exact_in_f32 = std::int64_t{1} << 24;
    const auto wanted = plane_size <= exact_in_f32 ? f32 : f64;
    IIR2D_TRY(const auto holds, workbench::writable_types(arguments.indices));
    if (std::ranges::count(holds, wanted) == 0) {
        return fail(ErrorKind::unwritable_output, "\"" + arguments.indices +
                                                      "\" could not be written: its format does not hold the "
                                                      "indices of so large an image exactly: use .tif");
    }
    return wanted;
}

// What everything will need, by the headers of the files: said before a pixel is read.
Result<void> check_passes_memory(const PoolArguments& arguments, const workbench::PoolOperation& pool,
                                 const workbench::PoolPassesWanted& wanted, int image_index) {
    IIR2D_TRY(const auto header, workbench::probe_image(arguments.files.input, image_index));
    const iir2d::Shape shape{1, header.channels, header.height, header.width};
    IIR2D_TRY(const auto pooled, workbench::validate(workbench::Operation{.what = pool}, shape));
    const bool as_double =
        wanted.element == iir2d::ElementType::f64 && header.type == workbench::SampleType::f64;
    const auto type = as_double ? iir2d::ElementType::f64 : iir2d::ElementType::f32;
    const auto peak = workbench::peak_memory(pool, shape, type, wanted, !arguments.backward.empty());
    return workbench::check_memory(
        header, header.memory_bytes * (as_double ? 2 : 1), arguments.files.output,
        std::max(workbench::memory_to_read(header, as_double),
                 peak + workbench::memory_to_write(pooled, arguments.files.output)),
        workbench::MemoryBudget::usable_bytes());
}

// Pooling with what a recipe does not have: an element type, indices, a gradient. Everything is computed
// before anything is written.
Result<int> run_passes(const PoolArguments& arguments, const workbench::PoolOperation& pool,
                       const Interruption& interruption) {
    IIR2D_TRY(const auto type, arguments.files.out.type());
    IIR2D_TRY(const auto index, arguments.files.page.index());
    IIR2D_TRY(const auto choice, arguments.files.device.choose());
    IIR2D_TRY(const auto config, arguments.files.device.pinned());
    IIR2D_RETURN_IF_ERROR(workbench::check_output(arguments.files.output));
    Progress progress(interruption.token(), arguments.files.quiet);
    const auto control = progress.control();
    workbench::PoolPassesWanted wanted{
        .element = *arguments.element(), .indices = !arguments.indices.empty(), .config = config};
    const bool keep_double = wanted.element == iir2d::ElementType::f64;
    IIR2D_RETURN_IF_ERROR(check_passes_memory(arguments, pool, wanted, index));
    IIR2D_TRY(auto image, workbench::read_image(arguments.files.input,
                                                {.image_index = index, .keep_double = keep_double}, control));
    for (const auto& sentence : workbench::reading_notes(image.info)) note(sentence, arguments.files.quiet);
    std::optional<workbench::Image> upstream;
    if (!arguments.backward.empty()) {
        IIR2D_TRY(auto read,
                  workbench::read_image(arguments.backward, {.keep_double = keep_double}, control));
        upstream = std::move(read);
        wanted.upstream = &upstream->pixels;
    }
    const auto plane_size = image.pixels.plane_size();
    IIR2D_TRY(const auto indices_as,
              wanted.indices ? index_type(arguments, plane_size) : workbench::SampleType::f32);
    IIR2D_TRY(auto passes, workbench::pool_passes(pool, image, wanted, choice.device, control));
    struct Output {
        const workbench::Image* image;
        const std::string& path;
        std::optional<workbench::SampleType> type;
    };
    const auto pointer = [](const auto& optional) { return optional ? &*optional : nullptr; };
    // A gradient's doubles are kept where its file can.
    std::optional<workbench::SampleType> gradient_as = workbench::SampleType::f32;
    if (keep_double) gradient_as = workbench::SampleType::f64;
    for (const Output& output : {Output{&passes.pooled, arguments.files.output, type},
                                 Output{pointer(passes.indices), arguments.indices, indices_as},
                                 Output{pointer(passes.gradient), arguments.grad_out, gradient_as}}) {
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
    arguments->files.device.add_config_to(*command);
    command->add_option("--op", arguments->op, "The operation: max, avg, lp, adaptive-max or adaptive-avg")
        ->required();
    arguments->pool.add_to(*command,
                           "The window as HEIGHTxWIDTH in pixels, or one number for both; required except "
                           "for adaptive operations");
    command
        ->add_option("--dtype", arguments->dtype,
                     "The element type that samples are rounded to and pooled in: f32, f64, f16 or bf16")
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
            outlive_readers();
            IIR2D_TRY(auto pool, arguments->operation());
            IIR2D_RETURN_IF_ERROR(arguments->check_number_files());
            arguments->say_what_is_ignored(pool.op);
            if (arguments->beyond_recipe()) return run_passes(*arguments, pool, interruption);
            return arguments->files.process({.operations = {{.what = pool}}}, interruption);
        };
    });
}

}  // namespace app
