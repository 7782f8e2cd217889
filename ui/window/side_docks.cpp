// SPDX-License-Identifier: MIT
#include "ui/window/side_docks.h"

#include <QAction>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QScrollArea>
#include <QTabWidget>
#include <QToolButton>

#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int dockMinimumWidth = 300;
const auto dockTitleName = QStringLiteral("dockTitle");

// Title and close button in our own icons; the style's are drawn for another palette.
QWidget* makeDockTitle(QDockWidget* dock) {
    auto* bar = new QWidget(dock);
    bar->setAutoFillBackground(true);
    bar->setBackgroundRole(QPalette::AlternateBase);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(normalSpacing, smallSpacing, smallSpacing, smallSpacing);
    auto* title = new QLabel(dock->windowTitle(), bar);
    title->setObjectName(dockTitleName);
    auto* close = new QToolButton(bar);
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setIconSize(QSize(14, 14));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::TabFocus);
    const QString name = SideDocks::tr("Close %1").arg(dock->windowTitle());
    close->setToolTip(name);
    close->setAccessibleName(name);
    layout->addWidget(title, 1);
    layout->addWidget(close);
    QObject::connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
    return bar;
}

QDockWidget* makeDock(const QString& name, const QString& title, QWidget* content, QMainWindow& window) {
    auto* dock = new QDockWidget(title, &window);
    dock->setObjectName(name);
    dock->setAccessibleName(title);
    // A small window scrolls what it cannot show.
    auto* scroll = new QScrollArea(dock);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(content);
    scroll->setMinimumWidth(dockMinimumWidth);
    dock->setWidget(scroll);
    dock->setTitleBarWidget(makeDockTitle(dock));
    return dock;
}

}  // namespace

SideDocks::SideDocks(QMainWindow& window, QWidget* operations, QWidget* devices)
    : m_window(window),
      m_operations(makeDock(QStringLiteral("operationsDock"), tr("Operations"), operations, window)),
      m_devices(makeDock(QStringLiteral("deviceDock"), tr("Device"), devices, window)) {
    window.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window.setDockOptions(window.dockOptions() | QMainWindow::AllowNestedDocks);
    for (QDockWidget* dock : {m_operations, m_devices}) {
        connect(dock, &QDockWidget::visibilityChanged, this, &SideDocks::nameDocks);
        connect(dock, &QDockWidget::topLevelChanged, this, &SideDocks::nameDocks);
        connect(dock, &QDockWidget::dockLocationChanged, this, &SideDocks::nameDocks);
        // Behind the other's tab it would be shown and not seen.
        connect(dock->toggleViewAction(), &QAction::triggered, dock, [dock](bool on) {
            if (on) dock->raise();
        });
    }
    m_operations->toggleViewAction()->setShortcut(QKeySequence(tr("Ctrl+Alt+O")));
    m_devices->toggleViewAction()->setShortcut(QKeySequence(tr("Ctrl+Shift+D")));
    reset();
}

// Behind a tab with its name a dock needs no title that says it again.
void SideDocks::nameDocks() {
    for (QDockWidget* dock : {m_operations, m_devices}) {
        bool hasTab = false;
        for (const QDockWidget* other : m_window.tabifiedDockWidgets(dock))
            hasTab = hasTab || !other->isHidden();
        auto* title = dock->titleBarWidget()->findChild<QLabel*>(dockTitleName);
        title->setText(hasTab ? QString() : dock->windowTitle());
    }
}

void SideDocks::reset() {
    for (QDockWidget* dock : {m_operations, m_devices}) {
        dock->setFloating(false);
        m_window.addDockWidget(Qt::RightDockWidgetArea, dock);
    }
    // One behind the other: either has the whole height, also in a small window.
    m_window.tabifyDockWidget(m_operations, m_devices);
    m_devices->hide();
    m_operationsWanted = true;
    m_operations->setVisible(m_besidePicture);
    m_window.resizeDocks({m_operations}, {340}, Qt::Horizontal);
}

void SideDocks::setBesidePicture(bool picture) {
    if (!picture && m_besidePicture) m_operationsWanted = m_operations->isVisibleTo(&m_window);
    m_besidePicture = picture;
    m_operations->setVisible(picture && m_operationsWanted);
}

void SideDocks::showDevices(bool on) {
    m_devices->setVisible(on);
    if (on) m_devices->raise();
}

bool SideDocks::showsDevices() const {
    return m_devices->isVisible();
}

QList<QAction*> SideDocks::actions() const {
    return {m_operations->toggleViewAction(), m_devices->toggleViewAction()};
}

}  // namespace workbench
