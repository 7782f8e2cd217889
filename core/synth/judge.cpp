// SPDX-License-Identifier: MIT
#include "core/synth/judge.h"

#include <utility>

#include "core/support/try.h"
#include "core/synth/library.h"
#include "core/synth/print.h"

namespace workbench::synth {

namespace {

struct Pair {
    Judged* judged = nullptr;
    bool is_backward = false;
    const Tree& tree() const { return is_backward ? judged->backward.tree : judged->candidate.tree; }
    const Expected& expected() const { return is_backward ? judged->backward_expected : judged->expected; }
};

void reject(Judged& judged, std::string reason, std::string detail) {
    if (!judged.reason.empty()) return;
    judged.reason = std::move(reason);
    judged.detail = std::move(detail);
}

const std::string* text_of(const Pair& pair, std::size_t target) {
    for (const Text& text : pair.judged->texts) {
        if (text.target == target && text.is_backward == pair.is_backward) return &text.text;
    }
    return nullptr;
}

Result<void> compile_for(const Target& target, std::size_t number, std::vector<Pair>& pairs,
                         Toolchain& toolchain) {
    std::vector<KernelSource> sources;
    std::vector<Pair*> compiled;
    for (Pair& pair : pairs) {
        if (!pair.judged->reason.empty() || text_of(pair, number)) continue;
        sources.push_back(
            {pair.tree().kernel.name, target.takes_cuda ? print_cuda(pair.tree()) : print_cpp(pair.tree())});
        compiled.push_back(&pair);
    }
    if (sources.empty()) return {};
    IIR2D_TRY(auto texts, toolchain.compile(target, sources));
    for (std::size_t k = 0; k < compiled.size(); ++k) {
        if (texts[k].error.empty())
            compiled[k]->judged->texts.push_back(
                {number, compiled[k]->is_backward, std::move(texts[k].text)});
        else
            reject(*compiled[k]->judged, texts[k].has_died ? "compiler_died" : "compiler_error",
                   target.name + ": " + texts[k].error);
    }
    return {};
}

// Runs or assembles what was compiled.
Result<void> try_for(const JudgeOptions& options, std::size_t number, const std::string& level,
                     std::vector<Pair>& pairs, Toolchain& toolchain) {
    const Target& target = options.targets[number];
    std::vector<Trial> trials;
    std::vector<Pair*> tried;
    for (Pair& pair : pairs) {
        const std::string* const text = text_of(pair, number);
        if (!pair.judged->reason.empty() || !text) continue;
        trials.push_back({.tree = &pair.tree(), .text = text, .expected = &pair.expected()});
        tried.push_back(&pair);
    }
    if (trials.empty()) return {};
    if (level == "V1")
        IIR2D_RETURN_IF_ERROR(assemble_trials(target, trials, toolchain));
    else
        IIR2D_RETURN_IF_ERROR(run_trials(target, trials, toolchain));
    for (std::size_t k = 0; k < tried.size(); ++k) {
        const Trial& one = trials[k];
        Pair& pair = *tried[k];
        if (one.detail.empty())
            pair.judged->verifications.push_back(
                {level, number, pair.is_backward, one.is_exact, one.max_ulp, one.worst_of_bound});
        else
            reject(*pair.judged, one.has_died ? "compiler_died" : "mismatch",
                   level + " " + target.name + (pair.is_backward ? " backward: " : ": ") + one.detail);
    }
    return {};
}

}  // namespace

Result<void> run_trials(const Target& target, std::vector<Trial>& trials, Toolchain& toolchain,
                        std::optional<DriverCompiles> on_gpu) {
    std::vector<Execution> runs;
    for (const Trial& one : trials) {
        runs.push_back({.tree = one.tree, .text = one.text, .sets = {}});
        for (const ExpectedSet& set : one.expected->sets) runs.back().sets.push_back(set.inputs);
    }
    IIR2D_TRY(const auto found,
              on_gpu ? toolchain.run_on_gpu(target, runs, *on_gpu) : toolchain.run(target, runs));
    for (std::size_t k = 0; k < trials.size(); ++k) {
        Trial& one = trials[k];
        one.detail = found[k];
        one.has_died = runs[k].has_died;
        one.is_exact = one.expected->is_exact || target.is_host;
        for (std::size_t set = 0; set < runs[k].sets.size() && one.detail.empty(); ++set) {
            const Agreement agreement =
                agree(*one.tree, one.expected->sets[set].outputs, runs[k].sets[set], target.is_host);
            if (agreement.first) one.detail = "set " + std::to_string(set) + ", " + agreement.first->text();
            one.has_other_results = agreement.first.has_value();
            one.max_ulp = std::max(one.max_ulp, agreement.max_ulp);
            one.worst_of_bound = std::max(one.worst_of_bound, agreement.worst_of_bound);
        }
    }
    return {};
}

Result<void> assemble_trials(const Target& target, std::vector<Trial>& trials, Toolchain& toolchain) {
    std::vector<const std::string*> texts;
    for (const Trial& one : trials) texts.push_back(one.text);
    IIR2D_TRY(const auto said, toolchain.assemble(target, texts));
    for (std::size_t k = 0; k < trials.size(); ++k) {
        trials[k].detail = said[k].error;
        trials[k].has_died = said[k].has_died;
        trials[k].is_exact = true;
    }
    return {};
}

std::string take_expectations(Judged& judged, const JudgeOptions& options) {
    const Candidate& one = judged.candidate;
    Expectation wanted = expect(one.tree, one.canonical, {.limit = options.limit});
    if (!wanted.error.empty()) return wanted.error;
    judged.expected = std::move(wanted.expected);
    if (!options.backward) return {};
    judged.backward = adjoint_of(one.tree, options.loop_values);
    if (!judged.backward.reason.empty()) return {};
    Expectation of_backward = expect(judged.backward.tree, one.canonical, {.limit = options.limit});
    if (of_backward.error.empty())
        judged.backward_expected = std::move(of_backward.expected);
    else
        judged.backward = {{}, {}, of_backward.error};
    return {};
}

Result<std::vector<Judged>> judge(std::vector<Judged> batch, const JudgeOptions& options,
                                  Toolchain& toolchain) {
    std::vector<Pair> forward, backward;
    for (Judged& judged : batch) {
        if (!judged.reason.empty()) continue;
        const std::string no_outputs = take_expectations(judged, options);
        IIR2D_RETURN_IF_ERROR(options.limit.check());
        if (!no_outputs.empty()) {
            reject(judged, "undecided", no_outputs);
            continue;
        }
        const Candidate& one = judged.candidate;
        if (const std::string why = library_disagreement(one.category, one.tree, one.canonical);
            !why.empty()) {
            reject(judged, "mismatch", "the library's reference: " + why);
            continue;
        }
        forward.push_back({&judged, false});
        if (options.backward && judged.backward.reason.empty()) backward.push_back({&judged, true});
    }
    for (std::size_t k = 0; k < options.targets.size(); ++k) {
        for (std::vector<Pair>* const pairs : {&forward, &backward}) {
            IIR2D_RETURN_IF_ERROR(compile_for(options.targets[k], k, *pairs, toolchain));
            const std::string& level = options.targets[k].level;
            if (level == "V3" && options.has_level("V1"))
                IIR2D_RETURN_IF_ERROR(try_for(options, k, "V1", *pairs, toolchain));
            if (!level.empty() && options.has_level(level))
                IIR2D_RETURN_IF_ERROR(try_for(options, k, level, *pairs, toolchain));
        }
    }
    return batch;
}

}  // namespace workbench::synth
