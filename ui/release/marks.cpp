// SPDX-License-Identifier: MIT
#include "ui/release/marks.h"

#include <QCoreApplication>

namespace workbench {
namespace {

QString markTr(const char* text) {
    return QCoreApplication::translate("ReleaseMarks", text);
}

}  // namespace

QString wordOf(Standing standing) {
    switch (standing) {
        case Standing::held:
            return markTr("held");
        case Standing::waived:
            return markTr("waived");
        case Standing::missing:
            return markTr("missing");
        case Standing::failed:
            return markTr("failed");
        case Standing::later:
            break;
    }
    return markTr("later");
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
            return markTr("matches");
        case EvidenceState::changed:
            return markTr("changed");
        case EvidenceState::missing:
            break;
    }
    return markTr("missing");
}

Mark markOf(EvidenceState state) {
    return state == EvidenceState::matches ? Mark::good : Mark::bad;
}

}  // namespace workbench
