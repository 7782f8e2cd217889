// SPDX-License-Identifier: MIT
#include "ui/manual/manual_page_look.h"

#include <QDir>
#include <QFileInfo>
#include <QImageReader>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFragment>
#include <QTextFrame>
#include <QTextTable>
#include <QUrl>
#include <cmath>

#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double lineHeight = 125;  // per cent

void dressTable(QTextTable& table) {
    const ThemeColours& c = themeColours();
    QTextTableFormat format = table.format();
    format.setBorder(1);
    format.setBorderCollapse(true);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(c.border);
    format.setCellPadding(5);
    format.setCellSpacing(0);
    format.setTopMargin(normalSpacing);
    format.setBottomMargin(normalSpacing);
    table.setFormat(format);
    for (int column = 0; column < table.columns(); ++column) {
        QTextTableCell cell = table.cellAt(0, column);
        QTextCharFormat head = cell.format();
        head.setBackground(c.window);
        cell.setFormat(head);
    }
}

void dressBlock(const QTextBlock& block) {
    const ThemeColours& c = themeColours();
    QTextCursor cursor(block);
    QTextBlockFormat format = block.blockFormat();
    const bool isCode =
        format.hasProperty(QTextFormat::BlockCodeFence) || format.hasProperty(QTextFormat::BlockCodeLanguage);
    if (isCode) {
        format.setBackground(c.window);
        format.setNonBreakableLines(false);
        format.setLeftMargin(normalSpacing);
        format.setRightMargin(normalSpacing);
    } else if (format.headingLevel() > 0) {
        format.setTopMargin(format.headingLevel() == 1 ? 0 : 18);
        format.setBottomMargin(6);
    } else {
        format.setLineHeight(lineHeight, QTextBlockFormat::ProportionalHeight);
        if (cursor.currentTable() == nullptr && block.textList() == nullptr) format.setBottomMargin(8);
    }
    cursor.setBlockFormat(format);
}

// A picture may not lead out of the manual's folder.
QString pictureFile(const QString& folder, const QString& name) {
    const QDir root(folder);
    const QString path = QFileInfo(root.filePath(name)).canonicalFilePath();
    const bool isInside = path.startsWith(root.canonicalPath() + QLatin1Char('/'));
    return isInside ? path : QString();
}

}  // namespace

void giveManualLook(QTextDocument& document) {
    QTextCursor whole(&document);
    whole.beginEditBlock();  // else each change lays the rest of the page out anew
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        if (auto* table = qobject_cast<QTextTable*>(frame)) dressTable(*table);
    }
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) dressBlock(block);
    whole.endEditBlock();
}

void fitManualPictures(QTextDocument& document, const QString& folder, int width, double scale) {
    QList<QTextFragment> pictures;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto each = block.begin(); !each.atEnd(); ++each) {
            if (each.fragment().charFormat().isImageFormat()) pictures << each.fragment();
        }
    }
    QTextCursor whole(&document);
    whole.beginEditBlock();
    for (const QTextFragment& fragment : pictures) {
        QTextImageFormat format = fragment.charFormat().toImageFormat();
        const QString file = pictureFile(folder, format.name());
        QImage picture = file.isEmpty() ? QImage() : QImageReader(file).read();
        if (picture.isNull()) continue;  // a sign stands for it
        const int shown = std::min(width, picture.width());
        const int height = int(std::lround(double(picture.height()) * shown / picture.width()));
        const QSize pixels(int(std::lround(shown * scale)), int(std::lround(height * scale)));
        if (pixels.width() < picture.width())
            picture = picture.scaled(pixels, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        document.addResource(QTextDocument::ImageResource, QUrl(format.name()), picture);
        format.setWidth(shown);
        format.setHeight(height);
        QTextCursor cursor(&document);
        cursor.setPosition(fragment.position());
        cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
        if (fragment.charFormat() != format) cursor.setCharFormat(format);
    }
    whole.endEditBlock();
    if (!pictures.isEmpty()) document.markContentsDirty(0, document.characterCount());
}

}  // namespace workbench
