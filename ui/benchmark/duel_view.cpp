// SPDX-License-Identifier: MIT
#include "ui/benchmark/duel_view.h"

#include <QAction>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextDocument>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/benchmark/duel_desk.h"
#include "ui/benchmark/duel_model.h"
#include "ui/benchmark/figures_table.h"
#include "ui/benchmark/status_strip.h"
#include "ui/charts/duel_chart.h"
#include "ui/charts/verdict_style.h"
#include "ui/support/text.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_page.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr int wordsFrom = 560;  // the buttons' words have room

QString sideText(const LibraryFile& library) {
    const BuildIdentity build = build_of(library);
    QStringList parts;
    if (!build.commit.empty()) {
        parts.append(DuelView::tr("commit %1").arg(toText(build.commit).left(10)) +
                     (build.has_local_changes ? DuelView::tr(" with changes") : QString()));
    }
    if (!library.version.empty()) parts.append(DuelView::tr("version %1").arg(toText(library.version)));
    parts.append(toText(library.path.string()));
    return parts.join(QStringLiteral(" · "));
}

QString sideHelp(const LibraryFile& library) {
    // What a record says is no markup.
    return Qt::convertFromPlainText(toText(library.path.string()) + QLatin1Char('\n') +
                                    toText(library.fingerprint) + QStringLiteral("\nSHA-256 ") +
                                    toText(library.sha256));
}

QString countsOf(const DuelRows& rows) {
    QStringList parts;
    for (const DuelVerdict verdict : {DuelVerdict::same, DuelVerdict::faster, DuelVerdict::slower,
                                      DuelVerdict::ambiguous, DuelVerdict::wrong, DuelVerdict::failed}) {
        if (const auto count = rows.count(verdict); count > 0) {
            // A line does not end between them.
            parts.append(QStringLiteral("%1\u00a0%2\u00a0%3")
                             .arg(verdictSymbol(verdict))
                             .arg(count)
                             .arg(toText(name_of(verdict))));
        }
    }
    return parts.join(QStringLiteral("   "));
}

}  // namespace

