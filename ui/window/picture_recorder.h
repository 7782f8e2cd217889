// SPDX-License-Identifier: MIT
// Performs "Record what I see": runs a RecordJob on the session and shows its progress, questions and result
// on the image page.
#pragma once

#include <QObject>

namespace workbench {

class ImagePage;
class JobBar;
class RecordJob;
class Session;

class PictureRecorder : public QObject {
    Q_OBJECT
  public:
    PictureRecorder(Session& session, ImagePage& page);

    // Returns the job. folderRequested follows when it has measured the recipe on the image.
    RecordJob& job() const { return *m_job; }

  Q_SIGNALS:
    // Asks, once a record was measured: where is it to be written? Answered by job().writeInto().
    void folderRequested();
    void showRequested(const QString& directory);
    void stateChanged();

  private:
    void connectJob();

    ImagePage& m_page;
    JobBar* m_bar;
    RecordJob* m_job;
};

}  // namespace workbench
