// SPDX-License-Identifier: MIT
// A release's directory as it was read at one time. Immutable, so that a dialog signs what it showed even
// when the release was read anew meanwhile. No widgets.
#pragma once

#include <QString>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/release/evidence_files.h"
#include "core/release/release.h"

namespace workbench {

struct ReleaseSnapshot {
    std::filesystem::path directory;
    Release release;
    std::vector<EvidenceCheck> evidence;  // as release.state.attachments
    bool isClosed() const { return release.state.promoted_utc.has_value(); }
    // Returns the first thing that stands in the way of promoting; empty: nothing does.
    QString blocker() const;
    int waiversThatCount() const;
    int evidenceNotAsAttached() const;
    int signOffsThatHold() const;
};
using ReleaseSnapshotPtr = std::shared_ptr<const ReleaseSnapshot>;

// Reads the release and hashes its evidence. Long; any thread.
Result<ReleaseSnapshotPtr> readSnapshot(const std::filesystem::path& directory, const TaskControl& control);

// Returns what another process did to the release between two snapshots, as a sentence; empty: nothing that
// is seen.
QString differenceOf(const ReleaseSnapshot& before, const ReleaseSnapshot& now);

// Returns the directory of the release that a path is, or is a file derived from; empty where it is none.
QString releaseAt(const QString& path);

// A release may come from a stranger: its texts are shown to a length that a label can lay out.
inline constexpr qsizetype longestShown = 500;
QString bounded(const QString& text, qsizetype most);

}  // namespace workbench
