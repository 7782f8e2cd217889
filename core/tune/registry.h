// SPDX-License-Identifier: MIT
// Models in folders: which there are, which one decides, and why the others do not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/error.h"
#include "iir2d/tune_model.h"

namespace workbench::tune {

// Says whether a model decides, or why not. `active` decides for its purpose. `shadowed` could, but another
// one comes first. The others cannot: measured on another machine or by other kernels, without a report or a
// margin, of another table of knobs, of other features, of another interface, not what its hash says, not
// readable.
enum class ModelStatus {
    active,
    shadowed,
    foreign_machine,
    stale_kernels,
    unproven,
    wrong_space,
    wrong_features,
    no_interface,
    damaged,
    unreadable
};
std::string_view name_of(ModelStatus status);

struct RegisteredModel {
    std::string name;             // "iir-cpu/2"
    std::filesystem::path place;  // the folder of models that it is in
    std::filesystem::path path;   // its own folder there
    std::string purpose;
    std::string version;
    ModelStatus status = ModelStatus::unreadable;
    std::string reason;      // one sentence; empty of an active one
    bool is_proven = false;  // report.json is there
    // What its head says; empty and 0 where that cannot be read.
    std::string interface;
    std::string machine;
    std::string kernels;
    int space = 0;
    std::size_t features = 0;
    std::size_t trees = 0;  // of gain
    std::uint64_t size = 0;
    std::string sha256;                             // of model.trees as a file
    std::shared_ptr<const iir2d::TreeModel> model;  // model.trees, read; null where that failed
};

// The machine and the kernels that models have to be of.
struct ModelHost {
    std::string machine;
    std::string kernels;
};
Result<ModelHost> model_host();

// In place of a folder: the models that are compiled into the library.
inline constexpr const char* embedded_place = "(embedded)";
// Returns where models are looked for: `first` unless it is empty, IIR2D_TUNE_MODELS, the user's own, those
// that were installed, those in the library if there are any.
std::vector<std::filesystem::path> model_places(const std::filesystem::path& first);
// Returns where `train --install` puts them.
std::filesystem::path own_models();

// Lists the models in these places, by purpose, then in the order in which they are asked: place by place, in
// each the highest version first. The first of a purpose that could decide is active. Nothing here fails: a
// folder that cannot be read has no models.
std::vector<RegisteredModel> find_models(const std::vector<std::filesystem::path>& places,
                                         const ModelHost& host);

// Returns the text of a file of at most 64 MiB; empty where there is none.
Result<std::string> text_or_nothing(const std::filesystem::path& file);

// Returns the version above all that a purpose has in a place: "1" where there is none.
std::string next_version(const std::filesystem::path& place, std::string_view purpose);

// Returns what manifest.json of a folder of models has to say: its models and all their files. bad_input:
// there is no such folder, or a file in it cannot be read.
Result<std::string> manifest_of(const std::filesystem::path& place);
// Returns how the folder's manifest.json differs from that, a sentence each; none: it does not.
Result<std::vector<std::string>> manifest_differences(const std::filesystem::path& place);
// Returns the files that a manifest names, as paths within the folder, manifest.json itself left out.
Result<std::vector<std::string>> model_files(const std::filesystem::path& place);

}  // namespace workbench::tune
