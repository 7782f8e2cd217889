// SPDX-License-Identifier: MIT
#include "ui/tuning/tuning_tabs.h"

#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>

#include "ui/support/text.h"
#include "ui/tuning/tuning_model.h"
#include "ui/tuning/tuning_plots.h"
#include "ui/tuning/tuning_words.h"
#include "ui/widgets/empty_page.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/text_table.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

QPushButton* tabButton(const QString& text, const QString& help, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    button->setToolTip(help);
    return button;
}

}  // namespace

ModelsTab::ModelsTab(TuningModel& model, QWidget* parent)
    : QWidget(parent), m_model(model), m_stack(new QStackedWidget(this)) {
    makeColumn(this, 0)->addWidget(m_stack);
    auto* empty = new EmptyPage(QStringLiteral("tuning"), m_stack);
    empty->setTexts(
        tr("No models yet"),
        tr("Every computation is executed by the library's own rules. Measure, train and install on "
           "the left, on a machine that does nothing else: five minutes make a model of "
           "each purpose. Models change times, never a bit of a result."));
    auto* page = new QWidget(m_stack);
    auto* column = makeColumn(page, smallSpacing, {0, 0, 0, normalSpacing});
    m_table = new TextTable(tr("Models"), page);
    m_table->setObjectName(QStringLiteral("tuningModels"));
    column->addWidget(m_table, 1);
    auto* below = makeRow(nullptr, normalSpacing, {normalSpacing, 0, normalSpacing, 0});
    m_facts = new ToneLabel(ToneLabel::Tone::muted, page);
    m_activate = tabButton(tr("Act&ivate"), tr("Makes this model decide for its purpose"), page);
    m_activate->setObjectName(QStringLiteral("activateModel"));
    m_remove = tabButton(tr("Re&move"), tr("Deletes this model of your own"), page);
    m_remove->setObjectName(QStringLiteral("removeModel"));
    below->addWidget(m_facts, 1);
    below->addWidget(m_activate, 0, Qt::AlignTop);
    below->addWidget(m_remove, 0, Qt::AlignTop);
    column->addLayout(below);
    m_stack->addWidget(empty);
    m_stack->addWidget(page);
    connect(&model, &TuningModel::stateRead, this, &ModelsTab::showModels);
    connect(m_table, &TextTable::chosen, this, &ModelsTab::showChosen);
    connect(m_activate, &QPushButton::clicked, this, [this] {
        if (chosen() >= 0) m_model.activate(m_model.state()->models[std::size_t(chosen())]);
    });
    connect(m_remove, &QPushButton::clicked, this, [this] {
        if (chosen() < 0) return;
        const tune::RegisteredModel one = m_model.state()->models[std::size_t(chosen())];
        const auto answer =
            QMessageBox::question(this, tr("Remove a model"), tr("Delete %1 for ever?").arg(toText(one.name)),
                                  QMessageBox::Yes | QMessageBox::Cancel, QMessageBox::Cancel);
        if (answer == QMessageBox::Yes) m_model.remove(one);
    });
    showModels();
}

int ModelsTab::chosen() const {
    const int row = m_table->chosenRow();
    return m_model.state() && row >= 0 && row < int(m_model.state()->models.size()) ? row : -1;
}

void ModelsTab::showModels() {
    const TuningStatePtr& state = m_model.state();
    m_stack->setCurrentIndex(state && !state->models.empty() ? 1 : 0);
    if (!state) return;
    auto [headers, rows] = modelRows(*state);
    m_table->setRows(headers, std::move(rows));
    if (!state->models.empty()) m_table->chooseRow(0);
    showChosen();
}

