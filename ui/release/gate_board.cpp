// SPDX-License-Identifier: MIT
#include "ui/release/gate_board.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "core/release/requirements.h"
#include "ui/release/mark_label.h"
#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

// A button for one choice, a button with a menu for several, none for none.
void offer(QToolButton* button, const std::vector<std::string>& choices, const QString& help,
           const std::function<void(const QString&)>& chosen) {
    delete button->menu();
    button->setMenu(nullptr);
    QObject::disconnect(button, &QToolButton::clicked, nullptr, nullptr);  // not what Qt itself listens to
    button->setVisible(!choices.empty());
    if (choices.empty()) return;
    QStringList names;
    for (const std::string& choice : choices) names << toText(choice);
    button->setToolTip(help.arg(names.join(QStringLiteral(", "))));
    button->setAccessibleName(button->toolTip());
    button->setPopupMode(names.size() == 1 ? QToolButton::DelayedPopup : QToolButton::InstantPopup);
    if (names.size() == 1) {
        QObject::connect(button, &QToolButton::clicked, button, [chosen, name = names[0]] { chosen(name); });
        return;
    }
    auto* menu = new QMenu(button);
    for (const QString& name : names) menu->addAction(name, button, [chosen, name] { chosen(name); });
    button->setMenu(menu);
}

QToolButton* textButton(const QString& text, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

}  // namespace

// Shows a requirement in one row: how it stands, what it is, what was found, and what supplies it.
class RequirementLine : public QWidget {
  public:
    RequirementLine(GateBoard& board, QWidget* parent)
        : QWidget(parent),
          m_board(board),
          m_mark(new MarkLabel(this)),
          m_what(new ToneLabel(ToneLabel::Tone::normal, this)),
          m_finding(new ToneLabel(ToneLabel::Tone::muted, this)),
          m_attach(textButton(GateBoard::tr("Attach…"), this)),
          m_waive(textButton(GateBoard::tr("Waive…"), this)),
          m_sign(textButton(GateBoard::tr("Sign off…"), this)) {
        auto* layout = new QGridLayout(this);
        layout->setContentsMargins(normalSpacing, smallSpacing, normalSpacing, smallSpacing);
        layout->setHorizontalSpacing(normalSpacing);
        layout->setVerticalSpacing(1);
        layout->setColumnStretch(1, 1);
        layout->addWidget(m_mark, 0, 0, 2, 1, Qt::AlignTop);
        layout->addWidget(m_what, 0, 1);
        layout->addWidget(m_finding, 1, 1);
        auto* buttons = makeRow(nullptr, smallSpacing);
        for (QToolButton* button : {m_attach, m_sign, m_waive}) buttons->addWidget(button);
        layout->addLayout(buttons, 0, 2, 2, 1, Qt::AlignVCenter);
        m_finding->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }

    void display(const Requirement& r, bool mayChange) {
        const QString id = toText(r.id);
        setObjectName(id);
        m_mark->setMark(markOf(r.standing()), wordOf(r.standing()));
        m_what->setText(toSentence(r.title));
        const QString finding = bounded(toText(r.finding), longestShown);
        m_finding->setText(QStringLiteral("%1 · %2").arg(id, finding));
        setAccessibleName(QStringLiteral("%1, %2: %3").arg(id, wordOf(r.standing()), m_what->text()));
        setAccessibleDescription(finding);
        setToolTip(r.holds() ? QString() : GateBoard::tr("To do: %1").arg(toText(r.remedy)));
        const bool offers = mayChange && !r.met;
        const std::vector<std::string> none;
        offer(m_attach, offers ? r.kinds : none, GateBoard::tr("Attach evidence for %1: %2").arg(id),
              [this](const QString& kind) { Q_EMIT m_board.attachRequested(kind); });
        offer(m_waive, offers ? r.waivable : none, GateBoard::tr("Waive for a time, for %1: %2").arg(id),
              [this](const QString& scope) { Q_EMIT m_board.waiveRequested(scope); });
        offer(m_sign, offers && !r.role.empty() ? std::vector{r.role} : none,
              GateBoard::tr("Sign off, for %1: %2").arg(id),
              [this](const QString& role) { Q_EMIT m_board.signOffRequested(role); });
    }

