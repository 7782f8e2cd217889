// SPDX-License-Identifier: MIT
// Text and figures for the reports that are written as Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace workbench {

// Returns a text for a table cell: escapes what Markdown would read as structure, and keeps it on one line.
std::string markdown_escaped(std::string_view text);

// Returns a row of a table. The cells are Markdown already: texts from outside are escaped by the caller.
std::string markdown_row(const std::vector<std::string>& cells);

// Writes a number by four significant digits, never in scientific notation between a thousandth and a
// million.
std::string brief_number(double value);

// Returns the text in a fence longer than any run of backticks inside.
std::string markdown_code_block(const std::string& text);

}  // namespace workbench
