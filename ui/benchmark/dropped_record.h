// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

namespace workbench {

// What the benchmark page takes a dropped path for, by its name and the beginning of its text.
enum class DroppedKind {
    library,  // named as a shared library is
    duel,
    record,  // a directory, or JSON that is no recipe
    other,   // images and recipes, which are the window's
};
DroppedKind droppedKind(const QString& path);

// Whether it is the record of a duel: a directory that has duel.json, or such a file whatever its name.
bool isDuel(const QString& path);

}  // namespace workbench
