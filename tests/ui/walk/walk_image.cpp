// SPDX-License-Identifier: MIT
// Opening, operations, the picture and saving.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDoubleSpinBox>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <QWheelEvent>

#include "tests/ui/walk/walk_steps.h"
#include "ui/operations/operations_panel.h"
#include "ui/picture/image_page.h"
#include "ui/picture/image_view.h"
#include "ui/picture/save_job.h"
#include "ui/widgets/message_bar.h"

namespace workbench::walk {
namespace {

bool isOpen(const Session& session, const QString& name) {
    const ImagePtr image = session.image();
    return image && !session.isOpening() &&
           QString::fromStdString(image->info.path.filename().string()) == name;
}

std::size_t count(const Session& session) {
    return session.recipe().operations.size();
}

bool isExact(const Session& session) {
    return session.exactResult() != nullptr;
}

void drop(QWidget& window, const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &event);
}

}  // namespace

void walkFiles(Scene& s) {
    Walker& w = s.walker;
    QAction* save = s.action(QStringLiteral("File"), QStringLiteral("Save result"));
    w.step(
        QStringLiteral("the window opens and is empty"),
        [&] {
            s.window.show();
            if (!QTest::qWaitForWindowExposed(&s.window)) return w.fail(QStringLiteral("it is not exposed"));
            s.window.activateWindow();
        },
        [&] { return s.window.isActiveWindow() && !s.session.image() && !save->isEnabled(); });
    w.step(
        QStringLiteral("open an image by the dialog (Ctrl+O)"),
        [&] {
            w.chooseFile(s.path(QStringLiteral("first.png")),
                         [&] { w.press(Qt::Key_O, Qt::ControlModifier); });
        },
        [&] {
            return isOpen(s.session, QStringLiteral("first.png")) && isExact(s.session) && save->isEnabled();
        });
    w.step(
        QStringLiteral("drop another on the window"),
        [&] { drop(s.window, s.path(QStringLiteral("second.exr"))); },
        [&] { return isOpen(s.session, QStringLiteral("second.exr")) && isExact(s.session); });
    w.step(
        QStringLiteral("open the first again from the recent files"),
        [&] {
            for (QMenu* menu : s.window.findChildren<QMenu*>()) {
                if (menu->title() == QLatin1String("Open &recent")) {
                    Q_EMIT menu->aboutToShow();
                    menu->actions().value(1)->trigger();
                }
            }
        },
        [&] { return isOpen(s.session, QStringLiteral("first.png")) && isExact(s.session); });
    w.step(
        QStringLiteral("open the sample (Ctrl+Shift+M)"),
        [&] { w.press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier); },
        [&] { return isOpen(s.session, QStringLiteral("astronaut.png")) && isExact(s.session); });
    w.step(
        QStringLiteral("open a file that is no image: it is said in place"),
        [&] {
            w.chooseFile(s.path(QStringLiteral("broken.png")),
                         [&] { w.press(Qt::Key_O, Qt::ControlModifier); });
        },
        [&] {
            return s.said("open").contains(QLatin1String("broken.png")) &&
                   isOpen(s.session, QStringLiteral("astronaut.png"));
        });
    w.step(
        QStringLiteral("dismiss the message"),
        [&] { w.click(s.find<QToolButton>(s.window.imagePage(), QStringLiteral("Dismiss message"))); },
        [&] { return s.said("open").isEmpty(); });
}

