// SPDX-License-Identifier: MIT
#include "ui/window/window_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>
#include <QUndoStack>

#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/record_desk.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/picture/view_bar.h"
#include "ui/release/release_page.h"
#include "ui/session/session.h"
#include "ui/tuning/tuning_page.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/theme.h"
#include "ui/window/help_dialogs.h"
#include "ui/window/picture_recorder.h"
#include "ui/window/record_job.h"
#include "ui/window/side_docks.h"

namespace workbench {
namespace {

using Page = MainWindow::Page;

void giveToolTip(QAction* action) {
    const QString text = QString(action->text()).remove(QLatin1Char('&')).remove(QStringLiteral("…"));
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(keys.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, keys));
}

}  // namespace

WindowActions::WindowActions(MainWindow& window, SideDocks& docks)
    : m_window(window), m_session(window.session()) {
    makeActions(docks);
    makeToolBar();
    makeMenus(docks);
    connect(&m_session, &Session::imageChanged, this, &WindowActions::showState);
    connect(&window.recorder(), &PictureRecorder::stateChanged, this, &WindowActions::showState);
    connect(&window.benchmarkPage(), &BenchmarkPage::runningChanged, this, &WindowActions::showState);
    connect(&window.tuningPage().model(), &TuningModel::workChanged, this, &WindowActions::showState);
    showState();
}

