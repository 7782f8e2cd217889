// SPDX-License-Identifier: MIT
#include "ui/kernels/code_pane.h"

#include <QFontDatabase>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSyntaxHighlighter>
#include <QTextBlock>
#include <algorithm>

#include "ui/widgets/theme.h"

namespace workbench {

class CodePane::Numbers : public QWidget {
  public:
    explicit Numbers(CodePane* pane) : QWidget(pane), m_pane(pane) {}

  protected:
    void paintEvent(QPaintEvent* event) override { m_pane->paintNumbers(event); }

  private:
    CodePane* m_pane;
};

class CodePane::DifferenceColours : public QSyntaxHighlighter {
  public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

  protected:
    void highlightBlock(const QString& text) override {
        const ThemeColours& colours = themeColours();
        if (text.startsWith(QLatin1Char('+')))
            setFormat(0, int(text.size()), colours.success);
        else if (text.startsWith(QLatin1Char('-')))
            setFormat(0, int(text.size()), colours.error);
        else if (text.startsWith(QLatin1String("@@")))
            setFormat(0, int(text.size()), colours.muted);
    }
};

CodePane::CodePane(const QString& name, QWidget* parent)
    : QPlainTextEdit(parent), m_numbers(new Numbers(this)) {
    setAccessibleName(name);
    setLineWrapMode(NoWrap);
    setTabChangesFocus(true);
    setFrameShape(QFrame::NoFrame);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF() * 0.95);
    setFont(fixed);
    setTabStopDistance(4 * fontMetrics().horizontalAdvance(QLatin1Char(' ')));
    connect(this, &QPlainTextEdit::blockCountChanged, this, &CodePane::placeNumbers);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0)
            m_numbers->scroll(0, dy);
        else
            m_numbers->update(0, rect.y(), m_numbers->width(), rect.height());
    });
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        if (!m_setting) Q_EMIT lineChosen(currentLine());
    });
    placeNumbers();
}

void CodePane::setCode(const QString& code) {
    const QScopedValueRollback setting(m_setting, true);
    m_marked.clear();
    m_error = 0;
    if (isReadOnly()) {
        setPlainText(code);
    } else {
        // As an edit, so that Undo brings back what was typed.
        QTextCursor all(document());
        all.select(QTextCursor::Document);
        all.insertText(code);
        moveCursor(QTextCursor::Start);
    }
    showMarks();
}

void CodePane::setDifference(bool on) {
    if (on == (m_difference != nullptr)) return;
    if (on) {
        m_difference = new DifferenceColours(document());
        m_difference->rehighlight();
        return;
    }
    delete m_difference;
    m_difference = nullptr;
}

int CodePane::currentLine() const {
    return textCursor().blockNumber() + 1;
}

void CodePane::goToLine(int line) {
    const QTextBlock block = document()->findBlockByNumber(line - 1);
    if (!block.isValid()) return;
    const QScopedValueRollback setting(m_setting, true);
    QTextCursor cursor(block);
    setTextCursor(cursor);
    centerCursor();
}

void CodePane::markLines(const QList<int>& lines) {
    m_marked = lines;
    showMarks();
    if (lines.isEmpty()) return;
    const auto isSeen = [this](int line) {
        const QTextBlock block = document()->findBlockByNumber(line - 1);
        const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
        return block.isValid() && place.top() >= 0 && place.bottom() <= viewport()->height();
    };
    if (std::ranges::any_of(lines, isSeen)) return;
    const QScopedValueRollback setting(m_setting, true);
    setTextCursor(QTextCursor(document()->findBlockByNumber(lines.front() - 1)));
    centerCursor();
}

void CodePane::markError(int line) {
    m_error = line;
    showMarks();
}

void CodePane::showMarks() {
    QList<QTextEdit::ExtraSelection> marks;
    const auto add = [&](int line, QColor colour) {
        const QTextBlock block = document()->findBlockByNumber(line - 1);
        if (!block.isValid()) return;
        colour.setAlphaF(0.28F);
        QTextEdit::ExtraSelection mark;
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(colour);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        marks << mark;
    };
    for (const int line : m_marked) add(line, themeColours().accent);
    if (m_error > 0) add(m_error, themeColours().error);
    setExtraSelections(marks);
    m_numbers->update();
}

int CodePane::numbersWidth() const {
    const int digits = int(QString::number(std::max(999, blockCount())).size());
    return digits * fontMetrics().horizontalAdvance(QLatin1Char('9')) + 2 * normalSpacing;
}

void CodePane::placeNumbers() {
    setViewportMargins(numbersWidth(), 0, 0, 0);
    const QRect inside = contentsRect();
    m_numbers->setGeometry(inside.left(), inside.top(), numbersWidth(), inside.height());
}

void CodePane::paintNumbers(QPaintEvent* event) {
    const ThemeColours& colours = themeColours();
    QPainter painter(m_numbers);
    painter.fillRect(event->rect(), colours.panel);
    painter.setFont(font());
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    while (block.isValid() && top <= event->rect().bottom()) {
        const double height = blockBoundingRect(block).height();
        const int line = block.blockNumber() + 1;
        painter.setPen(line == m_error           ? colours.error
                       : m_marked.contains(line) ? colours.accent
                                                 : colours.muted);
        painter.drawText(QRectF(0, top, m_numbers->width() - normalSpacing, height),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        top += height;
        block = block.next();
    }
}

void CodePane::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    placeNumbers();
}

void CodePane::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        showMarks();
        if (m_difference) m_difference->rehighlight();
    }
    if (event->type() == QEvent::FontChange) placeNumbers();
}

}  // namespace workbench
