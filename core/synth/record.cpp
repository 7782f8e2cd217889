// SPDX-License-Identifier: MIT
#include <algorithm>
#include <nlohmann/json.hpp>

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

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

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
    if (options.backward) {
        if (judged.backward.reason.empty())
            made["backward"] = {
                {"source",
                 {{"cuda", print_cuda(judged.backward.tree)}, {"cpp", print_cpp(judged.backward.tree)}}},
                {"wrt", judged.backward.wrt}};
        else
            made["backward"] = {{"reason", judged.backward.reason}};
    }
    for (const Text& text : judged.texts)
        made["ir"].push_back({{"target", options.targets[text.target].name},
                              {"direction", text.is_backward ? "backward" : "forward"},
                              {"compiler", text.target},
                              {"text", text.text},
                              {"sha256", sha256_hex(text.text)},
                              {"bytes", text.text.size()},
                              {"lines", std::count(text.text.begin(), text.text.end(), '\n')}});
    made["inputs"] = {{"seed", one.canonical.substr(0, 16)}, {"sha256", inputs_hash(tree, judged.expected)}};
    made["outputs"] = {{"sha256", outputs_hash(tree, judged.expected)}};
    for (const Verification& v : judged.verifications)
        made["verification"].push_back({{"level", v.level},
                                        {"target", options.targets[v.target].name},
                                        {"direction", v.is_backward ? "backward" : "forward"},
                                        {"exact", v.is_exact},
                                        {"max_ulp", v.max_ulp},
                                        {"worst_of_bound", v.worst_of_bound}});
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
                                  {"direction", text.is_backward ? "backward" : "forward"},
                                  {"text", text.text}});
    }
    return dumped(made);
}

}  // namespace workbench::synth
