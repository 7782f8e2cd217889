// SPDX-License-Identifier: MIT
// The window program: arguments in, a window or a folder of screenshots, exit code out.
#include <CLI/CLI.hpp>
#include <QApplication>
#include <QProcess>
#include <QRawFont>
#include <QTemporaryDir>
#include <QTimer>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "app/arguments/man_page.h"
#include "app/workbench/desktop_entry.h"
#include "app/workbench/script.h"
#include "app/workbench/stop_signals.h"
#include "app/workbench/window_log.h"
#include "core/image/image_io.h"
#include "core/recipe/recipe.h"
#include "core/support/crash_report.h"
#include "core/support/error.h"
#include "core/support/package.h"
#include "core/tune/use.h"
#include "iir2d/tune.h"
#include "ui/kernels/kernels_page.h"
#include "ui/operations/operations_panel.h"
#include "ui/operations/recipe_bar.h"
#include "ui/picture/image_page.h"
#include "ui/session/job.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/tour/screenshots.h"
#include "ui/tuning/live_choice.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/window/autosave.h"
#include "ui/window/crash_offer.h"
#include "ui/window/main_window.h"
#include "ui/window/restore_offer.h"

namespace {

using workbench::ErrorKind;

struct Options {
    std::string file;
    std::string recipe;
    std::string page = "image";
    std::string screenshots;
    std::string device;
    std::string script;
    bool install_desktop = false;
    bool remove_desktop = false;
    bool man = false;
    int threads = -1;
};

int report(ErrorKind kind, const std::string& message) {
    std::fprintf(stderr, "iir2d-workbench: error: %s\n", message.c_str());
    return workbench::exit_code(kind);
}

void describe(CLI::App& parser, Options& options) {
    parser.set_version_flag("--version", workbench::version_text("iir2d-workbench"));
    parser.add_option("FILE", options.file, "What to open: an image, a recipe, a record or a release");
    parser.add_option("--recipe", options.recipe, "A recipe (JSON) to apply to it");
    std::vector<std::string> pages;
    for (const QString& name : workbench::MainWindow::pageNames()) pages.push_back(name.toStdString());
    parser
        .add_option("--page", options.page,
                    "The page to show: image, benchmark, release, kernels, solve or tuning")
        ->check(CLI::IsMember(pages))
        ->default_str("image");
    parser.add_option("--device", options.device,
                      "auto, cpu, cuda or cuda:N; remembered; default: as chosen last");
    parser
        .add_option("--threads", options.threads,
                    "CPU threads, 0 for all; remembered; default: as chosen last")
        ->check(CLI::Range(0, 1024));
    parser.add_option("--screenshots", options.screenshots,
                      "Drive the window through its states on the sample images, save a PNG of each into "
                      "this folder, and quit; needs no display");
    CLI::Option* install =
        parser.add_flag("--install-desktop", options.install_desktop,
                        "AppImage and portable tree: add the program, its icons and its file type "
                        "to your desktop, started from where it is now, and quit");
    parser.add_flag("--remove-desktop", options.remove_desktop, "Take them away again, and quit")
        ->excludes(install);
    parser.add_option("--script", options.script)->group("");  // for tests: script.h
    parser.add_flag("--man", options.man)->group("");  // for the build: this program's page of the manual
}

bool hasDisplay() {
#ifdef Q_OS_LINUX
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
#else
    return true;
#endif
}

// The same program at twice the scale: Qt reads the factor once, before there is an application object.
bool takeScaledScreenshots(const Options& options) {
    QProcess child;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QStringLiteral("2"));
    child.setProcessEnvironment(environment);
    child.setProcessChannelMode(QProcess::ForwardedChannels);
    child.start(QCoreApplication::applicationFilePath(),
                {QStringLiteral("--screenshots"), QString::fromStdString(options.screenshots)});
    return child.waitForFinished(300000) && child.exitStatus() == QProcess::NormalExit &&
           child.exitCode() == 0;
}

