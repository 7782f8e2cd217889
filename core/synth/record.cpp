// SPDX-License-Identifier: MIT
#include "core/synth/record.h"

#include <algorithm>

#include "core/support/files.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set.h"
#include "core/synth/print.h"

namespace workbench::synth {

namespace {

using Json = nlohmann::json;

std::string_view kind_of(const Symbol& symbol) {
    switch (symbol.kind) {
        case SymbolKind::input:
            return "in";
        case SymbolKind::output:
            return "out";
        case SymbolKind::inout:
            return "inout";
        default:
            return "scalar";
    }
}

std::string_view direction_of(bool is_backward) {
    return is_backward ? "backward" : "forward";
}

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json ir_json(const std::string& target, bool is_backward, const Json& compiler, const std::string& text) {
    return {{"target", target},
            {"direction", direction_of(is_backward)},
            {"compiler", compiler},
            {"text", text},
            {"sha256", sha256_hex(text)},
            {"bytes", text.size()},
            {"lines", std::ranges::count(text, '\n')}};
}

Json verification_json(const Verification& one, const std::vector<Target>& targets) {
    return {{"level", one.level},
            {"target", targets[one.target].name},
            {"direction", direction_of(one.is_backward)},
            {"exact", one.is_exact},
            {"max_ulp", one.max_ulp},
            {"worst_of_bound", one.worst_of_bound}};
}

Json backward_json(const Backward& backward) {
    if (!backward.reason.empty()) return {{"reason", backward.reason}};
    return {{"source", {{"cuda", print_cuda(backward.tree)}, {"cpp", print_cpp(backward.tree)}}},
            {"wrt", backward.wrt}};
}

std::string record_line(const Judged& judged, const JudgeOptions& options) {
    const Candidate& one = judged.candidate;
    const Tree& tree = one.tree;
    const std::uint32_t m = inner_extent(one.canonical);
    Json made{{"schema", "synth-1"},
              {"id", std::string(name_of(one.category)) + "-" + one.canonical.substr(0, 16)},
              {"index", judged.index},
              {"name", tree.kernel.name},
              {"category", name_of(one.category)},
              {"ops", one.ops},
              {"depth", depth_of(tree)},
              {"complexity", complexity_of(tree)},
              {"canonical", one.canonical},
              {"skeleton", one.skeleton},
              {"split", split_of(one.skeleton)},
              {"params", Json::array()},
              {"source", {{"cuda", print_cuda(tree)}, {"cpp", print_cpp(tree)}}},
              {"ir", Json::array()},
              {"verification", Json::array()}};
    std::uint64_t shared = 0;
    for (const Symbol& symbol : tree.symbols) {
        if (symbol.kind == SymbolKind::shared)
            shared += static_cast<std::uint64_t>(symbol.extent.factor) *
                      static_cast<std::uint64_t>(info(symbol.type).bytes * info(symbol.type).components);
    }
    made["launch"] = {
        {"grid", launch_blocks}, {"block", block_threads}, {"shared", shared}, {"n", launch_n}, {"m", m}};
    for (const Id id : tree.kernel.parameters) {
        const Symbol& symbol = tree.symbols[id];
        made["params"].push_back({{"name", symbol.name},
                                  {"kind", kind_of(symbol)},
                                  {"type", info(symbol.type).name},
                                  {"count", is_array(symbol.kind) ? symbol.extent.count(launch_n, m) : 1}});
    }
    if (options.backward) made["backward"] = backward_json(judged.backward);
    for (const Text& text : judged.texts)
        made["ir"].push_back(
            ir_json(options.targets[text.target].name, text.is_backward, text.target, text.text));
    made["inputs"] = {{"seed", one.canonical.substr(0, 16)}, {"sha256", inputs_hash(tree, judged.expected)}};
    made["outputs"] = {{"sha256", outputs_hash(tree, judged.expected)}};
    for (const Verification& verified : judged.verifications)
        made["verification"].push_back(verification_json(verified, options.targets));
    return dumped(made);
}

std::string rejected_line(const Judged& judged, const JudgeOptions& options) {
    Json made{{"index", judged.index},
              {"category", name_of(judged.candidate.category)},
              {"reason", judged.reason},
              {"detail", judged.detail},
              {"source", print_cuda(judged.candidate.tree)}};
    // All that is needed to report it.
    if (judged.reason == "mismatch") {
        made["ir"] = Json::array();
        for (const Text& text : judged.texts)
            made["ir"].push_back({{"target", options.targets[text.target].name},
                                  {"direction", direction_of(text.is_backward)},
                                  {"text", text.text}});
    }
    return dumped(made);
}

}  // namespace workbench::synth
