// SPDX-License-Identifier: MIT
// The states in which the window says something about one's own work: a number it cannot take, a start that
// darkens, sessions that ended.
#include <QCoreApplication>
#include <QDateTime>
#include <QKeyEvent>
#include <QPushButton>

#include "core/support/files.h"
#include "core/support/package.h"
#include "ui/operations/operations_panel.h"
#include "ui/session/saved_state.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/tour/screenshots.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/number_field.h"
#include "ui/window/crash_offer.h"
#include "ui/window/main_window.h"
#include "ui/window/restore_offer.h"

namespace workbench {
namespace {

SavedState endedState(const QString& image, int operations, int secondsAgo) {
    SavedState state{
        .savedUtc = QDateTime::currentDateTimeUtc().addSecs(-secondsAgo).toString(Qt::ISODateWithMs),
        .image = image};
    state.history.recipes[0].operations.assign(std::size_t(operations), {});
    return state;
}

}  // namespace

void ScreenshotTour::wrongNumber() {
    OperationsPanel& panel = m_window.operationsPanel();
    m_window.session().resetRecipe({});
    panel.addFilter(6);
    settle();
    for (NumberBox* box : panel.findChildren<NumberBox*>()) {
        if (!box->isVisible() || box->accessibleName() != QLatin1String("Sigma")) continue;
        box->setFocus();
        box->findChild<QLineEdit*>()->setText(QStringLiteral("500"));
        QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
        QCoreApplication::sendEvent(box, &enter);
        return;
    }
    m_problems << QStringLiteral("found no field for sigma");
}

void ScreenshotTour::work() {
    m_window.setPage(MainWindow::Page::image);
    m_window.activateWindow();  // what has the focus shows it
    waitFor(QStringLiteral("the window to be active"), [this] { return m_window.isActiveWindow(); });
    openAndWait(sample("astronaut.png"));
    const QSize usual = m_window.size();
    wrongNumber();
    waitForExact();
    shootInBoth(QStringLiteral("90-wrong-number"));

    Operation truncated{.what = FilterOperation{.filter_id = 6, .parameters = {{"sigma", 20.0}}}};
    m_window.session().resetRecipe({.operations = {truncated}});
    m_window.operationsPanel().selectRow(0);
    waitForExact();
    shootInBoth(QStringLiteral("91-truncated-start"));

    const auto offered = [&](int count, const QString& name) {
        const auto folder = std::filesystem::path(m_folder.path().toStdU16String()) / "sessions";
        for (int i = 0; i < count; ++i) {
            const auto file = StateFile::create(folder);
            const SavedState state = endedState(
                i == 0 ? sample("astronaut.png") : QStringLiteral("/pictures/holiday-%1.tif").arg(i), 3 + i,
                90 + 4000 * i);
            if (!file || !file->write(state)) m_problems << QStringLiteral("could not keep a session");
        }
        auto* offer = new RestoreOffer(claimEndedSessions(folder), &m_window);
        m_window.setOffer(offer);
        offer->setFocus();
        shootInBoth(name);
        m_window.resize(smallScreen);
        shoot(name + QStringLiteral("-small"));
        m_window.resize(usual);
        delete offer;
        std::filesystem::remove_all(folder);
    };
    m_window.session().resetRecipe({});
    offered(1, QStringLiteral("92-restore-offer"));
    offered(3, QStringLiteral("93-restore-several"));

    const auto log = std::filesystem::path(m_folder.path().toStdU16String()) / "log";
    QDir().mkpath(fromPath(log));
    const std::string report =
        version_text("iir2d-workbench") +
        "\ntime: 20260314T150926Z\nsignal: 11 SIGSEGV, at address 0x10\nthread: the first\n";
    if (!write_file_atomically(log / "crash-20260314T150926Z.txt", report))
        m_problems << QStringLiteral("could not write a report");
    offerCrashReports(m_window, log);
    offered(1, QStringLiteral("93-crash-and-restore"));
    shootInBoth(QStringLiteral("93-crash"));
    for (auto* button : m_window.findChildren<QPushButton*>()) {
        if (button->accessibleName() == QLatin1String("Show the report")) button->click();
    }
    auto* dialog = m_window.findChild<CrashReportDialog*>();
    if (dialog == nullptr) {
        m_problems << QStringLiteral("the report of a crash was not shown");
        return;
    }
    shoot(QStringLiteral("93-crash-report"), dialog);
    dialog->close();
    delete m_window.findChild<MessageArea*>(QStringLiteral("crashOffer"));
}

}  // namespace workbench
