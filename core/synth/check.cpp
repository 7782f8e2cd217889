// SPDX-License-Identifier: MIT
#include "core/synth/check.h"

#include <algorithm>

#include "core/support/escaped.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"
#include "core/synth/canonical.h"
#include "core/synth/data_set.h"
#include "core/synth/parse.h"
#include "core/synth/print.h"
#include "core/synth/record_shape.h"

namespace workbench::synth {

namespace {

using Json = nlohmann::json;

// A record that is looked into.
struct Looked {
    Checked* line = nullptr;
    Judged judged;
    std::vector<bool> has_other_text;  // by the number of the text: it is not what the compiler makes

    void fault(const std::string& level, const std::string& what) const {
        line->faults.push_back({line->record["id"].get<std::string>(), level, what});
    }
    const Tree& tree(const Text& text) const {
        return text.is_backward ? judged.backward.tree : judged.candidate.tree;
    }
    const Expected& expected(const Text& text) const {
        return text.is_backward ? judged.backward_expected : judged.expected;
    }
};

std::string name_of_text(const Target& target, bool is_backward) {
    return target.name + (is_backward ? " backward" : "");
}

// "line 3 is "x", not "y"", of two texts that differ.
std::string first_line_that_differs(std::string_view found, std::string_view wanted) {
    constexpr std::size_t longest = 80;
    for (int number = 1;; ++number) {
        const std::size_t a = found.find('\n'), b = wanted.find('\n');
        const std::string_view one = found.substr(0, a), other = wanted.substr(0, b);
        if (one != other || a == std::string_view::npos || b == std::string_view::npos)
            return "line " + std::to_string(number) + " is \"" + escaped(one, longest) + "\", not \"" +
                   escaped(other, longest) + "\"";
        found.remove_prefix(a + 1);
        wanted.remove_prefix(b + 1);
    }
}

// The place of the first value that differs, and how; empty: none does.
std::string difference(const Json& found, const Json& wanted, const std::string& place) {
    if (found == wanted && found.type() == wanted.type()) return "";
    if (found.is_object() && wanted.is_object()) {
        for (const auto& [key, value] : wanted.items()) {
            if (!found.contains(key)) return place + "." + key + " is missing";
            if (auto inner = difference(found[key], value, place + "." + key); !inner.empty()) return inner;
        }
        for (const auto& [key, value] : found.items()) {
            if (!wanted.contains(key)) return place + "." + key + " is not given by the source";
        }
    }
    if (found.is_array() && wanted.is_array() && found.size() == wanted.size()) {
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (auto inner = difference(found[k], wanted[k], place + "[" + std::to_string(k) + "]");
                !inner.empty())
                return inner;
        }
    }
    if (found.is_string() && wanted.is_string() &&
        found.get_ref<const std::string&>().find('\n') != std::string::npos)
        return place + ": " +
               first_line_that_differs(found.get_ref<const std::string&>(),
                                       wanted.get_ref<const std::string&>());
    return place + " is " + shown(found) + ", not " + shown(wanted);
}

bool includes_all(const std::vector<std::string>& words, std::vector<std::string> needed) {
    std::sort(needed.begin(), needed.end());
    return std::is_sorted(words.begin(), words.end()) &&
           std::includes(words.begin(), words.end(), needed.begin(), needed.end());
}

// The texts that the run's targets give, as they are stored.
Result<void> take_texts(const Json& record, const RunFacts& run, Judged& made) {
    const auto& stored = record["ir"];
    for (std::size_t k = 0; k < run.targets.size(); ++k) {
        for (const bool is_backward : {false, true}) {
            if (is_backward && (!run.backward || !made.backward.reason.empty())) continue;
            const auto found = std::find_if(stored.begin(), stored.end(), [&](const Json& ir) {
                return ir["target"] == run.targets[k].name &&
                       ir["direction"] == (is_backward ? "backward" : "forward");
            });
            if (found == stored.end())
                return fail(ErrorKind::check_failed,
                            "there is no text for " + name_of_text(run.targets[k], is_backward));
            made.texts.push_back({k, is_backward, (*found)["text"].get<std::string>()});
        }
    }
    return {};
}

void take_verification(const Json& record, const RunFacts& run, Judged& made) {
    for (const Json& one : record["verification"]) {
        const auto target = std::ranges::find(run.targets, one["target"].get<std::string>(), &Target::name);
        made.verifications.push_back({one["level"].get<std::string>(),
                                      static_cast<std::size_t>(target - run.targets.begin()),
                                      one["direction"] == "backward", one["exact"].get<bool>(),
                                      one["max_ulp"].get<double>(), one["worst_of_bound"].get<double>()});
    }
    std::erase_if(made.verifications, [&](const auto& one) { return one.target >= run.targets.size(); });
}

// ---- Levels

struct Tried {
    Looked* looked = nullptr;
    std::size_t text = 0;
};

// What of the lines has a text for the target.
std::vector<Tried> texts_for(std::vector<Looked>& looked, std::size_t target, bool is_backward) {
    std::vector<Tried> made;
    for (Looked& one : looked) {
        for (std::size_t k = 0; k < one.judged.texts.size(); ++k) {
            const Text& text = one.judged.texts[k];
            if (text.target == target && text.is_backward == is_backward) made.push_back({&one, k});
        }
    }
    return made;
}

Result<void> compare_texts(const Target& target, const std::vector<Tried>& all, Toolchain& toolchain) {
    std::vector<KernelSource> sources;
    for (const Tried& one : all) {
        const Tree& tree = one.looked->tree(one.looked->judged.texts[one.text]);
        sources.push_back({tree.kernel.name, target.takes_cuda ? print_cuda(tree) : print_cpp(tree)});
    }
    IIR2D_TRY(const auto made, toolchain.compile(target, sources));
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Text& text = all[k].looked->judged.texts[all[k].text];
        if (made[k].error.empty() && made[k].text == text.text) continue;
        all[k].looked->has_other_text[all[k].text] = true;
        all[k].looked->fault("V0",
                             name_of_text(target, text.is_backward) + ": " +
                                 (made[k].error.empty() ? first_line_that_differs(text.text, made[k].text)
                                                        : "it does not compile: " + made[k].error));
    }
    return {};
}

