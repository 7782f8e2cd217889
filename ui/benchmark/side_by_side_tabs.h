// SPDX-License-Identifier: MIT
// Pages about all cases and pages about the chosen one: beside each other where there is room for both,
// behind the tabs of one row where there is not.
#pragma once

#include <QList>
#include <QWidget>

class QSplitter;
class QTabWidget;

namespace workbench {

class SideBySideTabs : public QWidget {
    Q_OBJECT
  public:
    // Makes both rows of tabs. The names are the rows' accessible names.
    SideBySideTabs(const QString& all, const QString& one, QWidget* parent = nullptr);

    void addPage(QWidget* page, const QString& name, const QString& toolTip, bool aboutOne);
    void setCurrentPage(QWidget* page);
    QWidget* pageOf(const QWidget* widget) const;  // the page that it lies in; null: none
    QWidget* currentPage() const;                  // of those about all cases, or the only one seen
    bool isSeen(QWidget* page) const;
    void setCornerWidget(QWidget* widget);  // beside the tabs of those about all cases

  Q_SIGNALS:
    void seenChanged();

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Page {
        QWidget* widget;
        QString name;
        QString toolTip;
        bool aboutOne;
    };
    void add(QTabWidget* tabs, const Page& page);
    void layOut(bool wide);

    QSplitter* m_splitter;
    QTabWidget* m_all;
    QTabWidget* m_one;
    QList<Page> m_pages;
    bool m_wide = false;
};

}  // namespace workbench
