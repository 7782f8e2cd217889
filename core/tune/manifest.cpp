// SPDX-License-Identifier: MIT
// manifest.json: what is in a folder of models, as one canonical text.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/support/canonical_json.h"
#include "core/support/escaped.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/registry.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

namespace fs = std::filesystem;

namespace {

constexpr const char* manifest_name = "manifest.json";
constexpr JsonLimits manifest_limits{.bytes = std::size_t{1} << 24, .values = 500'000, .depth = 16};

nlohmann::json pointer_to(const RegisteredModel& model) {
    return {{"name", model.name},
            {"path", model.name + "/model.trees"},
            {"purpose", model.purpose},
            {"interface", model.interface},
            {"version", model.version},
            {"description", std::to_string(model.trees) + " trees for " + model.purpose +
                                ", trained on machine " + model.machine},
            {"dependencies",
             {"kernels:" + model.kernels, "features:" + std::to_string(model.features),
              "space:" + std::to_string(model.space)}},
            {"size", model.size},
            {"sha256", model.sha256}};
}

// Of each file that a manifest names its line.
std::map<std::string, std::string> files_in(const nlohmann::json& manifest) {
    std::map<std::string, std::string> files;
    if (!manifest.is_object()) return files;
    const auto list = manifest.find("model_files");
    if (list == manifest.end() || !list->is_array()) return files;
    for (const auto& file : *list)
        if (file.is_object() && file.contains("path") && file["path"].is_string())
            files[file["path"].get<std::string>()] = canonical_json(file);
    return files;
}

}  // namespace

Result<std::vector<std::string>> model_files(const fs::path& place) {
    std::error_code error;
    if (!fs::is_directory(place, error))
        return fail(ErrorKind::bad_input, quoted(place) + " is not a folder of models");
    std::vector<std::string> files;
    for (fs::recursive_directory_iterator entry(place, error), end; !error && entry != end;
         entry.increment(error)) {
        if (!entry->is_regular_file(error)) continue;
        const std::string path = entry->path().lexically_relative(place).generic_string();
        if (path != manifest_name) files.push_back(path);
    }
    if (error) return fail(ErrorKind::bad_input, quoted(place) + " cannot be read: " + error.message());
    std::ranges::sort(files);
    return files;
}

Result<std::string> manifest_of(const fs::path& place) {
    IIR2D_TRY(const auto paths, model_files(place));
    nlohmann::json files = nlohmann::json::array();
    for (const std::string& path : paths) {
        std::error_code error;
        const auto size = fs::file_size(place / path, error);
        IIR2D_TRY(const auto sha256, sha256_of_file(place / path));
        files.push_back({{"path", printable_utf8(path)}, {"size", size}, {"sha256", sha256}});
    }
    nlohmann::json purposes = nlohmann::json::object();
    std::size_t total = 0;
    // Of which machine they are does not matter here.
    for (const RegisteredModel& model : find_models({place}, {})) {
        if (model.model == nullptr) continue;
        purposes[model.purpose].push_back(pointer_to(model));
        ++total;
    }
    return canonical_json({{"manifest_version", 1},
                           {"total_models", total},
                           {"models_by_purpose", std::move(purposes)},
                           {"model_files", std::move(files)}}) +
           "\n";
}

Result<std::vector<std::string>> manifest_differences(const fs::path& place) {
    IIR2D_TRY(const auto expected, manifest_of(place));
    std::error_code ignored;
    if (!fs::exists(place / manifest_name, ignored)) return std::vector<std::string>{"manifest.json is gone"};
    IIR2D_TRY(const auto text, read_file(place / manifest_name, manifest_limits.bytes));
    if (text == expected) return std::vector<std::string>{};
    const auto said = parse_json_strictly(text, manifest_limits);
    if (!said) return std::vector<std::string>{"manifest.json " + said.error().message};
    const auto is = files_in(nlohmann::json::parse(expected));
    const auto was = files_in(*said);
    std::vector<std::string> differences;
    for (const auto& [path, line] : was) {
        const auto found = is.find(path);
        if (found == is.end())
            differences.push_back(escaped(path) + " is gone");
        else if (found->second != line)
            differences.push_back(escaped(path) + " is another file now");
    }
    for (const auto& [path, line] : is)
        if (!was.contains(path)) differences.push_back(escaped(path) + " is not in manifest.json");
    if (differences.empty()) differences.emplace_back("manifest.json is not what the folder's would be");
    return differences;
}

}  // namespace workbench::tune
