// SPDX-License-Identifier: MIT
// Shows a page of the manual: links between pages and to headings, back and forward, what was found on it.
// Loads nothing but pages and pictures of the manual's folder.
#pragma once

#include <QStringList>
#include <QTextBrowser>
#include <vector>

#include "ui/manual/manual.h"

namespace workbench {

class ManualBrowser : public QTextBrowser {
    Q_OBJECT
  public:
    // Shows a manual, which must outlive it.
    explicit ManualBrowser(const Manual& manual, QWidget* parent = nullptr);

    // Shows a page from a heading on; from its beginning without one, or where it has none of that name.
    void open(const QString& page, const QString& anchor = {});
    // Shows the block and marks the words on the whole page.
    void openAt(const QString& page, int block, const QStringList& words);

    const QString& page() const { return m_page; }
    const QList<ManualHeading>& headings() const { return m_headings; }
    bool canGoBack() const { return m_position > 0; }
    bool canGoForward() const { return m_position + 1 < int(m_history.size()); }
    int topBlock() const;  // the first that is seen

    // Marks where the text stands on the page. Returns how often.
    int mark(const QString& text);
    // Goes to the next or previous of these, around the end. Returns its number from 1 on; 0: there is none.
    int goToMark(bool backward);

    void backward() override;
    void forward() override;
    void home() override;
    void reload() override;
    QVariant loadResource(int type, const QUrl& name) override;

  Q_SIGNALS:
    void pageShown();  // another page, or another place of the history
    void webLinkClicked(const QUrl& url);
    // Reports in a sentence that a link leads to what is not in the manual.
    void linkRefused(const QString& why);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    struct Place {
        QString page;
        int block = 0;
        friend bool operator==(const Place&, const Place&) = default;
    };
    int blockOf(const QString& page, const QString& anchor) const;
    void follow(const QUrl& url);
    void visit(const Place& place);
    void show(const Place& place);
    void render();
    int pictureRoom() const;
    void fitPictures();
    void scrollTo(int block);
    void markWords(const QStringList& words, int selectIn);

    const Manual& m_manual;
    QString m_page;
    QList<ManualHeading> m_headings;
    std::vector<Place> m_history;
    int m_position = -1;
    Place m_asked;     // as it was opened, before anybody scrolled
    int m_wanted = 0;  // the block to keep at the top while the size changes
    int m_fittedWidth = 0;
    QList<QTextCursor> m_marks;
};

}  // namespace workbench
