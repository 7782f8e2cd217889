// SPDX-License-Identifier: MIT
#include "ui/release/release_snapshot.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>
#include <array>

#include "core/support/try.h"
#include "ui/support/text.h"

namespace workbench {
namespace {

struct SnapshotWords {
    Q_DECLARE_TR_FUNCTIONS(ReleaseSnapshot)
};

// In the order of EvidenceState.
constexpr std::array statesInSentences = {QT_TRANSLATE_NOOP("ReleaseSnapshot", "matches again"),
                                          QT_TRANSLATE_NOOP("ReleaseSnapshot", "is not what was attached"),
                                          QT_TRANSLATE_NOOP("ReleaseSnapshot", "is missing")};

}  // namespace

QString ReleaseSnapshot::blocker() const {
    const auto blockers = release.evaluation.blockers();
    return blockers.empty() ? QString() : bounded(toText(blockers.front()), longestShown);
}

int ReleaseSnapshot::waiversThatCount() const {
    return int(std::ranges::count_if(release.state.waivers, [this](const Waiver& waiver) {
        return days_left(waiver, release.evaluation.as_of) >= 0;
    }));
}

int ReleaseSnapshot::evidenceNotAsAttached() const {
    return int(std::ranges::count_if(
        evidence, [](const EvidenceCheck& check) { return check.state != EvidenceState::matches; }));
}

int ReleaseSnapshot::signOffsThatHold() const {
    return int(std::ranges::count_if(release.evaluation.requirements,
                                     [](const Requirement& r) { return !r.role.empty() && r.met; }));
}

Result<ReleaseSnapshotPtr> readSnapshot(const std::filesystem::path& directory, const TaskControl& control) {
    auto snapshot = std::make_shared<ReleaseSnapshot>();
    snapshot->directory = directory;
    const TaskControl half{.stop = control.stop,
                           .progress = [&control](double fraction, std::string_view what) {
                               control.report(fraction / 2, what);
                           }};
    IIR2D_TRY(snapshot->release, load_release(directory, half));
    const auto& attachments = snapshot->release.state.attachments;
    for (const Attachment& attachment : attachments) {
        control.report(0.5 + 0.5 * double(snapshot->evidence.size()) / double(attachments.size()),
                       attachment.name);
        IIR2D_TRY(auto check, check_evidence(directory, attachment, control.stop));
        snapshot->evidence.push_back(std::move(check));
    }
    return snapshot;
}

QString differenceOf(const ReleaseSnapshot& before, const ReleaseSnapshot& now) {
    const ReleaseState& old = before.release.state;
    const ReleaseState& state = now.release.state;
    if (old.log_head != state.log_head) {
        if (state.entries > old.entries) {
            return SnapshotWords::tr(
                "Another process changed the release on disk: %n change(s) were added. "
                "It is shown as it is now.",
                nullptr, int(state.entries - old.entries));
        }
        return SnapshotWords::tr(
            "The release on disk is another one than was shown. It is shown as it is now.");
    }
    for (std::size_t i = 0; i < now.evidence.size(); ++i) {
        if (now.evidence[i].state == before.evidence[i].state) continue;
        return SnapshotWords::tr("The files of the release were changed on disk: evidence/%1 now %2.")
            .arg(toText(state.attachments[i].name),
                 SnapshotWords::tr(statesInSentences[std::size_t(now.evidence[i].state)]));
    }
    return {};
}

QString releaseAt(const QString& path) {
    const QFileInfo info(path);
    if (info.isDir()) return QFileInfo::exists(path + QStringLiteral("/log.jsonl")) ? path : QString();
    const bool isMade = info.fileName() == QLatin1String("log.jsonl") ||
                        info.fileName() == QLatin1String("release.json") ||
                        info.fileName() == QLatin1String("release.md");
    return isMade ? releaseAt(info.absolutePath()) : QString();
}

QString bounded(const QString& text, qsizetype most) {
    return text.size() <= most ? text : text.left(most) + QChar(0x2026);
}

}  // namespace workbench
