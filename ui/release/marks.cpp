// SPDX-License-Identifier: MIT
#include "ui/release/marks.h"

#include <QCoreApplication>

namespace workbench {
namespace {

struct MarkWords {
    Q_DECLARE_TR_FUNCTIONS(ReleaseMarks)
};

}  // namespace

QString wordOf(Standing standing) {
    switch (standing) {
        case Standing::held:
            return MarkWords::tr("held");
        case Standing::waived:
            return MarkWords::tr("waived");
        case Standing::missing:
            return MarkWords::tr("missing");
        case Standing::failed:
            return MarkWords::tr("failed");
        case Standing::later:
            break;
    }
    return MarkWords::tr("later");
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
            return MarkWords::tr("matches");
        case EvidenceState::changed:
            return MarkWords::tr("changed");
        case EvidenceState::missing:
            break;
    }
    return MarkWords::tr("missing");
}

Mark markOf(EvidenceState state) {
    return state == EvidenceState::matches ? Mark::good : Mark::bad;
}

}  // namespace workbench
