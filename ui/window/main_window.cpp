// SPDX-License-Identifier: MIT
#include "ui/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <QUndoStack>
#include <QVBoxLayout>

#include "core/image/image_io.h"
#include "core/recipe/recipe_copy.h"
#include "core/support/files.h"
#include "core/support/shell.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/record_desk.h"
#include "ui/kernels/kernels_page.h"
#include "ui/manual/manual_window.h"
#include "ui/operations/operations_panel.h"
#include "ui/operations/recipe_bar.h"
#include "ui/picture/gradient_view.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/save_job.h"
#include "ui/picture/view_bar.h"
#include "ui/release/release_page.h"
#include "ui/session/path_kind.h"
#include "ui/session/session.h"
#include "ui/solve/solve_page.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tuning/live_choice.h"
#include "ui/tuning/tuning_page.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/undo_keys.h"
#include "ui/window/context_help.h"
#include "ui/window/device_panel.h"
#include "ui/window/info_bar.h"
#include "ui/window/picture_recorder.h"
#include "ui/window/record_job.h"
#include "ui/window/side_docks.h"
#include "ui/window/window_actions.h"

namespace workbench {
namespace {

// "*.png *.jpg ..."
QString patterns(const std::vector<std::string>& extensions) {
    QStringList all;
    for (const std::string& extension : extensions)
        all << QStringLiteral("*.") + QString::fromStdString(extension);
    return all.join(QLatin1Char(' '));
}

// What chooses, and what is pinned, as `iir2d` takes it. A recipe of several operations has no config: one
// for all may not be valid for each.
QString executionArguments(const LiveChoice& choice, const std::string& command) {
    const iir2d::TuneMode mode = iir2d::tune_options().mode;
    const bool takesConfig = command.starts_with("iir2d filter") || command.starts_with("iir2d pool");
    QString arguments;
    if (mode != iir2d::TuneMode::automatic)
        arguments += QStringLiteral(" --tune ") + toText(iir2d::name_of(mode));
    if (takesConfig && choice.steps().size() == 1 && choice.isPinned())
        arguments += QStringLiteral(" --config ") +
                     toText(shell_quoted(iir2d::text_of(choice.steps().front().config)));
    return arguments;
}

}  // namespace

MainWindow::MainWindow(Session& session, QWidget* parent)
    : QMainWindow(parent),
      m_session(session),
      m_image(new ImagePage(session, this)),
      m_recorder(new PictureRecorder(session, *m_image)),
      m_benchmark(new BenchmarkPage(session, this)),
      m_release(new ReleasePage(session, this)),
      m_kernels(new KernelsPage(session, this)),
      m_solve(new SolvePage(session, this)),
      m_tuning(new TuningPage(session, this)),
      m_choice(new LiveChoice(session, m_tuning->model(), this)),
      m_operations(new OperationsPanel(session, this)),
      m_device(new DevicePanel(session, this)),
      m_info(new InfoBar(session, *m_choice, this)),
      m_pages(new QStackedWidget(this)) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(applicationIcon());
    qApp->installEventFilter(new UndoKeys(this));
    qApp->installEventFilter(new DialogHelp(this));
    setMinimumSize(640, 400);
    for (QWidget* page :
         std::initializer_list<QWidget*>{m_image, m_benchmark, m_release, m_kernels, m_solve, m_tuning})
        m_pages->addWidget(page);  // as Page has them
    auto* centre = new QWidget(this);
    auto* column = makeColumn(centre, 0);
    column->addWidget(m_pages);
    setCentralWidget(centre);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(0, 0, 0, 0);
    statusBar()->addPermanentWidget(m_info, 1);

    m_docks = std::make_unique<SideDocks>(*this, m_operations, m_device);
    m_actions = std::make_unique<WindowActions>(*this, *m_docks);
    connectSession();
    connectPages();
    takeDrops();
    resize(1280, 800);
    restoreLayout();
    updateTitle();
}

