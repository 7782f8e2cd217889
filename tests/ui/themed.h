// SPDX-License-Identifier: MIT
// The theme of a fixture's widgets.
#pragma once

#include <QApplication>

#include "ui/widgets/theme.h"

namespace workbench::testing {

// Applies a theme. A member in front of the widgets, as the program applies it before it has a window: what
// is there already is styled anew three times, which takes longer than to make it.
struct Themed {
    explicit Themed(Theme theme) { applyTheme(*qApp, theme); }
};

}  // namespace workbench::testing