  private:
    GateBoard& m_board;
    MarkLabel* m_mark;
    ToneLabel* m_what;
    ToneLabel* m_finding;
    QToolButton* m_attach;
    QToolButton* m_waive;
    QToolButton* m_sign;
};

class GateCard : public QWidget {
  public:
    GateCard(GateBoard& board, const Gate& gate, QWidget* parent)
        : QWidget(parent),
          m_board(board),
          m_letter(gate.letter),
          m_title(new QLabel(this)),
          m_state(new ToneLabel(ToneLabel::Tone::muted, this)),
          m_layout(new QVBoxLayout(this)) {
        m_layout->setContentsMargins(1, smallSpacing, 1, smallSpacing);
        m_layout->setSpacing(0);
        auto* header = new QHBoxLayout;
        header->setContentsMargins(normalSpacing, smallSpacing, normalSpacing, smallSpacing);
        QFont strong = m_title->font();
        strong.setBold(true);
        m_title->setFont(strong);
        m_title->setText(QStringLiteral("%1   %2").arg(QLatin1Char(gate.letter)).arg(toText(gate.name)));
        m_state->setWordWrap(false);
        header->addWidget(m_title);
        header->addStretch(1);
        header->addWidget(m_state);
        m_layout->addLayout(header);
    }

    char letter() const { return m_letter; }

    void display(const std::vector<Requirement>& requirements, bool mayChange) {
        while (m_rows.size() < requirements.size()) {
            m_rows.push_back(new RequirementLine(m_board, this));
            m_layout->addWidget(m_rows.back());
        }
        int needed = 0, held = 0;
        for (std::size_t i = 0; i < requirements.size(); ++i) {
            m_rows[i]->display(requirements[i], mayChange);
            needed += requirements[i].needed ? 1 : 0;
            held += requirements[i].needed && requirements[i].holds() ? 1 : 0;
        }
        m_state->setText(needed == 0 ? GateBoard::tr("not needed at this stage")
                                     : GateBoard::tr("%1 of %2 hold").arg(held).arg(needed));
        setAccessibleName(GateBoard::tr("Gate %1: %2").arg(m_title->text().simplified(), m_state->text()));
    }

  protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(themeColours().border);
        painter.setBrush(themeColours().base);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }

  private:
    GateBoard& m_board;
    char m_letter;
    QLabel* m_title;
    ToneLabel* m_state;
    QVBoxLayout* m_layout;
    std::vector<RequirementLine*> m_rows;
};

GateBoard::GateBoard(QWidget* parent) : QScrollArea(parent) {
    setObjectName(QStringLiteral("gateBoard"));
    setAccessibleName(tr("Gates"));
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(this);
    content->setBackgroundRole(QPalette::AlternateBase);
    content->setAutoFillBackground(true);
    m_layout = new QVBoxLayout(content);
    m_layout->setContentsMargins(normalSpacing, normalSpacing, normalSpacing, normalSpacing);
    m_layout->setSpacing(normalSpacing);
    for (const Gate& gate : gates()) {
        m_cards.push_back(new GateCard(*this, gate, content));
        m_layout->addWidget(m_cards.back());
    }
    m_layout->addStretch(1);
    setWidget(content);
}

void GateBoard::display(const ReleaseSnapshot& snapshot, bool mayChange) {
    for (GateCard* card : m_cards) {
        std::vector<Requirement> its;
        std::ranges::copy_if(snapshot.release.evaluation.requirements, std::back_inserter(its),
                             [card](const Requirement& r) { return r.gate() == card->letter(); });
        for (Requirement& r : its) {
            if (!snapshot.release.state.holders.contains(r.role)) r.role.clear();  // nobody can sign in it
        }
        card->display(its, mayChange);
    }
}

}  // namespace workbench
