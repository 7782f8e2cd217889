// SPDX-License-Identifier: MIT
#include "ui/manual/manual_window.h"

#include <QDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QPointer>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextCursor>
#include <QToolButton>
#include <QTreeWidget>
#include <QUrl>
#include <QWindow>

#include "ui/manual/manual_browser.h"
#include "ui/widgets/empty_page.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_strip.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int pageRole = Qt::UserRole;
constexpr int anchorRole = Qt::UserRole + 1;
constexpr int blockRole = Qt::UserRole + 2;
constexpr int typingPause_ms = 150;

QTreeWidget* makeTree(const QString& name, QWidget* parent) {
    auto* tree = new QTreeWidget(parent);
    tree->setAccessibleName(name);
    tree->setHeaderHidden(true);
    tree->setFrameShape(QFrame::NoFrame);
    tree->setUniformRowHeights(true);
    tree->setIndentation(14);
    return tree;
}

QTreeWidgetItem* makeHead(QTreeWidget* tree, const QString& text) {
    auto* item = new QTreeWidgetItem(tree, {text});
    QFont strong = tree->font();
    strong.setBold(true);
    item->setFont(0, strong);
    item->setToolTip(0, text);
    return item;
}

}  // namespace

ManualWindow::ManualWindow(Manual manual, QWidget* parent)
    : QWidget(parent, Qt::Window), m_manual(std::move(manual)) {
    setObjectName(QStringLiteral("manualWindow"));
    setWindowTitle(tr("Manual – IIR2D Workbench"));
    setWindowIcon(applicationIcon());
    setAttribute(Qt::WA_QuitOnClose, false);
    auto* column = makeColumn(this, 0);
    if (!m_manual.isFound()) {
        makeMissing();
        return;
    }
    makeBar();
    column->addWidget(m_bar);
    auto* splitter = new QSplitter(this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeSide());
    splitter->addWidget(makePage());
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({310, 690});
    column->addWidget(splitter, 1);
    makeKeys();
    resize(1000, 760);
    setMinimumSize(480, 320);
    fillContents();

    connect(m_browser, &ManualBrowser::pageShown, this, &ManualWindow::followPage);
    connect(m_browser, &ManualBrowser::linkRefused, m_refusal, &MessageStrip::setMessage);
    connect(m_browser, &ManualBrowser::webLinkClicked, this, &ManualWindow::webLinkClicked);
    m_typing.setSingleShot(true);
    m_typing.setInterval(typingPause_ms);
    connect(&m_typing, &QTimer::timeout, this, &ManualWindow::search);
    // One page after another, so that nothing waits for it.
    connect(&m_reading, &QTimer::timeout, this, [this] {
        if (m_manual.readNext()) return;
        m_reading.stop();
        if (!m_query->text().isEmpty()) search();
    });
    m_reading.start(0);
}

void ManualWindow::makeMissing() {
    auto* missing = new EmptyPage(QStringLiteral("manual"), this);
    missing->setTexts(tr("The manual is not installed"),
                      tr("Its pages come with the package iir2d-workbench. README.md was looked for in:\n%1")
                          .arg(m_manual.places().join(QLatin1Char('\n'))));
    layout()->addWidget(missing);
    auto* escape = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    connect(escape, &QShortcut::activated, this, &QWidget::close);
    resize(640, 360);
}

