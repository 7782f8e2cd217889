// SPDX-License-Identifier: MIT
#include "ui/release/release_page.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

#include "core/support/files.h"
#include "ui/release/gate_board.h"
#include "ui/release/mark_label.h"
#include "ui/release/release_commands.h"
#include "ui/release/release_table.h"
#include "ui/release/release_table_models.h"
#include "ui/session/session.h"
#include "ui/support/paths.h"
#include "ui/support/text.h"
#include "ui/widgets/drop_cue.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_page.h"
#include "ui/widgets/floating_column.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/job_bar.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// Below, the tables go under the board.
constexpr int wideEnough = 940;

enum Tab { evidenceTab, waiverTab, signOffTab };

// The subjects of ReleaseMessage in the message area.
QString nameOf(ReleaseSubject subject) {
    return subject == ReleaseSubject::work ? QStringLiteral("release") : QStringLiteral("disk");
}

MessageArea::Severity severityOf(const ReleaseMessage& message) {
    switch (message.severity) {
        case ReleaseMessage::Severity::info:
            return MessageArea::Severity::info;
        case ReleaseMessage::Severity::warning:
            return MessageArea::Severity::warning;
        case ReleaseMessage::Severity::error:
            break;
    }
    return MessageArea::Severity::error;
}

}  // namespace

ReleasePage::ReleasePage(Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new ReleaseModel(this)),
      m_commands(new ReleaseCommands(*m_model, session, *this)),
      m_messages(new MessageArea(this)),
      m_bar(new JobBar(this)),
      m_stack(new QStackedWidget(this)),
      m_patience(new QTimer(this)),
      m_models{new EvidenceModel(this), new WaiverModel(this), new SignOffModel(this)} {
    setObjectName(QStringLiteral("releasePage"));
    setAccessibleName(tr("Release"));
    auto* layout = makeColumn(this, 0);
    auto* column = new FloatingColumn(FloatingColumn::Edge::bottom, this);
    column->add(m_messages);
    column->add(m_bar);
    m_stack->addWidget(makeEmptyPage());
    m_stack->addWidget(makeReleasePage());
    layout->addWidget(m_stack, 1);
    m_patience->setSingleShot(true);
    m_patience->setInterval(350);
    connectModel();
    takeDrops();
    showState();
}

ReleasePage::~ReleasePage() {
    delete m_model;  // joined here, while all that it delivers to is still there
}

QList<QAction*> ReleasePage::actionsForMenu() const {
    return m_commands->forMenu();
}

void ReleasePage::openDirectory(const QString& path) {
    m_model->open(toPath(QDir::cleanPath(path)));
}

void ReleasePage::cancel() {
    m_model->cancel();
}

void ReleasePage::connectModel() {
    connect(m_commands, &ReleaseCommands::triggered, this, &ReleasePage::wanted);
    connect(m_model, &ReleaseModel::snapshotChanged, this, &ReleasePage::showSnapshot);
    connect(m_model, &ReleaseModel::stateChanged, this, &ReleasePage::showState);
    connect(m_model, &ReleaseModel::messageShown, this, &ReleasePage::showMessage);
    connect(m_model, &ReleaseModel::messageCleared, this,
            [this](ReleaseSubject subject) { m_messages->clear(nameOf(subject)); });
    connect(m_model, &ReleaseModel::opened, this, [this](const QString& directory) {
        m_session.settings().last_release = directory.toStdString();
        m_session.saveSettings();
    });
    connect(m_model, &ReleaseModel::exported, this,
            [this](const QString& file) { m_session.keepExportFolder(QFileInfo(file).absolutePath()); });
    connect(m_model, &ReleaseModel::jobStarted, this, [this](const QString& what, bool asked) {
        m_patience->stop();  // of a reading that this took the place of
        if (asked) {
            m_bar->begin(what);
        } else {
            m_patience->start();  // a short reading that nobody asked for moves nothing
        }
    });
    connect(m_patience, &QTimer::timeout, this, [this] { m_bar->begin(tr("Reading the release again")); });
    connect(m_model, &ReleaseModel::jobProgressed, this, [this](double fraction, const QString& what) {
        if (!m_bar->isActive()) return;
        m_bar->setText(what);
        m_bar->setFraction(fraction);
    });
    connect(m_model, &ReleaseModel::jobEnded, this, [this] {
        m_patience->stop();
        m_bar->end();
    });
    connect(m_bar, &JobBar::cancelRequested, this, &ReleasePage::cancel);
}

