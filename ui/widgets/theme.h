// SPDX-License-Identifier: MIT
// The look that every view shares: Fusion with palettes of our own, named colours, spacing and figures.
// GUI thread only.
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QObject>

#include "core/support/settings.h"

class QApplication;

namespace workbench {

struct ThemeColours {
    QColor window;      // behind everything
    QColor panel;       // docks, cards, tool bars
    QColor base;        // text fields, lists
    QColor canvas;      // around a picture: neutral, so that it does not tint what is judged on it
    QColor text;        // at least 7:1 on window, panel and base
    QColor muted;       // secondary text, at least 4.5:1 there
    QColor border;      // hairlines between areas
    QColor accent;      // the one colour that means "active" or "selected"
    QColor accentText;  // on accent
    QColor accent2;     // a second quantity beside the accent
    QColor warning;
    QColor error;
    QColor success;
    QColor grid;           // of charts and of the pixel grid
    QList<QColor> series;  // of charts, distinguishable with the common colour-vision deficiencies
};

// The margins and gaps of every layout: small inside a group, normal between groups.
inline constexpr int smallSpacing = 4;
inline constexpr int normalSpacing = 8;
inline constexpr int tableCellMargin = 6;  // of text in tables, beside the style's own pixel

// Sets style, palette and the named colours; Theme::system follows the palette the desktop gave at start.
void applyTheme(QApplication& application, Theme theme);
bool isDark();
const ThemeColours& themeColours();

// Returns the application's font where its digits are equally wide, else the system's fixed one: figures that
// change must not make their neighbours jump.
QFont tabularFont();

// Reports changes of the theme to objects that are not widgets; widgets may as well listen to
// QEvent::PaletteChange.
class ThemeNotifier : public QObject {
    Q_OBJECT
  public:
    static ThemeNotifier& instance();

  Q_SIGNALS:
    void changed();

  private:
    ThemeNotifier() = default;
};

}  // namespace workbench
