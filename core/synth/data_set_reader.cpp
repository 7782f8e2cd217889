// SPDX-License-Identifier: MIT
#include "core/synth/data_set_reader.h"

#include <optional>

#include "core/support/try.h"
#include "core/synth/data_set_files.h"
#include "core/synth/record_shape.h"
#include "core/synth/shards.h"

namespace workbench::synth {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using TakeLine = std::function<Result<void>(const fs::path& path, std::uint64_t number, std::string&& line)>;

// Gives each line of the shards, of the records or of what was rejected.
Result<void> for_each_shard_line(const fs::path& folder, bool rejected, const TakeLine& take,
                                 const std::stop_token& stop) {
    IIR2D_RETURN_IF_ERROR(read_run(folder));
    std::error_code ignored;
    for (std::size_t k = 0; fs::exists(shard_path(folder, k, false), ignored); ++k) {
        const fs::path path = shard_path(folder, k, rejected);
        std::uint64_t number = 0;
        IIR2D_RETURN_IF_ERROR(for_each_line(path, [&](std::string&& line) -> Result<void> {
            if (stop.stop_requested()) return fail(ErrorKind::cancelled, "cancelled");
            return take(path, ++number, std::move(line));
        }));
    }
    return {};
}

std::unexpected<Error> bad_line(const fs::path& path, std::uint64_t number, const Error& error) {
    return fail(ErrorKind::bad_input,
                path.string() + ", line " + std::to_string(number) + ": " + error.message);
}

}  // namespace

Result<void> for_each_record(const fs::path& folder, const std::function<Result<void>(const Json&)>& take,
                             const std::stop_token& stop) {
    return for_each_shard_line(
        folder, false,
        [&](const fs::path& path, std::uint64_t number, std::string&& line) -> Result<void> {
            const auto record = read_record(line);
            if (!record) return bad_line(path, number, record.error());
            return take(*record);
        },
        stop);
}

Result<void> for_each_rejected(const fs::path& folder, const std::function<Result<void>(const Json&)>& take,
                               const std::stop_token& stop) {
    return for_each_shard_line(
        folder, true,
        [&](const fs::path& path, std::uint64_t number, std::string&& line) -> Result<void> {
            const auto rejected = read_rejected(line);
            if (!rejected) return bad_line(path, number, rejected.error());
            return take(*rejected);
        },
        stop);
}

Result<Json> find_record(const fs::path& folder, const std::string& id, const std::stop_token& stop) {
    std::optional<Json> found;
    const std::string written = "\"id\":" + Json(id).dump(-1, ' ', false, Json::error_handler_t::replace);
    IIR2D_RETURN_IF_ERROR(for_each_shard_line(
        folder, false,
        [&](const fs::path& path, std::uint64_t number, std::string&& line) -> Result<void> {
            if (found || line.find(written) == std::string::npos) return {};
            IIR2D_TRY(Json record, [&]() -> Result<Json> {
                auto read = read_record(line);
                if (!read) return bad_line(path, number, read.error());
                return read;
            }());
            if (record["id"] == id) found = std::move(record);
            return {};
        },
        stop));
    if (!found)
        return fail(ErrorKind::bad_argument, folder.string() + " has no record with the id \"" + id + "\"");
    return *std::move(found);
}

Result<Statistics> read_statistics(const fs::path& folder, const std::stop_token& stop) {
    Statistics made;
    IIR2D_RETURN_IF_ERROR(for_each_record(
        folder,
        [&](const Json& record) -> Result<void> {
            made.add(record);
            return {};
        },
        stop));
    IIR2D_RETURN_IF_ERROR(for_each_rejected(
        folder,
        [&](const Json& rejected) -> Result<void> {
            made.add_rejected(rejected);
            return {};
        },
        stop));
    return made;
}

}  // namespace workbench::synth
