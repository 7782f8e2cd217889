// SPDX-License-Identifier: MIT
// The one window: image page, benchmark page and release page, the operations and device docks, menus and the
// line at the bottom. Wires views to the session; holds no state of its own besides the layout.
#pragma once

#include <QMainWindow>

class QAction;
class QMenu;
class QStackedWidget;

namespace workbench {

class BenchmarkPage;
class DevicePanel;
class DropCue;
class ImagePage;
class InfoBar;
class OperationsPanel;
class PictureRecorder;
class ReleasePage;
class Session;

class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    enum class Page { image, benchmark, release };

    explicit MainWindow(Session& session, QWidget* parent = nullptr);
    ~MainWindow() override;

    Session& session() const { return m_session; }
    ImagePage& imagePage() const { return *m_image; }
    PictureRecorder& recorder() const { return *m_recorder; }
    BenchmarkPage& benchmarkPage() const { return *m_benchmark; }
    ReleasePage& releasePage() const { return *m_release; }
    OperationsPanel& operationsPanel() const { return *m_operations; }
    DevicePanel& devicePanel() const { return *m_device; }

    Page page() const;
    void setPage(Page page);
    void showDevices(bool on);
    // Off: closing asks nothing and settings are not touched. For automation.
    void setInteractive(bool on) { m_interactive = on; }
    // On: closing asks nothing, since the work is kept for the next start.
    void setSessionEnding(bool on) { m_sessionEnding = on; }
    // Stands above the pages.
    void setOffer(QWidget* offer);

    // Every action with a text, once, by menu: what Help lists.
    QList<std::pair<QString, QList<QAction*>>> actionsByMenu() const;
    // Returns one `iir2d` command that writes what the window would save; empty without an image.
    QString commandLine();

  public Q_SLOTS:
    void openPath(const QString& path);
    void open();
    void openSample();
    void saveResultAs();
    void chooseRecordFolder();
    void copyCommandLine();

  Q_SIGNALS:
    void pageChanged();
    // `decided`: by the user, who knows what becomes of the work; else the session is ending.
    void closing(bool decided);

  protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void buildDocks();
    void nameDocks();
    void buildActions();
    void buildMenus();
    void buildToolBar();
    void connectSession();
    void restoreLayout();
    void rememberLayout();
    void resetLayout();
    void updateTitle();
    void updateActions();
    void fillRecentMenu();
    bool mayClose();

    Session& m_session;
    ImagePage* m_image;
    PictureRecorder* m_recorder;
    BenchmarkPage* m_benchmark;
    ReleasePage* m_release;
    OperationsPanel* m_operations;
    DevicePanel* m_device;
    InfoBar* m_info;
    DropCue* m_dropCue;
    QStackedWidget* m_pages;
    QDockWidget* m_operationsDock = nullptr;
    QDockWidget* m_deviceDock = nullptr;
    bool m_operationsWanted = true;  // on the image page
    bool m_interactive = true;
    bool m_sessionEnding = false;

    QMenu* m_recentMenu = nullptr;
    QAction* m_open = nullptr;
    QAction* m_openSample = nullptr;
    QAction* m_save = nullptr;
    QAction* m_quit = nullptr;
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    QAction* m_copyImage = nullptr;
    QAction* m_copyCommand = nullptr;
    QAction* m_record = nullptr;
    QAction* m_imagePageAction = nullptr;
    QAction* m_benchmarkPageAction = nullptr;
    QAction* m_releasePageAction = nullptr;
    QAction* m_runBenchmark = nullptr;
    QAction* m_cancelBenchmark = nullptr;
    QAction* m_fullScreen = nullptr;
    QAction* m_resetLayout = nullptr;
    QAction* m_shortcuts = nullptr;
    QAction* m_about = nullptr;
};

}  // namespace workbench
