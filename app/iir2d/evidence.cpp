// SPDX-License-Identifier: MIT
#include "app/iir2d/evidence.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/support/try.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

Result<double> parse_part(std::string_view option, std::string_view text) {
    const bool percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    IIR2D_TRY(const auto number, parse_number(option, text));
    return percent ? number / 100 : number;
}

Result<void> check_outputs(const std::vector<std::string>& files, const std::string& record) {
    namespace fs = std::filesystem;
    const auto unwritable = [](const std::string& path, const std::string& why) {
        return fail(ErrorKind::unwritable_output, "\"" + path + "\" cannot be written: " + why);
    };
    std::error_code error;
    std::vector<std::string> all = files;
    all.push_back(record);
    std::erase_if(all, &std::string::empty);
    for (const std::string& path : all) {
        const fs::path parent = fs::absolute(path, error).parent_path();
        if (!fs::is_directory(parent, error))
            return unwritable(path, "the folder \"" + parent.string() + "\" does not exist");
        if (path != record && fs::is_directory(path, error)) return unwritable(path, "it names a folder");
        if (std::ranges::count(all, path) > 1)
            return fail(ErrorKind::bad_argument, "two outputs are both named \"" + path + "\"");
    }
    if (!record.empty() && fs::exists(record, error))
        return fail(ErrorKind::unwritable_output,
                    "the record \"" + record + "\" already exists: name a new directory");
    return {};
}

Result<std::optional<workbench::SigningKey>> signing_key(const std::string& record, const std::string& sign) {
    if (sign.empty()) return std::nullopt;
    if (record.empty())
        return fail(ErrorKind::bad_argument, "--sign needs --record: a record is what is signed");
    return workbench::SigningKey::load(sign);
}

}  // namespace app
