// SPDX-License-Identifier: MIT
// The workbench's own line icons, in the colours of the theme: they follow a theme change by themselves.
#pragma once

#include <QIcon>
#include <QString>

namespace workbench {

// Says what an icon is drawn on.
enum class IconGround { window, accent };

// Returns an icon. `name` is a file of resources/icons without ".svg": "open", "save", "undo", "redo", "fit",
// "zoom-in", "zoom-out", "actual-size", "split", "original", "grid", "image", "benchmark", "device", "add",
// "remove", "duplicate", "up", "down", "reset", "play", "stop", "export", "copy", "close", "warning",
// "error", "info", "refresh", "check", "record", "release", "duel", "kernels", "solve", "more". An unknown
// name is a null icon.
QIcon themedIcon(const QString& name, IconGround ground = IconGround::window);
// Returns the program's icon, as it is.
QIcon applicationIcon();

}  // namespace workbench
