// SPDX-License-Identifier: MIT
#include "ui/benchmark/side_by_side_tabs.h"

#include <QHBoxLayout>
#include <QResizeEvent>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <algorithm>

namespace workbench {
namespace {

constexpr int wideFrom = 780;  // two charts beside each other have room for their names and legends

QTabWidget* makeTabs(const QString& name, QWidget* parent) {
    auto* tabs = new QTabWidget(parent);
    tabs->setDocumentMode(true);
    tabs->setAccessibleName(name);
    tabs->tabBar()->setAccessibleName(name);
    tabs->tabBar()->setElideMode(Qt::ElideNone);
    tabs->setUsesScrollButtons(true);
    return tabs;
}

}  // namespace

SideBySideTabs::SideBySideTabs(const QString& all, const QString& one, QWidget* parent)
    : QWidget(parent),
      m_splitter(new QSplitter(Qt::Horizontal, this)),
      m_all(makeTabs(all, m_splitter)),
      m_one(makeTabs(one, m_splitter)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_splitter);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_all);
    m_splitter->addWidget(m_one);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_one->hide();
    connect(m_all, &QTabWidget::currentChanged, this, &SideBySideTabs::seenChanged);
    connect(m_one, &QTabWidget::currentChanged, this, &SideBySideTabs::seenChanged);
}

void SideBySideTabs::addPage(QWidget* page, const QString& name, const QString& toolTip, bool aboutOne) {
    m_pages.append({page, name, toolTip, aboutOne});
    add(m_wide && aboutOne ? m_one : m_all, m_pages.last());
}

void SideBySideTabs::add(QTabWidget* tabs, const Page& page) {
    const int index = tabs->addTab(page.widget, page.name);  // takes it from where it was
    tabs->setTabToolTip(index, page.toolTip);
}

void SideBySideTabs::layOut(bool wide) {
    if (wide == m_wide) return;
    m_wide = wide;
    QWidget* current = currentPage();
    const auto found =
        std::ranges::find_if(m_pages, [current](const Page& page) { return page.widget == current; });
    const bool aboutOne = found != m_pages.end() && found->aboutOne;
    for (const Page& page : m_pages) {
        if (page.aboutOne) add(wide ? m_one : m_all, page);
    }
    m_one->setVisible(wide);
    if (wide && aboutOne) {
        m_one->setCurrentWidget(current);
        m_all->setCurrentIndex(0);
    }
    if (wide) m_splitter->setSizes({width() / 2, width() / 2});
    Q_EMIT seenChanged();
}

void SideBySideTabs::setCurrentPage(QWidget* page) {
    for (QTabWidget* tabs : {m_all, m_one}) {
        if (tabs->indexOf(page) >= 0) tabs->setCurrentWidget(page);
    }
}

QWidget* SideBySideTabs::pageOf(const QWidget* widget) const {
    const auto found = std::ranges::find_if(m_pages, [widget](const Page& page) {
        return page.widget == widget || page.widget->isAncestorOf(widget);
    });
    return found == m_pages.end() ? nullptr : found->widget;
}

QWidget* SideBySideTabs::currentPage() const {
    return m_all->currentWidget();
}

bool SideBySideTabs::isSeen(QWidget* page) const {
    return m_all->currentWidget() == page || (m_wide && m_one->currentWidget() == page);
}

void SideBySideTabs::setCornerWidget(QWidget* widget) {
    m_all->setCornerWidget(widget, Qt::TopRightCorner);
}

void SideBySideTabs::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut(event->size().width() >= wideFrom);
}

}  // namespace workbench
