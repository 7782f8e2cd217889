// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

namespace workbench {

// Whether what is dropped is taken for a record: a directory, or JSON that is no recipe. Images and recipes
// are the window's.
bool mayBeRecord(const QString& path);

// Whether it is named as a shared library is.
bool mayBeLibrary(const QString& path);

// Whether it is the record of a duel: a directory that has duel.json, or such a file whatever its name.
bool isDuel(const QString& path);

}  // namespace workbench
