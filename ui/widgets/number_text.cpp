// SPDX-License-Identifier: MIT
#include "ui/widgets/number_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace workbench {
namespace {

struct NumberWords {
    Q_DECLARE_TR_FUNCTIONS(workbench::NumberText)
};

constexpr QChar blank(u' ');  // every sign that groups digits without looking like a decimal sign
constexpr QChar dot(u'.');
constexpr QChar comma(u',');

bool areDigits(QStringView text) {
    return std::ranges::all_of(text, [](QChar c) { return c >= u'0' && c <= u'9'; });
}

// ASCII digits and signs, whatever the locale calls them.
QString normalised(const QString& text, const QLocale& locale) {
    QString plain;
    for (const QChar c : text.trimmed()) {
        if (c.digitValue() >= 0) {
            plain += QChar(u'0' + c.digitValue());
        } else if (c == u'\u2212' || locale.negativeSign() == c) {
            plain += u'-';
        } else if (c == u'E') {
            plain += u'e';
        } else if (c == dot || c == comma) {
            plain += c;
        } else if (locale.decimalPoint() == c) {
            plain += dot;
        } else if (c.isSpace() || c == u'\'' || c == u'\u2019' || locale.groupSeparator() == c) {
            plain += blank;
        } else {
            plain += c;
        }
    }
    return plain;
}

// Without its groups: "1 234" is 1234. Empty when the groups are not of three digits.
QString withoutGroups(const QString& text, QChar sign) {
    const QStringList groups = text.split(sign);
    if (groups.size() == 1) return areDigits(text) ? text : QString();
    if (groups.front().isEmpty() || groups.front().size() > 3) return {};
    for (const QString& group : groups) {
        if (!areDigits(group) || (&group != &groups.front() && group.size() != 3)) return {};
    }
    return groups.join(QString());
}

struct Mantissa {
    QString whole;
    QString fraction;
    bool isAmbiguous = false;  // or whole and fraction together are one whole number
};

// Which sign is the decimal one; nullopt when the text is no number.
std::optional<Mantissa> split(const QString& text, const QLocale& locale) {
    const auto dots = text.count(dot);
    const auto commas = text.count(comma);
    QChar decimal;
    QChar group = text.contains(blank) ? blank : QChar();
    if (dots > 0 && commas > 0) {
        // The later one is the decimal sign: 1.234,5 and 1,234.5.
        if (!group.isNull()) return std::nullopt;
        decimal = text.lastIndexOf(dot) > text.lastIndexOf(comma) ? dot : comma;
        group = decimal == dot ? comma : dot;
        if (text.count(decimal) != 1) return std::nullopt;
    } else if (dots + commas == 1) {
        decimal = dots == 1 ? dot : comma;
    } else if (dots + commas > 1) {
        if (!group.isNull()) return std::nullopt;
        group = dots > 1 ? dot : comma;
    }
    const qsizetype at = decimal.isNull() ? text.size() : text.indexOf(decimal);
    QString whole = text.left(at);
    const QString fraction = text.mid(at + 1);
    if (!areDigits(fraction) || (whole.isEmpty() && fraction.isEmpty())) return std::nullopt;
    const bool looksGrouped = group.isNull() && !whole.isEmpty() && whole.size() <= 3 && areDigits(whole) &&
                              whole.front() != u'0' && fraction.size() == 3;
    const bool isOwnSign = decimal == (locale.decimalPoint() == QString(comma) ? comma : dot);
    if (!whole.isEmpty()) {
        whole = withoutGroups(whole, group.isNull() ? blank : group);
        if (whole.isEmpty()) return std::nullopt;
    }
    return Mantissa{whole, fraction, !decimal.isNull() && looksGrouped && !isOwnSign};
}

}  // namespace

QString numberText(double value, const QLocale& locale) {
    QLocale plain = locale;
    plain.setNumberOptions(plain.numberOptions() | QLocale::OmitGroupSeparator);
    const double size = std::abs(value);
    const bool isPlain = size == 0 || (size >= 1e-6 && size < 1e15);
    return plain.toString(value, isPlain ? 'f' : 'g', QLocale::FloatingPointShortest);
}

std::expected<double, QString> readNumber(const QString& text, const QLocale& locale) {
    const QString shown = text.trimmed();
    if (shown.isEmpty()) return std::unexpected(NumberWords::tr("There is no number"));
    const auto none = [&] { return std::unexpected(NumberWords::tr("“%1” is not a number").arg(shown)); };
    QString rest = normalised(text, locale);
    const bool isNegative = rest.startsWith(u'-');
    if (isNegative || rest.startsWith(u'+')) rest = rest.mid(1).trimmed();
    QString exponent;
    if (const auto at = rest.indexOf(u'e'); at >= 0) {
        exponent = rest.mid(at);
        QStringView digits = QStringView(exponent).mid(1);
        if (digits.startsWith(u'-') || digits.startsWith(u'+')) digits = digits.mid(1);
        if (digits.isEmpty() || !areDigits(digits)) return none();
        rest = rest.left(at);
    }
    const auto mantissa = split(rest, locale);
    if (!mantissa) return none();
    const auto value = [&](const QString& digits) {
        return QLocale::c().toDouble((isNegative ? QStringLiteral("-") : QString()) + digits + exponent);
    };
    const double number = value((mantissa->whole.isEmpty() ? QStringLiteral("0") : mantissa->whole) + dot +
                                (mantissa->fraction.isEmpty() ? QStringLiteral("0") : mantissa->fraction));
    if (mantissa->isAmbiguous) {
        return std::unexpected(NumberWords::tr("“%1” can mean %2 or %3")
                                   .arg(shown, numberText(number, locale),
                                        numberText(value(mantissa->whole + mantissa->fraction), locale)));
    }
    const bool hasValue =
        std::ranges::any_of(mantissa->whole + mantissa->fraction, [](QChar c) { return c != u'0'; });
    if (number == 0 && hasValue) {
        return std::unexpected(NumberWords::tr("“%1” is nearer to 0 than a number can be").arg(shown));
    }
    return number;
}

}  // namespace workbench
