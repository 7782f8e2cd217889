// SPDX-License-Identifier: MIT
// For systems that duels are not written for yet.
#include "core/duel/duel.h"

namespace workbench {

Result<Duel> run_duel(const DuelSettings&, const LibraryFile&, const LibraryFile&, const TaskControl&,
                      const DuelEvents&) {
    return fail(ErrorKind::device_failure,
                "duels need Linux so far: compare two records with iir2d compare-records");
}

}  // namespace workbench