void ManualWindow::makeBar() {
    m_bar = new QWidget(this);
    auto* row = makeRow(m_bar, smallSpacing, {normalSpacing, smallSpacing, normalSpacing, smallSpacing});
    m_back = iconButton(QStringLiteral("back"), tr("Back (Alt+Left)"), m_bar);
    m_back->setAccessibleName(tr("Back"));
    m_forward = iconButton(QStringLiteral("forward"), tr("Forward (Alt+Right)"), m_bar);
    m_forward->setAccessibleName(tr("Forward"));
    auto* home = iconButton(QStringLiteral("manual"), tr("All pages (Alt+Home)"), m_bar);
    home->setAccessibleName(tr("All pages"));
    auto* find = iconButton(QStringLiteral("find"), tr("Find on this page (Ctrl+F)"), m_bar);
    find->setAccessibleName(tr("Find on this page"));
    m_query = new QLineEdit(m_bar);
    m_query->setPlaceholderText(tr("Search all pages"));
    m_query->setAccessibleName(tr("Search all pages"));
    m_query->setToolTip(tr("Search all pages (Ctrl+K)"));
    m_query->setClearButtonEnabled(true);
    m_query->addAction(themedIcon(QStringLiteral("find")), QLineEdit::LeadingPosition);
    row->addWidget(m_back);
    row->addWidget(m_forward);
    row->addWidget(home);
    row->addWidget(m_query, 1);
    row->addWidget(find);
    connect(m_back, &QToolButton::clicked, this, [this] { m_browser->backward(); });
    connect(m_forward, &QToolButton::clicked, this, [this] { m_browser->forward(); });
    connect(home, &QToolButton::clicked, this, [this] { m_browser->home(); });
    connect(find, &QToolButton::clicked, this, [this] {
        m_findBar->show();
        m_find->setFocus();
    });
    connect(m_query, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (!text.isEmpty()) return m_typing.start();
        m_typing.stop();
        search();
    });
    connect(m_query, &QLineEdit::returnPressed, this, [this] {
        m_typing.stop();
        search();
        if (m_hits->topLevelItemCount() == 0) return;
        m_hits->setFocus();
        openHit(0);
    });
}

QWidget* ManualWindow::makeSide() {
    m_side = new QStackedWidget(this);
    m_contents = makeTree(tr("Contents"), m_side);
    auto* found = new QWidget(m_side);
    auto* column = makeColumn(found, smallSpacing, {0, smallSpacing, 0, 0});
    m_summary = new ToneLabel(ToneLabel::Tone::muted, found);
    m_summary->setContentsMargins(normalSpacing, 0, normalSpacing, 0);
    m_summary->setObjectName(QStringLiteral("searchSummary"));
    m_hits = makeTree(tr("Hits"), found);
    column->addWidget(m_summary);
    column->addWidget(m_hits, 1);
    m_side->addWidget(m_contents);
    m_side->addWidget(found);
    const auto openItem = [this](const QTreeWidgetItem* item) {
        const QString page = item ? item->data(0, pageRole).toString() : QString();
        if (!page.isEmpty()) m_browser->open(page, item->data(0, anchorRole).toString());
    };
    connect(m_contents, &QTreeWidget::currentItemChanged, this, openItem);
    connect(m_contents, &QTreeWidget::itemClicked, this, openItem);  // again, after scrolling
    connect(m_hits, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
        if (item == nullptr) return;
        const QTreeWidgetItem* hit = item->childCount() > 0 ? item->child(0) : item;
        m_browser->openAt(hit->data(0, pageRole).toString(), hit->data(0, blockRole).toInt(),
                          Manual::wordsOf(m_query->text()));
    });
    return m_side;
}

QWidget* ManualWindow::makePage() {
    auto* page = new QWidget(this);
    auto* column = makeColumn(page, 0);
    m_refusal = new MessageStrip(page);
    m_browser = new ManualBrowser(m_manual, page);
    column->addWidget(m_refusal);
    column->addWidget(m_browser, 1);
    column->addWidget(makeFindBar());
    return page;
}

QWidget* ManualWindow::makeFindBar() {
    m_findBar = new QWidget(this);
    auto* row = makeRow(m_findBar, smallSpacing, {normalSpacing, smallSpacing, normalSpacing, smallSpacing});
    m_find = new QLineEdit(m_findBar);
    m_find->setPlaceholderText(tr("Find on this page"));
    m_find->setAccessibleName(tr("Find on this page"));
    m_find->setMaximumWidth(320);
    m_findCount = new ToneLabel(ToneLabel::Tone::muted, m_findBar);
    m_findCount->setWordWrap(false);
    m_findCount->setObjectName(QStringLiteral("findCount"));
    auto* previous = iconButton(QStringLiteral("up"), tr("Previous (Shift+F3)"), m_findBar);
    previous->setAccessibleName(tr("Previous place"));
    auto* next = iconButton(QStringLiteral("down"), tr("Next (F3)"), m_findBar);
    next->setAccessibleName(tr("Next place"));
    auto* close = iconButton(QStringLiteral("close"), tr("Close (Esc)"), m_findBar);
    close->setAccessibleName(tr("Close finding"));
    row->addWidget(m_find, 1);
    row->addWidget(previous);
    row->addWidget(next);
    row->addWidget(m_findCount);
    row->addStretch(1);
    row->addWidget(close);
    m_findBar->hide();
    connect(m_find, &QLineEdit::textChanged, this, &ManualWindow::followFind);
    connect(m_find, &QLineEdit::returnPressed, this, [this] { goToFound(false); });
    connect(previous, &QToolButton::clicked, this, [this] { goToFound(true); });
    connect(next, &QToolButton::clicked, this, [this] { goToFound(false); });
    connect(close, &QToolButton::clicked, this, &ManualWindow::closeFind);
    return m_findBar;
}