// Runs on a GPU, and once more those whose results differ, compiled by the driver without optimisation:
// whether they differ then is added to what disagrees.
Result<void> run_trials_on_gpu(const Target& target, std::vector<Trial>& trials, Toolchain& toolchain) {
    IIR2D_RETURN_IF_ERROR(run_trials(target, trials, toolchain, DriverCompiles::as_usual));
    std::vector<Trial*> differing;
    std::vector<Trial> again;
    for (Trial& one : trials) {
        if (!one.has_other_results) continue;
        differing.push_back(&one);
        again.push_back({.tree = one.tree, .text = one.text, .expected = one.expected});
    }
    if (again.empty()) return {};
    IIR2D_RETURN_IF_ERROR(run_trials(target, again, toolchain, DriverCompiles::without_optimisation));
    for (std::size_t k = 0; k < again.size(); ++k) {
        std::string& detail = differing[k]->detail;
        const std::string& then = again[k].detail;
        if (then.empty())
            detail +=
                "; compiled by the driver without optimisation it gives what is expected, so the driver's "
                "optimiser makes the difference";
        else if (then == detail)
            detail += "; also when the driver compiles it without optimisation";
        else
            detail += "; compiled by the driver without optimisation: " + then;
    }
    return {};
}

// Runs or assembles what is stored, and compares what is recorded of it.
Result<void> try_texts(const std::string& level, std::size_t number, const RunFacts& run,
                       std::vector<Tried> all, Toolchain& toolchain) {
    const Target& target = run.targets[number];
    // Host IR that no compiler made may do anything.
    if (target.is_host)
        std::erase_if(all, [](const Tried& one) { return one.looked->has_other_text[one.text]; });
    std::vector<Trial> trials;
    for (const Tried& one : all) {
        const Text& text = one.looked->judged.texts[one.text];
        trials.push_back(
            {.tree = &one.looked->tree(text), .text = &text.text, .expected = &one.looked->expected(text)});
    }
    if (trials.empty()) return {};
    if (level == "V1")
        IIR2D_RETURN_IF_ERROR(assemble_trials(target, trials, toolchain));
    else if (level == "V4")
        IIR2D_RETURN_IF_ERROR(run_trials_on_gpu(target, trials, toolchain));
    else
        IIR2D_RETURN_IF_ERROR(run_trials(target, trials, toolchain));
    const bool is_recorded = std::ranges::find(run.levels, level) != run.levels.end();
    for (std::size_t k = 0; k < all.size(); ++k) {
        Looked& looked = *all[k].looked;
        const Text& text = looked.judged.texts[all[k].text];
        const std::string name = name_of_text(target, text.is_backward);
        const Trial& one = trials[k];
        if (!one.detail.empty()) {
            looked.fault(level, name + ": " + one.detail);
            continue;
        }
        if (!is_recorded) continue;
        const auto recorded = std::ranges::find_if(looked.judged.verifications, [&](const auto& v) {
            return v.level == level && v.target == number && v.is_backward == text.is_backward;
        });
        if (recorded == looked.judged.verifications.end())
            looked.fault("record", "verification has no " + level + " of " + name);
        else if (recorded->is_exact != one.is_exact || recorded->max_ulp != one.max_ulp ||
                 recorded->worst_of_bound != one.worst_of_bound)
            looked.fault("record",
                         "verification of " + level + " of " + name + " is not what running it gives");
    }
    return {};
}

