// SPDX-License-Identifier: MIT
#include "core/synth/data_set_files.h"

#include <nlohmann/json.hpp>

#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/try.h"
#include "core/synth/record_shape.h"
#include "core/synth/shards.h"

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

namespace workbench::synth {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json compilers_of(const RunFacts& run) {
    Json made = Json::array();
    for (const Target& target : run.targets)
        made.push_back({{"name", target.compiler}, {"version", target.version}, {"flags", target.flags}});
    return made;
}

Json targets_of(const RunFacts& run) {
    Json made = Json::array();
    for (const Target& target : run.targets) made.push_back(target.name);
    return made;
}

Json quotas_of(const RunFacts& run) {
    Json made = Json::object();
    for (const auto& [category, count] : run.quotas) made[std::string(name_of(category))] = count;
    return made;
}

// Takes the members that are there; the text is compared with the one that they give.
void take_facts(const Json& json, RunFacts& made) {
    made.generator = json.at("generator").get<int>();
    made.seed = json.at("run_seed").get<std::uint64_t>();
    made.count = json.at("count").get<std::uint64_t>();
    for (const auto& [name, count] : json.at("quotas").items()) {
        if (const auto category = category_from_name(name))
            made.quotas[*category] = count.get<std::uint64_t>();
    }
    const Json &targets = json.at("targets"), &compilers = json.at("compilers");
    for (std::size_t k = 0; k < targets.size(); ++k) {
        Target target = target_named(targets.at(k).get<std::string>());
        target.compiler = compilers.at(k).at("name").get<std::string>();
        target.version = compilers.at(k).at("version").get<std::string>();
        target.flags = compilers.at(k).at("flags").get<std::string>();
        made.targets.push_back(std::move(target));
    }
    made.backward = json.at("backward").get<bool>();
    made.levels = json.at("levels").get<std::vector<std::string>>();
    made.shard = json.at("shard").get<std::size_t>();
    if (json.contains("unavailable"))
        made.unavailable = json.at("unavailable").get<std::vector<std::string>>();
}

// The first place where they differ, down through objects and arrays of one length; empty: nowhere.
std::string difference_at(const std::string& place, const Json& a, const Json& b) {
    if (a == b) return "";
    if (a.is_array() && b.is_array() && a.size() == b.size()) {
        std::size_t k = 0;
        while (a[k] == b[k]) ++k;
        return difference_at(place + "[" + std::to_string(k) + "]", a[k], b[k]);
    }
    if (!a.is_object() || !b.is_object()) return place + ": " + shown(a) + ", not " + shown(b);
    const std::string before = place.empty() ? "" : place + ".";
    for (const auto& [key, value] : b.items()) {
        if (!a.contains(key)) return before + key + ": none, not " + shown(value);
        if (a[key] != value) return difference_at(before + key, a[key], value);
    }
    for (const auto& [key, value] : a.items()) {
        if (!b.contains(key)) return shown(before + key) + ", which there is not";
    }
    return "";
}

}  // namespace

fs::path shard_path(const fs::path& folder, std::size_t number, bool rejected) {
    std::string name = std::to_string(number);
    name.insert(0, name.size() < 5 ? 5 - name.size() : 0, '0');
    return folder / "shards" / (name + (rejected ? ".rejected.jsonl.zst" : ".jsonl.zst"));
}

std::string run_text(const RunFacts& run) {
    Json made{{"schema", "synth-1"},
              {"generator", run.generator},
              {"run_seed", run.seed},
              {"count", run.count},
              {"quotas", quotas_of(run)},
              {"targets", targets_of(run)},
              {"compilers", compilers_of(run)},
              {"backward", run.backward},
              {"levels", run.levels},
              {"shard", run.shard}};
    if (!run.unavailable.empty()) made["unavailable"] = run.unavailable;
    return made.dump(2) + "\n";
}

Result<RunFacts> read_run(const fs::path& folder) {
    const fs::path file = folder / "run.json";
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return fail(ErrorKind::bad_input, folder.string() + " is not a data set: it has no run.json");
    IIR2D_TRY(const std::string text, read_file(file, longest_line));
    const auto refused = [&](const std::string& why) {
        return fail(ErrorKind::bad_input, file.string() + " " + why);
    };
    const auto json = read_json(text);
    if (!json) return refused(json.error().message);
    RunFacts made;
    try {
        take_facts(*json, made);
    } catch (const nlohmann::json::exception&) {
        return refused("has not the members that it is written with");
    }
    const std::string wanted = run_text(made);
    if (text != wanted) return refused("is not as it is written: " + first_difference(text, wanted));
    return made;
}

