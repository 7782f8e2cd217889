// SPDX-License-Identifier: MIT
// Adobe TIFF 6.0, section 2; Exif 2.32, sections 4.6.3 and 4.6.5; BigTIFF: Aware Systems, "BigTIFF design".
// The file was written by this machine just now, and so in its order of bytes.
#include "core/image/module/tiff_exif.h"

#include <cstring>
#include <limits>
#include <string>

namespace workbench {

namespace {

constexpr std::uint16_t exif_pointer_tag = 0x8769;
constexpr std::uint16_t colour_space_tag = 0xa001;
constexpr std::uint16_t type_short = 3;
constexpr std::uint16_t type_long = 4;
constexpr std::uint16_t type_long8 = 16;

template <class T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
    T value{};
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::string bytes_at(OutputFile& file, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    bytes.resize(file.pread(bytes.data(), size, static_cast<std::int64_t>(offset)));
    return bytes;
}

// Offset and Count are what classic TIFF (32 and 16 bits) or BigTIFF (64) has for an offset and the entries
// of a directory.
template <class Offset, class Count>
bool add(OutputFile& file, std::size_t first_offset_at, std::uint16_t pointer_type,
         std::uint16_t colour_space) {
    constexpr std::size_t entry_bytes = 4 + 2 * sizeof(Offset);
    const auto entry = [](std::string& to, std::uint16_t tag, std::uint16_t type, Offset value) {
        append(to, tag);
        append(to, type);
        append(to, Offset{1});
        append(to, value);
    };
    const auto first = number_at<Offset>(bytes_at(file, first_offset_at, sizeof(Offset)), 0);
    const auto count = number_at<Count>(bytes_at(file, first, sizeof(Count)), 0);
    if (count == 0 || count > 1000) return false;
    const std::size_t entries_bytes = static_cast<std::size_t>(count) * entry_bytes;
    std::string entries = bytes_at(file, first + sizeof(Count), entries_bytes + sizeof(Offset));
    if (entries.size() != entries_bytes + sizeof(Offset)) return false;

    // Behind what is there, at an even place: the Exif directory, then the first one with one entry more.
    const std::uint64_t end = file.size();
    std::string added(end % 2, '\0');
    const std::uint64_t exif_at = end + added.size();
    append(added, Count{1});
    std::string value;
    append(value, colour_space);
    value.resize(sizeof(Offset), '\0');
    entry(added, colour_space_tag, type_short, number_at<Offset>(value, 0));
    append(added, Offset{0});
    const std::uint64_t directory_at = end + added.size();
    if (directory_at + entries.size() > std::numeric_limits<Offset>::max()) return false;
    std::size_t place = 0;
    while (place < entries_bytes && number_at<std::uint16_t>(entries, place) < exif_pointer_tag)
        place += entry_bytes;
    if (place < entries_bytes && number_at<std::uint16_t>(entries, place) == exif_pointer_tag) return false;
    std::string pointer;
    entry(pointer, exif_pointer_tag, pointer_type, static_cast<Offset>(exif_at));
    entries.insert(place, pointer);
    append(added, static_cast<Count>(count + 1));
    added += entries;
    std::string start;
    append(start, static_cast<Offset>(directory_at));
    return file.pwrite(added.data(), added.size(), static_cast<std::int64_t>(end)) == added.size() &&
           file.pwrite(start.data(), start.size(), static_cast<std::int64_t>(first_offset_at)) ==
               start.size();
}

}  // namespace

bool add_exif_colour_space(OutputFile& file, std::uint16_t colour_space) {
    switch (number_at<std::uint16_t>(bytes_at(file, 0, 4), 2)) {
        case 42:
            return add<std::uint32_t, std::uint16_t>(file, 4, type_long, colour_space);
        case 43:
            return add<std::uint64_t, std::uint64_t>(file, 8, type_long8, colour_space);
        default:
            return false;
    }
}

}  // namespace workbench
