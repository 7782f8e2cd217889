// SPDX-License-Identifier: MIT
#include "core/batch/process.h"

#include <algorithm>
#include <string>

#include "core/recipe/apply.h"
#include "core/support/atomic_file.h"
#include "core/support/text.h"

#include "core/image/reading_notes.h"
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

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string((bytes + (1U << 20) - 1) >> 20) + " MiB";
}

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
    const std::string can_be_used = mebibytes(usable) + " can be used";
    if (input_bytes > usable) {
        return fail(ErrorKind::bad_input, quoted(input.path) + " is " + std::to_string(input.width) + " x " +
                                              std::to_string(input.height) + " pixels and needs " +
                                              mebibytes(input_bytes) + " of memory; " + can_be_used);
    }
    if (peak > usable) {
        return unwritable(output, "the input and what is computed of it need " + mebibytes(peak) +
                                      " of memory; " + can_be_used);
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
    const std::uint64_t peak = peak_memory(job.recipe, input, type) + rows_in_transit;
    const std::uint64_t input_bytes = header.memory_bytes * (as_double ? 2 : 1);
    IIR2D_RETURN_IF_ERROR(check_memory(header, input_bytes, job.output, peak, budget.bytes()));
    const auto lease = budget.take(peak, control.stop);
    if (!lease) return fail(ErrorKind::cancelled, "interrupted while waiting for memory");

    reading.memory_limit = budget.bytes();
    IIR2D_TRY(auto image, read_image(job.input, reading, part(control, 0)));
    IIR2D_TRY(auto result, apply(job.recipe, image, device, part(control, 1)));
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