void ReleasePage::showMessage(ReleaseSubject subject) {
    const ReleaseMessage message = *m_model->message(subject);
    std::vector<MessageArea::Button> buttons;
    switch (message.offer) {
        case ReleaseMessage::Offer::nothing:
            break;
        case ReleaseMessage::Offer::readAgain:
            buttons.push_back({tr("Read again"), [this] { m_model->reload(); }});
            break;
        case ReleaseMessage::Offer::archive:
            const QString folder = QFileInfo(message.archive).absolutePath();
            buttons.push_back(
                {tr("Open folder"), [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); }});
            buttons.push_back(
                {tr("Copy SHA-256"), [sha = message.sha256] { QApplication::clipboard()->setText(sha); }});
            break;
    }
    m_messages->show(nameOf(subject), severityOf(message), message.text, buttons);
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
    auto* page = new EmptyPage(QStringLiteral("release"), this);
    page->setTexts(
        tr("No release is open"),
        tr("A release is promoted on evidence that anyone can check again: test reports, benchmark "
           "records, reviews, signatures. It is kept in a folder; open one, drop one here, or begin "
           "one."));
    const auto push = [&](QAction* action, const QString& label) {
        auto* button = new QPushButton(action->icon(), QLatin1Char(' ') + label, page);
        button->setMinimumWidth(140);
        button->setAccessibleName(label);
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        return button;
    };
    page->addButtons(
        {push(m_commands->open, tr("Open a release…")), push(m_commands->begin, tr("New release…"))});
    const QString last = QString::fromStdString(m_session.settings().last_release);
    if (!last.isEmpty() && !releaseAt(last).isEmpty()) {
        auto* link = new QToolButton(page);
        link->setObjectName(QStringLiteral("lastRelease"));
        link->setAutoRaise(true);
        link->setText(tr("Open %1 again").arg(QFileInfo(last).fileName()));
        link->setToolTip(QDir::toNativeSeparators(last));
        link->setAccessibleName(link->text());
        link->setFocusPolicy(Qt::StrongFocus);
        connect(link, &QToolButton::clicked, this, [this, last] { openDirectory(last); });
        page->addButtons({link});
    }
    return page;
}

QWidget* ReleasePage::makeReleasePage() {
    auto* page = new QWidget(this);
    auto* layout = makeColumn(page, 0);
    layout->addLayout(makeHeader(page));
    m_splitter = new QSplitter(Qt::Horizontal, page);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_board = new GateBoard(m_splitter);
    makeTabs();
    m_splitter->addWidget(m_board);
    m_splitter->addWidget(m_tabs);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setSizes({660, 620});
    layout->addWidget(m_splitter, 1);
    connect(m_board, &GateBoard::attachRequested, m_commands, &ReleaseCommands::attachFileAs);
    connect(m_board, &GateBoard::waiveRequested, m_commands, &ReleaseCommands::waiveRequirement);
    connect(m_board, &GateBoard::signOffRequested, m_commands, &ReleaseCommands::signOffRole);
    return page;
}

QLayout* ReleasePage::makeHeader(QWidget* page) {
    auto* header = makeColumn(nullptr, smallSpacing,
                              {normalSpacing + smallSpacing, normalSpacing, normalSpacing, normalSpacing});
    auto* first = makeRow(nullptr, normalSpacing);
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
    for (QAction* action : {m_commands->open, m_commands->reload}) {
        QToolButton* button = actionButton(action, page);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        first->addWidget(button);
    }
    for (QAction* action : {m_commands->verify, m_commands->exportArchive, m_commands->promote})
        first->addWidget(actionButton(action, page));
    header->addLayout(first);
    m_state = new ToneLabel(ToneLabel::Tone::normal, page);
    m_state->setObjectName(QStringLiteral("releaseState"));
    header->addWidget(m_state);
    return header;
}

