// SPDX-License-Identifier: MIT
#include "core/batch/process.h"

#include <algorithm>

#include "core/image/reading_notes.h"

namespace workbench {

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

Result<WriteReport> process_file(const ProcessJob& job, const iir2d::Device& device,
                                 const TaskControl& control) {
    // What is wrong with the recipe itself, or with where the result goes, is said before a large file is
    // read, and what is wrong with either for this image before it is worked on.
    if (auto valid = validate(job.recipe, iir2d::Shape{.n = 1, .c = 1, .h = 0, .w = 0}); !valid) {
        return std::unexpected(valid.error());
    }
    if (auto possible = check_output(job.output); !possible) return std::unexpected(possible.error());
    auto image = read_image(job.input, read_options_for(job.recipe, job.image_index), part(control, 0));
    if (!image) return std::unexpected(image.error());
    const auto shape = validate(job.recipe, image->pixels.view().shape);
    if (!shape) return std::unexpected(shape.error());
    if (auto possible = check_output(job.output, *shape); !possible) return std::unexpected(possible.error());
    auto result = apply(job.recipe, *image, device, part(control, 1));
    if (!result) return std::unexpected(result.error());
    auto report = write_image(*result, job.output, {.type = job.type}, part(control, 2));
    if (report) {
        auto notes = reading_notes(image->info);
        report->notes.insert(report->notes.begin(), notes.begin(), notes.end());
    }
    return report;
}

}  // namespace workbench
