// SPDX-License-Identifier: MIT
#include "ui/window/picture_recorder.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QGuiApplication>
#include <QUrl>
#include <vector>

#include "ui/picture/image_page.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/message_bar.h"
#include "ui/window/record_job.h"

namespace workbench {
namespace {

using Severity = MessageArea::Severity;

const auto subject = QStringLiteral("record");

}  // namespace

PictureRecorder::PictureRecorder(Session& session, ImagePage& page)
    : QObject(&page), m_page(page), m_bar(new JobBar(&page)), m_job(new RecordJob(session, this)) {
    m_bar->setObjectName(QStringLiteral("recordBar"));
    page.addRow(m_bar);
    connectJob();
}

void PictureRecorder::connectJob() {
    connect(m_job, &RecordJob::started, this, [this] {
        m_page.messages().clear(subject);
        m_bar->begin(tr("Recording the recipe on %1").arg(m_job->subject()));
        Q_EMIT stateChanged();
    });
    connect(m_job, &RecordJob::progressed, this, [this](double fraction, const QString& what) {
        if (!m_bar->isActive()) return;
        m_bar->setText(tr("Recording the recipe on %1: %2").arg(m_job->subject(), what));
        m_bar->setFraction(fraction);
    });
    connect(m_bar, &JobBar::cancelRequested, m_job, &RecordJob::cancel);
    const auto end = [this] {
        m_bar->end();
        Q_EMIT stateChanged();
    };
    connect(m_job, &RecordJob::measured, this, [this, end] {
        end();
        // Stays until it is written or given up: a dialog that is closed by mistake loses no measurement.
        m_page.messages().show(
            subject, Severity::warning,
            tr("The recipe was measured on %1; the record is not written yet.").arg(m_job->subject()),
            {{tr("Choose a folder…"), [this] { Q_EMIT folderRequested(); }},
             {tr("Discard"), [this] { m_job->discard(); }}});
        Q_EMIT folderRequested();
    });
    connect(m_job, &RecordJob::cancelled, this, [this, end] {
        end();
        m_page.messages().show(subject, Severity::info, tr("Recording was cancelled; nothing was written."));
    });
    connect(m_job, &RecordJob::failed, this, [this, end](const QString& why) {
        end();
        std::vector<MessageArea::Button> buttons;
        if (m_job->record())
            buttons.push_back({tr("Choose a folder…"), [this] { Q_EMIT folderRequested(); }});
        m_page.messages().show(subject, Severity::error, tr("No record was made: %1").arg(why), buttons);
    });
    connect(m_job, &RecordJob::writingStarted, this, &PictureRecorder::stateChanged);
    connect(m_job, &RecordJob::written, this,
            [this](const QString& directory, bool accepted, const QString& verdict) {
                Q_EMIT stateChanged();
                m_page.messages().show(
                    subject, accepted ? Severity::info : Severity::error,
                    tr("The record was written to %1. %2").arg(QDir::toNativeSeparators(directory), verdict),
                    {{tr("Show"), [this, directory] { Q_EMIT showRequested(directory); }},
                     {tr("Open folder"),
                      [directory] { QDesktopServices::openUrl(QUrl::fromLocalFile(directory)); }},
                     {tr("Copy path"), [directory] { QGuiApplication::clipboard()->setText(directory); }}});
            });
}

}  // namespace workbench
