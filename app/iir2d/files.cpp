// SPDX-License-Identifier: MIT
#include "app/iir2d/files.h"

#include <utility>

#include "core/batch/process.h"
#include "core/support/try.h"

namespace app {

void Files::add_to(CLI::App& command) {
    command.add_option("IN", input, "The image to read: anything OpenImageIO reads")->required();
    command.add_option("OUT", output, "The image to write; its extension chooses the format")->required();
    page.add_to(command);
    device.add_to(command);
    out.add_to(command);
    add_quiet(command, quiet);
}

Result<int> Files::process(workbench::Recipe recipe, const Interruption& interruption) const {
    outlive_readers();
    IIR2D_TRY(const auto type, out.type());
    IIR2D_TRY(const auto index, page.index());
    IIR2D_TRY(const auto choice, device.choose());
    recipe.keep_alpha = recipe.keep_alpha || out.keep_alpha;

    Progress progress(interruption.token(), quiet);
    IIR2D_TRY(const auto config, device.pinned());
    const workbench::ProcessJob job{.input = input,
                                    .output = output,
                                    .recipe = std::move(recipe),
                                    .type = type,
                                    .image_index = index,
                                    .config = config};
    const auto report = workbench::process_file(job, choice.device, progress.control());
    progress.clear();
    if (!report) return std::unexpected(report.error());
    for (const auto& sentence : report->notes) note(sentence, quiet);
    return 0;
}

}  // namespace app
