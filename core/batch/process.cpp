// SPDX-License-Identifier: MIT
#include "core/batch/process.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/image/memory_need.h"
#include "core/image/reading_notes.h"
#include "core/recipe/apply.h"
#include "core/support/atomic_file.h"
#include "core/support/counted.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace workbench {

namespace fs = std::filesystem;

ReadOptions read_options_for(const Recipe& recipe, int image_index) {
    const bool f64 = std::ranges::any_of(recipe.operations, [](const Operation& operation) {
        const auto* filter = std::get_if<FilterOperation>(&operation.what);
        return operation.enabled && filter && filter->precision == iir2d::Precision::f64;
    });
    // A recipe that does nothing is a copy, of doubles too.
    const bool copies = std::ranges::none_of(recipe.operations, &Operation::enabled);
    return {.image_index = image_index, .keep_double = f64 || copies};
}

namespace {

// One third of a job's progress each for reading, computing and writing.
TaskControl part(const TaskControl& control, int index) {
    TaskControl inner{.stop = control.stop, .progress = {}};
    if (control.progress) {
        inner.progress = [&control, index](double fraction, std::string_view what) {
            control.progress((index + fraction) / 3.0, what);
        };
    }
    return inner;
}

}  // namespace

Result<void> check_memory(const ImageInfo& input, std::uint64_t input_bytes, const fs::path& output,
                          std::uint64_t peak, std::uint64_t usable) {
    if (input_bytes > usable) {
        return fail(
            ErrorKind::bad_input,
            fmt::format("{} is {} x {} pixels and needs {} of memory; {} can be used", quoted(input.path),
                        input.width, input.height, mebibytes(input_bytes), mebibytes(usable)));
    }
    if (peak > usable) {
        return unwritable(
            output, fmt::format("the input and what is computed of it need {} of memory; {} can be used",
                                mebibytes(peak), mebibytes(usable)));
    }
    return {};
}

Result<WriteReport> process_file(const ProcessJob& job, const iir2d::Device& device,
                                 const TaskControl& control, MemoryBudget& budget) {
    // What is wrong with the recipe itself, or with where the result goes, is said before a large file is
    // read, and what is wrong with either for this image before it is worked on.
    IIR2D_RETURN_IF_ERROR(validate(job.recipe, iir2d::Shape{.n = 1, .c = 1, .h = 0, .w = 0}));
    IIR2D_RETURN_IF_ERROR(check_output(job.output));
    ReadOptions reading = read_options_for(job.recipe, job.image_index);
    IIR2D_TRY(const auto header, probe_image(job.input, job.image_index));
    const iir2d::Shape input{1, header.channels, header.height, header.width};
    IIR2D_TRY(const auto shape, validate(job.recipe, input));
    IIR2D_RETURN_IF_ERROR(check_output(job.output, shape));

    const bool as_double = reading.keep_double && header.type == SampleType::f64;
    const auto type = as_double ? iir2d::ElementType::f64 : iir2d::ElementType::f32;
    // While it is read, or while it is computed and what came of it is written.
    const std::uint64_t peak =
        std::max(memory_to_read(header, as_double),
                 peak_memory(job.recipe, input, type) + memory_to_write(shape, job.output));
    const std::uint64_t input_bytes = header.memory_bytes * (as_double ? 2 : 1);
    IIR2D_RETURN_IF_ERROR(check_memory(header, input_bytes, job.output, peak, budget.bytes()));
    const auto lease = budget.take(peak, control.stop);
    if (!lease) return fail(ErrorKind::cancelled, "interrupted while waiting for memory");

    reading.memory_limit = budget.bytes();
    IIR2D_TRY(auto image, read_image(job.input, reading, part(control, 0)));
    ApplyWork work{.config = job.config};
    IIR2D_TRY(auto pixels,
              apply(job.recipe, image.pixels, image.info.alpha_channel, device, part(control, 1), work));
    const Image result = with_pixels(image, std::move(pixels));
    auto report = write_image(result, job.output, {.type = job.type}, part(control, 2));
    if (report) {
        auto notes = reading_notes(image.info);
        report->notes.insert(report->notes.begin(), notes.begin(), notes.end());
    }
    return report;
}

Result<WriteReport> process_file(const ProcessJob& job, const iir2d::Device& device,
                                 const TaskControl& control) {
    MemoryBudget budget(MemoryBudget::usable_bytes());
    return process_file(job, device, control, budget);
}

}  // namespace workbench
