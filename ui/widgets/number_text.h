// SPDX-License-Identifier: MIT
// Reads typed numbers: both decimal signs, groups of three, scientific notation and the digits of the locale.
// A text that could mean two numbers is refused, never guessed.
#pragma once

#include <QLocale>
#include <QString>
#include <expected>

namespace workbench {

// Returns the number, or why the text is none, as the beginning of a sentence: "“1,500” can mean 1.5 or
// 1500". Beyond the largest double it is infinity.
std::expected<double, QString> readNumber(const QString& text, const QLocale& locale);

// Returns the shortest text that reads back the same, as the locale writes it, without groups.
QString numberText(double value, const QLocale& locale);

}  // namespace workbench
