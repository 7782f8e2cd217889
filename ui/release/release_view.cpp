// SPDX-License-Identifier: MIT
#include "ui/release/release_view.h"

#include "ui/support/text.h"

namespace workbench {

QString ReleaseView::blocker() const {
    const auto blockers = release.evaluation.blockers();
    return blockers.empty() ? QString() : bounded(toText(blockers.front()), longestShown);
}

Result<ReleaseViewPtr> readRelease(const std::filesystem::path& directory, const TaskControl& control) {
    auto view = std::make_shared<ReleaseView>();
    view->directory = directory;
    auto release = load_release(
        directory, {.stop = control.stop, .progress = [&control](double fraction, std::string_view what) {
                        control.report(fraction / 2, what);
                    }});
    if (!release) return std::unexpected(release.error());
    view->release = std::move(*release);
    const auto& attachments = view->release.state.attachments;
    for (const Attachment& attachment : attachments) {
        control.report(0.5 + 0.5 * double(view->evidence.size()) / double(attachments.size()),
                       attachment.name);
        auto check = check_evidence(directory, attachment, control.stop);
        if (!check) return std::unexpected(check.error());
        view->evidence.push_back(std::move(*check));
    }
    return view;
}

QString bounded(const QString& text, qsizetype most) {
    return text.size() <= most ? text : text.left(most) + QChar(0x2026);
}

std::filesystem::path pathFrom(const QString& text) {
    return {text.toStdU16String()};
}

QString pathText(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

}  // namespace workbench
