// SPDX-License-Identifier: MIT
#include "ui/window/context_help.h"

#include <QDialog>
#include <QKeyEvent>

#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/duel_dialogs.h"
#include "ui/operations/operations_panel.h"
#include "ui/operations/recipe_bar.h"
#include "ui/release/release_dialogs.h"
#include "ui/release/release_page.h"
#include "ui/release/sign_off_dialog.h"
#include "ui/session/session.h"
#include "ui/window/crash_offer.h"
#include "ui/window/device_panel.h"
#include "ui/window/help_dialogs.h"
#include "ui/window/main_window.h"

namespace workbench {
namespace {

// A dialog belongs to the widget that it was opened from.
bool isIn(const QWidget* widget, const QWidget& whole) {
    for (; widget != nullptr; widget = widget->parentWidget()) {
        if (widget == &whole) return true;
    }
    return false;
}

ManualPlace ofOperations(const MainWindow& window) {
    const OperationsPanel& panel = window.operationsPanel();
    const auto& operations = window.session().recipe().operations;
    const int row = panel.selectedRow();
    if (row < 0 || row >= int(operations.size())) return {QStringLiteral("recipes.md"), {}};
    const bool isFilter = std::holds_alternative<FilterOperation>(operations[std::size_t(row)].what);
    return {isFilter ? QStringLiteral("filters.md") : QStringLiteral("pooling.md"), {}};
}

ManualPlace ofBenchmark(BenchmarkPage::Tab tab) {
    switch (tab) {
        case BenchmarkPage::Tab::results:
            break;
        case BenchmarkPage::Tab::comparison:
        case BenchmarkPage::Tab::history:
            return {QStringLiteral("comparing-records.md"), QStringLiteral("in-the-window")};
        case BenchmarkPage::Tab::duel:
            return {QStringLiteral("duel.md"), QStringLiteral("in-the-window")};
    }
    return {QStringLiteral("benchmark.md"), {}};
}

}  // namespace

std::span<const DialogPlace> dialogPlaces() {
    const auto at = [](const char* page, const char* anchor) {
        return ManualPlace{QLatin1String(page), QLatin1String(anchor)};
    };
    static const DialogPlace all[] = {
        {&DuelDialog::staticMetaObject, at("duel.md", "in-the-window")},
        {&SaveDuelDialog::staticMetaObject, at("duel.md", "the-record")},
        {&NewReleaseDialog::staticMetaObject, at("releases.md", "in-the-window")},
        {&AttachDialog::staticMetaObject, at("releases.md", "evidence")},
        {&WaiverDialog::staticMetaObject, at("releases.md", "the-gates")},
        {&SignOffDialog::staticMetaObject, at("releases.md", "the-gates")},
        {&CrashReportDialog::staticMetaObject, at("window.md", "a-crash")},
        {&ShortcutsDialog::staticMetaObject, at("window.md", "keys")},
        {&AboutDialog::staticMetaObject, at("window.md", "")}};
    return all;
}

ManualPlace manualPlaceFor(const MainWindow& window, const QWidget* focus) {
    for (const QWidget* widget = focus; widget != nullptr; widget = widget->parentWidget()) {
        for (const DialogPlace& each : dialogPlaces()) {
            if (widget->metaObject()->inherits(each.dialog)) return each.place;
        }
    }
    if (isIn(focus, window.devicePanel())) return {QStringLiteral("gpu.md"), {}};
    if (isIn(focus, window.operationsPanel().recipeBar())) return {QStringLiteral("recipes.md"), {}};
    if (isIn(focus, window.operationsPanel())) return ofOperations(window);
    switch (window.page()) {
        case MainWindow::Page::benchmark:
            return ofBenchmark(window.benchmarkPage().tab());
        case MainWindow::Page::release:
            return {QStringLiteral("releases.md"), QStringLiteral("in-the-window")};
        case MainWindow::Page::kernels:
            return {QStringLiteral("kernels-page.md"), {}};
        case MainWindow::Page::solve:
            return {QStringLiteral("solvers.md"), QStringLiteral("in-the-window")};
        case MainWindow::Page::tuning:
            return {QStringLiteral("tuning-use.md"), QStringLiteral("in-the-window")};
        case MainWindow::Page::image:
            break;
    }
    if (window.session().image() == nullptr) return {QStringLiteral("window.md"), {}};
    return {QStringLiteral("preview.md"), {}};
}

DialogHelp::DialogHelp(MainWindow* window) : QObject(window), m_window(window) {}

bool DialogHelp::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress || !watched->isWidgetType()) return false;
    const auto* key = static_cast<const QKeyEvent*>(event);
    const auto* widget = static_cast<const QWidget*>(watched);
    if (key->key() != Qt::Key_F1 || key->modifiers() != Qt::NoModifier ||
        qobject_cast<const QDialog*>(widget->window()) == nullptr || !isIn(widget, *m_window))
        return false;
    const ManualPlace place = manualPlaceFor(*m_window, widget);
    m_window->openManual(place.page, place.anchor);
    return true;
}

}  // namespace workbench
