// SPDX-License-Identifier: MIT
#include "ui/manual/manual_browser.h"

#include <QAbstractTextDocumentLayout>
#include <QMouseEvent>
#include <QPointer>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <algorithm>

#include "ui/manual/manual_page_look.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int pageMargin = 20;
const QString firstPage = QStringLiteral("README.md");

}  // namespace

ManualBrowser::ManualBrowser(const Manual& manual, QWidget* parent) : QTextBrowser(parent), m_manual(manual) {
    setOpenLinks(false);
    setAccessibleName(tr("Page of the manual"));
    setFrameShape(QFrame::NoFrame);
    connect(this, &QTextBrowser::anchorClicked, this, &ManualBrowser::follow);
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { m_wanted = -1; });
}

void ManualBrowser::open(const QString& page, const QString& anchor) {
    if (m_manual.page(page) == nullptr) {
        Q_EMIT linkRefused(tr("%1 is not in the manual.").arg(page));
        return;
    }
    visit({page, blockOf(page, anchor)});
}

int ManualBrowser::blockOf(const QString& page, const QString& anchor) const {
    if (anchor.isEmpty()) return 0;
    QList<ManualHeading> headings = m_headings;
    if (page != m_page) {
        QTextDocument document;
        readMarkdown(document, m_manual.markdown(page));
        headings = headingsOf(document);
    }
    const auto heading = std::ranges::find(headings, anchor, &ManualHeading::anchor);
    return heading == headings.end() ? 0 : heading->block;
}

void ManualBrowser::openAt(const QString& page, int block, const QStringList& words) {
    visit({page, block});
    markWords(words, block);
}

int ManualBrowser::topBlock() const {
    // Below the margin above a heading; one before the first line has none.
    const double y = verticalScrollBar()->value() + smallSpacing + 1;
    const QAbstractTextDocumentLayout& layout = *document()->documentLayout();
    QTextBlock block = cursorForPosition(QPoint(pageMargin + 1, 2)).block();
    while (block.next().isValid() && layout.blockBoundingRect(block).bottom() < y) block = block.next();
    return block.blockNumber();
}

void ManualBrowser::follow(const QUrl& url) {
    const QString scheme = url.scheme();
    if (scheme == QLatin1String("http") || scheme == QLatin1String("https")) {
        Q_EMIT webLinkClicked(url);
    } else if (scheme.isEmpty() && url.path().isEmpty()) {
        open(m_page, url.fragment(QUrl::FullyDecoded));
    } else if (scheme.isEmpty() && m_manual.page(url.path()) != nullptr) {
        open(url.path(), url.fragment(QUrl::FullyDecoded));
    } else {
        Q_EMIT linkRefused(tr("%1 is a file of the sources and not in the manual.").arg(url.toString()));
    }
}

void ManualBrowser::visit(const Place& place) {
    if (m_position >= 0 && m_asked == place) return show(place);  // the same again is no step
    m_asked = place;
    if (m_position >= 0) {
        m_history[std::size_t(m_position)].block = topBlock();
        m_history.resize(std::size_t(m_position) + 1);
    }
    m_history.push_back(place);
    m_position = int(m_history.size()) - 1;
    show(place);
}

void ManualBrowser::show(const Place& place) {
    if (m_page != place.page) {
        m_page = place.page;
        render();
    }
    mark({});
    setTextCursor(QTextCursor(document()->findBlockByNumber(place.block)));
    scrollTo(place.block);
    Q_EMIT pageShown();
}

void ManualBrowser::render() {
    // Made before it is shown: what changes in a document that is shown is laid out each time.
    auto* made = new QTextDocument(this);
    made->setUndoRedoEnabled(false);
    made->setDocumentMargin(pageMargin);
    made->setDefaultFont(font());
    readMarkdown(*made, m_manual.markdown(m_page));
    giveManualLook(*made);
    const QPointer<QTextDocument> old = document();  // the first goes by itself
    m_marks.clear();
    setExtraSelections({});
    m_fittedWidth = pictureRoom();
    fitManualPictures(*made, m_manual.folder(), m_fittedWidth, devicePixelRatioF());
    setDocument(made);
    delete old.data();
    m_headings = headingsOf(*document());
    const ManualPage* page = m_manual.page(m_page);
    setAccessibleDescription(page != nullptr ? page->title : QString());
}

