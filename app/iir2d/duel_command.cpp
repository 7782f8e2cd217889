// SPDX-License-Identifier: MIT
// duel: two builds of the library measured in pairs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "app/iir2d/evidence.h"
#include "app/iir2d/json.h"
#include "app/iir2d/matrix_options.h"
#include "core/duel/duel.h"
#include "core/duel/duel_record.h"
#include "core/duel/revision.h"
#include "core/evidence/protocol.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/try.h"

namespace app {

using workbench::DuelCase;
using workbench::DuelVerdict;
using workbench::ErrorKind;
using workbench::fail;

namespace {

void print_duel_header() {
    std::printf("%-56s %-10s %8s %19s %19s %6s %9s %9s\n", "case", "verdict", "change", "interval", "control",
                "pairs", "base ms", "new ms");
}

void print_case(const DuelCase& c) {
    const auto* look = c.last();
    const std::string verdict(name_of(c.verdict));
    if (look == nullptr) {
        std::printf("%-56s %-10s\n", shown(c.what.key).c_str(), verdict.c_str());
    } else {
        std::printf("%-56s %-10s %8s %19s %19s %6zu %9.4f %9.4f\n", shown(c.what.key).c_str(),
                    verdict.c_str(), workbench::change_text(look->effect.ratio).c_str(),
                    workbench::change_text(look->effect.interval).c_str(),
                    workbench::change_text(look->control.interval).c_str(), c.pairs(),
                    median_ms(c, workbench::Participant::base).value_or(0),
                    median_ms(c, workbench::Participant::now).value_or(0));
    }
    if (!c.reason.empty()) std::printf("    %s\n", shown(c.reason).c_str());
    if (c.outputs && !c.outputs->equal_bits && c.verdict != DuelVerdict::wrong) {
        std::printf("    the results differ by at most %.3g (%lld ULP), %.3g is allowed\n",
                    c.outputs->max_abs_error, static_cast<long long>(c.outputs->max_ulp), c.outputs->bound);
    }
    std::fflush(stdout);
}

struct DuelArguments {
    MatrixOptions matrix;
    std::vector<std::string> sides;
    std::string protocol;
    std::string revision;
    std::string source = ".";
    std::string margin = "2%";
    std::string launches = "8";
    std::string pairs = "25..6400";
    std::string budget = "20";
    std::string longest_call = "30";
    std::string max_regression;
    std::string record;
    std::string sign;
    std::string out_md;

    Result<std::pair<int, int>> pair_limits() const {
        const auto dots = pairs.find("..");
        if (dots == std::string::npos)
            return fail(ErrorKind::bad_argument, "--pairs " + pairs + " is not LEAST..MOST, as 25..6400");
        IIR2D_TRY(const auto least,
                  parse_integer("--pairs", pairs.substr(0, dots), 4, workbench::most_duel_pairs));
        IIR2D_TRY(const auto most,
                  parse_integer("--pairs", pairs.substr(dots + 2), least, workbench::most_duel_pairs));
        return std::pair(static_cast<int>(least), static_cast<int>(most));
    }

