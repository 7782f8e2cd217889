// SPDX-License-Identifier: MIT
#include "ui/release/marks.h"

#include <QCoreApplication>

namespace workbench {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("ReleaseMarks", text);
}

}  // namespace

QString wordOf(Standing standing) {
    switch (standing) {
        case Standing::held:
            return tr("held");
        case Standing::waived:
            return tr("waived");
        case Standing::missing:
            return tr("missing");
        case Standing::failed:
            return tr("failed");
        case Standing::later:
            break;
    }
    return tr("later");
}

Mark markOf(Standing standing) {
    switch (standing) {
        case Standing::held:
            return Mark::good;
        case Standing::waived:
        case Standing::missing:
            return Mark::attention;
        case Standing::failed:
            return Mark::bad;
        case Standing::later:
            break;
    }
    return Mark::quiet;
}

QString wordOf(EvidenceState state) {
    switch (state) {
        case EvidenceState::matches:
            return tr("matches");
        case EvidenceState::changed:
            return tr("changed");
        case EvidenceState::missing:
            break;
    }
    return tr("missing");
}

Mark markOf(EvidenceState state) {
    return state == EvidenceState::matches ? Mark::good : Mark::bad;
}

}  // namespace workbench
