// SPDX-License-Identifier: MIT
// What the release page shows: one reading of a release's directory. Immutable, so that a dialog signs what
// it showed even when the page has read the release anew.
#pragma once

#include <QString>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/release/evidence_files.h"
#include "core/release/release.h"

namespace workbench {

struct ReleaseView {
    std::filesystem::path directory;
    Release release;
    std::vector<EvidenceCheck> evidence;  // as release.state.attachments
    bool isClosed() const { return release.state.promoted_utc.has_value(); }
    // The first thing that stands in the way of promoting; empty: nothing does.
    QString blocker() const;
};
using ReleaseViewPtr = std::shared_ptr<const ReleaseView>;

// Reads the release and hashes its evidence. Long; any thread.
Result<ReleaseViewPtr> readRelease(const std::filesystem::path& directory, const TaskControl& control);

// A release may come from a stranger: its texts are shown to a length that a label can lay out.
inline constexpr qsizetype longestShown = 500;
QString bounded(const QString& text, qsizetype most);

std::filesystem::path pathFrom(const QString& text);
QString pathText(const std::filesystem::path& path);

}  // namespace workbench
