// SPDX-License-Identifier: MIT
#include "core/inspect/extracted.h"

#include <algorithm>

#include "core/inspect/toolchain.h"
#include "core/support/try.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"

namespace workbench::inspect {

namespace {

// As the source has it, of a symbol.
std::string plain_name(const std::string& symbol) {
    const std::string readable = compile::readable(symbol);
    return readable.substr(0, readable.find('('));
}

class Looking {
  public:
    Looking(Inside& made, synth::Toolchain& toolchain) : m_made(made), m_toolchain(toolchain) {}

    Result<void> run(const synth::Target& target, const synth::Tree& tree, const synth::Expected& expected,
                     bool is_backward, const std::string& text) {
        if (target.level.empty() || !m_made.mismatch.empty()) return {};
        std::vector<synth::Trial> trials{{.tree = &tree, .text = &text, .expected = &expected}};
        IIR2D_RETURN_IF_ERROR(synth::run_trials(target, trials, m_toolchain));
        const synth::Trial& one = trials[0];
        if (!one.detail.empty())
            m_made.mismatch =
                target.level + " " + target.name + (is_backward ? " backward: " : ": ") + one.detail;
        else
            m_made.verifications.push_back({target.level, number_of(target), is_backward, one.is_exact,
                                            one.max_ulp, one.worst_of_bound});
        return {};
    }

    Result<void> compile_and_run(const synth::Target& target, const synth::Tree& tree,
                                 const synth::Expected& expected, bool is_backward) {
        const std::string source = target.takes_cuda ? print_cuda(tree) : print_cpp(tree);
        IIR2D_TRY(const auto texts, m_toolchain.compile(target, {{tree.kernel.name, source}}));
        if (!texts[0].error.empty()) return fail(ErrorKind::bad_input, target.name + ": " + texts[0].error);
        m_made.texts.push_back({target, is_backward, texts[0].text});
        return run(target, tree, expected, is_backward, texts[0].text);
    }

  private:
    std::size_t number_of(const synth::Target& target) {
        const auto found = std::ranges::find(m_made.targets, target.name, &synth::Target::name);
        if (found != m_made.targets.end()) return static_cast<std::size_t>(found - m_made.targets.begin());
        m_made.targets.push_back(target);
        return m_made.targets.size() - 1;
    }

    Inside& m_made;
    synth::Toolchain& m_toolchain;
};

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
    made.tree = *std::move(tree);
    const std::string canonical = synth::canonical_hash(made.tree);
    const auto wanted = synth::expect(made.tree, canonical);
    if (!wanted.error.empty()) {
        made.reason = "it cannot be verified: " + wanted.error;
        return made;
    }
    std::vector<synth::Target> hosts, given;
    compile::Compiler compiler;
    IIR2D_TRY(const auto states, compiler.targets(stop));
    for (const auto& state : states) {
        if (!state.is_available) continue;
        const synth::Target target = data_set_target(state);
        if (target.is_host) hosts.push_back(target);
        if (std::ranges::find(extracted.ir, target.name, &compile::ExtractedIr::target) != extracted.ir.end())
            given.push_back(target);
    }
    IIR2D_TRY(const auto toolchain, make_toolchain());
    Looking looking(made, *toolchain);
    for (const compile::ExtractedIr& ir : extracted.ir) {
        const auto target = std::ranges::find(given, ir.target, &synth::Target::name);
        if (target == given.end() || target->is_host) continue;
        const std::string text = synth::with_name(ir.text, extracted.symbol, made.tree.kernel.name);
        IIR2D_RETURN_IF_ERROR(looking.run(*target, made.tree, wanted.expected, false, text));
    }
    for (const synth::Target& host : hosts)
        IIR2D_RETURN_IF_ERROR(looking.compile_and_run(host, made.tree, wanted.expected, false));
    if (!backward) return made;
    made.backward = synth::adjoint_of(made.tree);
    if (!made.backward.reason.empty()) return made;
    const auto of_backward = synth::expect(made.backward.tree, canonical);
    if (!of_backward.error.empty()) {
        made.backward = {{}, {}, of_backward.error};
        return made;
    }
    given.insert(given.end(), hosts.begin(), hosts.end());
    for (const synth::Target& target : given)
        IIR2D_RETURN_IF_ERROR(
            looking.compile_and_run(target, made.backward.tree, of_backward.expected, true));
    return made;
}

}  // namespace workbench::inspect
