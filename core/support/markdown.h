// SPDX-License-Identifier: MIT
// Text and figures for the reports that are written as Markdown.
#pragma once

#include <string>
#include <string_view>

namespace workbench {

// Text in a table cell: what Markdown would read as structure is escaped, and lines stay whole.
std::string markdown_escaped(std::string_view text);

// Four significant digits, never in scientific notation between a thousandth and a million.
std::string brief_number(double value);

// In a fence longer than any run of backticks inside.
std::string markdown_code_block(const std::string& text);

}  // namespace workbench