void ManualWindow::makeKeys() {
    const auto on = [this](const QKeySequence& keys, auto act) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, act);
    };
    on(QKeySequence(tr("Ctrl+F")), [this] {
        m_findBar->show();
        m_find->setFocus();
        m_find->selectAll();
    });
    on(QKeySequence(tr("Ctrl+K")), [this] {
        m_query->setFocus();
        m_query->selectAll();
    });
    on(QKeySequence(tr("F3")), [this] { goToFound(false); });
    on(QKeySequence(tr("Shift+F3")), [this] { goToFound(true); });
    on(QKeySequence(tr("Alt+Left")), [this] { m_browser->backward(); });
    on(QKeySequence(tr("Alt+Right")), [this] { m_browser->forward(); });
    on(QKeySequence(tr("Alt+Home")), [this] { m_browser->home(); });
    on(QKeySequence(tr("F1")), [this] { m_browser->home(); });
    on(QKeySequence(QKeySequence::Close), [this] { close(); });
    // One thing at a time: what was found on the page, the hits, the window.
    on(QKeySequence(Qt::Key_Escape), [this] {
        if (!m_findBar->isHidden()) return closeFind();
        if (!m_query->text().isEmpty()) return m_query->clear();
        close();
    });
}

void ManualWindow::fillContents() {
    const QSignalBlocker blocker(m_contents);
    QHash<QString, QTreeWidgetItem*> groups;
    for (const ManualPage& page : m_manual.pages()) {
        QTreeWidgetItem* item = nullptr;
        if (page.group.isEmpty()) {
            item = makeHead(m_contents, page.title);
        } else {
            QTreeWidgetItem*& group = groups[page.group];
            if (group == nullptr) {
                group = makeHead(m_contents, page.group);
                group->setFlags(Qt::ItemIsEnabled);
                group->setExpanded(true);
            }
            item = new QTreeWidgetItem(group, {page.title});
        }
        item->setData(0, pageRole, page.name);
        item->setToolTip(0, page.title);
        m_pageItems << item;
    }
}

// The page that is shown is marked in the contents, with its headings below it; Back and Forward follow.
void ManualWindow::followPage() {
    m_refusal->clear();
    m_back->setEnabled(m_browser->canGoBack());
    m_forward->setEnabled(m_browser->canGoForward());
    const ManualPage* page = m_manual.page(m_browser->page());
    if (page != nullptr) setWindowTitle(tr("%1 – Manual").arg(page->title));
    if (!m_findBar->isHidden()) followFind();
    const QSignalBlocker blocker(m_contents);
    for (QTreeWidgetItem* item : m_pageItems) {
        if (item->data(0, pageRole).toString() != m_browser->page()) {
            qDeleteAll(item->takeChildren());
            continue;
        }
        const QTreeWidgetItem* current = m_contents->currentItem();
        if (current == nullptr || (current != item && current->parent() != item))
            m_contents->setCurrentItem(item);
        if (item->childCount() > 0 || page == nullptr || page->group.isEmpty()) continue;
        for (const ManualHeading& heading : m_browser->headings()) {
            if (heading.level != 2) continue;
            auto* below = new QTreeWidgetItem(item, {heading.text});
            below->setToolTip(0, heading.text);
            below->setData(0, pageRole, m_browser->page());
            below->setData(0, anchorRole, heading.anchor);
        }
        item->setExpanded(true);
    }
}

