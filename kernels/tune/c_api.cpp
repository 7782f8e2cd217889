// SPDX-License-Identifier: MIT
#include "iir2d/iir2d_tune.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "iir2d/config.h"
#include "iir2d/tune.h"
#include "iir2d/tune_model.h"
#include "kernels/support/c_call.h"
#include "kernels/support/c_struct.h"
#include "kernels/tune/c_config.h"

namespace {

using namespace iir2d;
using support::c_call;
using support::null_pointer;

// Bytes of the first version of the struct: a shorter one was never in a header.
constexpr std::size_t first_size = offsetof(IIR2D_Config, block) + sizeof(std::int32_t);
static_assert(sizeof(IIR2D_Config) == offsetof(IIR2D_Config, reserved) + sizeof(std::int32_t),
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
    {&IIR2D_Config::task, &Config::task},       {&IIR2D_Config::block, &Config::block},
    {&IIR2D_Config::steps, &Config::steps},     {&IIR2D_Config::pairs, &Config::pairs},
    {&IIR2D_Config::graph, &Config::graph},     {&IIR2D_Config::warps, &Config::warps},
    {&IIR2D_Config::carry, &Config::carry}};

constexpr std::size_t first_stats_size = offsetof(IIR2D_TuneStats, bad_lines) + sizeof(std::uint64_t);
// The reasons lie in the struct as they do in TuneReason.
static_assert(offsetof(IIR2D_TuneStats, error) - offsetof(IIR2D_TuneStats, pinned) ==
              static_cast<std::size_t>(TuneReason::error) * sizeof(std::uint64_t));
static_assert(offsetof(IIR2D_TuneStats, model) - offsetof(IIR2D_TuneStats, pinned) ==
              static_cast<std::size_t>(TuneReason::model) * sizeof(std::uint64_t));
static_assert(offsetof(IIR2D_TuneStats, cached) ==
              offsetof(IIR2D_TuneStats, pinned) + tune_reason_count * sizeof(std::uint64_t));

// Writes a text with a closing zero; with a capacity of 0 only how many bytes that takes.
Result<void> write_text(const char* what, const std::string& made, char* text, std::size_t capacity,
                        std::size_t& needed) {
    needed = made.size() + 1;
    if (capacity == 0) return {};
    if (capacity < needed) {
        return std::unexpected(Error{ErrorCode::workspace_error, "capacity is " + std::to_string(capacity) +
                                                                     ": " + what + " has " +
                                                                     std::to_string(needed) + " bytes"});
    }
    std::memcpy(text, made.c_str(), needed);
    return {};
}

// A caller's function, which says -1 for nothing.
class ChooserOfC : public Chooser {
  public:
    ChooserOfC(IIR2D_TuneChooser chooser, void* user) : m_chooser(chooser), m_user(user) {}
    std::optional<std::size_t> choose(const std::string& key,
                                      std::span<const Config> candidates) const override {
        std::vector<IIR2D_Config> given(candidates.size(), IIR2D_Config{.size = sizeof(IIR2D_Config)});
        for (std::size_t i = 0; i < given.size(); ++i) {
            for (const Field& field : fields) given[i].*field.of_c = candidates[i].*field.of_cpp;
        }
        const std::int64_t index = m_chooser(m_user, key.c_str(), given.data(), given.size());
        if (index == -1) return std::nullopt;
        return static_cast<std::size_t>(index);
    }

  private:
    IIR2D_TuneChooser m_chooser;
    void* m_user;
};

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
        return write_text("the config's text", text_of(*read), text, capacity, *needed);
    });
}

int iir2d_tune_set_mode(int mode) {
    return c_call([&]() -> Result<void> {
        constexpr TuneMode modes[] = {TuneMode::off, TuneMode::automatic, TuneMode::model, TuneMode::measure};
        if (mode < IIR2D_TUNE_OFF || mode > IIR2D_TUNE_MEASURE) {
            return std::unexpected(Error{ErrorCode::invalid_argument,
                                         "mode " + std::to_string(mode) + " is unknown: use 0 to 3"});
        }
        TuneOptions options = tune_options();
        options.mode = modes[mode];
        set_tune_options(options);
        return {};
    });
}

int iir2d_tune_set_chooser(IIR2D_TuneChooser chooser, void* user) {
    return c_call([&]() -> Result<void> {
        set_chooser(chooser == nullptr ? nullptr : std::make_shared<const ChooserOfC>(chooser, user));
        return {};
    });
}

int iir2d_tune_load_model(const char* path) {
    return c_call([&]() -> Result<void> {
        if (path == nullptr) return null_pointer("path");
        // Where paths are not bytes (Windows), it is converted from UTF-8.
        const std::filesystem::path name(reinterpret_cast<const char8_t*>(path));
        std::ifstream file(name, std::ios::binary);
        std::string text(largest_model_text + 1, '\0');
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(file.gcount()));
        if (text.empty()) {
            return std::unexpected(
                Error{ErrorCode::invalid_argument,
                      std::string("path ") + path + ": the file cannot be read, or is empty"});
        }
        const auto loaded = load_model(text);
        if (!loaded) return std::unexpected(loaded.error());
        return {};
    });
}

int iir2d_tune_import(const char* text) {
    return c_call([&]() -> Result<void> {
        if (text == nullptr) return null_pointer("text");
        import_learned(text);
        return {};
    });
}

int iir2d_tune_export(char* text, size_t capacity, size_t* needed) {
    return c_call([&]() -> Result<void> {
        if (needed == nullptr) return null_pointer("needed");
        if (text == nullptr && capacity > 0) return null_pointer("text");
        return write_text("the text of what was learned", export_learned(), text, capacity, *needed);
    });
}

int iir2d_tune_stats(IIR2D_TuneStats* stats, int reset) {
    return c_call([&]() -> Result<void> {
        if (stats == nullptr) return null_pointer("stats");
        IIR2D_TuneStats known{.size = stats->size};
        if (known.size < first_stats_size || known.size > support::largest_struct) {
            return std::unexpected(
                Error{ErrorCode::invalid_argument,
                      "size is " + std::to_string(known.size) + ": give sizeof(IIR2D_TuneStats)"});
        }
        const TuneStatistics said = statistics(reset != 0);
        known.calls = said.calls;
        std::memcpy(reinterpret_cast<std::byte*>(&known) + offsetof(IIR2D_TuneStats, pinned),
                    said.reasons.data(), sizeof said.reasons);
        known.cached = said.cached;
        known.filtered = said.filtered;
        known.explored = said.explored;
        known.settled = said.settled;
        known.vetoed = said.vetoed;
        known.evicted = said.evicted;
        known.bad_lines = said.bad_lines;
        if (known.size > sizeof known)
            std::memset(reinterpret_cast<std::byte*>(stats) + sizeof known, 0, known.size - sizeof known);
        std::memcpy(stats, &known, std::min(known.size, sizeof known));
        return {};
    });
}

}  // extern "C"
