// SPDX-License-Identifier: MIT
// An SVG 1.1 document written shape by shape, with the same bytes from the same calls.
#pragma once

#include <string>
#include <string_view>

namespace workbench {

enum class TextAnchor { start, middle, end };

struct SvgText {
    double size = 12;
    TextAnchor anchor = TextAnchor::start;
    bool bold = false;
    std::string_view fill = "#1f2328";
};

// Lengths are pixels, from the top left corner; colours are as CSS writes them. Text may be anything: what
// XML cannot hold is left out.
class Svg {
  public:
    // `title` and `description` are what a screen reader says.
    Svg(double width, double height, std::string_view title, std::string_view description);

    void rectangle(double x, double y, double width, double height, std::string_view fill);
    void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
              bool dashed = false);
    void circle(double x, double y, double radius, std::string_view fill, std::string_view stroke);
    // `y` is the base line. The `tip`, when not empty, shows under a pointer.
    void text(double x, double y, std::string_view text, const SvgText& style, std::string_view tip = {});

    std::string document() const;

  private:
    std::string m_text;
};

}  // namespace workbench
