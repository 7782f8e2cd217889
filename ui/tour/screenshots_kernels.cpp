// SPDX-License-Identifier: MIT
// The kernels page, in the tour.
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLineEdit>
#include <algorithm>

#include "core/support/files.h"
#include "core/synth/shards.h"
#include "ui/kernels/code_pane.h"
#include "ui/kernels/data_set_desk.h"
#include "ui/kernels/generated_panel.h"
#include "ui/kernels/kernel_view.h"
#include "ui/kernels/kernels_page.h"
#include "ui/kernels/make_form.h"
#include "ui/kernels/our_kernels.h"
#include "ui/kernels/ours_panel.h"
#include "ui/kernels/own_source.h"
#include "ui/kernels/run_tab.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/tour/screenshots.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_table.h"
#include "ui/window/main_window.h"

namespace workbench {

// Where there is no compiler the page says so, which is shown as well.
void ScreenshotTour::kernelsOfOnesOwn() {
    KernelsPage& page = m_window.kernelsPage();
    KernelView& view = page.view();
    const auto compiled = [&] {
        constexpr int patience = 60000;
        waitFor(
            QStringLiteral("the source to be compiled"),
            [&] {
                return !page.own().isCompiling() && !page.own().isChecking() && !page.shown().isReading();
            },
            patience);
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
    // Inside the language, with its backward kernel.
    editor.setPlainText(QString(good).replace(QLatin1String("+ y[i]"), QLatin1String("* x[i]")));
    compiled();
    view.setTab(KernelView::Tab::levels);
    shoot(QStringLiteral("93-kernels-yours-verified"));
    if (page.own().hasBackward()) {
        page.own().setBackward(true);
        waitFor(QStringLiteral("the backward kernel"), [&] { return !page.shown().isReading(); });
        shoot(QStringLiteral("93-kernels-yours-backward"));
        page.own().setBackward(false);
    }
    editor.setPlainText(good);
    compiled();
    page.showOurs();
}

// No compiler here is at fault: the text of one record is altered and stands among the rejected.
void ScreenshotTour::mismatchOfKernels(const QString& folder) {
    KernelsPage& page = m_window.kernelsPage();
    DataSetDesk& desk = page.dataSets();
    if (!desk.record()) return;
    const auto ptx = std::ranges::find_if(desk.record()->texts, [](const inspect::RecordText& one) {
        return !one.is_backward && one.text.find("st.global.f32") != std::string::npos;
    });
    if (ptx == desk.record()->texts.end()) return;
    QString altered = toText(ptx->text);
    altered.replace(QLatin1String("add.rn.f32"), QLatin1String("sub.rn.f32"));
    if (altered == toText(ptx->text))
        altered.replace(QLatin1String("mul.rn.f32"), QLatin1String("add.rn.f32"));
    const QJsonObject text{{QStringLiteral("target"), toText(ptx->target)},
                           {QStringLiteral("direction"), QStringLiteral("forward")},
                           {QStringLiteral("text"), altered}};
    const QJsonObject rejected{{QStringLiteral("index"), 1000},
                               {QStringLiteral("category"), toText(desk.record()->row.category)},
                               {QStringLiteral("reason"), QStringLiteral("mismatch")},
                               {QStringLiteral("detail"), QStringLiteral("a text that was altered")},
                               {QStringLiteral("source"), toText(desk.record()->source)},
                               {QStringLiteral("ir"), QJsonArray{text}}};
    const auto shard =
        synth::compressed_lines({QJsonDocument(rejected).toJson(QJsonDocument::Compact).toStdString()});
    if (!shard || !write_file_atomically(toPath(folder) / "shards" / "00000.rejected.jsonl.zst", *shard))
        return;
    desk.open(folder);
    constexpr int patience = 60000;
    waitFor(QStringLiteral("the altered data set"), [&] { return !desk.isOpening(); });
    page.generatedPanel().setTab(GeneratedPanel::Tab::mismatches);
    desk.lookInto(1000);
    waitFor(
        QStringLiteral("the mismatch"), [&] { return desk.mismatch() && !page.shown().isReading(); },
        patience);
    shoot(QStringLiteral("93-kernels-mismatch"));
}

void ScreenshotTour::generatedKernels() {
    KernelsPage& page = m_window.kernelsPage();
    DataSetDesk& desk = page.dataSets();
    page.showGenerated();
    shoot(QStringLiteral("93-kernels-generated-none"));
    GeneratedPanel& panel = page.generatedPanel();
    DataSetRequest request{
        .folder = m_folder.filePath(QStringLiteral("kernels")), .count = 28, .backward = true};
    panel.form().setRequest(request);
    panel.setTab(GeneratedPanel::Tab::make);
    constexpr int patience = 60000;
    waitFor(
        QStringLiteral("the targets"), [&] { return !desk.isFinding(); }, patience);
    shoot(QStringLiteral("93-kernels-generated-make"));
    desk.make(request);
    waitFor(
        QStringLiteral("kernels to be made"), [&] { return !desk.isMaking() || !desk.progress().isEmpty(); },
        patience);
    shoot(QStringLiteral("93-kernels-generated-making"));
    waitFor(
        QStringLiteral("the data set"), [&] { return !desk.isMaking() && !desk.isOpening(); }, patience);
    if (desk.dataSet()) {
        panel.setTab(GeneratedPanel::Tab::records);
        const auto shown = [&] {
            return desk.record() && page.shown().kernel() && !page.shown().isReading();
        };
        waitFor(QStringLiteral("a record"), shown);
        page.view().setTab(KernelView::Tab::levels);
        shoot(QStringLiteral("93-kernels-generated"));
        const QStringList targets = desk.targets();
        if (targets.size() > 1) {
            desk.setTarget(targets[targets.size() - 2]);
            desk.setOtherTarget(targets.back());
            waitFor(QStringLiteral("a difference"), shown);
            page.view().setTab(KernelView::Tab::mix);
            shoot(QStringLiteral("93-kernels-generated-difference"));
            desk.setOtherTarget({});
            desk.setTarget(targets.front());
        }
        panel.setTab(GeneratedPanel::Tab::counts);
        shoot(QStringLiteral("93-kernels-generated-counts"));
        panel.setTab(GeneratedPanel::Tab::charts);
        const QStringList charts{QStringLiteral("records"), QStringLiteral("rejected"),
                                 QStringLiteral("sizes"), QStringLiteral("skeletons"),
                                 QStringLiteral("pace")};
        for (int k = 0; k < charts.size(); ++k) {
            panel.setChart(GeneratedPanel::Chart(k));
            shoot(QStringLiteral("93-kernels-chart-") + charts[k]);
        }
        mismatchOfKernels(request.folder);
        panel.setTab(GeneratedPanel::Tab::records);
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