Result<void> try_levels(std::vector<Looked>& looked, const CheckOptions& options, Toolchain& toolchain,
                        std::map<std::string, std::uint64_t>& counts) {
    const RunFacts& run = *options.run;
    const VerifyOptions& verify = *options.verify;
    for (std::size_t k = 0; k < run.targets.size(); ++k) {
        const Target& target = run.targets[k];
        for (const bool is_backward : {false, true}) {
            const auto all = texts_for(looked, k, is_backward);
            if (all.empty()) continue;
            if (verify.levels.contains("V0") && verify.compiled.contains(target.name)) {
                IIR2D_RETURN_IF_ERROR(compare_texts(target, all, toolchain));
                counts["V0"] += all.size();
            }
            if (verify.levels.contains("V1") && verify.assembled.contains(target.name)) {
                IIR2D_RETURN_IF_ERROR(try_texts("V1", k, run, all, toolchain));
                counts["V1"] += all.size();
            }
            if (!target.level.empty() && verify.levels.contains(target.level) &&
                (!target.is_host || verify.has_host)) {
                IIR2D_RETURN_IF_ERROR(try_texts(target.level, k, run, all, toolchain));
                counts[target.level] += all.size();
            }
            if (options.is_drawn && verify.levels.contains("V4") && verify.on_gpu.contains(target.name)) {
                // A GPU is given what nothing is known against: a kernel that faults takes the device with
                // it.
                auto sound = all;
                std::erase_if(sound, [](const Tried& one) { return !one.looked->line->faults.empty(); });
                IIR2D_RETURN_IF_ERROR(try_texts("V4", k, run, sound, toolchain));
                counts["V4"] += sound.size();
            }
        }
    }
    return {};
}

// Members, compared with those of the record that the source gives.
void compare_members(const Looked& looked, const CheckOptions& options) {
    const Json& record = looked.line->record;
    const std::string line = record_line(looked.judged, judge_options(*options.run));
    if (line == looked.line->line) return;
    const Json wanted = Json::parse(line, nullptr, false);
    const std::size_t before = looked.line->faults.size();
    for (const auto& [key, value] : wanted.items()) {
        if (!record.contains(key))
            looked.fault("record", key + " is missing");
        else if (const std::string what = difference(record[key], value, key); !what.empty())
            looked.fault("record", what);
    }
    for (const auto& [key, value] : record.items()) {
        if (!wanted.contains(key)) looked.fault("record", key + " is not given by the source");
    }
    if (looked.line->faults.size() == before) looked.fault("record", "it is not written as records are");
}

}  // namespace

JudgeOptions judge_options(const RunFacts& run) {
    return {.targets = run.targets, .backward = run.backward, .levels = run.levels};
}

Result<Judged> remade(const Json& record, const CheckOptions& options) {
    const RunFacts& run = *options.run;
    Judged made{.index = record["index"].get<std::uint64_t>()};
    Candidate& one = made.candidate;
    one.category = *category_from_name(record["category"].get<std::string>());
    const auto no = [](const std::string& why) { return fail(ErrorKind::check_failed, why); };
    auto tree = parse(record["source"]["cuda"].get<std::string>());
    if (!tree) return no("source.cuda is outside of the language: " + tree.error().message);
    one.tree = *std::move(tree);
    one.canonical = canonical_hash(one.tree);
    one.skeleton = skeleton_hash(one.tree);
    one.ops = record["ops"].get<std::vector<std::string>>();
    if (!includes_all(one.ops, ops_of(one.tree))) one.ops = ops_of(one.tree);
    if (options.is_drawn && run.generator == generator_version) {
        Candidate drawn = generate(one.category, run.seed, made.index);
        if (drawn.canonical != one.canonical || print_cuda(drawn.tree) != print_cuda(one.tree))
            return no("index " + std::to_string(made.index) + " of the run is another kernel");
        one.ops = std::move(drawn.ops);
    }
    if (const std::string broken = broken_rule(one.category, one.tree); !broken.empty())
        return no("category is " + std::string(name_of(one.category)) + ", but " + broken);
    if (!one.tree.kernel.name.ends_with("_" + one.canonical.substr(0, 8)))
        return no("name does not end with the first digits of canonical");
    if (const std::string why = take_expectations(made, {.backward = run.backward}); !why.empty())
        return no("it has no expected outputs: " + why);
    IIR2D_RETURN_IF_ERROR(take_texts(record, run, made));
    take_verification(record, run, made);
    return made;
}

Result<void> check_lines(std::vector<Checked>& lines, const CheckOptions& options, Toolchain& toolchain,
                         std::map<std::string, std::uint64_t>& counts) {
    std::vector<Looked> looked;
    for (Checked& one : lines) {
        auto record = read_record(one.line);
        if (!record) {
            one.faults.push_back({one.place, "schema", record.error().message});
            continue;
        }
        one.record = *std::move(record);
        if (!one.is_looked_into) continue;
        ++counts["record"];
        auto judged = remade(one.record, options);
        if (!judged) {
            one.faults.push_back({one.record["id"].get<std::string>(), "record", judged.error().message});
            continue;
        }
        Looked made{.line = &one, .judged = *std::move(judged)};
        made.has_other_text.resize(made.judged.texts.size());
        compare_members(made, options);
        // One fault is enough of a mutant.
        if (!options.is_drawn && !one.faults.empty()) continue;
        looked.push_back(std::move(made));
    }
    return try_levels(looked, options, toolchain, counts);
}

}  // namespace workbench::synth