    Result<workbench::DuelSettings> settings(const workbench::TaskControl& control) const {
        workbench::DuelSettings s;
        if (matrix.device.device.starts_with("cuda"))
            return fail(ErrorKind::bad_argument,
                        "--device " + matrix.device.device +
                            ": a duel measures on the CPU; compare two records of a GPU");
        // What is measured is called through the C interface of 1.0, which has neither.
        for (const auto& [option, value] :
             {std::pair("--config", &matrix.device.config), {"--tune", &matrix.device.tune}}) {
            if (!value->empty())
                return fail(
                    ErrorKind::bad_argument,
                    std::string(option) +
                        " has no effect on a duel: each library executes a call as it chooses itself");
        }
        if (protocol.empty()) {
            IIR2D_TRY(s.matrix, matrix.matrix(control));
        } else {
            IIR2D_TRY(s.matrix, workbench::matrix_of_protocol(protocol));
            IIR2D_TRY(s.matrix.threads, matrix.device.thread_count());
        }
        s.matrix.device = "cpu";
        s.rule.seed = s.matrix.seed;
        IIR2D_TRY(s.rule.margin, parse_part("--margin", margin));
        IIR2D_TRY(const auto count, parse_integer("--launches", launches, 2, 1000));
        s.launches = static_cast<int>(count);
        IIR2D_TRY(const auto limits, pair_limits());
        s.rule.least_pairs = limits.first;
        s.rule.most_pairs = limits.second;
        IIR2D_TRY(s.budget_seconds, parse_number("--budget", budget));
        IIR2D_TRY(s.longest_call_seconds, parse_number("--longest-call", longest_call));
        if (!(s.longest_call_seconds > 0 && s.longest_call_seconds <= 86'400))
            return fail(ErrorKind::bad_argument,
                        "--longest-call " + longest_call + " is not above 0 and at most 86400 seconds");
        return s;
    }

    Result<std::optional<double>> limit() const {
        if (max_regression.empty()) return std::nullopt;
        IIR2D_TRY(const auto part, parse_part("--max-regression", max_regression));
        if (!(part >= 0 && part <= 100))
            return fail(ErrorKind::bad_argument,
                        "--max-regression " + max_regression + " is not from 0% to 10000%");
        return part;
    }

    Result<std::pair<std::string, std::string>> named_sides(const workbench::TaskControl& control) const {
        // An argument that may be left out is not checked while it is read.
        if (std::ranges::any_of(sides, &std::string::empty))
            return fail(ErrorKind::bad_argument, "LIBRARY has an empty value: name a library, a folder or .");
        if (revision.empty()) {
            if (sides.empty()) return fail(ErrorKind::bad_argument, "name BASE, or give --rev");
            return std::pair(sides[0], sides.size() > 1 ? sides[1] : std::string("."));
        }
        if (sides.size() > 1)
            return fail(ErrorKind::bad_argument, "with --rev only NEW is named: the revision is BASE");
        IIR2D_TRY(const auto built, workbench::build_revision(source, revision, control));
        return std::pair(built.string(), sides.empty() ? std::string(".") : sides[0]);
    }

    Result<int> run(const Interruption& interruption) const {
        if (!out_md.empty() || !record.empty()) outlive_readers();
        interruption.give_time(std::chrono::seconds(30));
        IIR2D_TRY(const auto most, limit());
        IIR2D_TRY(const auto signing, signing_key(record, sign));
        IIR2D_RETURN_IF_ERROR(check_outputs({out_md}, record));
        Progress progress(interruption.token(), matrix.quiet);
        IIR2D_TRY(const auto s, settings(progress.control()));
        IIR2D_TRY(const auto named, named_sides(progress.control()));
        IIR2D_TRY(const auto base, workbench::find_library("BASE", named.first));
        IIR2D_TRY(const auto now, workbench::find_library("NEW", named.second));
        bool headed = false;
        const bool table = !matrix.json && !matrix.quiet;
        const workbench::DuelEvents events{.on_case = [&](const DuelCase& c) {
            progress.clear();
            if (!table) return;
            if (!std::exchange(headed, true)) print_duel_header();
            print_case(c);
        }};
        const auto measured = workbench::measure_duel_record(s, base, now, most, progress.control(), events);
        progress.clear();
        if (!measured) return std::unexpected(measured.error());
        return finish(*measured, most, signing);
    }

    Result<int> finish(const workbench::DuelRecord& measured, std::optional<double> most,
                       const std::optional<workbench::SigningKey>& signing) const {
        if (!out_md.empty())
            IIR2D_RETURN_IF_ERROR(
                workbench::write_file_atomically(out_md, duel_record_to_markdown(measured)));
        if (!record.empty()) {
            IIR2D_RETURN_IF_ERROR(workbench::write_duel_record(measured, record, signing));
            note("record written to " + record, matrix.quiet);
        }
        if (matrix.json) print_text(duel_record_to_json(measured));
        const workbench::Duel& duel = measured.duel;
        if (duel.cancelled) {
            return fail(ErrorKind::cancelled,
                        "interrupted after " + std::to_string(duel.cases.size()) + " of " +
                            workbench::counted(static_cast<std::uint64_t>(duel.case_total), "case") +
                            "; the complete ones were kept");
        }
        if (!matrix.json && !matrix.quiet) std::printf("%s\n", workbench::verdict_counts(duel).c_str());
        const auto wrong = workbench::shortcomings(duel, most);
        if (wrong.empty()) return 0;
        return fail(ErrorKind::check_failed,
                    "NEW does not pass: " + wrong.front() + workbench::and_more(wrong.size()));
    }
};

}  // namespace

void add_duel_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand(
        "duel", "Measure two builds of the library in pairs; exit code 5 when NEW is wrong or slower");
    auto a = std::make_shared<DuelArguments>();
    command
        ->add_option(
            "LIBRARY", a->sides,
            "BASE and NEW: libiir2d itself, an installed prefix or a build directory; NEW defaults to ., "
            "the program's own")
        ->expected(0, 2)
        ->type_name("BASE [NEW]");
    auto* rev = command->add_option("--rev", a->revision,
                                    "Take this git revision as BASE; it is built once, into a cache folder");
    command->add_option("--source", a->source, "The git repository that --rev is in")
        ->capture_default_str()
        ->needs(rev);
    auto* protocol = command->add_option("--protocol", a->protocol,
                                         "Measure the cases of this protocol: smoke or standard");
    for (CLI::Option* option : a->matrix.add_what_to(*command)) protocol->excludes(option);
    a->matrix.add_shared_to(*command);
    for (const char* refused : {"--config", "--tune"}) command->get_option(refused)->group("");
    command->add_option("--margin", a->margin, "Relative differences up to this count as no difference")
        ->capture_default_str();
    command
        ->add_option("--launches", a->launches,
                     "Launches of all processes before the first look; each later one has half as many again")
        ->capture_default_str();
    command
        ->add_option("--pairs", a->pairs,
                     "Least and most pairs of each case, as LEAST..MOST: a verdict is given from LEAST on, "
                     "and no more than MOST are measured")
        ->capture_default_str();
    command->add_option("--budget", a->budget, "Most seconds for each case; then it is AMBIGUOUS")
        ->capture_default_str();
    command->add_option("--longest-call", a->longest_call, "Seconds after which a call counts as hung")
        ->capture_default_str();
    command->add_option("--max-regression", a->max_regression,
                        "How much slower a case may be, as 25%; without it no case may be SLOWER");
    command->add_option("--record", a->record, "Write a record of the duel into this new directory");
    command->add_option("--sign", a->sign, "Sign the record with this private key");
    command->add_option("--out-md", a->out_md, "Write a report");
    command->callback(
        [a, &chosen] { chosen = [a](const Interruption& interruption) { return a->run(interruption); }; });
}

}  // namespace app
