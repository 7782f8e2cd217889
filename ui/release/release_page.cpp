// SPDX-License-Identifier: MIT
#include "ui/release/release_page.h"

#include <QAction>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/support/files.h"
#include "ui/release/gate_board.h"
#include "ui/release/release_dialogs.h"
#include "ui/release/release_tables.h"
#include "ui/release/release_watcher.h"
#include "ui/session/session.h"
#include "ui/support/text.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/glyph.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/mark_label.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// Below, the tables go under the board.
constexpr int wideEnough = 940;

QString droppedFile(const QMimeData* data) {
    if (!data || !data->hasUrls()) return {};
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile()) return url.toLocalFile();
    }
    return {};
}

// The directory of the release that a dropped or chosen path is, or is a made file of; empty when it is none.
QString releaseAt(const QString& path) {
    const QFileInfo info(path);
    if (info.isDir()) return QFileInfo::exists(path + QStringLiteral("/log.jsonl")) ? path : QString();
    const bool isMade = info.fileName() == QLatin1String("log.jsonl") ||
                        info.fileName() == QLatin1String("release.json") ||
                        info.fileName() == QLatin1String("release.md");
    return isMade ? releaseAt(info.absolutePath()) : QString();
}

}  // namespace

ReleasePage::ReleasePage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_job(new ReleaseJob(this)),
      m_watcher(new ReleaseWatcher(this)),
      m_messages(new MessageArea(this)),
      m_bar(new JobBar(this)),
      m_stack(new QStackedWidget(this)),
      m_dropCue(new DropCue(this)) {
    setObjectName(QStringLiteral("releasePage"));
    setAccessibleName(tr("Release"));
    setAcceptDrops(true);
    makeActions();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* column = new FloatingColumn(FloatingColumn::Edge::bottom, this);
    column->add(m_messages);
    column->add(m_bar);
    m_stack->addWidget(makeEmptyPage());
    m_stack->addWidget(makeReleasePage());
    layout->addWidget(m_stack, 1);
    connectJob();
    connect(m_watcher, &ReleaseWatcher::changed, this, &ReleasePage::readAgain);
    showState();
}

ReleasePage::~ReleasePage() {
    delete m_job;  // joined here, while everything that it tells is still there
}

void ReleasePage::makeActions() {
    const auto make = [this](const QString& icon, const QString& text, const QString& help, auto slot) {
        auto* action = new QAction(themedIcon(icon), text, this);
        action->setToolTip(help);
        action->setStatusTip(help);
        connect(action, &QAction::triggered, this, [this, slot] {
            Q_EMIT wanted();
            slot();
        });
        return action;
    };
    m_new = make(QStringLiteral("add"), tr("&New release…"), tr("Begin a release in a folder of its own"),
                 [this] { beginRelease(); });
    m_open = make(QStringLiteral("open"), tr("&Open a release…"), tr("Open a release's folder"),
                  [this] { openRelease(); });
    m_reload = make(QStringLiteral("refresh"), tr("Read &again"),
                    tr("Read the release and hash its evidence again (F5)"), [this] { reload(); });
    m_reload->setShortcut(QKeySequence(Qt::Key_F5));
    m_reload->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(m_reload);
    m_stop = new QAction(tr("Cancel"), this);
    m_stop->setShortcut(QKeySequence(Qt::Key_Escape));
    m_stop->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    m_stop->setEnabled(false);
    connect(m_stop, &QAction::triggered, this, &ReleasePage::cancel);
    addAction(m_stop);
    m_attach = make(QStringLiteral("add"), tr("A&ttach evidence…"),
                    tr("Copy a file or a record into the release"), [this] { attachEvidence(); });
    m_waive = make(QStringLiteral("warning"), tr("&Waive…"), tr("Let a requirement go unmet, for a time"),
                   [this] { waiveRequirement(); });
    m_signOff = make(QStringLiteral("check"), tr("&Sign off…"), tr("Sign what the page shows"),
                     [this] { signOffRole(); });
    m_verify = make(QStringLiteral("check"), tr("&Verify"),
                    tr("Check the log, the signatures and every file's hash"), [this] { verify(); });
    m_export = make(QStringLiteral("export"), tr("&Export as an archive…"),
                    tr("Write the release as one archive that verifies where it is unpacked"),
                    [this] { exportArchive(); });
    m_promote = make(QStringLiteral("release"), tr("&Promote…"), {}, [this] { promote(); });
}