void MainWindow::setOffer(QWidget* offer) {
    static_cast<QVBoxLayout*>(centralWidget()->layout())->insertWidget(0, offer);
}

MainWindow::~MainWindow() {
    // Docks are hidden and views lose the focus when QWidget closes, when no MainWindow is left to be told.
    for (QObject* child : findChildren<QObject*>()) child->disconnect(this);
}

void MainWindow::connectSession() {
    connect(&m_session, &Session::imageChanged, this, [this] {
        updateTitle();
        m_info->showZoom(m_image->view().transform());
        // The samples lie where nobody keeps images.
        const ImagePtr image = m_session.image();
        if (image && image->info.path.parent_path() != resource_directory() / "samples")
            m_session.settings().last_directory = fromPath(image->info.path.parent_path()).toStdString();
        m_session.saveSettings();  // the list of recent files too
    });
    // Only a folder that took a file is proposed for the next one.
    const auto remember = [this](const QString& written) {
        m_session.keepExportFolder(QFileInfo(written).absolutePath());
    };
    connect(&m_image->saveJob(), &SaveJob::saved, this, remember);
    connect(&m_recorder->job(), &RecordJob::written, this, remember);
    connect(&m_session, &Session::openFailed, this, [this](const QString& path) {
        if (QFileInfo::exists(path)) return;
        std::erase(m_session.settings().recent_files, path.toStdString());  // gone: no use offering it
    });
    connect(&m_session, &Session::recipeChanged, this, &MainWindow::updateTitle);
    connect(m_operations, &OperationsPanel::selectionChanged, this,
            [this](int row) { m_image->gradientView().input().setSelected(row); });
    m_image->gradientView().input().setSelected(m_operations->selectedRow());
    connect(m_session.undoStack(), &QUndoStack::indexChanged, this, &MainWindow::updateTitle);
    connect(m_session.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::updateTitle);
    connect(&m_session, &Session::deviceFailed, this, [this](const QString& message) {
        m_image->messages().show(QStringLiteral("device"), MessageArea::Severity::error, message,
                                 {{tr("Choose a device"), [this] { showDevices(true); }}});
    });
    connect(&m_session, &Session::deviceChanged, this,
            [this] { m_image->messages().clear(QStringLiteral("device")); });
    connect(&m_session, &Session::settingsFailed, this, [this](const QString& message) {
        m_image->messages().show(QStringLiteral("settings"), MessageArea::Severity::warning, message);
    });
}

void MainWindow::connectPages() {
    connect(m_image, &ImagePage::openRequested, this, &MainWindow::open);
    connect(m_image, &ImagePage::sampleRequested, this, &MainWindow::openSample);
    connect(m_image, &ImagePage::fileRequested, this, &MainWindow::openPath);
    connect(m_recorder, &PictureRecorder::folderRequested, this, &MainWindow::chooseRecordFolder);
    connect(m_recorder, &PictureRecorder::showRequested, this, [this](const QString& directory) {
        setPage(Page::benchmark);
        m_benchmark->desk().open(directory);
    });
    // Two at once would measure each other.
    const auto hinder = [this] {
        const QString busy = tr("%1, and two at once would measure each other: wait for it, or cancel it.");
        const bool isRecording = m_recorder->job().isMeasuring();
        m_benchmark->setHindrance(isRecording                       ? busy.arg(tr("A record is being made"))
                                  : m_tuning->model().isMeasuring() ? busy.arg(tr("The tuner is measuring"))
                                                                    : QString());
        m_tuning->model().setOtherHindrance(isRecording ? busy.arg(tr("A record is being made"))
                                            : m_benchmark->isRunning()
                                                ? busy.arg(tr("A benchmark or a duel is running"))
                                                : QString());
    };
    connect(m_recorder, &PictureRecorder::stateChanged, this, hinder);
    connect(m_benchmark, &BenchmarkPage::runningChanged, this, hinder);
    connect(&m_tuning->model(), &TuningModel::workChanged, this, hinder);
    connect(m_info, &InfoBar::decisionAsked, this, [this](const QString& spec) {
        setPage(Page::tuning);
        m_tuning->showSpec(spec);
    });
    connect(m_benchmark, &BenchmarkPage::attentionWanted, this, [this] { setPage(Page::benchmark); });
    connect(m_solve, &SolvePage::kernelAsked, this, [this](const QString& name) {
        setPage(Page::kernels);
        m_kernels->showKernel(name);
    });
    connect(m_release, &ReleasePage::wanted, this, [this] { setPage(Page::release); });
    connect(m_operations, &OperationsPanel::kernelRequested, this, [this](int row) {
        setPage(Page::kernels);
        m_kernels->showOperation(m_session.recipe().operations[std::size_t(row)]);
    });
    connect(m_image, &ImagePage::markChanged, m_info, &InfoBar::setMark);
    connect(&m_image->view(), &ImageView::probeChanged, this,
            [this] { m_info->setProbe(m_image->view().probedPixel()); });
    connect(&m_image->view(), &ImageView::viewChanged, this,
            [this] { m_info->showZoom(m_image->view().transform()); });
    connect(m_info, &InfoBar::deviceClicked, this, [this] { showDevices(!m_docks->showsDevices()); });
}

