// SPDX-License-Identifier: MIT
#include "ui/support/text.h"

#include <QStringList>

namespace workbench {

QString toText(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), qsizetype(utf8.size()));
}

QString toSentence(std::string_view utf8) {
    QString text = toText(utf8);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

QString toSentences(const std::vector<std::string>& texts) {
    QStringList sentences;
    for (const std::string& text : texts) {
        QString sentence = toSentence(text).trimmed();
        if (sentence.isEmpty()) continue;
        if (!QStringLiteral(".!?…").contains(sentence.back())) sentence += QLatin1Char('.');
        sentences << sentence;
    }
    return sentences.join(QLatin1Char(' '));
}

QString EnglishPlurals::translate(const char* /*context*/, const char* source, const char* /*disambiguation*/,
                                  int count) const {
    if (count < 0) return {};  // not a text of a number
    QString text = QString::fromUtf8(source);
    if (!text.contains(QLatin1String("(s)"))) return {};
    return text.replace(QLatin1String("(s)"), count == 1 ? QString() : QStringLiteral("s"));
}

}  // namespace workbench
