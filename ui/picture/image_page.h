// SPDX-License-Identifier: MIT
// The image page: the picture of a session with its messages and running jobs above it and the view's strip
// below. Turns what the session says into what the view shows.
#pragma once

#include <QWidget>

#include "ui/picture/view_overlays.h"
#include "ui/session/job.h"

class QStackedLayout;

namespace workbench {

class EmptyState;
class FloatingColumn;
class ImageView;
class JobBar;
class MessageArea;
class PullView;
class SaveJob;
class Session;
class ViewBar;

class ImagePage : public QWidget {
    Q_OBJECT
  public:
    explicit ImagePage(Session& session, QWidget* parent = nullptr);
    ~ImagePage() override;

    ImageView& view() const { return *m_view; }
    ViewBar& viewBar() const { return *m_bar; }
    MessageArea& messages() const { return *m_messages; }
    SaveJob& saveJob() const { return *m_save; }
    PullView& pullView() const { return *m_pulls; }
    const ViewMark& mark() const { return m_mark; }

    // What is on the screen, at its own size, exposure and gamma included. Rendered in the background.
    void copyImage();
    // Adds a row below the messages and the running jobs. The page owns it.
    void addRow(QWidget* row);

  Q_SIGNALS:
    void openRequested();
    void sampleRequested();
    void fileRequested(const QString& path);
    void markChanged(const workbench::ViewMark& mark);

  private:
    void connectOpening();
    void connectSaving();
    void showImage();
    void showFrame();
    void showMark();
    void limitProxy();
    void choosePage(int index);

    Session& m_session;
    MessageArea* m_messages;
    JobBar* m_openBar;
    JobBar* m_saveBar;
    FloatingColumn* m_column;
    QStackedLayout* m_stack;
    EmptyState* m_empty;
    ImageView* m_view;
    ViewBar* m_bar;
    SaveJob* m_save;
    PullView* m_pulls;
    ViewMark m_mark;
    Job m_copier{JobPolicy::newest_wins};
};

}  // namespace workbench