QList<QAction*> ReleasePage::actionsForMenu() const {
    return {m_new,     m_open,  m_reload, nullptr,  m_attach, m_waive,
            m_signOff, nullptr, m_verify, m_export, m_promote};
}

QToolButton* ReleasePage::actionButton(QAction* action, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(QString(action->text()).remove(QLatin1Char('&')));
    return button;
}

QWidget* ReleasePage::makeEmptyPage() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->setSpacing(normalSpacing);
    layout->addStretch(2);
    layout->addWidget(new Glyph(QStringLiteral("release"), 72, page), 0, Qt::AlignHCenter);
    auto* title = new QLabel(tr("No release is open"), page);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.5);
    title->setFont(large);
    layout->addWidget(title, 0, Qt::AlignHCenter);
    auto* text = new ToneLabel(ToneLabel::Tone::muted, page);
    text->setText(
        tr("A release is promoted on evidence that anyone can check again: test reports, benchmark "
           "records, reviews, signatures. It is kept in a folder; open one, drop one here, or begin "
           "one."));
    text->setAlignment(Qt::AlignHCenter);
    text->setMaximumWidth(480);
    auto* middle = new QHBoxLayout;  // an alignment would give the label the height of another width
    middle->addStretch(1);
    middle->addWidget(text, 100);
    middle->addStretch(1);
    layout->addLayout(middle);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(normalSpacing);
    buttons->addStretch(1);
    const auto push = [&](QAction* action, const QString& label) {
        auto* button = new QPushButton(action->icon(), QLatin1Char(' ') + label, page);
        button->setMinimumWidth(140);
        button->setAccessibleName(label);
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        buttons->addWidget(button);
    };
    push(m_open, tr("Open a release…"));
    push(m_new, tr("New release…"));
    buttons->addStretch(1);
    layout->addLayout(buttons);
    const QString last = QString::fromStdString(m_session.settings().last_release);
    if (!last.isEmpty() && !releaseAt(last).isEmpty()) {
        layout->addSpacing(normalSpacing);
        auto* link = new QToolButton(page);
        link->setObjectName(QStringLiteral("lastRelease"));
        link->setAutoRaise(true);
        link->setText(tr("Open %1 again").arg(QFileInfo(last).fileName()));
        link->setToolTip(QDir::toNativeSeparators(last));
        link->setAccessibleName(link->text());
        link->setFocusPolicy(Qt::StrongFocus);
        connect(link, &QToolButton::clicked, this, [this, last] { openDirectory(last); });
        layout->addWidget(link, 0, Qt::AlignHCenter);
    }
    layout->addStretch(3);
    return page;
}

