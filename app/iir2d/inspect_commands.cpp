// SPDX-License-Identifier: MIT
// info, compare and devices: nothing is computed on, only looked at.
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/iir2d/json.h"
#include "app/iir2d/options.h"
#include "core/image/image_io.h"
#include "core/image/library_version.h"
#include "core/image/reading_notes.h"
#include "core/support/counted.h"
#include "core/support/files.h"
#include "core/support/try.h"

namespace app {

using workbench::counted;
using workbench::ErrorKind;
using workbench::fail;
using workbench::format_number;

namespace {

struct InfoArguments {
    std::string image;
    PageOption page;
    bool formats = false;
    bool json = false;
    bool quiet = false;
};

// What this installation reads and writes: another package may come with another OpenImageIO.
Result<int> run_formats(bool as_json) {
    IIR2D_TRY(const auto formats, workbench::image_formats());
    if (as_json) {
        Json json;
        json["library"] = "OpenImageIO " + workbench::image_library_version();
        json["formats"] = Json::array();
        for (const auto& format : formats) {
            json["formats"].push_back({{"name", format.name},
                                       {"extensions", format.extensions},
                                       {"reads", format.reads},
                                       {"writes", format.writes}});
        }
        print_json(json);
        return 0;
    }
    std::printf("%-12s %-6s %-6s %s\n", "format", "read", "write", "extensions");
    for (const auto& format : formats) {
        std::string extensions;
        for (const auto& extension : format.extensions)
            extensions += (extensions.empty() ? "" : " ") + extension;
        std::printf("%-12s %-6s %-6s %s\n", shown(format.name).c_str(), format.reads ? "yes" : "no",
                    format.writes ? "yes" : "no", shown(extensions).c_str());
    }
    return 0;
}

Json info_json(const workbench::ImageInfo& info,
               const std::vector<workbench::ChannelStatistics>& statistics) {
    Json json;
    json["path"] = info.path.string();
    json["format"] = info.format;
    json["width"] = info.width;
    json["height"] = info.height;
    json["channels"] = info.channels;
    json["channel_names"] = info.channel_names;
    json["type"] = workbench::name_of(info.type);
    json["orientation"] = info.orientation;
    json["colour_space"] = info.colour_space.empty() ? Json() : Json(info.colour_space);
    json["image_index"] = info.image_index;
    json["image_count"] = info.image_count;
    json["memory_bytes"] = info.memory_bytes;
    json["metadata"] = Json::object();
    for (const auto& [name, value] : info.metadata) json["metadata"][name] = value;
    json["statistics"] = Json::array();
    for (std::size_t c = 0; c < statistics.size(); ++c) {
        const auto& s = statistics[c];
        json["statistics"].push_back({{"channel", c < info.channel_names.size() ? info.channel_names[c] : ""},
                                      {"min", s.minimum},
                                      {"max", s.maximum},
                                      {"mean", s.mean},
                                      {"nan_count", s.nan_count},
                                      {"infinity_count", s.infinity_count}});
    }
    return json;
}

void print_info(const workbench::ImageInfo& info,
                const std::vector<workbench::ChannelStatistics>& statistics) {
    std::printf("%s: %s, %lld x %lld, %s, %s%s%s\n", shown(info.path).c_str(), shown(info.format).c_str(),
                static_cast<long long>(info.width), static_cast<long long>(info.height),
                counted(static_cast<std::uint64_t>(info.channels), "channel").c_str(),
                std::string(workbench::name_of(info.type)).c_str(), info.colour_space.empty() ? "" : ", ",
                shown(info.colour_space).c_str());
    if (info.image_count > 1) std::printf("page %d of %d\n", info.image_index + 1, info.image_count);
    std::printf("%-12s %14s %14s %14s %10s %10s\n", "channel", "min", "max", "mean", "NaN", "Inf");
    for (std::size_t c = 0; c < statistics.size(); ++c) {
        const auto& s = statistics[c];
        std::printf("%-12s %14.7g %14.7g %14.7g %10lld %10lld\n",
                    c < info.channel_names.size() ? shown(info.channel_names[c]).c_str() : "", s.minimum,
                    s.maximum, s.mean, static_cast<long long>(s.nan_count),
                    static_cast<long long>(s.infinity_count));
    }
    for (const auto& [name, value] : info.metadata)
        std::printf("%s: %s\n", shown(name).c_str(), shown(value).c_str());
}

Result<int> run_info(const InfoArguments& arguments, const Interruption& interruption) {
    if (arguments.formats) {
        if (!arguments.image.empty())
            return fail(ErrorKind::bad_argument, "--formats takes no IMAGE: it is about all images");
        return run_formats(arguments.json);
    }
    if (arguments.image.empty())
        return fail(ErrorKind::bad_argument,
                    "IMAGE is required, or --formats (iir2d info --help lists options)");
    IIR2D_TRY(const auto index, arguments.page.index());
    Progress progress(interruption.token(), arguments.quiet);
    const auto image = workbench::read_image(arguments.image, {.image_index = index, .keep_double = true},
                                             progress.control());
    progress.clear();
    if (!image) return std::unexpected(image.error());
    const auto statistics = workbench::channel_statistics(image->pixels);
    for (const auto& sentence : workbench::reading_notes(image->info)) note(sentence, arguments.quiet);
    if (arguments.json) {
        print_json(info_json(image->info, statistics));
    } else {
        print_info(image->info, statistics);
    }
    return 0;
}

struct CompareArguments {
    std::string a;
    std::string b;
    std::string tolerance;
    bool json = false;
    bool quiet = false;
};

Result<int> run_compare(const CompareArguments& arguments, const Interruption& interruption) {
    std::optional<double> tolerance;
    if (!arguments.tolerance.empty()) {
        IIR2D_TRY(const auto value, parse_number("--tolerance", arguments.tolerance));
        if (!(value >= 0)) {
            return fail(ErrorKind::bad_argument,
                        "--tolerance " + arguments.tolerance + " is out of range: give 0 or more");
        }
        tolerance = value;
    }
    Progress progress(interruption.token(), arguments.quiet);
    const workbench::ReadOptions exact{.keep_double = true};
    IIR2D_TRY(const auto a, workbench::read_image(arguments.a, exact, progress.control()));
    IIR2D_TRY(const auto b, workbench::read_image(arguments.b, exact, progress.control()));
    const auto result = workbench::compare_images(a.pixels, b.pixels);
    progress.clear();
    if (!result) return std::unexpected(result.error());

    if (arguments.json) {
        Json json;
        json["max_abs"] = number_or_null(result->max_abs);
        json["max_ulp"] = result->max_ulp;
        json["rmse"] = number_or_null(result->rmse);
        json["psnr_db"] = number_or_null(result->psnr_db);
        json["worst_pixel"] = {
            {"x", result->worst_x}, {"y", result->worst_y}, {"channel", result->worst_channel}};
        json["nan_mismatches"] = result->nan_mismatches;
        json["tolerance"] = tolerance ? Json(*tolerance) : Json();
        print_json(json);
    } else {
        std::printf(
            "max abs   %s\nmax ulp   %lld\nrmse      %s\npsnr      %s dB\nworst     x %lld, y %lld, channel "
            "%d\n",
            format_number(result->max_abs).c_str(), static_cast<long long>(result->max_ulp),
            format_number(result->rmse).c_str(), format_number(result->psnr_db).c_str(),
            static_cast<long long>(result->worst_x), static_cast<long long>(result->worst_y),
            result->worst_channel);
        if (result->nan_mismatches > 0) {
            std::printf("NaN in one of the two only: %s\n",
                        counted(static_cast<std::uint64_t>(result->nan_mismatches), "sample").c_str());
        }
    }
    if (tolerance && (result->nan_mismatches > 0 || !(result->max_abs <= *tolerance))) {
        const std::string nan = result->nan_mismatches > 0
                                    ? " and " +
                                          counted(static_cast<std::uint64_t>(result->nan_mismatches),
                                                  "sample is", "samples are") +
                                          " NaN in one only"
                                    : "";
        return fail(ErrorKind::check_failed, "the images differ by " + format_number(result->max_abs) + nan +
                                                 ", above the tolerance of " + format_number(*tolerance));
    }
    return 0;
}

void print_device(const iir2d::DeviceInfo& device) {
    // What stands for all GPUs where there is none has no name.
    std::string text = device.id;
    if (!device.name.empty()) text += ": " + device.name;
    if (!device.usable) text += ": not usable: " + device.why_not;
    std::printf("%s\n", shown(text).c_str());
    for (const auto& property : device.properties) {
        if (property.value) {
            std::printf("  %-26s %s%s%s\n", property.label.c_str(), shown(*property.value).c_str(),
                        property.unit.empty() ? "" : " ", property.unit.c_str());
        } else {
            std::printf("  %-26s not known: %s\n", property.label.c_str(), shown(property.reason).c_str());
        }
    }
}

}  // namespace

void add_info_command(CLI::App& parser, Action& chosen) {
    CLI::App* command =
        parser.add_subcommand("info", "Print what an image file is, and the range of its samples");
    auto arguments = std::make_shared<InfoArguments>();
    command->add_option("IMAGE", arguments->image, "The image to look at");
    command->add_flag("--formats", arguments->formats,
                      "List the formats that this installation reads and writes instead");
    arguments->page.add_to(*command);
    command->add_flag("--json", arguments->json, "Print JSON");
    add_quiet(*command, arguments->quiet);
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) { return run_info(*arguments, interruption); };
    });
}

