// SPDX-License-Identifier: MIT
#include "ui/kernels/make_form.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <algorithm>

#include "ui/support/text.h"
#include "ui/widgets/form_parts.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/layouts.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/path_field.h"
#include "ui/widgets/theme.h"

namespace workbench {
namespace {

constexpr double largestWeight = 1e6;

}  // namespace

MakeForm::MakeForm(QWidget* parent) : QWidget(parent) {
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_inside = new QWidget(scroll);
    auto* column = makeColumn(m_inside, normalSpacing, {0, normalSpacing, normalSpacing, normalSpacing});
    addFields(*column);
    addCategories(*column);
    addTargets(*column);
    column->addStretch(1);
    scroll->setWidget(m_inside);
    auto* all = makeColumn(this, smallSpacing);
    all->addWidget(scroll, 1);
    addButtons(*all);
    setRequest({});
}

void MakeForm::addFields(QVBoxLayout& column) {
    auto* grid = new QGridLayout;
    grid->setSpacing(smallSpacing);
    const auto add = [&](const QString& text, QWidget* field, QWidget* named) {
        auto* label = new QLabel(text, m_inside);
        label->setBuddy(named);
        named->setAccessibleName(text);
        const int row = grid->rowCount();
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row, 1);
    };
    m_folder = new PathField(tr("Folder of the data set"), tr("Folder of the data set"),
                             PathField::What::folder, m_inside);
    m_count = new CountBox(1, m_inside);
    m_seed = new CountBox(0, m_inside);
    for (CountBox* box : {m_count, m_seed}) guardWheel(box);
    m_backward = new QCheckBox(tr("Backward kernels too"), m_inside);
    m_backward->setAccessibleName(m_backward->text());
    add(tr("Folder"), m_folder, &m_folder->edit());
    add(tr("Kernels"), m_count, m_count);
    add(tr("Seed"), m_seed, m_seed);
    grid->addWidget(m_backward, grid->rowCount(), 1);
    column.addLayout(grid);
    connect(m_folder, &PathField::changed, this, &MakeForm::showState);
    connect(m_count, &QSpinBox::valueChanged, this, &MakeForm::showState);
}

void MakeForm::addCategories(QVBoxLayout& column) {
    auto* note = new ToneLabel(ToneLabel::Tone::muted, m_inside);
    note->setText(tr("Categories; how many of each beside the others; the quota that comes of it"));
    column.addWidget(note);
    auto* grid = new QGridLayout;
    grid->setSpacing(smallSpacing);
    grid->setColumnStretch(0, 1);
    for (int k = 0; k < synth::categories; ++k) {
        const QString name = toText(synth::name_of(static_cast<synth::Category>(k)));
        CategoryRow row{.wanted = new QCheckBox(name, m_inside),
                        .weight = new NumberBox(m_inside),
                        .quota = new QLabel(m_inside)};
        row.wanted->setAccessibleName(tr("Category %1").arg(name));
        row.weight->setAccessibleName(tr("Weight of %1").arg(name));
        row.weight->setDecimals(3);
        row.weight->setRange(0, largestWeight);
        guardWheel(row.weight);
        row.quota->setObjectName(QStringLiteral("quota-") + name);
        row.quota->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        row.quota->setMinimumWidth(row.quota->fontMetrics().horizontalAdvance(QStringLiteral("000 000")));
        grid->addWidget(row.wanted, k, 0);
        grid->addWidget(row.weight, k, 1);
        grid->addWidget(row.quota, k, 2);
        connect(row.wanted, &QCheckBox::toggled, this, &MakeForm::showState);
        connect(row.weight, &QDoubleSpinBox::valueChanged, this, &MakeForm::showState);
        m_categories.push_back(row);
    }
    column.addLayout(grid);
}