QStringList MainWindow::pageNames() {
    return {QStringLiteral("image"),   QStringLiteral("benchmark"), QStringLiteral("release"),
            QStringLiteral("kernels"), QStringLiteral("solve"),     QStringLiteral("tuning")};
}

QString MainWindow::nameOf(Page page) {
    return pageNames().at(int(page));
}

std::optional<MainWindow::Page> MainWindow::pageNamed(const QString& name) {
    const auto index = pageNames().indexOf(name);
    return index < 0 ? std::nullopt : std::optional(Page(index));
}

MainWindow::Page MainWindow::page() const {
    return Page(m_pages->currentIndex());
}

void MainWindow::setPage(Page next) {
    if (next != page()) {
        if (page() == Page::image) m_docks->setBesidePicture(false);
        m_pages->setCurrentIndex(int(next));
        if (next == Page::image) m_docks->setBesidePicture(true);
        Q_EMIT pageChanged();
    }
    m_actions->showState();
}

void MainWindow::showDevices(bool on) {
    m_docks->showDevices(on);
    if (on) m_device->setFocus();
}

void MainWindow::openManual(const QString& page, const QString& anchor) {
    if (!m_manual) {
        m_manual = std::make_unique<ManualWindow>(Manual::installed());
        connect(m_manual.get(), &ManualWindow::webLinkClicked, this, &QDesktopServices::openUrl);
    }
    m_manual->setOwner(QApplication::activeModalWidget());
    m_manual->openPage(page, anchor);
}

void MainWindow::openManualHere() {
    const ManualPlace place = manualPlaceFor(*this, QApplication::focusWidget());
    openManual(place.page, place.anchor);
}

void MainWindow::openPath(const QString& path) {
    setPage(Page::image);
    m_session.openImage(QFileInfo(path).absoluteFilePath());
}

void MainWindow::openAny(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    switch (kind_of(toPath(absolute))) {
        case PathKind::image:
        case PathKind::library:
            return openPath(absolute);
        case PathKind::recipe:
            setPage(Page::image);
            m_operations->recipeBar().openRecipe(absolute);
            return;
        case PathKind::record:
        case PathKind::duel:
            setPage(Page::benchmark);
            m_benchmark->desk().open(absolute);
            return;
        case PathKind::release:
            setPage(Page::release);
            m_release->openDirectory(absolute);
            return;
        case PathKind::folder:
            m_image->messages().show(QStringLiteral("open"), MessageArea::Severity::error,
                                     tr("%1 is a folder, and neither a record nor a release").arg(absolute));
            return;
    }
}

