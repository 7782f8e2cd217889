// SPDX-License-Identifier: MIT
// Reads what Linux says of itself in text files. Pure but for the first: the text is given, so that odd
// machines can be tested.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace workbench {

// Returns a file of /proc or /sys, whose size the system does not say beforehand; nothing where it cannot be
// opened, or reading fails, as with the frequency of a processor that has just been switched off.
std::optional<std::string> proc_file_text(const std::filesystem::path& path);

// PRETTY_NAME of /etc/os-release.
std::optional<std::string> os_release_name(std::string_view text);

// "model name" of the first processor in /proc/cpuinfo; other architectures call it "cpu model" or "Model".
std::optional<std::string> cpuinfo_model(std::string_view text);

// Distinct pairs of "physical id" and "core id" in /proc/cpuinfo; absent where it does not list them.
std::optional<int> cpuinfo_physical_cores(std::string_view text);

// Returns the one-minute figure of /proc/loadavg.
std::optional<double> loadavg_one_minute(std::string_view text);

// Returns a line of /proc/meminfo ("MemTotal"), in bytes.
std::optional<std::uint64_t> meminfo_bytes(std::string_view text, std::string_view key);

// Returns the governors of all processors as one text: "performance", or "performance, powersave" when they
// differ.
std::optional<std::string> combined_governor(const std::vector<std::string>& governors);

}  // namespace workbench
