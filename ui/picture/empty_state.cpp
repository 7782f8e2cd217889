// SPDX-License-Identifier: MIT
#include "ui/picture/empty_state.h"

#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/session/session.h"
#include "ui/widgets/glyph.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int recentShown = 5;

}  // namespace

EmptyState::EmptyState(Session& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_recent(new QVBoxLayout) {
    setObjectName(QStringLiteral("emptyState"));
    auto* outer = new QVBoxLayout(this);
    outer->setSpacing(normalSpacing);
    outer->addStretch(2);
    outer->addWidget(new Glyph(QStringLiteral("image"), 72, this), 0, Qt::AlignHCenter);
    outer->addSpacing(normalSpacing);

    auto* title = new QLabel(tr("Open an image to begin"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    title->setFont(large);
    outer->addWidget(title, 0, Qt::AlignHCenter);

    auto* help = new QLabel(tr("Drop a file anywhere in this window.\n"
                               "PNG, JPEG, TIFF, OpenEXR, HDR, WebP and more; 8 bit to 64-bit float."),
                            this);
    help->setForegroundRole(QPalette::PlaceholderText);
    help->setAlignment(Qt::AlignHCenter);
    outer->addWidget(help, 0, Qt::AlignHCenter);
    outer->addSpacing(normalSpacing);

    auto* buttons = makeRow(nullptr, normalSpacing);
    buttons->addStretch();
    auto* open = new QPushButton(themedIcon(QStringLiteral("open")), tr(" Open…"), this);
    open->setObjectName(QStringLiteral("openButton"));
    open->setDefault(true);
    open->setMinimumWidth(120);
    open->setAccessibleName(tr("Open an image"));
    auto* sample = new QPushButton(themedIcon(QStringLiteral("image")), tr(" Open the &sample"), this);
    sample->setObjectName(QStringLiteral("sampleButton"));
    sample->setMinimumWidth(120);
    sample->setAccessibleName(tr("Open the sample photograph"));
    buttons->addWidget(open);
    buttons->addWidget(sample);
    buttons->addStretch();
    outer->addLayout(buttons);
    outer->addSpacing(2 * normalSpacing);
    m_recent->setSpacing(0);
    outer->addLayout(m_recent);
    outer->addStretch(3);

    connect(open, &QPushButton::clicked, this, &EmptyState::openRequested);
    connect(sample, &QPushButton::clicked, this, &EmptyState::sampleRequested);
    showRecent();
}

void EmptyState::showRecent() {
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    int shown = 0;
    for (const std::string& file : m_session.settings().recent_files) {
        if (shown == recentShown) break;
        if (shown++ == 0) {
            auto* heading = new QLabel(tr("Recent"), this);
            heading->setForegroundRole(QPalette::PlaceholderText);
            m_recent->addWidget(heading, 0, Qt::AlignHCenter);
        }
        const QString path = QString::fromStdString(file);
        auto* link = new QToolButton(this);
        link->setAutoRaise(true);
        link->setText(QFileInfo(path).fileName());
        link->setToolTip(QDir::toNativeSeparators(path));
        link->setAccessibleName(tr("Open %1 again").arg(QFileInfo(path).fileName()));
        link->setCursor(Qt::PointingHandCursor);
        link->setFocusPolicy(Qt::StrongFocus);
        m_recent->addWidget(link, 0, Qt::AlignHCenter);
        connect(link, &QToolButton::clicked, this, [this, path] { Q_EMIT fileRequested(path); });
    }
}

void EmptyState::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), themeColours().window);
}

}  // namespace workbench
