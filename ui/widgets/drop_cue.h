// SPDX-License-Identifier: MIT
// Takes files that are dropped on a widget: covers it while one is dragged over it, and says what dropping it
// does.
#pragma once

#include <QWidget>
#include <functional>

class QMimeData;

namespace workbench {

class DropCue : public QWidget {
    Q_OBJECT
  public:
    // Returns what dropping the file would do; empty: it is not for `target`, whose parent may take it.
    using Say = std::function<QString(const QString& path)>;
    using Take = std::function<void(const QString& path)>;

    // Takes, of several files, the first that `say` knows is taken.
    DropCue(QWidget* target, Say say, Take take);
    void appear(const QString& text);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    std::pair<QString, QString> fileIn(const QMimeData* dragged) const;  // and what is said of it

    Say m_say;
    Take m_take;
    QString m_text;
};

}  // namespace workbench
