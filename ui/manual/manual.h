// SPDX-License-Identifier: MIT
// The manual as it is read: its pages, in the order and the groups of README.md, and search over all of them.
// No widgets. GUI thread only.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

class QTextDocument;

namespace workbench {

struct ManualPage {
    QString name;   // its file: "benchmark.md"
    QString title;  // its first heading
    QString group;  // the heading of README.md that lists it; empty: README.md itself
};

struct ManualHeading {
    QString text;
    QString anchor;  // as links have it behind '#': "taking-figures-that-mean-something"
    int level = 1;
    int block = 0;  // in the document of readMarkdown()
};

struct ManualHit {
    QString page;
    QString heading;  // that it is under
    QString line;     // what stands around it, in one line
    int block = 0;    // in the document of readMarkdown()
};

// Reads a page into a document, always into the same blocks. HTML in it stays text.
void readMarkdown(QTextDocument& document, const QString& markdown);
// Returns the headings of a document of readMarkdown().
QList<ManualHeading> headingsOf(const QTextDocument& document);

class Manual {
  public:
    // Takes the first of the folders that has a README.md.
    explicit Manual(QStringList places);
    // Returns the manual of this installation: of manual_places().
    static Manual installed();

    bool isFound() const { return !m_folder.isEmpty(); }
    const QString& folder() const { return m_folder; }
    const QStringList& places() const { return m_places; }  // where it was looked for
    const QList<ManualPage>& pages() const { return m_pages; }
    const ManualPage* page(const QString& name) const;
    // Returns the text of one of the pages; null where it cannot be read.
    QString markdown(const QString& name) const;

    // Reads the next page for search; false when all are read. Some milliseconds each.
    bool readNext();
    int pagesRead() const { return m_read; }
    // Returns where all words of the query stand in one paragraph, one row of a table or one line of code,
    // whatever their case. Only of what is read. Pages whose headings have them come first. No query of less
    // than two characters has hits.
    QList<ManualHit> search(const QString& query) const;

    static QStringList wordsOf(const QString& query);

  private:
    struct Line {
        int page = 0;
        int block = 0;
        bool isHeading = false;
        QString heading;
        QString text;
    };
    void listPages();

    QStringList m_places;
    QString m_folder;
    QList<ManualPage> m_pages;
    QList<Line> m_lines;
    int m_read = 0;
};

}  // namespace workbench
