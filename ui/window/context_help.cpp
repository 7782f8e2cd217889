// SPDX-License-Identifier: MIT
#include "ui/window/context_help.h"

#include <QWidget>

#include "ui/benchmark/benchmark_page.h"
#include "ui/operations/operations_panel.h"
#include "ui/operations/recipe_bar.h"
#include "ui/release/release_page.h"
#include "ui/session/session.h"
#include "ui/window/device_panel.h"
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

ManualPlace manualPlaceFor(const MainWindow& window, const QWidget* focus) {
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
        case MainWindow::Page::image:
            break;
    }
    if (window.session().image() == nullptr) return {QStringLiteral("window.md"), {}};
    return {QStringLiteral("preview.md"), {}};
}

}  // namespace workbench