QWidget* ReleasePage::makeReleasePage() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* header = new QVBoxLayout;
    header->setContentsMargins(normalSpacing + smallSpacing, normalSpacing, normalSpacing, normalSpacing);
    header->setSpacing(smallSpacing);
    auto* first = new QHBoxLayout;
    first->setSpacing(normalSpacing);
    m_title = new QLabel(page);
    m_title->setTextFormat(Qt::PlainText);
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setBold(true);
    m_title->setFont(large);
    m_stage = new MarkLabel(page);
    m_facts = new ElidedLabel(page);
    m_facts->setTone(ElidedLabel::Tone::muted);
    first->addWidget(m_title);
    first->addWidget(m_stage);
    first->addWidget(m_facts, 1);
    for (QAction* action : {m_open, m_reload}) {
        QToolButton* button = actionButton(action, page);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        first->addWidget(button);
    }
    for (const auto& [action, text] : {std::pair{m_verify, tr("Verify")}, std::pair{m_export, tr("Export…")},
                                       std::pair{m_promote, tr("Promote…")}}) {
        action->setIconText(QLatin1Char(' ') + text);
        first->addWidget(actionButton(action, page));
    }
    header->addLayout(first);
    m_state = new ToneLabel(ToneLabel::Tone::normal, page);
    m_state->setObjectName(QStringLiteral("releaseState"));
    header->addWidget(m_state);
    layout->addLayout(header);

    m_splitter = new QSplitter(Qt::Horizontal, page);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_board = new GateBoard(m_splitter);
    m_tabs = new QTabWidget(m_splitter);
    m_tabs->setObjectName(QStringLiteral("releaseTabs"));
    m_tabs->setAccessibleName(tr("What the release has"));
    m_tabs->setDocumentMode(true);
    m_evidence = new EvidenceTable(m_tabs);
    m_waivers = new WaiverTable(m_tabs);
    m_signOffs = new SignOffTable(m_tabs);
    m_tabs->addTab(m_evidence, tr("Evidence"));
    m_tabs->addTab(m_waivers, tr("Waivers"));
    m_tabs->addTab(m_signOffs, tr("Sign-offs"));
    for (const auto& [action, text] : {std::pair{m_attach, tr("Attach…")}, std::pair{m_waive, tr("Waive…")},
                                       std::pair{m_signOff, tr("Sign off…")}}) {
        action->setIconText(QLatin1Char(' ') + text);
    }
    QToolButton* corner = actionButton(m_attach, m_tabs);
    m_tabs->setCornerWidget(corner);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this, corner](int index) {
        QAction* action = index == 0 ? m_attach : index == 1 ? m_waive : m_signOff;
        corner->removeAction(corner->defaultAction());  // with two, it would have a menu
        corner->setDefaultAction(action);
        corner->setAccessibleName(QString(action->text()).remove(QLatin1Char('&')));
    });
    m_splitter->addWidget(m_board);
    m_splitter->addWidget(m_tabs);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setSizes({660, 620});
    layout->addWidget(m_splitter, 1);
    connect(m_board, &GateBoard::attachRequested, this, &ReleasePage::chooseAndAttach);
    connect(m_board, &GateBoard::waiveRequested, this, &ReleasePage::waiveRequirement);
    connect(m_board, &GateBoard::signOffRequested, this, &ReleasePage::signOffRole);
    return page;
}

void ReleasePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_dropCue->isVisible()) m_dropCue->setGeometry(rect());
    const auto orientation = width() >= wideEnough ? Qt::Horizontal : Qt::Vertical;
    if (m_splitter->orientation() == orientation) return;
    m_splitter->setOrientation(orientation);
    m_splitter->setSizes(orientation == Qt::Horizontal ? QList{660, 620} : QList{300, 160});
}

bool ReleasePage::mayChange() const {
    return m_view != nullptr && !m_view->isClosed() && !m_unreadable && !m_working;
}

void ReleasePage::display(ReleaseViewPtr view) {
    const bool isAnother = !m_view || m_view->directory != view->directory;
    m_view = std::move(view);
    if (isAnother) {
        m_session.settings().last_release =
            QFileInfo(pathText(m_view->directory)).absoluteFilePath().toStdString();
        m_session.saveSettings();
    }
    m_unreadable = false;
    m_watcher->watch(*m_view);
    m_evidence->display(*m_view);
    m_waivers->display(*m_view);
    m_signOffs->display(*m_view);
    const ReleaseState& state = m_view->release.state;
    m_title->setText(toText(state.id));
    m_facts->setFullText(tr("commit %1 · limit %2 % · begun %3")
                             .arg(toText(std::string_view(state.commit).substr(0, 12)),
                                  toText(format_number(100.0 * state.max_regression)),
                                  toText(std::string_view(state.created_utc).substr(0, 10))),
                         tr("Commit %1\n%2").arg(toText(state.commit), pathText(m_view->directory)));
    m_stage->setMark(Mark::quiet, toText(name_of(state.stage)));
    const auto waivers = int(std::ranges::count_if(state.waivers, [this](const Waiver& w) {
        return days_left(w, m_view->release.evaluation.as_of) >= 0;
    }));
    const auto wrong = std::ranges::count_if(
        m_view->evidence, [](const EvidenceCheck& c) { return c.state != EvidenceState::matches; });
    const auto valid = std::ranges::count_if(m_view->release.evaluation.requirements,
                                             [](const Requirement& r) { return !r.role.empty() && r.met; });
    m_tabs->setTabText(
        0, wrong == 0 ? tr("Evidence (%1)").arg(state.attachments.size())
                      : tr("Evidence (%1, %2 not as attached)").arg(state.attachments.size()).arg(wrong));
    m_tabs->setTabText(1, tr("Waivers (%1)").arg(waivers));
    m_tabs->setTabText(2, tr("Sign-offs (%1)").arg(valid));
    m_stack->setCurrentIndex(1);
    showState();
}

