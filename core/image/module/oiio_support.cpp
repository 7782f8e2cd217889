// SPDX-License-Identifier: MIT
#include "core/image/module/oiio_support.h"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "core/support/text.h"

namespace workbench {

SampleType sample_type(const OIIO::TypeDesc& type) {
    switch (type.basetype) {
        case OIIO::TypeDesc::UINT8:
        case OIIO::TypeDesc::INT8:
            return SampleType::u8;
        case OIIO::TypeDesc::UINT16:
        case OIIO::TypeDesc::INT16:
            return SampleType::u16;
        case OIIO::TypeDesc::UINT32:
        case OIIO::TypeDesc::INT32:
            return SampleType::u32;
        case OIIO::TypeDesc::HALF:
            return SampleType::f16;
        case OIIO::TypeDesc::DOUBLE:
            return SampleType::f64;
        default:
            return SampleType::f32;
    }
}

OIIO::TypeDesc file_type(SampleType type) {
    switch (type) {
        case SampleType::u8:
            return OIIO::TypeDesc::UINT8;
        case SampleType::u16:
            return OIIO::TypeDesc::UINT16;
        case SampleType::u32:
            return OIIO::TypeDesc::UINT32;
        case SampleType::f16:
            return OIIO::TypeDesc::HALF;
        case SampleType::f64:
            return OIIO::TypeDesc::DOUBLE;
        case SampleType::f32:
            break;
    }
    return OIIO::TypeDesc::FLOAT;
}

namespace {

// Its lines as one, each once, as many as make a sentence: a decoder can complain 70,000 times.
std::string short_lines(std::string_view text) {
    constexpr std::size_t enough = 300;
    std::string all;
    std::string_view before;
    while (!text.empty() && all.size() < enough) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line == before) continue;
        all += (all.empty() ? "" : " ") + std::string(line);
        before = line;
    }
    return all;
}

}  // namespace

std::string library_words(std::string text, const std::string& opened, const std::string& path) {
    if (!opened.empty() && opened != path) {
        for (std::size_t at = text.find(opened); at != std::string::npos; at = text.find(opened, at)) {
            text.replace(at, opened.size(), path);
            at += path.size();
        }
    }
    text = short_lines(printable_utf8(text));
    while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
    return text.empty() ? std::string("no reason given") : text;
}

std::unexpected<Error> bad_file(const std::string& path, const std::string& why) {
    return fail(ErrorKind::bad_input, quoted(path_of(path)) + " " + why);
}

void prepare_library() {
    static std::once_flag once;
    std::call_once(once, [] { OIIO::attribute("debug", 0); });
}

}  // namespace workbench
