// SPDX-License-Identifier: MIT
// reproduce: measures again what a record measured.
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "core/evidence/reproduce.h"
#include "core/support/files.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

struct ReproduceArguments {
    std::string original;
    std::string image;
    std::string device;
    std::string record;
    std::string out_md;
    std::string sign;
    std::string max_regression;
    bool quiet = false;

    Result<int> run(const Interruption& interruption) const {
        outlive_readers();
        IIR2D_TRY(const auto key, signing_key(record, sign));
        IIR2D_RETURN_IF_ERROR(check_outputs({out_md}, record));
        workbench::ReproduceSettings settings{.compare = {}, .image = image, .device = device};
        if (!max_regression.empty()) {
            IIR2D_TRY(settings.compare.max_regression, parse_part("--max-regression", max_regression));
        }
        Progress progress(interruption.token(), quiet);
        const auto r = workbench::reproduce(original, settings, progress.control());
        progress.clear();
        if (!r) return std::unexpected(r.error());
        IIR2D_RETURN_IF_ERROR(workbench::write_record(*r->record, record, key));
        if (!out_md.empty()) {
            const auto report = workbench::comparison_to_markdown(r->comparison);
            IIR2D_RETURN_IF_ERROR(workbench::write_file_atomically(out_md, report));
        }
        if (!quiet) print_text(workbench::reproduction_to_text(*r));
        note("record written to " + record, quiet);
        if (r->reproduced()) return 0;
        const auto wrong = workbench::shortcomings(r->comparison);
        const std::string first =
            !r->changed_outputs.empty()  ? "the output of \"" + r->changed_outputs.front() + "\" changed"
            : !r->not_reproduced.empty() ? "\"" + r->not_reproduced.front() + "\" has no output to compare"
                                         : wrong.front();
        return fail(ErrorKind::check_failed,
                    "the record is not reproduced: " + workbench::printable_utf8(first));
    }
};

}  // namespace

void add_reproduce_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "reproduce", "Measure again what a record measured; exit code 5 when the results differ");
    auto a = std::make_shared<ReproduceArguments>();
    command->add_option("RECORD", a->original, "A record directory, or its record.json")->required();
    command->add_option("--record", a->record, "Write the new record into this new directory")->required();
    command->add_option("--image", a->image, "Where the record's image is now");
    command->add_option("--device", a->device, "auto, cpu, cuda or cuda:N (default: the record's)");
    command->add_option(
        "--max-regression", a->max_regression,
        "How much slower than the record a case may be, as 25%; without it no case may be SLOWER");
    command->add_option("--out-md", a->out_md, "Write the comparison of the timings");
    command->add_option("--sign", a->sign, "Sign the new record with this private key");
    add_quiet(*command, a->quiet);
    command->callback([a, &chosen] {
        while (a->record.size() > 1 && a->record.ends_with('/')) a->record.pop_back();
        chosen = [a](const Interruption& interruption) { return a->run(interruption); };
    });
}

}  // namespace app
