// SPDX-License-Identifier: MIT
// The manual: a page, hits of a search, what was found on a page, small, and without its files.
#include <QApplication>
#include <QLineEdit>
#include <QToolButton>

#include "ui/manual/manual_browser.h"
#include "ui/manual/manual_window.h"
#include "ui/tour/screenshots.h"
#include "ui/widgets/theme.h"
#include "ui/window/main_window.h"

namespace workbench {

void ScreenshotTour::manual() {
    m_window.openManual(QStringLiteral("README.md"));
    ManualWindow& shown = *m_window.manual();
    if (shown.browser() == nullptr) {
        m_problems << QStringLiteral("there is no manual in %1")
                          .arg(shown.manual().places().join(QStringLiteral(", ")));
        return;
    }
    waitFor(QStringLiteral("the manual to be read"), [&] { return shown.isSearchComplete(); });
    const QSize usual = shown.size();
    for (const Theme theme : {Theme::light, Theme::dark}) {
        const QString name = theme == Theme::light ? QStringLiteral("-light") : QStringLiteral("-dark");
        applyTheme(*qApp, theme);
        shown.openPage(QStringLiteral("README.md"));
        shoot(QStringLiteral("94-manual") + name, &shown);
        shown.openPage(QStringLiteral("duel.md"));
        shoot(QStringLiteral("95-manual-picture") + name, &shown);
        shown.openPage(QStringLiteral("window.md"), QStringLiteral("settings"));
        shown.setQuery(QStringLiteral("border mirror"));
        shoot(QStringLiteral("96-manual-hits") + name, &shown);
        shown.openHit(0);
        shoot(QStringLiteral("97-manual-hit") + name, &shown);
        shown.setQuery(QStringLiteral("no such words"));
        shoot(QStringLiteral("98-manual-no-hit") + name, &shown);
        shown.setQuery({});
        shown.openPage(QStringLiteral("glossary.md"));
        shown.findOnPage(QStringLiteral("cascade"));
        shown.resize(smallScreen);
        shoot(QStringLiteral("99-manual-small") + name, &shown);
        shown.findOnPage({});
        shown.resize(usual);
    }
    shown.close();
    ManualWindow missing(Manual({QStringLiteral("/nonexistent/doc/iir2d-workbench")}));
    missing.openPage(QStringLiteral("README.md"));
    shoot(QStringLiteral("99-manual-missing"), &missing);
}

}  // namespace workbench
