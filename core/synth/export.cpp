// SPDX-License-Identifier: MIT
#include "core/synth/export.h"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "core/support/listed.h"
#include "core/support/try.h"
#include "core/synth/data_set_files.h"
#include "core/synth/data_set_reader.h"

namespace workbench::synth {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string json_text(const Json& json, int indent = -1) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::uint64_t> export_pairs(const ExportOptions& options, const std::stop_token& stop) {
    IIR2D_TRY(AtomicFile file, AtomicFile::create(options.out));
    std::uint64_t count = 0;
    IIR2D_RETURN_IF_ERROR(for_each_record(
        options.folder,
        [&](const Json& record) -> Result<void> {
            if (!is_chosen(record, options)) return {};
            for (const Json& ir : record["ir"]) {
                const auto target = ir["target"].get<std::string>();
                if (!options.target.empty() && target != options.target) continue;
                const Json& sources =
                    ir["direction"] == "backward" ? record["backward"]["source"] : record["source"];
                const std::string line =
                    json_text({{"id", record["id"]},
                               {"source", sources[target_named(target).takes_cuda ? "cuda" : "cpp"]},
                               {"ir", ir["text"]},
                               {"target", target},
                               {"direction", ir["direction"]},
                               {"split", record["split"]}});
                if (std::fwrite(line.data(), 1, line.size(), file.handle()) != line.size())
                    return unwritable(options.out, system_words(errno));
                ++count;
            }
            return {};
        },
        stop));
    if (count == 0) return fail(ErrorKind::bad_argument, "there is nothing in the data set that fits");
    IIR2D_RETURN_IF_ERROR(file.commit());
    return count;
}

// "float2 k(const float* x, int n)", the parameters as the source has them.
std::string signature_of(const Json& record) {
    const auto source = record["source"]["cpp"].get<std::string>();
    const std::string begin = "void " + record["name"].get<std::string>() + "(";
    const std::size_t at = source.find(begin);
    if (at == std::string::npos) return "";
    return source.substr(at, source.find(')', at) + 1 - at);
}

// The keys of a pair of the generator of kernels for JAX.
Json seed_jax(const Json& record, const std::string& target) {
    const auto ir = std::ranges::find_if(record["ir"], [&](const Json& one) {
        return one["target"] == target && one["direction"] == "forward";
    });
    const auto ops = record["ops"].get<std::vector<std::string>>();
    return {{"function_name", record["name"]},
            {"source", record["source"][target_named(target).takes_cuda ? "cuda" : "cpp"]},
            {"ir_code", ir == record["ir"].end() ? Json() : (*ir)["text"]},
            {"dialect", target.starts_with("llvm-")   ? "llvm"
                        : target.starts_with("cubin") ? "cubin"
                                                      : "ptx"},
            {"signature", signature_of(record)},
            {"input_info", record["params"]},
            {"category", record["category"]},
            {"operation", joined(ops, "+")},
            {"complexity", record["complexity"]}};
}

// Those of one for Warp.
Json seed_warp(const Json& record) {
    const bool has_backward = record.contains("backward") && record["backward"].contains("source");
    Json metadata{{"id", record["id"]},
                  {"name", record["name"]},
                  {"category", record["category"]},
                  {"ops", record["ops"]},
                  {"complexity", record["complexity"]},
                  {"depth", record["depth"]},
                  {"split", record["split"]},
                  {"params", record["params"]},
                  {"launch", record["launch"]}};
    if (record.contains("backward") && !has_backward) metadata["no_backward"] = record["backward"]["reason"];
    return {{"source", record["source"]["cuda"]},
            {"cpp_forward", record["source"]["cpp"]},
            {"cpp_backward", has_backward ? record["backward"]["source"]["cpp"] : Json()},
            {"metadata", std::move(metadata)}};
}

}  // namespace

bool is_chosen(const Json& record, const ExportOptions& options) {
    return (options.split.empty() || record["split"] == options.split) &&
           (options.category.empty() || record["category"] == options.category);
}

Result<std::uint64_t> export_data_set(const ExportOptions& options, const std::stop_token& stop) {
    IIR2D_TRY(const RunFacts run, read_run(options.folder));
    if (run.targets.empty()) return fail(ErrorKind::bad_input, "the data set has no targets");
    const auto named = [](const Target& target) { return target.name; };
    if (!options.target.empty() && std::ranges::none_of(run.targets, [&](const Target& target) {
            return target.name == options.target;
        }))
        return fail(ErrorKind::bad_argument, "the data set has no target \"" + options.target +
                                                 "\": it has " + joined(run.targets, ", ", named));
    if (options.form == ExportOptions::Form::pairs) return export_pairs(options, stop);
    std::error_code ignored;
    if (fs::exists(options.out, ignored))
        return fail(ErrorKind::bad_argument, options.out.string() + " is there already: name a new folder");
    const std::string target = options.target.empty() ? run.targets.front().name : options.target;
    std::uint64_t count = 0;
    const auto write = [&](const fs::path& folder, const Json& record) -> Result<void> {
        if (!is_chosen(record, options)) return {};
        ++count;
        return write_file_atomically(
            folder / (record["id"].get<std::string>() + ".json"),
            json_text(
                options.form == ExportOptions::Form::seed_jax ? seed_jax(record, target) : seed_warp(record),
                2));
    };
    const auto fill = [&](const fs::path& folder) -> Result<void> {
        auto done = for_each_record(
            options.folder, [&](const Json& record) { return write(folder, record); }, stop);
        if (done && count == 0)
            return fail(ErrorKind::bad_argument, "there is nothing in the data set that fits");
        return done;
    };
    IIR2D_RETURN_IF_ERROR(write_directory_atomically(options.out, fill));
    return count;
}

}  // namespace workbench::synth
