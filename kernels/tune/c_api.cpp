// SPDX-License-Identifier: MIT
#include "iir2d/iir2d_tune.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "iir2d/config.h"
#include "kernels/support/c_call.h"
#include "kernels/support/c_struct.h"
#include "kernels/tune/c_config.h"

namespace {

using namespace iir2d;
using support::c_call;
using support::null_pointer;

// Bytes of the first version of the struct: a shorter one was never in a header.
constexpr std::size_t first_size = offsetof(IIR2D_Config, reserved) + sizeof(std::int32_t);
static_assert(sizeof(IIR2D_Config) == first_size,
              "no padding at the end: a later field would be read from it");

static_assert(IIR2D_STORES_PAST == stores_past && IIR2D_SHARE_ROWS == share_rows);
static_assert(IIR2D_WAY_WINDOWS == way_windows &&
              IIR2D_WAY_PARTS_CLIMB == way_of(FoldWay::parts, FoldWay::climb) &&
              IIR2D_WAY_CLIMB_CLIMB == way_of(FoldWay::climb, FoldWay::climb));

struct Field {
    std::int32_t IIR2D_Config::*of_c;
    std::int32_t Config::*of_cpp;
};
constexpr Field fields[] = {
    {&IIR2D_Config::threads, &Config::threads}, {&IIR2D_Config::stores, &Config::stores},
    {&IIR2D_Config::share, &Config::share},     {&IIR2D_Config::part, &Config::part},
    {&IIR2D_Config::strip, &Config::strip},     {&IIR2D_Config::way, &Config::way},
    {&IIR2D_Config::task, &Config::task}};

}  // namespace

namespace iir2d::tune {

Result<Config> read_config(const IIR2D_Config* given) {
    if (given == nullptr) return null_pointer("config");
    const auto known = support::known_fields<IIR2D_Config>(given, first_size, "IIR2D_Config");
    if (!known) return std::unexpected(known.error());
    if ((*known).reserved != 0)
        return std::unexpected(Error{ErrorCode::invalid_argument, "config reserved is not 0"});
    Config config;
    for (const Field& field : fields) config.*field.of_cpp = (*known).*field.of_c;
    return config;
}

}  // namespace iir2d::tune

extern "C" {

int iir2d_config_parse(const char* text, IIR2D_Config* config) {
    return c_call([&]() -> Result<void> {
        if (text == nullptr) return null_pointer("text");
        if (config == nullptr) return null_pointer("config");
        // Only the size is set: what is behind it need not have been written yet.
        const IIR2D_Config sized{.size = config->size};
        if (sized.size > sizeof sized && sized.size <= support::largest_struct)
            std::memset(reinterpret_cast<std::byte*>(config) + sizeof sized, 0, sized.size - sizeof sized);
        const bool is_longer = sized.size > sizeof sized;
        const auto given = support::known_fields<IIR2D_Config>(
            is_longer ? static_cast<const void*>(config) : &sized, first_size, "IIR2D_Config");
        if (!given) return std::unexpected(given.error());
        const auto read = config_from_text(text);
        if (!read) return std::unexpected(read.error());
        IIR2D_Config known{.size = sized.size};
        for (const Field& field : fields) known.*field.of_c = (*read).*field.of_cpp;
        std::memcpy(config, &known, std::min(known.size, sizeof known));
        return {};
    });
}

int iir2d_config_text(const IIR2D_Config* config, char* text, size_t capacity, size_t* needed) {
    return c_call([&]() -> Result<void> {
        if (config == nullptr) return null_pointer("config");
        if (needed == nullptr) return null_pointer("needed");
        if (text == nullptr && capacity > 0) return null_pointer("text");
        const auto read = tune::read_config(config);
        if (!read) return std::unexpected(read.error());
        const std::string made = text_of(*read);
        *needed = made.size() + 1;
        if (capacity == 0) return {};
        if (capacity < *needed) {
            return std::unexpected(Error{ErrorCode::workspace_error, "capacity is " +
                                                                         std::to_string(capacity) +
                                                                         ": the config's text has " +
                                                                         std::to_string(*needed) + " bytes"});
        }
        std::memcpy(text, made.c_str(), *needed);
        return {};
    });
}

}  // extern "C"
