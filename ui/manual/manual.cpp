// SPDX-License-Identifier: MIT
#include "ui/manual/manual.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <algorithm>

#include "core/support/manual_places.h"
#include "ui/support/paths.h"

namespace workbench {
namespace {

constexpr qsizetype mostBytes = qsizetype{8} << 20;  // of a page
constexpr qsizetype before = 12;                     // characters shown before a hit
constexpr qsizetype around = 160;                    // and of the line in all

const QString contentsPage = QStringLiteral("README.md");

QString firstHeading(const QString& markdown) {
    static const QRegularExpression heading(QStringLiteral("^# +(.+?) *$"),
                                            QRegularExpression::MultilineOption);
    return heading.match(markdown).captured(1).remove(QLatin1Char('`'));
}

// As hosts of Markdown make it: small letters, no signs, hyphens for spaces.
QString anchorOf(const QString& heading) {
    QString anchor;
    for (const QChar c : heading.toLower()) {
        if (c.isLetterOrNumber() || c == QLatin1Char('-') || c == QLatin1Char('_')) anchor += c;
        if (c == QLatin1Char(' ')) anchor += QLatin1Char('-');
    }
    return anchor;
}

// The row of a table that a block is in, as one line, and the row's first block.
std::pair<QString, int> rowText(const QTextTable& table, int row) {
    QStringList cells;
    for (int column = 0; column < table.columns(); ++column) {
        const QTextTableCell cell = table.cellAt(row, column);
        for (auto part = cell.begin(); part != cell.end(); ++part) {
            if (!part.currentBlock().text().isEmpty()) cells << part.currentBlock().text();
        }
    }
    return {cells.join(QStringLiteral("  |  ")), table.cellAt(row, 0).firstCursorPosition().blockNumber()};
}

// The line around its first word that was looked for.
QString excerpt(const QString& line, const QStringList& words) {
    qsizetype at = line.size();
    for (const QString& word : words) {
        const qsizetype found = line.indexOf(word, 0, Qt::CaseInsensitive);
        if (found >= 0) at = std::min(at, found);
    }
    qsizetype from = std::max<qsizetype>(0, at - before);
    if (from > 0) from = line.indexOf(QLatin1Char(' '), from) + 1;
    if (from > at) from = at;
    QString text = line.mid(from, around);
    if (from > 0) text.prepend(QStringLiteral("… "));
    if (from + around < line.size()) text += QStringLiteral(" …");
    return text;
}

}  // namespace

void readMarkdown(QTextDocument& document, const QString& markdown) {
    QTextDocument::MarkdownFeatures features = QTextDocument::MarkdownDialectGitHub;
    document.setMarkdown(markdown, features | QTextDocument::MarkdownNoHTML);
}

QList<ManualHeading> headingsOf(const QTextDocument& document) {
    QList<ManualHeading> headings;
    QHash<QString, int> seen;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        if (level == 0) continue;
        QString anchor = anchorOf(block.text());
        const int times = seen[anchor]++;
        if (times > 0) anchor += QStringLiteral("-%1").arg(times);
        headings << ManualHeading{block.text(), anchor, level, block.blockNumber()};
    }
    return headings;
}

Manual::Manual(QStringList places) : m_places(std::move(places)) {
    for (const QString& place : m_places) {
        if (QFile::exists(QDir(place).filePath(contentsPage))) {
            m_folder = place;
            listPages();
            return;
        }
    }
}

Manual Manual::installed() {
    QStringList places;
    for (const auto& place : manual_places()) places << fromPath(place);
    return Manual(places);
}

void Manual::listPages() {
    m_pages << ManualPage{contentsPage, {}, {}};
    m_pages.back().title = firstHeading(markdown(contentsPage));
    const QDir folder(m_folder);
    const QStringList files = folder.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
    const auto add = [&](const QString& name, const QString& group) {
        if (!files.contains(name) || page(name) != nullptr) return;
        m_pages << ManualPage{name, {}, group};
        const QString title = firstHeading(markdown(name));
        m_pages.back().title = title.isEmpty() ? name : title;
    };
    static const QRegularExpression link(QStringLiteral("\\]\\(([\\w.-]+\\.md)"));
    QString group;
    for (const QString& line : markdown(contentsPage).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("## "))) group = line.mid(3).trimmed();
        if (group.isEmpty()) continue;
        for (auto each = link.globalMatch(line); each.hasNext();) add(each.next().captured(1), group);
    }
    for (const QString& name : files) add(name, QStringLiteral("Other pages"));
}

const ManualPage* Manual::page(const QString& name) const {
    const auto found = std::ranges::find(m_pages, name, &ManualPage::name);
    return found == m_pages.end() ? nullptr : &*found;
}

QString Manual::markdown(const QString& name) const {
    if (page(name) == nullptr) return {};
    QFile file(QDir(m_folder).filePath(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.read(mostBytes));
}

bool Manual::readNext() {
    if (m_read >= m_pages.size()) return false;
    QTextDocument document;
    readMarkdown(document, markdown(m_pages[m_read].name));
    QString heading;
    int lastRow = -1;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        Line line{m_read, block.blockNumber(), block.blockFormat().headingLevel() > 0, heading, block.text()};
        if (line.isHeading) heading = line.heading = line.text;
        if (const QTextTable* table = QTextCursor(block).currentTable()) {
            std::tie(line.text, line.block) = rowText(*table, table->cellAt(block.position()).row());
            if (line.block == lastRow) continue;  // another cell of it
            lastRow = line.block;
        }
        if (!line.text.isEmpty()) m_lines << line;
    }
    ++m_read;
    return m_read < m_pages.size();
}

QStringList Manual::wordsOf(const QString& query) {
    return query.simplified().size() < 2 ? QStringList()
                                         : query.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

QList<ManualHit> Manual::search(const QString& query) const {
    const QStringList words = wordsOf(query);
    if (words.isEmpty()) return {};
    QList<QList<ManualHit>> hits(m_pages.size());
    QList<int> inHeadings(m_pages.size());
    for (const Line& line : m_lines) {
        const bool fits = std::ranges::all_of(
            words, [&](const QString& word) { return line.text.contains(word, Qt::CaseInsensitive); });
        if (!fits) continue;
        hits[line.page] << ManualHit{m_pages[line.page].name, line.heading, excerpt(line.text, words),
                                     line.block};
        if (line.isHeading) inHeadings[line.page] = 1;
    }
    QList<ManualHit> all;
    for (const int wanted : {1, 0}) {
        for (int i = 0; i < m_pages.size(); ++i) {
            if (inHeadings[i] == wanted) all += hits[i];
        }
    }
    return all;
}

}  // namespace workbench
