// SPDX-License-Identifier: MIT
// Puts models into folders of models, and takes them away.
#pragma once

#include <filesystem>
#include <string>

#include "core/support/error.h"
#include "core/tune/registry.h"
#include "core/tune/train.h"

namespace workbench::tune {

// Makes the folder with the files, whole. unwritable_output: it is there already, or cannot be written.
Result<void> write_model(const std::filesystem::path& folder, const ModelFiles& files);

// Puts a model among the user's own and brings manifest.json there up to date.
Result<void> install_model(const std::string& purpose, const std::string& version, const ModelFiles& files);

// Makes a model the one that decides for its purpose: a copy of it becomes the user's own highest version,
// which is returned, and its model.json says so. bad_argument: it could not decide here, it is compiled into
// the library, or one in an earlier place decides whatever the user's own are. bad_input: model.json is none.
Result<std::string> activate_model(const RegisteredModel& model);

// Removes one of the user's own, and brings manifest.json up to date. bad_argument: it is in another place.
Result<void> remove_model(const RegisteredModel& model);

}  // namespace workbench::tune