int ManualBrowser::pictureRoom() const {
    return std::max(viewport()->width() - 2 * pageMargin, 100);
}

void ManualBrowser::fitPictures() {
    const int width = pictureRoom();
    if (width == m_fittedWidth) return;
    m_fittedWidth = width;
    fitManualPictures(*document(), m_manual.folder(), width, devicePixelRatioF());
}

void ManualBrowser::scrollTo(int block) {
    m_wanted = block;
    const QTextBlock wanted = document()->findBlockByNumber(block);
    document()->documentLayout()->documentSize();  // lays all of it out, so that the bar goes to the end
    const double top = document()->documentLayout()->blockBoundingRect(wanted).top();
    verticalScrollBar()->setValue(block == 0 ? 0 : int(top) - smallSpacing);
}

void ManualBrowser::backward() {
    if (!canGoBack()) return;
    m_history[std::size_t(m_position)].block = topBlock();
    m_asked = m_history[std::size_t(--m_position)];
    show(m_asked);
}

void ManualBrowser::forward() {
    if (!canGoForward()) return;
    m_history[std::size_t(m_position)].block = topBlock();
    m_asked = m_history[std::size_t(++m_position)];
    show(m_asked);
}

void ManualBrowser::home() {
    open(firstPage);
}

void ManualBrowser::reload() {
    if (m_page.isEmpty()) return;
    const int block = topBlock();
    render();
    mark({});
    scrollTo(block);
}

QVariant ManualBrowser::loadResource(int /*type*/, const QUrl& /*name*/) {
    return {};  // pictures are given to the document: render()
}

void ManualBrowser::resizeEvent(QResizeEvent* event) {
    const int block = m_wanted >= 0 ? m_wanted : topBlock();
    QTextBrowser::resizeEvent(event);
    if (m_page.isEmpty()) return;
    fitPictures();
    scrollTo(block);
}

void ManualBrowser::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton) return backward();
    if (event->button() == Qt::ForwardButton) return forward();
    QTextBrowser::mousePressEvent(event);
}

void ManualBrowser::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) reload();
}

// Marks -------------------------------------------------------------------------------------------------

void ManualBrowser::markWords(const QStringList& words, int selectIn) {
    m_marks.clear();
    QList<ExtraSelection> marked;
    QTextCharFormat look;
    QColor colour = themeColours().warning;
    colour.setAlphaF(0.35F);
    look.setBackground(colour);
    for (const QString& word : words) {
        for (QTextCursor at = document()->find(word); !at.isNull(); at = document()->find(word, at)) {
            m_marks << at;
            marked << ExtraSelection{at, look};
        }
    }
    std::ranges::sort(m_marks);
    setExtraSelections(marked);
    if (selectIn < 0) return;
    const int start = document()->findBlockByNumber(selectIn).position();
    const auto first = std::ranges::find_if(
        m_marks, [&](const QTextCursor& each) { return each.selectionStart() >= start; });
    if (first != m_marks.end()) {
        QTextCursor there = *first;
        there.setPosition(first->selectionStart());
        setTextCursor(there);  // links and the find bar go on from here
    }
    scrollTo(selectIn);
}

int ManualBrowser::mark(const QString& text) {
    markWords(text.isEmpty() ? QStringList() : QStringList(text), -1);
    return int(m_marks.size());
}

int ManualBrowser::goToMark(bool backward) {
    if (m_marks.isEmpty()) return 0;
    const QTextCursor now = textCursor();
    int next = backward ? int(m_marks.size()) - 1 : 0;
    if (backward) {
        for (int i = 0; i < m_marks.size(); ++i) {
            if (m_marks[i].selectionStart() < now.selectionStart()) next = i;
        }
    } else {
        for (int i = int(m_marks.size()) - 1; i >= 0; --i) {
            const bool isAhead = now.hasSelection() ? m_marks[i].selectionStart() > now.selectionStart()
                                                    : m_marks[i].selectionStart() >= now.position();
            if (isAhead) next = i;
        }
    }
    setTextCursor(m_marks[next]);
    m_wanted = -1;
    ensureCursorVisible();
    return next + 1;
}

}  // namespace workbench
