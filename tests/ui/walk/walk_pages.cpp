// SPDX-License-Identifier: MIT
// The benchmark and release pages, and the window itself.
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDateEdit>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <cstdio>

#include "core/evidence/history.h"
#include "core/image/image_io.h"
#include "core/release/release.h"
#include "core/support/settings.h"
#include "core/support/signing.h"
#include "tests/ui/walk/tiny_matrix.h"
#include "tests/ui/walk/walk_steps.h"
#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/compare_view.h"
#include "ui/benchmark/export_menu.h"
#include "ui/benchmark/history_table.h"
#include "ui/benchmark/history_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/benchmark/results_model.h"
#include "ui/benchmark/results_page.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/release/release_dialogs.h"
#include "ui/release/release_page.h"
#include "ui/solve/results_view.h"
#include "ui/solve/solve_page.h"
#include "ui/tuning/tuning_page.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"
#include "ui/window/device_panel.h"

namespace workbench::walk {
namespace {

std::vector<HistoryEntry> history() {
    const auto file = History::open_to_read(default_history_file());
    if (!file) return {};
    const auto entries = file->list();
    return entries ? *entries : std::vector<HistoryEntry>{};
}

}  // namespace

void walkBenchmark(Scene& s) {
    Walker& w = s.walker;
    BenchmarkPage& page = s.window.benchmarkPage();
    QAction* run = s.action(QStringLiteral("Benchmark"), QStringLiteral("Run benchmark"));
    QAction* cancel = s.action(QStringLiteral("Benchmark"), QStringLiteral("Cancel benchmark"));
    const auto isIdle = [&] { return !page.isRunning() && !page.desk().isBusy(); };
    w.step(
        QStringLiteral("the benchmark page (Ctrl+2)"), [&] { w.press(Qt::Key_2, Qt::ControlModifier); },
        [&] {
            return s.window.page() == MainWindow::Page::benchmark &&
                   !s.window.operationsPanel().isVisible() && run->isEnabled() && !cancel->isEnabled();
        });
    w.step(
        QStringLiteral("type a size that is none: refused beside it"),
        [&] {
            page.form().setChoices(tinyMatrix({}, 3));
            w.replaceText(page.findChild<QLineEdit*>(QStringLiteral("customSizes")), QStringLiteral("64y64"));
        },
        [&] {
            return page.form().problemAt(MatrixField::sizes).contains(QLatin1String("64y64")) &&
                   !page.findChild<QPushButton*>(QStringLiteral("runButton"))->isEnabled();
        });
    w.step(
        QStringLiteral("type a size"),
        [&] {
            w.replaceText(page.findChild<QLineEdit*>(QStringLiteral("customSizes")), QStringLiteral("64x64"));
        },
        [&] { return page.findChild<QPushButton*>(QStringLiteral("runButton"))->isEnabled(); });
    w.step(
        QStringLiteral("run (Ctrl+R): to its end, and into the history"),
        [&] {
            const QSignalSpy running(&page, &BenchmarkPage::runningChanged);
            w.press(Qt::Key_R, Qt::ControlModifier);
            if (running.isEmpty()) w.fail(QStringLiteral("it does not run"));
        },
        [&] {
            return isIdle() && run->isEnabled() && !cancel->isEnabled() &&
                   page.desk().results().results().size() == 2 && history().size() == 1;
        });
    w.step(
        QStringLiteral("write a note on it"),
        [&] {
            w.replaceText(page.findChild<QLineEdit*>(QStringLiteral("resultNote")),
                          QStringLiteral("the first"));
            w.press(Qt::Key_Return);
        },
        [&] { return history().at(0).note == "the first"; });
    w.step(
        QStringLiteral("run again by the button"),
        [&] { w.click(page.findChild<QPushButton*>(QStringLiteral("runButton"))); },
        [&] { return isIdle() && history().size() == 2; });
    w.step(
        QStringLiteral("compare with the previous run: one click"),
        [&] { w.click(s.find<QToolButton>(page, QStringLiteral("Compare with previous"))); },
        [&] {
            return isIdle() && page.tab() == BenchmarkPage::Tab::comparison &&
                   page.compareView().compared() &&
                   page.compareView().compared()->comparison.base->record_id == history().at(0).record_id;
        });
    w.step(
        QStringLiteral("swap base and new"),
        [&] { w.click(page.findChild<QToolButton*>(QStringLiteral("swapButton"))); },
        [&] {
            return isIdle() &&
                   page.compareView().compared()->comparison.now->record_id == history().at(0).record_id;
        });
    HistoryTable& table = page.historyView().table();
    w.step(
        QStringLiteral("the history lists both, with the note"),
        [&] { page.setTab(BenchmarkPage::Tab::history); },
        [&] {
            return isIdle() && table.rowCount() == 2 &&
                   table.item(1, HistoryTable::note)->text() == QLatin1String("the first");
        });
    w.step(
        QStringLiteral("open the first run from the history"),
        [&] {
            const QRect cell = table.visualItemRect(table.item(1, HistoryTable::device));
            w.clickAt(table.viewport(), cell.center());
            w.click(page.findChild<QPushButton*>(QStringLiteral("openKept")));
        },
        [&] {
            return isIdle() && page.tab() == BenchmarkPage::Tab::results && page.desk().opened() &&
                   page.desk().opened()->record_id == history().at(0).record_id;
        });
    w.step(
        QStringLiteral("a long run, cancelled (Ctrl+R, Ctrl+.)"),
        [&] {
            page.form().setChoices(tinyMatrix(QStringLiteral("1200x1200"), 5000));
            w.press(Qt::Key_R, Qt::ControlModifier);
            if (!page.isRunning() || run->isEnabled() || !cancel->isEnabled())
                return w.fail(QStringLiteral("it does not run, or its actions do not follow"));
            w.press(Qt::Key_Period, Qt::ControlModifier);
        },
        [&] { return isIdle() && run->isEnabled() && !cancel->isEnabled(); });
    w.step(
        QStringLiteral("run after the cancel (Ctrl+R)"),
        [&] {
            page.form().setChoices(tinyMatrix(QStringLiteral("64x64"), 3));
            const QSignalSpy running(&page, &BenchmarkPage::runningChanged);
            w.press(Qt::Key_R, Qt::ControlModifier);
            if (running.isEmpty()) w.fail(QStringLiteral("Ctrl+R is dead"));
        },
        [&] { return isIdle() && page.desk().results().results().size() == 2 && history().size() == 3; });
    w.step(
        QStringLiteral("export the record by the dialog"),
        [&] {
            QDir(s.folder.path()).mkdir(QStringLiteral("records"));
            w.chooseFile(s.path(QStringLiteral("records")), [&] { page.exports().exportRecord(); });
        },
        [&] {
            return !page.desk().exporter().isRunning() &&
                   page.messages().textOf(QStringLiteral("export")).contains(QLatin1String("accepted"));
        });
    w.step(
        QStringLiteral("export a CSV by the dialog"),
        [&] { w.chooseFile(s.path(QStringLiteral("b.csv")), [&] { page.exports().exportCsv(); }); },
        [&] {
            return !page.desk().exporter().isRunning() && QFile::exists(s.path(QStringLiteral("b.csv")));
        });
}

void walkSolve(Scene& s) {
    Walker& w = s.walker;
    SolvePage& page = s.window.solvePage();
    auto* run = page.findChild<QPushButton*>(QStringLiteral("solveRun"));
    w.step(
        QStringLiteral("the page Solve (Ctrl+5)"), [&] { w.press(Qt::Key_5, Qt::ControlModifier); },
        [&] { return s.window.page() == MainWindow::Page::solve && run->isEnabled(); });
    w.step(
        QStringLiteral("type another number of nodes"),
        [&] {
            w.replaceText(s.find<QSpinBox>(page, QStringLiteral("Interior nodes")), QStringLiteral("31"));
            w.press(Qt::Key_Return);
        },
        [&] { return page.model().choices().lineNodes == 31; });
    w.step(
        QStringLiteral("run it"), [&] { w.click(run); },
        [&] {
            return !page.isRunning() && page.model().outcome() && page.model().outcome()->last().n == 31;
        });
    w.step(
        QStringLiteral("more iterations than anybody waits for, cancelled"),
        [&] {
            page.model().setChoices({.lineNodes = 4000,
                                     .lineMethod = solve::Poisson1d::Method::jacobi,
                                     .maxIterations = 100'000'000});
            w.click(run);
            if (!page.isRunning()) return w.fail(QStringLiteral("it does not run"));
            w.click(page.findChild<QPushButton*>(QStringLiteral("solveCancel")));
        },
        [&] { return !page.isRunning() && run->isEnabled() && page.model().outcome()->last().n == 31; });
}

void walkTuning(Scene& s) {
    Walker& w = s.walker;
    TuningPage& page = s.window.tuningPage();
    auto* run = page.findChild<QPushButton*>(QStringLiteral("tuningRun"));
    w.step(
        QStringLiteral("the page Tuning (Ctrl+6)"), [&] { w.press(Qt::Key_6, Qt::ControlModifier); },
        [&] {
            return s.window.page() == MainWindow::Page::tuning && page.model().state() != nullptr &&
                   run->isEnabled();
        });
    w.step(
        QStringLiteral("measuring, cancelled"),
        [&] {
            page.model().setWork({.kind = TuningWork::Kind::collect, .seconds = 600});
            w.click(run);
            if (!page.model().isMeasuring()) return w.fail(QStringLiteral("it does not run"));
            w.click(page.findChild<QPushButton*>(QStringLiteral("tuningCancel")));
        },
        [&] { return !page.model().isRunning() && run->isEnabled(); });
}

void walkRelease(Scene& s) {
    Walker& w = s.walker;
    ReleasePage& page = s.window.releasePage();
    const auto dialog = [&]() -> FormDialog* {
        for (auto* one : page.findChildren<FormDialog*>()) {
            if (one->isVisible()) return one;
        }
        return nullptr;
    };
    const auto field = [&](const char* name) -> QLineEdit* {
        if (!dialog()) return nullptr;
        auto* edit = dialog()->findChild<QLineEdit*>(QLatin1String(name));
        auto* part = edit ? nullptr : dialog()->findChild<QWidget*>(QLatin1String(name));
        return part ? part->findChild<QLineEdit*>() : edit;
    };
    const auto fill = [&](const char* name, const QString& text) {
        QLineEdit* edit = field(name);
        if (!edit) return w.fail(QStringLiteral("no field ") + QLatin1String(name));
        edit->setText(text);
    };
    const auto confirm = [&] {
        if (!dialog()) return w.fail(QStringLiteral("no dialog is open"));
        w.click(dialog()->findChild<QPushButton*>(QStringLiteral("confirmButton")));
    };
    const auto action = [&](const char* text) {
        return s.action(QStringLiteral("Release"), QLatin1String(text));
    };
    const auto isFree = [&] { return !page.isBusy() && !page.isChanging() && !dialog(); };
    const auto key = SigningKey::generate();
    const std::string role = "qa-engineer";
    const bool saved = key && key->save(s.path(QStringLiteral("key")).toStdString()).has_value();
    QFile::copy(s.path(QStringLiteral("b.csv")), s.path(QStringLiteral("notes.txt")));
    QDir(s.folder.path()).mkdir(QStringLiteral("releases"));

    w.step(
        QStringLiteral("the release page (Ctrl+3)"), [&] { w.press(Qt::Key_3, Qt::ControlModifier); },
        [&] {
            return s.window.page() == MainWindow::Page::release && action("New release")->isEnabled() &&
                   !action("Attach")->isEnabled() && !action("Verify")->isEnabled();
        });
    w.step(
        QStringLiteral("begin a release: the dialog"), [&] { action("New release")->trigger(); },
        [&] {
            return dialog() &&
                   !dialog()->findChild<QPushButton*>(QStringLiteral("confirmButton"))->isEnabled();
        });
    w.step(
        QStringLiteral("fill it and begin"),
        [&] {
            fill("id", QStringLiteral("v1"));
            fill("commit", QString(40, QLatin1Char('a')));
            for (auto* edit : dialog()->findChildren<QLineEdit*>()) {
                if (edit->accessibleName() == QLatin1String("Folder that releases are in"))
                    edit->setText(s.path(QStringLiteral("releases")));
            }
            if (saved) fill(role.c_str(), QString::fromStdString(key->public_key().hex()));
            confirm();
        },
        [&] {
            return isFree() && page.snapshot() && page.snapshot()->release.state.id == "v1" &&
                   action("Attach")->isEnabled() && action("Verify")->isEnabled();
        });
    w.step(
        QStringLiteral("attach evidence by the dialog"),
        [&] {
            action("Attach")->trigger();
            if (!dialog()) return w.fail(QStringLiteral("no dialog is open"));
            fill("file", s.path(QStringLiteral("notes.txt")));
            dialog()->findChild<QComboBox*>(QStringLiteral("kind"))->setCurrentText(QStringLiteral("other"));
            confirm();
        },
        [&] { return isFree() && page.snapshot()->release.state.attachments.size() == 1; });
    w.step(
        QStringLiteral("waive by the dialog"),
        [&] {
            action("Waive")->trigger();
            if (!dialog()) return w.fail(QStringLiteral("no dialog is open"));
            dialog()
                ->findChild<QComboBox*>(QStringLiteral("scope"))
                ->setCurrentText(QStringLiteral("A.c-api"));
            fill("risk", QStringLiteral("a status may differ"));
            fill("owner", QStringLiteral("O. Wner"));
            dialog()->findChild<QDateEdit*>()->setDate(QDate(2999, 12, 31));
            confirm();
        },
        [&] { return isFree() && page.snapshot()->release.state.waivers.size() == 1; });
    w.step(
        QStringLiteral("sign off: what is signed has no crosses for ticks"),
        [&] { action("Sign off")->trigger(); },
        [&] {
            if (!dialog()) return false;
            const QString report = dialog()->findChild<QTextBrowser*>()->toPlainText();
            return report.contains(QStringLiteral("○  A.tests")) && !report.contains(QLatin1String("[ ]"));
        });
    w.step(
        QStringLiteral("sign"),
        [&] {
            dialog()
                ->findChild<QComboBox*>(QStringLiteral("role"))
                ->setCurrentText(QString::fromStdString(role));
            fill("person", QStringLiteral("Q. Engineer"));
            fill("key", s.path(QStringLiteral("key")));
            confirm();
        },
        [&] { return isFree() && page.snapshot()->release.state.sign_offs.size() == 1; });
    w.step(
        QStringLiteral("verify"), [&] { action("Verify")->trigger(); },
        [&] {
            return isFree() &&
                   page.messages().textOf(QStringLiteral("release")).contains(QLatin1String("accepted"));
        });
    w.step(
        QStringLiteral("export an archive by the dialog"),
        [&] { w.chooseFile(s.path(QStringLiteral("v1.tar.gz")), [&] { action("Export")->trigger(); }); },
        [&] { return isFree() && QFile::exists(s.path(QStringLiteral("v1.tar.gz"))); });
}

void walkWindow(Scene& s) {
    Walker& w = s.walker;
    const auto dialog = [&](const char* name) -> QDialog* {
        auto* one = s.window.findChild<QDialog*>(QLatin1String(name));
        return one && one->isVisible() ? one : nullptr;
    };
    w.step(
        QStringLiteral("keyboard shortcuts (Ctrl+F1)"), [&] { w.press(Qt::Key_F1, Qt::ControlModifier); },
        [&] { return dialog("shortcutsDialog") != nullptr; });
    w.step(
        QStringLiteral("close them (Esc)"), [&] { w.press(Qt::Key_Escape); },
        [&] { return !dialog("shortcutsDialog"); });
    w.step(
        QStringLiteral("dark theme"),
        [&] { s.action(QStringLiteral("View"), QStringLiteral("Dark"))->trigger(); },
        [&] { return QApplication::palette().color(QPalette::Window).lightness() < 100; });
    w.step(
        QStringLiteral("light theme"),
        [&] { s.action(QStringLiteral("View"), QStringLiteral("Light"))->trigger(); },
        [&] { return QApplication::palette().color(QPalette::Window).lightness() > 150; });
    w.step(
        QStringLiteral("back to the image page (Ctrl+1)"),
        [&] {
            s.window.activateWindow();
            w.press(Qt::Key_1, Qt::ControlModifier);
        },
        [&] { return s.window.page() == MainWindow::Page::image && s.window.operationsPanel().isVisible(); });
    w.step(
        QStringLiteral("the devices (Ctrl+Shift+D)"),
        [&] { w.press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier); },
        [&] {
            return !s.window.devicePanel().visibleRegion().isEmpty() &&
                   !s.window.session().isListingDevices();
        });
    w.step(
        QStringLiteral("one thread"),
        [&] {
            auto* box = s.find<QSpinBox>(s.window.devicePanel(), QStringLiteral("Number of CPU threads"));
            if (!box) return w.fail(QStringLiteral("no field for threads"));
            w.replaceText(box, QStringLiteral("1"));
            w.press(Qt::Key_Return);
        },
        [&] {
            auto* badge = s.window.findChild<QToolButton*>(QStringLiteral("deviceBadge"));
            return s.session.threads() == 1 && badge && badge->text().endsWith(QLatin1String("1 thread"));
        });
    w.step(
        QStringLiteral("hide the devices (Ctrl+Shift+D)"),
        [&] { w.press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier); },
        [&] { return !s.window.devicePanel().isVisible(); });
    w.step(
        QStringLiteral("change the recipe and close: asked, and kept open"),
        [&] {
            s.window.operationsPanel().addFilter(4);
            w.answerBox(QStringLiteral("Cancel"), [&] { w.press(Qt::Key_Q, Qt::ControlModifier); });
        },
        [&] { return s.window.isVisible() && s.session.isRecipeModified(); });
    w.step(
        QStringLiteral("close and discard: nothing measured is lost"),
        [&] { w.answerBox(QStringLiteral("Discard"), [&] { w.press(Qt::Key_Q, Qt::ControlModifier); }); },
        [&] { return !s.window.isVisible() && history().size() == 3; });
}

