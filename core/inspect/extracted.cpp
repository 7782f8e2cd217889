// SPDX-License-Identifier: MIT
#include "core/inspect/extracted.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/inspect/toolchain.h"
#include "core/support/escaped.h"
#include "core/support/try.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set.h"
#include "core/synth/parse.h"

namespace workbench::inspect {

namespace {

// As the source has it, of a symbol.
std::string plain_name(const std::string& symbol) {
    const std::string readable = compile::readable(symbol);
    return readable.substr(0, readable.find('('));
}

}  // namespace

Result<Inside> look_inside(const compile::Extracted& extracted, const compile::ExtractRequest& request,
                           bool backward, const std::stop_token& stop) {
    Inside made;
    auto tree = synth::parse(request.text, plain_name(extracted.symbol));
    if (!tree) {
        made.reason = "it is outside of the language: " + tree.error().message;
        return made;
    }
    made.is_inside = true;
    synth::Judged asked;
    asked.candidate.tree = *std::move(tree);
    asked.candidate.canonical = synth::canonical_hash(asked.candidate.tree);
    const TimeLimit limit{stop, extracted.deadline};
    synth::JudgeOptions options{
        .targets = {}, .backward = backward, .loop_values = synth::LoopValues::on_tape, .limit = limit};
    compile::Compiler compiler;
    IIR2D_TRY(const auto states, compiler.targets(stop));
    for (const auto& state : states) {
        if (!state.is_available) continue;
        const synth::Target target = data_set_target(state);
        const auto ir = std::ranges::find(extracted.ir, target.name, &compile::ExtractedIr::target);
        if (!target.is_host) {
            if (ir == extracted.ir.end()) continue;
            const std::string& name = asked.candidate.tree.kernel.name;
            asked.texts.push_back({.target = options.targets.size(),
                                   .text = synth::with_name(ir->text, extracted.symbol, name)});
        }
        options.targets.push_back(target);
    }
    const auto given = static_cast<std::ptrdiff_t>(asked.texts.size());
    IIR2D_TRY(const auto toolchain, make_toolchain(limit));
    std::vector<synth::Judged> batch;
    batch.push_back(std::move(asked));
    auto done = synth::judge(std::move(batch), options, *toolchain);
    // It is late: each question had what the ones before had left of the limit.
    if (!done && done.error().kind == ErrorKind::bad_input)
        return fail(ErrorKind::bad_input, escaped(request.file) + ": " + compile::late_sentence());
    if (!done) return std::unexpected(done.error());
    synth::Judged& judged = done->front();
    if (judged.reason == "compiler_error" || judged.reason == "compiler_died")
        return fail(ErrorKind::bad_input, judged.detail);
    if (judged.reason == "undecided") made.reason = "it cannot be verified: " + judged.detail;
    if (judged.reason == "mismatch") made.mismatch = judged.detail;
    made.tree = std::move(judged.candidate.tree);
    made.backward = std::move(judged.backward);
    made.texts.assign(std::make_move_iterator(judged.texts.begin() + given),
                      std::make_move_iterator(judged.texts.end()));
    made.targets = std::move(options.targets);
    made.verifications = std::move(judged.verifications);
    return made;
}

}  // namespace workbench::inspect
