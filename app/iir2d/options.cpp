// SPDX-License-Identifier: MIT
#include "app/iir2d/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#if defined(_WIN32)
#include <windows.h>

#include <shellapi.h>
#endif

#include "core/support/text.h"
#include "core/support/try.h"
#include "core/tune/use.h"
#include "iir2d/tune.h"

namespace app {

using workbench::ErrorKind;
using workbench::fail;

namespace {

#if defined(_WIN32)
// What main() is given is in the code page of the system, which lacks most names: the system's own text has
// them.
std::vector<std::string> given_arguments(int, char**) {
    int count = 0;
    wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
    std::vector<std::string> arguments;
    for (int i = 1; words != nullptr && i < count; ++i)
        arguments.push_back(workbench::utf8_path(std::filesystem::path(words[i])));
    LocalFree(words);
    return arguments;
}
#else
std::vector<std::string> given_arguments(int argc, char** argv) {
    return {argv + std::min(argc, 1), argv + argc};
}
#endif

}  // namespace

std::vector<std::string> with_hyphens(int argc, char** argv) {
    std::vector<std::string> arguments;
    bool options = true;
    for (std::string argument : given_arguments(argc, argv)) {
        if (argument == "--") options = false;
        if (options && argument.starts_with("--")) {
            const auto end = std::min(argument.find('='), argument.size());
            std::replace(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
        }
        arguments.push_back(std::move(argument));
    }
    return arguments;
}

void DeviceOptions::add_to(CLI::App& command) {
    command.add_option("--device", device, "The device: auto, cpu, cuda or cuda:N")->capture_default_str();
    command.add_option("--threads", threads, "Threads of the CPU backend, at least 1 (default: all)");
    command.add_option(
        "--tune", tune,
        "What decides how kernels are executed: off, auto, model or measure (default: IIR2D_TUNE, or auto)");
    keeps_use = true;
}

void DeviceOptions::add_config_to(CLI::App& command) {
    command.add_option("--config", config,
                       "Execute by this config, such as \"threads:1 stores:past\" or \"static\"; on the CPU "
                       "it changes no result");
}

Result<std::optional<iir2d::Config>> DeviceOptions::pinned() const {
    if (config.empty()) return std::nullopt;
    IIR2D_TRY(const auto read, workbench::from_kernel(iir2d::config_from_text(config)));
    return read;
}

Result<int> DeviceOptions::thread_count() const {
    if (threads.empty()) return 0;
    IIR2D_TRY(const auto count, parse_integer("--threads", threads, 1, 1024));
    return static_cast<int>(count);
}

Result<iir2d::DeviceChoice> DeviceOptions::choose() const {
    IIR2D_TRY(const auto count, thread_count());
    const char* const given = tune.empty() ? std::getenv("IIR2D_TUNE") : tune.c_str();
    if (given != nullptr && *given != '\0') {
        const auto mode = iir2d::tune_mode_from_name(given);
        if (!mode) {
            return fail(ErrorKind::bad_argument, std::string(tune.empty() ? "IIR2D_TUNE" : "--tune") + " \"" +
                                                     given + "\" is not one of off, auto, model, measure");
        }
        iir2d::set_tune_options({*mode});
    }
    if (keeps_use && iir2d::tune_options().mode != iir2d::TuneMode::off) {
        workbench::tune::begin_use();
        static const workbench::tune::UseKeeper every_minute;
    }
    return workbench::from_kernel(iir2d::choose_device(device, count));
}

void OutputOptions::add_to(CLI::App& command) {
    command.add_option("--out-type", out_type,
                       "Sample type of the output: u8, u16, f16, f32 or f64 (default: the input's)");
    command.add_flag("--keep-alpha", keep_alpha, "Leave the alpha channel unfiltered");
}

Result<std::optional<workbench::SampleType>> OutputOptions::type() const {
    if (out_type.empty()) return std::nullopt;
    const auto type = workbench::sample_type_from_name(out_type);
    if (!type || *type == workbench::SampleType::u32) {
        return fail(ErrorKind::bad_argument,
                    "--out-type \"" + out_type + "\" is not one of u8, u16, f16, f32, f64");
    }
    return type;
}

void PageOption::add_to(CLI::App& command) {
    command.add_option("--page", page, "Page or part of a file that has several, from 1")
        ->capture_default_str();
}

Result<int> PageOption::index() const {
    IIR2D_TRY(const auto number, parse_integer("--page", page, 1, 1'000'000));
    return static_cast<int>(number - 1);
}

void add_quiet(CLI::App& command, bool& quiet) {
    command.add_flag("-q,--quiet", quiet, "No progress and no messages, errors excepted");
}

namespace {

template <class T>
std::optional<T> whole(std::string_view text) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    T value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::optional<std::pair<std::int64_t, std::int64_t>> pair_of(std::string_view text) {
    const auto x = text.find_first_of("xX");
    if (x == std::string_view::npos) return std::nullopt;
    const auto a = whole<std::int64_t>(text.substr(0, x));
    const auto b = whole<std::int64_t>(text.substr(x + 1));
    if (!a || !b) return std::nullopt;
    return std::pair{*a, *b};
}

std::string quoted(std::string_view option, std::string_view text) {
    return std::string(option) + " \"" + std::string(text) + "\"";
}

}  // namespace

Result<iir2d::Extent> parse_extent(std::string_view option, std::string_view text) {
    if (const auto both = whole<std::int64_t>(text)) return iir2d::Extent{*both, *both};
    if (const auto hw = pair_of(text)) return iir2d::Extent{hw->first, hw->second};
    return fail(ErrorKind::bad_argument,
                quoted(option, text) + " is not a size: write HEIGHTxWIDTH, as in 3x3");
}

Result<workbench::BenchmarkSize> parse_size(std::string_view option, std::string_view text) {
    if (const auto wh = pair_of(text)) return workbench::BenchmarkSize{wh->first, wh->second};
    return fail(ErrorKind::bad_argument,
                quoted(option, text) + " is not a size: write WIDTHxHEIGHT, as in 1024x1024");
}

Result<double> parse_number(std::string_view option, std::string_view text) {
    if (const auto value = whole<double>(text)) return *value;
    const bool comma = text.find(',') != std::string_view::npos;
    return fail(ErrorKind::bad_argument, quoted(option, text) + " is not a number" +
                                             (comma ? ": write a point before the decimals" : ""));
}

Result<std::int64_t> parse_integer(std::string_view option, std::string_view text) {
    if (const auto value = whole<std::int64_t>(text)) return *value;
    return fail(ErrorKind::bad_argument, quoted(option, text) + " is not a whole number");
}

Result<std::int64_t> parse_integer(std::string_view option, std::string_view text, std::int64_t least,
                                   std::int64_t most) {
    const auto value = parse_integer(option, text);
    if (!value || (*value >= least && *value <= most)) return value;
    return fail(ErrorKind::bad_argument,
                fmt::format("{} {} is out of range: give {} to {}", option, text, least, most));
}

Result<std::uint64_t> parse_count(std::string_view option, std::string_view text, std::uint64_t least,
                                  std::uint64_t most) {
    const auto value = whole<std::uint64_t>(text);
    if (value && *value >= least && *value <= most) return *value;
    return fail(ErrorKind::bad_argument,
                fmt::format("{} is not a whole number from {} to {}", quoted(option, text), least, most));
}

Result<int> parse_filter_id(std::string_view option, std::string_view text) {
    const auto count = static_cast<std::int64_t>(iir2d::filter_table().size());
    IIR2D_TRY(const auto id, parse_integer(option, text, 1, count));
    return static_cast<int>(id);
}

std::vector<std::string> split_list(const std::vector<std::string>& texts) {
    std::vector<std::string> parts;
    for (std::string_view text : texts) {
        while (true) {
            const auto comma = text.find(',');
            parts.emplace_back(text.substr(0, comma));
            if (comma == std::string_view::npos) break;
            text.remove_prefix(comma + 1);
        }
    }
    return parts;
}

Result<iir2d::Border> parse_border(std::string_view text) {
    return workbench::from_kernel(iir2d::border_from_name(text));
}
Result<iir2d::Precision> parse_precision(std::string_view text) {
    return workbench::from_kernel(iir2d::precision_from_name(text));
}
Result<iir2d::Start> parse_start(std::string_view text) {
    return workbench::from_kernel(iir2d::start_from_name(text));
}
Result<iir2d::PoolOp> parse_pool_op(std::string_view text) {
    return workbench::from_kernel(iir2d::pool_op_from_name(text));
}

}  // namespace app