void add_compare_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("compare", "Compare two images; exit code 5 above a tolerance");
    auto arguments = std::make_shared<CompareArguments>();
    command->add_option("A", arguments->a, "One image")->required();
    command->add_option("B", arguments->b, "The other")->required();
    command->add_option("--tolerance", arguments->tolerance,
                        "Largest difference allowed, in sample values (default: no check)");
    command->add_flag("--json", arguments->json, "Print JSON");
    add_quiet(*command, arguments->quiet);
    command->callback([arguments, &chosen] {
        chosen = [arguments](const Interruption& interruption) {
            return run_compare(*arguments, interruption);
        };
    });
}

void add_devices_command(CLI::App& parser, Action& chosen) {
    CLI::App* command = parser.add_subcommand("devices", "List the devices, and why one is not usable");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "Print JSON");
    auto quiet = std::make_shared<bool>(false);  // there is no progress to silence
    add_quiet(*command, *quiet);
    command->callback([json, quiet, &chosen] {
        chosen = [json](const Interruption&) -> Result<int> {
            if (*json) {
                const std::string text = iir2d::describe_devices();
                std::fwrite(text.data(), 1, text.size(), stdout);
            } else {
                for (const auto& device : iir2d::list_devices()) print_device(device);
            }
            return 0;
        };
    });
}

}  // namespace app
