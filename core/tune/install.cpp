// SPDX-License-Identifier: MIT
#include "core/tune/install.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/support/atomic_file.h"
#include "core/support/files.h"
#include "core/support/strict_json.h"
#include "core/support/text.h"
#include "core/support/try.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

namespace fs = std::filesystem;

namespace {

Result<void> renew_manifest() {
    IIR2D_TRY(const auto manifest, manifest_of(own_models()));
    return write_file_atomically(own_models() / "manifest.json", manifest);
}

// Says of which version and trees a model.json is; an empty one stays empty.
Result<std::string> renamed_json(const fs::path& file, const iir2d::TreeModel& model) {
    IIR2D_TRY(const auto text, text_or_nothing(file));
    if (text.empty()) return text;
    const auto read = parse_json_strictly(text, record_json_limits);
    if (!read || !read->is_object())
        return fail(ErrorKind::bad_input,
                    quoted(file) + " " + (read ? "describes no model" : read.error().message));
    auto json = nlohmann::ordered_json::parse(text);  // whose members keep their order
    json["version"] = model.version;
    json["trees_sha256"] = model.sha256;
    return json.dump(2) + "\n";
}

// Says what decides for the purpose before the user's own models are looked at.
std::optional<fs::path> decides_before_own(const std::string& purpose) {
    const auto host = model_host();
    if (!host) return std::nullopt;
    std::vector<fs::path> places = model_places({});
    places.erase(std::ranges::find(places, own_models()), places.end());
    for (const RegisteredModel& one : find_models(places, *host)) {
        if (one.purpose == purpose && one.status == ModelStatus::active) return one.path;
    }
    return std::nullopt;
}

}  // namespace

Result<void> write_model(const fs::path& folder, const ModelFiles& files) {
    std::error_code error;
    if (fs::exists(folder, error))
        return fail(ErrorKind::unwritable_output, quoted(folder) + " is there already: name a new folder");
    return write_directory_atomically(folder, [&](const fs::path& made) -> Result<void> {
        const std::pair<const char*, const std::string*> all[] = {{"model.trees", &files.trees},
                                                                  {"model.json", &files.json},
                                                                  {"report.json", &files.report},
                                                                  {"table.txt", &files.table}};
        for (const auto& [name, text] : all)
            if (!text->empty()) IIR2D_RETURN_IF_ERROR(write_file_atomically(made / name, *text));
        return {};
    });
}

Result<void> install_model(const std::string& purpose, const std::string& version, const ModelFiles& files) {
    const fs::path place = own_models();
    std::error_code error;
    fs::create_directories(place / purpose, error);
    if (error)
        return fail(ErrorKind::unwritable_output,
                    quoted(place / purpose) + " cannot be made: " + error.message());
    IIR2D_RETURN_IF_ERROR(write_model(place / purpose / version, files));
    return renew_manifest();
}

Result<std::string> activate_model(const RegisteredModel& model) {
    const auto refuse = [&](const std::string& why) {
        return fail(ErrorKind::bad_argument, model.name + " cannot be made to decide: " + why);
    };
    if (model.status != ModelStatus::active && model.status != ModelStatus::shadowed)
        return refuse(model.reason);
    if (model.place == embedded_place)
        return refuse("it is compiled into the library, and decides where no other one does");
    if (const auto first = decides_before_own(model.purpose))
        return refuse(quoted(*first) + " comes first, whatever the user's own are");
    iir2d::TreeModel copy = *model.model;
    copy.version = next_version(own_models(), model.purpose);
    ModelFiles files;
    IIR2D_TRY(files.trees, from_kernel(iir2d::text_of_model(copy)));
    IIR2D_TRY(copy, from_kernel(iir2d::model_from_text(files.trees)));  // with the SHA-256 of the copy
    IIR2D_TRY(files.json, renamed_json(model.path / "model.json", copy));
    IIR2D_TRY(files.report, text_or_nothing(model.path / "report.json"));
    IIR2D_TRY(files.table, text_or_nothing(model.path / "table.txt"));
    IIR2D_RETURN_IF_ERROR(install_model(model.purpose, copy.version, files));
    return copy.version;
}

Result<void> remove_model(const RegisteredModel& model) {
    if (model.place != own_models())
        return fail(ErrorKind::bad_argument, model.name + " is in " + quoted(model.place) +
                                                 ", and only models of your own can be removed here");
    std::error_code error;
    fs::remove_all(model.path, error);
    if (error)
        return fail(ErrorKind::unwritable_output,
                    quoted(model.path) + " cannot be removed: " + error.message());
    return renew_manifest();
}

}  // namespace workbench::tune