void ManualWindow::openPage(const QString& page, const QString& anchor) {
    if (m_browser != nullptr) m_browser->open(page, anchor);
    if (!isVisible() && m_browser != nullptr) m_browser->setFocus();
    show();
    raise();
    activateWindow();
}

void ManualWindow::setOwner(QWidget* dialog) {
    winId();  // makes the window that can belong to another
    QWindow* owner = dialog != nullptr ? dialog->windowHandle() : nullptr;
    if (windowHandle()->transientParent() == owner) return;
    // A window that is shown already stays as it is, usable or not, until it is shown anew.
    if (owner != nullptr) hide();
    windowHandle()->setTransientParent(owner);
    auto* modal = qobject_cast<QDialog*>(dialog);
    if (modal == nullptr) return;
    connect(modal, &QDialog::finished, this, [this, owner = QPointer(owner)] {
        if (windowHandle()->transientParent() == owner) windowHandle()->setTransientParent(nullptr);
    });
}

void ManualWindow::setQuery(const QString& query) {
    if (m_query == nullptr) return;
    m_query->setText(query);
    m_typing.stop();
    search();
}

void ManualWindow::openHit(int page) {
    if (const QTreeWidgetItem* found = m_hits->topLevelItem(page)) m_hits->setCurrentItem(found->child(0));
}

void ManualWindow::findOnPage(const QString& text) {
    if (text.isEmpty()) return closeFind();
    m_findBar->show();
    m_find->setFocus();
    m_find->setText(text);
}

void ManualWindow::search() {
    const QSignalBlocker blocker(m_hits);
    m_hits->clear();
    const QString query = m_query->text().simplified();
    m_side->setCurrentIndex(query.isEmpty() ? 0 : 1);
    if (query.isEmpty()) {
        m_browser->mark({});
        return;
    }
    const QList<ManualHit> hits = m_manual.search(query);
    QTreeWidgetItem* top = nullptr;
    int pages = 0;
    for (const ManualHit& hit : hits) {
        if (top == nullptr || top->data(0, pageRole).toString() != hit.page) {
            const ManualPage* page = m_manual.page(hit.page);
            top = makeHead(m_hits, page != nullptr ? page->title : hit.page);
            top->setData(0, pageRole, hit.page);
            top->setExpanded(true);
            ++pages;
        }
        auto* item = new QTreeWidgetItem(top, {hit.line});
        item->setToolTip(0, QStringLiteral("%1: %2").arg(hit.heading, hit.line));
        item->setData(0, pageRole, hit.page);
        item->setData(0, blockRole, hit.block);
    }
    if (!isSearchComplete()) {
        m_summary->setText(
            tr("Reading: %1 of %2 pages").arg(m_manual.pagesRead()).arg(m_manual.pages().size()));
    } else if (query.size() < 2) {
        m_summary->setText(tr("Two characters or more"));
    } else if (hits.isEmpty()) {
        m_summary->setText(tr("No page has all of: %1").arg(query));
    } else {
        m_summary->setText(QStringLiteral("%1, %2").arg(tr("%n place(s)", nullptr, int(hits.size())),
                                                        tr("%n page(s)", nullptr, pages)));
    }
}

void ManualWindow::followFind() {
    QTextCursor from = m_browser->textCursor();  // a longer text may stand where the shorter one did
    from.setPosition(from.selectionStart());
    m_browser->setTextCursor(from);
    const int count = m_browser->mark(m_find->text());
    m_findCount->setText(m_find->text().isEmpty() ? QString()
                         : count == 0             ? tr("Not on this page")
                                                  : tr("%n place(s)", nullptr, count));
    if (count > 0) goToFound(false);
}

void ManualWindow::goToFound(bool backward) {
    if (m_findBar->isHidden()) return;
    const int count = m_browser->mark(m_find->text());
    const int number = m_browser->goToMark(backward);
    if (number > 0) m_findCount->setText(tr("%1 of %2").arg(number).arg(count));
}

void ManualWindow::closeFind() {
    m_findBar->hide();
    m_browser->mark({});
    m_browser->setFocus();
}

}  // namespace workbench
