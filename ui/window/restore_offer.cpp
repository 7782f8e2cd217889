// SPDX-License-Identifier: MIT
#include "ui/window/restore_offer.h"

#include <QComboBox>
#include <QDateTime>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QString timeText(const QString& utc) {
    const QDateTime time = QDateTime::fromString(utc, Qt::ISODateWithMs).toLocalTime();
    if (!time.isValid()) return RestoreOffer::tr("at an unknown time");
    const QLocale locale;
    const QString clock = locale.toString(time.time(), QLocale::ShortFormat);
    if (time.date() == QDate::currentDate()) return RestoreOffer::tr("today at %1").arg(clock);
    return RestoreOffer::tr("%1 at %2").arg(locale.toString(time.date(), QLocale::ShortFormat), clock);
}

}  // namespace

QString RestoreOffer::describe(const SavedState& state) {
    QStringList parts;
    if (!state.image.isEmpty()) parts << QFileInfo(state.image).fileName();
    const Recipe& recipe = state.history.recipes[std::size_t(state.history.position)];
    const int operations = int(recipe.operations.size());
    if (operations > 0) parts << tr("%n operation(s)", nullptr, operations);
    if (!state.results.empty()) parts << tr("benchmark results");
    if (parts.isEmpty()) parts << tr("steps to undo or redo");
    return tr("%1, saved %2").arg(parts.join(QStringLiteral(", ")), timeText(state.savedUtc));
}

RestoreOffer::RestoreOffer(std::vector<EndedSession> sessions, QWidget* parent)
    : QFrame(parent),
      m_sessions(std::move(sessions)),
      m_icon(new QLabel(this)),
      m_text(new QLabel(this)),
      m_choice(new QComboBox(this)),
      m_restore(new QPushButton(tr("Restore"), this)),
      m_discard(new QPushButton(tr("Discard"), this)) {
    setObjectName(QStringLiteral("restoreOffer"));
    auto* layout = makeRow(this, normalSpacing,
                           {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    m_text->setTextFormat(Qt::PlainText);  // a file's name may look like markup
    m_text->setWordWrap(true);
    m_text->setMinimumWidth(80);
    m_choice->setAccessibleName(tr("Session to restore or discard"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(16);
    m_restore->setObjectName(QStringLiteral("restoreButton"));
    m_discard->setObjectName(QStringLiteral("discardButton"));
    m_restore->setToolTip(tr("Bring image, recipe, undo steps, view and results back into this window"));
    m_discard->setToolTip(tr("Forget what this session had; files that were saved stay"));
    m_restore->setAutoDefault(true);
    m_discard->setAutoDefault(true);
    layout->addWidget(m_icon);
    auto* words = new QVBoxLayout;  // one above the other: a small window has no room beside the buttons
    words->setSpacing(smallSpacing);
    words->addWidget(m_text);
    words->addWidget(m_choice);
    layout->addLayout(words, 1);
    layout->addWidget(m_restore);
    layout->addWidget(m_discard);
    const auto showIcon = [this] {
        const int side = fontMetrics().height();
        m_icon->setPixmap(themedIcon(QStringLiteral("info")).pixmap(QSize(side, side), devicePixelRatioF()));
    };
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, showIcon);
    showIcon();
    connect(m_restore, &QPushButton::clicked, this, [this] { takeAway(true); });
    connect(m_discard, &QPushButton::clicked, this, [this] { takeAway(false); });
    connect(m_choice, &QComboBox::currentIndexChanged, this,
            [this] { m_choice->setToolTip(m_choice->currentText()); });
    setFocusProxy(m_restore);
    showSessions();
}

void RestoreOffer::showSessions() {
    const bool several = m_sessions.size() > 1;
    m_text->setText(
        several ? tr("%n session(s) ended without being closed:", nullptr, count())
                : tr("A session ended without being closed: %1.").arg(describe(m_sessions.front().state)));
    m_choice->setVisible(several);
    m_choice->clear();
    for (const EndedSession& each : m_sessions) m_choice->addItem(describe(each.state));
    const QString subject = several ? tr("the chosen session") : m_text->text();
    m_restore->setAccessibleName(tr("Restore"));
    m_restore->setAccessibleDescription(subject);
    m_discard->setAccessibleName(tr("Discard"));
    m_discard->setAccessibleDescription(subject);
}

void RestoreOffer::takeAway(bool restore) {
    const int chosen = std::clamp(m_choice->currentIndex(), 0, count() - 1);
    const EndedSession session = m_sessions[std::size_t(chosen)];
    m_sessions.erase(m_sessions.begin() + chosen);
    if (restore) {
        Q_EMIT restoreRequested(session);
    } else {
        session.file.remove();
    }
    if (m_sessions.empty()) {
        hide();
        Q_EMIT answered();
    } else {
        showSessions();
    }
}

void RestoreOffer::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), themeColours().panel);
    QColor tint = themeColours().accent;
    tint.setAlphaF(0.14F);
    painter.fillRect(rect(), tint);
    painter.fillRect(QRect(0, 0, 3, height()), themeColours().accent);
    painter.fillRect(QRect(0, height() - 1, width(), 1), themeColours().border);
}

}  // namespace workbench
