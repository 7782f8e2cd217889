// SPDX-License-Identifier: MIT
#include "core/inspect/language.h"

#include <cmath>

#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/adjoint.h"
#include "core/synth/canonical.h"
#include "core/synth/expect.h"
#include "core/synth/judge.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace workbench::inspect {

namespace {

std::string value_text(const synth::Argument& argument, std::size_t slot) {
    const std::uint64_t bits = argument.slots[slot];
    switch (synth::element(argument.type)) {
        case synth::Type::i32:
            return std::to_string(static_cast<std::int32_t>(bits));
        case synth::Type::i64:
            return std::to_string(static_cast<std::int64_t>(bits));
        case synth::Type::f32:
        case synth::Type::f64: {
            const double number = argument.number(slot);
            return std::isnan(number) ? "nan" : format_number(number);
        }
        default:
            return std::to_string(bits);
    }
}

// As `iir2d ptx run --arg` takes it.
std::string argument_text(const synth::Symbol& symbol, const synth::Argument& argument) {
    const std::string type(synth::info(synth::element(symbol.type)).name);
    if (symbol.kind == synth::SymbolKind::output)
        return "out:" + type + ":" + std::to_string(argument.slots.size());
    std::string made = type + ":";
    if (symbol.kind == synth::SymbolKind::input) made = "in:" + made;
    if (symbol.kind == synth::SymbolKind::inout) made = "inout:" + made;
    for (std::size_t k = 0; k < argument.slots.size(); ++k)
        made += (k == 0 ? "" : ",") + value_text(argument, k);
    return made;
}

std::vector<RunRequest> runs_of(const synth::Tree& tree, const synth::Expected& expected) {
    std::vector<RunRequest> made;
    for (const synth::ExpectedSet& set : expected.sets) {
        RunRequest run{.grid = std::to_string(synth::launch_blocks),
                       .block = std::to_string(synth::block_threads)};
        for (std::size_t p = 0; p < set.inputs.size(); ++p)
            run.arguments.push_back(argument_text(tree.symbols[tree.kernel.parameters[p]], set.inputs[p]));
        made.push_back(std::move(run));
    }
    return made;
}

}  // namespace

Result<std::vector<RunRequest>> verified_runs(std::string_view source, std::string_view kernel, bool backward,
                                              const std::stop_token& stop) {
    IIR2D_TRY(const synth::Tree forward, synth::parse(source, kernel));
    synth::Backward adjoint;
    if (backward) {
        adjoint = synth::adjoint_of(forward);
        if (!adjoint.reason.empty())
            return fail(ErrorKind::bad_input,
                        "there is no backward kernel: " + synth::explained_reason(adjoint.reason));
    }
    const synth::Tree& tree = backward ? adjoint.tree : forward;
    const TimeLimit limit{.stop = stop};
    const synth::Expectation wanted = synth::expect(tree, synth::canonical_hash(forward), {.limit = limit});
    IIR2D_RETURN_IF_ERROR(limit.check());
    if (!wanted.error.empty()) return fail(ErrorKind::bad_input, "it has no inputs: " + wanted.error);
    return runs_of(tree, wanted.expected);
}

Result<LanguageCheck> check_language(std::string_view source, std::string_view kernel,
                                     const std::vector<synth::Target>& targets, synth::Toolchain& toolchain,
                                     const TimeLimit& limit) {
    LanguageCheck made;
    auto tree = synth::parse(source, kernel);
    if (!tree) {
        made.outside = tree.error().message;
        return made;
    }
    made.is_inside = true;
    made.source = synth::print_cuda(*tree);
    synth::Judged asked;
    asked.candidate.tree = *std::move(tree);
    asked.candidate.canonical = synth::canonical_hash(asked.candidate.tree);
    std::vector<synth::Judged> batch;
    batch.push_back(std::move(asked));
    const synth::JudgeOptions options{
        .targets = targets, .backward = true, .loop_values = synth::LoopValues::on_tape, .limit = limit};
    IIR2D_TRY(batch, synth::judge(std::move(batch), options, toolchain));
    const synth::Judged& judged = batch[0];
    if (!judged.reason.empty()) made.rejected = judged.reason + ": " + judged.detail;
    if (judged.backward.reason.empty() && !judged.backward.tree.kernel.name.empty()) {
        made.backward_source = synth::print_cuda(judged.backward.tree);
        made.backward_kernel = judged.backward.tree.kernel.name;
        made.backward_runs = runs_of(judged.backward.tree, judged.backward_expected);
    }
    made.runs = runs_of(judged.candidate.tree, judged.expected);
    made.no_backward = judged.backward.reason;
    for (const synth::Text& one : judged.texts)
        made.texts.push_back(
            {.target = targets[one.target].name, .is_backward = one.is_backward, .text = one.text});
    for (const synth::Verification& one : judged.verifications)
        made.levels.push_back({.level = one.level,
                               .target = targets[one.target].name,
                               .is_backward = one.is_backward,
                               .is_exact = one.is_exact,
                               .worst_of_bound = format_number(one.worst_of_bound)});
    return made;
}

}  // namespace workbench::inspect