int takeScreenshots(const Options& options) {
    const bool isScaled = !qEnvironmentVariableIsEmpty("QT_SCALE_FACTOR");
    // A tour leaves no trace in the user's settings, and theirs none in it.
    const QTemporaryDir settings;
    qputenv("IIR2D_CONFIG_DIR", settings.path().toLocal8Bit());
    bool complete = false;
    {
        workbench::Session session;
        if (!options.device.empty()) session.setDeviceSpec(QString::fromStdString(options.device));
        workbench::applyTheme(*qApp, workbench::Theme::dark);  // before the window is made, as for a person
        workbench::MainWindow window(session);
        workbench::ScreenshotTour tour(window, QDir(QString::fromStdString(options.screenshots)),
                                       isScaled ? QStringLiteral("-2x") : QString());
        complete = isScaled ? tour.runScaleCheck() : tour.runAll();
        for (const QString& problem : tour.problems()) {
            std::fprintf(stderr, "iir2d-workbench: screenshot: %s\n", qPrintable(problem));
        }
        std::printf("%d screenshots in %s\n", int(tour.saved().size()), options.screenshots.c_str());
        std::fflush(stdout);
    }
    if (!isScaled && !takeScaledScreenshots(options)) complete = false;
    return complete ? 0 : report(ErrorKind::unwritable_output, "not all screenshots could be taken");
}

// Keeps what is done in the window for the next start, and offers what earlier ones left. Null when there is
// nowhere to keep it.
std::unique_ptr<workbench::Autosave> keepWork(workbench::MainWindow& window) {
    auto file = workbench::StateFile::create(workbench::stateDirectory());
    const auto warn = [&window](const QString& why) {
        window.imagePage().messages().show(
            QStringLiteral("autosave"), workbench::MessageArea::Severity::warning,
            workbench::MainWindow::tr("What is done here would be lost in a crash: %1").arg(why));
    };
    if (!file) {
        warn(QString::fromStdString(file.error().message));
        return nullptr;
    }
    auto owned = std::make_unique<workbench::Autosave>(window, *std::move(file));
    workbench::Autosave* autosave = owned.get();
    window.kernelsPage().keepSourceIn(workbench::stateDirectory() / "kernel-source.json");
    QObject::connect(autosave, &workbench::Autosave::failed, &window, warn);
    QObject::connect(autosave, &workbench::Autosave::written, &window,
                     [&window] { window.imagePage().messages().clear(QStringLiteral("autosave")); });
    QObject::connect(qApp, &QGuiApplication::commitDataRequest, autosave,
                     [autosave] { autosave->endSession(); });
    QObject::connect(qApp, &QGuiApplication::saveStateRequest, autosave, [autosave] { autosave->saveNow(); });
    auto ended = workbench::claimEndedSessions(workbench::stateDirectory());
    if (ended.empty()) return owned;
    auto* offer = new workbench::RestoreOffer(std::move(ended), &window);
    window.setOffer(offer);
    QObject::connect(offer, &workbench::RestoreOffer::restoreRequested, autosave,
                     &workbench::Autosave::restore);
    QObject::connect(offer, &workbench::RestoreOffer::answered, offer, &QObject::deleteLater);
    offer->setFocus();
    return owned;
}

// The mode that was chosen on page Tuning, unless the environment names one.
void takeTuneMode(const workbench::Settings& settings) {
    if (!qEnvironmentVariableIsEmpty("IIR2D_TUNE")) return;
    const auto mode = iir2d::tune_mode_from_name(settings.tune_mode);
    if (mode) iir2d::set_tune_options({.mode = *mode});
}

