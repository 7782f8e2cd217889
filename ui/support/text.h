// SPDX-License-Identifier: MIT
// Words of the library and of core on the screen. Thread-safe.
#pragma once

#include <QString>
#include <QTranslator>
#include <string>
#include <string_view>
#include <vector>

namespace workbench {

QString toText(std::string_view utf8);

// Returns the text beginning with a capital: reasons are written to stand after a colon.
QString toSentence(std::string_view utf8);

// Returns each as a sentence of its own, with its capital and its full stop, one after the other.
QString toSentences(const std::vector<std::string>& texts);

// Turns "%n case(s)" into "1 case" and "2 cases", the English plurals, where no other translation does.
class EnglishPlurals : public QTranslator {
  public:
    using QTranslator::QTranslator;
    bool isEmpty() const override { return false; }
    QString translate(const char* context, const char* source, const char* disambiguation,
                      int count) const override;
};

}  // namespace workbench