void ModelsTab::showChosen() {
    const int row = chosen();
    m_activate->setEnabled(row >= 0 &&
                           m_model.state()->models[std::size_t(row)].status == tune::ModelStatus::shadowed);
    m_remove->setEnabled(row >= 0 && m_model.state()->models[std::size_t(row)].place == tune::own_models());
    if (row < 0) return m_facts->setText({});
    const tune::RegisteredModel& one = m_model.state()->models[std::size_t(row)];
    QStringList facts{tr("%1: %2").arg(toText(one.name), statusWords(one))};
    if (!one.reason.empty()) facts << toSentence(one.reason);
    if (one.model) {
        facts << (one.model->margin ? tr("chooses from a predicted gain of %1 on")
                                          .arg(QString::number(double(*one.model->margin), 'g', 2))
                                    : tr("no margin is safe"))
              << tr("machine %1, kernels %2").arg(toText(one.machine), toText(one.kernels))
              << tr("%1 bytes, SHA-256 %2").arg(one.size).arg(toText(one.sha256).left(16));
    }
    m_facts->setText(facts.join(QStringLiteral(" · ")));
}

UseTab::UseTab(TuningModel& model, QWidget* parent) : QWidget(parent), m_model(model) {
    auto* split = new QSplitter(Qt::Vertical, this);
    split->setChildrenCollapsible(false);
    makeColumn(this, 0)->addWidget(split);
    const auto part = [&](const QString& title, TextTable*& table, const QList<QPushButton*>& buttons) {
        auto* box = new QWidget(split);
        auto* column = makeColumn(box, smallSpacing, {0, 0, 0, smallSpacing});
        auto* row = makeRow(nullptr, smallSpacing, {normalSpacing, smallSpacing, normalSpacing, 0});
        auto* label = new QLabel(title, box);
        row->addWidget(label, 1);
        for (QPushButton* button : buttons) row->addWidget(button);
        column->addLayout(row);
        table = new TextTable(title, box);
        column->addWidget(table, 1);
        split->addWidget(box);
    };
    auto* reset = tabButton(tr("Count from &zero"), tr("The problems that were met stay"), this);
    reset->setObjectName(QStringLiteral("resetCounters"));
    part(tr("Decisions, and why so"), m_counters, {reset});
    m_forget = tabButton(tr("For&get it"), tr("Forgets the chosen entry"), this);
    m_forget->setObjectName(QStringLiteral("forgetEntry"));
    m_forgetAll = tabButton(tr("Forget a&ll"), tr("Forgets every entry"), this);
    part(tr("Learned in use (mode measure)"), m_learned, {m_forget, m_forgetAll});
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    connect(reset, &QPushButton::clicked, &model, &TuningModel::resetStatistics);
    connect(m_forget, &QPushButton::clicked, this, &UseTab::forgetChosen);
    connect(m_forgetAll, &QPushButton::clicked, this, [this] {
        const auto answer = QMessageBox::question(
            this, tr("Forget all"), tr("Forget everything that was learned on any machine?"),
            QMessageBox::Yes | QMessageBox::Cancel, QMessageBox::Cancel);
        if (answer == QMessageBox::Yes) m_model.forget(std::nullopt);
    });
    connect(m_learned, &TextTable::chosen, this, [this](int row) {
        m_forget->setEnabled(row >= 0 && m_model.state() && row < int(m_model.state()->learned.size()) &&
                             m_model.state()->isHere(m_model.state()->learned[std::size_t(row)]));
    });
    connect(&model, &TuningModel::stateRead, this, &UseTab::showUse);
    showUse();
}

void UseTab::showUse() {
    auto counters = counterRows(m_model.counters());
    m_counters->setRows(counters.headers, std::move(counters.rows));
    m_forget->setEnabled(false);
    const TuningStatePtr& state = m_model.state();
    m_forgetAll->setEnabled(state && !state->learned.empty());
    if (!state) return;
    auto learned = learnedRows(*state);
    m_learned->setRows(learned.headers, std::move(learned.rows));
}

void UseTab::forgetChosen() {
    const int row = m_learned->chosenRow();
    if (!m_model.state() || row < 0 || row >= int(m_model.state()->learned.size())) return;
    m_model.forget(m_model.state()->learned[std::size_t(row)].key);
}

}  // namespace workbench