void MainWindow::open() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Open an image"), QString::fromStdString(m_session.settings().last_directory),
        tr("Images (%1);;All files (*)").arg(patterns(readable_extensions())));
    if (!path.isEmpty()) openPath(path);
}

void MainWindow::openSample() {
    setPage(Page::image);
    m_session.openImage(fromPath(resource_directory() / "samples" / "astronaut.png"));
}

void MainWindow::saveResultAs() {
    const ImagePtr image = m_session.image();
    if (!image) return;
    const QFileInfo source(fromPath(image->info.path));
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the result as"),
        QStringLiteral("%1/%2-result.%3")
            .arg(m_session.exportFolder(source.absolutePath()), source.completeBaseName(), source.suffix()),
        tr("Images (%1);;All files (*)").arg(patterns(writable_extensions())));
    if (!path.isEmpty()) m_image->saveJob().start(path);
}

QString MainWindow::commandLine() {
    const ImagePtr image = m_session.image();
    if (!image) return {};
    const QFileInfo source(fromPath(image->info.path));
    const QString output = QStringLiteral("%1/%2-result.%3")
                               .arg(source.absolutePath(), source.completeBaseName(), source.suffix());
    const std::filesystem::path recipe = recipe_copy_path(m_session.recipe());
    const std::string command = command_line(m_session.recipe(), fromPath(image->info.path).toStdString(),
                                             output.toStdString(), fromPath(recipe).toStdString(),
                                             m_session.deviceSpec().toStdString(), image->info.image_index);
    if (command.find(recipe.filename().string()) != std::string::npos) {
        if (const auto written = save_recipe_copy(m_session.recipe()); !written) {
            m_image->messages().show(QStringLiteral("copy"), MessageArea::Severity::error,
                                     QString::fromStdString(written.error().message));
            return {};
        }
    }
    return QString::fromStdString(command) + executionArguments(*m_choice, command);
}

void MainWindow::copyCommandLine() {
    const QString command = commandLine();
    if (command.isEmpty()) return;
    QApplication::clipboard()->setText(command);
    m_image->messages().show(QStringLiteral("copy"), MessageArea::Severity::info,
                             tr("Copied: %1").arg(command));
}

void MainWindow::chooseRecordFolder() {
    if (!m_interactive) return;  // whoever drives the window says where
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Where to make the record's directory"),
                                                             m_session.exportFolder());
    if (folder.isEmpty()) return;  // its message still offers it
    m_recorder->job().writeInto(folder);
}

void MainWindow::updateTitle() {
    const ImagePtr image = m_session.image();
    const QString recipe = QString::fromStdString(m_session.recipe().name);
    QStringList parts;
    if (image) parts << fromPath(image->info.path.filename());
    if (!recipe.isEmpty()) parts << recipe;
    parts << tr("IIR2D Workbench");
    setWindowTitle(QStringLiteral("[*]") + parts.join(QStringLiteral(" – ")));
    setWindowModified(m_session.isRecipeModified());
}

// Closing -----------------------------------------------------------------------------------------------