void walkOperations(Scene& s) {
    Walker& w = s.walker;
    const QString menu = QStringLiteral("Operations");
    w.step(
        QStringLiteral("add a smoothing filter by the menu"),
        [&] { s.action(menu, QStringLiteral("6  "))->trigger(); },
        [&] { return count(s.session) == 1 && isExact(s.session); });
    const auto sigma = [&] {
        const auto& operation = std::get<FilterOperation>(s.session.recipe().operations.at(0).what);
        const auto found = operation.parameters.find("sigma");
        return found == operation.parameters.end() ? 0.0 : found->second;
    };
    w.step(
        QStringLiteral("type sigma 3.5"),
        [&] {
            QDoubleSpinBox* box = nullptr;
            for (auto* one : s.window.operationsPanel().findChildren<QDoubleSpinBox*>()) {
                if (one->isVisible() &&
                    one->accessibleName().startsWith(QLatin1String("Sigma"), Qt::CaseInsensitive))
                    box = one;
            }
            if (!box) return w.fail(QStringLiteral("no field for sigma"));
            w.replaceText(box, QStringLiteral("3.5"));
            w.press(Qt::Key_Return);
        },
        [&] { return sigma() == 3.5 && isExact(s.session); });
    w.step(
        QStringLiteral("undo it (click on the picture, Ctrl+Z)"),
        [&] {
            w.click(&s.window.imagePage().view());
            w.press(Qt::Key_Z, Qt::ControlModifier);
        },
        [&] { return sigma() != 3.5 && count(s.session) == 1; });
    w.step(
        QStringLiteral("redo it (Ctrl+Y)"), [&] { w.press(Qt::Key_Y, Qt::ControlModifier); },
        [&] { return sigma() == 3.5; });
    w.step(
        QStringLiteral("add max pooling: the result is half as wide"),
        [&] { s.action(menu, QStringLiteral("Max pooling"))->trigger(); },
        [&] {
            return count(s.session) == 2 && isExact(s.session) &&
                   s.session.exactResult()->pixels.width() == s.session.image()->pixels.width() / 2;
        });
    w.step(
        QStringLiteral("duplicate the selected operation"),
        [&] { s.action(menu, QStringLiteral("Duplicate"))->trigger(); },
        [&] { return count(s.session) == 3 && s.window.operationsPanel().selectedRow() == 2; });
    w.step(
        QStringLiteral("move it up"), [&] { s.action(menu, QStringLiteral("Move Up"))->trigger(); },
        [&] { return s.window.operationsPanel().selectedRow() == 1; });
    w.step(
        QStringLiteral("switch it off"), [&] { s.action(menu, QStringLiteral("Switch"))->trigger(); },
        [&] { return !s.session.recipe().operations.at(1).enabled && isExact(s.session); });
    w.step(
        QStringLiteral("switch it on"), [&] { s.action(menu, QStringLiteral("Switch"))->trigger(); },
        [&] { return s.session.recipe().operations.at(1).enabled; });
    w.step(
        QStringLiteral("remove it"), [&] { s.action(menu, QStringLiteral("Remove"))->trigger(); },
        [&] { return count(s.session) == 2; });
    w.step(
        QStringLiteral("undo the removal"),
        [&] {
            w.click(&s.window.imagePage().view());
            w.press(Qt::Key_Z, Qt::ControlModifier);
        },
        [&] { return count(s.session) == 3; });
    w.step(
        QStringLiteral("redo the removal"),
        [&] { w.press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier); },
        [&] { return count(s.session) == 2; });
    w.step(
        QStringLiteral("name the recipe"),
        [&] {
            w.replaceText(s.find<QLineEdit>(s.window, QStringLiteral("Recipe name")),
                          QStringLiteral("walked"));
            w.press(Qt::Key_Return);
        },
        [&] {
            return s.session.recipe().name == "walked" &&
                   s.window.windowTitle().contains(QLatin1String("walked"));
        });
    w.step(
        QStringLiteral("save the recipe by the dialog"),
        [&] {
            w.chooseFile(s.path(QStringLiteral("walked.json")),
                         [&] { s.action(menu, QStringLiteral("Save Recipe As"))->trigger(); });
        },
        [&] {
            return QFile::exists(s.path(QStringLiteral("walked.json"))) && !s.session.isRecipeModified();
        });
    w.step(
        QStringLiteral("choose a preset"), [&] { s.window.actionsByMenu().at(4).second.at(0)->trigger(); },
        [&] { return s.session.recipe().name != "walked" && isExact(s.session); });
    w.step(
        QStringLiteral("load the saved recipe (Ctrl+L)"),
        [&] {
            w.chooseFile(s.path(QStringLiteral("walked.json")),
                         [&] { w.press(Qt::Key_L, Qt::ControlModifier); });
        },
        [&] { return s.session.recipe().name == "walked" && count(s.session) == 2 && isExact(s.session); });
}

