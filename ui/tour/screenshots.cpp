// SPDX-License-Identifier: MIT
#include "ui/tour/screenshots.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QElapsedTimer>
#include <QPixmap>
#include <QThread>
#include <QUndoStack>

#include "core/support/files.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/tour/tour_recipes.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/window/device_panel.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

constexpr QSize usualSize(1280, 800);

}  // namespace

ScreenshotTour::ScreenshotTour(MainWindow& window, const QDir& directory, const QString& suffix)
    : m_window(window), m_directory(directory), m_suffix(suffix) {
    window.setInteractive(false);
}

bool ScreenshotTour::waitFor(const QString& what, const std::function<bool()>& condition, int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > milliseconds) {
            m_problems << QStringLiteral("waited %1 s in vain for %2").arg(milliseconds / 1000).arg(what);
            return false;
        }
        QApplication::processEvents(QEventLoop::AllEvents, 10);
        QThread::msleep(2);
    }
    return true;
}

void ScreenshotTour::settle() {
    // Twice: what a layout moves is drawn by the next round.
    for (int round = 0; round < 2; ++round) {
        QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QApplication::processEvents();
        QThread::msleep(10);
    }
    m_window.repaint();
    waitFor(QStringLiteral("the picture to be drawn"), [this] {
        const bool settled =
            m_window.page() != MainWindow::Page::image || m_window.imagePage().view().isSettled();
        if (!settled) m_window.repaint();
        return settled;
    });
}

void ScreenshotTour::shoot(const QString& name, QWidget* widget) {
    settle();
    const QString path = m_directory.filePath(name + m_suffix + QStringLiteral(".png"));
    if ((widget ? widget : &m_window)->grab().save(path)) {
        m_saved << path;
    } else {
        m_problems << QStringLiteral("could not write %1").arg(path);
    }
}

void ScreenshotTour::shootInBoth(const QString& name, QWidget* widget) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
        if (theme == Theme::light && !m_suffix.isEmpty()) continue;  // that it scales, one theme shows
        applyTheme(*qApp, theme);
        shoot(name + (theme == Theme::light ? QStringLiteral("-light") : QStringLiteral("-dark")), widget);
    }
}

QString ScreenshotTour::sample(const char* name) const {
    return fromPath(resource_directory() / "samples" / name);
}

bool ScreenshotTour::openAndWait(const QString& path) {
    Session& session = m_window.session();
    m_window.openPath(path);
    const bool opened =
        waitFor(QStringLiteral("%1 to open").arg(path), [&] { return !session.isOpening(); }) &&
        session.image() != nullptr &&
        fromPath(session.image()->info.path) == QFileInfo(path).absoluteFilePath();
    if (!opened) m_problems << QStringLiteral("could not open %1").arg(path);
    return opened;
}

bool ScreenshotTour::waitForExact() {
    return waitFor(
        QStringLiteral("the exact result"), [this] { return m_window.session().exactResult() != nullptr; },
        60000);
}

void ScreenshotTour::empty() {
    shoot(QStringLiteral("01-empty"));
}

void ScreenshotTour::docksAndDialogs() {
    openAndWait(sample("astronaut.png"));
    waitForExact();
    waitFor(QStringLiteral("the devices"), [this] { return !m_window.session().isListingDevices(); });
    m_window.showDevices(true);
    shoot(QStringLiteral("30-device-dock"));
    m_window.showDevices(false);

    const auto dialog = [&](const QString& objectName, const QString& menu, const QString& name) {
        for (const auto& [group, actions] : m_window.actionsByMenu()) {
            for (QAction* action : actions) {
                if (action->text().contains(menu)) action->trigger();
            }
        }
        auto* shown = m_window.findChild<QDialog*>(objectName);
        if (!shown) {
            m_problems << QStringLiteral("the dialog %1 did not open").arg(objectName);
            return;
        }
        QElapsedTimer patience;
        patience.start();
        while (patience.elapsed() < 700) QApplication::processEvents(QEventLoop::AllEvents, 20);
        shoot(name, shown);
        shown->close();
    };
    dialog(QStringLiteral("shortcutsDialog"), QStringLiteral("&Keyboard"), QStringLiteral("31-shortcuts"));
    dialog(QStringLiteral("aboutDialog"), QStringLiteral("&About"), QStringLiteral("32-about"));
}

