// SPDX-License-Identifier: MIT
#pragma once

#include <QString>

class QMimeData;

namespace workbench {

// Returns the path of the first record among what is dropped; empty when there is none. Images and recipes
// are the window's.
QString droppedRecord(const QMimeData* data);

}  // namespace workbench
