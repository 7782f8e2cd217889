// SPDX-License-Identifier: MIT
#include "core/record/svg.h"

#include <charconv>
#include <cstddef>

#include "core/support/text.h"

namespace workbench {

namespace {

// Formats a place: a tenth of a pixel is enough, and the same on every machine.
std::string number(double value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 1);
    std::string digits(text, end.ptr);
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return digits == "-0" ? "0" : digits;
}

std::string attribute(std::string_view name, double value) {
    return " " + std::string(name) + "=\"" + number(value) + "\"";
}

std::string attribute(std::string_view name, std::string_view value) {
    return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string escape_xml(std::string_view text) {
    std::string plain = one_line(text);
    for (const std::string_view not_a_character : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
        for (std::size_t at = 0; (at = plain.find(not_a_character, at)) != std::string::npos;)
            plain.erase(at, not_a_character.size());
    }
    std::string out;
    for (const char c : plain) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

std::string_view name_of(TextAnchor anchor) {
    if (anchor == TextAnchor::middle) return "middle";
    return anchor == TextAnchor::end ? "end" : "start";
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title, std::string_view description) {
    m_text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        "version=\"1.1\" role=\"img\"" +
        attribute("width", width) + attribute("height", height) + " viewBox=\"0 0 " + number(width) + " " +
        number(height) + "\" font-family=\"sans-serif\">\n<title>" + escape_xml(title) + "</title>\n<desc>" +
        escape_xml(description) + "</desc>\n";
    rectangle(0, 0, width, height, "#ffffff");
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view fill) {
    m_text += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
              attribute("height", height) + attribute("fill", fill) + "/>\n";
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
               bool dashed) {
    m_text += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
              attribute("y2", y2) + attribute("stroke", stroke) + attribute("stroke-width", width) +
              (dashed ? attribute("stroke-dasharray", "4 3") : "") + "/>\n";
}

void Svg::circle(double x, double y, double radius, std::string_view fill, std::string_view stroke) {
    m_text += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) +
              attribute("fill", fill) + attribute("stroke", stroke) + "/>\n";
}

void Svg::text(double x, double y, std::string_view text, const SvgText& style, std::string_view tip) {
    m_text += "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", style.size) +
              (style.anchor == TextAnchor::start ? "" : attribute("text-anchor", name_of(style.anchor))) +
              (style.bold ? attribute("font-weight", "bold") : "") + attribute("fill", style.fill) + ">" +
              escape_xml(text) + (tip.empty() ? "" : "<title>" + escape_xml(tip) + "</title>") + "</text>\n";
}

std::string Svg::document() const {
    return m_text + "</svg>\n";
}

}  // namespace workbench
