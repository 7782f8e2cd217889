// SPDX-License-Identifier: MIT
// Which samples of the picture the pooled pixel under the cursor depends on, painted over the view as it
// moves.
#pragma once

#include <QObject>
#include <QString>

namespace workbench {

class ImageView;
class Session;

class PullView : public QObject {
    Q_OBJECT
  public:
    PullView(Session& session, ImageView& view);

    bool isShown() const { return m_shown; }
    // Why there is nothing to see although it is shown; empty when there is, or no pixel is under the cursor.
    QString reason() const { return m_reason; }

  public Q_SLOTS:
    void setShown(bool shown);

  Q_SIGNALS:
    void reasonChanged(const QString& reason);

  private:
    void follow();
    void say(const QString& reason);

    Session& m_session;
    ImageView& m_view;
    bool m_shown = false;
    QString m_reason;
};

}  // namespace workbench
