// SPDX-License-Identifier: MIT
#include "ui/release/release_watcher.h"

#include <QDir>
#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QTimer>

#include "ui/support/text.h"

namespace workbench {
namespace {

constexpr int settledMs = 250;
// What the system lets a program watch is limited; beyond, folders still tell of what comes and goes.
constexpr int mostFiles = 500;

}  // namespace

ReleaseWatcher::ReleaseWatcher(QObject* parent)
    : QObject(parent), m_files(new QFileSystemWatcher(this)), m_settled(new QTimer(this)) {
    m_settled->setSingleShot(true);
    m_settled->setInterval(settledMs);
    connect(m_files, &QFileSystemWatcher::directoryChanged, this, [this](const QString& path) {
        // What else is in the folder above is no concern of the release.
        if (path == m_above && QFileInfo::exists(m_top)) return;
        m_settled->start();
    });
    connect(m_files, &QFileSystemWatcher::fileChanged, this, [this] { m_settled->start(); });
    connect(m_settled, &QTimer::timeout, this, &ReleaseWatcher::changed);
}

void ReleaseWatcher::watch(const ReleaseSnapshot& snapshot) {
    const QDir top(pathText(snapshot.directory));
    m_top = top.path();
    m_above = QFileInfo(m_top).absolutePath();  // a folder is not told that it was renamed
    QStringList wanted{m_top, m_above, top.filePath(QStringLiteral("evidence"))};
    for (const char* name : {"log.jsonl", "release.json", "release.md"}) {
        wanted << top.filePath(QString::fromLatin1(name));
    }
    for (const Attachment& attachment : snapshot.release.state.attachments) {
        if (wanted.size() > mostFiles) break;
        const QString path = top.filePath(QStringLiteral("evidence/") + toText(attachment.name));
        wanted << path;
        if (!attachment.folder) continue;
        for (const QString& file : QDir(path).entryList(QDir::Files)) wanted << QDir(path).filePath(file);
    }
    // Adding what is watched already, or is not there, is no error.
    QStringList old = m_files->files() + m_files->directories();
    for (const QString& path : wanted) old.removeAll(path);
    if (!old.isEmpty()) m_files->removePaths(old);
    m_files->addPaths(wanted);
}

}  // namespace workbench
