// SPDX-License-Identifier: MIT
// The one window: its pages image, benchmark, release, kernels, solve and tuning, the operations and device
// docks, menus and the line at the bottom. Wires views to the session; holds no state of its own besides the
// layout.
#pragma once

#include <QMainWindow>
#include <memory>
#include <optional>

class QAction;
class QStackedWidget;

namespace workbench {

class BenchmarkPage;
class DevicePanel;
class ImagePage;
class InfoBar;
class KernelsPage;
class LiveChoice;
class ManualWindow;
class OperationsPanel;
class PictureRecorder;
class ReleasePage;
class Session;
class SideDocks;
class SolvePage;
class TuningPage;
class WindowActions;

class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    // Names the pages in the order of the tool bar.
    enum class Page { image, benchmark, release, kernels, solve, tuning };
    // Returns a page's name, which --page, scripts, kept work and the log have; it is no text for people.
    static QString nameOf(Page page);
    static std::optional<Page> pageNamed(const QString& name);
    static QStringList pageNames();

    explicit MainWindow(Session& session, QWidget* parent = nullptr);
    ~MainWindow() override;

    Session& session() const { return m_session; }
    ImagePage& imagePage() const { return *m_image; }
    PictureRecorder& recorder() const { return *m_recorder; }
    BenchmarkPage& benchmarkPage() const { return *m_benchmark; }
    ReleasePage& releasePage() const { return *m_release; }
    KernelsPage& kernelsPage() const { return *m_kernels; }
    SolvePage& solvePage() const { return *m_solve; }
    TuningPage& tuningPage() const { return *m_tuning; }
    LiveChoice& liveChoice() const { return *m_choice; }
    OperationsPanel& operationsPanel() const { return *m_operations; }
    DevicePanel& devicePanel() const { return *m_device; }

    Page page() const;
    void setPage(Page page);
    void showDevices(bool on);
    // Sets whether closing asks and settings are written; off for automation.
    void setInteractive(bool on) { m_interactive = on; }
    bool isInteractive() const { return m_interactive; }
    // Sets that the session ends: closing asks nothing, since the work is kept for the next start.
    void setSessionEnding(bool on) { m_sessionEnding = on; }
    // Stands above the pages.
    void setOffer(QWidget* offer);

    // Shows a page of the manual, from a heading on where one is named.
    void openManual(const QString& page, const QString& anchor = {});
    // Shows the page about what has the focus or is on the screen.
    void openManualHere();
    ManualWindow* manual() const { return m_manual.get(); }  // null until it was opened once

    // Returns every action with a text, once, by menu: what Help lists.
    QList<std::pair<QString, QList<QAction*>>> actionsByMenu() const;
    // Returns one `iir2d` command that writes what the window would save; empty without an image.
    QString commandLine();

  public Q_SLOTS:
    void openPath(const QString& path);
    // Opens an image, a recipe, a record or a release, whichever it is.
    void openAny(const QString& path);
    void open();
    void openSample();
    void saveResultAs();
    void chooseRecordFolder();
    void copyCommandLine();

  Q_SIGNALS:
    void pageChanged();
    // Reports that the window closes. `decided`: by the user, who knows what becomes of the work; else the
    // session is ending.
    void closing(bool decided);

  protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;

  private:
    void connectSession();
    void connectPages();
    void takeDrops();
    void restoreLayout();
    void rememberLayout();
    void updateTitle();
    bool mayClose();

    Session& m_session;
    ImagePage* m_image;
    PictureRecorder* m_recorder;
    BenchmarkPage* m_benchmark;
    ReleasePage* m_release;
    KernelsPage* m_kernels;
    SolvePage* m_solve;
    TuningPage* m_tuning;
    LiveChoice* m_choice;
    OperationsPanel* m_operations;
    DevicePanel* m_device;
    InfoBar* m_info;
    QStackedWidget* m_pages;
    std::unique_ptr<SideDocks> m_docks;
    std::unique_ptr<WindowActions> m_actions;
    std::unique_ptr<ManualWindow> m_manual;
    bool m_interactive = true;
    bool m_sessionEnding = false;
};

}  // namespace workbench