std::string first_difference(const std::string& found, const std::string& wanted) {
    const Json a = Json::parse(found, nullptr, false), b = Json::parse(wanted, nullptr, false);
    if (!a.is_object()) return "it is damaged";
    // Compilers are those of the targets, which say more.
    const Json none;
    const std::string of_targets =
        difference_at("targets", a.value("targets", none), b.value("targets", none));
    const std::string inner = of_targets.empty() ? difference_at("", a, b) : of_targets;
    return inner.empty() ? "its layout" : inner;
}

std::string libm_version() {
#if defined(__GLIBC__)
    return std::string("glibc ") + gnu_get_libc_version();
#elif defined(_UCRT)
    return "ucrt";
#elif defined(_WIN32)
    return "msvcrt";
#else
    return "unknown";
#endif
}

FileTexts file_texts(const RunFacts& run, const Statistics& statistics, const std::vector<ShardFacts>& shards,
                     const std::string& libm) {
    FileTexts made;
    made.stats = statistics.json().dump(2) + "\n";
    made.table = statistics.markdown();
    made.sums = sha256_hex(run_text(run)) + "  run.json\n";
    Json listed = Json::array();
    for (const ShardFacts& shard : shards) {
        made.sums += shard.sha256 + "  " + shard.file + "\n";
        listed.push_back({{"file", shard.file},
                          {"records", shard.records},
                          {"bytes", shard.bytes},
                          {"sha256", shard.sha256}});
    }
    made.sums += sha256_hex(made.stats) + "  stats.json\n" + sha256_hex(made.table) + "  stats.md\n";
    made.manifest = Json{{"schema", "synth-1"},
                         {"generator", run.generator},
                         {"run_seed", run.seed},
                         {"count", run.count},
                         {"quotas", quotas_of(run)},
                         {"targets", targets_of(run)},
                         {"unavailable", run.unavailable},
                         {"compilers", compilers_of(run)},
                         {"libm", libm},
                         {"shards", std::move(listed)},
                         {"complete", true}}
                        .dump(2) +
                    "\n";
    return made;
}

Result<ShardFacts> summarize(const fs::path& folder, std::size_t number, bool rejected,
                             Statistics& statistics) {
    const fs::path path = shard_path(folder, number, rejected);
    ShardFacts made{.file = "shards/" + path.filename().string()};
    IIR2D_RETURN_IF_ERROR(for_each_line(path, [&](std::string&& line) -> Result<void> {
        const auto json = rejected ? read_rejected(line) : read_record(line);
        if (!json)
            return fail(ErrorKind::bad_input, path.string() + ", line " + std::to_string(made.records + 1) +
                                                  ": " + json.error().message);
        if (rejected)
            statistics.add_rejected(*json);
        else
            statistics.add(*json);
        ++made.records;
        return {};
    }));
    IIR2D_TRY(made.sha256, sha256_of_file(path));
    std::error_code failed;
    made.bytes = fs::file_size(path, failed);
    if (failed) return fail(ErrorKind::bad_input, path.string() + ": " + failed.message());
    return made;
}

Result<void> finish_files(const fs::path& folder, const RunFacts& run) {
    Statistics statistics;
    std::vector<ShardFacts> shards;
    std::error_code ignored;
    for (std::size_t k = 0; fs::exists(shard_path(folder, k, false), ignored); ++k) {
        for (const bool rejected : {false, true}) {
            IIR2D_TRY(auto shard, summarize(folder, k, rejected, statistics));
            shards.push_back(std::move(shard));
        }
    }
    const FileTexts texts = file_texts(run, statistics, shards, libm_version());
    IIR2D_RETURN_IF_ERROR(write_file_atomically(folder / "stats.json", texts.stats));
    IIR2D_RETURN_IF_ERROR(write_file_atomically(folder / "stats.md", texts.table));
    IIR2D_RETURN_IF_ERROR(write_file_atomically(folder / "SHA256SUMS", texts.sums));
    return write_file_atomically(folder / "manifest.json", texts.manifest);
}

}  // namespace workbench::synth