void ScreenshotTour::benchmark() {
    m_window.setPage(MainWindow::Page::benchmark);
    shoot(QStringLiteral("40-benchmark-before"));
    BenchmarkPage& page = m_window.benchmarkPage();
    page.run();
    QElapsedTimer timer;
    timer.start();
    waitFor(QStringLiteral("the benchmark to be under way"),
            [&] { return !page.isRunning() || timer.elapsed() > 2500; });
    shoot(QStringLiteral("41-benchmark-running"));
    waitFor(
        QStringLiteral("the benchmark"), [&] { return !page.isRunning(); }, 300000);
    shoot(QStringLiteral("42-benchmark-after"));

    MatrixChoices pooling = page.form().choices();
    pooling.sizes = {{512, 512}, {1024, 1024}};
    pooling.filterIds.clear();
    pooling.pools = {.ops = {iir2d::PoolOp::max, iir2d::PoolOp::adaptive_avg},
                     .elements = {iir2d::ElementType::f32, iir2d::ElementType::f16},
                     .passes = {PoolPass::forward, PoolPass::backward}};
    pooling.warmup = 1;
    pooling.iterations = 10;
    page.form().setChoices(pooling);
    page.run();
    waitFor(
        QStringLiteral("the benchmark of pooling"), [&] { return !page.isRunning(); }, 300000);
    shoot(QStringLiteral("43-benchmark-pooling"));
}

void ScreenshotTour::themes() {
    Session& session = m_window.session();
    for (const auto& [theme, name] :
         {std::pair{Theme::light, QStringLiteral("light")}, std::pair{Theme::dark, QStringLiteral("dark")}}) {
        applyTheme(*qApp, theme);
        m_window.setPage(MainWindow::Page::benchmark);
        shoot(QStringLiteral("50-%1-benchmark").arg(name));
        m_window.setPage(MainWindow::Page::release);
        shoot(QStringLiteral("53-%1-release").arg(name));
        m_window.setPage(MainWindow::Page::kernels);
        shoot(QStringLiteral("54-%1-kernels").arg(name));
        m_window.setPage(MainWindow::Page::image);
        session.resetRecipe(
            recipeOf({deriche(6.0), {.enabled = true, .what = FilterOperation{.filter_id = 3}}}));
        m_window.operationsPanel().selectRow(0);
        waitForExact();
        m_window.imagePage().view().setSplit(true);
        m_window.showDevices(true);
        shoot(QStringLiteral("51-%1-image").arg(name));
        m_window.showDevices(false);
        m_window.openPath(sample("no-such-picture.png"));
        waitFor(QStringLiteral("the error message"),
                [&] { return m_window.imagePage().messages().has(QStringLiteral("open")); });
        m_window.imagePage().view().setSplit(false);
        shoot(QStringLiteral("52-%1-error").arg(name));
        m_window.imagePage().messages().clear(QStringLiteral("open"));
    }
}

void ScreenshotTour::smallWindow() {
    m_window.resize(smallScreen);
    m_window.setPage(MainWindow::Page::image);
    shoot(QStringLiteral("60-small-image"));
    m_window.showDevices(true);
    shoot(QStringLiteral("61-small-two-docks"));
    m_window.showDevices(false);
    m_window.setPage(MainWindow::Page::benchmark);
    shoot(QStringLiteral("62-small-benchmark"));
    m_window.setPage(MainWindow::Page::release);
    shoot(QStringLiteral("63-small-release"));
    m_window.setPage(MainWindow::Page::kernels);
    shoot(QStringLiteral("64-small-kernels"));
    m_window.setPage(MainWindow::Page::image);
    m_window.resize(usualSize);
}

bool ScreenshotTour::prepare() {
    if (!m_directory.mkpath(QStringLiteral("."))) {
        m_problems << QStringLiteral("could not make the folder %1").arg(m_directory.path());
        return false;
    }
    applyTheme(*qApp, Theme::dark);
    m_window.resize(usualSize);
    m_window.show();
    return true;
}

// The pages that both tours show, each left as it was found.
void ScreenshotTour::pagesBesideThePicture() {
    release();
    records();
    duels();
    solving();
    tuning();
    work();
    kernels();
    manual();
}

bool ScreenshotTour::runAll() {
    if (!prepare()) return false;
    empty();
    if (!loaded()) return false;  // without the sample all the rest would wait in vain
    operations();
    busy();
    messages();
    floatImages();
    docksAndDialogs();
    recording();
    benchmark();
    pagesBesideThePicture();
    themes();
    smallWindow();
    return m_problems.isEmpty();
}

bool ScreenshotTour::runScaleCheck() {
    if (!prepare()) return false;
    empty();
    if (!loaded()) return false;
    m_window.setPage(MainWindow::Page::benchmark);
    shoot(QStringLiteral("40-benchmark-before"));
    pagesBesideThePicture();
    return m_problems.isEmpty();
}

}  // namespace workbench
