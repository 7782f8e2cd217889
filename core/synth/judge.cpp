// SPDX-License-Identifier: MIT
#include "core/synth/judge.h"

#include "core/support/try.h"
#include "core/synth/print.h"

namespace workbench::synth {

namespace {

struct Pair {
    Judged* judged = nullptr;
    bool is_backward = false;
    Expected expected;
    const Tree& tree() const { return is_backward ? judged->backward.tree : judged->candidate.tree; }
};

void reject(Judged& judged, std::string reason, std::string detail) {
    if (!judged.reason.empty()) return;
    judged.reason = std::move(reason);
    judged.detail = std::move(detail);
}

Result<void> compile_for(const Target& target, std::size_t number, std::vector<Pair>& pairs,
                         Toolchain& toolchain) {
    std::vector<KernelSource> sources;
    std::vector<Pair*> compiled;
    for (Pair& pair : pairs) {
        if (!pair.judged->reason.empty()) continue;
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

const std::string* text_of(const Pair& pair, std::size_t target) {
    for (const Text& text : pair.judged->texts) {
        if (text.target == target && text.is_backward == pair.is_backward) return &text.text;
    }
    return nullptr;
}

Result<void> run_for(const Target& target, std::size_t number, std::vector<Pair>& pairs,
                     Toolchain& toolchain) {
    std::vector<Execution> runs;
    std::vector<Pair*> run;
    for (Pair& pair : pairs) {
        const std::string* const text = text_of(pair, number);
        if (!pair.judged->reason.empty() || !text) continue;
        Execution one{&pair.tree(), text, {}};
        for (const ExpectedSet& set : pair.expected.sets) one.sets.push_back(set.inputs);
        runs.push_back(std::move(one));
        run.push_back(&pair);
    }
    if (runs.empty()) return {};
    IIR2D_TRY(const auto found, toolchain.run(target, runs));
    for (std::size_t k = 0; k < run.size(); ++k) {
        Pair& pair = *run[k];
        Verification made{number, pair.is_backward, pair.expected.is_exact || target.is_host, 0, 0};
        std::string detail = found[k];
        for (std::size_t set = 0; set < runs[k].sets.size() && detail.empty(); ++set) {
            const Agreement agreement =
                agree(pair.tree(), pair.expected.sets[set].outputs, runs[k].sets[set], target.is_host);
            if (agreement.first) detail = "set " + std::to_string(set) + ", " + agreement.first->text();
            made.max_ulp = std::max(made.max_ulp, agreement.max_ulp);
            made.worst_of_bound = std::max(made.worst_of_bound, agreement.worst_of_bound);
        }
        if (detail.empty())
            pair.judged->verifications.push_back(made);
        else
            reject(*pair.judged, "mismatch",
                   target.level + " " + target.name + (pair.is_backward ? " backward: " : ": ") + detail);
    }
    return {};
}

}  // namespace

Result<std::vector<Judged>> judge(std::vector<Judged> batch, const JudgeOptions& options,
                                  Toolchain& toolchain) {
    std::vector<Pair> forward, backward;
    for (Judged& judged : batch) {
        if (!judged.reason.empty()) continue;
        const Expectation wanted = expect(judged.candidate.tree, judged.candidate.canonical);
        if (!wanted.error.empty()) {
            reject(judged, "undecided", wanted.error);
            continue;
        }
        judged.expected = wanted.expected;
        if (options.backward) {
            judged.backward = adjoint_of(judged.candidate.tree);
            if (judged.backward.reason.empty()) {
                Expectation of_backward = expect(judged.backward.tree, judged.candidate.canonical);
                if (of_backward.error.empty())
                    backward.push_back({&judged, true, std::move(of_backward.expected)});
                else
                    judged.backward = {{}, {}, of_backward.error};
            }
        }
        forward.push_back({&judged, false, wanted.expected});
    }
    for (std::size_t k = 0; k < options.targets.size(); ++k) {
        for (std::vector<Pair>* const pairs : {&forward, &backward}) {
            IIR2D_RETURN_IF_ERROR(compile_for(options.targets[k], k, *pairs, toolchain));
            if (options.runs && !options.targets[k].level.empty())
                IIR2D_RETURN_IF_ERROR(run_for(options.targets[k], k, *pairs, toolchain));
        }
    }
    return batch;
}

}  // namespace workbench::synth