Scene::Scene() {
    Image image;
    image.pixels = PlanarImage(640, 480, 3, iir2d::ElementType::f32);
    for (std::int64_t i = 0; i < image.pixels.plane_size(); ++i) {
        image.pixels.plane_f32(0)[std::size_t(i)] = float(i % 640) / 640.0F;
        image.pixels.plane_f32(1)[std::size_t(i)] = float(i / 640) / 480.0F;
        image.pixels.plane_f32(2)[std::size_t(i)] = 0.5F;
    }
    image.info = {.width = 640, .height = 480, .channels = 3, .channel_names = {"R", "G", "B"}};
    image.info.type = SampleType::u8;
    bool written = write_image(image, path(QStringLiteral("first.png")).toStdString()).has_value();
    image.info.type = SampleType::f32;
    written = written && write_image(image, path(QStringLiteral("second.exr")).toStdString()).has_value();
    QFile broken(path(QStringLiteral("broken.png")));
    written = written && broken.open(QIODevice::WriteOnly) && broken.write("no image") > 0;
    if (!written) std::fputs("ui_walk: the images for the walk could not be written\n", stderr);
    applyTheme(*qApp, Theme::light);
    window.resize(1280, 800);
}

QAction* Scene::action(const QString& menu, const QString& text) {
    QAction* found = nullptr;
    for (const auto& [group, actions] : window.actionsByMenu()) {
        if (group != menu) continue;
        for (QAction* one : actions) {
            const QString whole = one->text().remove(QLatin1Char('&'));
            if (whole == text) return one;  // "Dark" is not "Darker"
            if (!found && whole.startsWith(text)) found = one;
        }
    }
    if (found) return found;
    std::fprintf(stderr, "ui_walk: no action %s in %s\n", qPrintable(text), qPrintable(menu));
    std::exit(2);
}

QString Scene::said(const char* subject) {
    return window.imagePage().messages().textOf(QLatin1String(subject));
}

int walkAll() {
    Scene scene;
    walkFiles(scene);
    walkOperations(scene);
    walkPicture(scene);
    walkSaving(scene);
    walkBenchmark(scene);
    walkRelease(scene);
    walkSolve(scene);
    walkTuning(scene);
    walkWindow(scene);
    const Walker& w = scene.walker;
    std::printf("%d steps on %s, %d failed\n", w.steps(), qPrintable(QGuiApplication::platformName()),
                w.failures());
    return w.failures() == 0 && w.steps() >= 60 ? 0 : 1;
}

}  // namespace workbench::walk