void WindowActions::makeActions(SideDocks& docks) {
    const auto make = [this](const QString& icon, const QString& text, const QKeySequence& keys) {
        auto* action = new QAction(themedIcon(icon), text, &m_window);
        action->setShortcut(keys);
        giveToolTip(action);
        return action;
    };
    m_open = make(QStringLiteral("open"), tr("&Open…"), QKeySequence(QKeySequence::Open));
    m_openSample = make({}, tr("Open the sa&mple"), QKeySequence(tr("Ctrl+Shift+M")));
    m_save = make(QStringLiteral("save"), tr("&Save result as…"), QKeySequence(tr("Ctrl+Shift+S")));
    m_quit = make({}, tr("&Quit"), QKeySequence(tr("Ctrl+Q")));
    m_undo = m_session.undoStack()->createUndoAction(&m_window, tr("Undo"));
    m_undo->setIcon(themedIcon(QStringLiteral("undo")));
    m_undo->setShortcut(QKeySequence(tr("Ctrl+Z")));
    m_redo = m_session.undoStack()->createRedoAction(&m_window, tr("Redo"));
    m_redo->setIcon(themedIcon(QStringLiteral("redo")));
    m_redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    m_copyImage = make({}, tr("&Copy image"), QKeySequence(QKeySequence::Copy));
    m_copyCommand =
        make(QStringLiteral("copy"), tr("Copy as command &line"), QKeySequence(tr("Ctrl+Shift+C")));
    m_record = make(QStringLiteral("record"), tr("Record &what I see…"), QKeySequence(tr("Ctrl+Shift+R")));
    m_pages = {
        {{make(QStringLiteral("image"), tr("I&mage"), QKeySequence(tr("Ctrl+1"))), Page::image},
         {make(QStringLiteral("benchmark"), tr("Ben&chmark"), QKeySequence(tr("Ctrl+2"))), Page::benchmark},
         {make(QStringLiteral("release"), tr("R&elease"), QKeySequence(tr("Ctrl+3"))), Page::release},
         {make(QStringLiteral("kernels"), tr("&Kernels"), QKeySequence(tr("Ctrl+4"))), Page::kernels},
         {make(QStringLiteral("solve"), tr("Sol&ve"), QKeySequence(tr("Ctrl+5"))), Page::solve},
         {make(QStringLiteral("tuning"), tr("&Tuning"), QKeySequence(tr("Ctrl+6"))), Page::tuning}}};
    auto* pages = new QActionGroup(this);
    for (const auto& [action, page] : m_pages) {
        action->setCheckable(true);
        pages->addAction(action);
    }
    m_runBenchmark = make(QStringLiteral("play"), tr("&Run benchmark"), QKeySequence(tr("Ctrl+R")));
    m_cancelBenchmark = make(QStringLiteral("stop"), tr("&Cancel benchmark"), QKeySequence(tr("Ctrl+.")));
    m_fullScreen = make({}, tr("F&ull screen"), QKeySequence(tr("F11")));
    m_fullScreen->setCheckable(true);
    m_resetLayout = make({}, tr("Reset la&yout"), {});
    m_manual = make(QStringLiteral("manual"), tr("&Manual"), QKeySequence(tr("F1")));
    m_shortcuts = make({}, tr("&Keyboard shortcuts"), QKeySequence(tr("Ctrl+F1")));
    m_about = make(QStringLiteral("info"), tr("&About IIR2D Workbench"), {});

    connect(m_open, &QAction::triggered, &m_window, &MainWindow::open);
    connect(m_openSample, &QAction::triggered, &m_window, &MainWindow::openSample);
    connect(m_save, &QAction::triggered, &m_window, &MainWindow::saveResultAs);
    connect(m_quit, &QAction::triggered, &m_window, &MainWindow::close);
    connect(m_copyImage, &QAction::triggered, &m_window.imagePage(), &ImagePage::copyImage);
    connect(m_copyCommand, &QAction::triggered, &m_window, &MainWindow::copyCommandLine);
    connect(m_record, &QAction::triggered, this, [this] {
        m_window.setPage(Page::image);
        m_window.recorder().job().start();
    });
    for (const auto& [action, page] : m_pages)
        connect(action, &QAction::triggered, this, [this, page = page] { m_window.setPage(page); });
    connect(m_runBenchmark, &QAction::triggered, this, [this] {
        m_window.setPage(Page::benchmark);
        m_window.benchmarkPage().run();
    });
    connect(m_cancelBenchmark, &QAction::triggered, &m_window.benchmarkPage(), &BenchmarkPage::cancel);
    connect(m_fullScreen, &QAction::triggered, this, [this](bool on) {
        m_window.setWindowState(m_window.windowState().setFlag(Qt::WindowFullScreen, on));
    });
    connect(m_resetLayout, &QAction::triggered, &docks, &SideDocks::reset);
    connect(m_manual, &QAction::triggered, &m_window, &MainWindow::openManualHere);
    connect(m_shortcuts, &QAction::triggered, this, [this] {
        const QString view = tr("Picture");
        const QString manual = tr("Manual");
        auto* dialog = new ShortcutsDialog(byMenu(),
                                           {{view, tr("Show the original while held"), tr("O")},
                                            {view, tr("Pan"), tr("Arrow keys, or drag")},
                                            {view, tr("Pan far"), tr("Shift+arrow keys")},
                                            {view, tr("Pan over the split line"), tr("Space+drag")},
                                            {view, tr("Move the split line"), tr("Ctrl+Left, Ctrl+Right")},
                                            {view, tr("Zoom at the cursor"), tr("Wheel")},
                                            {view, tr("Fit, or 100 %"), tr("Double click")},
                                            {view, tr("Paint an upstream gradient"), tr("Ctrl+drag")},
                                            {view, tr("Paint a negative one"), tr("Ctrl+Shift+drag")},
                                            {manual, tr("Search all pages"), tr("Ctrl+K")},
                                            {manual, tr("Find on this page"), tr("Ctrl+F")},
                                            {manual, tr("Next, previous place"), tr("F3, Shift+F3")},
                                            {manual, tr("Back, forward"), tr("Alt+Left, Alt+Right")},
                                            {manual, tr("All pages"), tr("Alt+Home")}},
                                           &m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->show();
    });
    connect(m_about, &QAction::triggered, this, [this] {
        auto* dialog = new AboutDialog(m_session, &m_window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->show();
    });
}

void WindowActions::makeMenus(SideDocks& docks) {
    QMenuBar* bar = m_window.menuBar();
    QMenu* file = bar->addMenu(tr("&File"));
    file->addAction(m_open);
    m_recentMenu = file->addMenu(tr("Open &recent"));
    connect(m_recentMenu, &QMenu::aboutToShow, this, &WindowActions::fillRecentMenu);
    file->addAction(m_openSample);
    file->addActions(m_window.imagePage().viewBar().pageActions());
    file->addSeparator();
    file->addAction(m_save);
    file->addSeparator();
    file->addAction(m_quit);

    QMenu* edit = bar->addMenu(tr("&Edit"));
    edit->addActions({m_undo, m_redo});
    edit->addSeparator();
    edit->addActions({m_copyImage, m_copyCommand});

    QMenu* view = bar->addMenu(tr("&View"));
    for (QAction* action : m_window.imagePage().viewBar().viewActions()) {
        if (action) {
            view->addAction(action);
        } else {
            view->addSeparator();
        }
    }
    view->addSeparator();
    for (const auto& [action, page] : m_pages) view->addAction(action);
    view->addSeparator();
    view->addActions(docks.actions());
    QMenu* themes = view->addMenu(tr("T&heme"));
    auto* group = new QActionGroup(this);
    const std::pair<Theme, QString> choices[] = {
        {Theme::system, tr("As the &system")}, {Theme::light, tr("&Light")}, {Theme::dark, tr("&Dark")}};
    for (const auto& [theme, text] : choices) {
        QAction* action = themes->addAction(text);
        action->setCheckable(true);
        action->setChecked(m_session.settings().theme == theme);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, chosen = theme] {
            m_session.settings().theme = chosen;
            applyTheme(*qApp, chosen);
            if (m_window.isInteractive()) m_session.saveSettings();
        });
    }
    view->addActions({m_fullScreen, m_resetLayout});

    QMenu* operations = m_window.operationsPanel().createOperationsMenu(&m_window);
    operations->setTitle(tr("&Operations"));
    bar->addMenu(operations);
    QMenu* presets = m_window.operationsPanel().createPresetsMenu(&m_window);
    presets->setTitle(tr("&Presets"));
    bar->addMenu(presets);
    QMenu* benchmark = bar->addMenu(tr("&Benchmark"));
    benchmark->addActions({m_runBenchmark, m_window.benchmarkPage().duelAction(), m_cancelBenchmark});
    benchmark->addSeparator();
    benchmark->addAction(m_record);
    benchmark->addActions(m_window.benchmarkPage().recordActions());
    QMenu* release = bar->addMenu(tr("&Release"));
    release->setToolTipsVisible(true);
    for (QAction* action : m_window.releasePage().actionsForMenu()) {
        if (!action) {
            release->addSeparator();
            continue;
        }
        release->addAction(action);
    }
    QMenu* help = bar->addMenu(tr("&Help"));
    help->addActions({m_manual, m_shortcuts, m_about});
}