void ReleasePage::makeTabs() {
    m_tabs = new QTabWidget(m_splitter);
    m_tabs->setObjectName(QStringLiteral("releaseTabs"));
    m_tabs->setAccessibleName(tr("What the release has"));
    m_tabs->setDocumentMode(true);
    constexpr const char* names[] = {"evidenceTable", "waiverTable", "signOffTable"};
    for (std::size_t i = 0; i < m_models.size(); ++i) {
        m_tables[i] = new ReleaseTable(*m_models[i], m_tabs);
        m_tables[i]->setObjectName(QLatin1String(names[i]));
        m_tabs->addTab(m_tables[i], m_models[i]->name());
    }
    QToolButton* corner = actionButton(m_commands->attach, m_tabs);
    m_tabs->setCornerWidget(corner);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this, corner](int index) {
        QAction* action = index == evidenceTab ? m_commands->attach
                          : index == waiverTab ? m_commands->waive
                                               : m_commands->signOff;
        corner->removeAction(corner->defaultAction());  // with two, it would have a menu
        corner->setDefaultAction(action);
        corner->setAccessibleName(QString(action->text()).remove(QLatin1Char('&')));
    });
}

void ReleasePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const auto orientation = width() >= wideEnough ? Qt::Horizontal : Qt::Vertical;
    if (m_splitter->orientation() == orientation) return;
    m_splitter->setOrientation(orientation);
    m_splitter->setSizes(orientation == Qt::Horizontal ? QList{660, 620} : QList{300, 160});
}

void ReleasePage::showSnapshot() {
    const ReleaseSnapshot& snapshot = *m_model->snapshot();
    for (ReleaseTableModel* model : m_models) model->show(snapshot);
    for (ReleaseTable* table : m_tables) table->fitColumns();
    const ReleaseState& state = snapshot.release.state;
    m_title->setText(toText(state.id));
    m_facts->setFullText(tr("commit %1 · limit %2 % · begun %3")
                             .arg(toText(std::string_view(state.commit).substr(0, 12)),
                                  toText(format_number(100.0 * state.max_regression)),
                                  toText(std::string_view(state.created_utc).substr(0, 10))),
                         tr("Commit %1\n%2").arg(toText(state.commit), fromPath(snapshot.directory)));
    m_stage->setMark(Mark::quiet, toText(name_of(state.stage)));
    const int wrong = snapshot.evidenceNotAsAttached();
    const auto count = state.attachments.size();
    m_tabs->setTabText(evidenceTab, wrong == 0
                                        ? tr("Evidence (%1)").arg(count)
                                        : tr("Evidence (%1, %2 not as attached)").arg(count).arg(wrong));
    m_tabs->setTabText(waiverTab, tr("Waivers (%1)").arg(snapshot.waiversThatCount()));
    m_tabs->setTabText(signOffTab, tr("Sign-offs (%1)").arg(snapshot.signOffsThatHold()));
    m_stack->setCurrentIndex(1);
}

void ReleasePage::showState() {
    if (!m_model->snapshot()) return;
    m_board->display(*m_model->snapshot(), m_model->mayChange());
    const QString text = m_model->standing();
    m_state->setText(text);
    m_state->setTone(m_model->isRejected() ? ToneLabel::Tone::error : ToneLabel::Tone::normal);
    m_state->setAccessibleName(text);
}

void ReleasePage::takeDrops() {
    const auto say = [this](const QString& file) {
        if (m_model->isWorking()) return QString();
        const QString name = QFileInfo(file).fileName();
        if (const QString release = releaseAt(file); !release.isEmpty())
            return tr("Drop to open the release %1").arg(QFileInfo(release).fileName());
        if (m_model->mayChange()) return tr("Drop to attach %1 to %2").arg(name, m_title->text());
        return m_model->snapshot() ? tr("%1 cannot be changed: nothing can be attached").arg(m_title->text())
                                   : tr("%1 is not a release: open one first").arg(name);
    };
    new DropCue(this, say, [this](const QString& file) {
        if (const QString release = releaseAt(file); !release.isEmpty()) {
            openDirectory(release);
        } else if (m_model->mayChange()) {
            m_commands->attachEvidence({}, file);
        }
    });
}

}  // namespace workbench
