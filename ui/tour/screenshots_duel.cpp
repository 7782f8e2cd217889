// SPDX-License-Identifier: MIT
// The tour's stop at duels: none, its dialog, one of this program's library with itself while it is measured
// and afterwards, and a record with every verdict.
#include <QApplication>

#include "ui/benchmark/benchmark_page.h"
#include "ui/benchmark/duel_actions.h"
#include "ui/benchmark/duel_dialogs.h"
#include "ui/benchmark/duel_view.h"
#include "ui/benchmark/matrix_form.h"
#include "ui/benchmark/record_desk.h"
#include "ui/support/paths.h"
#include "ui/tour/screenshots.h"
#include "ui/tour/tour_duel.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/main_window.h"

namespace workbench {

void ScreenshotTour::duels() {
    BenchmarkPage& page = m_window.benchmarkPage();
    DuelDesk& desk = page.desk().duel();
    m_window.setPage(MainWindow::Page::benchmark);
    page.setHistoryFile(m_folder.filePath(QStringLiteral("duels.sqlite")));
    waitFor(QStringLiteral("the history"), [&] { return !page.desk().isBusy(); });
    page.setTab(BenchmarkPage::Tab::duel);
    shootInBoth(QStringLiteral("80-duel-none"));

    MatrixChoices choices = page.form().choices();
    choices.sizes = {{512, 512}};
    choices.filterIds = {1, 4, 8};
    choices.pools = {.ops = {iir2d::PoolOp::max}};
    choices.precisions = {iir2d::Precision::f32};
    choices.device = QStringLiteral("cpu");
    choices.threads = 1;
    choices.recipe = true;
    page.form().setChoices(choices);
    const auto dialog = [&](const QString& what, const auto& isReady) {
        if (!page.duels().dialog()) page.duels().ask();
        waitFor(what, [&] { return page.duels().dialog() && isReady(*page.duels().dialog()); });
        return page.duels().dialog();
    };
    if (DuelDialog* asked = dialog(QStringLiteral("the duel's dialog"), [](DuelDialog&) { return true; })) {
        asked->setBase(m_folder.filePath(QStringLiteral("no-such-library.so")));
        dialog(QStringLiteral("the refusal of a base"),
               [](DuelDialog& d) { return d.baseNote().contains(QLatin1String("no-such-library")); });
        shootInBoth(QStringLiteral("81-duel-dialog-error"), asked);
        asked->setBase(QStringLiteral("."));
        dialog(QStringLiteral("the base to be found"),
               [](DuelDialog& d) { return d.baseNote().contains(QLatin1String("SHA-256")); });
        shootInBoth(QStringLiteral("81-duel-dialog"), asked);
        asked->close();
        settle();
    }
    choices.recipe = false;
    page.form().setChoices(choices);
    DuelRequest request{.base = QStringLiteral(".")};
    if (const auto plan = planDuel(page.form().choices(), {})) request.settings.matrix = plan->matrix;
    request.settings.budget_seconds = 6;
    page.desk().startDuel(request);
    waitFor(QStringLiteral("the duel to be under way"), [&] {
        return !desk.isRunning() || (desk.shown().rows.done() > 0 && desk.current() >= 0 &&
                                     desk.shown().rows.rows[std::size_t(desk.current())].shownLook());
    });
    shootInBoth(QStringLiteral("82-duel-running"));
    waitFor(
        QStringLiteral("the duel"), [&] { return !desk.isRunning(); }, 120000);
    shootInBoth(QStringLiteral("83-duel-done"));

    const auto record = everyVerdict();
    const QString directory = m_folder.filePath(QStringLiteral("every-verdict"));
    const auto key = SigningKey::generate();
    if (!record || !key || !write_duel_record(*record, toPath(directory), *key)) {
        m_problems << QStringLiteral("could not make the record of a duel");
        return;
    }
    page.desk().open(directory);
    waitFor(QStringLiteral("the duel to open"),
            [&] { return !page.desk().isBusy() && desk.shown().path == directory; });
    page.duelView().chooseCase(1);
    shootInBoth(QStringLiteral("84-duel-record"));
    page.duels().save();
    if (QWidget* saving = QApplication::activeModalWidget()) {
        shoot(QStringLiteral("85-duel-save"), saving);
        saving->close();
    }
    const QSize before = m_window.size();
    m_window.resize(smallScreen);
    shoot(QStringLiteral("86-small-duel"));
    m_window.resize(before);
    page.setTab(BenchmarkPage::Tab::history);
    waitFor(QStringLiteral("the history"), [&] { return !page.desk().isBusy(); });
    shoot(QStringLiteral("87-duel-history"));
    page.setTab(BenchmarkPage::Tab::duel);
}

}  // namespace workbench