void ReleasePage::showState() {
    // Not while reading: what is seen again every now and then must not flicker.
    const bool busy = m_working;
    const bool may = mayChange();
    m_new->setEnabled(!busy);
    m_open->setEnabled(!busy);
    for (QAction* action : {m_reload, m_verify, m_export}) action->setEnabled(m_view != nullptr && !busy);
    for (QAction* action : {m_attach, m_waive}) action->setEnabled(may);
    m_signOff->setEnabled(may && !m_view->release.state.holders.empty());
    m_promote->setEnabled(false);
    m_promote->setToolTip(tr("Open a release first"));
    if (!m_view) return;
    m_board->display(*m_view, may);
    const QString blocker = m_view->blocker();
    const auto more = m_view->release.evaluation.blockers().size();
    auto tone = ToneLabel::Tone::normal;
    QString text;
    if (m_unreadable) {
        text = tr("It could not be read again: what is shown is as it was.");
        tone = ToneLabel::Tone::error;
    } else if (m_view->isClosed() && !blocker.isEmpty()) {
        text = tr("Not accepted: it could not be promoted as the log says: %1").arg(blocker);
        tone = ToneLabel::Tone::error;
    } else if (m_view->isClosed()) {
        text = tr("Promoted on %1, and closed.").arg(toText(*m_view->release.state.promoted_utc));
    } else if (blocker.isEmpty()) {
        text = tr("May be promoted: everything that the stage %1 needs holds.").arg(m_stage->word());
        m_promote->setEnabled(may);
    } else {
        text = tr("May not be promoted: %1").arg(blocker);
        if (more > 1) text += tr(" (and %1 more)").arg(more - 1);
    }
    m_state->setText(text);
    m_state->setTone(tone);
    m_state->setAccessibleName(text);
    m_promote->setToolTip(text);
    m_promote->setStatusTip(text);
}

// Dropping ----------------------------------------------------------------------------------------------

void ReleasePage::dragEnterEvent(QDragEnterEvent* event) {
    const QString file = droppedFile(event->mimeData());
    if (file.isEmpty() || m_working) return;
    const QString name = QFileInfo(file).fileName();
    if (!releaseAt(file).isEmpty()) {
        m_dropCue->appear(tr("Drop to open the release %1").arg(QFileInfo(releaseAt(file)).fileName()));
    } else if (mayChange()) {
        m_dropCue->appear(tr("Drop to attach %1 to %2").arg(name, m_title->text()));
    } else {
        m_dropCue->appear(m_view ? tr("%1 cannot be changed: nothing can be attached").arg(m_title->text())
                                 : tr("%1 is no release: open one first").arg(name));
    }
    event->acceptProposedAction();
}

void ReleasePage::dragLeaveEvent(QDragLeaveEvent* /*event*/) {
    m_dropCue->hide();
}

void ReleasePage::dropEvent(QDropEvent* event) {
    m_dropCue->hide();
    const QString file = droppedFile(event->mimeData());
    if (file.isEmpty() || m_working) return;
    event->acceptProposedAction();
    if (const QString release = releaseAt(file); !release.isEmpty()) {
        openDirectory(release);
    } else if (mayChange()) {
        attachEvidence({}, file);
    }
}

}  // namespace workbench
