// SPDX-License-Identifier: MIT
// Messages in place, above what they are about: one row each, closed by the user or by whoever put it there.
// Never modal.
#pragma once

#include <QHash>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

class QVBoxLayout;

namespace workbench {

class MessageArea : public QWidget {
    Q_OBJECT
  public:
    enum class Severity { info, warning, error };
    struct Button {
        QString text;
        std::function<void()> action;  // the message goes, then this runs
    };

    explicit MessageArea(QWidget* parent = nullptr);

    // Replaces what has the same subject ("open", "save", ...), so that a fault that repeats is one row.
    void show(const QString& subject, Severity severity, const QString& text,
              const std::vector<Button>& buttons = {});
    void clear(const QString& subject);
    bool has(const QString& subject) const { return m_rows.contains(subject); }
    QString textOf(const QString& subject) const;

  private:
    QVBoxLayout* m_layout;
    QHash<QString, QWidget*> m_rows;
};

}  // namespace workbench
