// SPDX-License-Identifier: MIT
#include "core/synth/data_set_files.h"

#include <gnu/libc-version.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/support/files.h"
#include "core/support/try.h"
#include "core/synth/shards.h"

namespace workbench::synth {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json compilers_of(const GenerateOptions& options) {
    Json made = Json::array();
    for (const Target& target : options.judge.targets)
        made.push_back({{"name", target.compiler}, {"version", target.version}, {"flags", target.flags}});
    return made;
}

Json targets_of(const GenerateOptions& options) {
    Json made = Json::array();
    for (const Target& target : options.judge.targets) made.push_back(target.name);
    return made;
}

struct OfCategory {
    std::uint64_t records = 0, pairs = 0, exact = 0;
    std::map<std::string, std::uint64_t> rejected, ops, complexity, splits, depths, types;
    std::set<std::string> skeletons;

    void add(const Json& record) {
        ++records;
        pairs += record["ir"].size();
        ++complexity[record["complexity"].get<std::string>()];
        ++splits[record["split"].get<std::string>()];
        ++depths[std::to_string(record["depth"].get<int>())];
        skeletons.insert(record["skeleton"].get<std::string>());
        for (const Json& op : record["ops"]) ++ops[op.get<std::string>()];
        for (const Json& parameter : record["params"]) ++types[parameter["type"].get<std::string>()];
        bool all = !record["verification"].empty();
        for (const Json& v : record["verification"]) all = all && v["exact"].get<bool>();
        exact += all;
    }
    Json json() const {
        return {{"records", records},       {"pairs", pairs},
                {"exact", exact},           {"skeletons", skeletons.size()},
                {"rejected", rejected},     {"ops", ops},
                {"complexity", complexity}, {"splits", splits},
                {"depths", depths},         {"types", types}};
    }
};

}  // namespace

fs::path shard_path(const fs::path& folder, std::size_t number, bool rejected) {
    std::string name = std::to_string(number);
    name.insert(0, name.size() < 5 ? 5 - name.size() : 0, '0');
    return folder / "shards" / (name + (rejected ? ".rejected.jsonl.zst" : ".jsonl.zst"));
}

std::string run_text(const GenerateOptions& options) {
    Json quotas = Json::object();
    for (const auto& [category, count] : quotas_of(options)) quotas[std::string(name_of(category))] = count;
    return Json{{"schema", "synth-1"},
                {"generator", generator_version},
                {"run_seed", options.seed},
                {"count", options.count},
                {"quotas", quotas},
                {"targets", targets_of(options)},
                {"compilers", compilers_of(options)},
                {"backward", options.judge.backward},
                {"runs", options.judge.runs},
                {"shard", options.shard}}
               .dump(2) +
           "\n";
}

std::string first_difference(const std::string& found, const std::string& wanted) {
    const Json a = Json::parse(found, nullptr, false), b = Json::parse(wanted, nullptr, false);
    if (!a.is_object()) return "arguments: it is damaged";
    for (const auto& [key, value] : b.items()) {
        if (!a.contains(key) || a[key] != value)
            return key + ": " + (a.contains(key) ? a[key].dump() : "none") + ", not " + value.dump();
    }
    return "arguments";
}

Result<void> finish_files(const GenerateOptions& options, const std::map<Category, std::uint64_t>& quotas) {
    std::map<std::string, OfCategory> stats;
    OfCategory all;
    Json shards = Json::array();
    std::string sums;
    const auto hashed = [&](const fs::path& path) -> Result<Json> {
        IIR2D_TRY(const std::string sum, sha256_of_file(path));
        const std::string name = fs::relative(path, options.folder).generic_string();
        sums += sum + "  " + name + "\n";
        return Json{{"file", name}, {"bytes", fs::file_size(path)}, {"sha256", sum}};
    };
    IIR2D_RETURN_IF_ERROR(hashed(options.folder / "run.json"));
    std::error_code ignored;
    for (std::size_t k = 0; fs::exists(shard_path(options.folder, k, false), ignored); ++k) {
        for (const bool rejected : {false, true}) {
            const fs::path path = shard_path(options.folder, k, rejected);
            IIR2D_TRY(const auto lines, read_lines(path));
            for (const std::string& line : lines) {
                const Json one = Json::parse(line, nullptr, false);
                if (!one.is_object())
                    return fail(ErrorKind::bad_input, path.string() + " has a line that is no record");
                OfCategory& category = stats[one["category"].get<std::string>()];
                if (rejected) {
                    ++category.rejected[one["reason"].get<std::string>()];
                    ++all.rejected[one["reason"].get<std::string>()];
                } else {
                    category.add(one);
                    all.add(one);
                }
            }
            IIR2D_TRY(Json shard, hashed(path));
            shard["records"] = lines.size();
            shards.push_back(std::move(shard));
        }
    }
    Json by_category = Json::object(), wanted = Json::object();
    std::string table =
        "| category | records | pairs | skeletons | exact | train | valid | test |\n| --- | --- | --- | --- "
        "| --- | --- | --- | --- |\n";
    const auto row = [&](const std::string& name, OfCategory one) {
        table += "| " + name;
        for (const std::uint64_t number :
             {one.records, one.pairs, static_cast<std::uint64_t>(one.skeletons.size()), one.exact,
              one.splits["train"], one.splits["valid"], one.splits["test"]})
            table += " | " + std::to_string(number);
        table += " |\n";
    };
    for (const auto& [name, one] : stats) {
        by_category[name] = one.json();
        row(name, one);
    }
    row("all", all);
    for (const auto& [category, count] : quotas) wanted[std::string(name_of(category))] = count;
    IIR2D_RETURN_IF_ERROR(
        write_file_atomically(options.folder / "stats.json",
                              Json{{"all", all.json()}, {"categories", by_category}}.dump(2) + "\n"));
    IIR2D_RETURN_IF_ERROR(write_file_atomically(options.folder / "stats.md", table));
    IIR2D_RETURN_IF_ERROR(hashed(options.folder / "stats.json"));
    IIR2D_RETURN_IF_ERROR(hashed(options.folder / "stats.md"));
    IIR2D_RETURN_IF_ERROR(write_file_atomically(options.folder / "SHA256SUMS", sums));
    return write_file_atomically(options.folder / "manifest.json",
                                 Json{{"schema", "synth-1"},
                                      {"generator", generator_version},
                                      {"run_seed", options.seed},
                                      {"count", options.count},
                                      {"quotas", wanted},
                                      {"targets", targets_of(options)},
                                      {"unavailable", options.unavailable},
                                      {"compilers", compilers_of(options)},
                                      {"libm", std::string("glibc ") + gnu_get_libc_version()},
                                      {"shards", shards},
                                      {"complete", true}}
                                         .dump(2) +
                                     "\n");
}

}  // namespace workbench::synth