void WindowActions::makeToolBar() {
    QToolBar* bar = m_window.addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->setIconSize(QSize(16, 16));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addActions({m_open, m_save});
    bar->addSeparator();
    bar->addActions({m_undo, m_redo});
    bar->addSeparator();
    bar->addActions({m_copyCommand, m_record});
    auto* stretch = new QWidget(bar);
    stretch->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(stretch);
    for (const auto& [action, page] : m_pages) bar->addAction(action);
    for (QAction* action : {m_undo, m_redo, m_copyCommand, m_record}) {
        if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action))) {
            button->setToolButtonStyle(Qt::ToolButtonIconOnly);  // their text changes, or is long
        }
    }
    // Fusion sets the text against the icon; a space keeps them apart.
    const auto shorten = [](QAction* action, const QString& text) {
        action->setIconText(QLatin1Char(' ') + text);
    };
    shorten(m_open, tr("Open"));
    shorten(m_save, tr("Save result"));
    for (const auto& [action, page] : m_pages)
        shorten(action, QString(action->text()).remove(QLatin1Char('&')));
    for (auto* button : bar->findChildren<QToolButton*>()) {
        button->setFocusPolicy(Qt::TabFocus);
        if (button->defaultAction()) {
            button->setAccessibleName(QString(button->defaultAction()->text()).remove(QLatin1Char('&')));
        }
    }
}

void WindowActions::fillRecentMenu() {
    m_recentMenu->clear();
    int number = 0;
    for (const std::string& file : m_session.settings().recent_files) {
        const QString path = QString::fromStdString(file);
        const QString name = QFileInfo(path).fileName().replace(QLatin1Char('&'), QStringLiteral("&&"));
        ++number;
        QAction* action =
            m_recentMenu->addAction(number < 10 ? QStringLiteral("&%1  %2").arg(number).arg(name)
                                                : QStringLiteral("1&0  %1").arg(name));
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { m_window.openPath(path); });
    }
    m_recentMenu->setToolTipsVisible(true);
    if (number == 0) {
        m_recentMenu->addAction(tr("Nothing opened yet"))->setEnabled(false);
        return;
    }
    m_recentMenu->addSeparator();
    connect(m_recentMenu->addAction(tr("&Clear the list")), &QAction::triggered, this, [this] {
        m_session.settings().recent_files.clear();
        m_session.saveSettings();
    });
}

void WindowActions::showState() {
    const bool hasImage = m_session.image() != nullptr;
    const bool onImage = m_window.page() == Page::image;
    const bool isRunning = m_window.benchmarkPage().isRunning();
    const RecordJob& job = m_window.recorder().job();
    // Two at once would measure each other.
    const bool isMeasuring = isRunning || job.isMeasuring() || m_window.tuningPage().model().isMeasuring();
    m_save->setEnabled(hasImage);
    m_copyImage->setEnabled(hasImage && onImage);  // elsewhere Ctrl+C belongs to what has the focus
    m_copyCommand->setEnabled(hasImage);
    m_record->setEnabled(hasImage && !isMeasuring && !job.isWriting());
    for (const auto& [action, page] : m_pages) action->setChecked(page == m_window.page());
    // Single keys act on the picture; on the other page they must not.
    for (QAction* action : m_window.imagePage().viewBar().viewActions()) {
        if (action) action->setEnabled(hasImage && onImage);
    }
    m_runBenchmark->setEnabled(!isMeasuring);
    m_cancelBenchmark->setEnabled(isRunning);
    m_cancelBenchmark->setText(m_window.benchmarkPage().desk().isDuelling() ? tr("&Cancel duel")
                                                                            : tr("&Cancel benchmark"));
    m_fullScreen->setChecked(m_window.isFullScreen());
}

QList<std::pair<QString, QList<QAction*>>> WindowActions::byMenu() const {
    QList<std::pair<QString, QList<QAction*>>> groups;
    const auto collect = [](const QMenu* menu, QList<QAction*>& into, const auto& self) -> void {
        for (QAction* action : menu->actions()) {
            if (action->menu()) {
                self(action->menu(), into, self);
            } else if (!action->isSeparator()) {
                into.append(action);
            }
        }
    };
    for (const QAction* top : m_window.menuBar()->actions()) {
        if (!top->menu()) continue;
        QList<QAction*> members;
        collect(top->menu(), members, collect);
        groups.append({QString(top->text()).remove(QLatin1Char('&')), members});
    }
    return groups;
}

}  // namespace workbench
