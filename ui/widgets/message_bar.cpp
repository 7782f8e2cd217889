// SPDX-License-Identifier: MIT
#include "ui/widgets/message_bar.h"

#include <QAccessible>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// A row tinted by its severity, with an edge in the full colour.
class MessageRow : public QWidget {
  public:
    MessageRow(MessageArea::Severity severity, QWidget* parent) : QWidget(parent), m_severity(severity) {}

    QColor colour() const {
        const ThemeColours& c = themeColours();
        return m_severity == MessageArea::Severity::error     ? c.error
               : m_severity == MessageArea::Severity::warning ? c.warning
                                                              : c.accent;
    }

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.fillRect(rect(), themeColours().panel);
        QColor tint = colour();
        tint.setAlphaF(0.14F);
        painter.fillRect(rect(), tint);
        painter.fillRect(QRect(0, 0, 3, height()), colour());
        painter.fillRect(QRect(0, height() - 1, width(), 1), themeColours().border);
    }

  private:
    MessageArea::Severity m_severity;
};

QString iconOf(MessageArea::Severity severity) {
    switch (severity) {
        case MessageArea::Severity::error:
            return QStringLiteral("error");
        case MessageArea::Severity::warning:
            return QStringLiteral("warning");
        case MessageArea::Severity::info:
            break;
    }
    return QStringLiteral("info");
}

}  // namespace

MessageArea::MessageArea(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("messages"));
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    hide();
}

void MessageArea::show(const QString& subject, Severity severity, const QString& text,
                       const std::vector<Button>& buttons) {
    clear(subject);
    auto* row = new MessageRow(severity, this);
    row->setAccessibleName(text);
    auto* layout =
        makeRow(row, normalSpacing, {normalSpacing + smallSpacing, smallSpacing, smallSpacing, smallSpacing});

    auto* icon = new QLabel(row);
    const int side = fontMetrics().height();
    icon->setPixmap(themedIcon(iconOf(severity)).pixmap(QSize(side, side), devicePixelRatioF()));
    layout->addWidget(icon, 0, Qt::AlignTop);
    icon->setContentsMargins(0, 3, 0, 0);

    auto* label = new QLabel(text, row);
    label->setObjectName(QStringLiteral("messageText"));
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);  // a file's name may look like markup
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(0, 3, 0, 3);
    label->setMinimumWidth(80);
    layout->addWidget(label, 1);

    for (const Button& button : buttons) {
        auto* push = new QPushButton(button.text, row);
        push->setAccessibleName(button.text);
        connect(push, &QPushButton::clicked, this, [this, subject, action = button.action] {
            clear(subject);
            action();
        });
        layout->addWidget(push, 0, Qt::AlignTop);
    }
    auto* close = new QToolButton(row);
    close->setIcon(themedIcon(QStringLiteral("close")));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss message"));
    close->setToolTip(tr("Dismiss"));
    connect(close, &QToolButton::clicked, this, [this, subject] { clear(subject); });
    layout->addWidget(close, 0, Qt::AlignTop);

    m_rows.insert(subject, row);
    m_layout->addWidget(row);
    row->show();
    QWidget::show();
    QAccessibleEvent alert(row, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void MessageArea::clear(const QString& subject) {
    if (QWidget* row = m_rows.take(subject)) {
        row->hide();
        row->deleteLater();
    }
    if (m_rows.isEmpty()) hide();
}

QString MessageArea::textOf(const QString& subject) const {
    const QWidget* row = m_rows.value(subject);
    return row ? row->accessibleName() : QString();
}

}  // namespace workbench
