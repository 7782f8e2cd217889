// SPDX-License-Identifier: MIT
// What those who do not see the page need of it.
#pragma once

class QWidget;

namespace workbench {

// Whatever can be touched in what is visible has a name.
void expectAccessibleNames(QWidget& root);

}  // namespace workbench
