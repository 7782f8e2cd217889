// SPDX-License-Identifier: MIT
#include "ui/benchmark/library_probe.h"

#include <chrono>
#include <utility>

#include "ui/support/paths.h"
#include "ui/support/text.h"

namespace workbench {

LibraryProbe::LibraryProbe(std::string side, QObject* parent) : QObject(parent), m_side(std::move(side)) {
    m_pause.setSingleShot(true);
    m_pause.setInterval(std::chrono::milliseconds(200));
    connect(&m_pause, &QTimer::timeout, this, &LibraryProbe::begin);
}

void LibraryProbe::look(const QString& given) {
    if (given == m_given) return;
    m_given = given;
    m_library.reset();
    m_problem.clear();
    m_job.abandon();
    if (given.isEmpty()) {
        m_pause.stop();
    } else {
        m_pause.start();
    }
    Q_EMIT changed();
}

void LibraryProbe::begin() {
    m_job.start(
        {},
        [side = m_side, given = toPath(m_given).string()](const TaskControl&) {
            return find_library(side, given);
        },
        [this](const Result<LibraryFile>& found) {
            if (found) {
                m_library = *found;
            } else {
                m_problem = toSentence(found.error().message);
            }
            Q_EMIT changed();
        });
}

}  // namespace workbench