DuelView::DuelView(DuelDesk& desk, QWidget* parent)
    : QWidget(parent),
      m_desk(desk),
      m_model(new DuelModel(this)),
      m_stack(new QStackedWidget(this)),
      m_empty(new EmptyPage({}, m_stack)) {
    setObjectName(QStringLiteral("duelView"));
    auto* layout = makeColumn(this, 0);
    layout->addWidget(m_stack);
    m_empty->setTexts(
        tr("No duel yet"),
        tr("A duel times two builds of the library in turn, this program's and another, so that whatever the "
           "machine does happens to both. Each case of the form gets a verdict: the same, faster, slower. "
           "The "
           "record of a duel can be dropped here."));
    m_stack->addWidget(m_empty);
    auto* page = new QWidget(m_stack);
    auto* rows = makeColumn(page, 0);
    rows->addWidget(makeHeader());
    m_verdict = new StatusStrip(page);
    m_verdict->setObjectName(QStringLiteral("duelStrip"));
    rows->addWidget(m_verdict);
    rows->addWidget(makeBody(), 1);
    m_case = new ElidedLabel(page);
    m_case->setObjectName(QStringLiteral("duelCase"));
    auto* below =
        makeRow(nullptr, 0, {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    below->addWidget(m_case);
    rows->addLayout(below);
    m_stack->addWidget(page);

    const auto choose = [this](int row) {
        m_userChose = true;
        chooseCase(row);
    };
    connect(m_table, &FiguresTable::caseChosen, this, choose);
    connect(m_chart, &ChartView::caseChosen, this, choose);
    connect(&desk, &DuelDesk::begun, this, [this] {
        m_chosen = -1;
        m_userChose = false;
    });
    connect(&desk, &DuelDesk::shownChanged, this, &DuelView::showDuel);
    connect(&desk, &DuelDesk::rowChanged, this, &DuelView::showRow);
    connect(&desk, &DuelDesk::stateChanged, this, &DuelView::showState);
    connect(&desk, &DuelDesk::runningChanged, this, [this] {
        showState();
        showVerdict();
    });
    showDuel();
}

QWidget* DuelView::makeHeader() {
    auto* header = new QWidget(this);
    auto* rows = makeColumn(header, smallSpacing,
                            {normalSpacing + smallSpacing, smallSpacing, normalSpacing, smallSpacing});
    m_buttonRow = makeRow(nullptr, normalSpacing);
    m_buttonRow->addStretch(1);
    rows->addLayout(m_buttonRow);
    auto* sides = makeColumn(nullptr, 2);
    m_now = new ElidedLabel(header);
    m_base = new ElidedLabel(header);
    m_base->setTone(ElidedLabel::Tone::muted);
    m_state = new ElidedLabel(header);
    m_state->setObjectName(QStringLiteral("duelState"));
    for (ElidedLabel* label : {m_now, m_base, m_state}) sides->addWidget(label);
    rows->addLayout(sides);
    return header;
}

QWidget* DuelView::makeBody() {
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    m_chart = new DuelChart(splitter);
    m_table = new FiguresTable(*m_model, splitter);
    m_table->setObjectName(QStringLiteral("duelTable"));
    m_table->setAccessibleName(tr("Duel"));
    m_table->setAccessibleDescription(tr("One row a case, filled while it is measured; Ctrl+C copies rows."));
    m_table->setMinimumHeight(90);
    QWidget* scroll = inScrollArea(m_chart, splitter);
    scroll->setMinimumHeight(150);
    splitter->addWidget(scroll);
    splitter->addWidget(m_table);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    splitter->setSizes({360, 220});
    return splitter;
}

void DuelView::addActions(const QList<QAction*>& actions) {
    for (QAction* action : actions) {
        QToolButton* button = makeActionButton(action, this);
        m_buttonRow->insertWidget(m_buttonRow->count() - 1, button);  // before the stretch
        m_buttons.append(button);
    }
    fitButtons();
}

void DuelView::addEmptyActions(const QList<QAction*>& actions) {
    QList<QAbstractButton*> buttons;
    for (QAction* action : actions) {
        QToolButton* button = makeActionButton(action, m_empty);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        buttons.append(button);
    }
    m_empty->addButtons(buttons);
}

void DuelView::fitButtons() {
    for (QToolButton* button : std::as_const(m_buttons))
        button->setToolButtonStyle(width() >= wordsFrom ? Qt::ToolButtonTextBesideIcon
                                                        : Qt::ToolButtonIconOnly);
}

void DuelView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitButtons();
}

QString DuelView::stateText() const {
    return m_state->accessibleName();
}

void DuelView::showDuel() {
    const ShownDuel& shown = m_desk.shown();
    m_stack->setCurrentIndex(shown.isEmpty() ? 0 : 1);
    const bool sameCases = m_model->rows().names == shown.rows.names;
    m_model->show({});  // columns are as wide as what is shown now, not as what was shown on the way
    m_model->show(shown.rows);
    if (!sameCases || m_chosen >= m_model->rowCount()) {
        m_chosen = -1;
        m_userChose = false;
    }
    m_now->setFullText(tr("New: %1").arg(sideText(shown.now)), sideHelp(shown.now));
    m_base->setFullText(tr("Base: %1").arg(sideText(shown.base)), sideHelp(shown.base));
    showState();
    showVerdict();
    m_chart->showDuel(shown.rows, m_chosen);
    m_table->chooseCase(m_chosen);
    showCase();
}

QString DuelView::caseText() const {
    return m_case->accessibleName();
}

void DuelView::showCase() {
    const DuelRows& rows = m_desk.shown().rows;
    QString text = tr("Choose a case to read what its verdict rests on.");
    auto tone = ElidedLabel::Tone::muted;
    if (m_chosen >= 0 && m_chosen < int(rows.rows.size())) {
        const DuelRow& row = rows.rows[std::size_t(m_chosen)];
        const QString notes = row.notes();
        text = rows.names[m_chosen] + QStringLiteral(": ");
        if (row.state == DuelRow::State::waiting) {
            text += tr("not measured yet");
        } else if (row.reason.isEmpty()) {
            text += verdictHelp(row.verdict) + (notes.isEmpty() ? QString() : QLatin1Char(' ') + notes);
        } else {
            text += notes;  // which begin with the reason
        }
        tone = ElidedLabel::Tone::normal;
    }
    m_case->setTone(tone);
    m_case->setFullText(text, Qt::convertFromPlainText(text));
    m_case->setAccessibleName(text);
}

void DuelView::showRow(int row) {
    const DuelRow& now = m_desk.shown().rows.rows[std::size_t(row)];
    const bool hadLook = m_model->rows().rows[std::size_t(row)].shownLook() != nullptr;
    m_model->setRow(row, now);
    if (now.state == DuelRow::State::done || (!hadLook && now.shownLook())) m_table->fitColumns();
    // What is measured is in sight, until a person looks at something else.
    if (now.state == DuelRow::State::measuring && !m_userChose && m_chosen != row) {
        m_chosen = row;
        m_table->chooseCase(row);
    }
    m_chart->showDuel(m_desk.shown().rows, m_chosen);
    showState();
    showCase();
}

void DuelView::showState() {
    const ShownDuel& shown = m_desk.shown();
    auto tone = ElidedLabel::Tone::normal;
    QString text;
    if (m_desk.isMeasuring()) {
        const int current = m_desk.current();
        if (current >= 0) {
            const DuelRow& row = shown.rows.rows[std::size_t(current)];
            text = tr("Case %1 of %2: %3, %n pair(s)", nullptr, int(row.pairs))
                       .arg(current + 1)
                       .arg(shown.rows.rows.size())
                       .arg(shown.rows.names[current]);
        } else {
            text = tr("All cases are measured: the record is being made");
        }
    } else if (shown.record) {
        const Duel& duel = shown.record->duel;
        QStringList parts;
        if (duel.cancelled) {
            parts.append(
                tr("Cancelled: %1 of %n case(s)", nullptr, int(duel.case_total)).arg(shown.rows.rows.size()));
            tone = ElidedLabel::Tone::warning;
        } else {
            parts.append(tr("%n case(s)", nullptr, int(duel.case_total)));
        }
        parts.append(toText(duel.started_utc));
        parts.append(toText(duel.device.name.empty() ? shown.record->environment.cpu_model.value_or("")
                                                     : duel.device.name));
        parts.append(tr("%n thread(s)", nullptr, duel.threads));
        if (!shown.path.isEmpty() && !shown.isOwn) {
            parts.append(shown.record->signer
                             ? tr("verified, signed by %1").arg(toText(shown.record->signer->hex()).left(16))
                             : tr("verified, not signed"));
        }
        parts.removeAll(QString());
        text = parts.join(QStringLiteral(" · "));
    }
    m_state->setTone(tone);
    QString help = text;
    if (shown.record && shown.record->signer && !m_desk.isMeasuring())
        help += tr("\nSigned by %1").arg(toText(shown.record->signer->hex()));
    m_state->setFullText(text, Qt::convertFromPlainText(help));
    m_state->setAccessibleName(text);
}

void DuelView::showVerdict() {
    const ShownDuel& shown = m_desk.shown();
    if (!shown.record) {
        m_verdict->hide();
        return;
    }
    const auto wrong = shortcomings(shown.record->duel, shown.record->max_regression);
    const bool cancelled = shown.record->duel.cancelled;
    const bool doubtful = wrong.empty() && (cancelled || shown.rows.count(DuelVerdict::ambiguous) > 0);
    QStringList details;
    for (const std::string& sentence : wrong) details.append(toText(sentence));
    m_verdict->setStatement(
        !wrong.empty() ? StatusStrip::Tone::bad
        : doubtful     ? StatusStrip::Tone::warning
                       : StatusStrip::Tone::good,
        (!wrong.empty() ? tr("Not passed")
         : cancelled    ? tr("Cancelled")
         : doubtful     ? tr("Undecided")
                        : tr("Passed")) +
            QStringLiteral("   ") + countsOf(shown.rows),
        {},
        doubtful && cancelled ? tr("Cases that were not complete are left out: nothing is said of them.")
        : doubtful            ? tr("AMBIGUOUS is neither sameness nor a difference: the reasons stand "
                                              "in the table. More time may decide it.")
                              : details.join(QLatin1Char('\n')));
}

void DuelView::chooseCase(int row) {
    if (row < 0 || row >= m_model->rowCount() || row == m_chosen) return;
    m_chosen = row;
    m_table->chooseCase(row);
    m_chart->showDuel(m_desk.shown().rows, m_chosen);
    showCase();
}

}  // namespace workbench
