// SPDX-License-Identifier: MIT
// compare-records: a verdict for each case of two records.
#include <cstdio>
#include <memory>

#include "app/iir2d/evidence.h"
#include "core/evidence/compare.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/text.h"
#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

struct CompareRecordsArguments {
    std::string base;
    std::string now;
    std::string metric = "ratio-to-copy";
    std::string margin = "5%";
    std::string max_regression;
    std::string out_md;
    bool allow_unlike = false;
    bool json = false;
    bool quiet = false;

    Result<workbench::CompareSettings> settings() const {
        workbench::CompareSettings s;
        IIR2D_TRY(s.metric, workbench::metric_from_name(metric));
        IIR2D_TRY(s.margin, parse_part("--margin", margin));
        if (!max_regression.empty()) {
            IIR2D_TRY(s.max_regression, parse_part("--max-regression", max_regression));
        }
        s.allow_unlike = allow_unlike;
        return s;
    }

    static void print(const workbench::RecordComparison& comparison) {
        for (const auto& sentence : comparison.unlike) std::printf("unlike %s\n", shown(sentence).c_str());
        std::printf("%-56s %-10s %7s %18s %9s %12s %12s\n", "case", "verdict", "ratio", "95 % interval", "p",
                    "base p50", "new p50");
        for (const auto& c : comparison.cases) {
            if (c.verdict == workbench::Verdict::not_timed) {
                std::printf("%-56s NOT TIMED\n", shown(c.now.key).c_str());
            } else {
                std::printf("%-56s %-10s %7.3f %8.3f to %6.3f %9.2g %12.5g %12.5g%s\n",
                            shown(c.now.key).c_str(), std::string(name_of(c.verdict)).c_str(), c.cost_ratio,
                            c.ratio_interval.low, c.ratio_interval.high, c.test.p_value, c.base.p50,
                            c.now.p50,
                            c.regression   ? "  regression"
                            : c.unresolved ? "  not shown to be within the limit"
                                           : "");
            }
            for (const auto& text : c.notes) std::printf("    %s\n", shown(text).c_str());
        }
        for (const auto& key : comparison.missing_in_new)
            std::printf("%-56s missing in NEW\n", shown(key).c_str());
        for (const auto& key : comparison.missing_in_base)
            std::printf("%-56s missing in BASE\n", shown(key).c_str());
        if (const auto command = workbench::duel_command(comparison); !command.empty())
            std::printf("measured in pairs, the ambiguous cases have an answer: %s\n",
                        shown(command).c_str());
    }

    Result<int> run() const {
        IIR2D_TRY(const auto s, settings());
        IIR2D_TRY(auto before, workbench::load_record(base));
        IIR2D_TRY(auto after, workbench::load_record(now));
        using workbench::Record;
        IIR2D_TRY(const auto comparison,
                  workbench::compare_records(std::make_shared<const Record>(std::move(before)),
                                             std::make_shared<const Record>(std::move(after)), s));
        if (!out_md.empty()) {
            const auto text = workbench::comparison_to_markdown(comparison);
            IIR2D_RETURN_IF_ERROR(workbench::write_file_atomically(out_md, text));
        }
        if (json) {
            print_text(workbench::comparison_to_json(comparison));
        } else if (!quiet) {
            print(comparison);
        }
        const auto wrong = workbench::shortcomings(comparison);
        if (wrong.empty()) return 0;
        return fail(ErrorKind::check_failed,
                    "the new record does not pass: " + workbench::printable_utf8(wrong.front()) +
                        workbench::and_more(wrong.size()));
    }
};

}  // namespace

void add_compare_records_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "compare-records", "Compare a record with an earlier one; exit code 5 on a regression");
    auto arguments = std::make_shared<CompareRecordsArguments>();
    command->add_option("BASE", arguments->base, "The earlier record: a directory, or its record.json")
        ->required();
    command->add_option("NEW", arguments->now, "The later record")->required();
    command
        ->add_option("--metric", arguments->metric,
                     "The figure to compare: ratio-to-copy, latency or throughput")
        ->capture_default_str();
    command
        ->add_option("--margin", arguments->margin, "Relative differences up to this count as no difference")
        ->capture_default_str();
    command->add_option("--max-regression", arguments->max_regression,
                        "How much slower than BASE a case may be, as 25%; without it no case may be SLOWER");
    command->add_option("--out-md", arguments->out_md, "Write a report");
    command->add_flag(
        "--allow-unlike", arguments->allow_unlike,
        "Also compare records of different devices, inputs, precisions or sizes; the report says so");
    command->add_flag("--json", arguments->json, "Print the comparison as JSON");
    add_quiet(*command, arguments->quiet);
    command->callback(
        [arguments, &chosen] { chosen = [arguments](const Interruption&) { return arguments->run(); }; });
}

}  // namespace app