int showWindow(const Options& options) {
    workbench::report_crashes({workbench::crashReportFolder(), workbench::version_text("iir2d-workbench")});
    workbench::Session session;
    if (!options.device.empty()) session.setDeviceSpec(QString::fromStdString(options.device));
    if (options.threads >= 0) session.setThreads(options.threads);
    workbench::applyTheme(*qApp, session.settings().theme);
    takeTuneMode(session.settings());
    workbench::MainWindow window(session);
    const auto showPage = [&] {
        const auto page = workbench::MainWindow::pageNamed(QString::fromStdString(options.page));
        if (page && *page != workbench::MainWindow::Page::image) window.setPage(*page);
    };
    showPage();
    const workbench::WindowLog log(window);
    workbench::offerCrashReports(window, workbench::crashReportFolder());
    const std::unique_ptr<workbench::Autosave> autosave = keepWork(window);  // its offer stands above
    const workbench::StopSignals signals;
    QObject::connect(&signals, &workbench::StopSignals::received, &window, [&] {
        if (autosave != nullptr) autosave->endSession();
        window.setSessionEnding(true);
        window.close();
        QCoreApplication::exit(0);
    });
    window.show();
    // What reads images takes a third of a second to start: once the window is on the screen, beside it.
    QTimer::singleShot(0, &window, [] { workbench::warm_up_images(); });
    // What decides how kernels are executed, and what is counted of it; a crash loses a minute of that.
    // Both read and write files, under a lock that others may hold for seconds: beside the window.
    workbench::Job use(workbench::JobPolicy::newest_next);
    const auto beside = [&use](void (*work)(), const std::function<void()>& then) {
        use.start(
            {},
            [work](const workbench::JobControl&) -> workbench::Result<void> {
                work();
                return {};
            },
            [then](const workbench::Result<void>&) { then(); });
    };
    QTimer::singleShot(0, &window, [beside, &window] {
        beside([] { workbench::tune::begin_use(); }, [&window] { window.liveChoice().look(); });
    });
    QTimer useTimer;
    QObject::connect(&useTimer, &QTimer::timeout, &window,
                     [beside] { beside([] { workbench::tune::keep_use(); }, [] {}); });
    useTimer.start(std::chrono::minutes(1));
    workbench::Script script(window);
    if (!options.script.empty()) script.run(QString::fromStdString(options.script));
    if (!options.file.empty()) {
        window.openAny(QString::fromStdString(options.file));
        showPage();
    }
    // A bad recipe is said in the window, which then is as useful as without it.
    if (!options.recipe.empty())
        window.operationsPanel().recipeBar().openRecipe(QString::fromStdString(options.recipe));
    const int code = QApplication::exec();
    useTimer.stop();
    use.abandon();
    workbench::tune::keep_use();
    return code;
}

int changeDesktop(const Options& options) {
    const auto files =
        options.install_desktop ? workbench::install_desktop_entry() : workbench::remove_desktop_entry();
    if (!files) return report(files.error().kind, files.error().message);
    for (const std::string& file : *files)
        std::printf("%s %s\n", options.install_desktop ? "wrote" : "removed", file.c_str());
    return std::fflush(stdout) == 0 ? 0 : report(ErrorKind::unwritable_output, "not all could be said");
}

constexpr auto no_font =
    "this system has no font, so that every letter is an empty box: install one, such as DejaVu Sans "
    "(fonts-dejavu-core)";

// Where no font is installed Qt lists families all the same, and draws a box for every letter: by a
// font without tables.
bool hasFont() {
    return !QRawFont::fromFont(QGuiApplication::font()).fontTable("cmap").isEmpty();
}

int run(int argc, char** argv) {
    Options options;
    CLI::App parser(
        "The workbench for recursive (IIR) filters and pooling on images.\n"
        "Exit codes: 0 done, 2 bad argument, 6 the screenshots could not be written.",
        "iir2d-workbench");
    describe(parser, options);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return parser.exit(error);  // --help, --version
        return report(ErrorKind::bad_argument,
                      std::string(error.what()) + " (iir2d-workbench --help lists the options)");
    }
    if (options.man) {
        const std::string page =
            app::man_page(app::tree_of(parser), workbench::library_version(), "iir2d(1)");
        std::fwrite(page.data(), 1, page.size(), stdout);
        return std::fflush(stdout) == 0 ? 0
                                        : report(ErrorKind::unwritable_output, "the page was not written");
    }
    if (options.install_desktop || options.remove_desktop) return changeDesktop(options);
    if (!hasDisplay() && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        if (options.screenshots.empty()) {
            return report(ErrorKind::bad_argument,
                          "there is no display: set DISPLAY or WAYLAND_DISPLAY, use the iir2d command line, "
                          "or ask for --screenshots DIR, which needs none");
        }
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication application(argc, argv);
    workbench::EnglishPlurals plurals;
    QCoreApplication::installTranslator(&plurals);
    QCoreApplication::setApplicationName(QStringLiteral("iir2d-workbench"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("IIR2D Workbench"));
    QGuiApplication::setDesktopFileName(QStringLiteral(IIR2D_APP_ID));
    QGuiApplication::setWindowIcon(workbench::applicationIcon());
    if (!hasFont()) {
        if (!options.screenshots.empty()) return report(ErrorKind::unwritable_output, no_font);
        std::fprintf(stderr, "iir2d-workbench: warning: %s\n", no_font);
    }
    return options.screenshots.empty() ? showWindow(options) : takeScreenshots(options);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        return report(ErrorKind::device_failure, error.what());
    }
}