void walkPicture(Scene& s) {
    Walker& w = s.walker;
    ImageView& view = s.window.imagePage().view();
    const auto zoom = [&] { return view.transform().zoom(); };
    double before = 0;
    w.step(
        QStringLiteral("fit the picture in the window (F)"),
        [&] {
            w.click(&view);
            w.press(Qt::Key_F);
            before = zoom();
        },
        [&] { return zoom() > 0; });
    w.step(
        QStringLiteral("zoom in (+)"), [&] { w.press(Qt::Key_Plus); }, [&] { return zoom() > before; });
    w.step(
        QStringLiteral("100 % (1)"), [&] { w.press(Qt::Key_1); },
        [&] { return zoom() * view.devicePixelRatioF() == 1.0 || zoom() == 1.0; });
    w.step(
        QStringLiteral("zoom with the wheel"),
        [&] {
            before = zoom();
            const QPointF middle = view.rect().center();
            QWheelEvent turn(middle, view.mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                             Qt::NoScrollPhase, false);
            QApplication::sendEvent(&view, &turn);
        },
        [&] { return zoom() > before; });
    QRectF place;
    w.step(
        QStringLiteral("pan with an arrow key"),
        [&] {
            place = view.transform().imageInView();
            w.press(Qt::Key_Left, Qt::ShiftModifier);
        },
        [&] { return view.transform().imageInView() != place; });
    w.step(
        QStringLiteral("split before and after (S)"), [&] { w.press(Qt::Key_S); },
        [&] { return view.hasSplit(); });
    w.step(
        QStringLiteral("no split (S)"), [&] { w.press(Qt::Key_S); }, [&] { return !view.hasSplit(); });
    w.step(
        QStringLiteral("hold O for the original"),
        [&] {
            QTest::keyPress(s.window.windowHandle(), Qt::Key_O);
            if (!view.showsOriginal()) w.fail(QStringLiteral("the original is not shown"));
            QTest::keyRelease(s.window.windowHandle(), Qt::Key_O);
        },
        [&] { return !view.showsOriginal(); });
    w.step(
        QStringLiteral("pixel grid off and on (G, G)"),
        [&] {
            const bool had = view.hasPixelGrid();
            w.press(Qt::Key_G);
            if (view.hasPixelGrid() == had) w.fail(QStringLiteral("G changes nothing"));
            w.press(Qt::Key_G);
            before = had ? 1 : 0;
        },
        [&] { return view.hasPixelGrid() == (before > 0); });
    w.step(
        QStringLiteral("show which samples the maximum takes (W)"), [&] { w.press(Qt::Key_W); },
        [&] { return view.argmax() != nullptr; });
    w.step(
        QStringLiteral("and no more (W)"), [&] { w.press(Qt::Key_W); },
        [&] { return view.argmax() == nullptr; });
    w.step(
        QStringLiteral("copy the image (Ctrl+C)"),
        [&] {
            QApplication::clipboard()->clear();
            w.press(Qt::Key_C, Qt::ControlModifier);
        },
        [&] { return !QApplication::clipboard()->image().isNull(); });
    w.step(
        QStringLiteral("copy as command line (Ctrl+Shift+C)"),
        [&] { w.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier); },
        [&] {
            return QApplication::clipboard()->text().startsWith(QLatin1String("iir2d run ")) &&
                   s.said("copy").startsWith(QLatin1String("Copied:"));
        });
}

void walkSaving(Scene& s) {
    Walker& w = s.walker;
    const auto saveAs = [&](const QString& name) {
        w.chooseFile(s.path(name), [&] { w.press(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier); });
    };
    QDir(s.folder.path()).mkdir(QStringLiteral("results"));
    w.step(
        QStringLiteral("save the result by the dialog (Ctrl+Shift+S)"),
        [&] { saveAs(QStringLiteral("results/out.png")); },
        [&] {
            return QFile::exists(s.path(QStringLiteral("results/out.png"))) &&
                   !s.window.imagePage().saveJob().isRunning() &&
                   s.session.settings().export_directory == s.path(QStringLiteral("results")).toStdString();
        });
    w.step(
        QStringLiteral("save under a name of no format: said, and its folder is not remembered"),
        [&] { saveAs(QStringLiteral("out.nothing")); },
        [&] {
            return s.said("save").contains(QLatin1String("out.nothing")) &&
                   s.session.settings().export_directory == s.path(QStringLiteral("results")).toStdString();
        });
    w.step(
        QStringLiteral("save as EXR: two notes are two sentences"),
        [&] { saveAs(QStringLiteral("results/out.exr")); },
        [&] { return s.said("save").contains(QLatin1String(". Readers of OpenEXR")); });
}

}  // namespace workbench::walk