bool MainWindow::mayClose() {
    if (!m_interactive) return true;
    QString running;
    if (m_image->saveJob().isRunning()) {
        running = tr("%1 is still being saved.").arg(QFileInfo(m_image->saveJob().path()).fileName());
    } else if (m_benchmark->isRunning()) {
        running = m_benchmark->runningText();
    } else if (m_recorder->job().isMeasuring() || m_recorder->job().isWriting()) {
        running = tr("A record of %1 is still being made.").arg(m_recorder->job().subject());
    } else if (m_release->isChanging()) {
        running = tr("The release is still being changed.");
    } else if (m_kernels->isMaking()) {
        running = tr("A data set of kernels is still being made.");
    } else if (m_solve->isRunning()) {
        running = tr("A problem is still being solved.");
    } else if (m_tuning->model().isRunning()) {
        running = tr("The tuner is still measuring or training.");
    }
    if (!running.isEmpty()) {
        QMessageBox box(QMessageBox::Question, tr("Still running"), running, QMessageBox::NoButton, this);
        box.setInformativeText(tr("Closing now cancels it; nothing half-written is left behind."));
        auto* cancelIt = box.addButton(tr("Cancel it and close"), QMessageBox::DestructiveRole);
        box.setDefaultButton(box.addButton(tr("Keep the window open"), QMessageBox::RejectRole));
        box.exec();
        if (box.clickedButton() != cancelIt) return false;
    }
    if (m_benchmark->desk().hasUnkept()) {
        const auto answer =
            QMessageBox::question(this, tr("Results not kept"),
                                  tr("Results of a benchmark or a duel are neither in the history nor saved: "
                                     "closing now loses them."),
                                  QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Cancel);
        if (answer == QMessageBox::Cancel) return false;
    }
    if (m_session.isRecipeModified()) {
        const auto answer = QMessageBox::question(
            this, tr("Recipe not saved"), tr("The recipe has changes that are not saved."),
            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Save);
        if (answer == QMessageBox::Cancel) return false;
        if (answer == QMessageBox::Save) {
            m_operations->recipeBar().saveRecipe();
            if (m_session.isRecipeModified()) return false;  // the save was given up or failed
        }
    }
    return true;
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    // A window manager may begin and end full screen too.
    if (event->type() == QEvent::WindowStateChange && m_actions) m_actions->showState();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!m_sessionEnding && !mayClose()) {
        event->ignore();
        return;
    }
    Q_EMIT closing(!m_sessionEnding);
    if (m_manual) m_manual->close();
    m_session.cancelOpen();
    m_image->saveJob().cancel();
    m_benchmark->cancel();
    m_recorder->job().cancel();
    m_release->cancel();
    if (m_interactive) {
        rememberLayout();
        m_session.saveSettings();
    }
    event->accept();
}

void MainWindow::rememberLayout() {
    setPage(Page::image);  // whose docks are the ones to remember
    Settings& settings = m_session.settings();
    settings.window_geometry = saveGeometry().toBase64().toStdString();
    settings.window_state = saveState().toBase64().toStdString();
}

void MainWindow::restoreLayout() {
    const Settings& settings = m_session.settings();
    const auto decoded = [](const std::string& text) {
        return QByteArray::fromBase64(QByteArray::fromStdString(text));
    };
    if (!settings.window_geometry.empty()) restoreGeometry(decoded(settings.window_geometry));
    if (!settings.window_state.empty()) restoreState(decoded(settings.window_state));
}

// Dropping ----------------------------------------------------------------------------------------------

void MainWindow::takeDrops() {
    const auto say = [](const QString& file) {
        const QString name = QFileInfo(file).fileName();
        switch (kind_of(toPath(file))) {
            case PathKind::recipe:
                return tr("Drop to load the recipe %1").arg(name);
            case PathKind::record:
                return tr("Drop to open the record %1").arg(name);
            case PathKind::duel:
                return tr("Drop to open the duel %1").arg(name);
            case PathKind::release:
                return tr("Drop to open the release %1").arg(name);
            case PathKind::image:
            case PathKind::library:
            case PathKind::folder:
                break;
        }
        return tr("Drop to open %1").arg(name);
    };
    new DropCue(this, say, [this](const QString& file) { openAny(file); });
}

// Holding O shows the original wherever the focus is, as long as nobody types with it.
void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (page() == Page::image && event->key() == Qt::Key_O && event->modifiers() == Qt::NoModifier) {
        if (!event->isAutoRepeat()) m_image->view().showOriginal(true);
        return;
    }
    QMainWindow::keyPressEvent(event);
}

void MainWindow::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_O && !event->isAutoRepeat()) {
        m_image->view().showOriginal(false);
        return;
    }
    QMainWindow::keyReleaseEvent(event);
}

QList<std::pair<QString, QList<QAction*>>> MainWindow::actionsByMenu() const {
    return m_actions->byMenu();
}

}  // namespace workbench
