// SPDX-License-Identifier: MIT
// Paths between Qt and the standard library, without loss in any locale. Thread-safe.
#pragma once

#include <QString>
#include <filesystem>

namespace workbench {

inline std::filesystem::path toPath(const QString& text) {
    return {text.toStdU16String()};
}

inline QString fromPath(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

}  // namespace workbench
