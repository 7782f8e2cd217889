// SPDX-License-Identifier: MIT
#include "ui/release/marks.h"

#include <QCoreApplication>
#include <array>

namespace workbench {
namespace {

struct MarkWords {
    Q_DECLARE_TR_FUNCTIONS(ReleaseMarks)
};

struct StandingLook {
    const char* word;
    Mark mark;
};

// In the order of Standing.
constexpr std::array<StandingLook, 5> standingLooks = {
    {{QT_TRANSLATE_NOOP("ReleaseMarks", "held"), Mark::good},
     {QT_TRANSLATE_NOOP("ReleaseMarks", "waived"), Mark::attention},
     {QT_TRANSLATE_NOOP("ReleaseMarks", "missing"), Mark::attention},
     {QT_TRANSLATE_NOOP("ReleaseMarks", "failed"), Mark::bad},
     {QT_TRANSLATE_NOOP("ReleaseMarks", "later"), Mark::quiet}}};

// In the order of EvidenceState.
constexpr std::array evidenceWords = {QT_TRANSLATE_NOOP("ReleaseMarks", "matches"),
                                      QT_TRANSLATE_NOOP("ReleaseMarks", "changed"),
                                      QT_TRANSLATE_NOOP("ReleaseMarks", "missing")};

}  // namespace

QString wordOf(Standing standing) {
    return MarkWords::tr(standingLooks[std::size_t(standing)].word);
}

Mark markOf(Standing standing) {
    return standingLooks[std::size_t(standing)].mark;
}

QString wordOf(EvidenceState state) {
    return MarkWords::tr(evidenceWords[std::size_t(state)]);
}

Mark markOf(EvidenceState state) {
    return state == EvidenceState::matches ? Mark::good : Mark::bad;
}

}  // namespace workbench