void MakeForm::addTargets(QVBoxLayout& column) {
    m_defaultTargets = new QCheckBox(tr("The default targets that are there"), m_inside);
    m_defaultTargets->setAccessibleName(m_defaultTargets->text());
    m_targets = new QListWidget(m_inside);
    m_targets->setObjectName(QStringLiteral("targets"));
    m_targets->setAccessibleName(tr("Targets of the data set"));
    m_targets->setSizeAdjustPolicy(QAbstractScrollArea::AdjustIgnored);
    m_targets->setFixedHeight(8 * m_targets->fontMetrics().lineSpacing());
    column.addWidget(m_defaultTargets);
    column.addWidget(m_targets);
    connect(m_defaultTargets, &QCheckBox::toggled, m_targets, &QWidget::setDisabled);
    connect(m_defaultTargets, &QCheckBox::toggled, this, &MakeForm::showState);
    connect(m_targets, &QListWidget::itemChanged, this, &MakeForm::showState);
    auto* levels = makeRow(nullptr, normalSpacing);
    levels->addWidget(new QLabel(tr("Levels"), m_inside));
    const std::pair<const char*, QString> all[] = {
        {"V0", tr("The text is what the compiler makes of the source: always")},
        {"V1", tr("The assembler takes the PTX; needs nvJitLink")},
        {"V2", tr("The host's IR gives what the interpreter gives")},
        {"V3", tr("The PTX gives it within the bounds, in the executor")}};
    for (const auto& [name, tip] : all) {
        auto* box = new QCheckBox(QLatin1String(name), m_inside);
        box->setAccessibleName(tr("Level %1").arg(QLatin1String(name)));
        box->setToolTip(tip);
        levels->addWidget(box);
        m_levels.push_back(box);
    }
    m_levels.front()->setEnabled(false);
    levels->addStretch(1);
    column.addLayout(levels);
}

void MakeForm::addButtons(QVBoxLayout& column) {
    auto* buttons = makeRow(nullptr, smallSpacing);
    m_make = new QPushButton(themedIcon(QStringLiteral("play")), tr(" Make"), this);
    m_make->setObjectName(QStringLiteral("makeDataSet"));
    m_make->setAccessibleName(tr("Make the data set"));
    m_resume = new QPushButton(tr("Resume"), this);
    m_resume->setObjectName(QStringLiteral("resumeDataSet"));
    m_resume->setAccessibleName(tr("Resume the data set"));
    m_resume->setToolTip(tr("Goes on behind the last whole shard of the folder, as it was begun"));
    m_copy = iconButton(QStringLiteral("copy"), tr("Copy the making as command line"), this);
    buttons->addWidget(m_make);
    buttons->addWidget(m_resume);
    buttons->addWidget(m_copy);
    buttons->addStretch(1);
    column.addLayout(buttons);
    const auto ask = [this](bool resume) {
        takeTyped();
        DataSetRequest wanted = request();
        wanted.resume = resume;
        Q_EMIT makeAsked(wanted);
    };
    connect(m_make, &QPushButton::clicked, this, [ask] { ask(false); });
    connect(m_resume, &QPushButton::clicked, this, [ask] { ask(true); });
    connect(m_copy, &QToolButton::clicked, this, [this] {
        takeTyped();
        QApplication::clipboard()->setText(commandLine(request()));
    });
}

// A field takes what was typed when it loses the focus.
void MakeForm::takeTyped() {
    if (QWidget* const now = focusWidget(); now && now != &m_folder->edit()) now->clearFocus();
}

DataSetRequest MakeForm::request() const {
    DataSetRequest made{.folder = m_folder->text(),
                        .count = std::uint64_t(m_count->value()),
                        .seed = std::uint64_t(m_seed->value()),
                        .backward = m_backward->isChecked()};
    bool isAll = true;
    for (std::size_t k = 0; k < m_categories.size(); ++k) {
        const double weight = m_categories[k].weight->value();
        isAll = isAll && m_categories[k].wanted->isChecked() && weight == 1;
        if (m_categories[k].wanted->isChecked() && weight > 0)
            made.weights[static_cast<synth::Category>(k)] = weight;
    }
    if (isAll) made.weights.clear();
    if (!m_defaultTargets->isChecked()) {
        for (int k = 0; k < m_targets->count(); ++k) {
            const QListWidgetItem& item = *m_targets->item(k);
            if (item.checkState() == Qt::Checked) made.targets << item.data(Qt::UserRole).toString();
        }
    }
    for (const QCheckBox* level : m_levels) {
        if (level->isChecked()) made.levels << level->text();
    }
    if (made.levels == QStringList{QStringLiteral("V0"), QStringLiteral("V2"), QStringLiteral("V3")})
        made.levels.clear();
    return made;
}

