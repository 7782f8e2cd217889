// SPDX-License-Identifier: MIT
// The kernels page, in the tour.
#include <QLineEdit>

#include "ui/kernels/code_pane.h"
#include "ui/kernels/kernel_view.h"
#include "ui/kernels/kernels_page.h"
#include "ui/kernels/our_kernels.h"
#include "ui/kernels/ours_panel.h"
#include "ui/kernels/run_tab.h"
#include "ui/session/session.h"
#include "ui/tour/screenshots.h"
#include "ui/window/main_window.h"

namespace workbench {

void ScreenshotTour::kernels() {
    m_window.setPage(MainWindow::Page::kernels);
    KernelsPage& page = m_window.kernelsPage();
    KernelView& view = page.view();
    waitFor(QStringLiteral("the product's kernels"), [&] { return !page.ours().isLoading(); });
    shoot(QStringLiteral("93-kernels-ours"));
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
