// SPDX-License-Identifier: MIT
#include "ui/charts/plot.h"

namespace workbench {

QString shortNumber(double value) {
    return QString::number(value, 'g', 5);
}

}  // namespace workbench
