// SPDX-License-Identifier: MIT
// The kernels page, in the tour.
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTabWidget>

#include "ui/kernels/code_pane.h"
#include "ui/kernels/data_set_desk.h"
#include "ui/kernels/generated_panel.h"
#include "ui/kernels/kernel_view.h"
#include "ui/kernels/kernels_page.h"
#include "ui/kernels/our_kernels.h"
#include "ui/kernels/ours_panel.h"
#include "ui/kernels/own_source.h"
#include "ui/kernels/run_tab.h"
#include "ui/kernels/text_table.h"
#include "ui/session/session.h"
#include "ui/tour/screenshots.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"

namespace workbench {

// Where there is no compiler the page says so, which is shown as well.
void ScreenshotTour::kernelsOfOnesOwn() {
    KernelsPage& page = m_window.kernelsPage();
    KernelView& view = page.view();
    const auto compiled = [&] {
        constexpr int patience = 60000;
        waitFor(
            QStringLiteral("the source to be compiled"), [&] { return !page.own().isCompiling(); }, patience);
    };
    page.showYours();
    compiled();
    CodePane& editor = view.editor();
    editor.goToLine(4);
    QKeyEvent down(QEvent::KeyPress, Qt::Key_Down, Qt::NoModifier);
    QCoreApplication::sendEvent(&editor, &down);
    shoot(QStringLiteral("93-kernels-yours"));
    if (page.shown().kernel()) {
        view.setTab(KernelView::Tab::run);
        view.runTab().run();
        waitFor(QStringLiteral("the run"), [&] { return !page.shown().isRunning(); });
        shoot(QStringLiteral("93-kernels-yours-run"));
        inspect::RunRequest beyond = view.runTab().request();
        beyond.arguments.back() = "i32:40";
        beyond.block = "64";
        view.runTab().setRequest(beyond);
        view.runTab().run();
        waitFor(QStringLiteral("the run with findings"), [&] { return !page.shown().isRunning(); });
        view.runTab().findings().setCurrentIndex(view.runTab().findings().model()->index(0, 0));
        shoot(QStringLiteral("93-kernels-yours-finding"));
    }
    const QString good = editor.toPlainText();
    editor.setPlainText(QString(good).replace(QLatin1String("a * x[i]"), QLatin1String("a * z[i]")));
    compiled();
    shoot(QStringLiteral("93-kernels-yours-error"));
    editor.setPlainText(good);
    compiled();
    page.showOurs();
}

void ScreenshotTour::generatedKernels() {
    KernelsPage& page = m_window.kernelsPage();
    DataSetDesk& desk = page.dataSets();
    page.showGenerated();
    shoot(QStringLiteral("93-kernels-generated-none"));
    auto* tabs = page.findChild<QTabWidget*>(QStringLiteral("dataSetTabs"));
    DataSetWish wish{.folder = m_folder.filePath(QStringLiteral("kernels")), .count = 28, .backward = true};
    page.generatedPanel().setWish(wish);
    tabs->setCurrentIndex(2);
    desk.make(wish);
    constexpr int patience = 60000;
    waitFor(
        QStringLiteral("kernels to be made"), [&] { return !desk.isMaking() || !desk.progress().isEmpty(); },
        patience);
    shoot(QStringLiteral("93-kernels-generated-making"));
    waitFor(
        QStringLiteral("the data set"), [&] { return !desk.isMaking() && !desk.isOpening(); }, patience);
    if (desk.dataSet()) {
        tabs->setCurrentIndex(0);
        waitFor(QStringLiteral("a record"), [&] { return desk.record().has_value(); });
        page.view().setTab(KernelView::Tab::mix);
        shoot(QStringLiteral("93-kernels-generated"));
        tabs->setCurrentIndex(1);
        shoot(QStringLiteral("93-kernels-generated-counts"));
    }
    page.messages().clear(QStringLiteral("kernels"));
    page.showOurs();
}

void ScreenshotTour::kernels() {
    m_window.setPage(MainWindow::Page::kernels);
    KernelsPage& page = m_window.kernelsPage();
    KernelView& view = page.view();
    waitFor(QStringLiteral("the product's kernels"), [&] { return !page.ours().isLoading(); });
    shoot(QStringLiteral("93-kernels-ours"));
    kernelsOfOnesOwn();
    generatedKernels();
    if (!page.ours().kernels()) return;  // this build has none, and the page says so
    const auto shows = [&](const char* name) {
        return page.shown().kernel() && page.shown().kernel()->kernel == name;
    };
    page.showKernel(QStringLiteral("iir_rows_f32_order2_x1"));
    waitFor(QStringLiteral("a kernel"), [&] { return shows("iir_rows_f32_order2_x1"); });
    page.oursPanel().search().setText(QStringLiteral("rows f32"));
    view.setTab(KernelView::Tab::facts);
    shoot(QStringLiteral("93-kernels-parameters"));
    view.setTab(KernelView::Tab::mix);
    shoot(QStringLiteral("93-kernels-mix"));
    view.setTab(KernelView::Tab::run);
    view.runTab().run();
    waitFor(QStringLiteral("the run"), [&] { return !page.shown().isRunning(); });
    shoot(QStringLiteral("93-kernels-run"));
    page.oursPanel().search().clear();
    const ShownKernelPtr before = page.shown().kernel();
    page.showOperation({.what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", 6.0}}}});
    waitFor(QStringLiteral("the kernel of an operation"), [&] { return page.shown().kernel() != before; });
    shoot(QStringLiteral("93-kernels-of-an-operation"));
}

}  // namespace workbench