void MakeForm::setRequest(const DataSetRequest& request) {
    m_folder->setText(request.folder);
    m_count->setValue(int(request.count));
    m_seed->setValue(int(request.seed));
    m_backward->setChecked(request.backward);
    for (std::size_t k = 0; k < m_categories.size(); ++k) {
        const auto found = request.weights.find(static_cast<synth::Category>(k));
        m_categories[k].wanted->setChecked(request.weights.empty() || found != request.weights.end());
        m_categories[k].weight->setValue(found == request.weights.end() ? 1 : found->second);
    }
    m_defaultTargets->setChecked(request.targets.isEmpty());
    m_targets->setDisabled(request.targets.isEmpty());
    for (int k = 0; k < m_targets->count(); ++k) {
        QListWidgetItem& item = *m_targets->item(k);
        item.setCheckState(request.targets.contains(item.data(Qt::UserRole).toString()) ? Qt::Checked
                                                                                        : Qt::Unchecked);
    }
    for (QCheckBox* level : m_levels)
        level->setChecked(level == m_levels.front() ||
                          (request.levels.isEmpty() ? level->text() != QLatin1String("V1")
                                                    : request.levels.contains(level->text())));
    showState();
}

void MakeForm::setTargets(const std::vector<compile::TargetState>& targets) {
    const QStringList chosen = request().targets;
    m_targets->clear();
    const auto defaults = compile::default_targets();
    for (const compile::TargetState& one : targets) {
        const QString name = toText(one.target);
        auto* item = new QListWidgetItem(one.is_available ? name : tr("%1: not here").arg(name), m_targets);
        item->setData(Qt::UserRole, name);
        item->setToolTip(one.is_available ? toText(one.version) : toSentence(one.reason));
        item->setFlags(one.is_available ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
                                        : Qt::NoItemFlags);
        const bool isDefault = std::ranges::find(defaults, one.target) != defaults.end();
        const bool isOn = one.is_available && (chosen.isEmpty() ? isDefault : chosen.contains(name));
        item->setCheckState(isOn ? Qt::Checked : Qt::Unchecked);
    }
    showState();
}

void MakeForm::setBusy(bool busy) {
    m_busy = busy;
    showState();
}

void MakeForm::showState() {
    if (!m_make) return;
    const bool hasKernels = std::ranges::any_of(m_categories, [](const CategoryRow& row) {
        return row.wanted->isChecked() && row.weight->value() > 0;
    });
    const DataSetRequest now = request();
    const auto quotas = synth::quotas_of(optionsOf(now));
    for (std::size_t k = 0; k < m_categories.size(); ++k) {
        const auto found = quotas.find(static_cast<synth::Category>(k));
        m_categories[k].quota->setText(
            !hasKernels || found == quotas.end() ? tr("–") : locale().toString(found->second));
        m_categories[k].weight->setEnabled(m_categories[k].wanted->isChecked());
    }
    const bool hasFolder = !now.folder.isEmpty();
    const bool hasTargets = m_defaultTargets->isChecked() || !now.targets.isEmpty();
    const QString why = !hasFolder    ? tr("Name a folder first")
                        : !hasKernels ? tr("Choose a category first")
                        : !hasTargets ? tr("Choose a target, or the default ones, first")
                                      : QString();
    m_make->setEnabled(!m_busy && why.isEmpty());
    m_make->setToolTip(why);
    m_copy->setEnabled(why.isEmpty());
    m_resume->setEnabled(!m_busy && hasFolder);
}

void MakeForm::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    Q_EMIT shown();
}

}  // namespace workbench
