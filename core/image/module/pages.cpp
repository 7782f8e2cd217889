// SPDX-License-Identifier: MIT
// TIFF: Adobe TIFF 6.0, section 2; BigTIFF: Aware Systems, "BigTIFF design".
#include "core/image/module/pages.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string_view>

#include "core/support/text.h"

namespace workbench {

namespace {

constexpr std::uint64_t longest_name = 4096;

class TiffReader {
  public:
    explicit TiffReader(InputFile& file) : m_file(file) {
        std::array<char, 4> mark{};
        if (file.pread(mark.data(), mark.size(), 0) != mark.size()) return;
        m_big_endian = mark[0] == 'M';
        m_big = (m_big_endian ? mark[3] : mark[2]) == 0x2b;
    }

    // Calls visit with the name of each page ("" where it has none) until it returns false, the chain ends,
    // or it comes back to where it was.
    void walk(const std::function<bool(std::string)>& visit) {
        std::set<std::uint64_t> seen;
        auto at = m_big ? number(8, 8) : number(4, 4);
        while (at && *at != 0 && seen.insert(*at).second) {
            const std::uint64_t entry_bytes = m_big ? 20 : 12;
            const std::uint64_t count_bytes = m_big ? 8 : 2;
            const auto count = number(*at, count_bytes);
            if (!count || *count == 0 || *count > m_file.bytes() / entry_bytes) return;
            const std::uint64_t entries = *at + count_bytes;
            const auto next = number(entries + *count * entry_bytes, m_big ? 8 : 4);
            if (!visit(page_name(entries, *count, entry_bytes))) return;
            at = next;
        }
    }

  private:
    // An unsigned number of `bytes` bytes at an offset.
    std::optional<std::uint64_t> number(std::uint64_t offset, std::uint64_t bytes) {
        std::array<unsigned char, 8> raw{};
        if (offset > m_file.bytes() ||
            m_file.pread(raw.data(), bytes, static_cast<std::int64_t>(offset)) != bytes)
            return std::nullopt;
        return decode(raw.data(), bytes);
    }

    std::uint64_t decode(const unsigned char* raw, std::uint64_t bytes) const {
        std::uint64_t value = 0;
        for (std::uint64_t i = 0; i < bytes; ++i) value = value << 8 | raw[m_big_endian ? i : bytes - 1 - i];
        return value;
    }

    // Tag 285 (PageName), ASCII; directories are sorted by tag, but not all writers know.
    std::string page_name(std::uint64_t entries, std::uint64_t count, std::uint64_t entry_bytes) {
        std::vector<unsigned char> all(static_cast<std::size_t>(count * entry_bytes));
        if (m_file.pread(all.data(), all.size(), static_cast<std::int64_t>(entries)) != all.size()) return {};
        constexpr std::uint64_t page_name_tag = 285;
        constexpr std::uint64_t ascii = 2;
        const std::uint64_t word = m_big ? 8 : 4;
        for (const unsigned char* entry = all.data(); entry != all.data() + all.size();
             entry += entry_bytes) {
            if (decode(entry, 2) != page_name_tag || decode(entry + 2, 2) != ascii) continue;
            const std::uint64_t length = std::min(decode(entry + 4, word), longest_name);
            const auto where = static_cast<std::uint64_t>(entry - all.data()) + 4 + word;
            const std::uint64_t offset = length <= word ? entries + where : decode(entry + 4 + word, word);
            if (offset > m_file.bytes()) return {};
            std::string name(static_cast<std::size_t>(length), '\0');
            name.resize(m_file.pread(name.data(), name.size(), static_cast<std::int64_t>(offset)));
            name.resize(std::min(name.find('\0'), name.size()));
            return name;
        }
        return {};
    }

    InputFile& m_file;
    bool m_big_endian = false;
    bool m_big = false;
};

// Calls visit with the name of each image of a file until it returns false.
void walk_images(const OpenImage& file, const std::function<bool(std::string)>& visit) {
    const std::string format = file.input->format_name();
    if (format == "tiff") {
        TiffReader(*file.file).walk(visit);
        return;
    }
    // With another reader: some cannot go back once they were asked for a page that is not there.
    const auto again = file.file->again();
    const auto counter = OIIO::ImageInput::create(format);
    OIIO::ImageSpec spec;
    if (counter == nullptr || !open_input(*counter, *again, spec)) return;
    for (int i = 0; counter->seek_subimage(i, 0); ++i) {
        if (!visit(counter->spec().get_string_attribute("oiio:subimagename"))) break;
    }
    static_cast<void>(counter->geterror());
}

bool has_one_image(const OpenImage& file) {
    constexpr std::array<std::string_view, 6> single{"png", "jpeg", "hdr", "bmp", "targa", "pnm"};
    return std::ranges::count(single, std::string_view(file.input->format_name())) > 0;
}

}  // namespace

int count_images(const OpenImage& file) {
    int count = 0;
    if (!has_one_image(file)) walk_images(file, [&](const std::string&) { return ++count < most_images; });
    return std::max({1, count, file.image_index + 1});
}

std::vector<std::string> names_of_images(const OpenImage& file) {
    std::vector<std::string> names;
    const auto add = [&names](const std::string& name) {
        names.push_back(name.empty() ? "page " + std::to_string(names.size() + 1) : printable_utf8(name));
        return names.size() < most_images;
    };
    if (!has_one_image(file)) walk_images(file, add);
    if (names.empty()) add(file.spec.get_string_attribute("oiio:subimagename"));
    return names;
}

}  // namespace workbench
