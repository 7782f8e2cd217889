// SPDX-License-Identifier: MIT
// The manual in a window of its own: contents, search over all pages, the page, find on it. Without the
// manual's files it says where they were looked for.
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/manual/manual.h"

class QLineEdit;
class QStackedWidget;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace workbench {

class ManualBrowser;
class MessageStrip;
class ToneLabel;

class ManualWindow : public QWidget {
    Q_OBJECT
  public:
    explicit ManualWindow(Manual manual, QWidget* parent = nullptr);

    // Shows the page, and the window where it is not shown or behind others.
    void openPage(const QString& page, const QString& anchor = {});
    // Makes the manual a window of a modal dialog, which lets no other windows be used, until the dialog
    // ends. Null: it belongs to none.
    void setOwner(QWidget* dialog);
    void setQuery(const QString& query);
    // Shows the first hit of a page of those that were found: 0 is the first page.
    void openHit(int page);
    // Opens the bar that finds on the page, with a text; closes it without one.
    void findOnPage(const QString& text);

    const Manual& manual() const { return m_manual; }
    // Returns the browser; null without the manual's files.
    ManualBrowser* browser() const { return m_browser; }
    bool isSearchComplete() const { return m_manual.pagesRead() == m_manual.pages().size(); }

  Q_SIGNALS:
    // Reports a click on a link to the web, or Enter on it. The window's owner opens it.
    void webLinkClicked(const QUrl& url);

  private:
    void makeMissing();
    void makeBar();
    QWidget* makeSide();
    QWidget* makePage();
    QWidget* makeFindBar();
    void makeKeys();
    void fillContents();
    void followPage();
    void search();
    void followFind();
    void goToFound(bool backward);
    void closeFind();

    Manual m_manual;
    ManualBrowser* m_browser = nullptr;
    QWidget* m_bar = nullptr;
    QToolButton* m_back = nullptr;
    QToolButton* m_forward = nullptr;
    QLineEdit* m_query = nullptr;
    QStackedWidget* m_side = nullptr;
    QTreeWidget* m_contents = nullptr;
    QList<QTreeWidgetItem*> m_pageItems;
    QTreeWidget* m_hits = nullptr;
    ToneLabel* m_summary = nullptr;
    MessageStrip* m_refusal = nullptr;
    QWidget* m_findBar = nullptr;
    QLineEdit* m_find = nullptr;
    ToneLabel* m_findCount = nullptr;
    QTimer m_reading;
    QTimer m_typing;
};

}  // namespace workbench
